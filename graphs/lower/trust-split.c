/* trust-split.c -- linear operators shared between a trusted and any other processor (3LegRace,
 * T12): the activation is split into a part of low rank and the rest; the first is multiplied in
 * the trusted memories, the rest anywhere, and their sum is what the operator makes:
 *
 *   X --split (trusted)--> X.low --W (trusted)--> Y.low --+
 *                     \--> X.rest --W (anywhere)-> Y.rest -+-> join (trusted) --> Y
 *
 * W (X.low + X.rest) = W X.low + W X.rest: the same numbers to rounding.  The trusted product costs
 * `share` of the operator (its kernel multiplies the low-rank part in full; what its factors would
 * cost is what is planned with).  Everything else that touches an activation is trusted, too, so
 * that only X.rest and the weights leave the label's memories; how much noise X.rest needs is no
 * question of scheduling.  O(accesses). */
#include <string.h>
#include "tgsched/model.h"

typedef struct parts {
    tgs_lowering *l;
    const char *label;
    double share, find; /* find: flops for each element, of the factors */
} parts;

static bool is_linear(const tgs_low_task *t)
{
    return t->op >= 0 && !t->dropped && !t->again && t->phase == TGS_PHASE_FORWARD
           && (!strcmp(t->codelet, "gemm") || !strcmp(t->codelet, "conv")
               || !strcmp(t->codelet, "matmul"));
}

static double elements(const tgs_low_datum *d)
{
    double n = 1;

    for (int32_t i = 0; i < d->rank; i++)
        n *= (double)d->dim[i];
    return n;
}

static int32_t part_of(parts *p, int32_t datum, const char *tail)
{
    tgs_low_datum d = p->l->datum[datum];

    d.name = tgs_low_text(p->l, "%s%s", d.name, tail);
    d.class_ = TGS_CLASS_ACTIVATION;
    d.init = NULL;
    d.scale = NAN;
    d.shared = d.reduced = d.persistent = false;
    return tgs_low_add_datum(p->l, &d);
}

typedef struct touch {
    int32_t datum, mode;
} touch;

/* a task like t; accesses end with mode 0 */
static tgs_status add(parts *p, tgs_low_task t, const char *tail, const char *codelet,
                      const char *attrs, double flops, bool trusted, const touch *a)
{
    tgs_status status = TGS_OK;

    t.name = tgs_low_text(p->l, "%s%s", t.name, tail);
    t.codelet = codelet;
    t.attrs = attrs;
    t.flops = flops;
    t.trust = trusted ? p->label : NULL;
    t.dropped = false;
    if (tgs_low_add_task(p->l, &t) < 0)
        return TGS_ENOMEM;
    for (; a->mode && !status; a++)
        status = tgs_low_add_access(p->l, a->datum, (tgs_mode)a->mode);
    return status;
}

static tgs_status split(parts *p, int64_t i)
{
    tgs_lowering *l = p->l;
    const tgs_low_task t = l->task[i];
    const int32_t x = l->access[t.at].datum, w = l->access[t.at + 1].datum;
    const int32_t y = l->access[t.at + t.accesses - 1].datum;
    const int32_t bias = t.accesses > 3 ? l->access[t.at + 2].datum : -1;
    const int32_t low = part_of(p, x, ".low"), rest = part_of(p, x, ".rest");
    const int32_t y_low = part_of(p, y, ".low"), y_rest = part_of(p, y, ".rest");
    const double found = p->find * elements(&l->datum[x]), sums = elements(&l->datum[y]);
    const char *attrs = tgs_low_text(l, "share=%.17g", p->share);
    tgs_status status;

    if (low < 0 || rest < 0 || y_low < 0 || y_rest < 0)
        return TGS_ENOMEM;
    l->task[i].dropped = true;
    status = add(p, t, ".split", "low_rank_split", attrs, found, true,
                 (touch[]){{x, TGS_R}, {low, TGS_W}, {rest, TGS_W}, {0}});
    if (!status)
        status =
            add(p, t, ".trusted", t.codelet, t.attrs, p->share * t.flops, true,
                bias < 0 ? (touch[]){{low, TGS_R}, {w, TGS_R}, {y_low, TGS_W}, {0}}
                         : (touch[]){{low, TGS_R}, {w, TGS_R}, {bias, TGS_R}, {y_low, TGS_W}, {0}});
    if (!status)
        status = add(p, t, ".rest", t.codelet, t.attrs, t.flops, false,
                     (touch[]){{rest, TGS_R}, {w, TGS_R}, {y_rest, TGS_W}, {0}});
    return status ? status
                  : add(p, t, ".join", "add", "", sums, true,
                        (touch[]){{y_low, TGS_R}, {y_rest, TGS_R}, {y, TGS_W}, {0}});
}

