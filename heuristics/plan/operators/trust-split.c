/* trust-split.c -- which linear operators trusted memories share with others (Niu, Ali, Avestimehr,
 * 3LegRace, PETS 2022), where nothing else may leave them.
 *
 * A shared operator is a fork and a join: what finds the part of low rank and what adds up are
 * trusted, a share of the product is, and the rest may run anywhere (transform trust-split).  That
 * pays where
 *
 *     find + max(share trusted, transfer + other + transfer) + add < trusted
 *
 * and depends on what runs beside it, so that the choice is made by simulation: from all operators
 * on, each is taken back to the trusted memories for good when a step is then no longer, once and
 * in the order of the model.  With none left all of the model stays inside (transform trust). */
#include <string.h>
#include "../step.h"

typedef struct sharing {
    const tgs_planner_ctx *c;
    const tgs_layers *l;
    const char *label;
    bool *in;     /* [layers] shared */
    int64_t left; /* simulations */
} sharing;

/* of the platform, when the user names none */
static const char *find_label(const tgs_planner_ctx *c)
{
    const char *given = tgs_arg_text(c->args, "label");

    for (int32_t i = 0; i < c->p->memories && !*given; i++)
        given = c->p->memory[i].trust ? c->p->memory[i].trust : "";
    return given;
}

/* the directives: shared operators, or everything inside */
static tgs_status describe(const sharing *x, tgs_proposal *out)
{
    tgs_i_text ops = {0}, label = {0};
    const long long pieces = x->c->batch / x->c->bound;
    tgs_status status = tgs_i_list_name(&label, x->label);

    for (int32_t i = 0; i < x->l->n && !status; i++)
        if (x->in[i])
            status = tgs_i_list_name(&ops, x->l->layer[i].name);
    if (!status && ops.used)
        status = tgs_proposal_directive(out, "trust-split %s ops=%s share=%.17g find=%.17g",
                                        label.text, ops.text, tgs_arg_real(x->c->args, "share"),
                                        tgs_arg_real(x->c->args, "find"));
    else if (!status)
        status = tgs_proposal_directive(out, "trust %s rest=1", label.text);
    if (!status && pieces > 1)
        status = tgs_proposal_directive(out, "micro-batches %lld", pieces);
    tgs_mem_free(ops.text);
    tgs_mem_free(label.text);
    return status;
}

static tgs_status simulate(sharing *x, tgs_evaluation *e, tgs_error *err)
{
    tgs_proposal *p = NULL;
    tgs_status status = tgs_proposal_open(&p, x->c, err);

    x->left--;
    if (!status && describe(x, p))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(p), e, err);
    tgs_proposal_free(p);
    return status;
}

static tgs_status search(sharing *x, tgs_evaluation *best, tgs_error *err)
{
    tgs_status status = simulate(x, best, err);

    for (int32_t i = 0; i < x->l->n && !status && x->left > 0; i++) {
        tgs_evaluation e;

        if (x->c->stop && x->c->stop(x->c->user))
            break;
        x->in[i] = false;
        status = simulate(x, &e, err);
        if (!status && tgs_planner_better(x->c, best, &e))
            x->in[i] = true;
        else if (!status)
            *best = e;
    }
    return status;
}

static tgs_status tell(const sharing *x, const tgs_evaluation *inside, const tgs_evaluation *best,
                       tgs_proposal *out)
{
    int32_t shared = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->l->n && !status; i++)
        if (x->in[i]) {
            status = tgs_proposal_row(out, x->l->layer[i].name, "shared", NAN, NAN);
            shared++;
        }
    if (!status)
        status = tgs_proposal_figure(out, "operators_shared", shared);
    if (!status)
        status = tgs_proposal_figure(out, "inside_s", inside->step);
    return status ? status : tgs_proposal_figure(out, "speedup", inside->step / best->step);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    sharing x = {.c = c, .label = find_label(c), .left = tgs_arg_int(c->args, "evals")};
    tgs_evaluation inside, best;
    tgs_status status;

    if (!*x.label)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "no memory of the platform has a trust label");
    if (c->batch % c->bound)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "a step of %lld samples is no multiple of the model's batch of %lld",
                        (long long)c->batch, (long long)c->bound);
    status = tgs_planner_layers(c, 0, c->bound, &x.l, err);
    if (status)
        return status;
    x.in = tgs_mem_alloc((size_t)x.l->n, sizeof *x.in);
    if (!x.in)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = simulate(&x, &inside, err);
    for (int32_t i = 0; i < x.l->n; i++)
        x.in[i] = true;
    if (!status)
        status = search(&x, &best, err);
    if (!status && !tgs_planner_better(c, &best, &inside)) {
        best = inside;
        memset(x.in, 0, (size_t)x.l->n * sizeof *x.in);
    }
    if (!status)
        status = describe(&x, out);
    if (!status)
        status = tell(&x, &inside, &best, out);
    tgs_mem_free(x.in);
    return status;
}

static const tgs_param params[] = {
    {"label", "", TGS_PARAM_TEXT, 0, 0, "of the trusted memories; none: the platform's first one"},
    {"share", "0.1", TGS_PARAM_REAL, 1e-6, 1, "of the rank, and of the work, that is trusted"},
    {"find", "20", TGS_PARAM_REAL, 0, 1e9, "flops for each element of an activation, to split it"},
    {"evals", "100", TGS_PARAM_INT, 2, 1e6, "simulations"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_trust_split = {
    .base = {TGS_PLUGIN_ABI, "trust-split",
             "linear operators that trusted memories share with others",
             "Niu, Ali, Avestimehr, 3LegRace, PETS 2022", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T12",
    .plan = plan,
};
