/* islands.c -- independent training jobs (experts that never synchronise) on unlike devices.
 *
 * After the experts of heterogeneous decentralized diffusion models, 2026 (arXiv 2603.06741): K
 * jobs without an edge between them, so R||Cmax with memories.  Longest processing time first, each
 * job where it ends first, ties to the first; then a branch and bound over the jobs in that order,
 * which cuts what is no shorter than the best.  Devices that are alike are tried once per load,
 * jobs that are alike in one order.
 *
 *   device NAME [speed=S] [memory=BYTES]
 *   job NAME [work=SECONDS] [times=t,t,...] [memory=BYTES]
 *
 * A job takes times (one a device, '-' where it cannot run), or work / speed. */
#include <stdlib.h>
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { DEVICE, JOB };
static const tgs_i_column device[] = {
    {"speed", TGS_I_REAL, false, 1e-12, 1e12, 1, 0},
    {"memory", TGS_I_REAL, false, 0, INFINITY, INFINITY, 0},
    {.key = NULL},
};
static const tgs_i_column job[] = {
    {"work", TGS_I_REAL, false, 0, 1e18, 0, 0},
    {"times", TGS_I_REAL, true, 0, INFINITY, 0, 0},
    {"memory", TGS_I_REAL, false, 0, 1e18, 0, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"device", 1, 1000, device}, {"job", 1, 20000, job}, {.record = NULL}};

typedef struct islands {
    tgs_i_instance *file;
    const tgs_planner_ctx *c;
    int32_t devices, jobs;
    double *time;           /* [job * devices + device]; INFINITY: cannot */
    int32_t *order, *alike; /* [jobs]: longest first; the position before of an equal job, or -1 */
    int32_t *twin;          /* [devices]: the device before that is alike, or -1 */
    int32_t *on, *best;     /* [jobs] by job */
    double *load;           /* [devices] */
    double longest;         /* of best */
    int64_t nodes;
    bool proven;
} islands;

static const double *row(const islands *x, int32_t j)
{
    return x->time + (int64_t)j * x->devices;
}

static double shortest(const islands *x, int32_t j)
{
    double least = INFINITY;

    for (int32_t d = 0; d < x->devices; d++)
        least = fmin(least, row(x, j)[d]);
    return least;
}

typedef struct keyed {
    double key;
    int32_t index;
} keyed;

