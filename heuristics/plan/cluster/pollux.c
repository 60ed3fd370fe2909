/* pollux.c -- GPUs to training jobs by goodput.
 *
 * A. Qiao et al., "Pollux: co-adaptive cluster scheduling for goodput-optimized deep learning",
 * OSDI 2021; the law is goodput.h's.  method=ga: a matrix jobs x nodes of replicas by an NSGA-II
 * (genes.c) whose genomes are repaired: a node has its GPUs, at most one job that spans nodes has a
 * part on each, a job its most replicas.  Fitness is the harmonic mean of the jobs' speedups over
 * an equal share of the GPUs, each times (age - 30 restarts) / (age + 30) where its replicas
 * change; the second objective is the nodes in use.  method=greedy is the baseline: one GPU at a
 * time to the job that gains most.
 *
 *   node NAME gpus=N
 *   job NAME gradient=A,B [local=A,B] [remote=A,B] [gamma=G] [noise=PHI] [initial=M0] [most=M]
 *       [limit=M] [batch=M] [replicas=K] [age=S] [restarts=N] [now=k,k,...]     (one k a node) */
#include <string.h>
#include "tgsched/planner.h"
#include "../core.h"
#include "goodput.h"
#include "../instance.h"

enum { NODE, JOB };
enum {
    GRADIENT,
    LOCAL,
    REMOTE,
    GAMMA,
    NOISE,
    INITIAL,
    MOST,
    LIMIT,
    BATCH,
    REPLICAS,
    AGE,
    RESTARTS,
    NOW
};
static const tgs_i_column node[] = {
    {"gpus", TGS_I_WHOLE, false, 1, 1000, NAN, 0},
    {.key = NULL},
};
static const tgs_i_column job[] = {
    {"gradient", TGS_I_REAL, true, 0, 1e9, NAN, 0},
    {"local", TGS_I_REAL, true, 0, 1e9, 0, 0},
    {"remote", TGS_I_REAL, true, 0, 1e9, 0, 0},
    {"gamma", TGS_I_REAL, false, 1, 10, 1, 0},
    {"noise", TGS_I_REAL, false, 0, 1e15, 0, 0},
    {"initial", TGS_I_REAL, false, 1, 1e12, 1, 0},
    {"most", TGS_I_REAL, false, 1, 1e12, 1e12, 0},
    {"limit", TGS_I_REAL, false, 1, 1e12, 1e12, 0},
    {"batch", TGS_I_WHOLE, false, 1, 1e12, 0, 0},
    {"replicas", TGS_I_WHOLE, false, 1, 1e6, 1e6, 0},
    {"age", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {"restarts", TGS_I_WHOLE, false, 0, 1e9, 0, 0},
    {"now", TGS_I_WHOLE, true, 0, 1000, 0, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"node", 1, 1000, node}, {"job", 1, 1000, job}, {.record = NULL}};

typedef struct cluster {
    tgs_i_instance *file;
    const tgs_planner_ctx *c;
    int32_t nodes, jobs;
    int32_t *gpus;   /* [nodes] */
    tgs_i_law *law;  /* [jobs] */
    double *fair;    /* [jobs] goodput of an equal share */
    double *speedup; /* [jobs] of the matrix that is looked at */
    int32_t *spans;  /* [nodes] the job that spans nodes and has a part there, -1 none */
    int32_t *left;   /* [nodes] GPUs */
} cluster;

static double of(const cluster *x, int32_t j, int32_t column)
{
    return tgs_i_real(x->file, JOB, j, column);
}

static tgs_status read_law(cluster *x, int32_t j, tgs_error *err)
{
    tgs_i_law *law = &x->law[j];
    double *to[] = {law->gradient, law->local, law->remote};

    *law = (tgs_i_law){.gamma = of(x, j, GAMMA),
                       .noise = of(x, j, NOISE),
                       .initial = of(x, j, INITIAL),
                       .most = of(x, j, MOST),
                       .limit = of(x, j, LIMIT),
                       .fixed = of(x, j, BATCH)};
    for (int k = 0; k < 3; k++) {
        const double *list;
        const int32_t n = tgs_i_list(x->file, JOB, j, k, &list);

        if (n && n != 2)
            return tgs_i_row_fail(x->file, JOB, j, err, "%s has 2 values", job[k].key);
        for (int32_t i = 0; i < n; i++)
            to[k][i] = list[i];
    }
    if (!(law->gradient[0] + law->gradient[1] > 0))
        return tgs_i_row_fail(x->file, JOB, j, err, "gradient=0,0 takes no time");
    if (law->limit == 1e12) /* not given: what the cluster holds in one pass */
        law->limit = 0;
    return TGS_OK;
}

static tgs_status read_all(cluster *x, tgs_error *err)
{
    int32_t gpus = 0, share;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->nodes; i++)
        gpus += x->gpus[i] = tgs_i_index(x->file, NODE, i, 0);
    share = gpus / x->jobs > 1 ? gpus / x->jobs : 1;
    for (int32_t j = 0; j < x->jobs && !status; j++) {
        const double *now;
        const int32_t n = tgs_i_list(x->file, JOB, j, NOW, &now);

        status = read_law(x, j, err);
        if (!status && n && n != x->nodes)
            status =
                tgs_i_row_fail(x->file, JOB, j, err, "%d values of now= for %d nodes", n, x->nodes);
        if (status)
            break;
        if (x->law[j].limit == 0)
            x->law[j].limit = fmax(x->law[j].initial, fmin(x->law[j].most * gpus, 1e12));
        x->fair[j] = tgs_i_goodput_best(&x->law[j], share, share <= x->gpus[0]).goodput;
        if (!(x->fair[j] > 0))
            status = tgs_i_row_fail(x->file, JOB, j, err, "no batch of an equal share fits");
    }
    return status;
}

