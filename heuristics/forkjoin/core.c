/* core.c -- recognise a fork-join graph, and see a platform from it as classes of processors. */
#include <string.h>
#include "core.h"
#include "tgsched/heap.h"

static tgs_status not_forkjoin(const tgs_view *v, int32_t task, const char *why, tgs_error *err)
{
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "not a fork-join graph: task %d '%s' %s", task,
                    tgs_task_name(v->g, task, TGS_ROOM), why);
}

/* The only task without predecessors (or successors), -1 when there are several: then there is no
 * source (or sink). */
static int32_t only_end(const int32_t *at, int32_t n)
{
    int32_t end = -1;

    for (int32_t j = 0; j < n; j++) {
        if (at[j] != at[j + 1])
            continue;
        if (end >= 0)
            return -1;
        end = j;
    }
    return end;
}

static bool all_equal(const int32_t *at, const int32_t *other, int32_t j, int32_t end)
{
    for (int32_t k = at[j]; k < at[j + 1]; k++)
        if (other[k] != end)
            return false;
    return true;
}

tgs_status tgs_i_fj_open(tgs_i_fj *f, const tgs_view *v, tgs_error *err)
{
    const tgs_graph_view *g = v->g;
    tgs_status status = TGS_OK;

    *f = (tgs_i_fj){.v = v, .source = -1, .sink = -1};
    if (v->n > 1) {
        f->source = only_end(g->pred_at, v->n);
        f->sink = only_end(g->succ_at, v->n);
    }
    f->task = tgs_mem_alloc((size_t)v->n, sizeof *f->task);
    if (!f->task)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", v->n);
    for (int32_t j = 0; j < v->n && !status; j++) {
        if (j == f->source || j == f->sink)
            continue;
        f->task[f->n++] = j;
        if (!all_equal(g->pred_at, g->pred, j, f->source))
            status = not_forkjoin(v, j, "has a predecessor that is not the source", err);
        else if (!all_equal(g->succ_at, g->succ, j, f->sink))
            status = not_forkjoin(v, j, "has a successor that is not the sink", err);
    }
    for (int32_t k = 0; f->sink >= 0 && k < g->pred_at[f->sink + 1] - g->pred_at[f->sink]; k++)
        if (!status && g->pred[g->pred_at[f->sink] + k] == f->source)
            status = not_forkjoin(v, f->sink, "follows the source directly", err);
    if (!status && !f->n)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "not a fork-join graph: no inner task");
    if (status)
        tgs_i_fj_close(f);
    return status;
}

double tgs_i_fj_initial_ready(const tgs_view *v, int32_t task, int32_t memory)
{
    const tgs_graph_view *g = v->g;
    double ready = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const tgs_access *x = &g->access[i];

        if ((x->mode & TGS_R) && x->version < 0 && v->home[x->datum] >= 0)
            ready = fmax(ready, tgs_c(v, x->datum, v->home[x->datum], memory));
    }
    return ready;
}

int32_t tgs_i_fj_source_processor(const tgs_i_fj *f, double *ready)
{
    const tgs_view *v = f->v;
    int32_t best = 0;

    *ready = f->source < 0 ? 0 : INFINITY;
    for (int32_t p = 0; p < v->m && f->source >= 0; p++) {
        const double x = tgs_i_fj_initial_ready(v, f->source, v->p->proc[p].memory);

        if (x < *ready) {
            *ready = x;
            best = p;
        }
    }
    return best;
}

tgs_status tgs_i_fj_unconstrained(const tgs_i_fj *f, tgs_error *err)
{
    const tgs_view *v = f->v;
    const tgs_graph_view *g = v->g;

    if (v->pin_proc || v->mem_mask)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "a task is pinned");
    for (int32_t i = 0; i < g->constraints; i++)
        if (g->constraint[i].group >= 0 || g->constraint[i].release > 0)
            return tgs_fail(err, TGS_ENOTAPPLICABLE, "a task has a group or a release time");
    for (int32_t j = 0; j < v->n; j++)
        for (int32_t a = 0; a < v->memories && j != f->source; a++)
            if (tgs_i_fj_initial_ready(v, j, a) > 0)
                return tgs_fail(err, TGS_ENOTAPPLICABLE,
                                "task %d '%s' waits for initial data in another memory", j,
                                tgs_task_name(g, j, TGS_ROOM));
    return TGS_OK;
}

void tgs_i_fj_close(tgs_i_fj *f)
{
    tgs_mem_free(f->task);
    f->task = NULL;
}

/* what the input (or output) of inner task j takes between two memories */
static double in_time(const tgs_i_fj *f, int32_t j, int32_t from, int32_t to)
{
    const tgs_graph_view *g = f->v->g;
    double most = 0;

    for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++)
        most = fmax(most, tgs_c(f->v, g->pred_datum[k], from, to));
    return most;
}

static double out_time(const tgs_i_fj *f, int32_t j, int32_t from, int32_t to)
{
    const tgs_graph_view *g = f->v->g;
    double most = 0;

    for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
        most = fmax(most, tgs_c(f->v, g->succ_datum[k], from, to));
    return most;
}