static int longest_first(const void *a, const void *b)
{
    const keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static tgs_status read_jobs(islands *x, tgs_error *err)
{
    for (int32_t j = 0; j < x->jobs; j++) {
        const double *times, work = tgs_i_real(x->file, JOB, j, 0),
                             need = tgs_i_real(x->file, JOB, j, 2);
        double room = -1; /* of the largest device that can run it */
        const int32_t n = tgs_i_list(x->file, JOB, j, 1, &times);

        if (n && n != x->devices)
            return tgs_i_row_fail(x->file, JOB, j, err, "%d times for %d devices", n, x->devices);
        if (!n && !tgs_i_given(x->file, JOB, j, 0))
            return tgs_i_row_fail(x->file, JOB, j, err, "job needs work= or times=");
        for (int32_t d = 0; d < x->devices; d++) {
            const double t = n ? times[d] : work / tgs_i_real(x->file, DEVICE, d, 0);

            if (t < INFINITY)
                room = fmax(room, tgs_i_real(x->file, DEVICE, d, 1));
            x->time[(int64_t)j * x->devices + d] =
                need <= tgs_i_real(x->file, DEVICE, d, 1) ? t : INFINITY;
        }
        if (room < 0)
            return tgs_fail(err, TGS_EINFEASIBLE, "job %.80s runs on no device",
                            tgs_i_row_name(x->file, JOB, j));
        if (!(shortest(x, j) < INFINITY))
            return tgs_fail(err, TGS_EINFEASIBLE,
                            "job %.80s fits nowhere: %.17g bytes are missing; a device with "
                            "memory=%.17g suffices",
                            tgs_i_row_name(x->file, JOB, j), need - room, need);
    }
    return TGS_OK;
}

static bool alike_devices(const islands *x, int32_t a, int32_t b)
{
    for (int32_t j = 0; j < x->jobs; j++)
        if (row(x, j)[a] != row(x, j)[b])
            return false;
    return true;
}

static tgs_status sort(islands *x, tgs_error *err)
{
    keyed *k = tgs_mem_alloc((size_t)x->jobs, sizeof *k);

    if (!k)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d jobs", x->jobs);
    for (int32_t j = 0; j < x->jobs; j++)
        k[j] = (keyed){shortest(x, j), j};
    qsort(k, (size_t)x->jobs, sizeof *k, longest_first);
    for (int32_t i = 0; i < x->jobs; i++) {
        x->order[i] = k[i].index;
        x->alike[i] = i > 0
                              && !memcmp(row(x, k[i].index), row(x, k[i - 1].index),
                                         (size_t)x->devices * sizeof *x->time)
                          ? i - 1
                          : -1;
    }
    tgs_mem_free(k);
    for (int32_t d = 0; d < x->devices; d++) {
        x->twin[d] = d - 1;
        while (x->twin[d] >= 0 && !alike_devices(x, x->twin[d], d))
            x->twin[d]--;
    }
    return TGS_OK;
}

static void first_fit(islands *x)
{
    x->longest = 0;
    for (int32_t i = 0; i < x->jobs; i++) {
        const int32_t j = x->order[i];
        int32_t best = 0;

        for (int32_t d = 1; d < x->devices; d++)
            if (x->load[d] + row(x, j)[d] < x->load[best] + row(x, j)[best])
                best = d;
        x->best[j] = best;
        x->load[best] += row(x, j)[best];
        x->longest = fmax(x->longest, x->load[best]);
    }
    memset(x->load, 0, (size_t)x->devices * sizeof *x->load);
}

/* jobs order[i] on; done: the longest load so far */
static void assign(islands *x, int32_t i, double done)
{
    const int32_t j = i < x->jobs ? x->order[i] : -1;

    if (!x->proven)
        return;
    if (x->nodes-- <= 0 || x->c->stop(x->c->user)) {
        x->proven = false;
        return;
    }
    if (j < 0) {
        x->longest = done; /* else this branch would have been cut */
        memcpy(x->best, x->on, (size_t)x->jobs * sizeof *x->best);
        return;
    }
    for (int32_t d = x->alike[i] >= 0 ? x->on[x->order[i - 1]] : 0; d < x->devices; d++) {
        const double was = x->load[d], now = was + row(x, j)[d];
        bool seen = false;

        for (int32_t t = x->twin[d]; t >= 0 && !seen && x->alike[i] < 0; t = x->twin[t])
            seen = x->load[t] == was;
        if (seen || !(now < x->longest))
            continue;
        x->load[d] = now;
        x->on[j] = d;
        assign(x, i + 1, fmax(done, now));
        x->load[d] = was;
    }
}

/* seconds of all jobs at speed 1; NAN where times are given */
static double all_work(const islands *x)
{
    double work = 0;

    for (int32_t j = 0; j < x->jobs; j++)
        work += tgs_i_given(x->file, JOB, j, 1) ? NAN : tgs_i_real(x->file, JOB, j, 0);
    return work;
}

static tgs_status tell(const islands *x, tgs_proposal *out)
{
    double slowest = INFINITY, speeds = 0;
    tgs_status status = TGS_OK;

    for (int32_t d = 0; d < x->devices; d++) {
        slowest = fmin(slowest, tgs_i_real(x->file, DEVICE, d, 0));
        speeds += tgs_i_real(x->file, DEVICE, d, 0);
    }
    for (int32_t j = 0; j < x->jobs && !status; j++)
        status = tgs_proposal_row(out, tgs_i_row_name(x->file, JOB, j),
                                  tgs_i_row_name(x->file, DEVICE, x->best[j]),
                                  row(x, j)[x->best[j]], tgs_i_real(x->file, JOB, j, 2));
    if (!status)
        status = tgs_proposal_figure(out, "makespan_s", x->longest);
    if (!status && !isnan(all_work(x))) { /* were jobs divisible; were they one synchronous job */
        status = tgs_proposal_figure(out, "divisible_s", all_work(x) / speeds);
        if (!status)
            status =
                tgs_proposal_figure(out, "synchronous_s", all_work(x) / (slowest * x->devices));
    }
    if (!status && !x->proven)
        status = tgs_proposal_note(out, "the search ended before the assignment was proven best");
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    islands x = {.c = c, .nodes = tgs_arg_int(c->args, "nodes"), .proven = true};
    tgs_status status = tgs_i_instance_read(&x.file, c->source, tables, err);

    if (status)
        return status;
    x.devices = tgs_i_rows(x.file, DEVICE);
    x.jobs = tgs_i_rows(x.file, JOB);
    x.time = tgs_mem_alloc((size_t)x.jobs, (size_t)x.devices * sizeof *x.time);
    x.order = tgs_mem_alloc((size_t)x.jobs, 4 * sizeof *x.order);
    x.twin = tgs_mem_alloc((size_t)x.devices, sizeof *x.twin);
    x.load = tgs_mem_alloc((size_t)x.devices, sizeof *x.load);
    if (!x.time || !x.order || !x.twin || !x.load) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d jobs", x.jobs);
        goto done;
    }
    x.alike = x.order + x.jobs;
    x.on = x.alike + x.jobs;
    x.best = x.on + x.jobs;
    status = read_jobs(&x, err);
    if (!status)
        status = sort(&x, err);
    if (!status) {
        first_fit(&x);
        assign(&x, 0, 0);
        status = tell(&x, out);
    }
done:
    tgs_mem_free(x.time);
    tgs_mem_free(x.order);
    tgs_mem_free(x.twin);
    tgs_mem_free(x.load);
    tgs_i_instance_free(x.file);
    return status;
}

static const tgs_param params[] = {
    {"nodes", "1000000", TGS_PARAM_INT, 0, 1e12, "nodes of the branch and bound"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_islands = {
    .base = {TGS_PLUGIN_ABI, "islands", "independent training jobs on unlike devices",
             "after heterogeneous decentralized diffusion models, 2026 (arXiv 2603.06741)", params},
    .needs = TGS_PLANS_FILE,
    .systems = "T16",
    .plan = plan,
};
