/* sample-pipe.c -- how many workers sample while a device trains.
 *
 * After A3GNN, ICCD 2025 (arXiv 2511.07421): each batch is sampled on CPU workers, gathered and
 * copied, and trained on.  In turn that takes batches (S + G + T); overlapped with w workers, whose
 * period is P(w) = max(S / w, G, T),
 *
 *     S + G + T + (batches - 1) P(w)
 *
 * All numbers of workers that fit are looked at (their learned search is over a small space); the
 * fastest is taken, of equal ones that of least memory.  Which are on the front (seconds, bytes) is
 * told.
 *
 *   job NAME sample=S gather=G train=T batches=N workers=MOST
 *       [memory=BYTES] [base=BYTES] [worker=BYTES] */
#include "tgsched/planner.h"
#include "../core.h"
#include "../instance.h"

enum { SAMPLE, GATHER, TRAIN, BATCHES, WORKERS, MEMORY, BASE, WORKER };
static const tgs_i_column job[] = {
    {"sample", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"gather", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"train", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"batches", TGS_I_WHOLE, false, 1, 1e12, NAN, 0},
    {"workers", TGS_I_WHOLE, false, 1, 100000, NAN, 0},
    {"memory", TGS_I_REAL, false, 0, INFINITY, INFINITY, 0},
    {"base", TGS_I_REAL, false, 0, 1e18, 0, 0},
    {"worker", TGS_I_REAL, false, 0, 1e18, 0, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"job", 1, 1, job}, {.record = NULL}};

static double of(const tgs_i_instance *f, int32_t column)
{
    return tgs_i_real(f, 0, 0, column);
}

/* w 0: in turn, on one worker */
static double seconds(const tgs_i_instance *f, int32_t w)
{
    const double once = of(f, SAMPLE) + of(f, GATHER) + of(f, TRAIN);

    if (w == 0)
        return of(f, BATCHES) * once;
    return once + (of(f, BATCHES) - 1) * fmax(of(f, SAMPLE) / w, fmax(of(f, GATHER), of(f, TRAIN)));
}

static double bytes(const tgs_i_instance *f, int32_t w)
{
    return of(f, BASE) + of(f, WORKER) * (w ? w : 1);
}

static tgs_status tell(const tgs_i_instance *f, const double *value, const bool *kept,
                       int32_t modes, tgs_proposal *out)
{
    int32_t best = 0;
    tgs_status status = TGS_OK;

    for (int32_t w = 0; w < modes && !status; w++) {
        char choice[60];

        if (value[2 * w] < value[2 * best])
            best = w;
        if (!kept[w])
            continue;
        if (w)
            snprintf(choice, sizeof choice, "overlapped, %d workers", w);
        else
            snprintf(choice, sizeof choice, "in turn");
        status =
            tgs_proposal_row(out, tgs_i_row_name(f, 0, 0), choice, value[2 * w], value[2 * w + 1]);
    }
    if (!status)
        status = tgs_proposal_figure(out, "workers", best);
    if (!status)
        status = tgs_proposal_figure(out, "training_s", value[2 * best]);
    if (!status)
        status = tgs_proposal_figure(out, "in_turn_s", seconds(f, 0));
    return status ? status : tgs_proposal_figure(out, "needed_bytes", value[2 * best + 1]);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_instance *f;
    double *value = NULL;
    bool *kept = NULL;
    int32_t modes = 0, most;
    tgs_status status = tgs_i_instance_read(&f, c->source, tables, err);

    if (status)
        return status;
    most = tgs_i_index(f, 0, 0, WORKERS);
    value = tgs_mem_alloc((size_t)most + 1, 2 * sizeof *value);
    kept = tgs_mem_alloc((size_t)most + 1, sizeof *kept);
    if (!value || !kept) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d modes", most);
        goto done;
    }
    for (; modes <= most && bytes(f, modes) <= of(f, MEMORY); modes++) {
        value[2 * modes] = seconds(f, modes);
        value[2 * modes + 1] = bytes(f, modes);
    }
    if (modes == 0)
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "%.17g bytes are missing for one worker; memory=%.17g suffices",
                          bytes(f, 0) - of(f, MEMORY), bytes(f, 0));
    if (!status)
        status = tgs_i_pareto(modes, 2, value, kept, err);
    if (!status)
        status = tell(f, value, kept, modes, out);
done:
    tgs_mem_free(value);
    tgs_mem_free(kept);
    tgs_i_instance_free(f);
    return status;
}

const tgs_planner tgs_planner_sample_pipe = {
    .base = {TGS_PLUGIN_ABI, "sample-pipe", "how many workers sample while a device trains",
             "after A3GNN, ICCD 2025 (arXiv 2511.07421)", NULL},
    .needs = TGS_PLANS_FILE,
    .systems = "T20",
    .plan = plan,
};
