/* m-sct.c -- m-SCT: ETF in which a processor waits a little for its last task's favourite child.
 *
 * B. Jeon, L. Cai, C. Shetty, P. Srivastava, J. Jiang, X. Ke, Y. Meng, C. Xie, I. Gupta, "Baechi:
 * fast device placement of machine learning graphs", SoCC 2020; C. Hanen, A. Munier, "An
 * approximation algorithm for scheduling dependent tasks on m processors with small communication
 * delays", ETFA 1995.
 *
 * A linear program chooses, for any number of processors, the edges that cost nothing: of each task
 * at most one to a child, and one from a parent.
 *
 *     min T,  s_v >= s_u + w_u + c_uv x_uv,  T >= s_v + w_v,  0 <= x <= 1,
 *     sum over v of (1 - x_uv) <= 1,  sum over u of (1 - x_uv) <= 1
 *
 * v is the favourite child of u when x_uv < 1/2, which can hold for one v only.  Then as m-etf. The
 * program has a column for each task and each pair of tasks with an edge; more than `edges` of
 * these are refused. */
#include "budget.h"
#include "tgsched/lp.h"

typedef struct pairs { /* tasks joined by edges: the data between two of them count as one */
    int32_t count, *from, *to;
    double *c;
} pairs;

typedef struct program {
    const tgs_view *v;
    tgs_lp *lp;
    pairs e;
    double *wbar;
    double unit;        /* seconds */
    int32_t *column;    /* scratch [pairs + 1] */
    double *one;        /* scratch [pairs + 1], all 1 */
    int32_t *at, *edge; /* pairs by `from` or `to`: CSR */
} program;

static void list_pairs(program *m)
{
    const tgs_graph_view *g = m->v->g;
    pairs *e = &m->e;

    for (int32_t v = 0; v < g->tasks; v++)
        for (int32_t i = g->pred_at[v]; i < g->pred_at[v + 1]; i++) {
            const int32_t u = g->pred[i]; /* ascending */

            if (i == g->pred_at[v] || g->pred[i - 1] != u) {
                e->from[e->count] = u;
                e->to[e->count] = v;
                e->c[e->count++] = 0;
            }
            e->c[e->count - 1] = fmax(e->c[e->count - 1], tgs_cbar(m->v, g->pred_datum[i]));
        }
}

/* columns: s of each task, x of each pair, T */
static void add_columns(program *m)
{
    double most = 0;

    for (int32_t j = 0; j < m->v->n; j++)
        most += m->wbar[j];
    for (int32_t i = 0; i < m->e.count; i++)
        most += m->e.c[i];
    m->unit = most > 0 ? most : 1;
    for (int32_t j = 0; j < m->v->n; j++)
        tgs_lp_column(m->lp, NULL, 0, 1, 0, false);
    for (int32_t i = 0; i < m->e.count; i++)
        tgs_lp_column(m->lp, NULL, 0, 1, 0, false);
    tgs_lp_column(m->lp, NULL, 0, 1, 1, false);
}

static void add_times(program *m)
{
    const int32_t n = m->v->n, T = n + m->e.count;

    for (int32_t i = 0; i < m->e.count; i++) {
        const int32_t column[] = {m->e.to[i], m->e.from[i], n + i};
        const double a[] = {1, -1, -m->e.c[i] / m->unit};

        tgs_lp_row(m->lp, NULL, m->wbar[m->e.from[i]] / m->unit, INFINITY, 3, column, a);
    }
    for (int32_t j = 0; j < n; j++)
        tgs_lp_row(m->lp, NULL, m->wbar[j] / m->unit, INFINITY, 2, (int32_t[]){T, j},
                   (double[]){1, -1});
}

/* of the pairs with one end in common all but one cost something */
static void add_favourites(program *m, const int32_t *end)
{
    const int32_t n = m->v->n;

    for (int32_t j = 0; j < n + 2; j++)
        m->at[j] = 0;
    for (int32_t i = 0; i < m->e.count; i++)
        m->at[end[i] + 2]++;
    for (int32_t j = 0; j < n; j++)
        m->at[j + 2] += m->at[j + 1];
    for (int32_t i = 0; i < m->e.count; i++)
        m->edge[m->at[end[i] + 1]++] = i;
    for (int32_t j = 0; j < n; j++) {
        const int32_t count = m->at[j + 1] - m->at[j];

        for (int32_t k = 0; k < count; k++)
            m->column[k] = n + m->edge[m->at[j] + k];
        if (count > 1)
            tgs_lp_row(m->lp, NULL, count - 1, INFINITY, count, m->column, m->one);
    }
}

