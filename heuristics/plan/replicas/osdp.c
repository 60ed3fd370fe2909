/* osdp.c -- Jiang, Fu, Miao, Nie, Cui, OSDP: Optimal Sharded Data Parallel, IJCAI 2023: replicas on
 * all devices, and for every operator what of it they share out, so that it fits and a step is
 * short.
 *
 * A multiple-choice knapsack (osdpchoice.c) finds the best choices for each size of a micro-batch.
 * What does not fit when it is simulated is planned again with so much less room.  Of the sizes the
 * one whose step is shortest when simulated is proposed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "osdp.h"

enum { CHOICES = TGS_I_OSDP_CHOICES, RETRIES = 6 };

typedef struct best {
    tgs_evaluation e;
    bool there;
    double estimate;
    int64_t size;
    int32_t count[CHOICES]; /* operators with each choice */
    tgs_i_text text;
} best;

/* ---- the strategy ------------------------------------------------------------------------------
 */
static tgs_status put(tgs_i_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static tgs_status put(tgs_i_text *t, const char *format, ...)
{
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (tgs_mem_grow(&t->text, &t->room, t->used + size + 1, 1))
        return TGS_ENOMEM;
    va_start(args, format);
    vsnprintf(t->text + t->used, (size_t)size + 1, format, args);
    va_end(args);
    t->used += size;
    return TGS_OK;
}

static tgs_status put_operators(tgs_i_osdp *p, int32_t choice)
{
    tgs_i_text names = {NULL, 0, 0};
    int32_t count = 0, all = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < p->l->n && !status; i++) {
        all += p->l->layer[i].parameters > 0;
        if (p->choice[i] != choice)
            continue;
        count++;
        status = tgs_i_list_name(&names, p->l->layer[i].name);
    }
    if (!status && count)
        status = put(&p->text, "; shard %d", (int)choice);
    if (!status && count && count < all)
        status = put(&p->text, " ops=%s", names.text);
    tgs_mem_free(names.text);
    return status;
}

static tgs_status describe(tgs_i_osdp *p)
{
    tgs_i_text places = {NULL, 0, 0};
    char reduction[PLAN_REDUCTION];
    tgs_status status;

    p->text.used = 0;
    tgs_i_plan_reduction(p->c, p->l, p->n, 1, p->d.memory, reduction);
    status = put(&p->text, "replicas %d%s", (int)p->n, reduction);
    if (!status && p->count > 1)
        status = put(&p->text, "; micro-batches %lld", (long long)p->count);
    if (!status && p->size != p->c->bound)
        status = put(&p->text, "; batch %lld", (long long)p->size);
    for (int32_t c = 1; c < CHOICES && !status; c++)
        status = put_operators(p, c);
    for (int32_t k = 0; k < p->n && !status; k++)
        status = tgs_i_list_name(&places, p->c->p->memory[p->d.memory[k]].name);
    if (!status)
        status = put(&p->text, "; place %s", places.text);
    tgs_mem_free(places.text);
    return status;
}

/* ---- sizes -------------------------------------------------------------------------------------
 */
static tgs_status open_size(tgs_i_osdp *p, int64_t size, tgs_error *err)
{
    const size_t cells = CHOICES;
    size_t n;
    tgs_status status = tgs_planner_layers(p->c, 0, size, &p->l, err);

    if (status)
        return status;
    n = (size_t)p->l->n;
    p->size = size;
    p->count = p->c->batch / p->n / size;
    p->at = tgs_mem_alloc(n + 1, sizeof *p->at);
    p->choice = tgs_mem_alloc(n, sizeof *p->choice);
    p->time = tgs_mem_alloc(n * cells, sizeof *p->time);
    p->bytes = tgs_mem_alloc(n * cells, sizeof *p->bytes);
    p->price = tgs_mem_alloc(n * cells, sizeof *p->price);
    p->weight = tgs_mem_alloc(n * cells, sizeof *p->weight);
    if (!p->at || !p->choice || !p->time || !p->bytes || !p->price || !p->weight)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_i_osdp_price(p);
    return TGS_OK;
}

static void close_size(tgs_i_osdp *p)
{
    tgs_mem_free(p->at);
    tgs_mem_free(p->choice);
    tgs_mem_free(p->time);
    tgs_mem_free(p->bytes);
    tgs_mem_free(p->price);
    tgs_mem_free(p->weight);
    p->at = p->choice = NULL;
    p->time = p->bytes = p->price = NULL;
    p->weight = NULL;
}

static void keep(const tgs_i_osdp *p, const tgs_evaluation *e, double estimate, best *b)
{
    tgs_i_text text = b->text;

    if (b->there && !tgs_planner_better(p->c, e, &b->e))
        return;
    b->there = true;
    b->e = *e;
    b->estimate = estimate;
    b->size = p->size;
    memset(b->count, 0, sizeof b->count);
    for (int32_t i = 0; i < p->l->n; i++)
        b->count[p->choice[i]] += p->l->layer[i].parameters > 0;
    b->text = p->text; /* the other one is written over */
    ((tgs_i_osdp *)p)->text = text;
}

static tgs_status evaluate(tgs_i_osdp *p, tgs_evaluation *e, tgs_error *err)
{
    const tgs_status status = describe(p);

    return status ? tgs_fail(err, status, "out of memory")
                  : tgs_planner_evaluate(p->c, p->text.text, e, err);
}

