/* feasible-flow.c -- a resource split among nodes by exchange between neighbours.
 *
 * M. Doostmohammadian, Z. Gabidullina, H. Rabiee, 2025 (arXiv 2510.25176), its resource half:
 * minimise sum f_i(x_i) with sum x_i = b, low_i <= x_i <= high_i, where here
 * f_i(x) = a_i x^2 / 2 + c_i x.  Each step moves along each link
 *
 *     w alpha q(df_j - df_i)       from j to i
 *
 * so that the sum holds at every step, and the split can be stopped at any time.  The boxes are
 * kept by cutting a flow short, not by their penalties.  quantiser=link takes q of the difference,
 * an odd function, which ends at the optimum; quantiser=node quantises each node's gradient first,
 * which stalls within one bin; q is logarithmic with level rho.  The step is the largest that they
 * prove to converge: alpha below 2 / (L lambda_max (1 + rho / 2)), by Gershgorin's bound on
 * lambda_max.  A step takes O(links).
 *
 *   node NAME curvature=A [slope=C] [low=X] [high=X] [begin=X]
 *   link NAME ends=NODE,NODE [weight=W]
 *   total NAME value=B */
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { NODE, LINK, TOTAL };
enum { CURVATURE, SLOPE, LOW, HIGH, BEGIN };
static const tgs_i_column node[] = {
    {"curvature", TGS_I_REAL, false, 1e-12, 1e12, NAN, 0},
    {"slope", TGS_I_REAL, false, -1e12, 1e12, 0, 0},
    {"low", TGS_I_REAL, false, -1e12, 1e12, 0, 0},
    {"high", TGS_I_REAL, false, -1e12, INFINITY, INFINITY, 0},
    {"begin", TGS_I_REAL, false, -1e12, 1e12, 0, 0},
    {.key = NULL},
};
static const tgs_i_column link[] = {
    {"ends", TGS_I_ROW, true, 0, 0, NAN, NODE},
    {"weight", TGS_I_REAL, false, 1e-9, 1e9, 1, 0},
    {.key = NULL},
};
static const tgs_i_column total[] = {
    {"value", TGS_I_REAL, false, -1e15, 1e15, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"node", 1, 100000, node},
                                     {"link", 0, 1000000, link},
                                     {"total", 1, 1, total},
                                     {.record = NULL}};

typedef enum quantiser { NONE, BY_LINK, BY_NODE } quantiser;

typedef struct flow {
    tgs_i_instance *file;
    int32_t nodes, links;
    quantiser quantiser;
    double rho, step;
    double *x, *gradient;
    int32_t *end;   /* [2 * links] */
    double *weight; /* [links] */
    double worst;   /* the largest error of the sum over all steps */
} flow;

static double of(const flow *f, int32_t i, int32_t column)
{
    return tgs_i_real(f->file, NODE, i, column);
}

/* sign(z) exp(rho round(log |z| / rho)) */
static double quantise(double z, double rho)
{
    const double size = fabs(z);

    if (!(size > 0))
        return 0;
    return copysign(tgs_exp(rho * floor(tgs_log(size) / rho + 0.5)), z);
}

static double gradient(const flow *f, int32_t i)
{
    const double g = of(f, i, CURVATURE) * f->x[i] + of(f, i, SLOPE);

    return f->quantiser == BY_NODE ? quantise(g, f->rho) : g;
}

/* a start with the right sum: what is given, then the missing rest where there is room */
static tgs_status begin(flow *f, tgs_error *err)
{
    double left = tgs_i_real(f->file, TOTAL, 0, 0);
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < f->nodes && !status; i++) {
        if (of(f, i, LOW) > of(f, i, HIGH))
            status = tgs_i_row_fail(f->file, NODE, i, err, "low is above high");
        f->x[i] = fmin(fmax(of(f, i, BEGIN), of(f, i, LOW)), of(f, i, HIGH));
        left -= f->x[i];
    }
    for (int32_t i = 0; i < f->nodes && !status; i++) {
        const double to = fmin(fmax(f->x[i] + left, of(f, i, LOW)), of(f, i, HIGH));

        left -= to - f->x[i];
        f->x[i] = to;
    }
    if (!status && fabs(left) > 1e-12 * fabs(tgs_i_real(f->file, TOTAL, 0, 0)))
        status = tgs_fail(err, TGS_EINFEASIBLE, "the boxes leave %.17g of the total over", left);
    return status;
}

static tgs_status read_links(flow *f, tgs_error *err)
{
    double curvature = 0, most = 0;
    double *degree = f->gradient; /* not in use yet */

    for (int32_t l = 0; l < f->links; l++) {
        const double *ends;

        if (tgs_i_list(f->file, LINK, l, 0, &ends) != 2 || ends[0] == ends[1])
            return tgs_i_row_fail(f->file, LINK, l, err, "a link has two different ends");
        f->weight[l] = tgs_i_real(f->file, LINK, l, 1);
        for (int k = 0; k < 2; k++) {
            f->end[2 * l + k] = (int32_t)ends[k];
            degree[f->end[2 * l + k]] += f->weight[l];
        }
    }
    for (int32_t i = 0; i < f->nodes; i++) {
        curvature = fmax(curvature, of(f, i, CURVATURE));
        most = fmax(most, degree[i]);
    }
    f->step = most > 0 ? 1 / (curvature * most * (1 + f->rho / 2)) : 0;
    return TGS_OK;
}

