/* plain.h -- a plain list scheduler for tests: every question is answered by looking at everything.
 * Include after fixture.h.  Graphs have edges only; times are whole numbers, so that sums are
 * exact. */
#ifndef TGS_TEST_PLAIN_H
#define TGS_TEST_PLAIN_H
#include "fixture.h"

#define PLAIN_MOST 64 /* tasks */

typedef struct plain {
    const tgs_view *v;
    int32_t proc[PLAIN_MOST]; /* -1: not placed */
    double start[PLAIN_MOST], end[PLAIN_MOST];
} plain;

static inline void plain_begin(plain *x, const tgs_view *v)
{
    assert_true(v->n <= PLAIN_MOST);
    x->v = v;
    for (int32_t j = 0; j < v->n; j++)
        x->proc[j] = -1;
}

static inline int32_t plain_memory(const plain *x, int32_t p)
{
    return x->v->p->proc[p].memory;
}

static inline double plain_free(const plain *x, int32_t p)
{
    double end = 0;

    for (int32_t j = 0; j < x->v->n; j++)
        end = x->proc[j] == p ? fmax(end, x->end[j]) : end;
    return end;
}

static inline bool plain_is_ready(const plain *x, int32_t j)
{
    for (int32_t k = x->v->g->pred_at[j]; k < x->v->g->pred_at[j + 1]; k++)
        if (x->proc[x->v->g->pred[k]] < 0)
            return false;
    return x->proc[j] < 0;
}

/* DRT, counting only what placed tasks send */
static inline double plain_arrival(const plain *x, int32_t j, int32_t p)
{
    const tgs_graph_view *g = x->v->g;
    double ready = 0;

    for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++)
        if (x->proc[g->pred[k]] >= 0)
            ready =
                fmax(ready, x->end[g->pred[k]]
                                + tgs_c(x->v, g->pred_datum[k],
                                        plain_memory(x, x->proc[g->pred[k]]), plain_memory(x, p)));
    return ready;
}

/* the earliest start, into a gap or behind the last task */
static inline double plain_start(const plain *x, int32_t j, int32_t p, bool insert)
{
    double start = plain_arrival(x, j, p);

    if (!insert)
        return fmax(start, plain_free(x, p));
    for (bool moved = true; moved;) { /* past the first task in the way, as often as one is */
        moved = false;
        for (int32_t i = 0; i < x->v->n; i++)
            if (x->proc[i] == p && x->end[i] > start && x->start[i] < start + tgs_w(x->v, j, p)) {
                start = x->end[i];
                moved = true;
            }
    }
    return start;
}

static inline void plain_put(plain *x, int32_t j, int32_t p, double start)
{
    x->proc[j] = p;
    x->start[j] = start;
    x->end[j] = start + tgs_w(x->v, j, p);
}

static inline double plain_mean(const tgs_view *v, int32_t j)
{
    double sum = 0;
    int32_t n = 0;

    for (int32_t p = 0; p < v->m; p++)
        if (tgs_w(v, j, p) < INFINITY) {
            sum += tgs_w(v, j, p);
            n++;
        }
    return sum / n;
}

/* level(j) = w(j) + max over successors of (cbar + level), or without cbar */
static inline void plain_levels(const tgs_view *v, const double *w, bool communication,
                                double *level)
{
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = v->g->topo[i];

        level[j] = 0;
        for (int32_t k = v->g->succ_at[j]; k < v->g->succ_at[j + 1]; k++)
            level[j] = fmax(level[j], level[v->g->succ[k]]
                                          + (communication ? tgs_cbar(v, v->g->succ_datum[k]) : 0));
        level[j] += w[j];
    }
}

/* equal but for rounding: what the grid of the ranks takes for equal */
static inline bool plain_equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a));
}

/* of all, or of the ready tasks that are not placed: the highest level, then the first position */
static inline int32_t plain_highest(const plain *x, const double *level, bool ready)
{
    int32_t best = -1;

    for (int32_t i = 0; i < x->v->n; i++) {
        const int32_t j = x->v->g->topo[i];

        if (x->proc[j] >= 0 || (ready && !plain_is_ready(x, j)))
            continue;
        if (best < 0 || (level[j] > level[best] && !plain_equal(level[j], level[best])))
            best = j;
    }
    return best;
}

/* times are multiples of 0.1, whose sums round: only where nothing goes into gaps */
static bool plain_rounds;

