/* spectral-coarsen.c -- groups of a weighted graph by its Laplacian's eigenvectors.
 *
 * Of "Revisiting self-supervised heterogeneous graph learning from spectral clustering
 * perspective", 2024 (arXiv 2412.00742), what a scheduler can use: as many zero eigenvalues of the
 * Laplacian L = D - W as there are components, and cuts along the second eigenvector where a
 * component is to be split (M. Fiedler, 1973).  The largest group (by vertices, ties to the first)
 * is split until there are enough: off a component, if it has several, else where the sorted
 * eigenvector's sweep has the least weight / min(sides), ties to the first.
 *
 * Eigenvalues by cyclic Jacobi rotations: O(n^3) a sweep, n at most 600.
 *
 *   vertex NAME
 *   edge NAME ends=V,V [weight=W] */
#include <stdlib.h>
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

#define MOST   600
#define SWEEPS 60
enum { VERTEX, EDGE };
static const tgs_i_column vertex[] = {{.key = NULL}};
static const tgs_i_column edge[] = {
    {"ends", TGS_I_ROW, true, 0, 0, NAN, VERTEX},
    {"weight", TGS_I_REAL, false, 1e-12, 1e12, 1, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"vertex", 1, MOST, vertex}, {"edge", 0, MOST *MOST, edge}, {.record = NULL}};

typedef struct spectrum {
    tgs_i_instance *file;
    int32_t n;       /* vertices */
    double *weight;  /* [n * n] */
    double *a, *v;   /* [n * n] of the vertices that are looked at: rotated L, its eigenvectors */
    int32_t *group;  /* [n] */
    int32_t *member; /* [n] of one group */
    int32_t *stack;  /* [n] */
    bool *seen;      /* [n] */
    struct entry *entry; /* [n] */
} spectrum;

typedef struct entry { /* of an eigenvector */
    double value;
    int32_t vertex;
} entry;

static int by_value(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->vertex < y->vertex ? -1 : 1;
}

/* L of k vertices into a, the identity into v */
static void laplacian(const spectrum *s, const int32_t *member, int32_t k)
{
    memset(s->a, 0, (size_t)k * (size_t)k * sizeof *s->a);
    memset(s->v, 0, (size_t)k * (size_t)k * sizeof *s->v);
    for (int32_t i = 0; i < k; i++) {
        s->v[i * k + i] = 1;
        for (int32_t j = 0; j < k; j++) {
            const double w = s->weight[member[i] * s->n + member[j]];

            if (i != j) {
                s->a[i * k + j] = -w;
                s->a[i * k + i] += w;
            }
        }
    }
}

/* makes a[p][q] zero */
static void rotate(const spectrum *s, int32_t k, int32_t p, int32_t q)
{
    double *a = s->a, *v = s->v;
    const double theta = (a[q * k + q] - a[p * k + p]) / (2 * a[p * k + q]);
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), d = t * c;

    for (int32_t i = 0; i < k; i++) {
        const double x = a[i * k + p], y = a[i * k + q];

        a[i * k + p] = c * x - d * y;
        a[i * k + q] = d * x + c * y;
    }
    for (int32_t i = 0; i < k; i++) {
        const double x = a[p * k + i], y = a[q * k + i], z = v[i * k + p];

        a[p * k + i] = c * x - d * y;
        a[q * k + i] = d * x + c * y;
        v[i * k + p] = c * z - d * v[i * k + q];
        v[i * k + q] = d * z + c * v[i * k + q];
    }
}

static void diagonalise(const spectrum *s, int32_t k)
{
    for (int32_t sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, on = 0;

        for (int32_t p = 0; p < k; p++)
            for (int32_t q = p; q < k; q++)
                *(p == q ? &on : &off) += s->a[p * k + q] * s->a[p * k + q];
        if (off <= 1e-30 * on)
            return;
        for (int32_t p = 0; p < k; p++)
            for (int32_t q = p + 1; q < k; q++)
                if (s->a[p * k + q] * s->a[p * k + q] > 1e-34 * on)
                    rotate(s, k, p, q);
    }
}

