/* elastic.c -- whether to give a running job more (or fewer) devices, and who reads which samples.
 *
 * Y. Wu et al., "Elastic deep learning in multi-tenant GPU clusters", IEEE TPDS 33(1), 2022 (EDL).
 * With n samples left, rates r now and r' then, preparation P and broadcast B:
 *
 *     stay         n / r
 *     stop-resume  P + B + n / r'
 *     stop-free    P + B + (n - P r) / r'      the old devices go on while new ones prepare
 *
 * The change pays off from n = (P + B) / (1/r - 1/r') samples on, stop-free from
 * n = (P + B - P r / r') / (1/r - 1/r').  When the samples end during the preparation, stop-free
 * is to stay.
 *
 *   job NAME samples=N rate=R then=R' prepare=P broadcast=B [checkpoint=SECONDS]
 *   worker NAME [joins=SAMPLE] [leaves=SAMPLE]
 *
 * The ledger: samples are dealt out in runs of `chunk` to the workers present, in their order; who
 * leaves hands back what it has not read, which is dealt out first.  Each sample of the epoch is
 * read exactly once, whoever comes and goes. */
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { JOB, WORKER };
enum { SAMPLES, RATE, THEN, PREPARE, BROADCAST, CHECKPOINT };
static const tgs_i_column job[] = {
    {"samples", TGS_I_WHOLE, false, 1, 1e15, NAN, 0},
    {"rate", TGS_I_REAL, false, 1e-9, 1e15, NAN, 0},
    {"then", TGS_I_REAL, false, 1e-9, 1e15, NAN, 0},
    {"prepare", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"broadcast", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"checkpoint", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {.key = NULL},
};
static const tgs_i_column worker[] = {
    {"joins", TGS_I_WHOLE, false, 0, 1e15, 0, 0},
    {"leaves", TGS_I_WHOLE, false, 0, INFINITY, INFINITY, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"job", 1, 1, job}, {"worker", 0, 1000, worker}, {.record = NULL}};

/* ---- whether to change ----------------------------------------------------------------------- */
static tgs_status decide(const tgs_i_instance *f, tgs_proposal *out)
{
    const double n = tgs_i_real(f, JOB, 0, SAMPLES), r = tgs_i_real(f, JOB, 0, RATE),
                 then = tgs_i_real(f, JOB, 0, THEN), prepare = tgs_i_real(f, JOB, 0, PREPARE),
                 cast = tgs_i_real(f, JOB, 0, BROADCAST);
    const double pause = prepare + cast + tgs_i_real(f, JOB, 0, CHECKPOINT);
    const double stay = n / r, resume = pause + n / then;
    const double free = prepare * r >= n ? stay : prepare + cast + (n - prepare * r) / then;
    const double gain = 1 / r - 1 / then;
    const bool changes = free < stay;
    tgs_status status;

    status =
        tgs_proposal_row(out, tgs_i_row_name(f, JOB, 0),
                         changes ? "change, without a stop" : "stay", changes ? free : stay, NAN);
    if (!status)
        status = tgs_proposal_figure(out, "stay_s", stay);
    if (!status)
        status = tgs_proposal_figure(out, "stop_resume_s", resume);
    if (!status)
        status = tgs_proposal_figure(out, "stop_free_s", free);
    if (status || !(gain > 0)) /* slower then: nothing makes that worth it */
        return status;
    status = tgs_proposal_figure(out, "stop_resume_worth_samples", pause / gain);
    return status ? status
                  : tgs_proposal_figure(out, "stop_free_worth_samples",
                                        (prepare + cast - prepare * r / then) / gain);
}

/* ---- the ledger ------------------------------------------------------------------------------ */
typedef struct run { /* samples [first, last) */
    int64_t first, last;
} run;

typedef struct ledger {
    int64_t dealt, samples, chunk; /* [0, dealt) was dealt out */
    run *held, *back;              /* [workers] what each has left; what was handed back */
    int64_t *read;                 /* [workers] */
    int32_t backs;
} ledger;

static void deal(ledger *x, int32_t w)
{
    run *next = x->backs ? &x->back[x->backs - 1] : NULL;

    if (next) {
        x->held[w] = *next;
        x->backs--;
    } else {
        x->held[w].first = x->dealt;
        x->dealt = x->samples - x->dealt > x->chunk ? x->dealt + x->chunk : x->samples;
        x->held[w].last = x->dealt;
    }
}

/* one sample at a time, to the workers present in turn; returns the samples that were read, once or
 * more often than that when the ledger is wrong */
static int64_t read_epoch(const tgs_i_instance *f, ledger *x, bool *seen, int64_t *twice)
{
    const int32_t workers = tgs_i_rows(f, WORKER);
    int64_t done = 0;
    bool moved = true;

    while (moved) {
        moved = false;
        for (int32_t w = 0; w < workers; w++) {
            const bool present = (double)done >= tgs_i_real(f, WORKER, w, 0)
                                 && (double)done < tgs_i_real(f, WORKER, w, 1);

            if (!present) {
                if (x->held[w].first < x->held[w].last)
                    x->back[x->backs++] = x->held[w];
                x->held[w] = (run){0, 0};
                continue;
            }
            if (x->held[w].first == x->held[w].last && (x->backs || x->dealt < x->samples))
                deal(x, w);
            if (x->held[w].first == x->held[w].last)
                continue;
            *twice += seen[x->held[w].first];
            seen[x->held[w].first++] = true;
            x->read[w]++;
            done++;
            moved = true;
        }
    }
    return done;
}

static tgs_status keep_ledger(const tgs_i_instance *f, int64_t chunk, tgs_proposal *out,
                              tgs_error *err)
{
    const int32_t workers = tgs_i_rows(f, WORKER);
    ledger x = {.samples = (int64_t)tgs_i_real(f, JOB, 0, SAMPLES), .chunk = chunk};
    int64_t twice = 0, done;
    bool *seen = NULL;
    tgs_status status = TGS_OK;

    if (x.samples > 100000000)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "the ledger of more than 100000000 samples");
    x.held = tgs_mem_alloc((size_t)workers, sizeof *x.held);
    x.back = tgs_mem_alloc((size_t)workers, sizeof *x.back);
    x.read = tgs_mem_alloc((size_t)workers, sizeof *x.read);
    seen = tgs_mem_alloc((size_t)x.samples, sizeof *seen);
    if (!x.held || !x.back || !x.read || !seen) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for a ledger");
        goto done;
    }
    done = read_epoch(f, &x, seen, &twice);
    for (int32_t w = 0; w < workers && !status; w++) {
        char choice[60];

        snprintf(choice, sizeof choice, "reads %lld samples", (long long)x.read[w]);
        status = tgs_proposal_row(out, tgs_i_row_name(f, WORKER, w), choice, NAN, NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "read_samples", (double)done);
    if (!status)
        status = tgs_proposal_figure(out, "read_twice_samples", (double)twice);
    if (!status && done < x.samples)
        status = tgs_proposal_note(out, "all workers have left before the epoch's end");
done:
    tgs_mem_free(x.held);
    tgs_mem_free(x.back);
    tgs_mem_free(x.read);
    tgs_mem_free(seen);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_instance *file;
    tgs_status status = tgs_i_instance_read(&file, c->source, tables, err);

    if (status)
        return status;
    status = decide(file, out);
    if (!status && tgs_i_rows(file, WORKER))
        status = keep_ledger(file, tgs_arg_int(c->args, "chunk"), out, err);
    tgs_i_instance_free(file);
    return status;
}

static const tgs_param params[] = {
    {"chunk", "100", TGS_PARAM_INT, 1, 1e9, "samples that a worker is dealt at a time"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_elastic = {
    .base = {TGS_PLUGIN_ABI, "elastic", "whether a running job is worth other devices",
             "Wu et al., EDL, IEEE TPDS 33(1), 2022", params},
    .needs = TGS_PLANS_FILE,
    .systems = "T4",
    .plan = plan,
};
