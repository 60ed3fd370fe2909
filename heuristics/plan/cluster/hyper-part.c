/* hyper-part.c -- vertices of a hypergraph to equal parts, and the fork-join that follows.
 *
 * After M. Imran et al., "DeHIN: a decentralized framework for embedding large-scale heterogeneous
 * information networks", 2022 (arXiv 2201.02757): a hypergraph is partitioned by a tree of
 * bisections, one worker embeds each part, and the parts' embeddings are aligned in a join:
 *
 *     ceil(log2 parts) split + max part weight x seconds + join
 *
 * The cut is sum of weight x (parts that a hyperedge touches - 1).  Small instances are solved
 * exactly (branch and bound over the vertices, parts without a vertex tried once); others, or when
 * `nodes` are spent, by moves and swaps from several starts, the best kept.
 *
 *   vertex NAME [weight=W]
 *   edge NAME pins=V,V,... [weight=W] */
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { VERTEX, EDGE };
static const tgs_i_column vertex[] = {
    {"weight", TGS_I_REAL, false, 0, 1e15, 1, 0},
    {.key = NULL},
};
static const tgs_i_column edge[] = {
    {"pins", TGS_I_ROW, true, 0, 0, NAN, VERTEX},
    {"weight", TGS_I_REAL, false, 0, 1e15, 1, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"vertex", 1, 20000, vertex}, {"edge", 0, 100000, edge}, {.record = NULL}};

typedef struct hyper {
    tgs_i_instance *file;
    const tgs_planner_ctx *c;
    int32_t vertices, edges, parts;
    double room;            /* of a part */
    int32_t *at, *incident; /* CSR: edges of a vertex */
    int32_t *pins;          /* [edge * parts + part] how many lie there */
    int32_t *in, *best;     /* [vertices] part, -1 none */
    double *load;           /* [parts] */
    double cut, best_cut;
    int64_t nodes;
    bool proven;
} hyper;

static double weight(const hyper *x, int32_t v)
{
    return tgs_i_real(x->file, VERTEX, v, 0);
}

static double cost(const hyper *x, int32_t e)
{
    return tgs_i_real(x->file, EDGE, e, 1);
}

/* by how much the cut grows when v comes to part p: an edge that touches other parts only */
static double cost_to_enter(const hyper *x, int32_t v, int32_t p)
{
    double more = 0;

    for (int32_t i = x->at[v]; i < x->at[v + 1]; i++) {
        const int32_t *pins = x->pins + (int64_t)x->incident[i] * x->parts;
        bool elsewhere = false;

        for (int32_t q = 0; q < x->parts && !elsewhere; q++)
            elsewhere = q != p && pins[q] > 0;
        more += pins[p] == 0 && elsewhere ? cost(x, x->incident[i]) : 0;
    }
    return more;
}

static void enter(hyper *x, int32_t v, int32_t p)
{
    x->cut += cost_to_enter(x, v, p);
    for (int32_t i = x->at[v]; i < x->at[v + 1]; i++)
        x->pins[(int64_t)x->incident[i] * x->parts + p]++;
    x->load[p] += weight(x, v);
    x->in[v] = p;
}

static void leave(hyper *x, int32_t v)
{
    const int32_t p = x->in[v];

    for (int32_t i = x->at[v]; i < x->at[v + 1]; i++)
        x->pins[(int64_t)x->incident[i] * x->parts + p]--;
    x->load[p] -= weight(x, v);
    x->in[v] = -1;
    x->cut -= cost_to_enter(x, v, p);
}

static void keep(hyper *x)
{
    if (x->cut < x->best_cut) {
        x->best_cut = x->cut;
        memcpy(x->best, x->in, (size_t)x->vertices * sizeof *x->best);
    }
}

/* ---- exact ----------------------------------------------------------------------------------- */
static void place(hyper *x, int32_t v, int32_t used)
{
    if (!x->proven || x->cut >= x->best_cut)
        return;
    if (x->nodes-- <= 0 || x->c->stop(x->c->user)) {
        x->proven = false;
        return;
    }
    if (v == x->vertices) {
        keep(x);
        return;
    }
    for (int32_t p = 0; p < x->parts && p <= used; p++) {
        if (x->load[p] + weight(x, v) > x->room)
            continue;
        enter(x, v, p);
        place(x, v + 1, p == used ? used + 1 : used);
        leave(x, v);
    }
}

/* ---- local search ---------------------------------------------------------------------------- */
/* from one vertex on in their order, each to the part that it costs least to enter, ties to the one
 * of least load; false: no room */
