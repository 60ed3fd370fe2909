/* steps.h -- what tests ask of a lowered step; include cmocka.h and nets.h first. */
#ifndef TESTS_UNIT_STEPS_H
#define TESTS_UNIT_STEPS_H
#include <stdio.h>
#include <string.h>

static inline const tgs_task *task_of(const tgs_graph *g, const char *name)
{
    const int32_t t = tgs_graph_find_task(g, name);

    if (t < 0)
        fail_msg("no task %s", name);
    return &g->v.task[t];
}

static inline const tgs_datum_extra *extra_of(const tgs_graph *g, const char *name)
{
    const int32_t d = tgs_graph_find_datum(g, name);

    if (d < 0)
        fail_msg("no datum %s", name);
    assert_true(g->v.datum[d].extra >= 0);
    return &g->v.extra[g->v.datum[d].extra];
}

/* "gemm transA=0 | R x, R w, W y": codelet, attributes, accesses */
static inline void assert_task(const tgs_graph *g, const char *name, const char *expected)
{
    const int32_t t = (int32_t)(task_of(g, name) - g->v.task);
    const char *attrs = tgs_text(&g->v, g->v.task[t].attrs);
    char text[1000];
    int used = snprintf(text, sizeof text, "%s%s%s |", g->v.codelet_name[g->v.task[t].codelet],
                        *attrs ? " " : "", attrs);

    for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
        static const char *const mode[] = {"", "R", "W", "RW"};
        const tgs_access x = g->v.access[a];

        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s %s",
                         a > g->v.access_at[t] ? "," : "", mode[x.mode],
                         tgs_datum_name(&g->v, (int32_t)x.datum, TGS_ROOM));
    }
    assert_string_equal(text, expected);
}

static inline int32_t count_phase(const tgs_graph *g, tgs_phase phase)
{
    int32_t n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += g->v.task[t].phase == (int32_t)phase;
    return n;
}

static inline int32_t count_codelet(const tgs_graph *g, const char *codelet)
{
    int32_t n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += !strcmp(g->v.codelet_name[g->v.task[t].codelet], codelet);
    return n;
}

static inline bool is_edge(const tgs_graph *g, const char *from, const char *to)
{
    const int32_t u = tgs_graph_find_task(g, from), v = tgs_graph_find_task(g, to);

    assert_true(u >= 0 && v >= 0);
    for (int32_t k = g->v.succ_at[u]; k < g->v.succ_at[u + 1]; k++)
        if (g->v.succ[k] == v)
            return true;
    return false;
}

/* x [4,6] -> Gemm w [6,5] b [5] -> Relu -> Gemm v [3,5]^T -> y [4,3] */
static inline tgs_model *mlp(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(4, 6));
    net_stored(&n, "w", DIMS(6, 5));
    net_stored(&n, "b", DIMS(5));
    net_stored(&n, "v", DIMS(3, 5));
    net_op(&n, "Gemm", "x w b", "h", NULL);
    net_op(&n, "Relu", "h", "r", NULL);
    net_op(&n, "Gemm", "r v", "y", "transB=1 alpha=0.5");
    return net_model(&n, "y");
}
#endif
