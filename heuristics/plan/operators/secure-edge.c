/* secure-edge.c -- which operators leave the trust domain of a model's secret, where what crosses
 * the domains is encrypted on the way (transforms trust and secure-edge).
 *
 * Two domains, by the trust labels of the platform's memories: that of the secret, and another one.
 * Some operators must stay, some must go; the others go where a step is simulated to be shorter:
 * first all that come after one of the evenly spaced operators, the best of these cuts, then each
 * operator once, in the order of the model, to the other side for good if that is better.
 *
 * What the published framework of this name decides could not be read (S4 of the systems). */
#include <string.h>
#include "../step.h"

typedef struct domains {
    const tgs_planner_ctx *c;
    const tgs_layers *l;
    const char *home, *away;
    bool *out, *kept; /* [layers] in the other domain; not to be moved */
    bool *best;       /* [layers] */
    tgs_evaluation e; /* of best */
    int64_t left;     /* simulations */
} domains;

/* the labels: what the user names, or the first ones of the platform that differ */
static tgs_status find_labels(domains *x, tgs_error *err)
{
    const tgs_platform_view *p = x->c->p;

    x->home = tgs_arg_text(x->c->args, "label");
    x->away = tgs_arg_text(x->c->args, "other");
    for (int32_t i = 0; i < p->memories; i++) {
        const char *label = p->memory[i].trust;

        if (!label || !*label)
            continue;
        if (!*x->home && strcmp(label, x->away))
            x->home = label;
        else if (!*x->away && strcmp(label, x->home))
            x->away = label;
    }
    if (!*x->home || !*x->away)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "the platform's memories have %s: two are needed",
                        *x->home ? "one trust label" : "no trust label");
    return TGS_OK;
}

/* those that the user has bound to a side; -1 none: the first layer stays */
static tgs_status bind(domains *x, tgs_error *err)
{
    const char *stay = tgs_arg_text(x->c->args, "stay"), *go = tgs_arg_text(x->c->args, "go");
    int32_t found[2] = {0, 0};

    for (int32_t i = 0; i < x->l->n; i++) {
        const bool goes = *go && tgs_op_listed(go, x->l->layer[i].name);
        const bool stays = *stay ? tgs_op_listed(stay, x->l->layer[i].name) : i == 0 && !goes;

        if (goes && stays)
            return tgs_fail(err, TGS_EINVAL, "operator '%.80s' is to stay and to go",
                            x->l->layer[i].name);
        x->kept[i] = goes || stays;
        x->out[i] = goes;
        found[0] += stays;
        found[1] += goes;
    }
    if ((*stay && !found[0]) || (*go && !found[1]))
        return tgs_fail(err, TGS_EINVAL, "%s=%s: no operator that computes is called so",
                        *stay && !found[0] ? "stay" : "go", *stay && !found[0] ? stay : go);
    return TGS_OK;
}

static tgs_status describe(const domains *x, const bool *out, tgs_proposal *to)
{
    tgs_i_text ops = {0}, home = {0}, away = {0};
    const long long pieces = x->c->batch / x->c->bound;
    tgs_status status = tgs_i_list_name(&home, x->home);

    if (!status)
        status = tgs_i_list_name(&away, x->away);
    for (int32_t i = 0; i < x->l->n && !status; i++)
        if (out[i])
            status = tgs_i_list_name(&ops, x->l->layer[i].name);
    if (!status && ops.used)
        status = tgs_proposal_directive(to, "trust %s ops=%s", away.text, ops.text);
    if (!status)
        status = tgs_proposal_directive(to, "trust %s rest=1", home.text);
    if (!status && ops.used)
        status = tgs_proposal_directive(to, "secure-edge seconds=%.17g rate=%.17g",
                                        tgs_arg_real(x->c->args, "seconds"),
                                        tgs_arg_real(x->c->args, "rate"));
    if (!status && pieces > 1)
        status = tgs_proposal_directive(to, "micro-batches %lld", pieces);
    tgs_mem_free(ops.text);
    tgs_mem_free(home.text);
    tgs_mem_free(away.text);
    return status;
}

