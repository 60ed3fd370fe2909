/* zero.c -- the tasks of a parameter that is sharded over replicas.
 *
 *   stages 1 and 2  every replica stores the parameter.  Each slices its gradient, an owner sums
 * the slices of its part and updates a slice of its parameter, and all gather the updated parts: 2
 * (R-1)/R of the parameter come to a replica stage 3         an owner stores its part alone.  It
 * sends it anew for each pass, and every replica gathers the whole for that pass: 3 (R-1)/R
 *
 * A task that belongs to no replica but runs where one is has the stage, counted on over replicas,
 * of that one: so it comes after what all replicas do, and shares that memory. */
#include <string.h>
#include "zero.h"

int32_t tgs_i_zero_part(tgs_i_zero *z, const tgs_i_owned *o, int32_t like, int32_t k,
                        const char *tail)
{
    const tgs_low_datum *d = &z->l->datum[like];
    tgs_low_datum x = *d;
    int64_t dim[TGS_MODEL_RANK];

    memcpy(dim, d->dim, (size_t)d->rank * sizeof *dim);
    dim[o->axis] = o->at[k + 1] - o->at[k];
    x.name = tgs_low_text(z->l, "%s.%d%s", x.name, (int)k, tail);
    x.dim = tgs_low_dims(z->l, x.rank, dim);
    x.init = NULL;
    x.scale = NAN;
    x.of = NULL;
    x.whole = x.from = NULL;
    x.replica = x.batch = -1;
    x.copied = 0;
    x.persistent = x.shared = x.reduced = false;
    return tgs_low_add_datum(z->l, &x);
}

/* the part of a stored datum that owner k stores */
static int32_t stored_part(tgs_i_zero *z, const tgs_i_owned *o, int32_t d, int32_t k)
{
    const int32_t to = tgs_i_zero_part(z, o, d, k, "");
    int64_t from[TGS_MODEL_RANK] = {0};

    from[o->axis] = o->at[k];
    return to < 0 || tgs_i_piece_store(z->l, d, from, to) ? TGS_ENOMEM : to;
}

