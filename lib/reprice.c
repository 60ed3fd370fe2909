/* reprice.c -- new problems from old ones: other costs, measured times, fewer kernels. */
#include <string.h>
#include "problem.h"

/* a blank problem on the graph, platform and links of pb */
static tgs_status start(tgs_problem **out, const tgs_problem *pb, const tgs_costs *costs,
                        tgs_error *err)
{
    const tgs_status status =
        tgs_i_problem_blank(out, pb->graph, pb->platform,
                            pb->measured ? pb->measured : pb->platform, costs, pb->link, err);

    if (status)
        return status;
    (*out)->codelets = pb->codelets;
    if (!pb->overhead)
        return TGS_OK;
    (*out)->overhead = tgs_mem_alloc((size_t)pb->v.kinds, sizeof *pb->overhead);
    if (!(*out)->overhead) {
        tgs_problem_free(*out);
        *out = NULL;
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    }
    memcpy((*out)->overhead, pb->overhead, (size_t)pb->v.kinds * sizeof *pb->overhead);
    (*out)->v.overhead = (*out)->overhead;
    return TGS_OK;
}

static tgs_status check_trace(const tgs_view *v, const tgs_trace_view *t, tgs_error *err)
{
    if (t->tasks != v->n || t->procs != v->m)
        return tgs_fail(err, TGS_EINVAL,
                        "the trace has %d tasks on %d processors, the problem %d on %d",
                        (int)t->tasks, (int)t->procs, (int)v->n, (int)v->m);
    for (int32_t i = 0; i < v->m; i++)
        if (strcmp(t->proc_name[i], v->p->proc[i].name)
            || strcmp(t->proc_kind[i], v->p->kind[v->p->proc[i].kind].name))
            return tgs_fail(err, TGS_EINVAL,
                            "the trace's processor '%.80s' of kind '%.80s' is not the problem's "
                            "'%.80s'",
                            t->proc_name[i], t->proc_kind[i], v->p->proc[i].name);
    return TGS_OK;
}

/* the mean time, at speed 1, of every (task, kind) that ran, where the task may run; without the
 * first of several steps, in which kernels are prepared and caches are cold.  A trace has the times
 * of kernels: what the runtime takes stays as it was measured. */
static tgs_status overlay(tgs_problem *pb, const tgs_trace_view *t, tgs_error *err)
{
    const tgs_view *v = &pb->v;
    const int64_t times = (int64_t)v->n * v->kinds;
    tgs_status status = check_trace(v, t, err);
    double *sum = NULL;
    int32_t *count = NULL;

    if (status)
        return status;
    sum = tgs_mem_alloc((size_t)times, sizeof *sum);
    count = tgs_mem_alloc((size_t)times, sizeof *count);
    if (!sum || !count)
        status = tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    for (int32_t i = 0; i < t->rans && !status; i++) {
        const tgs_proc *p = &v->p->proc[t->ran[i].proc];
        const int64_t at = (int64_t)t->ran[i].task * v->kinds + p->kind;

        if (t->steps > 1 && t->ran[i].step == 0)
            continue;
        sum[at] += (t->ran[i].end - t->ran[i].start) * p->speed;
        count[at]++;
    }
    for (int64_t i = 0; i < times && !status; i++)
        if (count[i] && !isinf(pb->time[i])) {
            pb->time[i] =
                fmax(sum[i] / count[i], 0)
                + tgs_i_problem_overhead(pb, (int32_t)(i / v->kinds), (int32_t)(i % v->kinds));
            pb->from[i] = TGS_FROM_MEASURED;
        }
    tgs_mem_free(sum);
    tgs_mem_free(count);
    return status;
}

tgs_status tgs_problem_reprice(tgs_problem **out, const tgs_problem *pb, const tgs_costs *costs,
                               const tgs_trace *trace, tgs_error *err)
{
    const int64_t times = (int64_t)pb->v.n * pb->v.kinds;
    tgs_problem *new = NULL;
    tgs_status status;

    *out = NULL;
    status = start(&new, pb, costs, err);
    for (int64_t i = 0; i < times && !status; i++)
        if (!costs || isinf(pb->time[i])) {
            new->time[i] = pb->time[i];
            new->from[i] = pb->from[i];
        }
    if (!status && trace)
        status = overlay(new, &trace->v, err);
    if (!status && costs)
        status = tgs_i_problem_price(new, costs, err);
    if (!status)
        status = tgs_i_problem_limit(new, err);
    if (status)
        tgs_problem_free(new);
    else
        *out = new;
    return status;
}

tgs_status tgs_problem_restrict(tgs_problem **out, const tgs_problem *pb, const tgs_codelets *c,
                                tgs_error *err)
{
    const size_t times = (size_t)pb->v.n * (size_t)pb->v.kinds;
    tgs_problem *new = NULL;
    tgs_status status;

    *out = NULL;
    status = start(&new, pb, NULL, err);
    if (!status) {
        memcpy(new->time, pb->time, times * sizeof *new->time);
        memcpy(new->from, pb->from, times * sizeof *new->from);
        status = tgs_i_problem_exclude(new, c, err);
    }
    if (!status)
        status = tgs_i_problem_limit(new, err);
    if (status)
        tgs_problem_free(new);
    else
        *out = new;
    return status;
}
