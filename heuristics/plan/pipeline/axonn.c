/* axonn.c -- Singh, Bhatele, AxoNN, IPDPS 2022: G_inter stages of a pipeline whose order is that in
 * which messages arrive, G_inter micro-batches under way at most, in G_data replicas.
 *
 * Every product of the two that uses all devices is tried, for every size of a micro-batch; the
 * simulation decides.  The bytes of training in mixed precision, with the optimizer's data on the
 * device and with buckets of it, are figures of the answer. */
#include <string.h>
#include "../step.h"

typedef struct planning {
    const tgs_planner_ctx *c;
    tgs_proposal *chosen;
    tgs_evaluation best;
    bool any;    /* what does not fit in memory is considered too */
    bool passed; /* some setting was too long to be simulated */
} planning;

/* devices in rows of `stages`, fast ones first in each; or each row of those that follow one
 * another, which are near to each other where nodes have as many devices of one kind */
static void deal(tgs_i_workers *w, int32_t stages, bool near)
{
    w->size = stages;
    w->count = w->devices / stages;
    for (int32_t v = 0; v < w->count; v++)
        for (int32_t s = 0; s < stages; s++)
            w->device[v * stages + s] = near ? v * stages + s : s * w->count + v;
}

static tgs_status put_replicas(const planning *x, const tgs_layers *l, const tgs_i_devices *d,
                               const tgs_i_workers *w, const char *places, tgs_proposal *out)
{
    const int32_t n = w->count * w->size;
    int32_t *memory = tgs_mem_alloc((size_t)n, sizeof *memory);
    char reduction[PLAN_REDUCTION];

    if (!memory)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        memory[i] = d->memory[w->device[i]];
    tgs_i_plan_reduction(x->c, l, w->count, w->size, memory, reduction);
    tgs_mem_free(memory);
    return tgs_proposal_directive(out, "replicas %d%s; place %s", (int)w->count, reduction, places);
}

static tgs_status write(const planning *x, const tgs_layers *l, const tgs_i_devices *d,
                        const tgs_i_workers *w, const int32_t *cut, int64_t pieces, double estimate,
                        tgs_proposal *out)
{
    const tgs_platform_view *p = x->c->p;
    tgs_i_text cuts = {0}, places = {0};
    tgs_status status = TGS_OK;

    for (int32_t s = 1; s < w->size && !status; s++)
        status = tgs_i_list_name(&cuts, l->layer[cut[s] - 1].name);
    for (int32_t v = 0; v < w->count && !status; v++)
        for (int32_t s = 0; s < w->size && !status; s++) {
            const char *memory = p->memory[d->memory[w->device[v * w->size + s]]].name;
            char choice[160];

            snprintf(choice, sizeof choice, "replica %d, stage %d: %.50s to %.50s", (int)v + 1,
                     (int)s + 1, l->layer[cut[s]].name, l->layer[cut[s + 1] - 1].name);
            status = tgs_i_list_name(&places, memory);
            if (!status)
                status = tgs_proposal_row(out, memory, choice, NAN, NAN);
        }
    if (!status && w->size > 1)
        status = tgs_proposal_directive(out, "pipeline %d message cuts=%s cap=%d", (int)w->size,
                                        cuts.text, (int)w->size);
    if (!status)
        status = tgs_proposal_directive(out, "micro-batches %lld", (long long)pieces);
    if (!status && l->batch != x->c->bound)
        status = tgs_proposal_directive(out, "batch %lld", (long long)l->batch);
    if (!status)
        status = put_replicas(x, l, d, w, places.text, out);
    if (!status)
        status = tgs_proposal_figure(out, "step_s", estimate);
    if (!status)
        status = tgs_proposal_figure(out, "G_inter", w->size);
    if (!status)
        status = tgs_proposal_figure(out, "G_data", w->count);
    tgs_mem_free(cuts.text);
    tgs_mem_free(places.text);
    return status;
}

/* the gradients of the largest stage, all-reduced among the replicas in a ring */
static double exchange(const tgs_layers *l, const tgs_i_devices *d, const tgs_i_workers *w,
                       const int32_t *cut)
{
    double longest = 0;

    for (int32_t s = 0; s < w->size; s++) {
        double bytes = 0, alpha = 0, beta = 0;

        for (int32_t i = cut[s]; i < cut[s + 1]; i++)
            bytes += l->layer[i].parameters;
        for (int32_t v = 0; v + 1 < w->count; v++) {
            const int64_t at =
                (int64_t)w->device[v * w->size + s] * d->n + w->device[(v + 1) * w->size + s];

            alpha = fmax(alpha, d->lat[at]);
            beta = fmax(beta, d->inv[at]);
        }
        longest = fmax(
            longest, tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, w->count, bytes, alpha, beta));
    }
    return longest;
}

/* room for one setting */
typedef struct setting {
    tgs_i_workers w;
    int32_t *cut, *flight; /* [devices + 1] */
} setting;

static tgs_status open_setting(setting *s, int32_t devices)
{
    const tgs_status status = tgs_i_workers_open(&s->w, devices);

    s->cut = tgs_mem_alloc((size_t)devices + 1, sizeof *s->cut);
    s->flight = tgs_mem_alloc((size_t)devices + 1, sizeof *s->flight);
    return s->cut && s->flight ? status : TGS_ENOMEM;
}

