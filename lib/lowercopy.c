/* lowercopy.c -- micro-batches and replicas: copies of the step, and the sums that join them. */
#include "modelimpl.h"

typedef struct copying {
    tgs_lowering *l;
    tgs_copies what;
    int32_t n, data; /* data: how many there were before */
    const tgs_joining *how;
    int32_t *of;                 /* [n * data]: copies of each datum, first all first ones */
    int32_t *twin;               /* [n * tasks]: so too of each task, -1 none */
    int64_t tasks;               /* how many there were before */
    int32_t *join;               /* [data]: the datum that updates read instead, -1 none */
    double *rows;                /* [tasks]: of a loss in all copies, 0 others */
    bool apart;                  /* each copy is a step of its own */
    const tgs_lowering **source; /* [n] variants that the copies are of; NULL: of the step itself */
    const int64_t *samples;      /* [n] of them */
} copying;

/* parameters and updates: else one update is of all copies */
static bool each_has_its_own(const tgs_joining *how)
{
    return how->ring || how->priced;
}

/* what copy k is of */
static const tgs_lowering *source(const copying *c, int32_t k)
{
    return c->source ? c->source[k] : c->l;
}

/* copy k of datum d */
static int32_t *copy_of(const copying *c, int32_t d, int32_t k)
{
    return &c->of[(int64_t)k * c->data + d];
}

static int32_t *twin_of(const copying *c, int64_t task, int32_t k)
{
    return &c->twin[k * c->tasks + task];
}

static void mark(copying *c, int32_t *replica, int32_t *batch, int32_t copy)
{
    *(c->what == TGS_COPY_REPLICAS ? replica : batch) = copy;
}

/* an update of all copies together */
static bool joint(const tgs_low_task *t)
{
    return t->phase == TGS_PHASE_UPDATE && !t->own;
}

static tgs_status copy_datum(copying *c, int32_t d, int32_t k)
{
    tgs_lowering *l = c->l;
    tgs_low_datum x = source(c, k)->datum[d];
    int32_t *to = copy_of(c, d, k);

    *to = d;
    x.name = l->datum[d].name;
    x.shared = l->datum[d].shared;
    x.of = l->datum[d].of;
    if (x.shared)
        return TGS_OK;
    mark(c, &x.replica, &x.batch, k);
    x.copied = k ? d + 1 : x.copied;
    if (k == 0)
        l->datum[d] = x;
    else if ((*to = tgs_low_add_datum(l, &x)) < 0)
        return TGS_ENOMEM;
    return TGS_OK;
}

/* Data of a copy lie together, as its tasks do, but for those that are yet to be joined where each
 * copy is a step of its own: their sums come in the order of the data. */
static tgs_status copy_data(copying *c)
{
    const int32_t outer = c->apart ? c->data : c->n, inner = c->apart ? c->n : c->data;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < outer && !status; i++)
        for (int32_t j = 0; j < inner && !status; j++)
            status = c->apart ? copy_datum(c, i, j) : copy_datum(c, j, i);
    return status;
}

/* rows of a loss in all copies, which are one step's unless each has its own */
static double rows_of(const copying *c, int64_t task)
{
    double rows = 0;

    for (int32_t k = 0; k < c->n; k++)
        rows += source(c, k)->task[task].rows;
    return rows;
}

/* task i as copy k has it */
static tgs_low_task task_of(const copying *c, int32_t k, int64_t i)
{
    tgs_low_task t = source(c, k)->task[i];

    t.name = c->l->task[i].name;
    t.own = c->l->task[i].own;
    if (c->samples && !joint(&t))
        t.part = (t.part > 0 ? t.part : 1) * (double)c->samples[k] / (double)tgs_low_batch(c->l);
    return t;
}

/* those of the last task are what copy k has for the first count ones from `at` on */
static tgs_status copy_accesses(copying *c, int32_t k, int32_t at, int32_t count)
{
    tgs_lowering *l = c->l;

    if (l->accesses > INT32_MAX - count || tgs_i_low_room(l, 0, 0, l->accesses + count))
        return TGS_ENOMEM;
    for (int32_t a = at; a < at + count; a++)
        l->access[l->accesses++] =
            (tgs_low_access){*copy_of(c, l->access[a].datum, k), l->access[a].mode};
    l->task[l->tasks - 1].accesses = count;
    return TGS_OK;
}

static tgs_status copy_tasks(copying *c)
{
    tgs_lowering *l = c->l;
    const int64_t tasks = c->tasks;

    for (int64_t i = 0; i < tasks && !c->apart; i++)
        if (l->task[i].rows != 0)
            c->rows[i] = rows_of(c, i);
    for (int32_t k = 0; k < c->n; k++)
        for (int64_t i = 0; i < tasks; i++) {
            tgs_low_task t = task_of(c, k, i);
            const int32_t at = l->task[i].at, accesses = t.accesses;

            *twin_of(c, i, k) = joint(&t) ? (int32_t)i : -1;
            if (joint(&t) || t.dropped)
                continue;
            mark(c, &t.replica, &t.batch, k);
            if (c->rows[i] != 0)
                t.rows = c->rows[i];
            *twin_of(c, i, k) = k ? (int32_t)l->tasks : (int32_t)i;
            if (k == 0) {
                t.at = at;
                l->task[i] = t;
                continue;
            }
            if (tgs_low_add_task(l, &t) < 0 || copy_accesses(c, k, at, accesses))
                return TGS_ENOMEM;
        }
    return TGS_OK;
}

