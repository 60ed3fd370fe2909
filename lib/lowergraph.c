/* lowergraph.c -- a finished lowering becomes a graph: names, sizes, initial values.  Copies of a
 * step are alike in all but their marks and data: what was worked out for one is found again by the
 * addresses of its texts. */
#include <stdlib.h>
#include <string.h>
#include "lowername.h"
#include "modelimpl.h"
#include "shares.h"

enum { GROUPS = 1 << 10 };

typedef struct alike { /* tasks with these constraints */
    long long group;
    const char *memory, *trust;
    int32_t constraint; /* -1: nothing yet */
} alike;

typedef struct writing {
    const tgs_lowering *l;
    const tgs_i_shares *s;
    tgs_builder *b;
    int32_t *order; /* [tasks] in the order of the builder's calls */
    int32_t *datum; /* [l->data] index in the graph; before, -1 - the number of its text */
    int32_t *at;    /* [l->tasks] index + 1 in the graph; before, the number of its text */
    tgs_i_naming *task_names, *datum_names;
    tgs_i_memos attrs, codelet, shape; /* shape: more: dtype; value: a datum of that shape */
    alike alike[GROUPS];
} writing;

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

static tgs_status set_init(tgs_builder *b, int32_t datum, const tgs_low_datum *d)
{
    char name[TGS_NAME_ROOM], *text;
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
    snprintf(name, sizeof name, "%s%s", b->arena.text + b->datum[datum].name,
             b->arena.text + b->extra[datum].mark);
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

static tgs_status set_shape(writing *w, int32_t datum, const tgs_low_datum *d)
{
    tgs_i_memo *memo = tgs_i_memo_at(&w->shape, d->dim);
    tgs_builder *b = w->b;
    const tgs_datum_extra *like = memo->key == d->dim ? &b->extra[memo->value] : NULL;

    if (like && memo->more == (int32_t)d->dtype && like->rank == d->rank) {
        b->extra[datum].dtype = like->dtype;
        b->extra[datum].rank = like->rank;
        b->extra[datum].dims = like->dims;
        b->datum[datum].bytes = b->datum[memo->value].bytes;
        return TGS_OK;
    }
    *memo = (tgs_i_memo){d->dim, (int32_t)d->dtype, datum};
    return tgs_builder_datum_shape(b, datum, d->dtype, d->rank, d->dim);
}

/* every datum has an extra, at its own index */
static int32_t add_datum(writing *w, int32_t index)
{
    const tgs_low_datum *d = &w->l->datum[index];
    tgs_datum_extra x = {.rank = -1, .class_ = (uint8_t)d->class_, .persistent = d->persistent};
    const tgs_i_call call = {d->name, d->replica, d->shard, d->batch};
    tgs_datum t = {.extra = -1};
    int32_t datum;
    tgs_status status =
        tgs_i_naming_give(w->datum_names, -1 - w->datum[index], &call, index, &t.name, &x.mark);

    if (status)
        return (int32_t)status;
    datum = tgs_i_builder_add_datum(w->b, &t, &x);
    if (datum < 0)
        return datum;
    status = set_shape(w, datum, d);
    if (!status)
        status = set_init(w->b, datum, d);
    return status ? (int32_t)status : datum;
}

/* all data that tasks touch, in that order */
static tgs_status add_data(writing *w, int32_t tasks)
{
    const tgs_lowering *l = w->l;

    for (int32_t i = 0; i < tasks; i++) {
        const tgs_low_task *t = &l->task[w->order[i]];

        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            const int32_t d = l->access[a].datum, x = w->datum[d] < 0 ? add_datum(w, d) : -1;

            if (w->datum[d] < 0 && x < 0)
                return (tgs_status)x;
            w->datum[d] = x < 0 ? w->datum[d] : x;
        }
    }
    return TGS_OK;
}

