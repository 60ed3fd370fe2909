/* task-bench.c -- the patterns of Task Bench: steps of `width` points, each of which needs points
 * of the step before.
 *
 * With w points and s steps there are w s tasks (tree: less) and (s - 1) times so many edges:
 * trivial 0, no-comm w, stencil 3w - 2, stencil-periodic 3w (w > 2), dom 2w - 1, all-to-all w^2,
 * nearest about radix w, spread radix w (distinct ones), fft 2w but at its borders, random-nearest
 * a half of nearest. */
#include <string.h>
#include "core.h"

typedef struct bench {
    tgs_i_gen g;
    const char *pattern;
    int64_t width, steps, radix;
    int64_t step;
    int32_t before, task; /* the first task of the step before, and the current one */
    int64_t points;       /* of the step before */
} bench;

static void need(bench *x, int64_t point)
{
    if (point >= 0 && point < x->points)
        tgs_i_gen_edge(&x->g, x->before + (int32_t)point, x->task);
}

static void trivial(bench *x, int64_t i)
{
    (void)x, (void)i;
}

static void no_comm(bench *x, int64_t i)
{
    need(x, i);
}

static void stencil(bench *x, int64_t i)
{
    for (int64_t k = i - 1; k <= i + 1; k++)
        need(x, k);
}

static void stencil_periodic(bench *x, int64_t i)
{
    const int64_t w = x->width, left = (i + w - 1) % w, right = (i + 1) % w;

    need(x, i);
    if (left != i)
        need(x, left);
    if (right != i && right != left)
        need(x, right);
}

static void dom(bench *x, int64_t i)
{
    need(x, i - 1);
    need(x, i);
}

static void tree(bench *x, int64_t i)
{
    need(x, x->points < x->width ? i / 2 : i);
}

static void fft(bench *x, int64_t i)
{
    int64_t levels = 1;

    while ((int64_t)1 << levels < x->width)
        levels++;
    const int64_t distance = (int64_t)1 << (x->step - 1) % levels;

    need(x, i - distance);
    need(x, i);
    need(x, i + distance);
}

static void all_to_all(bench *x, int64_t i)
{
    (void)i;
    for (int64_t k = 0; k < x->points; k++)
        need(x, k);
}

static void nearest(bench *x, int64_t i)
{
    for (int64_t k = i - (x->radix - 1) / 2; k <= i + x->radix / 2; k++)
        need(x, k);
}

static void spread(bench *x, int64_t i)
{
    const int64_t radix = x->radix < x->width ? x->radix : x->width;

    for (int64_t k = 0; k < radix; k++)
        need(x, (i + k * x->width / radix + x->step) % x->width);
}

static void random_nearest(bench *x, int64_t i)
{
    for (int64_t k = i - (x->radix - 1) / 2; k <= i + x->radix / 2; k++)
        if (tgs_rng_real(x->g.rng) < 0.5)
            need(x, k);
}

static const struct pattern {
    const char *name;
    void (*add)(bench *x, int64_t i);
} patterns[] = {
    {"trivial", trivial},
    {"no-comm", no_comm},
    {"stencil", stencil},
    {"stencil-periodic", stencil_periodic},
    {"dom", dom},
    {"tree", tree},
    {"fft", fft},
    {"all-to-all", all_to_all},
    {"nearest", nearest},
    {"spread", spread},
    {"random-nearest", random_nearest},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static int64_t points_of(const bench *x, int64_t step)
{
    if (strcmp(x->pattern, "tree"))
        return x->width;
    return step < 32 && (int64_t)1 << step < x->width ? (int64_t)1 << step : x->width;
}

static tgs_status run(bench *x, void (*add)(bench *x, int64_t i))
{
    tgs_status status = TGS_OK;

    for (x->step = 0; x->step < x->steps; x->step++) {
        const int64_t points = points_of(x, x->step);
        int32_t first = -1;

        for (int64_t i = 0; i < points && !status; i++) {
            x->task = tgs_i_gen_task(&x->g, "p", x->step * x->width + i, x->g.work);
            first = first < 0 ? x->task : first;
            if (x->step > 0)
                add(x, i);
            status = tgs_i_gen_status(&x->g);
        }
        x->before = first;
        x->points = points;
    }
    return status;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    bench x = {.pattern = tgs_arg_text(a, "pattern"),
               .width = tgs_arg_int(a, "width"),
               .steps = tgs_arg_int(a, "steps"),
               .radix = tgs_arg_int(a, "radix")};
    const double tasks = (double)x.width * (double)x.steps;
    tgs_status status = tgs_i_gen_open(&x.g, a, r, b, err);
    size_t i = 0;

    while (i < PATTERNS && strcmp(patterns[i].name, x.pattern))
        i++;
    if (!status && i == PATTERNS)
        status = tgs_fail(err, TGS_EINVAL,
                          "task-bench: pattern=%s: there are trivial, no-comm, stencil, "
                          "stencil-periodic, dom, tree, fft, all-to-all, nearest, spread and "
                          "random-nearest",
                          x.pattern);
    if (!status)
        status =
            tgs_i_gen_limit(&x.g, "task-bench", tasks,
                            tasks * (double)(patterns[i].add == all_to_all ? x.width : x.radix));
    if (!status)
        status = run(&x, patterns[i].add);
    tgs_i_gen_close(&x.g);
    return status;
}

static const tgs_param params[] = {
    {"pattern", "stencil", TGS_PARAM_TEXT, 0, 0,
     "trivial, no-comm, stencil, stencil-periodic, dom, tree, fft, all-to-all, nearest, spread or "
     "random-nearest"},
    {"width", "16", TGS_PARAM_INT, 1, 1000000, "points of a step"},
    {"steps", "16", TGS_PARAM_INT, 1, 1000000, "steps"},
    {"radix", "3", TGS_PARAM_INT, 1, 1000000,
     "of nearest, spread and random-nearest: how many points"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_task_bench = {
    .base =
        {TGS_PLUGIN_ABI, "task-bench", "the dependence patterns of Task Bench",
         "Slaughter, Wu, Fu et al. (2020), Task Bench: a parameterized benchmark for evaluating "
         "parallel runtime performance, SC",
         params},
    .make = make,
};