/* what came before another does so in each copy */
static tgs_status copy_orders(copying *c)
{
    const int64_t orders = c->l->orders;
    tgs_status status = TGS_OK;

    if (c->source) /* each has its own, the first one, too */
        c->l->orders = 0;
    for (int32_t k = c->source ? 0 : 1; k < c->n && !status; k++) {
        const tgs_lowering *from = source(c, k);
        const int64_t count = c->source ? from->orders : orders;

        for (int64_t i = 0; i < count && !status; i++) {
            const int32_t u = *twin_of(c, from->order[i].before, k);
            const int32_t v = *twin_of(c, from->order[i].after, k);

            if (u >= 0 && v >= 0)
                status = tgs_low_add_after(c->l, u, v);
        }
    }
    return status;
}

/* the first copy becomes the sum: each later one is added to it in turn */
static tgs_status join_chain(copying *c, int32_t d)
{
    tgs_lowering *l = c->l;
    tgs_low_task t = {.codelet = "accumulate",
                      .attrs = "",
                      .phase = TGS_PHASE_BACKWARD,
                      .replica = -1,
                      .batch = -1,
                      .op = -1};

    mark(c, &l->datum[d].replica, &l->datum[d].batch, -1);
    t.name = tgs_low_text(l, "%s.accumulate", l->datum[d].name);
    t.flops = tgs_i_low_elements(&l->datum[d]);
    c->join[d] = d;
    for (int32_t k = 1; k < c->n; k++) {
        const int32_t copy = *copy_of(c, d, k);

        l->datum[copy].reduced = false;
        mark(c, &t.replica, &t.batch, k);
        if (tgs_low_add_task(l, &t) < 0 || tgs_low_add_access(l, d, TGS_RW)
            || tgs_low_add_access(l, copy, TGS_R))
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

/* sum of from[0 .. count) into a new datum, or a status */
static int32_t join_some(copying *c, const int32_t *from, int32_t count, const char *name)
{
    tgs_lowering *l = c->l;
    tgs_low_datum total = l->datum[from[0]];
    tgs_low_task t = {.name = tgs_low_text(l, "%s.reduce", name),
                      .codelet = "sum",
                      .attrs = "",
                      .replica = -1,
                      .batch = -1,
                      .op = -1};
    int32_t datum;

    mark(c, &total.replica, &total.batch, -1);
    total.name = name;
    total.reduced = false;
    datum = tgs_low_add_datum(l, &total);
    if (datum < 0)
        return datum;
    t.phase = c->what == TGS_COPY_REPLICAS ? TGS_PHASE_COMMUNICATION : TGS_PHASE_BACKWARD;
    t.flops = (count - 1) * tgs_i_low_elements(&total);
    if (tgs_low_add_task(l, &t) < 0)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < count; i++)
        if (tgs_low_add_access(l, from[i], TGS_R))
            return TGS_ENOMEM;
    return tgs_low_add_access(l, datum, TGS_W) ? TGS_ENOMEM : datum;
}

/* level by level, fan at a time, or a group at first; part is scratch of n */
static tgs_status join_tree(copying *c, int32_t d, int32_t *part)
{
    tgs_lowering *l = c->l;
    const char *base = l->datum[d].name;
    const int32_t groups = c->how->groups < c->n ? c->how->groups : 0;
    int32_t count = c->n;

    for (int32_t k = 0; k < c->n; k++) {
        part[k] = *copy_of(c, d, k);
        l->datum[part[k]].reduced = false;
    }
    for (int32_t level = 1; count > 1; level++) {
        const int32_t fan = groups && level == 1 ? (c->n + groups - 1) / groups : c->how->fan;
        int32_t next = 0;

        for (int32_t i = 0; i < count; i += fan) {
            const int32_t some = count - i < fan ? count - i : fan;
            const char *name =
                count <= fan ? base : tgs_low_text(l, "%s.%d.%d", base, (int)level, (int)next);

            part[next] = some == 1 ? part[i] : join_some(c, part + i, some, name);
            if (part[next++] < 0)
                return TGS_ENOMEM;
        }
        count = next;
    }
    l->datum[part[0]].reduced = true;
    c->join[d] = part[0];
    return TGS_OK;
}

static tgs_status join(copying *c)
{
    tgs_lowering *l = c->l;
    int32_t *part = tgs_mem_alloc((size_t)c->n, sizeof *part);
    tgs_status status = part ? TGS_OK : TGS_ENOMEM;

    if (!status && each_has_its_own(c->how))
        status = tgs_i_low_join_own(
            l, &(tgs_i_copied){.n = c->n, .data = c->data, .of = c->of, .how = c->how}, part);

    for (int32_t d = 0; d < c->data && !status; d++) {
        c->join[d] = -1;
        if (l->datum[d].reduced && !l->datum[d].shared)
            status = c->how->fan ? join_tree(c, d, part) : join_chain(c, d);
    }
    for (int64_t i = 0; i < l->tasks && !status; i++)
        for (int32_t a = 0; joint(&l->task[i]) && a < l->task[i].accesses; a++) {
            tgs_low_access *x = &l->access[l->task[i].at + a];

            if (x->datum < c->data && c->join[x->datum] >= 0)
                x->datum = c->join[x->datum];
        }
    tgs_mem_free(part);
    return status;
}

/* what updates write becomes each copy's own, and the updates, too; all copies begin alike */
static void give_own(tgs_lowering *l)
{
    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task *t = &l->task[i];

        if (t->phase != TGS_PHASE_UPDATE || t->dropped)
            continue;
        t->own = true;
        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            tgs_low_datum *d = &l->datum[l->access[a].datum];

            if (l->access[a].mode == TGS_R)
                continue;
            d->shared = false;
            if (!d->of && !isnan(d->scale))
                d->of = d->name;
        }
    }
}