/* Nothing fits: kept is what comes nearest to it, of which it is told what is missing. */
static tgs_status try_lightest(tgs_i_osdp *p, int64_t size, best *b, tgs_error *err)
{
    tgs_status status = open_size(p, size, err);

    for (int gather = 0; gather < 2 && !status; gather++) {
        tgs_evaluation e;

        tgs_i_osdp_lightest(p, gather);
        status = evaluate(p, &e, err);
        if (!status)
            keep(p, &e, NAN, b);
    }
    close_size(p);
    return status;
}

/* plans for a size until what was planned fits when it is simulated */
static tgs_status try_size(tgs_i_osdp *p, int64_t size, best *b, tgs_error *err)
{
    double room = p->room;
    tgs_status status = open_size(p, size, err);

    for (int32_t k = 0; k < RETRIES && !status; k++) {
        tgs_evaluation e;
        double value;

        status = tgs_i_osdp_choose(p, room, &value);
        if (!status && isinf(value))
            break;
        status = status ? tgs_fail(err, status, "out of memory") : evaluate(p, &e, err);
        if (status)
            break;
        if (e.missing > 0) {
            room -= e.missing * (1 + 1e-6) + 1;
            continue;
        }
        keep(p, &e, value, b);
        break;
    }
    close_size(p);
    return status;
}

/* the most devices, fast ones first, that can have equal shares of the batch */
static tgs_status count_devices(tgs_i_osdp *p, tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(p->c->args, "devices");

    if (given > p->d.n || (given && p->c->batch % given))
        return tgs_fail(err, TGS_EINVAL,
                        "%d devices: there are %d, and a step of %lld samples has to have equal "
                        "shares on them",
                        (int)given, (int)p->d.n, (long long)p->c->batch);
    for (p->n = given ? given : p->d.n; p->n > 1 && p->c->batch % p->n; p->n--)
        ;
    return TGS_OK;
}

static tgs_status tell(const tgs_i_osdp *p, const best *b, tgs_proposal *out)
{
    static const char *const what[CHOICES] = {"nothing shared out", "state shared out",
                                              "state and gradients shared out",
                                              "everything shared out"};
    tgs_status status = tgs_proposal_directive(out, "%s", b->text.text);

    for (int32_t c = 0; c < CHOICES && !status; c++) {
        char text[40];

        snprintf(text, sizeof text, "%d operators", (int)b->count[c]);
        status = tgs_proposal_row(out, what[c], text, NAN, NAN);
    }
    if (!status && !isnan(b->estimate))
        status = tgs_proposal_figure(out, "step_s", b->estimate);
    if (!status)
        status = tgs_proposal_figure(out, "samples_per_s", (double)p->c->batch / b->e.step);
    if (!status)
        status = tgs_proposal_figure(out, "devices", p->n);
    return status ? status : tgs_proposal_figure(out, "micro_batch", (double)b->size);
}

static tgs_status search(tgs_i_osdp *p, tgs_proposal *out, tgs_error *err)
{
    int64_t size[PLAN_SIZES];
    best b = {.there = false};
    const int32_t sizes = tgs_i_plan_sizes(p->c, 0, size, err);
    tgs_status status = sizes < 0 ? (tgs_status)sizes : TGS_OK;
    bool none;

    for (int32_t i = 0; i < sizes && !status; i++)
        if (p->c->batch / p->n % size[i] == 0 && !(b.there && p->c->stop && p->c->stop(p->c->user)))
            status = try_size(p, size[i], &b, err);
    none = !b.there;
    for (int32_t i = 0; i < sizes && none && !status; i++)
        if (p->c->batch / p->n % size[i] == 0 && !(b.there && p->c->stop && p->c->stop(p->c->user)))
            status = try_lightest(p, size[i], &b, err);
    if (!status && !b.there)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "the shares of %lld samples on %d devices are no micro-batches",
                          (long long)p->c->batch, (int)p->n);
    if (!status)
        status = tell(p, &b, out);
    tgs_mem_free(b.text.text);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_osdp p = {.c = c};
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, 0, size, err);
    const tgs_layers *l;
    tgs_status status = sizes < 0 ? (tgs_status)sizes : tgs_planner_layers(c, 0, size[0], &l, err);

    if (!status)
        status = tgs_i_devices_open(&p.d, c, l, tgs_arg_real(c->args, "far"), err);
    if (!status)
        status = count_devices(&p, err);
    if (!status) {
        tgs_i_osdp_links(&p);
        status = search(&p, out, err);
    }
    tgs_mem_free(p.text.text);
    tgs_i_devices_close(&p.d);
    return status;
}

static const tgs_param params[] = {
    {"devices", "0", TGS_PARAM_INT, 0, 100000,
     "how many; 0: the most that can have equal shares of the batch"},
    {"far", "10", TGS_PARAM_REAL, 1, 1e9,
     "devices that take longer than so many times the fastest are left out"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_osdp = {
    .base = {TGS_PLUGIN_ABI, "osdp",
             "replicas, and for every operator what of its parameters and state is shared out",
             "Jiang, Fu, Miao, Nie, Cui, OSDP: Optimal Sharded Data Parallel, IJCAI 2023", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T10",
    .plan = plan,
};