/* task i once more behind those that are there already, in its place */
static tgs_status move(parts *p, int64_t i)
{
    tgs_lowering *l = p->l;
    const tgs_low_task t = l->task[i];
    tgs_status status = TGS_OK;

    l->task[i].dropped = true;
    if (tgs_low_add_task(l, &t) < 0)
        return TGS_ENOMEM;
    for (int32_t a = t.at; a < t.at + t.accesses && !status; a++) {
        const tgs_low_access x = l->access[a];

        status = tgs_low_add_access(l, x.datum, (tgs_mode)x.mode);
    }
    return status;
}

/* an activation, input or gradient of one: what must not leave */
static bool is_secret(const tgs_low_datum *d)
{
    return d->class_ == TGS_CLASS_ACTIVATION || d->class_ == TGS_CLASS_INPUT
           || (d->class_ == TGS_CLASS_GRADIENT && !d->reduced);
}

static void mask(parts *p, tgs_low_task *t)
{
    for (int32_t a = t->at; a < t->at + t->accesses; a++)
        if (is_secret(&p->l->datum[p->l->access[a].datum]))
            t->trust = p->label;
}

/* the tasks once more, in their order, those of linear operators in their parts; returns how many
 * were split, or a status */
static int32_t rewrite(parts *p, const char *ops)
{
    tgs_lowering *l = p->l;
    int32_t *now = tgs_mem_alloc((size_t)l->tasks, sizeof *now), found = 0;
    tgs_status status = now ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0, tasks = l->tasks; i < tasks && !status; i++) {
        const bool linear =
            is_linear(&l->task[i]) && tgs_op_listed(ops, l->m->op[l->task[i].op].name);

        now[i] = (int32_t)i;
        if (l->task[i].dropped)
            continue;
        if (!linear)
            mask(p, &l->task[i]);
        found += linear;
        status = linear ? split(p, i) : move(p, i);
        now[i] = (int32_t)l->tasks - 1; /* of a linear operator, the join */
    }
    for (int64_t i = 0; i < l->orders && !status; i++)
        l->order[i] = (tgs_low_order){now[l->order[i].before], now[l->order[i].after]};
    tgs_mem_free(now);
    return status ? (int32_t)status : found;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    parts p = {l, tgs_low_text(l, "%s", tgs_arg_text(a, "label")), tgs_arg_real(a, "share"),
               tgs_arg_real(a, "find")};
    const char *ops = tgs_arg_text(a, "ops");
    int32_t found;

    if (!p.label)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!*p.label)
        return tgs_fail(err, TGS_EINVAL, "trust-split: a label is needed");
    found = rewrite(&p, ops);
    if (found < 0)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    return found ? TGS_OK
                 : tgs_fail(err, TGS_EINVAL,
                            "trust-split: ops=%.200s: no linear operator is called so", ops);
}

static const tgs_param params[] = {
    {"label", "", TGS_PARAM_TEXT, 0, 0, "of the trusted memories"},
    {"ops", "*", TGS_PARAM_TEXT, 0, 0, "operators, a comma list; NAME*: all that begin so"},
    {"share", "0.1", TGS_PARAM_REAL, 1e-6, 1, "of the rank, and of the work, that is trusted"},
    {"find", "20", TGS_PARAM_REAL, 0, 1e9, "flops for each element of an activation, to split it"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_trust_split = {
    .base = {TGS_PLUGIN_ABI, "trust-split",
             "linear operators shared between trusted memories and others",
             "Niu, Ali, Avestimehr, 3LegRace, PETS 2022", params},
    .stage = 33,
    .apply = apply,
};
