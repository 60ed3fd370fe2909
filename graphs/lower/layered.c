/* layered.c -- layered accumulation: in each pass all micro-batches of a layer come before the next
 * layer, so that its parameters are used, and if they are sharded gathered, once for all of them.
 * Layers are the operators that have parameters, in their order, and in the backward pass from the
 * end; the micro-batches of a layer come in their order.  O(operators x replicas x micro-batches).
 *
 * J. Lamy-Poirier, "Layered gradient accumulation and modular pipeline parallelism", 2021. */
#include "zero.h"

typedef struct layers {
    tgs_lowering *l;
    int32_t replicas, batches;
    int32_t *first, *next; /* lists of the tasks of an operator, in a replica, a batch, a pass */
    bool *layer;           /* [ops] it has parameters */
} layers;

static int64_t bucket(const layers *y, int32_t replica, int32_t op, int32_t batch, bool back)
{
    const int64_t group = replica < 0 ? 0 : replica;

    return ((group * y->l->m->ops + op) * y->batches + batch) * 2 + back;
}

/* what is computed again in the backward pass is not of its layers */
static bool counts(const tgs_low_task *t)
{
    return t->op >= 0 && t->batch >= 0 && !t->again && !t->dropped;
}

static tgs_status list_tasks(layers *y)
{
    const tgs_lowering *l = y->l;
    int64_t buckets;

    for (int64_t i = 0; i < l->tasks; i++) {
        y->replicas = l->task[i].replica >= y->replicas ? l->task[i].replica + 1 : y->replicas;
        y->batches = l->task[i].batch >= y->batches ? l->task[i].batch + 1 : y->batches;
    }
    buckets = (int64_t)y->replicas * l->m->ops * y->batches * 2;
    y->first = tgs_mem_alloc((size_t)buckets, sizeof *y->first);
    y->next = tgs_mem_alloc((size_t)l->tasks, sizeof *y->next);
    y->layer = tgs_mem_alloc((size_t)l->m->ops, sizeof *y->layer);
    if (!y->first || !y->next || !y->layer)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < buckets; i++)
        y->first[i] = -1;
    for (int64_t i = l->tasks - 1; i >= 0; i--) {
        const tgs_low_task *t = &l->task[i];

        if (counts(t)) {
            int32_t *to =
                &y->first[bucket(y, t->replica, t->op, t->batch, t->phase == TGS_PHASE_BACKWARD)];

            y->next[i] = *to;
            *to = (int32_t)i;
        }
    }
    for (int32_t op = 0; op < l->m->ops; op++)
        for (int32_t k = 0; k < l->m->op[op].inputs; k++) {
            const int32_t in = l->m->op[op].input[k];

            y->layer[op] |= in >= 0 && l->m->tensor[in].role == TGS_ROLE_PARAMETER;
        }
    return TGS_OK;
}

/* each of a list after each of another */
static tgs_status in_turn(layers *y, int64_t before, int64_t after)
{
    tgs_status status = TGS_OK;

    for (int32_t u = y->first[before]; u >= 0; u = y->next[u])
        for (int32_t v = y->first[after]; v >= 0 && !status; v = y->next[v])
            status = tgs_low_add_after(y->l, u, v);
    return status;
}

/* the layers of one pass of a replica */
static tgs_status order(layers *y, int32_t replica, bool back)
{
    const tgs_model_view *m = y->l->m;
    int32_t before = -1;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < m->ops && !status; k++) {
        const int32_t op = m->order[back ? m->ops - 1 - k : k];
        const int64_t first = bucket(y, replica, op, 0, back);

        if (!y->layer[op] || y->first[first] < 0)
            continue;
        for (int32_t b = 0; b < y->batches && before >= 0 && !status; b++)
            status = in_turn(y, bucket(y, replica, before, b, back), first);
        for (int32_t b = 1; b < y->batches && !status; b++)
            status =
                in_turn(y, bucket(y, replica, op, b - 1, back), bucket(y, replica, op, b, back));
        before = op;
    }
    return status;
}

tgs_status tgs_i_layered(tgs_lowering *l)
{
    layers y = {.l = l, .replicas = 1, .batches = 1};
    tgs_status status = list_tasks(&y);

    for (int32_t r = 0; r < y.replicas && !status; r++)
        for (int back = 0; back < 2 && !status; back++)
            status = order(&y, r, back);
    tgs_mem_free(y.first);
    tgs_mem_free(y.next);
    tgs_mem_free(y.layer);
    return status;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    int32_t batches = 0;

    (void)a;
    for (int64_t i = 0; i < l->tasks; i++)
        batches = l->task[i].batch >= batches ? l->task[i].batch + 1 : batches;
    if (batches < 2)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "layered: there are no micro-batches");
    if (l->apart)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "layered: every micro-batch has an update of its own here");
    if (l->stages > 1)
        return tgs_fail(err, TGS_EINVAL,
                        "layered: it and the order of a pipeline exclude each other");
    return tgs_i_layered(l) ? tgs_fail(err, TGS_ENOMEM, "layered: out of memory") : TGS_OK;
}

const tgs_transform tgs_transform_layered = {
    .base = {TGS_PLUGIN_ABI, "layered", "all micro-batches of a layer before the next layer",
             "Lamy-Poirier, Layered gradient accumulation and modular pipeline parallelism, 2021",
             NULL},
    .stage = 56,
    .apply = apply,
};