static void close_setting(setting *s)
{
    tgs_i_workers_close(&s->w);
    tgs_mem_free(s->cut);
    tgs_mem_free(s->flight);
}

/* a setting simulated; one that is too long to be is passed over */
static tgs_status simulate(planning *x, tgs_proposal *p, tgs_error *err)
{
    tgs_evaluation e;
    const tgs_status status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(p), &e, err);

    if (status == TGS_ENOTAPPLICABLE)
        x->passed = true;
    if (status || !tgs_planner_better(x->c, &e, &x->best)) {
        tgs_proposal_free(p);
        return status == TGS_ENOTAPPLICABLE ? TGS_OK : status;
    }
    tgs_proposal_free(x->chosen);
    x->chosen = p;
    x->best = e;
    return TGS_OK;
}

static tgs_status consider(planning *x, const tgs_layers *l, const tgs_i_devices *d,
                           const tgs_i_chain *chain, int32_t stages, bool near, tgs_error *err)
{
    const int64_t samples = d->n / stages * l->batch, pieces = x->c->batch / samples;
    tgs_i_chain capped = *chain;
    tgs_proposal *p = NULL;
    setting s;
    double longest;
    tgs_status status;

    if (stages > l->n || x->c->batch % samples)
        return TGS_OK;
    status = open_setting(&s, d->n);
    if (status)
        tgs_fail(err, status, "out of memory");
    if (!status) {
        deal(&s.w, stages, near);
        for (int32_t i = 0; i < stages; i++)
            s.flight[i] = stages;
        capped.flight = s.flight;
        if (x->any)
            capped.capacity = NULL;
        status = tgs_i_workers_alike(&capped, &s.w, s.cut, &longest);
    }
    if (!status && longest < INFINITY) {
        status = tgs_proposal_open(&p, x->c, err);
        if (!status)
            status =
                write(x, l, d, &s.w, s.cut, pieces,
                      (double)(pieces + stages - 1) * longest + exchange(l, d, &s.w, s.cut), p);
        if (!status)
            status = simulate(x, p, err);
        else
            tgs_proposal_free(p);
    }
    close_setting(&s);
    return status;
}

static tgs_status try_size(planning *x, int64_t size, tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(x->c->args, "stages");
    const tgs_layers *l;
    tgs_i_devices d = {0};
    tgs_i_chain_sums sums = {0};
    tgs_i_chain chain;
    tgs_status status = tgs_planner_layers(x->c, 0, size, &l, err);

    if (!status)
        status = tgs_i_devices_open(&d, x->c, l, 16, err);
    if (!status)
        status = tgs_i_sums_open(&sums, &chain, x->c, &d, l, 2, err);
    for (int32_t s = 1; s <= d.n && !status; s++)
        for (int near = 0; near < 2 && !status; near++)
            if (d.n % s == 0 && (!given || s == given) && (!near || (s > 1 && s < d.n))
                && !(x->chosen && x->c->stop && x->c->stop(x->c->user)))
                status = consider(x, l, &d, &chain, s, near, err);
    tgs_i_sums_close(&sums);
    tgs_i_devices_close(&d);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    planning x = {.c = c, .best = {.missing = INFINITY}};
    const double bucket = tgs_arg_real(c->args, "bucket");
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, tgs_arg_int(c->args, "micro"), size, err);
    const tgs_layers *l;
    double parameters = 0;
    tgs_status status = sizes < 0 ? (tgs_status)sizes : TGS_OK;

    for (int round = 0; round < 2 && !x.chosen && !x.passed && !status; round++) {
        x.any = round > 0; /* by the estimate nothing fits: how much is missing is simulated */
        for (int32_t i = 0; i < sizes && !status; i++)
            status = try_size(&x, size[i], err);
    }
    if (!status && !x.chosen)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "no product of stages and replicas divides the step's %lld samples%s",
                          (long long)c->batch, x.passed ? ", in few enough tasks" : "");
    if (!status)
        status = tgs_planner_layers(c, 0, size[0], &l, err);
    for (int32_t i = 0; !status && i < l->n; i++)
        parameters += l->layer[i].parameters / 4; /* of single precision */
    if (!status)
        status = tgs_proposal_adopt(out, x.chosen);
    if (!status) {
        const double share = parameters / tgs_proposal_value(out, "G_inter");

        status = tgs_proposal_figure(out, "mixed_precision_bytes", tgs_i_axonn_bytes(share, 0));
        if (!status)
            status = tgs_proposal_figure(out, "offloaded_bytes", tgs_i_axonn_bytes(share, bucket));
    }
    tgs_proposal_free(x.chosen);
    return status;
}

static const tgs_param params[] = {
    {"stages", "0", TGS_PARAM_INT, 0, 4096, "G_inter; 0: whatever is best"},
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {"bucket", "16e6", TGS_PARAM_REAL, 1, 1e15, "parameters of a bucket of the optimizer"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_axonn = {
    .base = {TGS_PLUGIN_ABI, "axonn", "message-driven pipelines in replicas",
             "Singh, Bhatele, AxoNN, IPDPS 2022", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S7",
    .plan = plan,
};