/* layered at random, whole times and sizes; picky: one of six tasks may run on one kind only */
static inline tgs_graph *plain_graph(tgs_rng *r, const tgs_platform *p, int32_t tasks, bool picky)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};
    const int64_t edges = tgs_rng_int(r, 0, 4); /* 0: independent */

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int32_t j = 0; j < tasks; j++) {
        tgs_builder_task(b, NULL, NULL, NAN);
        for (int32_t k = 0; k < p->v.kinds; k++)
            tgs_builder_task_time(b, j, p->v.kind[k].name,
                                  (plain_rounds ? 0.1 : 2) * (double)tgs_rng_int(r, 1, 10));
        if (picky && !tgs_rng_int(r, 0, 5))
            tgs_builder_task_constrain(b, j, "kinds",
                                       p->v.kind[tgs_rng_int(r, 0, p->v.kinds - 1)].name);
        for (int32_t i = j - 8 > 0 ? j - 8 : 0; i < j; i++)
            if (tgs_rng_int(r, 0, 19) < edges)
                tgs_builder_edge(b, i, j, (double)tgs_rng_int(r, 0, 12));
    }
    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}
/* ---- comparing ------------------------------------------------------------------------------- */
#define GRAPHS 60

static const char *const machines[] = {"cpu:1", "cpu:4/own link:1,0", "cpu:2 gpu:2 link:4,2",
                                       "a:1/own b:1x2/own c:2x0.5/own link:2,1"};
#define MACHINES 4

typedef void (*plain_run)(plain *x, const void *how);

/* the heuristic places every task of random graphs as the plain version does; machine -1: all */
static inline void compare(const char *spec, plain_run run, const void *how, int32_t machine,
                           bool picky)
{
    for (int32_t i = 0; i < MACHINES; i++) {
        tgs_platform *p = machine < 0 || machine == i ? fixture_platform(machines[i]) : NULL;

        for (uint64_t seed = 1; p && seed <= GRAPHS; seed++) {
            fixture f = {NULL, p, NULL};
            tgs_rng r;
            tgs_schedule *s;
            tgs_error err;
            plain x;

            tgs_rng_seed(&r, seed);
            f.g = plain_graph(&r, p, (int32_t)tgs_rng_int(&r, 1, 30), picky);
            f.pb = fixture_problem(f.g, p, "latbw");
            if (tgs_schedule_make(&s, f.pb, spec, 1, &err))
                fail_msg("%s: %s", spec, err.text);
            plain_begin(&x, &f.pb->v);
            run(&x, how);
            for (int32_t j = 0; j < x.v->n; j++)
                if (s->v.place[j].proc != x.proc[j] || s->v.place[j].start != x.start[j])
                    fail_msg("%s, %s, seed %d: task %d is on %d at %g, not on %d at %g", spec,
                             machines[i], (int)seed, j, s->v.place[j].proc, s->v.place[j].start,
                             x.proc[j], x.start[j]);
            tgs_schedule_free(s);
            tgs_problem_free(f.pb);
            tgs_graph_free(f.g);
        }
        tgs_platform_free(p);
    }
}

/* two specs give the same schedules */
static inline void same(const char *spec, const char *other)
{
    for (uint64_t seed = 1; seed <= MACHINES * GRAPHS; seed++) {
        fixture f = {NULL, fixture_platform(machines[seed % MACHINES]), NULL};
        tgs_schedule *s, *t;
        tgs_error err;
        tgs_rng r;

        tgs_rng_seed(&r, seed);
        f.g = plain_graph(&r, f.p, (int32_t)tgs_rng_int(&r, 1, 30), true);
        f.pb = fixture_problem(f.g, f.p, "latbw");
        if (tgs_schedule_make(&s, f.pb, spec, 1, &err)
            || tgs_schedule_make(&t, f.pb, other, 1, &err))
            fail_msg("%s, %s: %s", spec, other, err.text);
        for (int32_t j = 0; j < f.g->v.tasks; j++)
            if (s->v.place[j].proc != t->v.place[j].proc
                || s->v.place[j].start != t->v.place[j].start)
                fail_msg("%s and %s, seed %d: task %d", spec, other, (int)seed, j);
        tgs_schedule_free(s);
        tgs_schedule_free(t);
        fixture_close(&f);
    }
}
#endif
