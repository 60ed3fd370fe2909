/* pipeline.c -- the operators cut into stages that follow one another, each with a memory of its
 * own, through which the micro-batches pass.
 *
 * The stages are cut where the strategy says, or as equal as the operators in order allow, by what
 * was measured, or by the flops when nothing was (cut.c).  The order of each device is fixed by
 * dependencies between its blocks (the forward or backward pass of a micro-batch in a stage):
 *
 *   gpipe        all forward passes, then all backward passes
 *   1f1b         stages - stage forward passes, then a forward and a backward pass in turn: no more
 *                micro-batches are under way in a stage than there are stages from it to the end
 *   interleaved  the same with several stages a device: device d of p holds the stages d, d + p,
 *                ...; groups of p micro-batches pass through one of its stages after the other,
 *                (p - d) 2 + (stages / p - 1) p blocks before the first backward pass
 *   message      none but that at most so many micro-batches are under way: what is there first
 * goes first, which is for the heuristic to decide (message-driven is one that does)
 *
 * With a cap, no more micro-batches than that are between their forward and their backward pass in
 * a stage. */
#include <string.h>
#include "core.h"

typedef struct line {
    tgs_lowering *l;
    int32_t stages, devices, batches;
    int32_t *of_op;  /* [ops] stage from 1 */
    int32_t *writer; /* [data] the last task that wrote it, -1 */
    bool *opens;     /* [tasks] nothing of its own block comes before it */
    bool *closes;    /* [tasks] nothing of its own block comes after it */
    int32_t *next;   /* [tasks] of the same block, -1 */
    int32_t *first;  /* [blocks] -1 */
} line;

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
        t->stage = t->op >= 0  ? (p->of_op[t->op] - 1) % p->devices + 1
                   : last >= 0 ? l->task[last].stage
                               : 1;
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
    return block(p, p->of_op[t->op], t->batch < 0 ? 0 : t->batch, t->phase == TGS_PHASE_BACKWARD);
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

/* the pass with this number, in one direction, through the stages of a device: micro-batches in
 * groups of as many as there are devices, each group through one stage after the other */
static int32_t numbered(const line *p, int32_t device, int32_t number, bool backward)
{
    const int32_t chunks = p->stages / p->devices;
    const int32_t group = chunks > 1 ? p->devices : p->batches;
    const int32_t chunk = number / group % chunks;
    const int32_t batch = number / (group * chunks) * group + number % group;

    return block(p, (backward ? chunks - 1 - chunk : chunk) * p->devices + device, batch, backward);
}

/* the blocks of a device in their order: warm forward passes first */
static tgs_status order_device(const line *p, int32_t device, int32_t warm)
{
    const int32_t passes = p->stages / p->devices * p->batches;
    int32_t forward = 0, backward = 0, last = -1;
    tgs_status status = TGS_OK;

    while (backward < passes && !status) {
        const bool back = forward == passes || forward > backward + warm;
        const int32_t next = numbered(p, device, back ? backward++ : forward++, back);

        if (p->first[next] < 0)
            continue;
        status = last >= 0 ? follow(p, last, next) : TGS_OK;
        last = next;
    }
    return status;
}

/* a micro-batch enters the first stage when the one so many before it has left it */
static tgs_status limit(const line *p, int32_t cap)
{
    tgs_status status = TGS_OK;

    for (int32_t b = cap; b < p->batches && !status; b++)
        status = follow(p, block(p, 1, b - cap, true), block(p, 1, b, false));
    return status;
}

static tgs_status order(const line *p, const char *name, int32_t cap)
{
    tgs_status status = TGS_OK;

    p->l->arrival = !strcmp(name, "message");
    if (p->l->arrival)
        return limit(p, cap ? cap : p->stages);
    for (int32_t d = 1; d <= p->devices && !status; d++) {
        int32_t warm = p->batches - 1;

        if (!strcmp(name, "1f1b"))
            warm = p->devices - d;
        else if (!strcmp(name, "interleaved"))
            warm = 2 * (p->devices - d) + p->stages - p->devices;
        warm = cap && warm >= cap ? cap - 1 : warm;
        p->l->warm = d == 1 ? warm : p->l->warm;
        status = order_device(p, d, warm);
    }
    return status;
}

static tgs_status run(line *p, const char *name, int32_t cap, tgs_error *err)
{
    tgs_status status;

    p->first = tgs_mem_alloc(2 * (size_t)p->stages * (size_t)p->batches, sizeof *p->first);
    if (!p->first)
        return tgs_fail(err, TGS_ENOMEM, "pipeline: out of memory");
    assign(p);
    sort(p);
    status = order(p, name, cap);
    p->l->stages = p->devices;
    return status ? tgs_fail(err, status, "pipeline: out of memory") : TGS_OK;
}

