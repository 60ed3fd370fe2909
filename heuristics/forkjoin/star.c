/* star.c -- see star.h. */
#include <string.h>
#include "star.h"

tgs_status tgs_i_fj_star_open(tgs_i_fj_star *x, const tgs_ctx *c, tgs_error *err)
{
    tgs_status status;

    *x = (tgs_i_fj_star){.L = INFINITY};
    status = tgs_i_fj_equal_open(&x->e, c->v, err);
    if (!status)
        status = tgs_i_fj_open(&x->f, c->v, err);
    if (!status)
        status = tgs_i_fj_unconstrained(&x->f, err);
    if (status)
        return status;
    x->sigma = tgs_i_fj_source_processor(&x->f, &x->ready);
    x->machine = tgs_mem_alloc((size_t)x->e.n, sizeof *x->machine);
    x->best_machine = tgs_mem_alloc((size_t)x->e.n, sizeof *x->best_machine);
    x->start = tgs_mem_alloc((size_t)x->e.n, sizeof *x->start);
    x->best_start = tgs_mem_alloc((size_t)x->e.n, sizeof *x->best_start);
    if (!x->machine || !x->best_machine || !x->start || !x->best_start)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", x->e.n);
    return TGS_OK;
}

void tgs_i_fj_star_close(tgs_i_fj_star *x)
{
    tgs_i_fj_equal_close(&x->e);
    tgs_i_fj_close(&x->f);
    tgs_mem_free(x->machine);
    tgs_mem_free(x->best_machine);
    tgs_mem_free(x->start);
    tgs_mem_free(x->best_start);
}

void tgs_i_fj_star_keep(tgs_i_fj_star *x, double L, int32_t sink)
{
    if (!(L < x->L))
        return;
    x->L = L;
    x->sink = sink;
    memcpy(x->best_machine, x->machine, (size_t)x->e.n * sizeof *x->machine);
    memcpy(x->best_start, x->start, (size_t)x->e.n * sizeof *x->start);
}

double tgs_i_fj_remotesched(const tgs_i_fj_equal *e, const int32_t *job, int32_t count,
                            int32_t first, tgs_heap *free, int32_t *machine, double *start,
                            int32_t *last)
{
    double L = 0;

    *last = -1;
    free->size = 0;
    for (int32_t i = first; i < e->m; i++)
        tgs_heap_push(free, 0, i);
    if (count && !free->size)
        return INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const int32_t j = job[i];
        const tgs_heap_item m = tgs_heap_pop(free);

        machine[j] = m.id;
        start[j] = fmax(m.key, e->a[j]);
        tgs_heap_push(free, start[j] + e->w[j], m.id);
        if (*last < 0 || start[j] + e->w[j] + e->b[j] > L) {
            L = start[j] + e->w[j] + e->b[j];
            *last = j;
        }
    }
    return L;
}

static int32_t processor(const tgs_i_fj_star *x, int32_t machine)
{
    return machine == 0 ? x->sigma : machine <= x->sigma ? machine - 1 : machine;
}

void tgs_i_fj_star_plan(const tgs_i_fj_star *x, tgs_plan *plan)
{
    const double zero = x->ready + x->e.head;

    for (int32_t j = 0; j < x->e.n; j++) {
        plan->proc[x->f.task[j]] = processor(x, x->best_machine[j]);
        plan->start[x->f.task[j]] = zero + x->best_start[j];
    }
    if (x->f.source >= 0) {
        plan->proc[x->f.source] = x->sigma;
        plan->start[x->f.source] = x->ready;
    }
    if (x->f.sink >= 0) {
        plan->proc[x->f.sink] = processor(x, x->sink);
        plan->start[x->f.sink] = zero + x->L;
    }
}
