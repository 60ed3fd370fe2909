/* parts.h -- for tests of transforms that store parameters in pieces: the weights after some steps
 * with them and without; include cmocka.h and nets.h first. */
#ifndef TESTS_UNIT_PARTS_H
#define TESTS_UNIT_PARTS_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS_STEPS = 2, PARTS_MOST = 4096, PARTS_RANK = 8 };

/* where a datum lies in the tensor that it is a part of: "part:8,6:0,3:INIT", or all of it */
static inline void part_place(const tgs_graph *g, int32_t d, int64_t *whole, int64_t *from)
{
    const tgs_datum_extra *x = &g->v.extra[g->v.datum[d].extra];
    const char *init = x->init ? tgs_text(&g->v, x->init) : "";

    assert_true(x->rank <= PARTS_RANK);
    for (int32_t k = 0; k < x->rank; k++) {
        whole[k] = g->v.dim[x->dims + k];
        from[k] = 0;
    }
    if (!strncmp(init, "part:", 5))
        assert_non_null(tgs_i_part_parse(init + 5, x->rank, &g->v.dim[x->dims], whole, from));
}

/* the parameter `name` or its pieces are all data of class parameter that persist and are named
 * name, name@s1, name.3, ...; each element of value is written once for every copy of it, and
 * copies, which different kernels may have computed, are at most so far apart */
static inline void part_read(tgs_run *r, const tgs_graph *g, const char *name, int64_t count,
                             double *value, double apart)
{
    int32_t *written = calloc((size_t)count, sizeof *written);

    for (int32_t d = 0; d < g->v.data; d++) {
        const char *own = tgs_datum_name(&g->v, d, TGS_ROOM);
        const size_t n = strlen(name);
        const tgs_datum_extra *x = &g->v.extra[g->v.datum[d].extra];
        int64_t whole[PARTS_RANK], from[PARTS_RANK], elements = 1;
        double *part;

        if (strncmp(own, name, n) || (own[n] && !strchr("@.~", own[n])) || !x->persistent
            || x->class_ != TGS_CLASS_PARAMETER)
            continue;
        part_place(g, d, whole, from);
        for (int32_t k = 0; k < x->rank; k++)
            elements *= g->v.dim[x->dims + k];
        part = calloc((size_t)elements, sizeof *part);
        assert_int_equal(tgs_run_read_f64(r, d, part, NULL), 0);
        for (int64_t i = 0; i < elements; i++) {
            int64_t rest = i, at = 0, stride = 1;

            for (int32_t k = x->rank - 1; k >= 0; k--) {
                at += (from[k] + rest % g->v.dim[x->dims + k]) * stride;
                rest /= g->v.dim[x->dims + k];
                stride *= whole[k];
            }
            assert_true(at < count);
            if (written[at] && !(fabs(value[at] - part[i]) <= apart))
                fail_msg("%s[%d]: copies differ: %.9g and %.9g", name, (int)at, value[at], part[i]);
            value[at] = part[i];
            written[at]++;
        }
        free(part);
    }
    for (int64_t i = 0; i < count; i++)
        if (!written[i])
            fail_msg("%s[%d] is nowhere", name, (int)i);
    free(written);
}

/* all parameters, one after the other, after steps on a machine; returns how many numbers */
static inline int64_t part_weights_on(const tgs_model *m, const char *strategy,
                                      const tgs_platform *p, double *value)
{
    tgs_graph *g = lowered(m, strategy);
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
    tgs_error err = {TGS_OK, ""};
    int64_t used = 0;

    if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial:precision=f64", &err))
        fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i < PARTS_STEPS; i++)
        if (tgs_run_step(r, &err))
            fail_msg("%s: %s", strategy, err.text);
    for (int32_t i = 0; i < m->v.tensors; i++) {
        const int64_t count = (int64_t)tgs_elements(&m->v.tensor[i]);

        if (m->v.tensor[i].role != TGS_ROLE_PARAMETER)
            continue;
        assert_true(used + count <= PARTS_MOST);
        part_read(r, g, m->v.tensor[i].name, count, value + used, 0);
        used += count;
    }
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    return used;
}

static inline int64_t part_weights(const tgs_model *m, const char *strategy, double *value)
{
    tgs_platform *p;
    int64_t count;

    assert_int_equal(tgs_platform_parse(&p, "cpu:8 cpu:56/own link:1,0", NULL), 0);
    count = part_weights_on(m, strategy, p, value);
    tgs_platform_free(p);
    return count;
}

static inline void same_weights(tgs_model *(*make)(void), const char *plain, const char *more)
{
    static double wanted[PARTS_MOST], got[PARTS_MOST];
    tgs_model *m = make();
    double difference = 0, norm = 0;
    char strategy[400];
    int64_t count;

    snprintf(strategy, sizeof strategy, "%s; %s", plain, more);
    count = part_weights(m, plain, wanted);
    assert_int_equal(part_weights(m, strategy, got), count);
    for (int64_t k = 0; k < count; k++) {
        difference += (got[k] - wanted[k]) * (got[k] - wanted[k]);
        norm += wanted[k] * wanted[k];
    }
    if (!(norm > 0) || !(sqrt(difference) <= 1e-10 * sqrt(norm)))
        fail_msg("%s: off by %g of %g", strategy, sqrt(difference), sqrt(norm));
    tgs_model_free(m);
}

typedef struct refusal {
    const char *strategy, *text;
} refusal;

/* a model is not lowered under any of these strategies, and the message has the text */
static inline void none_lowers(const tgs_model *m, const refusal *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tgs_error err = {TGS_OK, ""};
        tgs_strategy *s;
        tgs_graph *g;

        assert_int_equal(tgs_strategy_parse(&s, r[i].strategy, &err), TGS_OK);
        if (!tgs_model_lower(&g, m, s, &err) || g || !strstr(err.text, r[i].text))
            fail_msg("%s: '%s', not '%s'", r[i].strategy, err.text, r[i].text);
        tgs_strategy_free(s);
    }
}
#endif
