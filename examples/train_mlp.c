/* train_mlp.c -- a training loop: a perceptron with one hidden layer learns to tell two interleaved
 * half circles apart.  The step is a task graph built here; parameters are persistent data, so each
 * step begins with what the last one left.
 *
 *     train_mlp [BACKEND]      "serial" (the default), "starpu", ... */
#include <math.h>
#include "tgsched.h"

enum { BATCH = 64, IN = 2, HIDDEN = 32, CLASSES = 2, STEPS = 200, PARAMETERS = 4 };

typedef struct net { /* indices of data */
    int32_t x, label, loss;
    int32_t w[PARAMETERS], dw[PARAMETERS]; /* W1 b1 W2 b2, and their gradients */
} net;

static int32_t tensor(tgs_builder *b, const char *name, tgs_dtype type, int64_t rows,
                      int64_t columns)
{
    const int64_t dims[] = {rows, columns};
    const int32_t d = tgs_builder_datum(b, name, 0);

    tgs_builder_datum_shape(b, d, type, columns ? 2 : 1, dims);
    return d;
}

/* the last `writes` of the n data are written, the others read */
static void task(tgs_builder *b, const char *codelet, const char *attrs, int32_t n, int32_t writes,
                 const int32_t *datum)
{
    const int32_t t = tgs_builder_task(b, NULL, codelet, 1e-5); /* seconds, a guess */

    tgs_builder_task_attrs(b, t, attrs);
    for (int32_t i = 0; i < n; i++)
        tgs_builder_access(b, t, datum[i], i < n - writes ? TGS_R : TGS_W);
}
#define TASK(b, codelet, attrs, n, writes, ...) \
    task(b, codelet, attrs, n, writes, (const int32_t[]){__VA_ARGS__})

static tgs_status build(tgs_graph **g, net *v, tgs_error *err)
{
    static const char *const name[] = {"W1", "b1", "W2", "b2"};
    static const char *const gradient[] = {"dW1", "db1", "dW2", "db2"};
    static const char *const init[] = {"random:1:0.7", "zero", "random:2:0.2", "zero"};
    static const int64_t rows[] = {HIDDEN, HIDDEN, CLASSES, CLASSES},
                         columns[] = {IN, 0, HIDDEN, 0};
    char scale[32];
    int32_t z, h, y, dy, dh, dz;
    tgs_builder *b = NULL;
    tgs_status status = tgs_builder_new(&b, err);

    if (status)
        return status;
    v->x = tensor(b, "x", TGS_F32, BATCH, IN);
    v->label = tensor(b, "label", TGS_I32, BATCH, 0);
    v->loss = tensor(b, "loss", TGS_F32, 1, 0);
    for (int i = 0; i < PARAMETERS; i++) {
        v->w[i] = tensor(b, name[i], TGS_F32, rows[i], columns[i]);
        v->dw[i] = tensor(b, gradient[i], TGS_F32, rows[i], columns[i]);
        tgs_builder_datum_class(b, v->w[i], TGS_CLASS_PARAMETER);
        tgs_builder_datum_set(b, v->w[i], "init", init[i]);
        tgs_builder_datum_set(b, v->w[i], "persistent", "1");
    }
    z = tensor(b, "z", TGS_F32, BATCH, HIDDEN);
    h = tensor(b, "h", TGS_F32, BATCH, HIDDEN);
    y = tensor(b, "y", TGS_F32, BATCH, CLASSES);
    dy = tensor(b, "dy", TGS_F32, BATCH, CLASSES);
    dh = tensor(b, "dh", TGS_F32, BATCH, HIDDEN);
    dz = tensor(b, "dz", TGS_F32, BATCH, HIDDEN);
    snprintf(scale, sizeof scale, "scale=%.17g", 1.0 / BATCH);

    TASK(b, "gemm", "transB=1", 4, 1, v->x, v->w[0], v->w[1], z); /* forward */
    TASK(b, "tanh", "", 2, 1, z, h);
    TASK(b, "gemm", "transB=1", 4, 1, h, v->w[2], v->w[3], y);
    TASK(b, "softmax_xent", scale, 4, 2, y, v->label, v->loss, dy);
    TASK(b, "gemm", "transA=1", 3, 1, dy, h, v->dw[2]); /* backward */
    TASK(b, "reduce_to", "", 2, 1, dy, v->dw[3]);
    TASK(b, "gemm", "", 3, 1, dy, v->w[2], dh);
    TASK(b, "tanh_bwd", "", 3, 1, h, dh, dz);
    TASK(b, "gemm", "transA=1", 3, 1, dz, v->x, v->dw[0]);
    TASK(b, "reduce_to", "", 2, 1, dz, v->dw[1]);
    for (int i = 0; i < PARAMETERS; i++) { /* update: in place */
        const int32_t t = tgs_builder_task(b, NULL, "sgd", 1e-5);

        tgs_builder_task_attrs(b, t, "lr=0.5");
        tgs_builder_access(b, t, v->w[i], TGS_RW);
        tgs_builder_access(b, t, v->dw[i], TGS_R);
    }
    return tgs_builder_finish(g, b, err);
}

/* a uniform number in [0, 1), the same on every machine (Numerical Recipes' quick generator) */
static double draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static void sample(uint32_t *state, float x[BATCH][IN], int32_t label[BATCH])
{
    for (int i = 0; i < BATCH; i++) {
        const double angle = 3.14159265358979 * draw(state), noise = 0.1 * draw(state);

        label[i] = draw(state) < 0.5;
        x[i][0] = (float)((label[i] ? 1 - cos(angle) : cos(angle)) + noise);
        x[i][1] = (float)((label[i] ? 0.5 - sin(angle) : sin(angle)) + noise);
    }
}

static tgs_status train(const tgs_problem *pb, const tgs_schedule *s, const net *v,
                        const char *backend, tgs_error *err)
{
    static float x[BATCH][IN];
    static int32_t label[BATCH];
    float loss = 0, first = 0;
    uint32_t state = 1;
    tgs_run *r = NULL;
    tgs_status status = tgs_run_open(&r, pb, s, NULL, backend, err), closed;

    if (!status)
        status = tgs_run_bind(r, v->x, x, err);
    if (!status)
        status = tgs_run_bind(r, v->label, label, err);
    for (int i = 1; i <= STEPS && !status; i++) {
        sample(&state, x, label); /* bound memory is read at every step */
        status = tgs_run_step(r, err);
        if (!status)
            status = tgs_run_read(r, v->loss, &loss, err);
        if (i == 1)
            first = loss;
        if (!status && (i == 1 || i % 20 == 0))
            printf("step %3d  loss %.4f\n", i, (double)loss);
    }
    closed = tgs_run_close(r, NULL, status ? NULL : err);
    if (!status && !closed)
        printf("the loss fell from %.4f to %.4f\n", (double)first, (double)loss);
    return status ? status : closed;
}

int main(int argc, char **argv)
{
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_error err = {TGS_OK, ""};
    net v;

    if (!build(&g, &v, &err) && !tgs_platform_parse(&p, "cpu:2", &err)
        && !tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        && !tgs_schedule_make(&s, pb, "heft", 1, &err))
        train(pb, s, &v, argc > 1 ? argv[1] : "serial", &err);
    if (err.status)
        fprintf(stderr, "train_mlp: %s\n", err.text);

    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return err.status != TGS_OK;
}
