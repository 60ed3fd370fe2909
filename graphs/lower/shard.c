/* shard.c -- replicas that each own a part of what training stores (ZeRO): 1 the optimizer's state,
 * 2 gradients too, 3 parameters too; of all parameters, or of those of some operators.  The sums
 * that joined the replicas' gradients give way to one sum for each part at its owner.
 *
 * Parts are cut along the first dim, or the longest when that is shorter than the replicas are
 * many, in shares as equal as whole rows allow, or as `owners` says (memory that is free, say).
 * Numbers alone, without a dim, stay as they are.
 *
 * Replicas whose gradients a ring sums are joined in rings here too, part by part up to its owner,
 * and gradients that were merged go to each owner in one message. */
#include <string.h>
#include "zero.h"

typedef struct sharding {
    tgs_i_zero z;
    tgs_i_finding f;
    int64_t weight[4096];
} sharding;

enum { MOST = sizeof((sharding *)0)->weight / sizeof(int64_t) };

/* each replica, and of stages 2 and 3 each micro-batch, once */
static bool complete(const tgs_i_zero *z, const tgs_i_owned *o)
{
    const int32_t batches = z->level == 1 ? 1 : z->batches;

    for (int32_t i = o->term; i < o->term + o->terms; i++)
        for (int32_t k = o->term; k < i; k++)
            if (z->term[i].replica == z->term[k].replica && z->term[i].batch == z->term[k].batch)
                return false;
    return o->terms == z->replicas * batches;
}

static tgs_status cut(sharding *s, tgs_i_owned *o)
{
    const tgs_low_datum *d = &s->z.l->datum[o->parameter];
    int64_t *at = tgs_mem_alloc((size_t)s->z.replicas + 1, sizeof *at);
    double all = 0, some = 0;

    for (int32_t k = 1; k < d->rank && d->dim[0] < s->z.replicas; k++)
        o->axis = d->dim[k] > d->dim[o->axis] ? k : o->axis;
    for (int32_t k = 0; k < s->z.replicas; k++)
        all += (double)s->weight[k];
    for (int32_t k = 0; at && k < s->z.replicas; k++) {
        some += (double)s->weight[k];
        at[k + 1] = (int64_t)((double)d->dim[o->axis] * some / all + 0.5);
    }
    o->at = at ? tgs_low_dims(s->z.l, s->z.replicas + 1, at) : NULL;
    tgs_mem_free(at);
    o->piece = tgs_mem_alloc((size_t)s->z.replicas, sizeof *o->piece);
    o->whole = tgs_mem_alloc((size_t)s->z.replicas, sizeof *o->whole);
    o->gradient = tgs_mem_alloc((size_t)s->z.replicas, sizeof *o->gradient);
    for (int32_t k = 0; o->gradient && k < s->z.replicas; k++)
        o->gradient[k] = -1;
    return o->at && o->piece && o->whole && o->gradient ? TGS_OK : TGS_ENOMEM;
}

/* of a ring, where each replica has parameters of its own: that of the first one */
static int32_t first_copy(const tgs_lowering *l, int32_t parameter)
{
    const int32_t copied = l->datum[parameter].copied;

    return copied ? copied - 1 : parameter;
}

/* the parameter of a further replica, which is sharded like that of the first one */
static tgs_status own_copy(sharding *s, int32_t update, int32_t parameter, int32_t gradient)
{
    tgs_i_zero *z = &s->z;
    const int32_t first = first_copy(z->l, parameter);

    if (z->of[first] < 0)
        return TGS_OK;
    z->of[parameter] = z->of[first];
    z->l->task[update].dropped = true;
    tgs_i_drop_sum(&s->f, gradient);
    return TGS_OK;
}

