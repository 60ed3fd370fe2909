/* est.c -- what est-map and est-round share: the file, and how a placement is told. */
#include "est.h"

enum { GPU, JOB };
static const tgs_i_column gpu[] = {
    {"speed", TGS_I_REAL, false, 1e-9, 1e9, NAN, 0},
    {"count", TGS_I_WHOLE, false, 1, 100000, 1, 0},
    {.key = NULL},
};
static const tgs_i_column job[] = {
    {"threads", TGS_I_WHOLE, false, 1, 1000000, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"gpu", 1, 64, gpu}, {"job", 1, 1, job}, {.record = NULL}};

tgs_status tgs_i_est_open(tgs_i_est *x, const tgs_planner_ctx *c, tgs_error *err)
{
    tgs_status status;
    int32_t at = 0;

    *x = (tgs_i_est){.file = NULL};
    status = tgs_i_instance_read(&x->file, c->source, tables, err);
    if (status)
        return status;
    x->threads = tgs_i_index(x->file, JOB, 0, 0);
    x->types = tgs_i_rows(x->file, GPU);
    for (int32_t i = 0; i < x->types; i++)
        x->gpus += tgs_i_index(x->file, GPU, i, 1);
    x->name = tgs_mem_alloc((size_t)x->types, sizeof *x->name);
    x->speed = tgs_mem_alloc((size_t)x->types, sizeof *x->speed);
    x->count = tgs_mem_alloc((size_t)x->types, sizeof *x->count);
    x->type = tgs_mem_alloc((size_t)x->gpus, sizeof *x->type);
    x->on = tgs_mem_alloc((size_t)x->gpus, sizeof *x->on);
    if (!x->name || !x->speed || !x->count || !x->type || !x->on) {
        tgs_i_est_close(x);
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d GPUs", x->gpus);
    }
    for (int32_t i = 0; i < x->types; i++) {
        x->name[i] = tgs_i_row_name(x->file, GPU, i);
        x->speed[i] = tgs_i_real(x->file, GPU, i, 0);
        x->count[i] = tgs_i_index(x->file, GPU, i, 1);
        for (int32_t k = 0; k < x->count[i]; k++)
            x->type[at++] = i;
    }
    return TGS_OK;
}

void tgs_i_est_close(tgs_i_est *x)
{
    tgs_i_instance_free(x->file);
    tgs_mem_free(x->name);
    tgs_mem_free(x->speed);
    tgs_mem_free(x->count);
    tgs_mem_free(x->type);
    tgs_mem_free(x->on);
}

tgs_status tgs_i_est_tell(const tgs_i_est *x, double speed, double waste, tgs_proposal *out)
{
    int64_t first = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0, k = 0; i < x->gpus && !status; i++) {
        char item[80], choice[80];

        k = i > 0 && x->type[i] == x->type[i - 1] ? k + 1 : 0;
        snprintf(item, sizeof item, "%.60s %d", x->name[x->type[i]], k);
        if (x->on[i] > 0)
            snprintf(choice, sizeof choice, "%lld threads, %lld to %lld", (long long)x->on[i],
                     (long long)first, (long long)(first + x->on[i] - 1));
        else
            snprintf(choice, sizeof choice, "0 threads");
        first += x->on[i];
        status = tgs_proposal_row(out, item, choice, (double)x->on[i] / x->speed[x->type[i]], NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "threads_per_s", speed);
    if (!status)
        status = tgs_proposal_figure(out, "waste", waste);
    if (!status)
        status = tgs_proposal_figure(out, "step_s", (double)x->threads / speed);
    if (!status)
        status = tgs_proposal_note(out,
                                   "gradients are reduced in the order of the threads, 0 to "
                                   "%lld, whatever GPUs they run on",
                                   (long long)(x->threads - 1));
    return status;
}