/* what job j has in a matrix; *one_node: on one node alone */
static int32_t replicas(const cluster *x, const int32_t *matrix, int32_t j, bool *one_node)
{
    int32_t sum = 0, parts = 0;

    for (int32_t i = 0; i < x->nodes; i++) {
        sum += matrix[j * x->nodes + i];
        parts += matrix[j * x->nodes + i] > 0;
    }
    *one_node = parts <= 1;
    return sum;
}

/* a matrix that is allowed: what is too much is taken from the last jobs */
static void repair(cluster *x, int32_t *matrix)
{
    for (int32_t i = 0; i < x->nodes; i++) {
        x->left[i] = x->gpus[i];
        x->spans[i] = -1;
    }
    for (int32_t j = 0; j < x->jobs; j++) {
        int32_t *row = matrix + (int64_t)j * x->nodes, parts = 0;
        int32_t most = (int32_t)of(x, j, REPLICAS);

        for (int32_t i = 0; i < x->nodes; i++) {
            row[i] = row[i] < x->left[i] ? row[i] : x->left[i];
            row[i] = row[i] < most ? row[i] : most;
            most -= row[i];
            parts += row[i] > 0;
        }
        for (int32_t i = 0; i < x->nodes && parts > 1; i++)
            if (row[i] > 0 && x->spans[i] >= 0) {
                row[i] = 0;
                parts--;
            }
        for (int32_t i = 0; i < x->nodes; i++) {
            x->left[i] -= row[i];
            if (row[i] > 0 && parts > 1)
                x->spans[i] = j;
        }
    }
}

static double worth(const cluster *x, const int32_t *matrix, int32_t j)
{
    const double *now;
    const int32_t n = tgs_i_list(x->file, JOB, j, NOW, &now);
    bool one_node, same = true;
    const int32_t k = replicas(x, matrix, j, &one_node);
    const double speedup = tgs_i_goodput_best(&x->law[j], k, one_node).goodput / x->fair[j];

    for (int32_t i = 0; i < n; i++)
        same &= now[i] == matrix[j * x->nodes + i];
    if (!n || same)
        return speedup;
    return speedup * fmax(0, (of(x, j, AGE) - 30 * of(x, j, RESTARTS)) / (of(x, j, AGE) + 30));
}

static tgs_status judge(void *user, int32_t *matrix, double *value, tgs_error *err)
{
    cluster *x = user;

    (void)err;
    repair(x, matrix);
    for (int32_t j = 0; j < x->jobs; j++)
        x->speedup[j] = worth(x, matrix, j);
    value[0] = -tgs_i_harmonic_mean(x->jobs, x->speedup);
    value[1] = 0;
    for (int32_t i = 0; i < x->nodes; i++)
        value[1] += x->left[i] < x->gpus[i];
    return TGS_OK;
}

/* ---- one GPU at a time ----------------------------------------------------------------------- */
/* the node for one more replica of j: where it is, else the one with least left that has one */
static int32_t node_for(const cluster *x, const int32_t *matrix, int32_t j)
{
    int32_t best = -1;

    for (int32_t i = 0; i < x->nodes; i++) {
        const bool mine = matrix[j * x->nodes + i] > 0;

        if (x->left[i] == 0)
            continue;
        if (mine)
            return i;
        if (best < 0 || x->left[i] > x->left[best])
            best = i;
    }
    return best;
}

