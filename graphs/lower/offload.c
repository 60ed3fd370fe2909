/* offload.c -- what is seldom needed waits in the host's memory.
 *
 *   optimizer    the state of the optimizer.  Parameters are taken in buckets: the host gives out
 * the state of a bucket, the updates run where they ran, and the host takes it back.  No more
 * buckets are out at once than the ring holds, so that beside parameters and gradients their state
 * alone takes memory [Singh, Bhatele, AxoNN] activations  what the forward pass leaves for the
 * backward pass, from so many bytes on: the host takes it, and the backward pass reads it from
 * there
 *
 * A copy is a task of the host's memory.  A parameter is not cut: one with more state than a bucket
 * holds is a bucket of its own (`split`, `tensor` and `shard` store parameters in parts). */
#include <string.h>
#include "pieces.h"

typedef struct away {
    tgs_lowering *l;
    const char *host;
    double most; /* bytes of a bucket; of an activation, from how many on */
    int32_t ring;
    tgs_low_task *task; /* as they were */
    int64_t tasks;
    int32_t *now;     /* [tasks] what became of it, -1 nothing */
    int32_t *instead; /* [data before] its copy for the backward pass, or its buffer, -1 */
    int32_t *back;    /* tasks that take state back, bucket by bucket */
    int64_t backs, back_room;
    int64_t *bucket_at; /* [buckets + 1] into back */
    int64_t buckets, bucket_room;
    int64_t moved; /* data */
} away;

static double bytes_of(const tgs_lowering *l, int32_t datum)
{
    const tgs_low_datum *d = &l->datum[datum];
    double bytes = tgs_dtype_size(d->dtype);

    for (int32_t k = 0; k < d->rank; k++)
        bytes *= (double)d->dim[k];
    return bytes;
}

/* a copy of a datum, by a task of the host; its index, or a status */
static int32_t copy(away *w, const tgs_low_task *like, int32_t from, int32_t to, const char *tail)
{
    tgs_low_task t = *like;
    tgs_status status;

    t.name = tgs_low_text(w->l, "%s%s", w->l->datum[from].name, tail);
    t.codelet = "identity";
    t.attrs = "";
    t.flops = t.rows = 0;
    t.stage = t.shard = 0;
    t.memory = w->host;
    if (tgs_low_add_task(w->l, &t) < 0)
        return TGS_ENOMEM;
    status = tgs_low_add_access(w->l, from, TGS_R);
    if (!status)
        status = tgs_low_add_access(w->l, to, TGS_W);
    return status ? (int32_t)status : (int32_t)w->l->tasks - 1;
}

static int32_t twin(away *w, int32_t datum, const char *tail)
{
    tgs_low_datum x = w->l->datum[datum];

    x.name = tgs_low_text(w->l, "%s%s", x.name, tail);
    x.init = x.of = NULL;
    x.whole = x.from = NULL;
    x.scale = NAN;
    x.copied = 0;
    x.persistent = x.shared = x.reduced = false;
    return tgs_low_add_datum(w->l, &x);
}

/* the task as it was, but for data that have another one instead */
static tgs_status again(away *w, int64_t i, bool instead)
{
    const tgs_low_task *t = &w->task[i];
    tgs_status status = TGS_OK;

    w->now[i] = tgs_low_add_task(w->l, t);
    status = w->now[i] < 0 ? TGS_ENOMEM : TGS_OK;
    for (int32_t a = t->at; a < t->at + t->accesses && !status; a++) {
        const tgs_low_access x = w->l->access[a];

        status = tgs_low_add_access(
            w->l, instead && w->instead[x.datum] >= 0 ? w->instead[x.datum] : x.datum,
            (tgs_mode)x.mode);
    }
    return status;
}

/* ---- optimizer --------------------------------------------------------------------------------
 */
static bool is_state(const away *w, int32_t access)
{
    const tgs_low_access x = w->l->access[access];

    return x.mode == TGS_RW && w->l->datum[x.datum].class_ == TGS_CLASS_STATE;
}

