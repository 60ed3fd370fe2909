/* partial.c -- a partial schedule that grows and shrinks at its end, and its lower bound:
 *
 *     the tasks placed                     their makespan
 *     each task j that is not placed       the least over the processors p of
 *         max(free(p), arrival(j, p), start of the last task) + w(j, p) + tail(j, p)
 *     the area                             (sum over p of max(free(p), last) + shortest times) / m
 *
 * arrival counts predecessors that are placed; tail(j, p) is the longest way from j on with
 * every task where it likes best but data taking their time between memories (the optimistic cost
 * table, over the cheapest relays). */
#include <string.h>
#include "core.h"

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* ---- fixed numbers ----------------------------------------------------------------------------
 */
static void find_times(tgs_i_partial *x)
{
    const tgs_view *v = x->v;

    for (int32_t j = 0; j < v->n; j++) {
        x->least[j] = INFINITY;
        for (int32_t p = 0; p < v->m; p++) {
            const double w = tgs_w(v, j, p);

            x->w[(int64_t)j * v->m + p] = w;
            x->least[j] = w < x->least[j] ? w : x->least[j];
        }
    }
}

static double relay(const tgs_view *v, int32_t datum, int32_t from, int32_t to)
{
    const int32_t k = from * v->memories + to;

    if (datum < 0 || from == to)
        return 0;
    return v->relay_lat[k] + v->g->datum[datum].bytes * v->relay_inv[k];
}

/* path[task * memories + b]: the shortest time in b with what follows.  tail[j, a] is the maximum
 * over the successors s of the minimum over b of (c(a, b) + path[s, b]). */
static void find_tails(tgs_i_partial *x, double *path)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];

        for (int32_t a = 0; a < M; a++) {
            double tail = 0;

            for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
                const double *next = path + g->succ[k] * M;
                double least = INFINITY;

                for (int32_t b = 0; b < M; b++) {
                    const double y = next[b] + relay(v, g->succ_datum[k], a, b);

                    least = y < least ? y : least;
                }
                tail = largest(tail, least);
            }
            x->tail[j * M + a] = tail;
            path[j * M + a] = INFINITY;
        }
        for (int32_t p = 0; p < v->m; p++) {
            const int64_t at = j * M + v->p->proc[p].memory;
            const double y = x->w[(int64_t)j * v->m + p] + x->tail[at];

            path[at] = y < path[at] ? y : path[at];
        }
    }
}

/* release times, and initial data, which come from their homes */
static void find_arrivals(tgs_i_partial *x)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t k = g->task[j].constraint;
        double *row = x->arrive + (int64_t)j * v->memories;

        for (int32_t a = 0; a < v->memories && k >= 0; a++)
            row[a] = g->constraint[k].release;
        for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
            const tgs_access *y = &g->access[i];
            const int32_t home = v->home[y->datum];

            for (int32_t a = 0; (y->mode & TGS_R) && y->version < 0 && home >= 0 && a < v->memories;
                 a++)
                row[a] = largest(row[a], tgs_c(v, (int32_t)y->datum, home, a));
        }
    }
}

/* quadratic in the number of grouped tasks, which are few where exact search has a chance */
static void find_leaders(tgs_i_partial *x)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t j = 0; j < x->v->n; j++) {
        const int32_t k = g->task[j].constraint;

        x->leader[j] = -1;
        for (int32_t i = 0; k >= 0 && g->constraint[k].group >= 0 && i <= j; i++) {
            const int32_t l = g->task[i].constraint;

            if (l >= 0 && g->constraint[l].group == g->constraint[k].group) {
                x->leader[j] = i;
                break;
            }
        }
    }
}

