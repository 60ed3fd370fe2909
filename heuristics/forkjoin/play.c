/* play.c -- the schedule of an assignment: tasks by urgency, each into the earliest gap of its own
 * processor. */
#include <string.h>
#include "chain.h"
#include "play.h"

tgs_status tgs_i_layout_open(tgs_i_layout *s, int32_t n, tgs_error *err)
{
    s->proc = tgs_mem_alloc((size_t)n, sizeof *s->proc);
    s->start = tgs_mem_alloc((size_t)n, sizeof *s->start);
    s->end = tgs_mem_alloc((size_t)n, sizeof *s->end);
    s->makespan = s->spread = s->late = INFINITY;
    s->key = tgs_mem_alloc((size_t)n, sizeof *s->key);
    if (s->proc && s->start && s->end && s->key)
        return TGS_OK;
    return tgs_fail(err, TGS_ENOMEM, "out of memory for a schedule of %d tasks", n);
}

void tgs_i_layout_close(tgs_i_layout *s)
{
    tgs_mem_free(s->proc);
    tgs_mem_free(s->start);
    tgs_mem_free(s->end);
    tgs_mem_free(s->key);
}

void tgs_i_layout_copy(tgs_i_layout *to, const tgs_i_layout *from, int32_t n)
{
    memcpy(to->proc, from->proc, (size_t)n * sizeof *to->proc);
    memcpy(to->start, from->start, (size_t)n * sizeof *to->start);
    memcpy(to->end, from->end, (size_t)n * sizeof *to->end);
    memcpy(to->key, from->key, (size_t)n * sizeof *to->key);
    to->makespan = from->makespan;
    to->spread = from->spread;
    to->late = from->late;
}

bool tgs_i_layout_better(const tgs_i_layout *a, const tgs_i_layout *b)
{
    if (a->late != b->late)
        return a->late < b->late;
    return a->makespan < b->makespan || (a->makespan == b->makespan && a->spread < b->spread);
}

tgs_status tgs_i_player_open(tgs_i_player *x, const tgs_view *v, tgs_error *err)
{
    const size_t n = (size_t)v->n, m = (size_t)v->m;

    *x = (tgs_i_player){.v = v};
    x->level = tgs_mem_alloc(n, sizeof *x->level);
    x->waits = tgs_mem_alloc(n, sizeof *x->waits);
    x->before = tgs_mem_alloc(n, sizeof *x->before);
    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->last = tgs_mem_alloc(m, sizeof *x->last);
    x->line = tgs_mem_alloc(m, sizeof *x->line);
    x->next.item = tgs_mem_alloc(n, sizeof *x->next.item);
    for (int32_t i = 0; i < v->g->constraints; i++)
        x->due = x->due || v->g->constraint[i].deadline < INFINITY;
    x->least = tgs_mem_alloc(m, sizeof *x->least);
    for (int32_t p = 0; x->least && p < v->m; p++) {
        x->least[p] = INFINITY;
        for (int32_t j = 0; j < v->n; j++)
            x->least[p] = fmin(x->least[p], tgs_w(v, j, p));
    }
    if (x->least && x->level && x->waits && x->before && x->order && x->last && x->line
        && x->next.item)
        return TGS_OK;
    tgs_i_player_close(x);
    return tgs_fail(err, TGS_ENOMEM, "out of memory to play %d tasks", v->n);
}

void tgs_i_player_close(tgs_i_player *x)
{
    for (int32_t p = 0; x->line && p < x->v->m; p++)
        tgs_i_timeline_close(&x->line[p]);
    tgs_mem_free(x->level);
    tgs_mem_free(x->waits);
    tgs_mem_free(x->before);
    tgs_mem_free(x->order);
    tgs_mem_free(x->last);
    tgs_mem_free(x->least);
    tgs_mem_free(x->line);
    tgs_mem_free(x->next.item);
    *x = (tgs_i_player){.v = NULL};
}

static int32_t memory_of(const tgs_view *v, const tgs_i_layout *s, int32_t task)
{
    return v->p->proc[s->proc[task]].memory;
}

static void find_levels(tgs_i_player *x, const tgs_i_layout *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i], a = memory_of(v, s, j);
        double tail = 0;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t t = g->succ[k];
            const double y = tgs_c(v, g->succ_datum[k], a, memory_of(v, s, t)) + x->level[t];

            tail = y > tail ? y : tail;
        }
        x->level[j] = tgs_w(v, j, s->proc[j]) + tail;
    }
}

