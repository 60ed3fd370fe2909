/* counts.c -- lower bounds and classes of jobs from whole numbers of big jobs.
 *
 * Big jobs that look alike on a grid of T / 64 are a type, and its number on each class is a whole
 * number; small ones of about the same windows are a group that may be cut.  Of a window t1 .. t2 a
 * job takes at least what it cannot do before or after it, and m machines have m (t2 - t1).  On one
 * machine sizes x with a sum of at most 1 have sum floor((k + 1) x) / k <= 1 as well [G. S. Lueker
 * 1983], which counts the jobs above 1 / (k + 1) of a window.  All are necessary, so a T for which
 * the program has no solution is a lower bound: proven by the prices of its relaxation, evaluated
 * outward, or by the solver's own search. */
#include <stdlib.h>
#include <string.h>
#include "counts.h"
#include "tgsched/lp.h"

enum {
    CLASSES = 4,
    GROUPS = 300, /* of small jobs, at most */
    FINE = 64,    /* of T, the grid of big jobs */
    COARSE = 8,   /* of small jobs, and of windows */
    STEPS = 5,    /* k of the rounding */
    NODES = 40,   /* of a search */
    TESTS = 12
};

typedef struct entry { /* a job at T */
    uint32_t key[CLASSES];
    int32_t job;
} entry;

typedef struct counts {
    const tgs_i_fj_form *f;
    double T;
    entry *entry;          /* [n] by key */
    int32_t items, *at;    /* [n + 1] jobs of an item: entry at[i] .. at[i + 1] - 1 */
    double *p, *r, *q;     /* [items * classes] the least of its jobs; small: p of them all */
    double share[CLASSES]; /* room */
    int32_t *column;       /* [items * classes + 1] of a row */
    double *coefficient;   /* [same] */
    int64_t p_room, r_room, q_room, column_room, coefficient_room;
    tgs_lp *lp; /* columns: item by class, then the overload that is minimised */
    int32_t *class_of;
    tgs_error *err;
} counts;

static bool allowed(const counts *x, int32_t j, int32_t g)
{
    return tgs_i_fj_through(x->f, j, g) <= x->T * (1 + 1e-12);
}

static bool is_big(const tgs_i_fj_form *f, int32_t j, double T)
{
    double p = INFINITY;

    for (int32_t g = 0; g < f->classes; g++)
        p = fmin(p, f->p[(int64_t)j * f->classes + g]);
    return p > T / 8 && p < INFINITY;
}

static uint32_t cell(double t, double T, int grid)
{
    return (uint32_t)fmin(grid, floor(t / T * grid));
}

/* what makes jobs alike; 0: not on this class */
static uint32_t look(const counts *x, int32_t j, int32_t g, bool big, double reference)
{
    const int64_t i = (int64_t)j * x->f->classes + g;
    const int grid = big ? FINE : COARSE;
    const uint32_t r = cell(x->f->r[i], x->T, grid), q = cell(x->f->q[i], x->T, grid);
    double size = x->f->p[i] / x->T * FINE;

    if (!allowed(x, j, g))
        return 0;
    if (!big) /* 5 % steps of what it takes here and on the first class that takes it */
        size = 128 + fmax(-127, fmin(127, floor(tgs_log(x->f->p[i] / reference) / 0.05)));
    return 1u << 31 | (uint32_t)big << 30 | (uint32_t)size << 16 | r << 8 | q;
}

