/* kernelcost.c -- what the kernels of a graph's codelets mean for its times: where tasks may run,
 * and the costs that kernels tell of themselves. */
#include "costs/core.h"
#include "problem.h"

#define DTYPES (TGS_TEXT + 1)

/* For every (codelet, dtype) a row of kinds: is there a kernel?  And in the last column: is there
 * one for any architecture at all? */
static void find_kernels(const tgs_view *v, const tgs_codelets *c, bool *there)
{
    static const char *const arch[] = {"cpu", "opencl", "cuda"};

    for (int32_t i = 0; i < v->g->codelets * DTYPES; i++) {
        const char *codelet = v->g->codelet_name[i / DTYPES];
        const tgs_dtype dtype = (tgs_dtype)(i % DTYPES);
        bool *row = there + (int64_t)i * (v->kinds + 1);

        for (int a = 0; a < 3; a++)
            row[v->kinds] |= tgs_kernel_find(c, codelet, arch[a], dtype) != NULL;
        for (int32_t k = 0; k < v->kinds; k++) {
            row[k] = tgs_kernel_find(c, codelet, v->p->kind[k].arch, dtype) != NULL;
            row[v->kinds] |= row[k];
        }
    }
}

tgs_status tgs_i_problem_exclude(tgs_problem *pb, const tgs_codelets *c, tgs_error *err)
{
    const tgs_view *v = &pb->v;
    const int32_t width = v->kinds + 1;
    bool *there = tgs_mem_alloc((size_t)v->g->codelets * DTYPES * (size_t)width, sizeof *there);

    if (!there)
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    find_kernels(v, c, there);
    for (int32_t task = 0; task < v->n; task++) {
        const int32_t codelet = v->g->task[task].codelet;
        const bool *row;

        if (codelet < 0)
            continue;
        row = there + ((int64_t)codelet * DTYPES + tgs_task_dtype(v->g, task)) * width;
        for (int32_t k = 0; k < v->kinds && row[v->kinds]; k++)
            if (!row[k]) {
                pb->time[(int64_t)task * v->kinds + k] = INFINITY;
                pb->from[(int64_t)task * v->kinds + k] = TGS_FROM_NOTHING;
            }
    }
    tgs_mem_free(there);
    return TGS_OK;
}

/* ---- what kernels say of their cost ---- */
static tgs_status hint_task(tgs_problem *pb, int32_t task, tgs_buffer *buffer, tgs_error *err)
{
    const tgs_view *v = &pb->v;
    const tgs_graph_view *g = v->g;
    tgs_call call = {.buffer = buffer,
                     .buffers = g->access_at[task + 1] - g->access_at[task],
                     .attrs = tgs_text(g, g->task[task].attrs)};

    for (int32_t k = 0; k < v->kinds; k++) {
        const int64_t at = (int64_t)task * v->kinds + k;
        const tgs_kind *kind = &v->p->kind[k];
        const tgs_kernel *kernel;
        char label[TGS_I_LABEL];
        tgs_cost cost;
        double t;

        if (!isnan(pb->time[at]))
            continue;
        kernel = tgs_kernel_find(pb->codelets, tgs_task_codelet(g, task), kind->arch,
                                 tgs_task_dtype(g, task));
        if (!kernel || !kernel->cost)
            continue;
        tgs_task_buffers(g, task, buffer);
        call.user = kernel->user;
        cost = kernel->cost(&call, kind->arch);
        t = isnan(cost.seconds) ? tgs_costs_roofline(kind, cost.flops, cost.bytes) : cost.seconds;
        if (isnan(t))
            continue;
        if (!(t >= 0 && t < INFINITY))
            return tgs_fail(err, TGS_EINVAL, "task %s: codelet %s says that it takes %g s on %s",
                            tgs_i_task_label(g, task, label, sizeof label), kernel->codelet, t,
                            kind->arch);
        pb->time[at] = t;
        pb->from[at] = TGS_FROM_HINT;
    }
    return TGS_OK;
}

tgs_status tgs_i_problem_hint(tgs_problem *pb, tgs_error *err)
{
    const tgs_graph_view *g = pb->v.g;
    int32_t most = 0;
    tgs_buffer *buffer;
    tgs_status status = TGS_OK;

    for (int32_t t = 0; t < g->tasks; t++)
        if (g->access_at[t + 1] - g->access_at[t] > most)
            most = g->access_at[t + 1] - g->access_at[t];
    buffer = tgs_mem_alloc((size_t)most, sizeof *buffer);
    if (!buffer)
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    for (int32_t t = 0; t < g->tasks && !status; t++)
        if (g->task[t].codelet >= 0)
            status = hint_task(pb, t, buffer, err);
    tgs_mem_free(buffer);
    return status;
}
