/* mlp.h -- the training step of a two-layer perceptron, by the builder: 2 -> HIDDEN -> 2 classes.
 */
#ifndef TESTS_MLP_H
#define TESTS_MLP_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

enum { MLP_BATCH = 32, MLP_HIDDEN = 16 };

typedef struct mlp {
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    int32_t x, label, loss, parameter[4], gradient[4];
} mlp;

static inline int32_t mlp_datum(tgs_builder *b, const char *name, tgs_dtype type, int64_t rows,
                                int64_t columns, const char *init, bool persistent)
{
    const int32_t d = tgs_builder_datum(b, name, 0);
    const int64_t dims[2] = {rows, columns};

    tgs_builder_datum_shape(b, d, type, columns ? 2 : 1, dims);
    if (init)
        tgs_builder_datum_set(b, d, "init", init);
    if (persistent)
        tgs_builder_datum_set(b, d, "persistent", "1");
    return d;
}

/* buffers: as many as modes has words, "R R W" */
static inline int32_t mlp_task(tgs_builder *b, const char *codelet, const char *attrs,
                               const char *modes, const int32_t *datum)
{
    const int32_t t = tgs_builder_task(b, NULL, codelet, 1e-3);

    tgs_builder_task_attrs(b, t, attrs);
    for (const char *s = modes; *s; s += strcspn(s, " "), s += strspn(s, " "))
        tgs_builder_access(b, t, *datum++, *s == 'W' ? TGS_W : s[1] == 'W' ? TGS_RW : TGS_R);
    return t;
}
#define MLP_TASK(b, codelet, attrs, modes, ...) \
    mlp_task(b, codelet, attrs, modes, (const int32_t[]){__VA_ARGS__})

static inline void mlp_build(mlp *m, tgs_dtype type, const char *platform)
{
    static const char *const names[4] = {"W1", "b1", "W2", "b2"};
    static const char *const init[4] = {"random:1:0.7", "zero", "random:2:0.3", "zero"};
    static const int64_t rows[4] = {MLP_HIDDEN, MLP_HIDDEN, 2, 2},
                         columns[4] = {2, 0, MLP_HIDDEN, 0};
    tgs_builder *b;
    int32_t z, h, y, dy, dh, dz;
    char name[8];
    const int32_t *w = m->parameter, *g = m->gradient;

    *m = (mlp){0};
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    m->x = mlp_datum(b, "x", type, MLP_BATCH, 2, "bound", false);
    m->label = mlp_datum(b, "label", TGS_I32, MLP_BATCH, 0, "bound", false);
    for (int i = 0; i < 4; i++) {
        m->parameter[i] = mlp_datum(b, names[i], type, rows[i], columns[i], init[i], true);
        snprintf(name, sizeof name, "d%s", names[i]);
        m->gradient[i] = mlp_datum(b, name, type, rows[i], columns[i], NULL, false);
    }
    m->loss = mlp_datum(b, "loss", type, 1, 0, NULL, false);
    z = mlp_datum(b, "z", type, MLP_BATCH, MLP_HIDDEN, NULL, false);
    h = mlp_datum(b, "h", type, MLP_BATCH, MLP_HIDDEN, NULL, false);
    y = mlp_datum(b, "y", type, MLP_BATCH, 2, NULL, false);
    dy = mlp_datum(b, "dy", type, MLP_BATCH, 2, NULL, false);
    dh = mlp_datum(b, "dh", type, MLP_BATCH, MLP_HIDDEN, NULL, false);
    dz = mlp_datum(b, "dz", type, MLP_BATCH, MLP_HIDDEN, NULL, false);
    MLP_TASK(b, "gemm", "transB=1", "R R R W", m->x, w[0], w[1], z);
    MLP_TASK(b, "tanh", "", "R W", z, h);
    MLP_TASK(b, "gemm", "transB=1", "R R R W", h, w[2], w[3], y);
    MLP_TASK(b, "softmax_xent", "scale=0.03125", "R R W W", y, m->label, m->loss, dy);
    MLP_TASK(b, "gemm", "transA=1", "R R W", dy, h, g[2]);
    MLP_TASK(b, "reduce_to", "", "R W", dy, g[3]);
    MLP_TASK(b, "gemm", "", "R R W", dy, w[2], dh);
    MLP_TASK(b, "tanh_bwd", "", "R R W", h, dh, dz);
    MLP_TASK(b, "gemm", "transA=1", "R R W", dz, m->x, g[0]);
    MLP_TASK(b, "reduce_to", "", "R W", dz, g[1]);
    for (int i = 0; i < 4; i++)
        MLP_TASK(b, "sgd", "lr=0.5", "RW R", w[i], g[i]);
    assert_int_equal(tgs_builder_finish(&m->g, b, NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&m->p, platform, NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&m->pb, m->g, m->p, NULL, "latbw", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&m->s, m->pb, "heft", 1, NULL), TGS_OK);
}

static inline void mlp_free(mlp *m)
{
    tgs_schedule_free(m->s);
    tgs_problem_free(m->pb);
    tgs_platform_free(m->p);
    tgs_graph_free(m->g);
}

/* points of two interleaved half circles, and which one each is of */
static inline void mlp_batch(tgs_rng *rng, float *x, int32_t *label)
{
    for (int i = 0; i < MLP_BATCH; i++) {
        const double angle = 3.14159265358979 * tgs_rng_real(rng);

        label[i] = (int32_t)(tgs_rng_next(rng) & 1);
        x[2 * i] = (float)(label[i] ? 1 - cos(angle) : cos(angle));
        x[2 * i + 1] = (float)(label[i] ? 0.5 - sin(angle) : sin(angle));
    }
}
#endif