/* do two processors look alike to every task, from sigma and kappa? */
static bool alike(const tgs_i_fj_case *k, int32_t a, int32_t b)
{
    const tgs_view *v = k->f->v;
    const tgs_proc *x = &v->p->proc[a], *y = &v->p->proc[b];
    const int32_t M = v->memories, s = v->p->proc[k->sigma].memory * M;
    const int32_t t = v->p->proc[k->kappa].memory;

    return x->kind == y->kind && x->speed == y->speed
           && v->lat[s + x->memory] == v->lat[s + y->memory]
           && v->inv[s + x->memory] == v->inv[s + y->memory]
           && v->lat[x->memory * M + t] == v->lat[y->memory * M + t]
           && v->inv[x->memory * M + t] == v->inv[y->memory * M + t];
}

/* class_of[m]; with pinned tasks every processor is a class of its own */
static void classify(tgs_i_fj_case *k, int32_t *class_of)
{
    const tgs_view *v = k->f->v;
    const bool apart = v->pin_proc || v->mem_mask;

    k->classes = 0;
    if (k->alone) {
        class_of[k->sigma] = 0;
        class_of[k->kappa] = k->kappa == k->sigma ? 0 : 1;
        k->classes = class_of[k->kappa] + 1;
    }
    for (int32_t p = 0; p < v->m; p++) {
        int32_t like = -1;

        if (k->alone && (p == k->sigma || p == k->kappa))
            continue;
        for (int32_t o = 0; o < p && like < 0 && !apart; o++)
            if (!(k->alone && (o == k->sigma || o == k->kappa)) && alike(k, o, p))
                like = o;
        class_of[p] = like >= 0 ? class_of[like] : k->classes++;
    }
}

tgs_status tgs_i_fj_case_open(tgs_i_fj_case *k, const tgs_i_fj *f, int32_t sigma, int32_t kappa,
                              bool alone, tgs_error *err)
{
    const tgs_view *v = f->v;
    int32_t *class_of = tgs_mem_alloc((size_t)v->m, sizeof *class_of);
    size_t size;

    *k = (tgs_i_fj_case){.f = f, .sigma = sigma, .kappa = kappa, .alone = alone};
    if (class_of)
        classify(k, class_of);
    size = (size_t)f->n * (size_t)k->classes;
    k->at = tgs_mem_alloc((size_t)k->classes + 1, sizeof *k->at);
    k->proc = tgs_mem_alloc((size_t)v->m, sizeof *k->proc);
    k->p = tgs_mem_alloc(size, sizeof *k->p);
    k->r = tgs_mem_alloc(size, sizeof *k->r);
    k->q = tgs_mem_alloc(size, sizeof *k->q);
    if (!class_of || !k->at || !k->proc || !k->p || !k->r || !k->q) {
        tgs_mem_free(class_of);
        tgs_i_fj_case_close(k);
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", f->n);
    }
    for (int32_t c = 0, used = 0; c < k->classes; c++) {
        for (int32_t p = 0; p < v->m; p++)
            if (class_of[p] == c)
                k->proc[used++] = p;
        k->at[c + 1] = used;
    }
    for (int32_t i = 0; i < f->n; i++)
        for (int32_t c = 0; c < k->classes; c++) {
            const int32_t p = k->proc[k->at[c]], memory = v->p->proc[p].memory;
            const int64_t x = (int64_t)i * k->classes + c;

            k->p[x] = tgs_w(v, f->task[i], p);
            k->r[x] = in_time(f, f->task[i], v->p->proc[sigma].memory, memory);
            k->q[x] = out_time(f, f->task[i], memory, v->p->proc[kappa].memory);
            if (isinf(k->r[x]) || isinf(k->q[x])) { /* no route */
                k->p[x] = INFINITY;
                k->r[x] = k->q[x] = 0;
            }
        }
    tgs_mem_free(class_of);
    return TGS_OK;
}

void tgs_i_fj_case_close(tgs_i_fj_case *k)
{
    tgs_mem_free(k->at);
    tgs_mem_free(k->proc);
    tgs_mem_free(k->p);
    tgs_mem_free(k->r);
    tgs_mem_free(k->q);
    *k = (tgs_i_fj_case){.f = NULL};
}

/* merges the sorted halves [low, mid) and [mid, high) */
static void merge(const tgs_heap_item *from, tgs_heap_item *to, int64_t low, int64_t mid,
                  int64_t high)
{
    int64_t a = low, b = mid;

    for (int64_t i = low; i < high; i++)
        to[i] =
            a < mid && (b >= high || !tgs_heap_before(from[b], from[a])) ? from[a++] : from[b++];
}

tgs_status tgs_i_fj_sort(const double *key, int32_t n, int32_t *order, tgs_error *err)
{
    tgs_heap_item *x = tgs_mem_alloc((size_t)n, 2 * sizeof *x), *from = x, *to = x + n;

    if (!x)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to sort %d tasks", n);
    for (int32_t i = 0; i < n; i++)
        from[i] = (tgs_heap_item){key[i], i};
    for (int64_t width = 1; width < n; width *= 2) {
        tgs_heap_item *was = from;

        for (int64_t low = 0; low < n; low += 2 * width)
            merge(from, to, low, low + width < n ? low + width : n,
                  low + 2 * width < n ? low + 2 * width : n);
        from = to;
        to = was;
    }
    for (int32_t i = 0; i < n; i++)
        order[i] = from[i].id;
    tgs_mem_free(x);
    return TGS_OK;
}