/* how many bytes of its data a task touches, unless its operator says: a body that runs often */
static double bytes_of(const writing *w, const tgs_low_task *t)
{
    double bytes = 0;

    if (t->bytes > 0)
        return t->bytes;
    for (int32_t a = t->at; a < t->at + t->accesses; a++) {
        const tgs_low_access x = w->l->access[a];

        bytes += w->b->datum[w->datum[x.datum]].bytes * (x.mode == TGS_RW ? 2 : 1);
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

static tgs_status constrain(writing *w, const tgs_low_task *t, int32_t task)
{
    const long long group = t->stage > 0 || t->shard > 0 ? group_of(w->l, t) : -1;
    const char *trust = t->trust ? t->trust : w->l->trust;
    alike *k = &w->alike[(uint64_t)(group + 1) % GROUPS];
    tgs_status status = TGS_OK;
    char number[24];

    if (group < 0 && !t->memory && !trust)
        return TGS_OK;
    if (k->constraint >= 0 && k->group == group && k->memory == t->memory && k->trust == trust) {
        w->b->task[task].constraint = k->constraint;
        return TGS_OK;
    }
    if (group >= 0) {
        snprintf(number, sizeof number, "%lld", group);
        status = tgs_builder_task_constrain(w->b, task, "group", number);
    }
    if (!status && t->memory)
        status = tgs_builder_task_constrain(w->b, task, "memory", t->memory);
    if (!status && trust)
        status = tgs_builder_task_constrain(w->b, task, "trust", trust);
    if (!status)
        *k = (alike){group, t->memory, trust, w->b->task[task].constraint};
    return status;
}

static tgs_status set_attrs(writing *w, const tgs_low_task *t, int32_t task)
{
    tgs_i_memo *memo = tgs_i_memo_at(&w->attrs, t->attrs);
    char attrs[1200];
    tgs_status status;

    if (t->rows != 0) {
        snprintf(attrs, sizeof attrs, "%s%sscale=%.17g", t->attrs, *t->attrs ? " " : "",
                 1 / t->rows);
        return tgs_builder_task_attrs(w->b, task, attrs);
    }
    if (!*t->attrs)
        return TGS_OK;
    if (memo->key == t->attrs) {
        w->b->task[task].attrs = memo->value;
        return TGS_OK;
    }
    status = tgs_builder_task_attrs(w->b, task, t->attrs);
    if (!status)
        *memo = (tgs_i_memo){t->attrs, 0, w->b->task[task].attrs};
    return status;
}

static int32_t codelet_of(writing *w, const char *name)
{
    tgs_i_memo *memo = tgs_i_memo_at(&w->codelet, name);

    if (memo->key != name)
        *memo = (tgs_i_memo){name, 0, tgs_i_builder_codelet(w->b, name)};
    return memo->value;
}

static tgs_status add_task(writing *w, const tgs_low_task *t)
{
    const tgs_i_call call = {t->name, t->replica, t->shard, t->batch};
    tgs_task x = {.flops = NAN, .bytes = NAN, .constraint = -1, .phase = (int32_t)t->phase};
    const int32_t index = (int32_t)(t - w->l->task);
    int32_t task;
    tgs_status status =
        tgs_i_naming_give(w->task_names, w->at[index], &call, index, &x.name, &x.mark);

    if (status)
        return status;
    x.codelet = codelet_of(w, t->codelet);
    x.work = t->seconds > 0 ? t->seconds : tgs_i_shares_work(w->s, t);
    task = tgs_i_builder_add(w->b, &x);
    if (task < 0)
        return (tgs_status)task;
    status =
        tgs_builder_task_cost(w->b, task, t->flops, tgs_i_shares_bytes(w->s, t, bytes_of(w, t)));
    if (!status)
        status = tgs_i_shares_set(w->s, t, w->b, task);
    if (!status)
        status = constrain(w, t, task);
    if (!status)
        status = set_attrs(w, t, task);
    for (int32_t a = t->at; a < t->at + t->accesses && !status; a++)
        status = tgs_i_builder_touch(w->b, task, w->datum[w->l->access[a].datum],
                                     (tgs_mode)w->l->access[a].mode);
    return status;
}

/* all names, and how many accesses there are */
static tgs_status tell_names(writing *w, int64_t *accesses)
{
    const tgs_lowering *l = w->l;
    int32_t text = 0;

    *accesses = 0;
    for (int64_t i = 0; i < l->tasks && text >= 0; i++) {
        const tgs_low_task *t = &l->task[i];

        if (t->dropped)
            continue;
        text = tgs_i_naming_tell(w->task_names,
                                 &(tgs_i_call){t->name, t->replica, t->shard, t->batch});
        w->at[i] = text;
        *accesses += t->accesses;
    }
    for (int64_t i = 0; i < l->data && text >= 0; i++) {
        const tgs_low_datum *d = &l->datum[i];

        text = tgs_i_naming_tell(w->datum_names,
                                 &(tgs_i_call){d->name, d->replica, d->shard, d->batch});
        w->datum[i] = -1 - text;
    }
    return text < 0 ? (tgs_status)text : TGS_OK;
}

static tgs_status add_tasks(writing *w, int32_t tasks)
{
    const tgs_lowering *l = w->l;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < tasks && !status; i++) {
        status = add_task(w, &l->task[w->order[i]]);
        w->at[w->order[i]] = i + 1;
    }
    for (int64_t i = 0; i < l->orders && !status; i++)
        if (w->at[l->order[i].before] && w->at[l->order[i].after])
            status = tgs_builder_after(w->b, w->at[l->order[i].before] - 1,
                                       w->at[l->order[i].after] - 1);
    return status;
}

/* a failure of the builder stays in it */
static tgs_status add_all(writing *w, int32_t tasks, tgs_lowering *spent)
{
    int64_t accesses;
    tgs_status status = tell_names(w, &accesses);

    if (!status)
        status = tgs_i_builder_room(w->b, 0, w->l->data, 0);
    if (!status)
        status = add_data(w, tasks);
    if (spent) { /* before the tasks need room */
        tgs_mem_free(spent->datum);
        spent->datum = NULL;
        spent->data = spent->data_room = 0;
    }
    if (!status)
        status = tgs_i_builder_room(w->b, tasks, 0, accesses);
    if (!status)
        status = add_tasks(w, tasks);
    return tgs_builder_status(w->b, NULL) ? TGS_OK : status;
}

static tgs_status prepare(writing *w, const tgs_op_time *more, int32_t times, tgs_i_shares **s,
                          int32_t *tasks)
{
    const size_t data = (size_t)w->l->data;

    w->datum = tgs_mem_alloc(data, sizeof *w->datum);
    w->at = tgs_mem_alloc((size_t)w->l->tasks, sizeof *w->at);
    w->task_names = tgs_mem_alloc(1, sizeof *w->task_names);
    w->datum_names = tgs_mem_alloc(1, sizeof *w->datum_names);
    if (!w->datum || !w->at || !w->task_names || !w->datum_names
        || tgs_i_low_order(w->l, &w->order, tasks) || tgs_i_shares_new(s, w->l, more, times)
        || tgs_i_memos_open(&w->attrs, w->l->tasks) || tgs_i_memos_open(&w->codelet, w->l->tasks)
        || tgs_i_memos_open(&w->shape, w->l->data)
        || tgs_i_naming_open(w->task_names, w->b, w->l->tasks)
        || tgs_i_naming_open(w->datum_names, w->b, w->l->data))
        return TGS_ENOMEM;
    w->s = *s;
    for (int32_t i = 0; i < GROUPS; i++)
        w->alike[i].constraint = -1;
    return TGS_OK;
}

/* spent: l, when its data may be freed on the way; NULL: they are needed once more */
static tgs_status build(tgs_builder **out, const tgs_lowering *l, tgs_lowering *spent,
                        const tgs_op_time *more, int32_t times, tgs_error *err)
{
    writing *w = tgs_mem_alloc(1, sizeof *w);
    tgs_i_shares *s = NULL;
    int32_t tasks = 0;
    tgs_status status = tgs_builder_new(out, err);

    if (!status && !w)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status) {
        w->l = l;
        w->b = *out;
        status = prepare(w, more, times, &s, &tasks);
        if (!status)
            status = add_all(w, tasks, spent);
        if (status)
            tgs_fail(err, status, "out of memory");
        else if (l->note)
            tgs_builder_note(w->b, "%s", l->note);
    }
    if (w) {
        tgs_i_naming_free(w->task_names);
        tgs_i_naming_free(w->datum_names);
        tgs_mem_free(w->attrs.place);
        tgs_mem_free(w->codelet.place);
        tgs_mem_free(w->shape.place);
        tgs_mem_free(w->order);
        tgs_mem_free(w->datum);
        tgs_mem_free(w->at);
    }
    tgs_mem_free(w);
    tgs_i_shares_free(s);
    if (status) {
        tgs_builder_free(*out);
        *out = NULL;
    }
    return status;
}

tgs_status tgs_i_low_build(tgs_builder **out, tgs_lowering *l, const tgs_op_time *more,
                           int32_t times, tgs_error *err)
{
    return build(out, l, l, more, times, err);
}

tgs_status tgs_i_low_finish(tgs_graph **out, const tgs_lowering *l, const tgs_op_time *more,
                            int32_t times, tgs_error *err)
{
    tgs_builder *b;
    tgs_status status = build(&b, l, NULL, more, times, err);

    *out = NULL;
    return status ? status : tgs_builder_finish(out, b, err);
}
