/* realgraphs.c -- training steps of an MLP and of LeNet, tiled Cholesky and LU, random layers of
 * GEMMs and fork-join GEMMs, with kernels for the tiles.  The tiles hold random numbers, whose
 * factors are of no use: only time is measured here. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include "real.h"

enum { TILE = 384, LEAF = 32, LAYERS = 8, WIDTH = 8, BRANCHES = 24 };

void must(tgs_status status, const tgs_error *err)
{
    if (status) {
        fprintf(stderr, "bench: %s\n", err->text);
        exit(1);
    }
}

/* ---- kernels of tiles, row-major ---- */
static void solve(char side, char uplo, char trans, char diag, int m, int n, const float *a,
                  int lda, float *b, int ldb)
{
    cblas_strsm(CblasRowMajor, side == 'L' ? CblasLeft : CblasRight,
                uplo == 'L' ? CblasLower : CblasUpper, trans == 'T' ? CblasTrans : CblasNoTrans,
                diag == 'U' ? CblasUnit : CblasNonUnit, m, n, 1, a, lda, b, ldb);
}

static void factor_lower(float *a, int n, int lda)
{
    const int h = n / 2;
    float *low = a + (size_t)h * (size_t)lda;

    if (n > LEAF) {
        factor_lower(a, h, lda);
        solve('R', 'L', 'T', 'N', n - h, h, a, lda, low, lda);
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, n - h, h, -1, low, lda, 1, low + h,
                    lda);
        factor_lower(low + h, n - h, lda);
        return;
    }
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            float x = a[i * lda + j];

            for (int k = 0; k < j; k++)
                x -= a[i * lda + k] * a[j * lda + k];
            a[i * lda + j] = i == j ? sqrtf(fabsf(x) + 1) : x / a[j * lda + j];
        }
}

static void factor_both(float *a, int n, int lda)
{
    const int h = n / 2;
    float *low = a + (size_t)h * (size_t)lda;

    if (n > LEAF) {
        factor_both(a, h, lda);
        solve('L', 'L', 'N', 'U', h, n - h, a, lda, a + h, lda);
        solve('R', 'U', 'N', 'N', n - h, h, a, lda, low, lda);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n - h, n - h, h, -1, low, lda, a + h,
                    lda, 1, low + h, lda);
        factor_both(low + h, n - h, lda);
        return;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i * lda + k] /= a[k * lda + k] + (a[k * lda + k] < 0 ? -1 : 1);
            for (int j = k + 1; j < n; j++)
                a[i * lda + j] -= a[i * lda + k] * a[k * lda + j];
        }
}

static char letter(const tgs_call *c, const char *key)
{
    char text[8] = "N";

    tgs_attr_text(c->attrs, key, text, sizeof text);
    return *text;
}

static int rows(const tgs_call *c)
{
    return (int)c->buffer[0].dims[0];
}

static tgs_status potrf(const tgs_call *c)
{
    factor_lower(c->buffer[0].data, rows(c), rows(c));
    return TGS_OK;
}

static tgs_status getrf(const tgs_call *c)
{
    factor_both(c->buffer[0].data, rows(c), rows(c));
    return TGS_OK;
}

static tgs_status trsm(const tgs_call *c)
{
    solve(letter(c, "side"), letter(c, "uplo"), letter(c, "trans"), letter(c, "diag"), rows(c),
          rows(c), c->buffer[0].data, rows(c), c->buffer[1].data, rows(c));
    return TGS_OK;
}

static tgs_status syrk(const tgs_call *c)
{
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows(c), rows(c), -1, c->buffer[0].data,
                rows(c), 1, c->buffer[1].data, rows(c));
    return TGS_OK;
}

static tgs_status gemm(const tgs_call *c)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, letter(c, "transB") == 'T' ? CblasTrans : CblasNoTrans,
                rows(c), rows(c), rows(c), -1, c->buffer[0].data, rows(c), c->buffer[1].data,
                rows(c), 1, c->buffer[2].data, rows(c));
    return TGS_OK;
}

tgs_codelets *real_codelets(void)
{
    static const struct {
        const char *name;
        tgs_status (*run)(const tgs_call *c);
    } own[] = {
        {"spotrf", potrf}, {"sgetrf", getrf}, {"strsm", trsm}, {"ssyrk", syrk}, {"sgemm", gemm}};
    tgs_codelets *c;
    tgs_error err;

    openblas_set_num_threads(1);
    must(tgs_codelets_new(&c, &err), &err);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        must(tgs_codelets_add(c,
                              &(tgs_kernel){.codelet = own[i].name,
                                            .arch = "cpu",
                                            .dtype = TGS_F32,
                                            .impl = "openblas",
                                            .run = own[i].run},
                              &err),
             &err);
    return c;
}

/* ---- graphs ---- */
static tgs_graph *step_of(const char *file, const char *bind)
{
    char path[4096];
    tgs_model *m;
    tgs_strategy *s;
    tgs_graph *g;
    tgs_error err;

    snprintf(path, sizeof path, "%s/tests/data/onnx/%s",
             getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".", file);
    must(tgs_model_read(&m, path, NULL, bind, &err), &err);
    must(tgs_strategy_parse(&s, "train sgd lr=0.1; loss xent; micro-batches 4", &err), &err);
    must(tgs_model_lower(&g, m, s, &err), &err);
    tgs_strategy_free(s);
    tgs_model_free(m);
    return g;
}

