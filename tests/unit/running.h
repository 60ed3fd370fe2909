/* running.h -- graphs that run on one processor in double, for unit tests; include cmocka.h, nets.h
 * and machine.h first. */
#ifndef TESTS_UNIT_RUNNING_H
#define TESTS_UNIT_RUNNING_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct running {
    tgs_graph *g;
    tgs_platform *p;
    tgs_costs *costs;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
    float *bound[8];
    int32_t bounds;
} running;

static inline void begin(running *x, tgs_graph *g)
{
    tgs_error err = {TGS_OK, ""};

    *x = (running){.g = g,
                   .p = machine("kind cpu flops=1e9 bandwidth=1e9\nmemory ram trust=in\n"
                                "processor c kind=cpu memory=ram\n")};
    if (tgs_problem_new(&x->pb, g, x->p, NULL, NULL, &err)
        || tgs_schedule_make(&x->s, x->pb, "heft", 1, &err)
        || tgs_run_open(&x->r, x->pb, x->s, NULL, "serial:precision=f64", &err))
        fail_msg("%s", err.text);
}

static inline void give(running *x, const char *name, const float *value, int64_t count)
{
    float *copy = malloc((size_t)count * sizeof *copy);
    tgs_error err = {TGS_OK, ""};

    memcpy(copy, value, (size_t)count * sizeof *copy);
    x->bound[x->bounds++] = copy;
    if (tgs_run_bind(x->r, tgs_graph_find_datum(x->g, name), copy, &err))
        fail_msg("%s: %s", name, err.text);
}

static inline double *result_of(running *x, const char *name, int64_t *count)
{
    const int32_t d = tgs_graph_find_datum(x->g, name);
    tgs_error err = {TGS_OK, ""};
    double *to;

    if (d < 0)
        fail_msg("no datum %s", name);
    *count = (int64_t)(tgs_graph_datum_bytes(x->g, d) / 4);
    to = malloc((size_t)*count * sizeof *to);
    if (tgs_run_read_f64(x->r, d, to, &err))
        fail_msg("%s: %s", name, err.text);
    return to;
}

static inline void end(running *x)
{
    tgs_run_close(x->r, NULL, NULL);
    tgs_schedule_free(x->s);
    tgs_problem_free(x->pb);
    tgs_platform_free(x->p);
    tgs_graph_free(x->g);
    for (int32_t i = 0; i < x->bounds; i++)
        free(x->bound[i]);
}

static inline void compare(const double *a, const double *b, int64_t n, const char *what)
{
    double error = 0, norm = 0;

    for (int64_t i = 0; i < n; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    if (!(norm > 0) || sqrt(error) > 1e-12 * sqrt(norm))
        fail_msg("%s is off by %g of %g", what, sqrt(error), sqrt(norm));
}

#endif
