/* lowergraph.c -- a finished lowering becomes a graph: order, names, sizes, initial values. */
#include <stdlib.h>
#include <string.h>
#include "modelimpl.h"
#include "shares.h"

typedef struct place { /* where a task stands: turn by turn, replica by replica, micro-batch by
                          micro-batch */
    int32_t turn, replica, batch, task;
    bool update;
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->update != y->update)
        return x->update - y->update;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    if (x->replica != y->replica)
        return x->replica < y->replica ? -1 : 1;
    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    return x->task < y->task ? -1 : 1;
}

/* where there are turns, what has none of its own comes after what it reads; data: scratch, [data]
 * the turn of their last writer so far */
static void take_turns(const tgs_lowering *l, place *p, int32_t count, int32_t *made)
{
    memset(made, 0, (size_t)l->data * sizeof *made);
    for (int32_t i = 0; i < count; i++) {
        const tgs_low_task *t = &l->task[p[i].task];

        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            const int32_t from = made[l->access[a].datum];

            if (!t->turn && l->access[a].mode != TGS_W && from > p[i].turn)
                p[i].turn = from;
        }
        for (int32_t a = t->at; a < t->at + t->accesses; a++)
            if (l->access[a].mode != TGS_R)
                made[l->access[a].datum] = p[i].turn;
        p[i].update = false;
    }
}

/* tasks in the order of the builder's calls; what joins copies comes after them; scratch: [data] */
static place *in_order(const tgs_lowering *l, int32_t *count, int32_t *scratch)
{
    place *p = tgs_mem_alloc((size_t)l->tasks, sizeof *p);
    int32_t n = 0, last = 0;

    for (int32_t i = 0; p && i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        if (t->dropped)
            continue;
        last = t->turn > last ? t->turn : last;
        p[n++] = (place){t->turn, t->replica < 0 || t->joins ? INT32_MAX : t->replica,
                         t->batch < 0 || t->joins ? INT32_MAX : t->batch, i,
                         t->phase == TGS_PHASE_UPDATE};
    }
    *count = n;
    if (p && last)
        take_turns(l, p, n, scratch);
    if (p)
        qsort(p, (size_t)n, sizeof *p, by_place);
    return p;
}

typedef struct naming {
    char text[1100];
    size_t used;
} naming;

/* a number that is not negative, by hand, since a step may have a million tasks; its length */
static size_t put_count(char *text, long long number)
{
    char digits[24];
    size_t count = 0, used = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        text[used++] = digits[--count];
    text[used] = 0;
    return used;
}

/* ".m12" */
static void put_mark(naming *n, char before, char what, int32_t number)
{
    n->text[n->used++] = before;
    n->text[n->used++] = what;
    n->used += put_count(n->text + n->used, number);
}

/* "name@r0.s1.m2": replica, shard, micro-batch, as far as it has them */
static void full_name(naming *n, const char *name, int32_t replica, int32_t shard, int32_t batch)
{
    const size_t size = strnlen(name, 1000);

    memcpy(n->text, name, size);
    n->text[size] = 0;
    n->used = size;
    if (replica >= 0)
        put_mark(n, '@', 'r', replica);
    if (shard > 0)
        put_mark(n, n->used > size ? '.' : '@', 's', shard);
    if (batch >= 0)
        put_mark(n, n->used > size ? '.' : '@', 'm', batch);
}

/* an operator of the file may be called like a task of another: then the later one gets a number */
static void own_name(naming *n, const tgs_builder *b, int32_t index,
                     int32_t (*find)(const tgs_builder *b, const char *name))
{
    for (int32_t i = index; find(b, n->text) >= 0; i++)
        snprintf(n->text + n->used, sizeof n->text - n->used, "~%d", (int)i);
}

