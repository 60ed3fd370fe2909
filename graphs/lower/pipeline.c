/* pipeline.c -- the operators cut into stages that follow one another, each with a memory of its
 * own, through which the micro-batches pass.
 *
 * Stages hold as equal parts as operators in order allow of what was measured, or of the flops when
 * nothing was.  The order of each stage is fixed by dependencies between its blocks (the forward or
 * backward pass of a micro-batch in a stage):
 *
 *   gpipe  all forward passes, then all backward passes
 *   1f1b   stages - stage forward passes, then a forward and a backward pass in turn: no more
 *          micro-batches are under way in a stage than there are stages from it to the end */
#include <string.h>
#include "tgsched/model.h"

typedef struct line {
    tgs_lowering *l;
    int32_t stages, batches;
    int32_t *of_op;  /* [ops] stage from 1 */
    int32_t *writer; /* [data] the last task that wrote it, -1 */
    bool *opens;     /* [tasks] nothing of its own block comes before it */
    bool *closes;    /* [tasks] nothing of its own block comes after it */
    int32_t *next;   /* [tasks] of the same block, -1 */
    int32_t *first;  /* [blocks] -1 */
} line;

/* what an operator costs: forward and backward seconds where there are any, else forward flops */
static void weigh(const line *p, double *weight)
{
    const tgs_model_view *m = p->l->m;
    bool measured = false;

    for (int32_t i = 0; i < m->times; i++)
        if (!isnan(m->time[i].forward + m->time[i].backward)) {
            weight[m->time[i].op] = m->time[i].forward + m->time[i].backward;
            measured = true;
        }
    for (int64_t i = 0; i < p->l->tasks && !measured; i++) {
        const tgs_low_task *t = &p->l->task[i];

        if (t->op >= 0 && t->phase == TGS_PHASE_FORWARD && t->batch <= 0)
            weight[t->op] += t->flops;
    }
}

static void cut(line *p, const double *weight)
{
    const tgs_model_view *m = p->l->m;
    double all = 0, before = 0;

    for (int32_t i = 0; i < m->ops; i++)
        all += weight[i];
    for (int32_t i = 0; i < m->ops; i++) {
        const int32_t op = m->order[i];
        const double middle = all > 0 ? (before + weight[op] / 2) / all : 0;
        const int32_t stage = (int32_t)(middle * p->stages) + 1;

        before += weight[op];
        p->of_op[op] = stage > p->stages ? p->stages : stage;
    }
}

/* what no operator became is where the latest of what it touches was made */
static void assign(line *p)
{
    tgs_lowering *l = p->l;

    for (int64_t d = 0; d < l->data; d++)
        p->writer[d] = -1;
    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task *t = &l->task[i];
        int32_t last = -1;

        if (t->dropped)
            continue;
        for (int32_t a = t->at; a < t->at + t->accesses && t->op < 0; a++) {
            const int32_t w = p->writer[l->access[a].datum];

            last = l->access[a].mode != TGS_W && w > last ? w : last;
        }
        t->stage = t->op >= 0 ? p->of_op[t->op] : last >= 0 ? l->task[last].stage : 1;
        for (int32_t a = t->at; a < t->at + t->accesses; a++)
            if (l->access[a].mode != TGS_R)
                p->writer[l->access[a].datum] = (int32_t)i;
    }
}

static int32_t block(const line *p, int32_t stage, int32_t batch, bool backward)
{
    return ((stage - 1) * p->batches + batch) * 2 + backward;
}

static int32_t block_of(const line *p, const tgs_low_task *t)
{
    /* sums and updates come when their data are there */
    if (t->dropped || t->op < 0
        || (t->phase != TGS_PHASE_FORWARD && t->phase != TGS_PHASE_BACKWARD))
        return -1;
    return block(p, t->stage, t->batch < 0 ? 0 : t->batch, t->phase == TGS_PHASE_BACKWARD);
}

