/* oct-path.c -- the longest path in which every task may sit where it likes, but what moves between
 * memories takes its time: the optimistic cost table of PEFT in both directions.
 *
 *     F(j, b) = max over predecessors u of min over a of (F(u, a) + w(u, a) + c(u, j, a, b))
 *     O(j, a) = max over successors v of min over b of (c(j, v, a, b) + w(v, b) + O(v, b))
 *     bound   = max over j of min over a of (F(j, a) + w(j, a) + O(j, a))
 *
 * a and b are memories, w the least time there, and c the cheapest way between them, relays
 * included; F begins with release times and initial data.  The backward part charges all successors
 * to one copy of j, so it does not hold with duplication.
 *
 * O(e M^2 + n p).  Above 16 memories a move costs the least that any move into (or out of) the
 * memory costs, which is the same on uniform links, still valid on others, and O(e M). */
#include "tgsched/plugin.h"

#define EXACT 16

typedef struct moves { /* what the cheapest move into and out of each memory costs */
    double *in_lat, *in_inv, *out_lat, *out_inv;
} moves;

static tgs_status cheapest(const tgs_view *v, moves *x, tgs_error *err)
{
    const int32_t M = v->memories;
    double *all = tgs_mem_alloc(4 * (size_t)M, sizeof *all);

    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d memories", M);
    *x = (moves){all, all + M, all + 2 * M, all + 3 * M};
    for (int32_t i = 0; i < 4 * M; i++)
        all[i] = INFINITY;
    for (int32_t a = 0; a < M; a++)
        for (int32_t b = 0; b < M; b++) {
            const double lat = v->relay_lat[a * M + b], inv = v->relay_inv[a * M + b];

            if (a == b || !(lat < INFINITY))
                continue;
            x->in_lat[b] = fmin(x->in_lat[b], lat);
            x->in_inv[b] = fmin(x->in_inv[b], inv);
            x->out_lat[a] = fmin(x->out_lat[a], lat);
            x->out_inv[a] = fmin(x->out_inv[a], inv);
        }
    for (int32_t i = 0; i < M; i++) { /* a memory without links: no size gives NaN */
        x->in_inv[i] = x->in_lat[i] < INFINITY ? x->in_inv[i] : 0;
        x->out_inv[i] = x->out_lat[i] < INFINITY ? x->out_inv[i] : 0;
    }
    return TGS_OK;
}

static double bytes_of(const tgs_view *v, int32_t datum)
{
    return datum < 0 ? 0 : v->g->datum[datum].bytes;
}

/* to[b] = max(to[b], min over a of (from[a] + c(a, b))), or with the arguments of c exchanged */
static void pass(const tgs_view *v, const moves *x, const double *from, int32_t datum, bool back,
                 double *to)
{
    const int32_t M = v->memories;
    const double bytes = bytes_of(v, datum);
    double least = INFINITY;

    for (int32_t a = 0; a < M; a++)
        least = from[a] < least ? from[a] : least;
    for (int32_t b = 0; b < M; b++) {
        double here = from[b];

        if (datum < 0) {
            here = least;
        } else if (M > EXACT) {
            const double move =
                back ? x->out_lat[b] + bytes * x->out_inv[b] : x->in_lat[b] + bytes * x->in_inv[b];

            here = least + move < here ? least + move : here;
        } else {
            for (int32_t a = 0; a < M; a++) {
                const int32_t k = back ? b * M + a : a * M + b;
                const double y = from[a] + (v->relay_lat[k] + bytes * v->relay_inv[k]);

                here = y < here ? y : here;
            }
        }
        to[b] = here > to[b] ? here : to[b];
    }
}

static void least_times(const tgs_view *v, int32_t task, double *w)
{
    for (int32_t a = 0; a < v->memories; a++)
        w[a] = INFINITY;
    for (int32_t p = 0; p < v->m; p++) {
        const int32_t a = v->p->proc[p].memory;

        w[a] = fmin(w[a], tgs_w(v, task, p));
    }
}

/* row = max(row, release time and arrival of initial data) */
static void begin(const tgs_view *v, int32_t j, double *row)
{
    const tgs_graph_view *g = v->g;
    const int32_t k = g->task[j].constraint, M = v->memories;

    for (int32_t a = 0; a < M && k >= 0; a++)
        row[a] = fmax(row[a], g->constraint[k].release);
    for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
        const tgs_access *x = &g->access[i];
        const int32_t home = v->home[x->datum];

        if (!(x->mode & TGS_R) || x->version >= 0 || home < 0)
            continue;
        for (int32_t a = 0; a < M; a++)
            row[a] = fmax(row[a], v->relay_lat[home * M + a]
                                      + g->datum[x->datum].bytes * v->relay_inv[home * M + a]);
    }
}

static double search(const tgs_view *v, const moves *x, double *ends, double *rests, double *w)
{
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories;
    double bound = 0;

    for (int32_t i = 0; i < v->n; i++) { /* ends: F + w */
        const int32_t j = g->topo[i];
        double *row = ends + j * M;

        begin(v, j, row);
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            pass(v, x, ends + g->pred[e] * M, g->pred_datum[e], false, row);
        least_times(v, j, w);
        for (int32_t a = 0; a < M; a++)
            row[a] += w[a];
    }
    for (int32_t i = v->n - 1; i >= 0; i--) { /* rests: O, then O + w */
        const int32_t j = g->topo[i];
        double *row = rests + j * M, through = INFINITY;

        for (int32_t e = g->succ_at[j]; e < g->succ_at[j + 1]; e++)
            pass(v, x, rests + g->succ[e] * M, g->succ_datum[e], true, row);
        least_times(v, j, w);
        for (int32_t a = 0; a < M; a++) {
            through = fmin(through, ends[j * M + a] + row[a]);
            row[a] += w[a];
        }
        bound = fmax(bound, through);
    }
    return bound;
}

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t size = (size_t)v->n * (size_t)v->memories;
    double *ends = tgs_mem_alloc(size, sizeof *ends), *rests = tgs_mem_alloc(size, sizeof *rests);
    double *w = tgs_mem_alloc((size_t)v->memories, sizeof *w);
    moves x = {NULL, NULL, NULL, NULL};
    tgs_status status = TGS_OK;

    if (!ends || !rests || !w)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks in %d memories", v->n,
                          v->memories);
    if (!status)
        status = cheapest(v, &x, err);
    if (!status)
        *bound = search(v, &x, ends, rests, w);
    tgs_mem_free(ends);
    tgs_mem_free(rests);
    tgs_mem_free(w);
    tgs_mem_free(x.in_lat);
    return status;
}

const tgs_bound_plugin tgs_bound_oct_path = {
    .base = {TGS_PLUGIN_ABI, "oct-path", "longest path with every task where it likes best",
             "after Arabnejad, Barbosa, IEEE TPDS 25(3), 2014", NULL},
    .model = "any graph, platform and link model, no duplication",
    .duplication = false,
    .run = run,
};
