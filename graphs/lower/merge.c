/* merge.c -- gradients that are summed over replicas together: packed into one vector per group,
 * whose sum is unpacked before the updates.  Each message has its own latency, so that fewer are
 * faster; but a group's sum waits for the last of its gradients.
 *
 * S. Shi, X. Chu, B. Li, "MG-WFBP: efficient data communication for distributed synchronous SGD
 * algorithms", INFOCOM 2019.  Groups hold gradients that follow one another in the order in which
 * the backward pass makes them: of about equal bytes, or up to the parameters that are named.
 * O(tasks + P log P) for P parameters. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct gradient {
    int32_t datum, made; /* made: the last task that writes it */
    int32_t group;
} gradient;

typedef struct merging {
    tgs_lowering *l;
    gradient *of; /* [n] in the order they are made */
    int32_t n;
    int64_t tasks; /* before any was added */
} merging;

static int by_time(const void *a, const void *b)
{
    const gradient *x = a, *y = b;

    return x->made != y->made ? (x->made < y->made ? -1 : 1) : x->datum - y->datum;
}

/* what updates read and copies sum */
static tgs_status collect(merging *m)
{
    const tgs_lowering *l = m->l;
    int32_t *made = tgs_mem_alloc((size_t)l->data, sizeof *made);

    m->of = tgs_mem_alloc((size_t)l->tasks, sizeof *m->of);
    if (!made || !m->of) {
        tgs_mem_free(made);
        return TGS_ENOMEM;
    }
    for (int64_t i = 0; i < l->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++) {
            const int32_t d = l->access[a].datum;

            if (l->access[a].mode != TGS_R && !l->task[i].dropped)
                made[d] = (int32_t)i;
        }
    for (int64_t i = 0; i < l->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++) {
            const int32_t d = l->access[a].datum;

            if (l->task[i].phase == TGS_PHASE_UPDATE && !l->task[i].dropped && l->datum[d].reduced)
                m->of[m->n++] = (gradient){d, made[d], 0};
        }
    if (m->n)
        qsort(m->of, (size_t)m->n, sizeof *m->of, by_time);
    tgs_mem_free(made);
    return TGS_OK;
}

static double bytes_of(const tgs_low_datum *d)
{
    double n = tgs_dtype_size(d->dtype);

    for (int32_t i = 0; i < d->rank; i++)
        n *= (double)d->dim[i];
    return n;
}

static void divide(merging *m, int32_t groups)
{
    double all = 0, before = 0;

    for (int32_t i = 0; i < m->n; i++)
        all += bytes_of(&m->l->datum[m->of[i].datum]);
    for (int32_t i = 0; i < m->n; i++) {
        const double size = bytes_of(&m->l->datum[m->of[i].datum]);

        m->of[i].group = all > 0 ? (int32_t)((before + size / 2) / all * groups) : 0;
        before += size;
    }
}

/* the gradient of a parameter ("w3.grad"), from this one on; n when there is none */
static int32_t find(const merging *m, const char *parameter, int32_t from)
{
    const size_t size = strlen(parameter);

    while (from < m->n
           && (strncmp(m->l->datum[m->of[from].datum].name, parameter, size)
               || strcmp(m->l->datum[m->of[from].datum].name + size, ".grad")))
        from++;
    return from;
}

/* "w3,w1": a group ends with the gradient of each, and the last one with the last */
static tgs_status divide_by_name(merging *m, char *names, tgs_error *err)
{
    int32_t from = 0, group = 0;

    for (char *name; (name = strsep(&names, ",")); group++) {
        const int32_t i = tgs_name_take(name) ? find(m, name, from) : m->n;

        if (i == m->n)
            return tgs_fail(err, TGS_EINVAL,
                            "merge: no gradient of '%.200s' comes after those before it", name);
        while (from <= i)
            m->of[from++].group = group;
    }
    while (from < m->n)
        m->of[from++].group = group;
    return TGS_OK;
}

/* a vector of a group or of one gradient of it; or a status */
static int32_t add_vector(merging *m, const tgs_low_datum *like, const char *name, int64_t elements,
                          bool shared)
{
    tgs_low_datum d = *like;

    d.name = name;
    d.rank = 1;
    d.dim = tgs_low_dims(m->l, 1, &elements);
    d.reduced = false;
    d.shared = shared;
    return tgs_low_add_datum(m->l, &d);
}

