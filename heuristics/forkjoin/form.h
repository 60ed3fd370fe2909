/* form.h -- the class form of a fork-join case, and what a solver of it answers.
 *
 * Machines of a class look alike to every job.  Job j on class g takes p, may start at r, and is
 * followed by q; L = max (C_j + q_j).  Nothing here knows of graphs or platforms. */
#ifndef TGS_FJ_FORM_H
#define TGS_FJ_FORM_H
#include "tgsched/plugin.h"

typedef struct tgs_i_fj_form {
    int32_t n, classes;
    const int32_t *at;       /* [classes + 1]: class g has the machines at[g] .. at[g + 1] - 1 */
    const double *p, *r, *q; /* [j * classes + g]; p INFINITY: not allowed */
} tgs_i_fj_form;

typedef struct tgs_i_fj_answer {
    int32_t *machine;    /* [n] */
    double *start;       /* [n] since the end of the source */
    double L;            /* INFINITY: nothing better than the limit was found */
    double lower;        /* no schedule of the form has less */
    const char *by;      /* what showed lower, in words; NULL */
    const char *theorem; /* why L is optimal, in words; NULL */
} tgs_i_fj_answer;

static inline double tgs_i_fj_through(const tgs_i_fj_form *f, int32_t j, int32_t g)
{
    const int64_t x = (int64_t)j * f->classes + g;

    return f->r[x] + f->p[x] + f->q[x];
}

/* the class where a job alone is through first, ties by index */
static inline int32_t tgs_i_fj_quickest(const tgs_i_fj_form *f, int32_t j)
{
    int32_t best = 0;

    for (int32_t g = 1; g < f->classes; g++)
        if (tgs_i_fj_through(f, j, g) < tgs_i_fj_through(f, j, best))
            best = g;
    return best;
}

tgs_status tgs_i_fj_answer_new(tgs_i_fj_answer *a, int32_t n); /* L INFINITY, lower 0 */
void tgs_i_fj_answer_free(tgs_i_fj_answer *a);

/* Bounds that cost O(n (log n + classes)): a job alone; work over machines; pigeonholes: of the
 * k m + 1 longest jobs some machine has k + 1.  Both take every job at its shortest p. */
tgs_status tgs_i_fj_quick_bound(const tgs_i_fj_form *f, double *bound);
/* and which of them it is */
tgs_status tgs_i_fj_quick_reason(const tgs_i_fj_form *f, double *bound, const char **by);

/* Polynomial cases.  *known: the answer is optimal and says by which theorem.
 * (a) one machine without r and q, as many others as jobs;
 * (c) jobs that are alike; (d) one p per class, no q (a fork) or no r (a join), and the r (or q) of
 * every class in the same order of jobs;
 * (e) one p per class, all but one class without r and q, and on that one r and q in the same order
 * of jobs, or no others: few jobs; (g) one p per class, and all r, or all q, multiples of it.
 * Not *known, but with one p per class: a may be a schedule and lower raised (even.h).
 * O(n log n + n log m), O((n + m) log) for (d). */
tgs_status tgs_i_fj_special(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known);
/* (b) one machine without r and one without q, with the same p; as many others as jobs; and q of
 * the one in the same order of jobs as r of the other: exact, in time that grows with the loads
 * that can be reached.  Not *known when it is another case, or these are too many. */
tgs_status tgs_i_fj_apart(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known);

#define TGS_I_FJ_EXACT 20 /* most jobs of the branch and bound */
/* Branch and bound over the machine of the next job, at most `nodes` nodes; only answers below
 * `limit` count.  *finished: nothing below min (L, limit) exists, and lower says so. */
tgs_status tgs_i_fj_branch(const tgs_i_fj_form *f, int64_t nodes, double limit, tgs_i_fj_answer *a,
                           bool *finished);
#endif
