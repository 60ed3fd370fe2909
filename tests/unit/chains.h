/* chains.h -- networks that are chains of layers, and what tests of transforms ask of their steps;
 * include cmocka.h first. */
#ifndef TESTS_UNIT_CHAINS_H
#define TESTS_UNIT_CHAINS_H
#include <stdlib.h>
#include "nets.h"

enum { LAYERS = 6, WIDTH = 5, STEPS = 2 };

static inline tgs_model *chain(void)
{
    net n = net_new();
    char name[16], in[16], list[40];

    net_input(&n, "x", DIMS(4, WIDTH));
    strcpy(in, "x");
    for (int i = 0; i < LAYERS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        net_stored(&n, name, DIMS(WIDTH, WIDTH));
        snprintf(list, sizeof list, "%s w%d", in, i);
        snprintf(name, sizeof name, "h%d", i);
        net_op(&n, "MatMul", list, name, NULL);
        snprintf(in, sizeof in, "t%d", i);
        net_op(&n, "Tanh", name, in, NULL);
    }
    return net_model(&n, in);
}

/* in double, so that nothing hides in the rounding */
static inline void weights(const char *strategy, double *out)
{
    tgs_model *m = chain();
    tgs_graph *g = lowered(m, strategy);
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
    tgs_error err = {TGS_OK, ""};
    char name[16];

    assert_int_equal(tgs_platform_parse(&p, "cpu:3", &err), 0);
    if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial:precision=f64", &err))
        fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i < STEPS; i++)
        if (tgs_run_step(r, &err))
            fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i < LAYERS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        assert_int_equal(
            tgs_run_read_f64(r, tgs_graph_find_datum(g, name), out + i * WIDTH * WIDTH, &err), 0);
    }
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* to 1e-10 of their norm */
static inline void assert_weights(const char *strategy, const double *wanted)
{
    double got[LAYERS * WIDTH * WIDTH], difference = 0, norm = 0;

    weights(strategy, got);
    for (int k = 0; k < LAYERS * WIDTH * WIDTH; k++) {
        difference += (got[k] - wanted[k]) * (got[k] - wanted[k]);
        norm += wanted[k] * wanted[k];
    }
    if (!(norm > 0) || !(sqrt(difference) <= 1e-10 * sqrt(norm)))
        fail_msg("%s: off by %g of %g", strategy, sqrt(difference), sqrt(norm));
}

/* layers in a row of these forward seconds (NULL: 1) whose backward pass takes factor times as long
 */
static inline tgs_model *profile_of(int layers, const double *forward, double factor)
{
    static const int64_t one[] = {1};
    tgs_model_builder *b;
    tgs_model *m;
    char name[16];
    int32_t in = -1;

    assert_int_equal(tgs_model_builder_new(&b, "profile", NULL), TGS_OK);
    for (int i = 0; i < layers; i++) {
        int32_t out, op;

        snprintf(name, sizeof name, "l%d", i);
        out = tgs_model_tensor(b, name);
        tgs_model_shape(b, out, TGS_BYTES, 1, one);
        op = tgs_model_operator(b, name, "tgsched.Layer", NULL, in >= 0, &in, 1, &out);
        tgs_model_time(b, op, NULL, forward ? forward[i] : 1, factor * (forward ? forward[i] : 1));
        in = out;
    }
    tgs_model_output(b, in);
    assert_int_equal(tgs_model_finish(&m, b, NULL), TGS_OK);
    return m;
}

static inline tgs_model *profile(int layers)
{
    return profile_of(layers, NULL, 2);
}

/* seconds of the longest chain: with a block a task, and the blocks of a stage in a row, it is what
 * a pipeline takes whose stages have a processor each */
static inline double longest(const tgs_graph *g)
{
    double *end = calloc((size_t)g->v.tasks, sizeof *end), most = 0;

    for (int32_t i = 0; i < g->v.tasks; i++) {
        const int32_t t = g->v.topo[i];

        end[t] += isnan(g->v.task[t].work) ? 0 : g->v.task[t].work;
        most = fmax(most, end[t]);
        for (int32_t e = g->v.succ_at[t]; e < g->v.succ_at[t + 1]; e++)
            end[g->v.succ[e]] = fmax(end[g->v.succ[e]], end[t]);
    }
    free(end);
    return most;
}

static inline bool comes_before(const tgs_graph *g, const char *from, const char *to)
{
    const int32_t u = tgs_graph_find_task(g, from), v = tgs_graph_find_task(g, to);
    bool *seen = calloc((size_t)g->v.tasks, sizeof *seen), found;

    assert_true(u >= 0 && v >= 0);
    seen[u] = true;
    for (int32_t i = 0; i < g->v.tasks; i++)
        for (int32_t e = g->v.succ_at[g->v.topo[i]]; e < g->v.succ_at[g->v.topo[i] + 1]; e++)
            seen[g->v.succ[e]] |= seen[g->v.topo[i]];
    found = seen[v];
    free(seen);
    return found;
}

static inline void assert_refused(const tgs_model *m, const char *strategy, const char *what)
{
    tgs_strategy *s;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (tgs_strategy_parse(&s, strategy, &err))
        fail_msg("%s: %s", strategy, err.text);
    if (!tgs_model_lower(&g, m, s, &err) || g || !strstr(err.text, what))
        fail_msg("%s: '%s', not '%s'", strategy, err.text, what);
    tgs_strategy_free(s);
}
#endif