static bool start(hyper *x, int32_t first)
{
    for (int32_t i = 0; i < x->vertices; i++) {
        const int32_t v = (i + first) % x->vertices;
        int32_t best = -1;
        double least = INFINITY;

        for (int32_t p = 0; p < x->parts; p++) {
            const double more = cost_to_enter(x, v, p);

            if (x->load[p] + weight(x, v) <= x->room
                && (more < least || (more == least && x->load[p] < x->load[best]))) {
                least = more;
                best = p;
            }
        }
        if (best < 0)
            return false;
        enter(x, v, best);
    }
    return true;
}

/* moves v where it helps; false: nowhere */
static bool move(hyper *x, int32_t v)
{
    const int32_t was = x->in[v];
    const double cut = x->cut;

    leave(x, v);
    for (int32_t p = 0; p < x->parts; p++)
        if (p != was && x->load[p] + weight(x, v) <= x->room
            && x->cut + cost_to_enter(x, v, p) < cut) {
            enter(x, v, p);
            return true;
        }
    enter(x, v, was);
    return false;
}

static bool swap(hyper *x, int32_t v, int32_t w)
{
    const int32_t p = x->in[v], q = x->in[w];
    const double cut = x->cut, more = weight(x, v) - weight(x, w);

    if (p == q || x->load[q] + more > x->room || x->load[p] - more > x->room)
        return false;
    leave(x, v);
    leave(x, w);
    enter(x, v, q);
    enter(x, w, p);
    if (x->cut < cut)
        return true;
    leave(x, v);
    leave(x, w);
    enter(x, v, p);
    enter(x, w, q);
    return false;
}

static void improve(hyper *x, int64_t *evals)
{
    bool better = true;

    while (better && *evals > 0 && !x->c->stop(x->c->user)) {
        better = false;
        for (int32_t v = 0; v < x->vertices; v++)
            better |= move(x, v);
        for (int32_t i = 0; i<x->vertices && * evals> 0; i++, (*evals)--)
            better |= swap(x, (int32_t)tgs_rng_int(x->c->rng, 0, x->vertices - 1),
                           (int32_t)tgs_rng_int(x->c->rng, 0, x->vertices - 1));
    }
}

static void search(hyper *x, int64_t evals)
{
    for (int32_t s = 0; s < 8 && evals > 0; s++) {
        if (start(x, (int32_t)((int64_t)s * x->vertices / 8))) {
            improve(x, &evals);
            keep(x);
        }
        for (int32_t v = 0; v < x->vertices; v++)
            if (x->in[v] >= 0)
                leave(x, v);
    }
}

/* ---- file and answer ------------------------------------------------------------------------- */
/* a vertex twice in an edge would count as two pins */
static tgs_status check_pins(const hyper *x, int32_t e, int32_t *seen, tgs_error *err)
{
    const double *pins;
    const int32_t n = tgs_i_list(x->file, EDGE, e, 0, &pins);

    for (int32_t i = 0; i < n; i++) {
        const int32_t v = (int32_t)pins[i];

        if (seen[v] == e + 1)
            return tgs_i_row_fail(x->file, EDGE, e, err, "vertex %.80s is named twice",
                                  tgs_i_row_name(x->file, VERTEX, v));
        seen[v] = e + 1;
        x->at[v + 1]++;
    }
    return TGS_OK;
}

static tgs_status connect(hyper *x, tgs_error *err)
{
    int32_t *next = x->best; /* not in use yet */
    tgs_status status = TGS_OK;

    for (int32_t e = 0; e < x->edges && !status; e++)
        status = check_pins(x, e, next, err);
    if (status)
        return status;
    for (int32_t v = 0; v < x->vertices; v++) {
        x->at[v + 1] += x->at[v];
        next[v] = x->at[v];
    }
    x->incident = tgs_mem_alloc((size_t)x->at[x->vertices], sizeof *x->incident);
    if (!x->incident)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d pins", x->at[x->vertices]);
    for (int32_t e = 0; e < x->edges; e++) {
        const double *pins;
        const int32_t n = tgs_i_list(x->file, EDGE, e, 0, &pins);

        for (int32_t i = 0; i < n; i++)
            x->incident[next[(int32_t)pins[i]]++] = e;
    }
    return TGS_OK;
}

