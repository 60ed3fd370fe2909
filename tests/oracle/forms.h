/* forms.h -- fork-join cases in class form for tests, and their optimum by trying every sequence on
 * every machine.  Include after fixture.h. */
#ifndef TGS_TEST_FORMS_H
#define TGS_TEST_FORMS_H
#include "../heuristics/forkjoin/form.h"
#include "forkjoin.h"

enum { JOBS = 8, CLASSES = 4 };

typedef struct instance {
    tgs_i_fj_form f;
    int32_t at[CLASSES + 1];
    double p[JOBS * CLASSES], r[JOBS * CLASSES], q[JOBS * CLASSES];
} instance;

static inline instance *open_instance(int32_t classes)
{
    instance *x = calloc(1, sizeof *x);

    x->f = (tgs_i_fj_form){0, classes, x->at, x->p, x->r, x->q};
    return x;
}

static inline void put(instance *x, int32_t j, int32_t g, double p, double r, double q)
{
    const int32_t i = j * x->f.classes + g;

    x->p[i] = p;
    x->r[i] = r;
    x->q[i] = q;
}

/* equal processors: the local one, the one of the sink if it is another, the rest */
static inline void equal(instance *x, int32_t m, bool apart)
{
    x->f.classes = apart ? 2 + (m > 2) : 1 + (m > 1);
    x->at[1] = 1;
    x->at[2] = apart ? 2 : m;
    x->at[3] = m;
}

static inline void put_equal(instance *x, int32_t j, bool apart, const double part[3])
{
    put(x, j, 0, part[1], 0, apart ? part[2] : 0);
    if (apart)
        put(x, j, 1, part[1], part[0], 0);
    if (x->f.classes > 1 + apart)
        put(x, j, 1 + apart, part[1], part[0], part[2]);
    x->f.n = j + 1;
}

/* ---- the oracle: append any job to any machine ------------------------------------------------
 */
static inline void append(const tgs_i_fj_form *f, unsigned done, double *end, double L,
                          double *best)
{
    if (L >= *best)
        return;
    if (done == (1u << f->n) - 1)
        *best = L;
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t g = 0; g < f->classes && !(done >> j & 1); g++)
            for (int32_t i = f->at[g]; i < f->at[g + 1]; i++) {
                const int32_t x = j * f->classes + g;
                const double was = end[i];

                if (f->p[x] == INFINITY)
                    continue;
                end[i] = fmax(was, f->r[x]) + f->p[x];
                append(f, done | 1u << j, end, fmax(L, end[i] + f->q[x]), best);
                end[i] = was;
                if (was == 0)
                    break; /* another empty machine of the class is no different */
            }
}

static inline double optimum(const tgs_i_fj_form *f)
{
    double end[64] = {0}, best = INFINITY;

    assert_true(f->at[f->classes] <= 64);
    append(f, 0, end, 0, &best);
    return best;
}

/* the answer is a schedule of length a->L */
static inline void check(const tgs_i_fj_form *f, const tgs_i_fj_answer *a)
{
    double L = 0;
    int32_t class_of[JOBS];

    for (int32_t j = 0; j < f->n; j++) {
        int32_t g = 0, x;

        while (a->machine[j] >= f->at[g + 1])
            g++;
        assert_true(g < f->classes);
        x = j * f->classes + g;
        class_of[j] = x;
        assert_true(a->start[j] >= f->r[x] - 1e-9 && f->p[x] < INFINITY);
        L = fmax(L, a->start[j] + f->p[x] + f->q[x]);
    }
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t k = 0; k < j; k++)
            if (a->machine[j] == a->machine[k])
                assert_true(a->start[j] >= a->start[k] + f->p[class_of[k]] - 1e-9
                            || a->start[k] >= a->start[j] + f->p[class_of[j]] - 1e-9);
    assert_true(fabs(L - a->L) <= 1e-9 * L);
}

static inline double some(tgs_rng *r, int64_t most)
{
    return (double)tgs_rng_int(r, 0, most);
}

static inline fixture star(const char *platform, const char *tasks)
{
    fixture x;
    tgs_builder *b;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_builder_new(&b, &err), TGS_OK);
    tgs_builder_task(b, "source", NULL, 0);
    tgs_builder_task(b, "sink", NULL, 0);
    for (const char *s = tasks; *s;) {
        double part[3];
        int32_t task;

        s = fork_join_task(s, part);
        task = tgs_builder_task(b, NULL, NULL, part[1]);
        tgs_builder_edge(b, 0, task, part[0]);
        tgs_builder_edge(b, task, 1, part[2]);
    }
    assert_int_equal(tgs_builder_finish(&x.g, b, &err), TGS_OK);
    x.p = fixture_platform(platform);
    x.pb = fixture_problem(x.g, x.p, "latbw");
    return x;
}
#endif
