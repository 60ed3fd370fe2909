/* zerosum.c -- the sum of what replicas have of a gradient, part by part at the part's owner: in
 * one task, or in a ring, from the replica after the owner on all around; gradients that are merged
 * go in one message for each part, which each replica packs and the owner unpacks. */
#include "zero.h"

typedef struct summing {
    tgs_i_zero *z;
    const tgs_low_task *update;
    const tgs_i_owned **of; /* [n] whose parts travel together */
    int32_t n, k;           /* k: the part */
    int64_t elements;       /* of all of them */
} summing;

static int64_t size_of(const summing *s, int32_t i)
{
    const tgs_i_owned *o = s->of[i];
    const tgs_low_datum *d = &s->z->l->datum[o->parameter];
    int64_t n = 1;

    for (int32_t a = 0; a < d->rank; a++)
        n *= a == o->axis ? o->at[s->k + 1] - o->at[s->k] : d->dim[a];
    return n;
}

/* where nothing but messages run: of no replica, but in the memory of this one */
static tgs_low_task task_at(const summing *s, int32_t replica)
{
    return (tgs_low_task){.codelet = "",
                          .attrs = "",
                          .phase = TGS_PHASE_COMMUNICATION,
                          .replica = -1,
                          .batch = -1,
                          .op = -1,
                          .stage = tgs_i_zero_stage(s->z, s->update, replica)};
}

static const tgs_i_term *term_of(const summing *s, int32_t i, int32_t replica, int32_t batch)
{
    const tgs_i_owned *o = s->of[i];

    for (int32_t t = o->term; t < o->term + o->terms; t++)
        if (s->z->term[t].replica == replica && s->z->term[t].batch == batch)
            return &s->z->term[t];
    return NULL; /* shard.c has seen that there is one of each */
}

/* a vector; or a status */
static int32_t vector(const summing *s, const char *name, int64_t elements, int32_t replica,
                      int32_t batch)
{
    tgs_lowering *l = s->z->l;
    tgs_low_datum d = l->datum[s->z->term[s->of[0]->term].datum];

    d.name = name;
    d.rank = 1;
    d.dim = tgs_low_dims(l, 1, &elements);
    d.replica = replica;
    d.batch = batch;
    d.copied = 0;
    d.reduced = d.shared = d.persistent = false;
    return tgs_low_add_datum(l, &d);
}

/* what a replica sends of its gradients of a micro-batch: the datum, or a status */
static int32_t message(const summing *s, int32_t replica, int32_t batch)
{
    tgs_lowering *l = s->z->l;
    tgs_low_task t = task_at(s, replica);
    int32_t *flat = tgs_mem_alloc((size_t)s->n, sizeof *flat), all = -1;
    tgs_status status = flat ? TGS_OK : TGS_ENOMEM;

    t.replica = replica;
    t.stage = s->update->stage;
    t.phase = TGS_PHASE_BACKWARD;
    for (int32_t i = 0; i < s->n && !status; i++) {
        const tgs_i_term *x = term_of(s, i, replica, batch);
        const int32_t part = tgs_i_zero_slice(s->z, s->of[i], x->datum, s->k, &t);

        flat[i] = part;
        if (part >= 0 && s->n > 1 && l->datum[part].rank != 1) {
            flat[i] = vector(s, tgs_low_text(l, "%s.flat", l->datum[part].name), size_of(s, i),
                             replica, l->datum[part].batch);
            status = tgs_i_zero_convert(s->z, &t, "reshape", part, flat[i], "", "");
        }
        status = status ? status : flat[i] < 0 ? (tgs_status)flat[i] : TGS_OK;
    }
    if (!status && s->n > 1) {
        const tgs_low_datum *d = &l->datum[flat[0]];

        all = vector(s, tgs_low_text(l, "%s.message", d->name), s->elements, replica, d->batch);
        status = tgs_i_zero_begin(s->z, &t, "concat", all, "", "axis=0");
        for (int32_t i = 0; i < s->n && !status; i++)
            status = tgs_low_add_access(l, flat[i], TGS_R);
        if (!status)
            status = tgs_low_add_access(l, all, TGS_W);
    } else if (!status)
        all = flat[0];
    tgs_mem_free(flat);
    return status ? (int32_t)status : all;
}

/* room for a sum of messages: the datum, or a status */
static int32_t sum_like(const summing *s, const char *tail, int32_t batch)
{
    const tgs_i_owned *o = s->of[0];
    const int32_t like = s->z->term[o->term].datum;
    int32_t sum;

    if (s->n > 1) {
        const char *name =
            tgs_low_text(s->z->l, "%s.%d.message%s", s->z->l->datum[like].name, (int)s->k, tail);

        return vector(s, name, s->elements, -1, batch);
    }
    sum = tgs_i_zero_part(s->z, o, like, s->k, tail);
    if (sum >= 0)
        s->z->l->datum[sum].batch = batch;
    return sum;
}