static double state_of(const away *w, const tgs_low_task *t)
{
    double bytes = 0;

    for (int32_t a = t->at; a < t->at + t->accesses && t->phase == TGS_PHASE_UPDATE; a++)
        bytes += is_state(w, a) ? bytes_of(w->l, w->l->access[a].datum) : 0;
    return bytes;
}

/* all that is back of the bucket that was in the same place of the ring comes before a task */
static tgs_status wait(away *w, int32_t task)
{
    const int64_t before = w->buckets - 1 - w->ring;
    tgs_status status = TGS_OK;

    for (int64_t i = before < 0 ? 0 : w->bucket_at[before];
         before >= 0 && i < w->bucket_at[before + 1] && !status; i++)
        status = tgs_low_add_after(w->l, w->back[i], task);
    return status;
}

static tgs_status take_back(away *w, int32_t task)
{
    if (task < 0 || tgs_mem_grow(&w->back, &w->back_room, w->backs + 1, sizeof *w->back))
        return TGS_ENOMEM;
    w->back[w->backs++] = task;
    return TGS_OK;
}

/* the state of an update goes out, and comes back after it */
static tgs_status update(away *w, int64_t i)
{
    const tgs_low_task *t = &w->task[i];
    tgs_status status = TGS_OK;

    for (int32_t a = t->at; a < t->at + t->accesses && !status; a++) {
        const int32_t d = w->l->access[a].datum;
        int32_t task;

        if (!is_state(w, a))
            continue;
        w->instead[d] = twin(w, d, ".out");
        task = w->instead[d] < 0 ? w->instead[d] : copy(w, t, d, w->instead[d], ".out");
        status = task < 0 ? (tgs_status)task : wait(w, task);
        w->moved++;
    }
    if (!status)
        status = again(w, i, true);
    for (int32_t a = t->at; a < t->at + t->accesses && !status; a++)
        if (is_state(w, a)) {
            const int32_t d = w->l->access[a].datum;

            status = take_back(w, copy(w, t, w->instead[d], d, ".back"));
        }
    return status;
}

static tgs_status open_bucket(away *w)
{
    if (tgs_mem_grow(&w->bucket_at, &w->bucket_room, w->buckets + 2, sizeof *w->bucket_at))
        return TGS_ENOMEM;
    w->bucket_at[w->buckets++] = w->backs;
    return TGS_OK;
}

/* buckets in the order of the updates, each as full as it goes */
static tgs_status optimizer(away *w)
{
    double filled = INFINITY;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < w->tasks && !status; i++) {
        const tgs_low_task *t = &w->task[i];
        const double state = t->dropped ? 0 : state_of(w, t);

        if (state > 0 && filled + state > w->most) {
            status = open_bucket(w);
            filled = 0;
        }
        filled += state;
        if (!t->dropped && !status)
            status = state > 0 ? update(w, i) : again(w, i, false);
    }
    return status;
}

/* ---- activations ------------------------------------------------------------------------------
 */
/* what a forward task writes and a backward task reads */
static tgs_status find_kept(const away *w, bool *kept)
{
    bool *read = tgs_mem_alloc((size_t)w->l->data, sizeof *read);

    for (int64_t i = 0; i < w->tasks && read; i++)
        for (int32_t a = w->task[i].at; a < w->task[i].at + w->task[i].accesses; a++)
            if (!w->task[i].dropped && w->task[i].phase == TGS_PHASE_BACKWARD
                && w->l->access[a].mode == TGS_R)
                read[w->l->access[a].datum] = true;
    for (int64_t i = 0; i < w->tasks && read; i++)
        for (int32_t a = w->task[i].at; a < w->task[i].at + w->task[i].accesses; a++) {
            const tgs_low_access x = w->l->access[a];

            if (!w->task[i].dropped && w->task[i].phase == TGS_PHASE_FORWARD && x.mode == TGS_W
                && w->l->datum[x.datum].class_ == TGS_CLASS_ACTIVATION)
                kept[x.datum] = read[x.datum] && bytes_of(w->l, x.datum) >= w->most;
        }
    tgs_mem_free(read);
    return read ? TGS_OK : TGS_ENOMEM;
}

