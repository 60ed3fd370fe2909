/* signature.c -- what a run refuses before anything is submitted: a task whose kernel is missing
 * where it is placed, or whose accesses or shapes its codelet does not take. */
#include <string.h>
#include "internal.h"

/* "[R C]" or "R X..." as mode, optional, repeated; returns what follows it */
static const char *item(const char *s, int32_t *mode, bool *optional, bool *repeated)
{
    const char *end = s + strcspn(s, ",");

    *optional = *s == '[';
    s += *optional;
    *mode = s[0] == 'R' && s[1] == 'W' ? TGS_RW : s[0] == 'R' ? TGS_R : TGS_W;
    *repeated = end - s > 3 && !strncmp(end - 3, "...", 3);
    return end + strspn(end, ", ");
}

/* the accesses fit "R A, R B, [R C], W Y" */
static bool fits(const char *buffers, const tgs_access *access, int32_t count)
{
    int32_t required = 0, extra, at = 0, mode;
    bool optional, repeated;

    for (const char *s = buffers; *s;) {
        s = item(s, &mode, &optional, &repeated);
        required += !optional;
    }
    extra = count - required;
    if (extra < 0)
        return false;
    for (const char *s = buffers; *s;) {
        int32_t n = 1;

        s = item(s, &mode, &optional, &repeated);
        if (optional)
            extra -= n = extra > 0 && (int32_t)access[at].mode == mode;
        if (repeated) {
            n = 1 + extra;
            extra = 0;
        }
        for (; n > 0; n--, at++)
            if ((int32_t)access[at].mode != mode)
                return false;
    }
    return extra == 0;
}

static tgs_status check_task(const tgs_graph_view *g, int32_t task, const tgs_kernels *k,
                             tgs_buffer *buffer, tgs_error *err)
{
    const int32_t first = g->access_at[task], count = g->access_at[task + 1] - first;
    const tgs_call call = {
        .buffer = buffer, .buffers = count, .attrs = tgs_text(g, g->task[task].attrs)};
    tgs_error why = {TGS_OK, ""};
    tgs_status status;

    if (!fits(k->buffers, g->access + first, count))
        return tgs_fail(err, TGS_EINVAL, "task %d %s: codelet %s takes (%s)", task,
                        tgs_task_name(g, task, TGS_ROOM), k->base.name, k->buffers);
    if (!k->check)
        return TGS_OK;
    tgs_task_buffers(g, task, buffer);
    status = k->check(&call, &why);
    return status ? tgs_fail(err, status, "task %d %s: codelet %s: %s", task,
                             tgs_task_name(g, task, TGS_ROOM), k->base.name, why.text)
                  : TGS_OK;
}

/* the built-in description of each codelet name of the graph, NULL for a user's own */
static void describe(const tgs_graph_view *g, const tgs_kernels **known)
{
    for (int32_t i = 0; i < g->codelets; i++) {
        const tgs_plugin *p = NULL;

        tgs_i_find(&p, "kernel_cpu", g->codelet_name[i], NULL);
        known[i] = (const tgs_kernels *)p;
    }
}

static int32_t most_accesses(const tgs_graph_view *g)
{
    int32_t most = 0;

    for (int32_t t = 0; t < g->tasks; t++)
        if (g->access_at[t + 1] - g->access_at[t] > most)
            most = g->access_at[t + 1] - g->access_at[t];
    return most;
}

tgs_status tgs_i_check_codelets(const tgs_job *job, const char *arch, tgs_error *err)
{
    const tgs_graph_view *g = job->v->g;
    const tgs_kernels **known = tgs_mem_alloc((size_t)g->codelets, sizeof *known);
    tgs_buffer *buffer = tgs_mem_alloc((size_t)most_accesses(g), sizeof *buffer);
    tgs_status status = TGS_OK;

    if (!known || !buffer)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    else
        describe(g, known);
    for (int32_t t = 0; t < g->tasks && !status; t++) {
        const char *name = tgs_task_codelet(g, t);
        const tgs_dtype dtype = tgs_task_dtype(g, t);
        const char *there = arch;

        if (!there) /* a backend that is asked to calibrate has no schedule */
            there = job->s ? job->v->p->kind[job->v->p->proc[job->s->place[t].proc].kind].arch : "";
        if (!tgs_i_codelet_known(job->codelets, name, dtype))
            continue; /* synthetic */
        if (*there && !tgs_kernel_find(job->codelets, name, there, dtype))
            status = tgs_fail(err, TGS_EINVAL, "task %d %s: codelet %s has no %s kernel for %s", t,
                              tgs_task_name(g, t, TGS_ROOM), name, there, tgs_dtype_name(dtype));
        else if (known[g->task[t].codelet])
            status = check_task(g, t, known[g->task[t].codelet], buffer, err);
    }
    tgs_mem_free(known);
    tgs_mem_free(buffer);
    return status;
}