/* lists the tasks of each block, and finds its first and last ones */
static void sort(line *p)
{
    const tgs_lowering *l = p->l;

    for (int32_t i = 0; i < 2 * p->stages * p->batches; i++)
        p->first[i] = -1;
    for (int64_t d = 0; d < l->data; d++)
        p->writer[d] = -1;
    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];
        const int32_t own = block_of(p, t);

        if (own < 0)
            continue;
        p->next[i] = p->first[own];
        p->first[own] = (int32_t)i;
        p->opens[i] = p->closes[i] = true;
        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            const int32_t w = p->writer[l->access[a].datum];

            if (l->access[a].mode != TGS_W && w >= 0 && block_of(p, &l->task[w]) == own)
                p->opens[i] = p->closes[w] = false;
        }
        for (int32_t a = t->at; a < t->at + t->accesses; a++)
            if (l->access[a].mode != TGS_R)
                p->writer[l->access[a].datum] = (int32_t)i;
    }
}

static tgs_status follow(const line *p, int32_t before, int32_t after)
{
    tgs_status status = TGS_OK;

    for (int32_t i = p->first[before]; i >= 0 && !status; i = p->next[i])
        for (int32_t j = p->first[after]; p->closes[i] && j >= 0 && !status; j = p->next[j])
            if (p->opens[j])
                status = tgs_low_add_after(p->l, i, j);
    return status;
}

/* the blocks of a stage in their order: warm forward passes first */
static tgs_status order_stage(const line *p, int32_t stage, int32_t warm)
{
    int32_t forward = 0, backward = 0, last = -1;
    tgs_status status = TGS_OK;

    while (backward < p->batches && !status) {
        const bool back = forward == p->batches || forward > backward + warm;
        const int32_t next = block(p, stage, back ? backward++ : forward++, back);

        if (p->first[next] < 0)
            continue;
        status = last >= 0 ? follow(p, last, next) : TGS_OK;
        last = next;
    }
    return status;
}

static tgs_status run(line *p, double *weight, bool gpipe)
{
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < p->l->tasks; i++)
        if (p->l->task[i].batch >= p->batches)
            p->batches = p->l->task[i].batch + 1;
    p->first = tgs_mem_alloc(2 * (size_t)p->stages * (size_t)p->batches, sizeof *p->first);
    if (!p->first)
        return TGS_ENOMEM;
    weigh(p, weight);
    cut(p, weight);
    assign(p);
    sort(p);
    for (int32_t s = 1; s <= p->stages && !status; s++)
        status = order_stage(p, s, gpipe ? p->batches : p->stages - s);
    p->l->stages = p->stages;
    return status;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *order = tgs_arg_text(a, "order");
    line p = {.l = l, .stages = (int32_t)tgs_arg_int(a, "stages"), .batches = 1};
    double *weight;
    tgs_status status = TGS_ENOMEM;

    if (strcmp(order, "1f1b") && strcmp(order, "gpipe"))
        return tgs_fail(err, TGS_EINVAL, "pipeline: no order '%s' (there are: 1f1b, gpipe)", order);
    weight = tgs_mem_alloc((size_t)l->m->ops, sizeof *weight);
    p.of_op = tgs_mem_alloc((size_t)l->m->ops, sizeof *p.of_op);
    p.writer = tgs_mem_alloc((size_t)l->data, sizeof *p.writer);
    p.opens = tgs_mem_alloc((size_t)l->tasks, sizeof *p.opens);
    p.closes = tgs_mem_alloc((size_t)l->tasks, sizeof *p.closes);
    p.next = tgs_mem_alloc((size_t)l->tasks, sizeof *p.next);
    if (weight && p.of_op && p.writer && p.opens && p.closes && p.next)
        status = run(&p, weight, *order == 'g');
    tgs_mem_free(weight);
    tgs_mem_free(p.of_op);
    tgs_mem_free(p.writer);
    tgs_mem_free(p.opens);
    tgs_mem_free(p.closes);
    tgs_mem_free(p.next);
    tgs_mem_free(p.first);
    return status ? tgs_fail(err, status, "pipeline: out of memory") : TGS_OK;
}

static const tgs_param params[] = {
    {"stages", "2", TGS_PARAM_INT, 1, 100000, "how many"},
    {"order", "1f1b", TGS_PARAM_TEXT, 0, 0, "1f1b or gpipe"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_pipeline = {
    .base = {TGS_PLUGIN_ABI, "pipeline",
             "stages with memories of their own, which micro-batches pass through",
             "Huang et al., GPipe, NeurIPS 2019; Narayanan et al., PipeDream, SOSP 2019", params},
    .stage = 45,
    .apply = apply,
};
