/* own_codelet.c -- an own kernel on own buffers, executed on the workers of this machine.
 *
 * Every block of points is moved to its own mean (the kernel `centre` below, which runs on CPUs
 * only) and then turned by a matrix (the built-in codelet gemm, which also has an OpenCL kernel);
 * `centre` of one block may run while a device works on another.  The backend is StarPU where it is
 * available, else serial; the program says which. */
#include <math.h>
#include <string.h>
#include "tgsched.h"

enum { BLOCKS = 8, POINTS = 4096, DIMS = 3 };

static float points[BLOCKS][POINTS][DIMS], turned[BLOCKS][POINTS][DIMS];
static float turn[DIMS][DIMS] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}; /* a quarter about z */

/* buffers: R points, W centred, both n x d */
static tgs_status centre(const tgs_call *c)
{
    const float *in = c->buffer[0].data;
    float *out = c->buffer[1].data;
    const int64_t n = c->buffer[0].dims[0], d = c->buffer[0].dims[1];

    for (int64_t k = 0; k < d; k++) {
        double mean = 0;

        for (int64_t i = 0; i < n; i++)
            mean += in[i * d + k];
        mean /= (double)n;
        for (int64_t i = 0; i < n; i++)
            out[i * d + k] = (float)(in[i * d + k] - mean);
    }
    return TGS_OK;
}

/* what it costs, for planning: the builder need not know */
static tgs_cost centre_cost(const tgs_call *c, const char *arch)
{
    const double n = (double)c->buffer[0].dims[0] * (double)c->buffer[0].dims[1];

    (void)arch;
    return (tgs_cost){.seconds = NAN, .flops = 3 * n, .bytes = 2 * n * sizeof(float)};
}

/* data of the block: its points and its result, which are bound below */
static tgs_status build(tgs_graph **g, int32_t input[BLOCKS], int32_t output[BLOCKS],
                        int32_t *matrix, tgs_error *err)
{
    const int64_t block[] = {POINTS, DIMS}, square[] = {DIMS, DIMS};
    const double bytes = 2.0 * POINTS * DIMS * sizeof(float);
    tgs_builder *b = NULL;
    tgs_status status = tgs_builder_new(&b, err);

    if (status)
        return status;
    *matrix = tgs_builder_datum(b, "turn", 0);
    tgs_builder_datum_shape(b, *matrix, TGS_F32, 2, square);
    for (int i = 0; i < BLOCKS; i++) {
        const int32_t middle = tgs_builder_datum(b, NULL, 0);
        int32_t t;

        input[i] = tgs_builder_datum(b, NULL, 0);
        output[i] = tgs_builder_datum(b, NULL, 0);
        tgs_builder_datum_shape(b, input[i], TGS_F32, 2, block);
        tgs_builder_datum_shape(b, middle, TGS_F32, 2, block);
        tgs_builder_datum_shape(b, output[i], TGS_F32, 2, block);

        t = tgs_builder_task(b, NULL, "centre", NAN);
        tgs_builder_access(b, t, input[i], TGS_R);
        tgs_builder_access(b, t, middle, TGS_W);

        t = tgs_builder_task(b, NULL, "gemm", 1e-4);
        tgs_builder_task_cost(b, t, 2.0 * POINTS * DIMS * DIMS, bytes);
        tgs_builder_access(b, t, middle, TGS_R);
        tgs_builder_access(b, t, *matrix, TGS_R);
        tgs_builder_access(b, t, output[i], TGS_W);
    }
    return tgs_builder_finish(g, b, err);
}

static tgs_status execute(tgs_trace **trace, const tgs_problem *pb, const tgs_schedule *s,
                          const tgs_codelets *c, const int32_t input[BLOCKS],
                          const int32_t output[BLOCKS], int32_t matrix, tgs_error *err)
{
    const char *backend = "starpu";
    tgs_run *r = NULL;
    tgs_status status = tgs_run_open(&r, pb, s, c, backend, err), closed;

    if (status == TGS_EBACKEND || status == TGS_ENOTFOUND) { /* does not start, is not built in */
        printf("no StarPU here: %s\n", err->text);
        backend = "serial";
        *err = (tgs_error){TGS_OK, ""};
        status = tgs_run_open(&r, pb, s, c, backend, err);
    }
    if (!status)
        printf("backend %s\n", backend);
    if (!status)
        status = tgs_run_bind(r, matrix, turn, err);
    for (int i = 0; i < BLOCKS && !status; i++) {
        status = tgs_run_bind(r, input[i], points[i], err);
        if (!status)
            status = tgs_run_bind(r, output[i], turned[i], err);
    }
    if (!status)
        status = tgs_run_step(r, err);
    closed = tgs_run_close(r, trace, status ? NULL : err); /* fills `turned` */
    return status ? status : closed;
}

/* the largest deviation from what the two tasks should have given */
static double deviation(void)
{
    double worst = 0;

    for (int b = 0; b < BLOCKS; b++) {
        double mean[DIMS] = {0};

        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < DIMS; k++)
                mean[k] += points[b][i][k] / POINTS;
        for (int i = 0; i < POINTS; i++) {
            const double x = points[b][i][0] - mean[0], y = points[b][i][1] - mean[1];

            worst = fmax(worst, fabs(turned[b][i][0] + y));
            worst = fmax(worst, fabs(turned[b][i][1] - x));
        }
    }
    return worst;
}

int main(void)
{
    const tgs_kernel kernel = {.codelet = "centre",
                               .arch = "cpu",
                               .dtype = TGS_F32,
                               .impl = "own",
                               .run = centre,
                               .cost = centre_cost};
    int32_t input[BLOCKS], output[BLOCKS], matrix;
    tgs_codelets *c = NULL;
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_trace *t = NULL;
    tgs_error err = {TGS_OK, ""};

    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < DIMS; k++)
                points[b][i][k] = (float)(b + k) + (float)((i * 37 + k * 11) % 101) / 101;

    if (!tgs_codelets_new(&c, &err) && !tgs_codelets_add(c, &kernel, &err)
        && !build(&g, input, output, &matrix, &err) && !tgs_platform_host(&p, &err)
        && !tgs_problem_new_for(&pb, g, p, NULL, "latbw", c, &err) /* `centre` stays on CPUs */
        && !tgs_schedule_make(&s, pb, "heft", 1, &err)
        && !execute(&t, pb, s, c, input, output, matrix, &err)) {
        for (int32_t i = 0; i < tgs_platform_processors(p); i++)
            printf("%s was busy for %.3g s\n", tgs_platform_processor_name(p, i),
                   tgs_trace_busy(t, i));
        printf("%g bytes moved between memories\n", tgs_trace_bytes_moved(t));
        printf("largest deviation %.1e: %s\n", deviation(), deviation() < 1e-5 ? "right" : "wrong");
    }
    if (err.status)
        fprintf(stderr, "own_codelet: %s\n", err.text);

    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_codelets_free(c);
    return err.status || deviation() >= 1e-5;
}