static void greedy(cluster *x, int32_t *matrix)
{
    for (int32_t i = 0; i < x->nodes; i++)
        x->left[i] = x->gpus[i];
    for (;;) {
        int32_t best = -1, best_node = -1;
        double most = 0;

        for (int32_t j = 0; j < x->jobs; j++) {
            const int32_t i = node_for(x, matrix, j);
            bool one_node;
            const int32_t k = replicas(x, matrix, j, &one_node);
            const double now = worth(x, matrix, j);
            double gain;

            if (i < 0 || k >= of(x, j, REPLICAS))
                continue;
            matrix[j * x->nodes + i]++;
            gain = worth(x, matrix, j) - now;
            matrix[j * x->nodes + i]--;
            if (k == 0)
                gain += 1e6; /* who has nothing comes first */
            if (gain > most) {
                most = gain;
                best = j;
                best_node = i;
            }
        }
        if (best < 0)
            return;
        matrix[best * x->nodes + best_node]++;
        x->left[best_node]--;
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */
static tgs_status tell(cluster *x, int32_t *matrix, tgs_proposal *out, tgs_error *err)
{
    double value[2], all = 0;
    tgs_status status = judge(x, matrix, value, err);

    for (int32_t j = 0; j < x->jobs && !status; j++) {
        bool one_node;
        const int32_t k = replicas(x, matrix, j, &one_node);
        const tgs_i_goodput g = tgs_i_goodput_best(&x->law[j], k, one_node);
        char choice[200];

        snprintf(choice, sizeof choice,
                 "%d replicas on %s, %.0f x %.0f samples, %.6g samples/s, efficiency %.6g", k,
                 one_node ? "one node" : "several nodes", g.passes, g.batch, g.throughput,
                 g.efficiency);
        all += g.goodput;
        status = tgs_proposal_row(out, tgs_i_row_name(x->file, JOB, j), choice,
                                  k ? k * g.batch * g.passes / g.throughput : NAN, NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "fitness", -value[0]);
    if (!status)
        status = tgs_proposal_figure(out, "useful_samples_per_s", all);
    return status ? status : tgs_proposal_figure(out, "nodes", value[1]);
}

static tgs_status allocate(cluster *x, int32_t *matrix, tgs_proposal *out, tgs_error *err)
{
    const char *method = tgs_arg_text(x->c->args, "method");
    int32_t most = 0, *genes = NULL, count;
    double *value = NULL;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->nodes; i++)
        most = x->gpus[i] > most ? x->gpus[i] : most;
    if (strcmp(method, "ga") && strcmp(method, "greedy"))
        return tgs_fail(err, TGS_EINVAL, "method=%.40s: it is ga or greedy", method);
    greedy(x, matrix);
    if (!strcmp(method, "ga")) {
        const tgs_i_part part = {x->jobs * x->nodes, 0, most};
        const tgs_i_genome g = {.parts = 1,
                                .objectives = 2,
                                .part = &part,
                                .judge = judge,
                                .user = x,
                                .stop = x->c->stop,
                                .stop_user = x->c->user,
                                .seeds = 1,
                                .seed = matrix,
                                .size = (int32_t)tgs_arg_int(x->c->args, "size"),
                                .evals = tgs_arg_int(x->c->args, "evals"),
                                .mutation = 0.7};

        status = tgs_i_evolve(&g, x->c->rng, &genes, &value, &count, err);
        if (!status)
            memcpy(matrix, genes, (size_t)part.genes * sizeof *matrix);
    }
    tgs_mem_free(genes);
    tgs_mem_free(value);
    return status ? status : tell(x, matrix, out, err);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    cluster x = {.c = c};
    int32_t *matrix = NULL;
    tgs_status status = tgs_i_instance_read(&x.file, c->source, tables, err);

    if (status)
        return status;
    x.nodes = tgs_i_rows(x.file, NODE);
    x.jobs = tgs_i_rows(x.file, JOB);
    x.gpus = tgs_mem_alloc((size_t)x.nodes, 3 * sizeof *x.gpus);
    x.law = tgs_mem_alloc((size_t)x.jobs, sizeof *x.law);
    x.fair = tgs_mem_alloc((size_t)x.jobs, 2 * sizeof *x.fair);
    matrix = tgs_mem_alloc((size_t)x.jobs, (size_t)x.nodes * sizeof *matrix);
    if (!x.gpus || !x.law || !x.fair || !matrix) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d jobs", x.jobs);
        goto done;
    }
    x.spans = x.gpus + x.nodes;
    x.left = x.spans + x.nodes;
    x.speedup = x.fair + x.jobs;
    status = read_all(&x, err);
    if (!status)
        status = allocate(&x, matrix, out, err);
done:
    tgs_mem_free(x.gpus);
    tgs_mem_free(x.law);
    tgs_mem_free(x.fair);
    tgs_mem_free(matrix);
    tgs_i_instance_free(x.file);
    return status;
}

static const tgs_param params[] = {
    {"method", "ga", TGS_PARAM_TEXT, 0, 0, "ga or greedy"},
    {"evals", "10000", TGS_PARAM_INT, 1, 1e12, "matrices to look at"},
    {"size", "100", TGS_PARAM_INT, 2, 10000, "matrices in the population"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_pollux = {
    .base = {TGS_PLUGIN_ABI, "pollux", "GPUs to training jobs by goodput",
             "Qiao et al., Pollux, OSDI 2021", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S2",
    .plan = plan,
};