/* a parameter and its update, when the operators that are named use it */
static tgs_status own(sharding *s, int32_t update, const bool *used, tgs_error *err)
{
    tgs_i_zero *z = &s->z;
    const tgs_low_task t = z->l->task[update];
    const int32_t parameter = z->l->access[t.at].datum;
    const int32_t gradient = z->l->access[t.at + t.accesses - 1].datum;
    tgs_i_owned *o;
    tgs_status status;

    if (!used[parameter] || !z->l->datum[parameter].rank || z->of[parameter] >= 0)
        return TGS_OK;
    if (t.own && first_copy(z->l, parameter) != parameter)
        return own_copy(s, update, parameter, gradient);
    if (tgs_mem_grow(&z->owned, &z->room, z->count + 1, sizeof *z->owned))
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    o = &z->owned[z->count];
    *o = (tgs_i_owned){.parameter = parameter, .update = update, .merged = -1};
    z->of[parameter] = (int32_t)z->count++;
    status = cut(s, o);
    if (!status)
        status = tgs_i_find_terms(&s->f, o, gradient);
    if (status == TGS_ENOTAPPLICABLE || (!status && !complete(z, o)))
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "shard: the gradient of '%s' is not one sum of the replicas' own",
                        z->l->datum[parameter].name);
    z->l->task[update].dropped = true;
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

/* data that tasks of the listed operators touch; every datum without a list */
static tgs_status mark_used(const tgs_lowering *l, const char *ops, bool *used, tgs_error *err)
{
    bool found = !*ops;

    for (int64_t d = 0; d < l->data; d++)
        used[d] = !*ops;
    for (int64_t i = 0; i < l->tasks && *ops; i++) {
        const tgs_low_task *t = &l->task[i];

        if (t->op < 0 || t->dropped || !tgs_op_listed(ops, l->m->op[t->op].name))
            continue;
        found = true;
        for (int32_t a = t->at; a < t->at + t->accesses; a++)
            used[l->access[a].datum] = true;
    }
    return found ? TGS_OK : tgs_fail(err, TGS_EINVAL, "shard: no operator '%s'", ops);
}

static tgs_status find_all(sharding *s, const char *ops, tgs_error *err)
{
    tgs_lowering *l = s->z.l;
    bool *used = tgs_mem_alloc((size_t)l->data, sizeof *used);
    tgs_status status = used && !tgs_i_finding_open(&s->f, &s->z)
                            ? mark_used(l, ops, used, err)
                            : tgs_fail(err, TGS_ENOMEM, "out of memory");

    for (int64_t i = 0; i < l->tasks && !status; i++)
        if (l->task[i].phase == TGS_PHASE_UPDATE && !l->task[i].dropped && l->task[i].op < 0
            && l->task[i].accesses > 1 && l->access[l->task[i].at].mode == TGS_RW
            && l->datum[l->access[l->task[i].at].datum].class_ == TGS_CLASS_PARAMETER)
            status = own(s, (int32_t)i, used, err);
    for (int64_t i = 0; i < l->tasks && !status; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++)
            if (!status && !l->task[i].dropped && l->access[a].mode == TGS_R
                && s->f.joined[l->access[a].datum])
                status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                                  "shard: task %s needs a gradient that no replica has whole",
                                  l->task[i].name);
    if (!status && !s->z.count)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "shard: there is no parameter to shard");
    tgs_mem_free(used);
    return status;
}

/* ---- the tasks again --------------------------------------------------------------------------
 */
static tgs_status again(sharding *s, const tgs_low_task *t)
{
    tgs_lowering *l = s->z.l;
    int32_t *datum = tgs_mem_alloc((size_t)t->accesses, sizeof *datum);
    tgs_status status = datum ? TGS_OK : TGS_ENOMEM;

    for (int32_t a = 0; a < t->accesses && !status; a++) {
        const tgs_low_access x = l->access[t->at + a];

        datum[a] = s->z.of[x.datum] < 0 ? x.datum : tgs_i_zero_read(&s->z, x.datum, t);
        status = datum[a] < 0 ? (tgs_status)datum[a] : TGS_OK;
    }
    if (!status && tgs_low_add_task(l, t) < 0)
        status = TGS_ENOMEM;
    for (int32_t a = 0; a < t->accesses && !status; a++)
        status = tgs_low_add_access(l, datum[a], (tgs_mode)l->access[t->at + a].mode);
    tgs_mem_free(datum);
    return status;
}

