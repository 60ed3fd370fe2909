/* starpu_handles.c -- the data of a run: registering, what a step begins with, reading, the end.
 *
 * A bound datum that the graph only reads is registered where the caller has it.  A written one
 * gets memory of ours, since what is bound is read again at every step and written by close only.
 */
#include <math.h>
#include <string.h>
#include "starpu_core.h"

static tgs_status host_alloc(void **p, double bytes, tgs_error *err)
{
    *p = NULL;
    /* pinned where there are CUDA devices */
    if (starpu_malloc(p, bytes < 1 ? 1 : (size_t)ceil(bytes)) || !*p)
        return tgs_fail(err, TGS_ENOMEM, "out of memory: %.0f bytes", bytes);
    return TGS_OK;
}

static void forget(spu_run *r, int32_t datum)
{
    spu_datum *d = &r->datum[datum];

    tgs_i_spu_unregister(d->handle, false);
    d->handle = NULL;
    if (d->read_first)
        r->home -= ceil(r->v->g->datum[datum].bytes);
    if (d->own)
        starpu_free(d->own);
    d->own = NULL;
    d->valid = false;
}

/* the initial value into the home memory of a datum */
static tgs_status initial(spu_run *r, int32_t datum, void *to, tgs_error *err)
{
    const spu_datum *d = &r->datum[datum];
    const size_t bytes = (size_t)r->v->g->datum[datum].bytes;
    tgs_status status = TGS_OK;

    if (d->bound)
        memcpy(to, d->bound, bytes);
    else
        status = tgs_datum_fill(r->v->g, datum, to, err);
    if (status == TGS_ENOTAPPLICABLE) { /* only synthetic tasks read it, or run.c had refused */
        memset(to, 0, bytes);
        status = TGS_OK;
    }
    return status;
}

static tgs_status make(spu_run *r, int32_t datum, tgs_error *err)
{
    const double bytes = r->v->g->datum[datum].bytes;
    spu_datum *d = &r->datum[datum];
    tgs_status status = TGS_OK;

    if (!d->read_first)
        return tgs_i_spu_register(&d->handle, -1, NULL, bytes, datum, err);
    if (!d->bound || d->written) {
        status = host_alloc(&d->own, bytes, err);
        if (!status)
            status = initial(r, datum, d->own, err);
    }
    if (!status)
        status = tgs_i_spu_register(&d->handle, STARPU_MAIN_RAM, d->own ? d->own : d->bound, bytes,
                                    datum, err);
    if (!status) /* where it lives from now on; what StarPU allocates is in the log */
        r->home += ceil(bytes);
    return status;
}

/* a later step that begins anew, where the plan has the datum: at home.  What it says may be the
 * same again (nobody bound or wrote it), but a step of training gets a new batch, and its transfers
 * are planned.  Nothing is copied, so StarPU may be paused. */
static tgs_status renew(spu_run *r, int32_t datum, tgs_error *err)
{
    spu_datum *d = &r->datum[datum];
    tgs_status status = TGS_OK;

    if (starpu_data_acquire_on_node(d->handle, STARPU_MAIN_RAM, STARPU_W))
        return tgs_fail(err, TGS_EBACKEND, "StarPU cannot give a datum back to main memory");
    /* without memory of ours the caller's is what the handle stands for */
    if (d->own && (d->fresh || d->bound || d->written))
        status = initial(r, datum, d->own, err);
    starpu_data_release_on_node(d->handle, STARPU_MAIN_RAM);
    return status;
}

static void list_handles(spu_run *r)
{
    const tgs_graph_view *g = r->v->g;

    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++) {
            r->handle[k] = r->datum[g->access[k].datum].handle;
            if (r->bound)
                r->used[k] = starpu_data_get_interface_on_node(
                    r->handle[k], (unsigned)r->node_of[r->v->p->proc[r->s->place[t].proc].memory]);
        }
}

tgs_status tgs_i_spu_begin(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t count = r->steps ? r->firsts : g->data; /* all others stay as they are */
    bool made = false;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < count && !status; k++) {
        const int32_t i = r->steps ? r->first[k] : k;
        spu_datum *d = &r->datum[i];

        made |= !d->handle;
        if (!d->handle)
            status = make(r, i, err);
        else if (d->read_first && (d->fresh || !d->persistent))
            status = renew(r, i, err);
        d->fresh = false;
        d->valid |= d->read_first;
    }
    if (made && !status)
        list_handles(r);
    return status;
}

tgs_status tgs_i_spu_bind(void *run, int32_t datum, void *ptr, tgs_error *err)
{
    spu_run *r = run;
    spu_datum *d = &r->datum[datum];

    if (r->broken)
        return tgs_fail(err, TGS_EBACKEND, "a step of this run has failed");
    /* registered in place: at another place it is another handle */
    if (d->handle && d->read_first && !d->written && ptr != d->bound)
        forget(r, datum);
    d->bound = ptr;
    d->fresh = true;
    return TGS_OK;
}

tgs_status tgs_i_spu_fetch(spu_run *r, int32_t datum, void *to, tgs_error *err)
{
    const spu_datum *d = &r->datum[datum];
    const size_t bytes = (size_t)r->v->g->datum[datum].bytes; /* as much as the caller has */
    char name[TGS_NAME_ROOM];

    if (!d->handle || !d->valid)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "datum %s has no value any more: it was dropped after its "
                        "last use, since memory is short",
                        tgs_i_spu_datum_name(r->v->g, datum, name, sizeof name));
    if (starpu_data_acquire_on_node(d->handle, STARPU_MAIN_RAM, STARPU_R))
        return tgs_fail(err, TGS_EBACKEND, "StarPU cannot read datum %s",
                        tgs_i_spu_datum_name(r->v->g, datum, name, sizeof name));
    if (tgs_i_spu_loss()) {
        starpu_data_release_on_node(d->handle, STARPU_MAIN_RAM);
        return tgs_fail(
            err, TGS_EBACKEND, "datum %s cannot be read: a device has failed (OpenCL error %d)",
            tgs_i_spu_datum_name(r->v->g, datum, name, sizeof name), tgs_i_spu_loss()->error);
    }
    memcpy(
        to,
        (void *)((spu_buffer *)starpu_data_get_interface_on_node(d->handle, STARPU_MAIN_RAM))->ptr,
        bytes);
    starpu_data_release_on_node(d->handle, STARPU_MAIN_RAM);
    return TGS_OK;
}

void tgs_i_spu_drop(spu_run *r)
{
    for (int32_t i = 0; r->datum && i < r->v->g->data; i++)
        if (r->datum[i].handle)
            forget(r, i);
}