static tgs_status activations(away *w)
{
    bool *kept = tgs_mem_alloc((size_t)w->l->data, sizeof *kept);
    tgs_status status = kept ? find_kept(w, kept) : TGS_ENOMEM;

    for (int64_t i = 0; i < w->tasks && !status; i++) {
        const tgs_low_task *t = &w->task[i];

        if (t->dropped)
            continue;
        status = again(w, i, t->phase == TGS_PHASE_BACKWARD);
        for (int32_t a = t->at; a < t->at + t->accesses && !status; a++) {
            const tgs_low_access x = w->l->access[a];
            int32_t task;

            if (x.mode != TGS_W || t->phase != TGS_PHASE_FORWARD || !kept[x.datum])
                continue;
            w->instead[x.datum] = twin(w, x.datum, ".out");
            task = w->instead[x.datum] < 0 ? w->instead[x.datum]
                                           : copy(w, t, x.datum, w->instead[x.datum], ".out");
            status = task < 0 ? (tgs_status)task : TGS_OK;
            w->moved++;
        }
    }
    tgs_mem_free(kept);
    return status;
}

static tgs_status run(away *w, bool state, tgs_error *err)
{
    tgs_lowering *l = w->l;
    tgs_status status;

    w->task = l->task;
    w->tasks = l->tasks;
    w->now = tgs_mem_alloc((size_t)l->tasks, sizeof *w->now);
    w->instead = tgs_mem_alloc((size_t)l->data, sizeof *w->instead);
    if (!w->host || !w->now || !w->instead)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    memset(w->instead, -1, (size_t)l->data * sizeof *w->instead);
    memset(w->now, -1, (size_t)l->tasks * sizeof *w->now);
    l->task = NULL;
    l->tasks = l->task_room = 0;
    status = state ? optimizer(w) : activations(w);
    tgs_mem_free(w->task);
    if (status)
        return tgs_fail(err, status, "out of memory");
    if (!w->moved)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        state ? "offload: the optimizer has no state"
                              : "offload: no activation is as large");
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *what = tgs_arg_text(a, "what");
    const bool state = !strcmp(what, "optimizer");
    away w = {.l = l,
              .host = tgs_low_text(l, "%s", tgs_arg_text(a, "memory")),
              .most = tgs_arg_real(a, "bucket"),
              .ring = (int32_t)tgs_arg_int(a, "ring")};
    tgs_low_order *order = l->order;
    const int64_t orders = l->orders;
    tgs_status status;

    if (!state && strcmp(what, "activations"))
        return tgs_fail(err, TGS_EINVAL, "offload: no '%s' (there are: optimizer, activations)",
                        what);
    l->order = NULL; /* those of new tasks are apart until the old ones are renamed */
    l->orders = l->order_room = 0;
    status = run(&w, state, err);
    for (int64_t i = 0; i < orders && !status; i++)
        if (w.now[order[i].before] >= 0 && w.now[order[i].after] >= 0
            && tgs_low_add_after(l, w.now[order[i].before], w.now[order[i].after]))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(order);
    tgs_mem_free(w.now);
    tgs_mem_free(w.instead);
    tgs_mem_free(w.back);
    tgs_mem_free(w.bucket_at);
    return status;
}

static const tgs_param params[] = {
    {"what", "optimizer", TGS_PARAM_TEXT, 0, 0, "optimizer or activations"},
    {"bucket", "0", TGS_PARAM_REAL, 0, 1e15,
     "bytes: of state in a bucket (0: of one parameter each); of the smallest activation"},
    {"ring", "1", TGS_PARAM_INT, 1, 1e6, "buckets that are out at once"},
    {"memory", "ram", TGS_PARAM_TEXT, 0, 0, "the host's"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_offload = {
    .base = {TGS_PLUGIN_ABI, "offload", "optimizer state or activations that wait in host memory",
             "Singh, Bhatele, AxoNN, IPDPS 2022", params},
    .stage = 60,
    .needs = "train",
    .apply = apply,
    .repeats = true,
};