/* a replica is one memory */
static void give_stage(tgs_low_task *t)
{
    if (!t->stage && (t->replica >= 0 || t->phase == TGS_PHASE_UPDATE))
        t->stage = 1;
}

/* stages 1 and 2 put no task before another one: each stays where it is, but for those that are
 * dropped, and reads its replica's own parameters */
static tgs_status stay(sharding *s, int32_t *first)
{
    tgs_lowering *l = s->z.l;
    int64_t kept = 0;

    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task t = l->task[i];

        first[i] = (int32_t)kept;
        if (t.dropped)
            continue;
        give_stage(&t);
        for (int32_t a = t.at; a < t.at + t.accesses; a++)
            if (s->z.of[l->access[a].datum] >= 0)
                l->access[a].datum = tgs_i_zero_read(&s->z, l->access[a].datum, &t);
        l->task[kept++] = t;
    }
    first[l->tasks] = (int32_t)kept;
    l->tasks = kept;
    return TGS_OK;
}

/* in stage 3 what gathers a parameter comes before who reads it */
static tgs_status move(sharding *s, int32_t *first)
{
    tgs_lowering *l = s->z.l;
    tgs_low_task *task = l->task;
    const int64_t tasks = l->tasks;
    tgs_status status = TGS_OK;

    l->task = NULL;
    l->tasks = l->task_room = 0;
    for (int64_t i = 0; i < tasks && !status; i++) {
        give_stage(&task[i]);
        if (!task[i].dropped)
            status = again(s, &task[i]);
        first[i + 1] = (int32_t)l->tasks; /* but a gather before it, which nothing waits for */
        first[i] = task[i].dropped || !l->tasks ? first[i + 1] : first[i + 1] - 1;
    }
    tgs_mem_free(task);
    return status;
}

static tgs_status rewrite(sharding *s)
{
    tgs_lowering *l = s->z.l;
    tgs_low_task *update = tgs_mem_alloc((size_t)s->z.count, sizeof *update);
    int32_t *first = tgs_mem_alloc((size_t)l->tasks + 1, sizeof *first);
    tgs_status status = first && update ? TGS_OK : TGS_ENOMEM;

    for (int64_t k = 0; k < s->z.count && !status; k++) {
        update[k] = l->task[s->z.owned[k].update];
        give_stage(&update[k]);
        status = tgs_i_zero_store(&s->z, &s->z.owned[k]);
    }
    if (!status)
        status = s->z.level < 3 ? stay(s, first) : move(s, first);
    for (int64_t k = 0; k < s->z.count && !status; k++)
        status = tgs_i_zero_update(&s->z, &s->z.owned[k], &update[k]);
    if (!status)
        status = tgs_i_keep_orders(l, first);
    tgs_mem_free(first);
    tgs_mem_free(update);
    return status;
}

