/* split-products.c -- Liu, Shi et al., Layer based partition for matrix multiplication, 2018: a
 * product Y[M,N] = X[M,K] W[K,N] in slabs of its inner dimension, as thick as each device is fast,
 * or in blocks of rows or columns.
 *
 * Device i receives z_i seconds an element and multiplies in c_i seconds an element product.  Units
 * of K, M or N are dealt so that the last device ends as early as can be (bottleneck.c, exactly;
 * the published rule solves the equations of equal ends and rounds):
 *
 *   slabs    k_i ((M + N) z_i + M N c_i), and then the sum of p results: M N (p - 1) z
 *   rows     m_i (K z_i + K N c_i) and K N z_i
 *   columns  n_i (K z_i + M K c_i) and M K z_i
 *
 * Slabs read M K + K N elements whatever their number, blocks up to sqrt(p) times as many; what the
 * sum reads comes on top.  The best of the three, and of the numbers of devices, is taken for every
 * product where it is shorter than one device; and all products in one way each.  What is simulated
 * fastest is proposed. */
#include <string.h>
#include "../core.h"
#include "tensor.h"

enum { MOST_PARTS = 16, WAYS = 3 };
static const char *const ways[WAYS] = {"k", "rows", "columns"};

typedef struct split {
    int32_t way, parts; /* parts 1: whole */
    int64_t unit[MOST_PARTS];
    double seconds, whole, read; /* with and without splitting; elements that parts read */
} split;

typedef struct planning {
    const tgs_planner_ctx *c;
    const tgs_layers *l;
    tgs_i_devices d;
    tgs_proposal *chosen;
    tgs_evaluation e;
} planning;

/* one product in p parts, that way; false: too small */
static bool try_split(const planning *x, int32_t layer, int32_t way, int32_t p, split *out,
                      tgs_error *err, tgs_status *status)
{
    const tgs_layer *y = &x->l->layer[layer];
    const double m = y->rows, n = y->columns, k = y->inner;
    const double extent[WAYS] = {k, m, n};
    const double each[WAYS] = {m + n, k, k}, once[WAYS] = {0, k * n, m * k};
    double speed[MOST_PARTS], longest = 0, slowest = 0, fixed = 0;

    *out = (split){.way = way, .parts = p};
    for (int32_t i = 0; i < p; i++) {
        const tgs_proc *proc = &x->c->p->proc[x->d.proc[i]];
        const int64_t at = (int64_t)layer * x->l->kinds + proc->kind;
        const double z = tgs_i_tensor_element(y) * x->d.inv[(i ? 0 : 1) * x->d.n + i];
        const double unit = (x->l->forward[at] + x->l->backward[at]) / proc->speed / extent[way];

        speed[i] = 1 / (each[way] * (i ? z : 0) + unit);
        fixed = fmax(fixed, i ? once[way] * z : 0);
        slowest = fmax(slowest, z);
        if (i == 0)
            out->whole = unit * extent[way];
    }
    if (extent[way] < p)
        return false;
    *status = tgs_i_bottleneck(p, speed, NULL, (int64_t)extent[way], out->unit, &longest, err);
    for (int32_t i = 0; i < p; i++)
        if (*status || out->unit[i] < 1)
            return false;
    out->seconds = longest + fixed + (way ? 0 : m * n * (p - 1) * slowest);
    out->read = extent[way] * each[way] + p * once[way];
    return true;
}

/* the best split of a product, of all ways or of one; parts 1: none is shorter than one device */
static tgs_status best_split(const planning *x, int32_t layer, int32_t way, split *best,
                             tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(x->c->args, "parts");
    const int32_t most = x->d.n < MOST_PARTS ? x->d.n : MOST_PARTS;
    tgs_status status = TGS_OK;

    *best = (split){.parts = 1, .seconds = INFINITY};
    for (int32_t w = 0; w < WAYS; w++)
        for (int32_t p = given ? given : 2; p <= (given ? given : most) && p <= most; p++) {
            split s;

            if ((way < 0 || w == way) && try_split(x, layer, w, p, &s, err, &status)
                && s.seconds < best->seconds && (given || s.seconds < s.whole))
                *best = s;
            if (status)
                return status;
        }
    return status;
}