static tgs_status solve(program *m, int32_t *child, tgs_error *err)
{
    tgs_lp_answer answer;
    tgs_status status;

    add_columns(m);
    add_times(m);
    add_favourites(m, m->e.from);
    add_favourites(m, m->e.to);
    status = tgs_lp_relax(m->lp, &answer, err);
    if (status)
        return status;
    if (answer.end != TGS_LP_OPTIMAL && answer.end != TGS_LP_FEASIBLE)
        return tgs_fail(err, TGS_EBACKEND, "m-sct: the linear program was not solved");
    for (int32_t i = 0; i < m->e.count; i++)
        if (tgs_lp_value(m->lp, m->v->n + i) < 0.5)
            child[m->e.from[i]] = m->e.to[i];
    return TGS_OK;
}

static void close_program(program *m)
{
    tgs_lp_free(m->lp);
    tgs_mem_free(m->e.from);
    tgs_mem_free(m->e.to);
    tgs_mem_free(m->e.c);
    tgs_mem_free(m->wbar);
    tgs_mem_free(m->column);
    tgs_mem_free(m->one);
    tgs_mem_free(m->at);
    tgs_mem_free(m->edge);
}

/* child[n]: favourites, -1 none */
static tgs_status find_children(const tgs_view *v, int32_t *child, tgs_error *err)
{
    const size_t n = (size_t)v->n, most = (size_t)v->g->edges + 1;
    program m = {.v = v};
    tgs_status status = tgs_lp_new(&m.lp, err);

    if (status)
        return status;
    m.e.from = tgs_mem_alloc(most, sizeof *m.e.from);
    m.e.to = tgs_mem_alloc(most, sizeof *m.e.to);
    m.e.c = tgs_mem_alloc(most, sizeof *m.e.c);
    m.wbar = tgs_mem_alloc(n, sizeof *m.wbar);
    m.column = tgs_mem_alloc(most, sizeof *m.column);
    m.one = tgs_mem_alloc(most, sizeof *m.one);
    m.at = tgs_mem_alloc(n + 2, sizeof *m.at);
    m.edge = tgs_mem_alloc(most, sizeof *m.edge);
    if (!m.e.from || !m.e.to || !m.e.c || !m.wbar || !m.column || !m.one || !m.at || !m.edge)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for favourite children");
    else
        status = tgs_i_weights(v, TGS_I_MEAN, m.wbar, err);
    if (!status) {
        for (size_t i = 0; i < most; i++)
            m.one[i] = 1;
        for (int32_t j = 0; j < v->n; j++)
            child[j] = -1;
        list_pairs(&m);
        status = m.e.count ? solve(&m, child, err) : TGS_OK;
    }
    close_program(&m);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const int64_t most = tgs_arg_int(c->args, "edges");
    tgs_i_budget b;
    tgs_status status;

    if (!tgs_lp_available())
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "m-sct: built without a solver of linear programs");
    if (c->v->g->edges > most)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "m-sct: %d edges, more than edges=%lld",
                        c->v->g->edges, (long long)most);
    status = tgs_i_budget_open(&b, c->v, err);
    if (status)
        return status;
    b.child = tgs_mem_alloc((size_t)c->v->n, sizeof *b.child);
    status = b.child ? find_children(c->v, b.child, err)
                     : tgs_fail(err, TGS_ENOMEM, "out of memory for favourite children");
    if (!status)
        status = tgs_i_budget_run(&b, c, plan, err);
    tgs_i_budget_close(&b);
    return status;
}

static const tgs_param params[] = {
    {"edges", "5000", TGS_PARAM_INT, 0, 1e6, "largest graph whose linear program is tried"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_m_sct = {
    .base = {TGS_PLUGIN_ABI, "m-sct", "earliest task first; processors wait for favourite children",
             "Jeon et al., SoCC 2020 (Baechi); Hanen, Munier, ETFA 1995", params},
    .run = run,
};