static tgs_graph *generated(const char *spec)
{
    tgs_graph *g;
    tgs_error err;

    must(tgs_graph_generate(&g, spec, 1, &err), &err);
    return g;
}

/* columns: of A; the values neither grow nor vanish over the layers */
static int32_t matrix(tgs_builder *b, int64_t tall, int64_t wide, bool given)
{
    const int32_t d = tgs_builder_datum(b, NULL, 0);
    char init[64];

    tgs_builder_datum_shape(b, d, TGS_F32, 2, (const int64_t[]){tall, wide});
    snprintf(init, sizeof init, "random:%d:%.3f", (int)d, sqrt(3.0 / (double)tall));
    if (given)
        tgs_builder_datum_set(b, d, "init", init);
    return d;
}

/* Y = A B + C, C may be -1; returns Y */
static int32_t product(tgs_builder *b, int32_t a, int32_t other, int32_t c, int64_t inner)
{
    const int32_t t = tgs_builder_task(b, NULL, "gemm", NAN), y = matrix(b, TILE, TILE, false);

    tgs_builder_access(b, t, a, TGS_R);
    tgs_builder_access(b, t, other, TGS_R);
    if (c >= 0)
        tgs_builder_access(b, t, c, TGS_R);
    tgs_builder_access(b, t, y, TGS_W);
    tgs_builder_task_cost(b, t, 2.0 * TILE * TILE * (double)inner,
                          4.0 * TILE * (TILE * 2 + 2 * (double)inner));
    return y;
}

static tgs_graph *layers(void)
{
    int32_t before[WIDTH], now[WIDTH], weight[WIDTH];
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;
    tgs_rng rng;

    tgs_rng_seed(&rng, 7);
    must(tgs_builder_new(&b, &err), &err);
    for (int i = 0; i < WIDTH; i++) {
        before[i] = matrix(b, TILE, TILE, true);
        weight[i] = matrix(b, TILE, TILE, true);
    }
    for (int l = 0; l < LAYERS; l++) {
        for (int i = 0; i < WIDTH; i++)
            now[i] = product(b, before[tgs_rng_int(&rng, 0, WIDTH - 1)], weight[i],
                             before[tgs_rng_int(&rng, 0, WIDTH - 1)], TILE);
        memcpy(before, now, sizeof before);
    }
    must(tgs_builder_finish(&g, b, &err), &err);
    return g;
}

static tgs_graph *fork_join(void)
{
    int32_t branch[BRANCHES], source, sink, y;
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;
    tgs_rng rng;

    tgs_rng_seed(&rng, 7);
    must(tgs_builder_new(&b, &err), &err);
    source = product(b, matrix(b, TILE, TILE, true), matrix(b, TILE, TILE, true), -1, TILE);
    for (int i = 0; i < BRANCHES; i++) {
        const int64_t inner = 64 * tgs_rng_int(&rng, 4, 16);

        branch[i] =
            product(b, matrix(b, TILE, inner, true), matrix(b, inner, TILE, true), source, inner);
    }
    sink = tgs_builder_task(b, "sink", "sum", NAN);
    y = matrix(b, TILE, TILE, false);
    for (int i = 0; i < BRANCHES; i++)
        tgs_builder_access(b, sink, branch[i], TGS_R);
    tgs_builder_access(b, sink, y, TGS_W);
    tgs_builder_task_cost(b, sink, (double)BRANCHES * TILE * TILE, 4.0 * BRANCHES * TILE * TILE);
    must(tgs_builder_finish(&g, b, &err), &err);
    return g;
}

const char *const real_names[REAL_GRAPHS] = {"mlp", "lenet",  "cholesky",
                                             "lu",  "layers", "forkjoin"};

tgs_graph *real_graph(int which)
{
    switch (which) {
    case 0:
        return step_of("mlp.onnx", "batch=4096");
    case 1:
        return step_of("lenet.onnx", "batch=512");
    case 2:
        return generated("cholesky:n=8:tile=448:dtype=f32:rate=0");
    case 3:
        return generated("lu:n=6:tile=384:dtype=f32:rate=0");
    case 4:
        return layers();
    default:
        return fork_join();
    }
}

tgs_graph *timed_graph(void)
{
    enum { TASKS = 100, NEAR = 12 };
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;
    tgs_rng rng;

    tgs_rng_seed(&rng, 7);
    must(tgs_builder_new(&b, &err), &err);
    for (int32_t t = 0; t < TASKS; t++) {
        tgs_builder_task(b, NULL, "sleep", 0.004 * (1 + tgs_rng_real(&rng)));
        for (int k = 0; k < 2 && t; k++)
            tgs_builder_edge(b, (int32_t)tgs_rng_int(&rng, t > NEAR ? t - NEAR : 0, t - 1), t,
                             65536);
    }
    must(tgs_builder_finish(&g, b, &err), &err);
    return g;
}
