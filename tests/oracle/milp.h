/* milp.h -- the scheme for fork-join cases to the letter, for tiny instances: MILP(T) over
 * configurations of cells, and a schedule from its solution.  With delta = 1 / k:
 *
 * intervals of delta T, k + 3 of them; mu = delta^2; cells of delta mu T, 1 / mu to an interval.  A
 * job on a class has its release rounded down and its due date, stretched by 1 + 3 delta, rounded
 * up to intervals; it is big if p > mu T, and then takes whole cells.  A configuration places big
 * jobs by type (window, cells) in the cells of one machine.  z_C machines of each class have
 * configuration C; jobs go in fractions to big slots of their type, or as small ones to intervals,
 * where what they take is at most the free cells.
 *
 * If a schedule has L <= T the program has a solution; from any solution follows a schedule with
 * L <= (1 + 10 delta) T.  Include after forms.h. */
#ifndef TGS_TEST_MILP_H
#define TGS_TEST_MILP_H
#include <string.h>
#include "tgsched/lp.h"

enum { MILP_INTERVALS = 6, MILP_STATES = 20000, MILP_CELLS = 54 };

typedef struct placing { /* of one machine: big jobs by type, free cells by interval */
    uint8_t count[JOBS], free[MILP_INTERVALS];
    int32_t placed;
    uint8_t type[JOBS], cell[JOBS];
} placing;

typedef struct milp {
    const tgs_i_fj_form *f;
    double T, interval, cell; /* lengths */
    int32_t k, intervals, per_interval;
    /* of job j on class g */
    bool allowed[JOBS][CLASSES], big[JOBS][CLASSES];
    int32_t rho[JOBS][CLASSES], kap[JOBS][CLASSES], cells[JOBS][CLASSES];
    int32_t type_of[JOBS][CLASSES]; /* the first job with the same window and cells */
    placing *config[CLASSES];
    int32_t configs[CLASSES];
    tgs_lp *lp;
    int32_t *z[CLASSES];                                                  /* columns */
    int32_t x_big[JOBS][CLASSES], x_small[JOBS][CLASSES][MILP_INTERVALS]; /* columns; -1 none */
} milp;

/* ---- rounding -------------------------------------------------------------------------------- */
static inline void milp_round(milp *m)
{
    const tgs_i_fj_form *f = m->f;
    const double delta = 1.0 / m->k;

    m->intervals = m->k + 3;
    m->per_interval = m->k * m->k;
    m->interval = m->T / m->k;
    m->cell = m->T / m->k / m->k / m->k;
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t g = 0; g < f->classes; g++) {
            const int32_t i = j * f->classes + g;
            const double due = (1 + 3 * delta) * (m->T - f->q[i]);

            m->allowed[j][g] = f->p[i] + f->r[i] + f->q[i] <= m->T;
            if (!m->allowed[j][g])
                continue;
            m->rho[j][g] = (int32_t)floor(f->r[i] / m->interval);
            m->kap[j][g] = (int32_t)ceil(due / m->interval - 1e-9);
            m->big[j][g] = f->p[i] * m->k * m->k > m->T;
            m->cells[j][g] = (int32_t)ceil(f->p[i] / m->cell - 1e-9);
            m->type_of[j][g] = j;
            for (int32_t o = j - 1; o >= 0; o--)
                if (m->allowed[o][g] && m->big[o][g] && m->rho[o][g] == m->rho[j][g]
                    && m->kap[o][g] == m->kap[j][g] && m->cells[o][g] == m->cells[j][g])
                    m->type_of[j][g] = m->type_of[o][g];
        }
}

/* ---- configurations: left to right over the cells; of equal counts only those with more free --
 */
static inline bool milp_dominates(const milp *m, const placing *a, const placing *b)
{
    if (memcmp(a->count, b->count, sizeof a->count) != 0)
        return false;
    for (int32_t t = 0; t < m->intervals; t++)
        if (a->free[t] < b->free[t])
            return false;
    return true;
}

static inline void milp_keep(const milp *m, placing *list, int32_t *count, const placing *x)
{
    int32_t used = 0;

    for (int32_t i = 0; i < *count; i++)
        if (milp_dominates(m, &list[i], x))
            return;
    for (int32_t i = 0; i < *count; i++)
        if (!milp_dominates(m, x, &list[i]))
            list[used++] = list[i];
    assert_true(used < MILP_STATES);
    list[used++] = *x;
    *count = used;
}

static inline void milp_configurations(milp *m, int32_t g)
{
    const tgs_i_fj_form *f = m->f;
    const int32_t cells = m->intervals * m->per_interval;
    static placing state[MILP_CELLS + 1][MILP_STATES];
    int32_t states[MILP_CELLS + 1] = {0}, of_type[JOBS] = {0};

    assert_true(cells <= MILP_CELLS);
    for (int32_t j = 0; j < f->n; j++)
        if (m->allowed[j][g] && m->big[j][g])
            of_type[m->type_of[j][g]]++;
    memset(&state[0][0], 0, sizeof state[0][0]);
    states[0] = 1;
    for (int32_t c = 0; c < cells; c++)
        for (int32_t i = 0; i < states[c]; i++) {
            placing next = state[c][i];

            next.free[c / m->per_interval]++;
            milp_keep(m, state[c + 1], &states[c + 1], &next);
            for (int32_t j = 0; j < f->n; j++) {
                const int32_t end = c + m->cells[j][g];

                next = state[c][i];
                if (next.count[j] >= of_type[j] || c < m->rho[j][g] * m->per_interval
                    || end > m->kap[j][g] * m->per_interval || end > cells)
                    continue;
                next.count[j]++;
                next.type[next.placed] = (uint8_t)j;
                next.cell[next.placed++] = (uint8_t)c;
                milp_keep(m, state[end], &states[end], &next);
            }
        }
    m->configs[g] = states[cells];
    m->config[g] = calloc((size_t)states[cells], sizeof *m->config[g]);
    memcpy(m->config[g], state[cells], (size_t)states[cells] * sizeof *m->config[g]);
}

