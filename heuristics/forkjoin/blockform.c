/* blockform.c -- one block between two positions as a fork-join in class form.
 *
 *     head(j, x) = max(what j has to wait for alone, since + c(cut, j),
 *                      max over u before j in the block of min over y (head + w(u, y) + c(y, x)))
 *     tail(j, x) the same backwards, from the start of the cut behind (or the end of all)
 *
 * x and y are places: the memory of either cut, and for each look the memories that are left of it,
 * between which nothing is paid.  c is the cheapest way, relays included.  What reaches into the
 * block from further than its cuts is left out.  O(e places^2). */
#include <string.h>
#include "chain.h"

static void add_place(tgs_i_block *x, int32_t memory, int32_t members)
{
    if (members > 0)
        x->place[x->places++] = (tgs_i_place){memory, x->c->look[memory], members};
}

/* place_of[memories]: -1 where no processor is */
static void find_places(tgs_i_block *x, int32_t *place_of)
{
    const tgs_i_chain *c = x->c;
    const tgs_view *v = c->v;

    memset(place_of, -1, (size_t)v->memories * sizeof *place_of);
    if (c->coarse) {
        add_place(x, c->first[0], 1);
        for (int32_t a = 0; a < v->memories; a++)
            place_of[a] = c->look[a];
        return;
    }
    if (x->from >= 0)
        place_of[x->from] = x->places, add_place(x, x->from, 1);
    if (x->to >= 0 && x->to != x->from)
        place_of[x->to] = x->places, add_place(x, x->to, 1);
    for (int32_t l = 0; l < c->looks; l++) {
        int32_t members = 0, one = -1;

        for (int32_t a = v->memories - 1; a >= 0; a--)
            if (c->look[a] == l && a != x->from && a != x->to) {
                place_of[a] = x->places;
                one = a;
                members++;
            }
        add_place(x, one, members);
    }
}

/* seconds; between the memories of one place 0 */
static double move(const tgs_i_block *x, int32_t datum, int32_t a, int32_t b)
{
    const tgs_view *v = x->c->v;
    const int64_t k = (int64_t)x->place[a].memory * v->memories + x->place[b].memory;

    if (datum < 0 || a == b)
        return 0;
    return v->relay_lat[k] + v->g->datum[datum].bytes * v->relay_inv[k];
}

static int32_t place_at(const tgs_i_block *x, int32_t memory)
{
    for (int32_t q = 0; q < x->places && !x->c->coarse; q++)
        if (x->place[q].memory == memory)
            return q;
    return 0;
}

/* to[q] = max(to[q], min over y of (a[y] + b[y] + move)), from y to q or, back, from q to y */
static void pass(const tgs_i_block *x, const double *a, const double *b, int32_t datum, bool back,
                 double *to)
{
    for (int32_t q = 0; q < x->places; q++) {
        double least = INFINITY;

        for (int32_t y = 0; y < x->places; y++) {
            const double move_time = back ? move(x, datum, q, y) : move(x, datum, y, q);
            const double t = a[y] + b[y] + move_time;

            least = t < least ? t : least;
        }
        to[q] = least > to[q] ? least : to[q];
    }
}

static void find_heads(tgs_i_block *x)
{
    const tgs_i_chain *c = x->c;
    const tgs_graph_view *g = c->v->g;
    const int32_t P = x->places, from = x->from >= 0 ? place_at(x, x->from) : -1;

    for (int32_t i = 0; i < x->n; i++) {
        const int32_t j = g->topo[x->first + i], k0 = g->task[j].constraint;
        double *head = x->head + (int64_t)i * P;

        for (int32_t q = 0; q < P; q++) {
            const double alone = !c->coarse ? tgs_i_chain_alone(c->v, j, x->place[q].memory)
                                 : k0 < 0   ? 0
                                            : g->constraint[k0].release;

            head[q] = fmax(x->since, alone);
        }
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->topo_pos[g->pred[k]] - x->first;

            if (u >= 0)
                pass(x, x->head + (int64_t)u * P, x->w + (int64_t)u * P, g->pred_datum[k], false,
                     head);
            else if (u == -1 && from >= 0)
                for (int32_t q = 0; q < P; q++)
                    head[q] = fmax(head[q], x->since + move(x, g->pred_datum[k], from, q));
        }
    }
}