static tgs_status add_task(merging *m, const char *name, const char *codelet, const char *attrs,
                           bool update)
{
    const tgs_low_task t = {.name = name,
                            .codelet = codelet,
                            .attrs = attrs,
                            .phase = update ? TGS_PHASE_UPDATE : TGS_PHASE_BACKWARD,
                            .replica = -1,
                            .batch = -1,
                            .op = -1};

    return tgs_low_add_task(m->l, &t) < 0 ? TGS_ENOMEM : TGS_OK;
}

/* x becomes y; what comes after the sum is part of the update */
static tgs_status convert(merging *m, const char *codelet, const char *attrs, int32_t x, int32_t y,
                          bool update)
{
    tgs_status status = y < 0 ? (tgs_status)y : TGS_OK;

    if (!status)
        status = add_task(m, m->l->datum[y].name, codelet, attrs, update);
    if (!status)
        status = tgs_low_add_access(m->l, x, TGS_R);
    return status ? status : tgs_low_add_access(m->l, y, TGS_W);
}

/* the gradients [from, to) in one vector, flat: their vectors; returns it or a status */
static int32_t pack(merging *m, int32_t from, int32_t to, int32_t *flat)
{
    tgs_lowering *l = m->l;
    int64_t all = 0;
    int32_t whole;
    tgs_status status = TGS_OK;

    for (int32_t i = from; i < to && !status; i++) {
        const tgs_low_datum g = l->datum[m->of[i].datum];
        const int64_t elements = (int64_t)(bytes_of(&g) / tgs_dtype_size(g.dtype));

        flat[i] = m->of[i].datum;
        all += elements;
        if (g.rank == 1)
            continue;
        flat[i] = add_vector(m, &g, tgs_low_text(l, "%s.flat", g.name), elements, false);
        status = convert(m, "reshape", "", m->of[i].datum, flat[i], false);
    }
    if (status)
        return (int32_t)status;
    whole = add_vector(m, &l->datum[m->of[from].datum],
                       tgs_low_text(l, "merged%d.grad", (int)m->of[from].group), all, false);
    if (whole < 0)
        return whole;
    l->datum[whole].reduced = true;
    status = add_task(m, l->datum[whole].name, "concat", "axis=0", false);
    for (int32_t i = from; i < to && !status; i++)
        status = tgs_low_add_access(l, flat[i], TGS_R);
    if (!status)
        status = tgs_low_add_access(l, whole, TGS_W);
    return status ? (int32_t)status : whole;
}

/* gradient i out of the sum, from this element on; what updates read from now on, or a status */
static int32_t unpack(merging *m, int32_t i, int32_t whole, int64_t offset)
{
    tgs_lowering *l = m->l;
    tgs_low_datum g = l->datum[m->of[i].datum];
    const int64_t elements = (int64_t)(bytes_of(&g) / tgs_dtype_size(g.dtype));
    const char *name = tgs_low_text(l, "%s.merged", g.name);
    const char *part = g.rank == 1 ? name : tgs_low_text(l, "%s.merged.flat", g.name);
    const int32_t vector = add_vector(m, &g, part, elements, true);
    int32_t shaped = vector;
    tgs_status status =
        convert(m, "concat_bwd", tgs_low_text(l, "axis=0 offset=%lld", (long long)offset), whole,
                vector, true);

    if (!status && g.rank != 1) {
        g.name = name;
        g.reduced = false;
        g.shared = true;
        shaped = tgs_low_add_datum(l, &g);
        status = convert(m, "reshape", "", vector, shaped, true);
    }
    return status ? (int32_t)status : shaped;
}

/* one group of at least two gradients; instead: [data before] what updates read, 0 no change */
static tgs_status merge(merging *m, int32_t from, int32_t to, int32_t *flat, int32_t *instead)
{
    const int32_t whole = pack(m, from, to, flat);
    int64_t offset = 0;

    if (whole < 0)
        return (tgs_status)whole;
    for (int32_t i = from; i < to; i++) {
        const tgs_low_datum g = m->l->datum[m->of[i].datum];
        const int32_t to_read = unpack(m, i, whole, offset);

        if (to_read < 0)
            return (tgs_status)to_read;
        instead[m->of[i].datum] = to_read;
        m->l->datum[m->of[i].datum].reduced = false;
        offset += (int64_t)(bytes_of(&g) / tgs_dtype_size(g.dtype));
    }
    return TGS_OK;
}