/* the vertices of a group that can be reached from its first one; returns how many */
static int32_t reach(const spectrum *s, int32_t k)
{
    int32_t depth = 1, count = 1;

    memset(s->seen, 0, (size_t)s->n * sizeof *s->seen);
    s->stack[0] = s->member[0];
    s->seen[s->member[0]] = true;
    while (depth) {
        const int32_t v = s->stack[--depth];

        for (int32_t i = 0; i < k; i++)
            if (!s->seen[s->member[i]] && s->weight[v * s->n + s->member[i]] > 0) {
                s->seen[s->member[i]] = true;
                s->stack[depth++] = s->member[i];
                count++;
            }
    }
    return count;
}

/* the sweep along the second eigenvector: entry[0, answer) go */
static int32_t sweep_cut(const spectrum *s, int32_t k)
{
    int32_t first = 0, second = -1, cut = 1;
    double least = INFINITY, weight = 0;

    laplacian(s, s->member, k);
    diagonalise(s, k);
    for (int32_t i = 1; i < k; i++) /* of the least eigenvalue, of the next */
        if (s->a[i * k + i] < s->a[first * k + first])
            first = i;
    for (int32_t i = 0; i < k; i++)
        if (i != first && (second < 0 || s->a[i * k + i] < s->a[second * k + second]))
            second = i;
    for (int32_t i = 0; i < k; i++)
        s->entry[i] = (entry){s->v[i * k + second], s->member[i]};
    qsort(s->entry, (size_t)k, sizeof *s->entry, by_value);
    memset(s->seen, 0, (size_t)s->n * sizeof *s->seen);
    for (int32_t i = 0; i + 1 < k; i++) {
        const int32_t v = s->entry[i].vertex;
        const double side = i + 1 < k - i - 1 ? i + 1 : k - i - 1;

        for (int32_t j = 0; j < k; j++) {
            const double w = j == i ? 0 : s->weight[v * s->n + s->entry[j].vertex];

            weight += s->seen[s->entry[j].vertex] ? -w : w;
        }
        s->seen[v] = true;
        if (weight / side < least) {
            least = weight / side;
            cut = i + 1;
        }
    }
    return cut;
}

/* splits group g into g and next; false: it has one vertex */
static bool split(const spectrum *s, int32_t g, int32_t next)
{
    int32_t k = 0, reached;

    for (int32_t v = 0; v < s->n; v++)
        if (s->group[v] == g)
            s->member[k++] = v;
    if (k < 2)
        return false;
    reached = reach(s, k);
    if (reached < k) {
        for (int32_t i = 0; i < k; i++)
            if (!s->seen[s->member[i]])
                s->group[s->member[i]] = next;
        return true;
    }
    reached = sweep_cut(s, k);
    for (int32_t i = 0; i < reached; i++)
        s->group[s->entry[i].vertex] = next;
    return true;
}

static int32_t largest(const spectrum *s, int32_t groups)
{
    int32_t best = 0, most = 0;

    for (int32_t g = 0; g < groups; g++) {
        int32_t count = 0;

        for (int32_t v = 0; v < s->n; v++)
            count += s->group[v] == g;
        if (count > most) {
            most = count;
            best = g;
        }
    }
    return best;
}

static tgs_status tell_spectrum(spectrum *s, tgs_proposal *out)
{
    int32_t zeros = 0;
    double most = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < s->n; i++)
        s->member[i] = i;
    laplacian(s, s->member, s->n);
    diagonalise(s, s->n);
    for (int32_t i = 0; i < s->n; i++) {
        s->entry[i] = (entry){s->a[i * s->n + i], i};
        most = fmax(most, s->entry[i].value);
    }
    qsort(s->entry, (size_t)s->n, sizeof *s->entry, by_value);
    for (int32_t i = 0; i < s->n; i++)
        zeros += s->entry[i].value <= 1e-9 * most;
    for (int32_t i = 0; i < s->n && i < 10 && !status; i++) {
        char name[32];

        snprintf(name, sizeof name, "eigenvalue_%d", i);
        status = tgs_proposal_figure(out, name,
                                     s->entry[i].value <= 1e-9 * most ? 0 : s->entry[i].value);
    }
    return status ? status : tgs_proposal_figure(out, "components", zeros);
}