static tgs_status measure(sharding *s, const tgs_args *a, tgs_error *err)
{
    tgs_lowering *l = s->z.l;
    const char *owners = tgs_arg_text(a, "owners");
    char text[480];
    int32_t given;
    double all = 0;

    s->z.level = (int32_t)tgs_arg_int(a, "stage");
    s->z.layered = tgs_arg_int(a, "layered") != 0;
    s->z.batches = 1;
    for (int64_t i = 0; i < l->tasks; i++) {
        if (l->task[i].replica >= s->z.replicas)
            s->z.replicas = l->task[i].replica + 1;
        if (l->task[i].batch >= s->z.batches)
            s->z.batches = l->task[i].batch + 1;
        if (!strcmp(l->task[i].codelet, "allreduce"))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "shard: it sums itself, and reduce=alpha-beta sums nothing");
        s->z.ring |= l->task[i].joins;
    }
    if (s->z.replicas < 2)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "shard: there are no replicas");
    if (s->z.replicas > MOST)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "shard: more than %d replicas", (int)MOST);
    if (s->z.layered && l->stages > 1)
        return tgs_fail(err, TGS_EINVAL,
                        "shard: layered=1 and the order of a pipeline exclude "
                        "each other");
    for (int32_t k = 0; k < s->z.replicas; k++)
        s->weight[k] = 1;
    if (!*owners)
        return TGS_OK;
    snprintf(text, sizeof text, "owners=%s", owners);
    given = tgs_attr_ints(text, "owners", s->weight, MOST);
    for (int32_t k = 0; k < given; k++)
        all += s->weight[k] < 0 ? NAN : (double)s->weight[k];
    if (given != s->z.replicas || !(all > 0))
        return tgs_fail(err, TGS_EINVAL,
                        "shard: owners=%s are not shares of %d replicas, as whole numbers", owners,
                        (int)s->z.replicas);
    return TGS_OK;
}

static tgs_status run(sharding *s, const tgs_args *a, tgs_error *err)
{
    tgs_i_zero *z = &s->z;
    tgs_status status = measure(s, a, err);

    if (status)
        return status;
    z->of = tgs_mem_alloc((size_t)z->l->data, sizeof *z->of);
    if (!z->of)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    memset(z->of, -1, (size_t)z->l->data * sizeof *z->of);
    status = find_all(s, tgs_arg_text(a, "ops"), err);
    tgs_i_finding_close(&s->f); /* before there are more tasks */
    if (status)
        return status;
    z->gathered = tgs_mem_alloc((size_t)tgs_i_zero_slots(z), sizeof *z->gathered);
    z->sent = tgs_mem_alloc((size_t)tgs_i_zero_slots(z), sizeof *z->sent);
    if (z->gathered && z->sent) {
        memset(z->gathered, -1, (size_t)tgs_i_zero_slots(z) * sizeof *z->gathered);
        memset(z->sent, -1, (size_t)tgs_i_zero_slots(z) * sizeof *z->sent);
        if (z->l->stages < 1)
            z->l->stages = 1;
        status = rewrite(s);
        if (!status && z->layered)
            status = tgs_i_layered(z->l);
    } else
        status = TGS_ENOMEM;
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    sharding *s = tgs_mem_alloc(1, sizeof *s);
    tgs_status status;

    if (!s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    s->z.l = l;
    status = run(s, a, err);
    for (int64_t k = 0; k < s->z.count; k++) {
        tgs_mem_free(s->z.owned[k].piece);
        tgs_mem_free(s->z.owned[k].whole);
        tgs_mem_free(s->z.owned[k].gradient);
    }
    tgs_mem_free(s->z.owned);
    tgs_mem_free(s->z.term);
    tgs_mem_free(s->z.of);
    tgs_mem_free(s->z.gathered);
    tgs_mem_free(s->z.sent);
    tgs_mem_free(s);
    return status;
}

static const tgs_param params[] = {
    {"stage", "1", TGS_PARAM_INT, 1, 3, "1: optimizer state, 2: gradients too, 3: parameters too"},
    {"ops", "", TGS_PARAM_TEXT, 0, 0, "whose parameters, with commas; without it all"},
    {"owners", "", TGS_PARAM_TEXT, 0, 0, "shares of the replicas, with commas; without it equal"},
    {"layered", "0", TGS_PARAM_INT, 0, 1,
     "1: all micro-batches of a layer before the next, which is gathered once for them"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_shard = {
    .base = {TGS_PLUGIN_ABI, "shard", "replicas that own parts of state, gradients, parameters",
             "Rajbhandari, Rasley, Ruwase, He, ZeRO, SC 2020; Jiang et al., OSDP, IJCAI 2023; Guo, "
             "Anand, Chen, Daudjee, Cephalo, ICS 2025",
             params},
    .stage = 55,
    .needs = "replicas",
    .apply = apply,
    .repeats = true,
};