static tgs_status cut_and_run(line *p, const tgs_args *a, tgs_error *err)
{
    tgs_status status = TGS_ENOMEM;

    p->of_op = tgs_mem_alloc((size_t)p->l->m->ops, sizeof *p->of_op);
    p->writer = tgs_mem_alloc((size_t)p->l->data, sizeof *p->writer);
    p->opens = tgs_mem_alloc((size_t)p->l->tasks, sizeof *p->opens);
    p->closes = tgs_mem_alloc((size_t)p->l->tasks, sizeof *p->closes);
    p->next = tgs_mem_alloc((size_t)p->l->tasks, sizeof *p->next);
    if (p->of_op && p->writer && p->opens && p->closes && p->next)
        status = tgs_i_cut(p->l, p->stages, tgs_arg_text(a, "cuts"), "pipeline", p->of_op, err);
    else
        tgs_fail(err, status, "pipeline: out of memory");
    if (!status)
        status = run(p, tgs_arg_text(a, "order"), (int32_t)tgs_arg_int(a, "cap"), err);
    tgs_mem_free(p->of_op);
    tgs_mem_free(p->writer);
    tgs_mem_free(p->opens);
    tgs_mem_free(p->closes);
    tgs_mem_free(p->next);
    tgs_mem_free(p->first);
    return status;
}

/* what interleaving asks for */
static tgs_status check_chunks(const line *p, int32_t chunks, bool interleaved, bool capped,
                               tgs_error *err)
{
    if (chunks > 1 && !interleaved)
        return tgs_fail(err, TGS_EINVAL, "pipeline: chunks are for the order interleaved");
    if (interleaved && capped)
        return tgs_fail(err, TGS_EINVAL, "pipeline: a cap is for the other orders");
    if (p->stages % chunks)
        return tgs_fail(err, TGS_EINVAL, "pipeline: %d stages are not a multiple of %d chunks",
                        (int)p->stages, (int)chunks);
    if (interleaved && p->batches % p->devices)
        return tgs_fail(err, TGS_EINVAL,
                        "pipeline: interleaved passes come in groups of one micro-batch a device, "
                        "and %d micro-batches are no multiple of %d devices",
                        (int)p->batches, (int)p->devices);
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    static const char *const orders[] = {"1f1b", "gpipe", "interleaved", "message"};
    const char *name = tgs_arg_text(a, "order");
    line p = {.l = l, .stages = (int32_t)tgs_arg_int(a, "stages"), .batches = 1};
    const bool interleaved = !strcmp(name, "interleaved");
    const int32_t given = (int32_t)tgs_arg_int(a, "chunks");
    const int32_t chunks = given ? given : interleaved ? 2 : 1;
    bool known = false;
    tgs_status status;

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        known |= !strcmp(name, orders[i]);
    if (!known)
        return tgs_fail(err, TGS_EINVAL,
                        "pipeline: no order '%s' (there are: 1f1b, gpipe, interleaved, message)",
                        name);
    for (int64_t i = 0; i < l->tasks; i++)
        if (l->task[i].batch >= p.batches)
            p.batches = l->task[i].batch + 1;
    p.devices = p.stages / chunks;
    status = check_chunks(&p, chunks, interleaved, tgs_arg_int(a, "cap") > 0, err);
    return status ? status : cut_and_run(&p, a, err);
}

static const tgs_param params[] = {
    {"stages", "2", TGS_PARAM_INT, 1, 100000, "how many"},
    {"order", "1f1b", TGS_PARAM_TEXT, 0, 0, "1f1b, gpipe, interleaved or message"},
    {"cuts", "", TGS_PARAM_TEXT, 0, 0,
     "comma list: the last operator of each stage but the last one, or what its name begins with; "
     "without it stages are as equal as possible"},
    {"cap", "0", TGS_PARAM_INT, 0, 1e6,
     "most micro-batches under way in a stage; 0: as the order has it, stages for message"},
    {"chunks", "0", TGS_PARAM_INT, 0, 1000, "of interleaved: stages of a device; 0: 2, else 1"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_pipeline = {
    .base = {TGS_PLUGIN_ABI, "pipeline",
             "stages with memories of their own, which micro-batches pass through",
             "Huang et al., GPipe, NeurIPS 2019; Narayanan et al., PipeDream, SOSP 2019, and "
             "Megatron-LM, SC 2021; Singh, Bhatele, AxoNN, IPDPS 2022",
             params},
    .stage = 45,
    .apply = apply,
};