static tgs_status tell(hyper *x, tgs_proposal *out)
{
    const tgs_args *a = x->c->args;
    double longest = 0, depth = 0;
    tgs_status status = TGS_OK;

    for (int32_t v = 0; v < x->vertices; v++)
        enter(x, v, x->best[v]);
    for (int32_t v = 0; v < x->vertices && !status; v++) {
        char choice[24];

        snprintf(choice, sizeof choice, "part %d", x->best[v]);
        status = tgs_proposal_row(out, tgs_i_row_name(x->file, VERTEX, v), choice, NAN, NAN);
    }
    for (int32_t p = 0; p < x->parts; p++)
        longest = fmax(longest, x->load[p]);
    for (int32_t p = 1; p < x->parts; p *= 2)
        depth++;
    if (!status)
        status = tgs_proposal_figure(out, "cut", x->best_cut);
    if (!status)
        status = tgs_proposal_figure(out, "largest_part", longest);
    if (!status)
        status = tgs_proposal_figure(out, "makespan_s",
                                     depth * tgs_arg_real(a, "split")
                                         + longest * tgs_arg_real(a, "seconds")
                                         + tgs_arg_real(a, "join"));
    if (!status && !x->proven)
        status = tgs_proposal_note(out, "the cut is not proven to be the smallest");
    return status;
}

static tgs_status partition(hyper *x, tgs_proposal *out, tgs_error *err)
{
    const tgs_args *a = x->c->args;
    double total = 0, largest = 0;
    tgs_status status = connect(x, err);

    if (status)
        return status;
    for (int32_t v = 0; v < x->vertices; v++) {
        x->in[v] = -1;
        total += weight(x, v);
        largest = fmax(largest, weight(x, v));
    }
    x->room = fmax(largest, total / x->parts * (1 + tgs_arg_real(a, "slack")) * (1 + 1e-12));
    search(x, tgs_arg_int(a, "evals"));
    x->cut = 0;
    place(x, 0, 0);
    if (!(x->best_cut < INFINITY))
        return tgs_fail(err, TGS_EINFEASIBLE, "no %d parts of at most %g were found: more slack",
                        x->parts, x->room);
    x->cut = 0;
    return tell(x, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    hyper x = {.c = c,
               .best_cut = INFINITY,
               .proven = true,
               .parts = (int32_t)tgs_arg_int(c->args, "parts"),
               .nodes = tgs_arg_int(c->args, "nodes")};
    tgs_status status = tgs_i_instance_read(&x.file, c->source, tables, err);

    if (status)
        return status;
    x.vertices = tgs_i_rows(x.file, VERTEX);
    x.edges = tgs_i_rows(x.file, EDGE);
    x.at = tgs_mem_alloc((size_t)x.vertices + 1, sizeof *x.at);
    x.in = tgs_mem_alloc((size_t)x.vertices, 2 * sizeof *x.in);
    x.pins = tgs_mem_alloc((size_t)x.edges, (size_t)x.parts * sizeof *x.pins);
    x.load = tgs_mem_alloc((size_t)x.parts, sizeof *x.load);
    if (x.at && x.in && x.pins && x.load) {
        x.best = x.in + x.vertices;
        status = partition(&x, out, err);
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d vertices", x.vertices);
    }
    tgs_mem_free(x.at);
    tgs_mem_free(x.in);
    tgs_mem_free(x.pins);
    tgs_mem_free(x.load);
    tgs_mem_free(x.incident);
    tgs_i_instance_free(x.file);
    return status;
}

static const tgs_param params[] = {
    {"parts", "2", TGS_PARAM_INT, 1, 1000, "parts"},
    {"slack", "0", TGS_PARAM_REAL, 0, 1000, "by how much a part may be above its even weight"},
    {"evals", "100000", TGS_PARAM_INT, 1, 1e12, "swaps that the local search tries"},
    {"nodes", "200000", TGS_PARAM_INT, 0, 1e12, "nodes of the exact search"},
    {"split", "0", TGS_PARAM_REAL, 0, 1e12, "seconds of a bisection"},
    {"seconds", "1", TGS_PARAM_REAL, 0, 1e12, "seconds of a worker for a weight of 1"},
    {"join", "0", TGS_PARAM_REAL, 0, 1e12, "seconds of the alignment"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_hyper_part = {
    .base = {TGS_PLUGIN_ABI, "hyper-part", "vertices of a hypergraph to equal parts",
             "after Imran et al., DeHIN, 2022 (arXiv 2201.02757)", params},
    .needs = TGS_PLANS_FILE,
    .systems = "T14",
    .plan = plan,
};