/* "part:4,6:0,3:" before the initial value of what d is a box of; its length */
static int put_part(char *text, size_t size, const tgs_low_datum *d)
{
    int used = snprintf(text, size, "part");

    for (int32_t k = 0; k < 2 * d->rank; k++)
        used += snprintf(text + used, size - (size_t)used, "%c%lld", k % d->rank ? ',' : ':',
                         (long long)(k < d->rank ? d->whole[k] : d->from[k - d->rank]));
    return used + snprintf(text + used, size - (size_t)used, ":");
}

unsigned long long tgs_i_low_seed(const char *name)
{
    return tgs_i_hash_text(TGS_I_HASH_START, name) & 0x7fffffff;
}

static tgs_status set_init(tgs_builder *b, int32_t datum, const tgs_low_datum *d, const char *name)
{
    char *text;
    size_t size;
    int used = 0;
    tgs_status status;

    if (!d->init && isnan(d->scale))
        return TGS_OK;
    if (d->init && !d->of)
        return tgs_builder_datum_set(b, datum, "init", d->init);
    size = 64 + 48 * (size_t)d->rank + (d->init ? strlen(d->init) : 0);
    text = tgs_mem_alloc(size, 1);
    if (!text)
        return TGS_ENOMEM;
    if (d->whole && d->rank)
        used = put_part(text, size, d);
    if (d->init)
        snprintf(text + used, size - (size_t)used, "%s", d->init);
    else if (d->scale == 0)
        snprintf(text + used, size - (size_t)used, "zero");
    else
        snprintf(text + used, size - (size_t)used, "random:%llu:%.9g",
                 tgs_i_low_seed(d->of ? d->of : name), d->scale);
    status = tgs_builder_datum_set(b, datum, "init", text);
    tgs_mem_free(text);
    return status;
}

static int32_t add_datum(tgs_builder *b, const tgs_low_datum *d, int32_t index)
{
    naming n;
    int32_t datum;
    tgs_status status;

    full_name(&n, d->name, d->replica, d->shard, d->batch);
    own_name(&n, b, index, tgs_builder_find_datum);
    datum = tgs_builder_datum(b, n.text, 0);
    if (datum < 0)
        return datum;
    status = tgs_builder_datum_shape(b, datum, d->dtype, d->rank, d->dim);
    if (!status)
        status = tgs_builder_datum_class(b, datum, d->class_);
    if (!status && d->persistent)
        status = tgs_builder_datum_set(b, datum, "persistent", "1");
    if (!status)
        status = set_init(b, datum, d, n.text);
    return status ? (int32_t)status : datum;
}

static double bytes_touched(const tgs_lowering *l, const tgs_low_task *t)
{
    double bytes = 0;

    for (int32_t a = t->at; a < t->at + t->accesses; a++) {
        const tgs_low_datum *d = &l->datum[l->access[a].datum];

        bytes += tgs_i_low_elements(d) * tgs_dtype_size(d->dtype)
                 * (l->access[a].mode == TGS_RW ? 2 : 1);
    }
    return bytes;
}

/* replicas have pipelines of their own, and each stage its shards; what is not split is with the
 * first of them */
static long long group_of(const tgs_lowering *l, const tgs_low_task *t)
{
    const long long stages = l->stages > 1 ? l->stages : 1, shards = l->shards > 1 ? l->shards : 1;
    const long long replica = t->replica > 0 ? t->replica : 0;

    return (replica * stages + (t->stage > 0 ? t->stage - 1 : 0)) * shards
           + (t->shard > 0 ? t->shard - 1 : 0);
}