static bool allocate(tgs_i_partial *x)
{
    const size_t n = (size_t)x->v->n, m = (size_t)x->v->m, M = (size_t)x->v->memories;

    x->w = tgs_mem_alloc(n * m, sizeof *x->w);
    x->tail = tgs_mem_alloc(n * M, sizeof *x->tail);
    x->least = tgs_mem_alloc(n, sizeof *x->least);
    x->leader = tgs_mem_alloc(n, sizeof *x->leader);
    x->twin = tgs_mem_alloc(m, sizeof *x->twin);
    x->likeness = tgs_mem_alloc(M, sizeof *x->likeness);
    x->free = tgs_mem_alloc(m, sizeof *x->free);
    x->arrive = tgs_mem_alloc(n * M, sizeof *x->arrive);
    x->start = tgs_mem_alloc(n, sizeof *x->start);
    x->proc = tgs_mem_alloc(n, sizeof *x->proc);
    x->waits = tgs_mem_alloc(n, sizeof *x->waits);
    x->group_memory = tgs_mem_alloc(n, sizeof *x->group_memory);
    x->group_placed = tgs_mem_alloc(n, sizeof *x->group_placed);
    x->in_memory = tgs_mem_alloc(M, sizeof *x->in_memory);
    x->step = tgs_mem_alloc(n, sizeof *x->step);
    return x->w && x->tail && x->least && x->leader && x->twin && x->likeness && x->free
           && x->arrive && x->start && x->proc && x->waits && x->group_memory && x->group_placed
           && x->in_memory && x->step;
}

tgs_status tgs_i_partial_open(tgs_i_partial *x, const tgs_view *v, tgs_error *err)
{
    double *path = tgs_mem_alloc((size_t)v->n * (size_t)v->memories, sizeof *path);
    tgs_status status = TGS_OK;

    *x = (tgs_i_partial){.v = v, .last = {.start = 0, .positive = 0, .position = -1}};
    if (!allocate(x) || !path)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for a search over %d tasks", v->n);
    if (status)
        goto done;
    for (int32_t j = 0; j < v->n; j++) {
        x->proc[j] = -1;
        x->waits[j] = v->g->pred_at[j + 1] - v->g->pred_at[j];
    }
    find_times(x);
    find_tails(x, path);
    find_arrivals(x);
    find_leaders(x);
    status = tgs_i_partial_symmetry(x, err);
done:
    tgs_mem_free(path);
    if (status)
        tgs_i_partial_close(x);
    return status;
}

void tgs_i_partial_close(tgs_i_partial *x)
{
    tgs_mem_free(x->w);
    tgs_mem_free(x->tail);
    tgs_mem_free(x->least);
    tgs_mem_free(x->leader);
    tgs_mem_free(x->twin);
    tgs_mem_free(x->likeness);
    tgs_mem_free(x->free);
    tgs_mem_free(x->arrive);
    tgs_mem_free(x->start);
    tgs_mem_free(x->proc);
    tgs_mem_free(x->waits);
    tgs_mem_free(x->group_memory);
    tgs_mem_free(x->group_placed);
    tgs_mem_free(x->in_memory);
    tgs_mem_free(x->step);
    tgs_mem_free(x->saved);
    *x = (tgs_i_partial){.v = NULL};
}

bool tgs_i_partial_direct(const tgs_view *v)
{
    for (int32_t d = 0; d < v->g->data; d++)
        for (int32_t k = 0; k < v->memories * v->memories; k++) {
            const double bytes = v->g->datum[d].bytes;

            if (v->relay_lat[k] + bytes * v->relay_inv[k] < v->lat[k] + bytes * v->inv[k])
                return false;
        }
    return true;
}

/* ---- growing and shrinking ---------------------------------------------------------------------
 */
static bool group_may(const tgs_i_partial *x, int32_t task, int32_t memory)
{
    const int32_t l = x->leader[task];

    return l < 0 || !x->group_placed[l] || x->group_memory[l] == memory;
}