static void find_tails(tgs_i_block *x)
{
    const tgs_graph_view *g = x->c->v->g;
    const int32_t P = x->places, to = x->to >= 0 ? place_at(x, x->to) : -1;

    for (int32_t i = x->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[x->first + i];
        double *tail = x->tail + (int64_t)i * P;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t s = g->topo_pos[g->succ[k]] - x->first;

            if (s < x->n)
                pass(x, x->tail + (int64_t)s * P, x->w + (int64_t)s * P, g->succ_datum[k], true,
                     tail);
            else if (s == x->n && to >= 0)
                for (int32_t q = 0; q < P; q++)
                    tail[q] = fmax(tail[q], move(x, g->succ_datum[k], q, to));
        }
    }
}

/* what the cuts alone need: the data from one to the other */
static void find_through(tgs_i_block *x)
{
    const tgs_graph_view *g = x->c->v->g;
    const int32_t P = x->places;

    x->through = x->since;
    if (x->from >= 0 && x->to >= 0) {
        const int32_t t = g->topo[x->first + x->n], from = place_at(x, x->from);

        for (int32_t k = g->pred_at[t]; k < g->pred_at[t + 1]; k++)
            if (g->topo_pos[g->pred[k]] == x->first - 1)
                x->through = fmax(x->through,
                                  x->since + move(x, g->pred_datum[k], from, place_at(x, x->to)));
    }
    for (int32_t i = 0; i < x->n; i++) {
        double least = INFINITY;

        for (int32_t q = 0; q < P; q++) {
            const int64_t k = (int64_t)i * P + q;

            least = fmin(least, x->head[k] + x->w[k] + x->tail[k]);
        }
        x->through = fmax(x->through, least);
    }
}

/* ---- the form ------------------------------------------------------------------------------ */
/* class_of[m]: processors of one place, kind and speed; pinned tasks tell all apart */
static int32_t classify(const tgs_i_block *x, const int32_t *place_of, int32_t *class_of)
{
    const tgs_view *v = x->c->v;
    int32_t classes = 0, *one = x->proc; /* of each class */

    for (int32_t p = 0; p < v->m; p++) {
        const tgs_proc *a = &v->p->proc[p];
        int32_t g = v->pin_proc && !x->c->coarse ? classes : 0;

        for (; g < classes && !x->c->coarse; g++) {
            const tgs_proc *b = &v->p->proc[one[g]];

            if (place_of[a->memory] == place_of[b->memory] && a->kind == b->kind
                && a->speed == b->speed)
                break;
        }
        if (g == classes)
            one[classes++] = p;
        class_of[p] = g;
    }
    return classes;
}