/* datum: [l->data] index in the graph, -1 when not there yet */
static tgs_status add_task(tgs_builder *b, const tgs_lowering *l, const tgs_i_shares *s,
                           const tgs_low_task *t, int32_t *datum)
{
    char attrs[1200];
    naming n;
    int32_t task;
    tgs_status status;

    for (int32_t a = t->at; a < t->at + t->accesses; a++) {
        int32_t *d = &datum[l->access[a].datum];

        if (*d == -1)
            *d = add_datum(b, &l->datum[l->access[a].datum], l->access[a].datum);
        if (*d < 0)
            return (tgs_status)*d;
    }
    full_name(&n, t->name, t->replica, t->shard, t->batch);
    own_name(&n, b, (int32_t)(t - l->task), tgs_builder_find_task);
    task = tgs_builder_task(b, n.text, t->codelet,
                            t->seconds > 0 ? t->seconds : tgs_i_shares_work(s, t));
    if (task < 0)
        return (tgs_status)task;
    status =
        tgs_builder_task_cost(b, task, t->flops, tgs_i_shares_bytes(s, t, bytes_touched(l, t)));
    if (!status)
        status = tgs_i_shares_set(s, t, b, task);
    if (!status && (t->stage > 0 || t->shard > 0)) {
        put_count(attrs, group_of(l, t));
        status = tgs_builder_task_constrain(b, task, "group", attrs);
    }
    if (!status && t->memory)
        status = tgs_builder_task_constrain(b, task, "memory", t->memory);
    if (!status && t->trust)
        status = tgs_builder_task_constrain(b, task, "trust", t->trust);
    if (!status)
        status = tgs_builder_task_phase(b, task, t->phase);
    if (t->rows != 0)
        snprintf(attrs, sizeof attrs, "%s%sscale=%.17g", t->attrs, *t->attrs ? " " : "",
                 1 / t->rows);
    if (!status && (t->rows != 0 || *t->attrs))
        status = tgs_builder_task_attrs(b, task, t->rows != 0 ? attrs : t->attrs);
    for (int32_t a = t->at; a < t->at + t->accesses && !status; a++)
        status =
            tgs_builder_access(b, task, datum[l->access[a].datum], (tgs_mode)l->access[a].mode);
    return status;
}

/* a failure of the builder stays in it */
static tgs_status add_all(tgs_builder *b, const tgs_lowering *l, const tgs_i_shares *s,
                          const place *p, int32_t count, int32_t *datum)
{
    int32_t *at = tgs_mem_alloc((size_t)l->tasks, sizeof *at); /* index + 1 in the graph */
    tgs_status status = at ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; i < count && !status; i++) {
        status = add_task(b, l, s, &l->task[p[i].task], datum);
        if (!status)
            at[p[i].task] = i + 1;
    }
    for (int64_t i = 0; i < l->orders && !status; i++)
        if (at[l->order[i].before] && at[l->order[i].after])
            tgs_builder_after(b, at[l->order[i].before] - 1, at[l->order[i].after] - 1);
    tgs_mem_free(at);
    return tgs_builder_status(b, NULL) ? TGS_OK : status;
}

tgs_status tgs_i_low_finish(tgs_graph **out, const tgs_lowering *l, const tgs_op_time *more,
                            int32_t times, tgs_error *err)
{
    tgs_builder *b = NULL;
    tgs_i_shares *s = NULL;
    int32_t count = 0;
    int32_t *datum = tgs_mem_alloc((size_t)l->data, sizeof *datum);
    place *p = datum ? in_order(l, &count, datum) : NULL;
    tgs_status status = datum && p ? tgs_i_shares_new(&s, l, more, times) : TGS_ENOMEM;

    if (status)
        tgs_fail(err, status, "out of memory");
    if (!status)
        status = tgs_builder_new(&b, err);
    if (!status) {
        memset(datum, -1, (size_t)l->data * sizeof *datum);
        status = add_all(b, l, s, p, count, datum);
        if (status)
            tgs_fail(err, status, "out of memory");
        else if (l->note)
            tgs_builder_note(b, "%s", l->note);
    }
    if (!status) {
        status = tgs_builder_finish(out, b, err);
        b = NULL;
    }
    tgs_builder_free(b);
    tgs_i_shares_free(s);
    tgs_mem_free(datum);
    tgs_mem_free(p);
    return status;
}
