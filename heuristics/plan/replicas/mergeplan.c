/* mergeplan.c -- which gradients travel in one message, on the devices of a model trained in
 * replicas: the layers' backward passes tell when each is ready, a ring among the devices what a
 * message costs. */
#include "../step.h"

typedef struct problem {
    int32_t n; /* layers with parameters */
    int32_t *layer;
    double *ready, *size, alpha, beta, forward, update;
    bool *joined;
} problem;

static void close_problem(problem *x)
{
    tgs_mem_free(x->layer);
    tgs_mem_free(x->ready);
    tgs_mem_free(x->size);
    tgs_mem_free(x->joined);
}

/* p devices: the slowest of them tells when a gradient is ready, the slowest link what a byte costs
 */
static tgs_status open_problem(problem *x, const tgs_planner_ctx *c, const tgs_layers *l,
                               const tgs_i_devices *d, int32_t p, tgs_error *err)
{
    const tgs_proc *slow = &c->p->proc[d->proc[p - 1]];
    double lat = 0, inv = 0, t = 0;

    x->layer = tgs_mem_alloc((size_t)l->n, sizeof *x->layer);
    x->ready = tgs_mem_alloc((size_t)l->n, sizeof *x->ready);
    x->size = tgs_mem_alloc((size_t)l->n, sizeof *x->size);
    x->joined = tgs_mem_alloc((size_t)l->n, sizeof *x->joined);
    if (!x->layer || !x->ready || !x->size || !x->joined)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t a = 0; a < p; a++) {
        lat = fmax(lat, d->lat[a * d->n + (a + 1) % p]);
        inv = fmax(inv, d->inv[a * d->n + (a + 1) % p]);
    }
    x->alpha = tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, p, 0, lat, inv);
    x->beta = tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, p, 1, lat, inv) - x->alpha;
    for (int32_t i = 0; i < l->n; i++)
        if (l->layer[i].last) {
            x->layer[x->n] = i;
            x->size[x->n++] = l->layer[i].parameters;
        }
    for (int32_t i = l->n - 1, k = x->n - 1; i >= 0; i--) {
        const int64_t at = (int64_t)i * l->kinds + slow->kind;

        x->forward += l->forward[at] / slow->speed;
        x->update += l->update[at] / slow->speed;
        t += l->backward[at] / slow->speed;
        if (k >= 0 && x->layer[k] == i)
            x->ready[k--] = t;
    }
    if (x->n)
        return TGS_OK;
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "no layer has parameters");
}

/* a row for each message, the last layers' first */
static tgs_status tell(const problem *x, const tgs_layers *l, tgs_proposal *out)
{
    double bytes = 0, end = 0;
    int32_t last = x->n - 1, messages = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = x->n - 1; i >= 0 && !status; i--) {
        char item[32], choice[200];

        bytes += x->size[i];
        if (i > 0 && x->joined[i])
            continue;
        end = fmax(end, x->ready[i]) + x->alpha + x->beta * bytes;
        snprintf(item, sizeof item, "message %d", (int)++messages);
        snprintf(choice, sizeof choice, "%.80s to %.80s", l->layer[x->layer[last]].name,
                 l->layer[x->layer[i]].name);
        status = tgs_proposal_row(out, item, choice, end, bytes);
        bytes = 0;
        last = i - 1;
    }
    return status ? status : tgs_proposal_figure(out, "messages", messages);
}

/* the last parameters of all messages but the last one: what merge asks for */
static tgs_status put_ends(const problem *x, const tgs_layers *l, tgs_proposal *out)
{
    tgs_i_text ends = {0};
    tgs_status status = TGS_OK;

    for (int32_t i = x->n - 1; i > 0 && !status; i--)
        if (!x->joined[i])
            status = tgs_i_list_name(&ends, l->layer[x->layer[i]].last);
    if (!status)
        status = tgs_proposal_directive(
            out, ends.used ? "merge ends=%s order=wait-free" : "merge order=wait-free%s",
            ends.used ? ends.text : "");
    tgs_mem_free(ends.text);
    return status;
}

static tgs_status put(const tgs_planner_ctx *c, const tgs_layers *l, const tgs_i_devices *d,
                      int32_t p, tgs_proposal *out)
{
    const int64_t pieces = c->batch / (p * c->bound);
    tgs_i_text places = {0};
    char reduction[PLAN_REDUCTION];
    tgs_status status = TGS_OK;

    tgs_i_plan_reduction(c, l, p, 1, d->memory, reduction);
    for (int32_t i = 0; i < p && !status; i++)
        status = tgs_i_list_name(&places, c->p->memory[d->memory[i]].name);
    if (!status)
        status = tgs_proposal_directive(out, "micro-batches %lld; replicas %d%s; place %s",
                                        (long long)pieces, (int)p,
                                        *reduction ? reduction : " reduce=ring", places.text);
    tgs_mem_free(places.text);
    return status;
}

tgs_status tgs_i_plan_merge(const tgs_planner_ctx *c, tgs_proposal *out, bool exact, tgs_error *err)
{
    tgs_i_devices d = {0};
    problem x = {0};
    const tgs_layers *l;
    int32_t p = 0;
    double end = 0;
    tgs_status status = tgs_planner_layers(c, 0, c->bound, &l, err);

    if (!status)
        status = tgs_i_devices_open(&d, c, l, 16, err);
    for (int32_t k = 1; k <= d.n; k++) /* as many as share the samples equally */
        if (c->batch % (k * c->bound) == 0)
            p = k;
    if (!status && p < 2)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "%lld samples are no two or more equal shares of batches of %lld",
                          (long long)c->batch, (long long)c->bound);
    if (!status)
        status = open_problem(&x, c, l, &d, p, err);
    if (!status && exact
        && tgs_i_merge_exact(x.n, x.ready, x.size, x.alpha, x.beta, x.joined, &end))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status && !exact)
        tgs_i_merge_greedy(x.n, x.ready, x.size, x.alpha, x.beta, x.joined);
    if (!status) {
        const double others = (double)(c->batch / (p * c->bound) - 1) * (x.forward + x.ready[0]);

        end = tgs_i_merge_time(x.n, x.ready, x.size, x.alpha, x.beta, x.joined);
        status = put(c, l, &d, p, out);
        if (!status)
            status = put_ends(&x, l, out);
        if (!status)
            status = tell(&x, l, out);
        if (!status)
            status = tgs_proposal_figure(out, "step_s", others + x.forward + end + x.update);
        for (int32_t i = 0; i < x.n; i++)
            x.joined[i] = false;
        if (!status)
            status = tgs_proposal_figure(
                out, "unmerged_step_s",
                others + x.forward + x.update
                    + tgs_i_merge_time(x.n, x.ready, x.size, x.alpha, x.beta, x.joined));
    }
    close_problem(&x);
    tgs_i_devices_close(&d);
    return status;
}