static tgs_status put_one(const planning *x, int32_t layer, const split *s, tgs_proposal *out)
{
    tgs_i_text name = {0};
    char by[MOST_PARTS * 24] = "", choice[MOST_PARTS * 24 + 40];
    size_t used = 0;
    tgs_status status = tgs_i_list_name(&name, x->l->layer[layer].name);

    for (int32_t i = 0; i < s->parts; i++)
        used += (size_t)snprintf(by + used, sizeof by - used, "%s%lld", i ? "," : "",
                                 (long long)s->unit[i]);
    snprintf(choice, sizeof choice, "%s %s", s->way ? ways[s->way] : "slabs", by);
    if (!status)
        status = tgs_proposal_directive(out, "split %s %s=%d by=%s", name.text, ways[s->way],
                                        (int)s->parts, by);
    if (!status)
        status = tgs_proposal_row(out, x->l->layer[layer].name, choice, s->seconds,
                                  tgs_i_tensor_element(&x->l->layer[layer]) * s->read);
    tgs_mem_free(name.text);
    return status;
}

/* the strategy of one way, or (-1) of the best of each product; kept when it is the best */
static tgs_status try_way(planning *x, int32_t way, tgs_error *err)
{
    double step = 0;
    int32_t count = 0;
    tgs_proposal *p;
    tgs_evaluation e;
    tgs_status status = tgs_proposal_open(&p, x->c, err);

    if (!status && x->c->batch != x->c->bound)
        status = tgs_proposal_directive(p, "batch %lld", (long long)x->c->batch);
    for (int32_t i = 0; i < x->l->n && !status; i++) {
        const tgs_proc *fast = &x->c->p->proc[x->d.proc[0]];
        const int64_t at = (int64_t)i * x->l->kinds + fast->kind;
        const double whole =
            (x->l->forward[at] + x->l->backward[at] + x->l->update[at]) / fast->speed;
        split s = {.parts = 1};

        if (x->l->layer[i].rows > 0)
            status = best_split(x, i, way, &s, err);
        step += s.parts > 1 ? s.seconds : whole;
        count += s.parts > 1;
        if (!status && s.parts > 1)
            status = put_one(x, i, &s, p);
    }
    if (!status)
        status = tgs_proposal_figure(p, "step_s", step);
    if (!status)
        status = tgs_proposal_figure(p, "products_split", count);
    if (!status && count)
        status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(p), &e, err);
    if (!status && count && (!x->chosen || tgs_planner_better(x->c, &e, &x->e))) {
        tgs_proposal_free(x->chosen);
        x->chosen = p;
        x->e = e;
        p = NULL;
    }
    tgs_proposal_free(p);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    const char *asked = tgs_arg_text(c->args, "way");
    planning x = {.c = c};
    bool known = !*asked;
    tgs_status status = tgs_planner_layers(c, 0, c->batch, &x.l, err);

    for (int32_t w = 0; w < WAYS; w++)
        known |= !strcmp(asked, ways[w]);
    if (!status && !known)
        status = tgs_fail(err, TGS_EINVAL,
                          "split-products: no way '%.20s' (there are: k, rows, columns)", asked);
    if (!status)
        status = tgs_i_devices_open(&x.d, c, x.l, 16, err);
    for (int32_t w = -1; w < WAYS && !status; w++)
        if (w < 0 ? !*asked : !*asked || !strcmp(asked, ways[w]))
            status = try_way(&x, w, err);
    if (!status && !x.chosen)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "no product with a parameter is faster in parts on these devices than "
                          "on one");
    if (!status)
        status = tgs_proposal_adopt(out, x.chosen);
    tgs_proposal_free(x.chosen);
    tgs_i_devices_close(&x.d);
    return status;
}

static const tgs_param params[] = {
    {"way", "", TGS_PARAM_TEXT, 0, 0, "k (slabs), rows or columns; none: the best of each product"},
    {"parts", "0", TGS_PARAM_INT, 0, MOST_PARTS, "of a product; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_split_products = {
    .base = {TGS_PLUGIN_ABI, "split-products",
             "matrix products in slabs or blocks as large as devices are fast",
             "Liu, Shi et al., Layer based partition for matrix multiplication, 2018", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S1",
    .plan = plan,
};