static int by_key(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    for (int32_t g = 0; g < CLASSES; g++)
        if (x->key[g] != y->key[g])
            return x->key[g] < y->key[g] ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static int32_t first_class(const counts *x, int32_t j)
{
    for (int32_t g = 0; g < x->f->classes; g++)
        if (allowed(x, j, g) && x->f->p[(int64_t)j * x->f->classes + g] > 0)
            return g;
    return -1;
}

/* *nowhere: no class takes some job by T */
static void sort_jobs(counts *x, bool *nowhere)
{
    const tgs_i_fj_form *f = x->f;

    *nowhere = false;
    for (int32_t j = 0; j < f->n; j++) {
        const int32_t first = first_class(x, j);
        uint32_t any = 0;

        x->entry[j] = (entry){{0}, j};
        for (int32_t g = 0; g < f->classes; g++)
            any |= x->entry[j].key[g] = look(x, j, g, is_big(f, j, x->T),
                                             first < 0 ? 1 : f->p[(int64_t)j * f->classes + first]);
        *nowhere |= !any;
    }
    qsort(x->entry, (size_t)f->n, sizeof *x->entry, by_key);
    x->items = 0;
    for (int32_t k = 0; k < f->n; k++)
        if (!k || memcmp(x->entry[k].key, x->entry[k - 1].key, sizeof x->entry[k].key) != 0)
            x->at[x->items++] = k;
    x->at[x->items] = f->n;
}

static bool item_big(const counts *x, int32_t i)
{
    uint32_t any = 0;

    for (int32_t g = 0; g < x->f->classes; g++)
        any |= x->entry[x->at[i]].key[g];
    return any >> 30 & 1;
}

static int32_t amount(const counts *x, int32_t i)
{
    return item_big(x, i) ? x->at[i + 1] - x->at[i] : 1;
}

/* p, r and q of the items */
static tgs_status measure(counts *x)
{
    const tgs_i_fj_form *f = x->f;
    const int64_t room = (int64_t)x->items * f->classes;
    tgs_status status = tgs_mem_grow(&x->p, &x->p_room, room, sizeof *x->p);

    if (!status)
        status = tgs_mem_grow(&x->r, &x->r_room, room, sizeof *x->r);
    if (!status)
        status = tgs_mem_grow(&x->q, &x->q_room, room, sizeof *x->q);
    if (!status)
        status = tgs_mem_grow(&x->column, &x->column_room, room + 1, sizeof *x->column);
    if (!status)
        status =
            tgs_mem_grow(&x->coefficient, &x->coefficient_room, room + 1, sizeof *x->coefficient);
    for (int32_t i = 0; i < x->items && !status; i++)
        for (int32_t g = 0; g < f->classes; g++) {
            double p = INFINITY, r = INFINITY, q = INFINITY, ratio = INFINITY, work = 0;

            for (int32_t k = x->at[i]; k < x->at[i + 1]; k++) {
                const int32_t j = x->entry[k].job, first = first_class(x, j);
                const int64_t at = (int64_t)j * f->classes;
                const double reference = first < 0 ? 0 : f->p[at + first];

                p = fmin(p, f->p[at + g]);
                r = fmin(r, f->r[at + g]);
                q = fmin(q, f->q[at + g]);
                if (reference > 0)
                    ratio = fmin(ratio, f->p[at + g] / reference);
                work += reference;
            }
            x->p[(int64_t)i * f->classes + g] = item_big(x, i) ? p : work > 0 ? ratio * work : 0;
            x->r[(int64_t)i * f->classes + g] = r;
            x->q[(int64_t)i * f->classes + g] = q;
        }
    return status;
}

/* what one of the item takes of the window on class g, at least */
static double taken(const counts *x, int32_t i, int32_t g, double t1, double t2)
{
    const int64_t at = (int64_t)i * x->f->classes + g;
    const double p = x->p[at], r = x->r[at], due = x->T - x->q[at];

    if (!item_big(x, i))
        return r >= t1 && due <= t2 ? p : 0;
    return fmax(0, fmin(fmin(p, t2 - t1), fmin(r + p - t1, t2 - (due - p))));
}

/* the row of window t1 .. t2 of class g; k 0: of sizes, else of rounded ones.  None when the class
 * could have everything */
static void add_row(counts *x, int32_t g, double t1, double t2, int32_t k)
{
    const double m = x->f->at[g + 1] - x->f->at[g];
    double most = 0;
    int32_t used = 0;

    for (int32_t i = 0; i < x->items; i++) {
        double part;

        if (!x->entry[x->at[i]].key[g] || (k && !item_big(x, i)))
            continue;
        part = taken(x, i, g, t1, t2) / (t2 - t1) * (1 - 1e-9);
        part = k ? floor((k + 1) * part) / k : part;
        if (!(part > 0))
            continue;
        x->column[used] = i * x->f->classes + g;
        x->coefficient[used++] = part;
        most += part * amount(x, i);
    }
    if (most <= m)
        return;
    x->column[used] = x->items * x->f->classes;
    x->coefficient[used++] = -m;
    tgs_lp_row(x->lp, NULL, -INFINITY, m, used, x->column, x->coefficient);
}

static tgs_status write_program(counts *x)
{
    const int32_t G = x->f->classes;
    const tgs_status status = tgs_lp_new(&x->lp, x->err);

    if (status)
        return status;
    for (int32_t i = 0; i < x->items; i++)
        for (int32_t g = 0; g < G; g++)
            tgs_lp_column(x->lp, NULL, 0, x->entry[x->at[i]].key[g] ? amount(x, i) : 0, 0,
                          item_big(x, i));
    tgs_lp_column(x->lp, NULL, 0, 1e4, 1, false);
    for (int32_t i = 0; i < x->items; i++) {
        for (int32_t g = 0; g < G; g++) {
            x->column[g] = i * G + g;
            x->coefficient[g] = 1;
        }
        tgs_lp_row(x->lp, NULL, amount(x, i), amount(x, i), G, x->column, x->coefficient);
    }
    for (int32_t g = 0; g < G; g++)
        for (int32_t a = 0; a < COARSE; a++)
            for (int32_t b = a + 1; b <= COARSE; b++)
                for (int32_t k = 0; k <= STEPS; k++)
                    add_row(x, g, x->T * a / COARSE, x->T * b / COARSE, k);
    return TGS_OK;
}

/* the program's numbers as classes: big jobs by count, small ones by the share that is left */
static void read_classes(counts *x)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t i = 0; i < x->items; i++) {
        double work = 0;

        for (int32_t k = x->at[i]; k < x->at[i + 1]; k++) {
            const int32_t first = first_class(x, x->entry[k].job);

            work += first < 0 ? 0 : f->p[(int64_t)x->entry[k].job * f->classes + first];
        }
        for (int32_t g = 0; g < f->classes; g++)
            x->share[g] = tgs_lp_value(x->lp, i * f->classes + g) * (item_big(x, i) ? 1 : work);
        for (int32_t k = x->at[i]; k < x->at[i + 1]; k++) {
            const int32_t j = x->entry[k].job, first = first_class(x, j);
            int32_t best = -1;

            for (int32_t g = 0; g < f->classes; g++)
                if (x->entry[k].key[g] && (best < 0 || x->share[g] > x->share[best]))
                    best = g;
            x->class_of[j] = best;
            x->share[best] -=
                item_big(x, i) || first < 0 ? 1 : f->p[(int64_t)j * f->classes + first];
        }
    }
}

