/* acyclic.c -- tasks in parts that only pass data on to later ones, each in a memory of its own.
 *
 * J. Herrmann, M. Y. Özkaya, B. Uçar, K. Kaya, Ü. V. Çatalyürek, "Multilevel algorithms for
 * acyclic partitioning of directed acyclic graphs", SIAM J. Sci. Comput. 41(4), 2019; placing as in
 * M. Y. Özkaya, A. Benoit, B. Uçar, J. Herrmann, Ü. V. Çatalyürek, "A scalable
 * clustering-based task scheduler for homogeneous processors using DAG partitioning", IPDPS 2019.
 *
 * A part is a stage of a pipeline: what it needs from others is there before it begins.  Work by
 * the speed of the processors; an edge costs what its datum costs on the way, cbar.  The partition
 * is that of dag.h; the parts are placed and ordered by core.c.  With rounds, the graph is cut into
 * that many times more parts, dealt out in turn, so that stages of the next round follow while
 * others still work; 0 tries 1, 4, 16, 64 and takes the best schedule.
 * O((n + e) log n log parts) for each. */
#include <string.h>
#include "core.h"
#include "dag.h"

typedef struct acyclic {
    const tgs_ctx *c;
    const tgs_view *v;
    tgs_i_split s;
    tgs_i_dag d;
    double *share;         /* [parts * rounds] */
    int32_t *place, *part; /* [n] by position; by task */
} acyclic;

static bool list_tasks(acyclic *a)
{
    const tgs_graph_view *g = a->v->g;
    int32_t arcs = 0;

    if (!tgs_i_dag_open(&a->d, g->tasks, g->edges))
        return false;
    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t j = g->topo[i];

        a->d.weight[i] = a->s.wbar[j];
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            a->d.out[arcs++] =
                (tgs_i_arc){g->topo_pos[g->succ[k]], tgs_cbar(a->v, g->succ_datum[k])};
        a->d.out_at[i + 1] = arcs;
    }
    tgs_i_dag_turn(&a->d);
    return true;
}

static tgs_status no_memory(const acyclic *a, tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory to partition %d tasks", a->v->n);
}

static tgs_status try_rounds(acyclic *a, int32_t rounds, tgs_plan *plan, tgs_error *err)
{
    const int32_t parts = a->s.parts;

    for (int32_t p = 0; p < parts * rounds; p++)
        a->share[p] = a->s.speed[p % parts];
    if (!tgs_i_dag_parts(&a->d, parts * rounds, a->share, tgs_arg_real(a->c->args, "imbalance"),
                         a->place))
        return no_memory(a, err);
    for (int32_t i = 0; i < a->v->n; i++)
        a->part[a->v->g->topo[i]] = a->place[i] % parts;
    return tgs_i_split_place(&a->s, a->c, plan, a->part, err);
}

/* more rounds as long as that helps */
static tgs_status try_more(acyclic *a, int32_t most, tgs_plan *plan, tgs_error *err)
{
    tgs_plan *other = NULL;
    tgs_status status = try_rounds(a, 1, plan, err);
    bool better = true;

    if (!status && most > 1)
        status = tgs_plan_open(&other, a->v, err);
    for (int32_t rounds = 2; rounds <= most && better && !status; rounds *= 4) {
        status = try_rounds(a, rounds, other, err);
        better = !status && tgs_plan_makespan(a->v, other) < tgs_plan_makespan(a->v, plan);
        if (better)
            status = tgs_plan_assign(a->v, plan, other);
    }
    tgs_plan_free(other);
    return status;
}

#define ROUNDS 64

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(c->args, "rounds"), most = given ? given : ROUNDS;
    const size_t n = (size_t)c->v->n;
    acyclic a = {.c = c, .v = c->v};
    tgs_status status = tgs_i_split_open(&a.s, c, err);

    if (status)
        return status;
    a.share = tgs_mem_alloc((size_t)a.s.parts * (size_t)most, sizeof *a.share);
    a.place = tgs_mem_alloc(n, sizeof *a.place);
    a.part = tgs_mem_alloc(n, sizeof *a.part);
    if (!a.share || !a.place || !a.part || !list_tasks(&a))
        status = no_memory(&a, err);
    if (!status)
        status = given ? try_rounds(&a, given, plan, err) : try_more(&a, most, plan, err);
    tgs_mem_free(a.share);
    tgs_mem_free(a.place);
    tgs_mem_free(a.part);
    tgs_i_dag_close(&a.d);
    tgs_i_split_close(&a.s);
    return status;
}

static const tgs_param params[] = {
    {"parts", "memories", TGS_PARAM_TEXT, 0, 0, "what a part is: " TGS_I_SPLIT_PARTS},
    {"rounds", "0", TGS_PARAM_INT, 0, 1000,
     "parts for each memory; 0: 1, 4, 16, ... while that helps"},
    {"imbalance", "0.05", TGS_PARAM_REAL, 0, 100, "how much a part may exceed its share"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_acyclic = {
    .base = {TGS_PLUGIN_ABI, "acyclic", "acyclic multilevel partition, then upward rank",
             "Herrmann, Ozkaya, Ucar, Kaya, Catalyurek, SIAM J. Sci. Comput. 41(4), 2019", params},
    .run = run,
};