static tgs_status tell_groups(const spectrum *s, tgs_proposal *out)
{
    double cut = 0;
    tgs_status status = TGS_OK;

    for (int32_t v = 0; v < s->n && !status; v++) {
        char choice[24];

        for (int32_t w = 0; w < v; w++)
            cut += s->group[v] != s->group[w] ? s->weight[v * s->n + w] : 0;
        snprintf(choice, sizeof choice, "group %d", s->group[v]);
        status = tgs_proposal_row(out, tgs_i_row_name(s->file, VERTEX, v), choice, NAN, NAN);
    }
    return status ? status : tgs_proposal_figure(out, "cut_weight", cut);
}

static tgs_status read_edges(const spectrum *s, tgs_error *err)
{
    for (int32_t e = 0; e < tgs_i_rows(s->file, EDGE); e++) {
        const double *ends, weight = tgs_i_real(s->file, EDGE, e, 1);

        if (tgs_i_list(s->file, EDGE, e, 0, &ends) != 2 || ends[0] == ends[1])
            return tgs_i_row_fail(s->file, EDGE, e, err, "an edge has two different ends");
        s->weight[(int32_t)ends[0] * s->n + (int32_t)ends[1]] += weight;
        s->weight[(int32_t)ends[1] * s->n + (int32_t)ends[0]] += weight;
    }
    return TGS_OK;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    const int32_t groups = (int32_t)tgs_arg_int(c->args, "groups");
    spectrum s = {.file = NULL};
    size_t n;
    tgs_status status = tgs_i_instance_read(&s.file, c->source, tables, err);

    if (status)
        return status;
    s.n = tgs_i_rows(s.file, VERTEX);
    n = (size_t)s.n;
    s.weight = tgs_mem_alloc(3 * n, n * sizeof *s.weight);
    s.group = tgs_mem_alloc(3 * n, sizeof *s.group);
    s.seen = tgs_mem_alloc(n, sizeof *s.seen);
    s.entry = tgs_mem_alloc(n, sizeof *s.entry);
    if (!s.weight || !s.group || !s.seen || !s.entry) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d vertices", s.n);
        goto done;
    }
    s.a = s.weight + n * n;
    s.v = s.a + n * n;
    s.member = s.group + n;
    s.stack = s.member + n;
    status = read_edges(&s, err);
    if (!status && groups > s.n)
        status = tgs_fail(err, TGS_EINFEASIBLE, "%d vertices are no %d groups", s.n, groups);
    for (int32_t g = 1; g < groups && !status; g++)
        if (!split(&s, largest(&s, g), g))
            status = tgs_fail(err, TGS_EINFEASIBLE, "no group is left to split");
    if (!status)
        status = tell_groups(&s, out);
    if (!status)
        status = tell_spectrum(&s, out);
done:
    tgs_mem_free(s.weight);
    tgs_mem_free(s.group);
    tgs_mem_free(s.seen);
    tgs_mem_free(s.entry);
    tgs_i_instance_free(s.file);
    return status;
}

static const tgs_param params[] = {
    {"groups", "2", TGS_PARAM_INT, 1, MOST, "groups"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_spectral_coarsen = {
    .base = {TGS_PLUGIN_ABI, "spectral-coarsen", "groups of a graph by its eigenvectors",
             "after Mo et al., 2024 (arXiv 2412.00742); Fiedler, 1973", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S17",
    .plan = plan,
};