/* updates again, after what unpacks for them */
static tgs_status rewrite(merging *m, const int32_t *instead)
{
    tgs_lowering *l = m->l;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < m->tasks && !status; i++) {
        const tgs_low_task t = l->task[i];

        if (t.phase != TGS_PHASE_UPDATE || t.dropped)
            continue;
        l->task[i].dropped = true;
        status = tgs_low_add_task(l, &t) < 0 ? TGS_ENOMEM : TGS_OK;
        for (int32_t a = t.at; a < t.at + t.accesses && !status; a++) {
            const tgs_low_access x = l->access[a];

            status = tgs_low_add_access(l, instead[x.datum] ? instead[x.datum] : x.datum,
                                        (tgs_mode)x.mode);
        }
    }
    return status;
}

static tgs_status run(merging *m)
{
    int32_t *flat = tgs_mem_alloc((size_t)m->n, sizeof *flat);
    int32_t *instead = tgs_mem_alloc((size_t)m->l->data, sizeof *instead);
    tgs_status status = flat && instead ? TGS_OK : TGS_ENOMEM;

    for (int32_t from = 0, to; from < m->n && !status; from = to) {
        to = from + 1;
        while (to < m->n && m->of[to].group == m->of[from].group
               && m->l->datum[m->of[to].datum].dtype == m->l->datum[m->of[from].datum].dtype)
            to++;
        if (to - from > 1)
            status = merge(m, from, to, flat, instead);
    }
    if (!status)
        status = rewrite(m, instead);
    tgs_mem_free(flat);
    tgs_mem_free(instead);
    return status;
}

/* wait-free: the backward pass of an operator ends before that of the next one on the same device
 * begins, so that no gradient waits for what comes after it.  Of the last micro-batch alone:
 * gradients of the others travel with its own. */
static tgs_status keep_order(tgs_lowering *l)
{
    const int32_t width = l->shards + 1;
    int32_t *before = tgs_mem_alloc((size_t)(l->stages + 1) * (size_t)width, sizeof *before);
    int32_t last = -1;
    tgs_status status = before ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0; i < l->tasks; i++)
        last = l->task[i].batch > last && !l->task[i].dropped ? l->task[i].batch : last;
    for (int64_t i = 0; i < l->tasks && !status; i++) {
        const tgs_low_task *t = &l->task[i];
        int32_t *at = before ? &before[(t->stage > 0 ? t->stage : 0) * width + t->shard] : NULL;

        if (t->dropped || t->op < 0 || t->phase != TGS_PHASE_BACKWARD || t->batch != last)
            continue;
        if (*at)
            status = tgs_low_add_after(l, *at - 1, (int32_t)i);
        *at = (int32_t)i + 1;
    }
    tgs_mem_free(before);
    return status;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *order = tgs_arg_text(a, "order");
    char *ends = tgs_mem_text(tgs_arg_text(a, "ends"));
    merging m = {.l = l, .tasks = l->tasks};
    tgs_status status = TGS_OK;

    if (l->apart)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "merge: every micro-batch has an update of its own here");
    else if (*order && strcmp(order, "wait-free"))
        status = tgs_fail(err, TGS_EINVAL, "merge: no order '%s' (there is: wait-free)", order);
    else if (!ends || collect(&m))
        status = tgs_fail(err, TGS_ENOMEM, "merge: out of memory");
    if (!status && *ends)
        status = divide_by_name(&m, ends, err);
    else if (!status)
        divide(&m, (int32_t)tgs_arg_int(a, "groups"));
    if (!status && *order && keep_order(l))
        status = tgs_fail(err, TGS_ENOMEM, "merge: out of memory");
    if (!status && run(&m))
        status = tgs_fail(err, TGS_ENOMEM, "merge: out of memory");
    tgs_mem_free(m.of);
    tgs_mem_free(ends);
    return status;
}

static const tgs_param params[] = {
    {"groups", "1", TGS_PARAM_INT, 1, 100000, "of gradients of about equal bytes"},
    {"ends", "", TGS_PARAM_TEXT, 0, 0,
     "parameters whose gradients are the last of their groups, in the backward pass's order: "
     "w3,w1"},
    {"order", "", TGS_PARAM_TEXT, 0, 0,
     "wait-free: the backward pass of one operator after the other; none: as it is scheduled"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_merge = {
    .base = {TGS_PLUGIN_ABI, "merge", "gradients summed over replicas together",
             "Shi, Chu, Li, MG-WFBP, INFOCOM 2019", params},
    .stage = 48,
    .needs = "train",
    .apply = apply,
};