static tgs_status find_sources(copying *c, const int64_t *samples, tgs_error *err)
{
    tgs_status status = TGS_OK;

    c->samples = samples;
    c->source = tgs_mem_alloc((size_t)c->n, sizeof *c->source);
    if (!c->source)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t k = 0; k < c->n && !status; k++)
        status = tgs_low_variant(c->l, samples[k], &c->source[k], err);
    return status;
}

/* as much as copies and their sums need, at once: what grows in steps may lie twice in memory */
static tgs_status make_room(copying *c)
{
    tgs_lowering *l = c->l;
    const int64_t more = c->n - 1;
    int64_t data = l->data, tasks = l->tasks, accesses = l->accesses;

    for (int64_t d = 0; d < l->data; d++) {
        const bool sum = l->datum[d].reduced && !l->datum[d].shared && !c->apart;

        data += l->datum[d].shared ? 0 : more * (1 + (sum && c->how->fan));
        tasks += sum ? more : 0;
        accesses += sum ? 2 * (more + (c->how->fan ? more : 0)) : 0;
    }
    for (int64_t i = 0; i < l->tasks; i++)
        if (!joint(&l->task[i]) && !l->task[i].dropped) {
            tasks += more;
            accesses += more * l->task[i].accesses;
        }
    return tgs_i_low_room(l, data, tasks, accesses);
}

static tgs_status copy(copying *c)
{
    tgs_status status = TGS_ENOMEM;

    c->of = tgs_mem_alloc((size_t)c->data * (size_t)c->n, sizeof *c->of);
    c->join = tgs_mem_alloc((size_t)c->data, sizeof *c->join);
    c->rows = tgs_mem_alloc((size_t)c->l->tasks, sizeof *c->rows);
    c->twin = tgs_mem_alloc((size_t)c->l->tasks * (size_t)c->n, sizeof *c->twin);
    if (c->of && c->join && c->rows && c->twin)
        status = make_room(c);
    if (!status)
        status = copy_data(c);
    if (!status)
        status = copy_tasks(c);
    if (!status)
        status = copy_orders(c);
    if (!status && !c->apart)
        status = join(c);
    tgs_mem_free(c->of);
    tgs_mem_free(c->twin);
    tgs_mem_free(c->rows);
    tgs_mem_free(c->join);
    return status;
}

tgs_status tgs_low_copy_joined(tgs_lowering *l, tgs_copies what, int32_t n, const int64_t *samples,
                               const tgs_joining *how, tgs_error *err)
{
    copying c = {
        .l = l, .what = what, .n = n, .how = how, .data = (int32_t)l->data, .tasks = l->tasks};
    tgs_status status = TGS_OK;

    if (n < 2 && !how->modelled)
        return TGS_OK;
    if ((double)l->tasks * n > 0x1p28 || (double)l->data * n > 0x1p28)
        return tgs_fail(err, TGS_EINVAL, "%d copies of %lld tasks are too many", (int)n,
                        (long long)l->tasks);
    c.apart = what == TGS_COPY_BATCHES && l->apart;
    if (samples)
        status = find_sources(&c, samples, err);
    if (!status && each_has_its_own(how))
        give_own(l);
    if (!status && copy(&c))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(c.source);
    return status;
}

tgs_status tgs_low_copy(tgs_lowering *l, tgs_copies what, int32_t n, int32_t fan, tgs_error *err)
{
    return tgs_low_copy_joined(l, what, n, NULL, &(tgs_joining){.fan = fan}, err);
}