tgs_status tgs_i_zero_store(tgs_i_zero *z, tgs_i_owned *o)
{
    for (int32_t k = 0; k < z->replicas; k++) {
        tgs_low_datum x = z->l->datum[o->parameter];

        o->piece[k] = o->whole[k] = -1;
        if (z->level == 3) {
            if (o->at[k + 1] > o->at[k] && (o->piece[k] = stored_part(z, o, o->parameter, k)) < 0)
                return TGS_ENOMEM;
            continue;
        }
        x.of = x.of ? x.of : x.name;
        x.replica = k;
        if ((o->whole[k] = tgs_low_add_datum(z->l, &x)) < 0)
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

int32_t tgs_i_zero_stage(const tgs_i_zero *z, const tgs_low_task *t, int32_t replica)
{
    return replica * z->l->stages + t->stage;
}

tgs_status tgs_i_zero_begin(tgs_i_zero *z, const tgs_low_task *t, const char *codelet, int32_t to,
                            const char *tail, const char *attrs)
{
    tgs_low_task x = *t;

    if (to < 0)
        return (tgs_status)to;
    x.name = tgs_low_text(z->l, "%s%s", z->l->datum[to].name, tail);
    x.codelet = codelet;
    x.attrs = attrs;
    x.rows = 0;
    return tgs_low_add_task(z->l, &x) < 0 ? TGS_ENOMEM : TGS_OK;
}

tgs_status tgs_i_zero_convert(tgs_i_zero *z, const tgs_low_task *t, const char *codelet,
                              int32_t from, int32_t to, const char *tail, const char *attrs)
{
    tgs_status status = tgs_i_zero_begin(z, t, codelet, to, tail, attrs);

    if (!status)
        status = tgs_low_add_access(z->l, from, TGS_R);
    return status ? status : tgs_low_add_access(z->l, to, TGS_W);
}

static const char *starts(tgs_i_zero *z, const tgs_i_owned *o, int32_t k)
{
    char text[24 * TGS_MODEL_RANK];
    int used = 0;

    for (int32_t i = 0; i < z->l->datum[o->parameter].rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld",
                         i ? "," : "starts=", (long long)(i == o->axis ? o->at[k] : 0));
    return tgs_low_text(z->l, "%s", text);
}

int32_t tgs_i_zero_slice(tgs_i_zero *z, const tgs_i_owned *o, int32_t from, int32_t k,
                         const tgs_low_task *t)
{
    const int32_t to = tgs_i_zero_part(z, o, from, k, "");
    tgs_status status;

    if (to < 0)
        return to;
    z->l->datum[to].replica = z->l->datum[from].replica;
    z->l->datum[to].batch = z->l->datum[from].batch;
    status = tgs_i_zero_convert(z, t, "slice", from, to, ".slice", starts(z, o, k));
    return status ? (int32_t)status : to;
}

/* ---- stage 3: what a pass reads ---------------------------------------------------------------
 */
int64_t tgs_i_zero_slots(const tgs_i_zero *z)
{
    return z->count * z->replicas * z->batches * 2;
}

static int64_t slot(const tgs_i_zero *z, const tgs_i_owned *o, int32_t replica, int32_t batch,
                    bool backward)
{
    return (((o - z->owned) * z->replicas + replica) * z->batches + (batch < 0 ? 0 : batch)) * 2
           + backward;
}

/* what owner k sends of its part for a pass of a micro-batch, made when it is first asked for */
static int32_t sent(tgs_i_zero *z, const tgs_i_owned *o, int32_t k, int32_t batch,
                    const tgs_low_task *t)
{
    const bool backward = t->phase == TGS_PHASE_BACKWARD;
    tgs_low_datum x = z->l->datum[o->piece[k]];
    tgs_low_task send = *t;
    int32_t *to = &z->sent[slot(z, o, k, batch, backward)];
    tgs_status status;

    if (*to >= 0)
        return *to;
    x.name = tgs_low_text(z->l, "%s.send%s", x.name, backward ? ".bwd" : "");
    x.batch = batch;
    x.init = x.of = NULL;
    x.whole = x.from = NULL;
    x.scale = NAN;
    x.persistent = x.shared = false;
    send.replica = 0; /* before all who read it */
    send.stage = tgs_i_zero_stage(z, t, k);
    send.flops = 0;
    send.op = -1;
    *to = tgs_low_add_datum(z->l, &x);
    status = tgs_i_zero_convert(z, &send, "identity", o->piece[k], *to, "", "");
    return status ? (int32_t)status : *to;
}

int32_t tgs_i_zero_read(tgs_i_zero *z, int32_t parameter, const tgs_low_task *t)
{
    const tgs_i_owned *o = &z->owned[z->of[parameter]];
    const int32_t replica = t->replica < 0 ? 0 : t->replica;
    const int32_t batch = z->layered ? -1 : t->batch;
    const bool backward = t->phase == TGS_PHASE_BACKWARD;
    tgs_low_datum x = z->l->datum[parameter];
    tgs_low_task gather = *t;
    int32_t *all, *to, n = 0;
    tgs_status status;

    if (z->level < 3)
        return o->whole[replica];
    to = &z->gathered[slot(z, o, replica, batch, backward)];
    if (*to >= 0)
        return *to;
    x.name = tgs_low_text(z->l, "%s.gather%s", x.name, backward ? ".bwd" : "");
    x.replica = replica;
    x.batch = batch;
    x.init = x.of = NULL;
    x.whole = x.from = NULL;
    x.scale = NAN;
    x.persistent = x.shared = false;
    all = tgs_mem_alloc((size_t)z->replicas, sizeof *all);
    status = all ? TGS_OK : TGS_ENOMEM;
    for (int32_t k = 0; k < z->replicas && !status; k++)
        if (o->piece[k] >= 0) {
            all[n++] = k == replica ? o->piece[k] : sent(z, o, k, batch, t);
            status = all[n - 1] < 0 ? (tgs_status)all[n - 1] : TGS_OK;
        }
    gather.flops = 0;
    gather.op = -1;
    *to = status ? (int32_t)status : tgs_low_add_datum(z->l, &x);
    status = tgs_i_zero_begin(z, &gather, n > 1 ? "concat" : "identity", *to, "",
                              n > 1 ? tgs_low_text(z->l, "axis=%d", (int)o->axis) : "");
    for (int32_t k = 0; k < n && !status; k++)
        status = tgs_low_add_access(z->l, all[k], TGS_R);
    if (!status)
        status = tgs_low_add_access(z->l, *to, TGS_W);
    tgs_mem_free(all);
    return status ? (int32_t)status : *to;
}

/* ---- the end of the step ----------------------------------------------------------------------
 */
/* the update of part k, with its part of the state; a count of steps is the owner's own */
static tgs_status update_part(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *update,
                              int32_t k, int32_t piece, int32_t gradient)
{
    const tgs_low_datum *w = &z->l->datum[o->parameter];
    tgs_low_task t = *update;
    int32_t datum[TGS_I_TOUCHED];
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < update->accesses && !status; a++) {
        const tgs_low_access x = z->l->access[update->at + a];
        const tgs_low_datum *d = &z->l->datum[x.datum];

        w = &z->l->datum[o->parameter];
        if (x.datum == o->parameter)
            datum[a] = piece;
        else if (x.mode == TGS_R)
            datum[a] = gradient;
        else if (d->rank == w->rank && !memcmp(d->dim, w->dim, (size_t)d->rank * sizeof *d->dim))
            datum[a] = stored_part(z, o, x.datum, k);
        else {
            tgs_low_datum own = *d;

            own.name = tgs_low_text(z->l, "%s.%d", own.name, (int)k);
            own.replica = -1;
            datum[a] = tgs_low_add_datum(z->l, &own);
        }
        status = datum[a] < 0 ? (tgs_status)datum[a] : TGS_OK;
    }
    t.name = tgs_low_text(z->l, "%s.%d", update->name, (int)k);
    t.stage = tgs_i_zero_stage(z, update, k);
    t.flops *= (double)(o->at[k + 1] - o->at[k]) / (double)o->at[z->replicas];
    if (!status && tgs_low_add_task(z->l, &t) < 0)
        status = TGS_ENOMEM;
    for (int32_t a = 0; a < update->accesses && !status; a++)
        status = tgs_low_add_access(z->l, datum[a], (tgs_mode)z->l->access[update->at + a].mode);
    return status;
}

/* every replica puts its parameter together again */
static tgs_status gather_all(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *update)
{
    tgs_status status = TGS_OK;

    for (int32_t r = 0; r < z->replicas && !status; r++) {
        tgs_low_task t = *update;
        int32_t n = 0;

        t.flops = 0;
        t.stage = tgs_i_zero_stage(z, update, r);
        for (int32_t k = 0; k < z->replicas; k++)
            n += o->piece[k] >= 0;
        status = tgs_i_zero_begin(z, &t, n > 1 ? "concat" : "identity", o->whole[r],
                                  tgs_low_text(z->l, ".gather.%d", (int)r),
                                  n > 1 ? tgs_low_text(z->l, "axis=%d", (int)o->axis) : "");
        for (int32_t k = 0; k < z->replicas && !status; k++)
            if (o->piece[k] >= 0)
                status = tgs_low_add_access(z->l, o->piece[k], TGS_R);
        if (!status)
            status = tgs_low_add_access(z->l, o->whole[r], TGS_W);
    }
    return status;
}

tgs_status tgs_i_zero_update(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *old)
{
    tgs_low_task whole = *old;
    const tgs_low_task *update = &whole;
    tgs_status status;

    whole.dropped = false; /* its parts are not */
    whole.own = false;
    whole.replica = -1;
    status = tgs_i_zero_sum(z, o, update);
    for (int32_t k = 0; k < z->replicas && !status; k++) {
        int32_t piece = o->piece[k];

        if (o->at[k + 1] == o->at[k])
            continue;
        if (z->level < 3) {
            tgs_low_task t = *update;

            t.flops = 0;
            t.stage = tgs_i_zero_stage(z, update, k);
            piece = o->piece[k] = tgs_i_zero_slice(z, o, o->whole[k], k, &t);
            if (piece >= 0)
                z->l->datum[piece].replica = -1;
        }
        status =
            piece < 0 ? (tgs_status)piece : update_part(z, o, update, k, piece, o->gradient[k]);
    }
    return status || z->level == 3 ? status : gather_all(z, o, update);
}