/* simulates x->out; *better: it is the best so far, and kept as such */
static tgs_status consider(domains *x, bool first, bool *better, tgs_error *err)
{
    tgs_proposal *p = NULL;
    tgs_evaluation e;
    tgs_status status = tgs_proposal_open(&p, x->c, err);

    x->left--;
    if (!status && describe(x, x->out, p))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(p), &e, err);
    *better = !status && (first || tgs_planner_better(x->c, &e, &x->e));
    if (*better) {
        x->e = e;
        memcpy(x->best, x->out, (size_t)x->l->n * sizeof *x->best);
    }
    tgs_proposal_free(p);
    return status;
}

static bool more(const domains *x)
{
    return x->left > 0 && !(x->c->stop && x->c->stop(x->c->user));
}

/* all that comes after a cut goes, of at most half the simulations' cuts */
static tgs_status cuts(domains *x, tgs_error *err)
{
    const int64_t n = x->l->n, parts = x->left / 2 < n ? x->left / 2 : n;
    tgs_status status = TGS_OK;

    for (int64_t k = 0; k < parts && !status && more(x); k++) {
        bool better;

        for (int64_t i = 0; i < n; i++)
            if (!x->kept[i])
                x->out[i] = i >= k * n / parts;
        status = consider(x, false, &better, err);
    }
    memcpy(x->out, x->best, (size_t)n * sizeof *x->out);
    return status;
}

static tgs_status moves(domains *x, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->l->n && !status && more(x); i++) {
        bool better;

        if (x->kept[i])
            continue;
        x->out[i] = !x->out[i];
        status = consider(x, false, &better, err);
        if (!better)
            x->out[i] = !x->out[i];
    }
    return status;
}

static tgs_status tell(const domains *x, const tgs_evaluation *inside, tgs_proposal *out)
{
    int32_t away = 0, crossings = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->l->n && !status; i++) {
        away += x->best[i];
        if (x->best[i])
            status = tgs_proposal_row(out, x->l->layer[i].name, x->away, NAN, NAN);
    }
    for (int32_t e = 0; e < x->l->edges; e++)
        crossings += x->best[x->l->edge[e].from] != x->best[x->l->edge[e].to];
    if (!status)
        status = tgs_proposal_figure(out, "operators_away", away);
    if (!status)
        status = tgs_proposal_figure(out, "encrypted_edges", crossings);
    return status ? status : tgs_proposal_figure(out, "stay_s", inside->step);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    domains x = {.c = c, .left = tgs_arg_int(c->args, "evals")};
    tgs_evaluation inside;
    bool better;
    tgs_status status = find_labels(&x, err);

    if (!status && c->batch % c->bound)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "a step of %lld samples is no multiple of the model's batch of %lld",
                          (long long)c->batch, (long long)c->bound);
    if (!status)
        status = tgs_planner_layers(c, 0, c->bound, &x.l, err);
    if (status)
        return status;
    x.out = tgs_mem_alloc((size_t)x.l->n, sizeof *x.out);
    x.kept = tgs_mem_alloc((size_t)x.l->n, sizeof *x.kept);
    x.best = tgs_mem_alloc((size_t)x.l->n, sizeof *x.best);
    status = x.out && x.kept && x.best ? bind(&x, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = consider(&x, true, &better, err); /* nobody goes who need not */
    inside = x.e;
    if (!status)
        status = cuts(&x, err);
    if (!status)
        status = moves(&x, err);
    if (!status)
        status = describe(&x, x.best, out);
    if (!status)
        status = tell(&x, &inside, out);
    tgs_mem_free(x.out);
    tgs_mem_free(x.kept);
    tgs_mem_free(x.best);
    return status;
}

static const tgs_param params[] = {
    {"label", "", TGS_PARAM_TEXT, 0, 0, "of the secret's domain; none: the platform's first label"},
    {"other", "", TGS_PARAM_TEXT, 0, 0, "of the other domain; none: the platform's next label"},
    {"stay", "", TGS_PARAM_TEXT, 0, 0,
     "operators that stay in the secret's domain, with commas; none: the first one"},
    {"go", "", TGS_PARAM_TEXT, 0, 0, "operators that only the other domain may run"},
    {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "of an encryption or decryption, whatever its size"},
    {"rate", "1e9", TGS_PARAM_REAL, 1e-9, 1e18, "byte/s that one encrypts or decrypts"},
    {"evals", "60", TGS_PARAM_INT, 1, 1e6, "simulations"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_secure_edge = {
    .base = {TGS_PLUGIN_ABI, "secure-edge",
             "which operators leave the trust domain of a secret, encrypted on the way", NULL,
             params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S4",
    .plan = plan,
};