static tgs_status add_up(const summing *s, int32_t replica, const int32_t *from, int32_t n,
                         int32_t to)
{
    tgs_low_task t = task_at(s, replica);
    tgs_status status;

    t.flops = (double)(n - 1) * (double)s->elements;
    status = tgs_i_zero_begin(s->z, &t, "sum", to, ".reduce", "");
    for (int32_t i = 0; i < n && !status; i++)
        status = tgs_low_add_access(s->z->l, from[i], TGS_R);
    return status ? status : tgs_low_add_access(s->z->l, to, TGS_W);
}

/* the sum over replicas of a micro-batch; some: [replicas] their messages */
static int32_t sum_replicas(const summing *s, const int32_t *some, const char *tail, int32_t batch)
{
    const int32_t n = s->z->replicas;
    int32_t now = some[(s->k + 1) % n], sum;
    tgs_status status = TGS_OK;

    if (!s->z->ring) {
        sum = sum_like(s, tail, batch);
        status = sum < 0 ? (tgs_status)sum : add_up(s, s->k, some, n, sum);
        return status ? (int32_t)status : sum;
    }
    for (int32_t step = 2; step <= n && !status; step++) {
        const int32_t replica = (s->k + step) % n, pair[2] = {now, some[replica]};

        now = sum_like(s, step == n ? tail : tgs_low_text(s->z->l, "%s.ring%d", tail, step - 1),
                       batch);
        status = now < 0 ? (tgs_status)now : add_up(s, replica, pair, 2, now);
    }
    return status ? (int32_t)status : now;
}

static tgs_status add_to(const summing *s, int32_t total, int32_t sum)
{
    tgs_low_task t = task_at(s, s->k);
    tgs_status status;

    t.flops = (double)s->elements;
    status = tgs_i_zero_begin(s->z, &t, "accumulate", sum, ".accumulate", "");
    if (!status)
        status = tgs_low_add_access(s->z->l, total, TGS_RW);
    return status ? status : tgs_low_add_access(s->z->l, sum, TGS_R);
}

/* of each micro-batch a sum over replicas, and these added up; or a status */
static int32_t sum_all(const summing *s)
{
    const int32_t batches = s->z->level == 1 ? 1 : s->z->batches;
    int32_t *some = tgs_mem_alloc((size_t)s->z->replicas, sizeof *some), total = -1;
    tgs_status status = some ? TGS_OK : TGS_ENOMEM;

    for (int32_t b = 0; b < batches && !status; b++) {
        int32_t sum = -1;

        for (int32_t r = 0; r < s->z->replicas && !status; r++) {
            some[r] = message(s, r, b);
            status = some[r] < 0 ? (tgs_status)some[r] : TGS_OK;
        }
        if (!status)
            sum = sum_replicas(s, some, batches > 1 ? ".sum" : ".total", batches > 1 ? b : -1);
        if (!status && sum < 0)
            status = (tgs_status)sum;
        if (!status && total >= 0)
            status = add_to(s, total, sum);
        total = total < 0 ? sum : total;
    }
    tgs_mem_free(some);
    return status ? (int32_t)status : total;
}

/* the owner unpacks a message */
static tgs_status unpack(const summing *s, int32_t total)
{
    tgs_lowering *l = s->z->l;
    const tgs_low_task t = task_at(s, s->k);
    int64_t offset = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < s->n && !status; i++) {
        const tgs_i_owned *o = s->of[i];
        const int32_t to = tgs_i_zero_part(s->z, o, s->z->term[o->term].datum, s->k, ".total");
        int32_t flat = to;

        if (to >= 0 && l->datum[to].rank != 1)
            flat = vector(s, tgs_low_text(l, "%s.flat", l->datum[to].name), size_of(s, i), -1, -1);
        status = to < 0
                     ? (tgs_status)to
                     : tgs_i_zero_convert(s->z, &t, "concat_bwd", total, flat, "",
                                          tgs_low_text(l, "axis=0 offset=%lld", (long long)offset));
        if (!status && flat != to)
            status = tgs_i_zero_convert(s->z, &t, "reshape", flat, to, "", "");
        o->gradient[s->k] = to;
        offset += size_of(s, i);
    }
    return status;
}

static tgs_status sum_part(summing *s)
{
    int32_t total;

    s->elements = 0;
    for (int32_t i = 0; i < s->n; i++)
        s->elements += size_of(s, i);
    total = sum_all(s);
    if (total < 0)
        return (tgs_status)total;
    if (s->n > 1)
        return unpack(s, total);
    s->of[0]->gradient[s->k] = total;
    return TGS_OK;
}

tgs_status tgs_i_zero_sum(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *update)
{
    summing s = {.z = z, .update = update};
    tgs_status status = TGS_OK;

    s.of = tgs_mem_alloc((size_t)z->count, sizeof *s.of);
    if (!s.of)
        return TGS_ENOMEM;
    for (s.k = 0; s.k < z->replicas && !status; s.k++) {
        if (o->at[s.k + 1] == o->at[s.k] || o->gradient[s.k] >= 0)
            continue;
        s.n = 0;
        for (int64_t i = 0; i < z->count; i++) {
            const tgs_i_owned *x = &z->owned[i];

            if (x == o || (o->merged >= 0 && x->merged == o->merged))
                if (x->at[s.k + 1] > x->at[s.k])
                    s.of[s.n++] = x;
        }
        status = sum_part(&s);
    }
    tgs_mem_free(s.of);
    return status;
}