/* ---- the program ----------------------------------------------------------------------------- */
typedef struct milp_row {
    int32_t count, column[MILP_STATES + 64];
    double coefficient[MILP_STATES + 64];
} milp_row;

static inline void milp_put(milp_row *r, int32_t column, double coefficient)
{
    if (column < 0)
        return;
    assert_true(r->count < MILP_STATES + 64);
    r->column[r->count] = column;
    r->coefficient[r->count++] = coefficient;
}

static inline void milp_add(milp *m, milp_row *r, double low, double high)
{
    tgs_lp_row(m->lp, NULL, low, high, r->count, r->column, r->coefficient);
    r->count = 0;
}

static inline void milp_columns(milp *m)
{
    const tgs_i_fj_form *f = m->f;

    for (int32_t g = 0; g < f->classes; g++) {
        m->z[g] = calloc((size_t)m->configs[g], sizeof *m->z[g]);
        for (int32_t c = 0; c < m->configs[g]; c++)
            m->z[g][c] = tgs_lp_column(m->lp, NULL, 0, f->at[g + 1] - f->at[g], 0, true);
    }
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t g = 0; g < f->classes; g++) {
            m->x_big[j][g] =
                m->allowed[j][g] && m->big[j][g] ? tgs_lp_column(m->lp, NULL, 0, 1, 0, false) : -1;
            for (int32_t t = 0; t < m->intervals; t++)
                m->x_small[j][g][t] =
                    m->allowed[j][g] && !m->big[j][g] && t >= m->rho[j][g] && t < m->kap[j][g]
                        ? tgs_lp_column(m->lp, NULL, 0, 1, 0, false)
                        : -1;
        }
}

static inline void milp_rows(milp *m)
{
    const tgs_i_fj_form *f = m->f;
    static milp_row r;

    r.count = 0;
    for (int32_t g = 0; g < f->classes; g++) { /* (1) */
        for (int32_t c = 0; c < m->configs[g]; c++)
            milp_put(&r, m->z[g][c], 1);
        milp_add(m, &r, f->at[g + 1] - f->at[g], f->at[g + 1] - f->at[g]);
    }
    for (int32_t j = 0; j < f->n; j++) { /* (2) */
        for (int32_t g = 0; g < f->classes; g++) {
            milp_put(&r, m->x_big[j][g], 1);
            for (int32_t t = 0; t < m->intervals; t++)
                milp_put(&r, m->x_small[j][g][t], 1);
        }
        milp_add(m, &r, 1, 1);
    }
    for (int32_t g = 0; g < f->classes; g++) {
        for (int32_t th = 0; th < f->n; th++) { /* (3) */
            for (int32_t j = 0; j < f->n; j++)
                if (m->allowed[j][g] && m->type_of[j][g] == th)
                    milp_put(&r, m->x_big[j][g], 1);
            if (!r.count)
                continue;
            for (int32_t c = 0; c < m->configs[g]; c++)
                if (m->config[g][c].count[th])
                    milp_put(&r, m->z[g][c], -m->config[g][c].count[th]);
            milp_add(m, &r, -INFINITY, 0);
        }
        for (int32_t t = 0; t < m->intervals; t++) { /* (4), over T */
            for (int32_t j = 0; j < f->n; j++)
                milp_put(&r, m->x_small[j][g][t], f->p[j * f->classes + g] / m->T);
            for (int32_t c = 0; c < m->configs[g]; c++)
                if (m->config[g][c].free[t])
                    milp_put(&r, m->z[g][c], -m->cell / m->T * m->config[g][c].free[t]);
            milp_add(m, &r, -INFINITY, 0);
        }
    }
}

static inline bool milp_solve(milp *m, const tgs_i_fj_form *f, double T, int32_t k)
{
    tgs_lp_answer answer;
    tgs_error err = {TGS_OK, ""};

    memset(m, 0, sizeof *m);
    m->f = f;
    m->T = T;
    m->k = k;
    milp_round(m);
    for (int32_t g = 0; g < f->classes; g++)
        milp_configurations(m, g);
    assert_int_equal(tgs_lp_new(&m->lp, &err), TGS_OK);
    milp_columns(m);
    milp_rows(m);
    if (tgs_lp_solve(m->lp, NULL, &answer, &err))
        fail_msg("%s", err.text);
    assert_true(answer.end == TGS_LP_OPTIMAL || answer.end == TGS_LP_INFEASIBLE);
    return answer.end == TGS_LP_OPTIMAL;
}

static inline void milp_close(milp *m)
{
    tgs_lp_free(m->lp);
    for (int32_t g = 0; g < m->f->classes; g++) {
        free(m->config[g]);
        free(m->z[g]);
    }
}
#endif
