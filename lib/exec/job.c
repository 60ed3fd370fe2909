/* job.c -- a task as a kernel sees it: the same for every backend. */
#include <string.h>
#include "internal.h"

const char *tgs_task_codelet(const tgs_graph_view *g, int32_t task)
{
    return g->task[task].codelet < 0 ? "" : g->codelet_name[g->task[task].codelet];
}

static tgs_buffer buffer_of(const tgs_graph_view *g, const tgs_access *a)
{
    const tgs_datum *d = &g->datum[a->datum];
    const tgs_datum_extra *x = d->extra >= 0 ? &g->extra[d->extra] : NULL;
    tgs_buffer b = {.bytes = d->bytes, .dtype = TGS_F32, .mode = (tgs_mode)a->mode};

    if (x && x->rank >= 0) {
        b.dtype = (tgs_dtype)x->dtype;
        b.rank = x->rank;
        b.dims = g->dim + x->dims;
    }
    return b;
}

void tgs_task_buffers(const tgs_graph_view *g, int32_t task, tgs_buffer *buffer)
{
    for (int32_t a = g->access_at[task]; a < g->access_at[task + 1]; a++)
        *buffer++ = buffer_of(g, &g->access[a]);
}

const tgs_kernel *tgs_task_kernel(const tgs_codelets *c, const tgs_graph_view *g, int32_t task,
                                  const char *arch)
{
    return tgs_kernel_find(c, tgs_task_codelet(g, task), arch, tgs_task_dtype(g, task));
}

bool tgs_i_has_initial(const tgs_graph_view *g, int32_t datum)
{
    const int32_t x = g->datum[datum].extra;

    return x >= 0 && g->extra[x].init && strcmp(tgs_text(g, g->extra[x].init), "bound") != 0;
}