static void fill_form(tgs_i_block *x, const int32_t *place_of, const int32_t *class_of)
{
    const tgs_view *v = x->c->v;
    const int32_t G = x->form.classes, P = x->places;

    for (int32_t p = 0; p < v->m; p++)
        x->at[class_of[p] + 1]++;
    for (int32_t g = 0; g < G; g++)
        x->at[g + 1] += x->at[g];
    for (int32_t p = v->m - 1; p >= 0; p--) { /* from the end of each class: at[g + 1] comes down */
        const int32_t g = class_of[p];

        x->proc[--x->at[g + 1]] = p;
        x->place_of[g] = place_of[v->p->proc[p].memory];
    }
    for (int32_t g = 0; g < G; g++) /* where g began is in at[g + 1] */
        x->at[g] = x->at[g + 1];
    x->at[G] = v->m;
    for (int32_t i = 0; i < x->n; i++)
        for (int32_t g = 0; g < G; g++) {
            const int64_t k = (int64_t)i * G + g, h = (int64_t)i * P + x->place_of[g];
            const int32_t j = v->g->topo[x->first + i];

            x->p[k] = x->c->coarse ? x->w[h] : tgs_w(v, j, x->proc[x->at[g]]);
            x->r[k] = x->head[h] - x->since;
            x->q[k] = x->tail[h];
            if (!(x->r[k] < INFINITY && x->q[k] < INFINITY)) { /* no route */
                x->p[k] = INFINITY;
                x->r[k] = x->q[k] = 0;
            }
        }
    x->form.n = x->n;
    x->form.at = x->at;
    x->form.p = x->p;
    x->form.r = x->r;
    x->form.q = x->q;
}

static bool open_jobs(tgs_i_block *x)
{
    const size_t n = (size_t)x->n, P = (size_t)x->places, G = (size_t)x->form.classes;

    x->head = tgs_mem_alloc(n * P, sizeof *x->head);
    x->tail = tgs_mem_alloc(n * P, sizeof *x->tail);
    x->w = tgs_mem_alloc(n * P, sizeof *x->w);
    x->p = tgs_mem_alloc(n * G, sizeof *x->p);
    x->r = tgs_mem_alloc(n * G, sizeof *x->r);
    x->q = tgs_mem_alloc(n * G, sizeof *x->q);
    x->at = tgs_mem_alloc(G + 1, sizeof *x->at);
    x->place_of = tgs_mem_alloc(G, sizeof *x->place_of);
    return x->head && x->tail && x->w && x->p && x->r && x->q && x->at && x->place_of;
}

tgs_status tgs_i_block_open(tgs_i_block *x, const tgs_i_chain *c, int32_t b, int32_t from,
                            int32_t to, double since, tgs_error *err)
{
    const tgs_view *v = c->v;
    int32_t *place_of = tgs_mem_alloc((size_t)v->memories, sizeof *place_of);
    int32_t *class_of = tgs_mem_alloc((size_t)v->m, sizeof *class_of);
    int32_t last;
    bool open = false;

    *x = (tgs_i_block){.c = c, .b = b, .from = from, .to = to, .since = since};
    tgs_i_chain_range(c, b, &x->first, &last);
    x->n = last - x->first;
    x->place = tgs_mem_alloc((size_t)c->looks + 2, sizeof *x->place);
    x->proc = tgs_mem_alloc((size_t)v->m, sizeof *x->proc);
    if (place_of && class_of && x->place && x->proc) {
        find_places(x, place_of);
        x->form.classes = x->n ? classify(x, place_of, class_of) : 0;
        open = open_jobs(x);
    }
    for (int64_t i = 0; open && i < (int64_t)x->n * x->places; i++) {
        const int32_t j = v->g->topo[x->first + i / x->places];

        x->w[i] = c->w[(int64_t)j * c->looks + x->place[i % x->places].look];
    }
    if (open) {
        find_heads(x);
        find_tails(x);
        find_through(x);
        if (x->n)
            fill_form(x, place_of, class_of);
    } else {
        tgs_i_block_close(x);
    }
    tgs_mem_free(place_of);
    tgs_mem_free(class_of);
    return open ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory for a block of %d tasks", last);
}

void tgs_i_block_close(tgs_i_block *x)
{
    tgs_mem_free(x->place);
    tgs_mem_free(x->head);
    tgs_mem_free(x->tail);
    tgs_mem_free(x->w);
    tgs_mem_free(x->at);
    tgs_mem_free(x->proc);
    tgs_mem_free(x->place_of);
    tgs_mem_free(x->p);
    tgs_mem_free(x->r);
    tgs_mem_free(x->q);
    *x = (tgs_i_block){.c = NULL};
}