/* empty lines, that keep their room */
static void clear_lines(tgs_i_player *x)
{
    for (int32_t p = 0; p < x->v->m; p++) {
        tgs_i_gap *gap = x->line[p].gap;
        const int64_t room = x->line[p].room;

        tgs_i_timeline_open(&x->line[p], x->least[p]);
        x->line[p].gap = gap;
        x->line[p].room = room;
    }
}

static double ready(const tgs_view *v, const tgs_i_layout *s, int32_t j)
{
    const tgs_graph_view *g = v->g;
    const int32_t a = memory_of(v, s, j);
    double ready = tgs_i_chain_alone(v, j, a);

    for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
        const int32_t u = g->pred[k];
        const double y = s->end[u] + tgs_c(v, g->pred_datum[k], memory_of(v, s, u), a);

        ready = y > ready ? y : ready;
    }
    return ready;
}

static void enter(tgs_i_player *x, const tgs_i_layout *s, tgs_i_urgency urgency, int32_t j)
{
    tgs_heap_push(&x->next, urgency == TGS_I_KEY ? s->key[j] : -x->level[j], x->v->g->topo_pos[j]);
}

/* its end after its deadline; -INFINITY without one */
static double lateness(const tgs_view *v, const tgs_i_layout *s, int32_t j)
{
    const int32_t k = v->g->task[j].constraint;

    return k < 0 ? -INFINITY : s->end[j] - v->g->constraint[k].deadline;
}

tgs_status tgs_i_play(tgs_i_player *x, tgs_i_layout *s, tgs_i_urgency urgency, double limit)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    tgs_status status = TGS_OK;

    find_levels(x, s);
    limit *= 1 + 1e-12; /* levels are rounded */
    clear_lines(x);
    s->makespan = s->spread = s->late = 0;
    x->next.size = 0;
    for (int32_t j = 0; j < v->n; j++) {
        x->waits[j] = g->pred_at[j + 1] - g->pred_at[j];
        if (!x->waits[j])
            enter(x, s, urgency, j);
    }
    while (x->next.size && !status) {
        const int32_t j = g->topo[tgs_heap_pop(&x->next).id];
        tgs_i_timeline *line = &x->line[s->proc[j]];
        const double w = tgs_w(v, j, s->proc[j]), start = ready(v, s, j);

        x->placed++;
        s->start[j] = start < INFINITY ? tgs_i_timeline_find(line, start, w) : INFINITY;
        s->end[j] = s->start[j] + w;
        if (s->start[j] + x->level[j] > limit) {
            s->makespan = s->late = INFINITY;
            return TGS_OK;
        }
        s->makespan = s->end[j] > s->makespan ? s->end[j] : s->makespan;
        if (x->due)
            s->late = fmax(s->late, lateness(v, s, j));
        if (s->end[j] < INFINITY)
            status = tgs_i_timeline_book(line, s->start[j], s->end[j]);
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            if (!--x->waits[g->succ[k]])
                enter(x, s, urgency, g->succ[k]);
    }
    for (int32_t p = 0; p < v->m; p++)
        s->spread += x->line[p].free * x->line[p].free;
    return status;
}

/* ---- what the makespan depends on ----------------------------------------------------------- */
/* before[], by starts */
static tgs_status find_before(tgs_i_player *x, const tgs_i_layout *s)
{
    const int32_t n = x->v->n;
    const tgs_status status = tgs_i_fj_sort(s->start, n, x->order, NULL);

    for (int32_t p = 0; p < x->v->m; p++)
        x->last[p] = -1;
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t j = x->order[i], p = s->proc[j];

        x->before[j] = x->last[p];
        x->last[p] = j;
    }
    return status;
}

/* what task j waits for at its start; -1: nothing, or nobody knows */
static int32_t cause(const tgs_i_player *x, const tgs_i_layout *s, int32_t j)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
        const int32_t u = g->pred[k];

        if (s->end[u] + tgs_c(v, g->pred_datum[k], memory_of(v, s, u), memory_of(v, s, j))
            == s->start[j])
            return u;
    }
    return x->before[j] >= 0 && s->end[x->before[j]] == s->start[j] ? x->before[j] : -1;
}

tgs_status tgs_i_critical_chain(tgs_i_player *x, const tgs_i_layout *s, int32_t *list,
                                int32_t *count)
{
    const int32_t n = x->v->n;
    const tgs_status status = find_before(x, s);
    int32_t j = n ? 0 : -1;

    *count = 0;
    for (int32_t i = 1; i < n; i++)
        if (s->late > 0 ? lateness(x->v, s, i) > lateness(x->v, s, j) : s->end[i] > s->end[j])
            j = i;
    while (j >= 0 && *count < n && !status) { /* tasks of no length may wait for each other */
        list[(*count)++] = j;
        j = cause(x, s, j);
    }
    return status;
}