/* *refuted: no schedule has L <= T; *found: class_of is a solution */
static tgs_status test(counts *x, double T, bool *refuted, bool *found)
{
    const tgs_lp_limits limits = {.nodes = NODES, .gap = 1e-6};
    tgs_lp_answer answer;
    tgs_status status;

    x->T = T;
    sort_jobs(x, refuted);
    if (*refuted || x->items > GROUPS + TGS_I_FJ_BIG)
        return TGS_OK;
    status = measure(x);
    if (!status)
        status = write_program(x);
    if (!status)
        status = tgs_lp_relax(x->lp, &answer, x->err);
    *refuted = !status && answer.end == TGS_LP_OPTIMAL && tgs_lp_safe_bound(x->lp, NULL) > 1e-9;
    if (!status && !*refuted) {
        status = tgs_lp_solve(x->lp, &limits, &answer, x->err);
        *refuted = !status && answer.bound > 1e-6;
        if (!status && (answer.end == TGS_LP_OPTIMAL || answer.end == TGS_LP_FEASIBLE)) {
            read_classes(x);
            *found = true;
        }
    }
    tgs_lp_free(x->lp);
    x->lp = NULL;
    return status;
}

static bool useful(const tgs_i_fj_form *f, double lower)
{
    const int64_t m = f->at[f->classes];
    int64_t big = 0;

    if (!tgs_lp_available() || f->classes > CLASSES || !(lower > 0))
        return false;
    for (int32_t j = 0; j < f->n; j++)
        big += is_big(f, j, lower);
    return big > 0 && big <= TGS_I_FJ_BIG && big <= 10 * m;
}

tgs_status tgs_i_fj_counts(const tgs_i_fj_form *f, double eps, double limit, tgs_i_fj_answer *a,
                           int32_t *class_of, bool *found, tgs_error *err)
{
    counts x = {.f = f, .class_of = class_of, .err = err};
    double high = fmin(a->L, limit) * (1 - 1e-9);
    tgs_status status = TGS_OK;

    *found = false;
    if (!useful(f, a->lower))
        return TGS_OK;
    x.entry = tgs_mem_alloc((size_t)f->n, sizeof *x.entry);
    x.at = tgs_mem_alloc((size_t)f->n + 1, sizeof *x.at);
    if (!x.entry || !x.at)
        status = TGS_ENOMEM;
    for (int i = 0; i < TESTS && !status && high > a->lower * (1 + fmax(eps / 4, 1e-4)); i++) {
        const double T = i ? a->lower + (high - a->lower) / 2 : a->lower;
        bool refuted = false;

        status = test(&x, T, &refuted, found);
        if (!status && refuted)
            a->lower = T;
        else
            high = T;
    }
    tgs_mem_free(x.entry);
    tgs_mem_free(x.at);
    tgs_mem_free(x.p);
    tgs_mem_free(x.r);
    tgs_mem_free(x.q);
    tgs_mem_free(x.column);
    tgs_mem_free(x.coefficient);
    return status;
}