double tgs_i_partial_start(const tgs_i_partial *x, int32_t task, int32_t proc)
{
    const int32_t memory = x->v->p->proc[proc].memory, position = x->v->g->topo_pos[task];
    const double w = x->w[(int64_t)task * x->v->m + proc];
    const double start = largest(x->free[proc], x->arrive[(int64_t)task * x->v->memories + memory]);
    const tgs_i_exact_key *last = &x->last;

    if (!(w < INFINITY) || !group_may(x, task, memory) || start < last->start)
        return INFINITY;
    if (start == last->start
        && ((w > 0) < last->positive || ((w > 0) == last->positive && position < last->position)))
        return INFINITY;
    return start;
}

tgs_status tgs_i_partial_place(tgs_i_partial *x, int32_t task, int32_t proc, double start)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories, rows = g->succ_at[task + 1] - g->succ_at[task];
    const int32_t memory = v->p->proc[proc].memory, l = x->leader[task];
    const double w = x->w[(int64_t)task * v->m + proc], end = start + w;

    if (tgs_mem_grow(&x->saved, &x->saved_room, x->saved_size + rows * M, sizeof *x->saved))
        return TGS_ENOMEM;
    x->step[x->placed++] = (tgs_i_exact_step){.task = task,
                                              .proc = proc,
                                              .free = x->free[proc],
                                              .makespan = x->makespan,
                                              .last = x->last,
                                              .saved = x->saved_size};
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++) {
        double *row = x->arrive + g->succ[k] * M;

        memcpy(x->saved + x->saved_size, row, (size_t)M * sizeof *row);
        x->saved_size += M;
        for (int32_t a = 0; a < M; a++)
            row[a] = largest(row[a], end + tgs_c(v, g->succ_datum[k], memory, a));
        x->waits[g->succ[k]]--;
    }
    x->proc[task] = proc;
    x->start[task] = start;
    x->free[proc] = end;
    x->makespan = largest(x->makespan, end);
    x->last = (tgs_i_exact_key){start, w > 0, g->topo_pos[task]};
    x->in_memory[memory]++;
    if (l >= 0) {
        x->group_memory[l] = memory;
        x->group_placed[l]++;
    }
    return TGS_OK;
}

void tgs_i_partial_back(tgs_i_partial *x)
{
    const tgs_graph_view *g = x->v->g;
    const tgs_i_exact_step *s = &x->step[--x->placed];
    const int64_t M = x->v->memories;

    for (int32_t k = g->succ_at[s->task + 1] - 1; k >= g->succ_at[s->task]; k--) {
        x->saved_size -= M;
        memcpy(x->arrive + g->succ[k] * M, x->saved + x->saved_size, (size_t)M * sizeof *x->saved);
        x->waits[g->succ[k]]++;
    }
    x->proc[s->task] = -1;
    x->free[s->proc] = s->free;
    x->makespan = s->makespan;
    x->last = s->last;
    x->in_memory[x->v->p->proc[s->proc].memory]--;
    if (x->leader[s->task] >= 0)
        x->group_placed[x->leader[s->task]]--;
}

/* ---- the bound ---------------------------------------------------------------------------------
 */
double tgs_i_partial_bound(const tgs_i_partial *x, double limit)
{
    const tgs_view *v = x->v;
    double bound = x->makespan, area = 0;

    for (int32_t p = 0; p < v->m; p++)
        area += largest(x->free[p], x->last.start);
    for (int32_t j = 0; j < v->n; j++)
        area += x->proc[j] < 0 ? x->least[j] : 0;
    bound = largest(bound, area / v->m);
    for (int32_t j = 0; j < v->n && bound < limit; j++) {
        const double *w = x->w + (int64_t)j * v->m, *tail = x->tail + (int64_t)j * v->memories;
        const double *arrive = x->arrive + (int64_t)j * v->memories;
        double least = INFINITY;

        for (int32_t p = 0; p < v->m && x->proc[j] < 0; p++) {
            const int32_t a = v->p->proc[p].memory;
            const double y =
                largest(largest(x->free[p], x->last.start), arrive[a]) + w[p] + tail[a];

            least = y < least && group_may(x, j, a) ? y : least;
        }
        if (x->proc[j] < 0)
            bound = largest(bound, least);
    }
    return bound;
}
