/* recut.c -- a replica whose pipeline is cut elsewhere than that of the others: virtual workers of
 * unlike devices, each with stages that suit its own (Park et al., HetPipe, USENIX ATC 2020).
 *
 * Only the stage of its tasks changes, and so the memory that place gives them: what is computed
 * stays.  The orders 1f1b, gpipe and interleaved fix the blocks of each stage, which would be those
 * of the other cuts, so that the pipeline must be one of the order message. */
#include <string.h>
#include "core.h"

typedef struct moving {
    tgs_lowering *l;
    int32_t replica;
    const int32_t *of_op; /* [ops] stage from 1 */
    int32_t *made;        /* [data] stage of the task of this replica that wrote it last, 0 none */
    int32_t *read;        /* [data] stage of the first operator of this replica that reads it */
} moving;

static bool own(const moving *m, const tgs_low_task *t)
{
    return !t->dropped && t->replica == m->replica;
}

/* operators first: what else there is follows what they make and read */
static void note_reads(moving *m)
{
    const tgs_lowering *l = m->l;

    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        for (int32_t a = t->at; a < t->at + t->accesses && own(m, t) && t->op >= 0; a++)
            if (l->access[a].mode != TGS_W && !m->read[l->access[a].datum])
                m->read[l->access[a].datum] = m->of_op[t->op];
    }
}

/* with what it reads, the last of it, or with those for whom it makes something (weights of its
 * own); where neither is known the stage stays */
static int32_t stage_of(const moving *m, const tgs_low_task *t)
{
    const tgs_lowering *l = m->l;
    int32_t before = 0, after = 0;

    if (t->op >= 0)
        return m->of_op[t->op];
    for (int32_t a = t->at; a < t->at + t->accesses; a++) {
        const int32_t d = l->access[a].datum;

        if (l->access[a].mode != TGS_W && m->made[d] > before)
            before = m->made[d];
        if (l->access[a].mode != TGS_R && !after)
            after = m->read[d];
    }
    return after ? after : before ? before : t->stage;
}

static void move(moving *m)
{
    const tgs_lowering *l = m->l;

    note_reads(m);
    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task *t = &l->task[i];

        if (!own(m, t))
            continue;
        t->stage = stage_of(m, t);
        for (int32_t a = t->at; a < t->at + t->accesses; a++)
            if (l->access[a].mode != TGS_R)
                m->made[l->access[a].datum] = t->stage;
    }
}

static tgs_status check(const moving *m, const char *cuts, tgs_error *err)
{
    const tgs_lowering *l = m->l;
    int32_t replicas = 1;

    for (int64_t i = 0; i < l->tasks; i++)
        if (!l->task[i].dropped && l->task[i].replica >= replicas)
            replicas = l->task[i].replica + 1;
    if (m->replica >= replicas || replicas < 2)
        return tgs_fail(err, TGS_EINVAL, "recut: there is no replica %d of %d", (int)m->replica + 1,
                        (int)replicas);
    if (l->stages < 2 || !l->arrival)
        return tgs_fail(err, TGS_EINVAL,
                        "recut: it takes a pipeline in the order message, whose stages have no "
                        "blocks in a fixed order");
    return *cuts ? TGS_OK : tgs_fail(err, TGS_EINVAL, "recut: cuts= is missing");
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *cuts = tgs_arg_text(a, "cuts");
    moving m = {.l = l, .replica = (int32_t)tgs_arg_int(a, "replica") - 1};
    int32_t *of_op = tgs_mem_alloc((size_t)l->m->ops, sizeof *of_op);
    tgs_status status = check(&m, cuts, err);

    m.made = tgs_mem_alloc((size_t)l->data, sizeof *m.made);
    m.read = tgs_mem_alloc((size_t)l->data, sizeof *m.read);
    m.of_op = of_op;
    if (!status && (!of_op || !m.made || !m.read))
        status = tgs_fail(err, TGS_ENOMEM, "recut: out of memory");
    if (!status)
        status = tgs_i_cut(l, l->stages, cuts, "recut", of_op, err);
    if (!status)
        move(&m);
    tgs_mem_free(of_op);
    tgs_mem_free(m.made);
    tgs_mem_free(m.read);
    return status;
}

static const tgs_param params[] = {
    {"replica", "1", TGS_PARAM_INT, 1, 100000, "which one, from 1"},
    {"cuts", "", TGS_PARAM_TEXT, 0, 0,
     "comma list: the last operator of each of its stages but the last one"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_recut = {
    .base = {TGS_PLUGIN_ABI, "recut", "a replica whose pipeline is cut elsewhere",
             "Park et al., HetPipe, USENIX ATC 2020", params},
    .stage = 52,
    .apply = apply,
    .repeats = true,
};