/* returns the largest flow */
static double exchange(flow *f)
{
    double most = 0, sum = 0;

    for (int32_t i = 0; i < f->nodes; i++)
        f->gradient[i] = gradient(f, i);
    for (int32_t l = 0; l < f->links; l++) {
        const int32_t i = f->end[2 * l], j = f->end[2 * l + 1];
        const double z = f->gradient[j] - f->gradient[i];
        double move = f->step * f->weight[l] * (f->quantiser == BY_LINK ? quantise(z, f->rho) : z);

        move = move > 0 ? fmin(move, fmin(f->x[j] - of(f, j, LOW), of(f, i, HIGH) - f->x[i]))
                        : fmax(move, fmax(f->x[j] - of(f, j, HIGH), of(f, i, LOW) - f->x[i]));
        f->x[i] += move;
        f->x[j] -= move;
        most = fmax(most, fabs(move));
    }
    for (int32_t i = 0; i < f->nodes; i++)
        sum += f->x[i];
    f->worst = fmax(f->worst, fabs(sum - tgs_i_real(f->file, TOTAL, 0, 0)));
    return most;
}

static tgs_status tell(const flow *f, int64_t steps, tgs_proposal *out)
{
    double cost = 0, low = INFINITY, high = -INFINITY;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < f->nodes && !status; i++) {
        const double x = f->x[i], g = of(f, i, CURVATURE) * x + of(f, i, SLOPE);
        char choice[60];

        snprintf(choice, sizeof choice, "%.9g at marginal cost %.9g", x, g);
        cost += x * (of(f, i, CURVATURE) * x / 2 + of(f, i, SLOPE));
        if (x > of(f, i, LOW) && x < of(f, i, HIGH)) {
            low = fmin(low, g);
            high = fmax(high, g);
        }
        status = tgs_proposal_row(out, tgs_i_row_name(f->file, NODE, i), choice, NAN, NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "cost", cost);
    if (!status && low <= high)
        status = tgs_proposal_figure(out, "marginal_spread", high - low);
    if (!status)
        status = tgs_proposal_figure(out, "sum_error", f->worst);
    return status ? status : tgs_proposal_figure(out, "steps", (double)steps);
}

static tgs_status choose_quantiser(flow *f, const tgs_args *args, tgs_error *err)
{
    const char *name = tgs_arg_text(args, "quantiser");

    f->rho = tgs_arg_real(args, "rho");
    f->quantiser = !strcmp(name, "link") ? BY_LINK : !strcmp(name, "node") ? BY_NODE : NONE;
    if (f->quantiser == NONE && strcmp(name, "none"))
        return tgs_fail(err, TGS_EINVAL, "quantiser=%.40s: it is none, link or node", name);
    return TGS_OK;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    const int64_t most = tgs_arg_int(c->args, "evals");
    flow f = {.file = NULL};
    int64_t steps = 0;
    tgs_status status = choose_quantiser(&f, c->args, err);

    if (!status)
        status = tgs_i_instance_read(&f.file, c->source, tables, err);
    if (status)
        return status;
    f.nodes = tgs_i_rows(f.file, NODE);
    f.links = tgs_i_rows(f.file, LINK);
    f.x = tgs_mem_alloc((size_t)f.nodes, sizeof *f.x);
    f.gradient = tgs_mem_alloc((size_t)f.nodes, sizeof *f.gradient);
    f.end = tgs_mem_alloc((size_t)f.links, 2 * sizeof *f.end);
    f.weight = tgs_mem_alloc((size_t)f.links, sizeof *f.weight);
    if (!f.x || !f.gradient || !f.end || !f.weight)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d links", f.links);
    if (!status)
        status = read_links(&f, err);
    if (!status)
        status = begin(&f, err);
    if (!status) {
        const double still = 1e-14 * fmax(1, fabs(tgs_i_real(f.file, TOTAL, 0, 0)));

        while (steps < most && !c->stop(c->user) && (steps++, exchange(&f) > still))
            ;
        status = tell(&f, steps, out);
    }
    tgs_mem_free(f.x);
    tgs_mem_free(f.gradient);
    tgs_mem_free(f.end);
    tgs_mem_free(f.weight);
    tgs_i_instance_free(f.file);
    return status;
}

static const tgs_param params[] = {
    {"quantiser", "none", TGS_PARAM_TEXT, 0, 0, "none, link (of the difference) or node"},
    {"rho", "0.25", TGS_PARAM_REAL, 1e-6, 10, "level of the logarithmic quantiser"},
    {"evals", "100000", TGS_PARAM_INT, 0, 1e12, "steps"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_feasible_flow = {
    .base = {TGS_PLUGIN_ABI, "feasible-flow", "a resource split by exchange between neighbours",
             "Doostmohammadian, Gabidullina, Rabiee, 2025 (arXiv 2510.25176)", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S10",
    .plan = plan,
};
