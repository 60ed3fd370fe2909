/* osdp-table.c -- OSDP on a profiler's table: every layer of a model of equal layers is sharded or
 * not, in steps, so that the memory of a device suffices.
 *
 * The objective is the throughput, samples per second over all batch sizes.  The authors' program
 * takes the plan with the shortest step, whatever its batch; that one is told beside ours.  Memory
 * counts in whole MB per layer, as there.  Of unlike devices the smallest limit and the slowest
 * pace count: all of them hold every layer, and wait for each other. */
#include <string.h>
#include "../csv.h"
#include "../knapsack.h"
#include "tgsched/planner.h"

enum { HIDDEN, BATCH, CHOICE, TIME, MEMORY };
enum { MOST_BATCHES = 64, MOST_CHOICES = 16, MOST_DEVICES = 4096 };

#define MEGABYTE 1048576.0

typedef struct profile { /* of one hidden size */
    int32_t batches, choices;
    double time[MOST_BATCHES][MOST_CHOICES], memory[MOST_BATCHES][MOST_CHOICES];
} profile;

typedef struct setting {
    int32_t layers;
    double room; /* MB for all layers */
    double pace; /* of the slowest device: its times are so many times the table's */
    double samples[MOST_BATCHES];
} setting;

typedef struct found {
    int32_t batch; /* -1 none */
    int32_t count[MOST_CHOICES];
    double seconds, memory, value;
} found;

/* ---- the table ---------------------------------------------------------------------------------
 */
static tgs_status take_row(profile *p, const tgs_i_csv *t, int32_t row, tgs_error *err)
{
    int64_t batch, choice;
    tgs_status status = tgs_i_csv_count(t, row, BATCH, MOST_BATCHES - 1, &batch, err);

    if (!status)
        status = tgs_i_csv_count(t, row, CHOICE, MOST_CHOICES - 1, &choice, err);
    if (status)
        return status;
    if (!isnan(p->time[batch][choice]))
        return tgs_i_csv_fail(t, row, err, "choice %lld of batch %lld again", (long long)choice,
                              (long long)batch);
    p->batches = batch >= p->batches ? (int32_t)batch + 1 : p->batches;
    p->choices = choice >= p->choices ? (int32_t)choice + 1 : p->choices;
    status = tgs_i_csv_real(t, row, TIME, 0, &p->time[batch][choice], err);
    if (!status)
        status = tgs_i_csv_real(t, row, MEMORY, 0, &p->memory[batch][choice], err);
    p->memory[batch][choice] = floor(p->memory[batch][choice]);
    return status;
}

static tgs_status read_profile(profile *p, const tgs_planner_ctx *c, tgs_error *err)
{
    const int64_t wanted = tgs_arg_int(c->args, "hidden");
    tgs_i_csv t;
    tgs_status status =
        tgs_i_csv_read(&t, c->source, "hidden_index,batch_index,choice,time_s,memory_mb", err);

    if (status)
        return status;
    p->batches = p->choices = 0;
    for (int32_t b = 0; b < MOST_BATCHES; b++)
        for (int32_t k = 0; k < MOST_CHOICES; k++)
            p->time[b][k] = NAN;
    for (int32_t i = 0; i < t.rows && !status; i++) {
        int64_t hidden = 0;

        status = tgs_i_csv_count(&t, i, HIDDEN, 1000000, &hidden, err);
        if (!status && hidden == wanted)
            status = take_row(p, &t, i, err);
    }
    if (!status && !p->batches)
        status = tgs_fail(err, TGS_ENOTFOUND, "%s: no rows with hidden_index %lld", c->source->path,
                          (long long)wanted);
    for (int32_t b = 0; b < p->batches && !status; b++)
        for (int32_t k = 0; k < p->choices && !status; k++)
            if (isnan(p->time[b][k]))
                status = tgs_fail(err, TGS_EPARSE,
                                  "%s: hidden_index %lld, batch_index %d has no choice %d",
                                  c->source->path, (long long)wanted, (int)b, (int)k);
    tgs_i_csv_close(&t);
    return status;
}

/* ---- parameters --------------------------------------------------------------------------------
 */
/* positive numbers with commas; how many there are, or a status */
static int32_t take_list(const tgs_args *a, const char *key, double *list, int32_t most,
                         tgs_error *err)
{
    char *text = tgs_mem_text(tgs_arg_text(a, key)), *rest = text, *word;
    int32_t count = 0;

    if (!text)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    while ((word = strsep(&rest, ",")) && count >= 0) {
        if (count == most || !tgs_parse_real(word, &list[count]) || !(list[count] > 0))
            count =
                tgs_fail(err, TGS_EINVAL, "%s: '%.60s' is not one of at most %d positive numbers",
                         key, word, (int)most);
        else
            count++;
    }
    tgs_mem_free(text);
    return count;
}

static tgs_status take_setting(setting *s, const tgs_planner_ctx *c, const profile *p,
                               tgs_error *err)
{
    double list[MOST_DEVICES];
    int32_t count = take_list(c->args, "limits", list, MOST_DEVICES, err);

    if (count < 0)
        return (tgs_status)count;
    s->room = list[0];
    for (int32_t i = 1; i < count; i++)
        s->room = fmin(s->room, list[i]);
    s->room -= tgs_arg_real(c->args, "overhead");
    count = take_list(c->args, "paces", list, MOST_DEVICES, err);
    if (count < 0)
        return (tgs_status)count;
    s->pace = list[0];
    for (int32_t i = 1; i < count; i++)
        s->pace = fmax(s->pace, list[i]);
    s->layers = (int32_t)tgs_arg_int(c->args, "layers");
    count = take_list(c->args, "batches", s->samples, MOST_BATCHES, err);
    if (count >= 0 && count < p->batches)
        return tgs_fail(err, TGS_EINVAL, "batches has %d numbers, the table has %d batches",
                        (int)count, (int)p->batches);
    return count < 0 ? (tgs_status)count : TGS_OK;
}

/* ---- search ------------------------------------------------------------------------------------
 */
static tgs_status tell_batch(int32_t batch, const setting *s, const found *f, int32_t choices,
                             tgs_proposal *out)
{
    char item[60], text[200];
    size_t used = 0;

    snprintf(item, sizeof item, "batch of %g", s->samples[batch]);
    for (int32_t k = 0; k < choices; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", k ? "/" : "layers ",
                                 (int)f->count[k]);
    return tgs_proposal_row(out, item, text, f->seconds, f->memory * MEGABYTE);
}

/* first: the best by throughput; by_step: by the shortest step; missing: MB of the nearest batch */
static tgs_status search(const profile *p, const setting *s, found *best, found *by_step,
                         double *missing, tgs_proposal *out)
{
    tgs_status status = TGS_OK;

    for (int32_t b = 0; b < p->batches && !status; b++) {
        found f = {.batch = b};

        status = tgs_i_knapsack_alike(s->layers, p->choices, p->time[b], p->memory[b], s->room,
                                      f.count, &f.value);
        if (status == TGS_EINFEASIBLE) {
            *missing = fmin(*missing, f.value);
            status = TGS_OK;
            continue;
        }
        f.seconds = f.value * s->pace;
        for (int32_t k = 0; k < p->choices; k++)
            f.memory += f.count[k] * p->memory[b][k];
        f.value = s->samples[b] / f.seconds;
        if (!status)
            status = tell_batch(b, s, &f, p->choices, out);
        if (best->batch < 0 || f.value > best->value)
            *best = f;
        if (by_step->batch < 0 || f.seconds < by_step->seconds)
            *by_step = f;
    }
    return status;
}

static tgs_status tell(const setting *s, const found *best, const found *by_step, tgs_proposal *out)
{
    tgs_status status = tgs_proposal_figure(out, "step_s", best->seconds);

    if (!status)
        status = tgs_proposal_figure(out, "batch", s->samples[best->batch]);
    if (!status)
        status = tgs_proposal_figure(out, "samples_per_s", best->value);
    if (!status)
        status = tgs_proposal_figure(out, "memory_bytes", best->memory * MEGABYTE);
    if (!status)
        status = tgs_proposal_figure(out, "shortest_step_s", by_step->seconds);
    if (!status)
        status = tgs_proposal_figure(out, "shortest_step_samples_per_s", by_step->value);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    profile *p = tgs_mem_alloc(1, sizeof *p);
    found best = {.batch = -1}, by_step = {.batch = -1};
    double missing = INFINITY;
    setting s;
    tgs_status status = p ? read_profile(p, c, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    if (!status)
        status = take_setting(&s, c, p, err);
    if (!status && search(p, &s, &best, &by_step, &missing, out))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status && best.batch < 0)
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "%.0f bytes are missing per device: with a limit of %.0f MB the smallest "
                          "batch fits, fully sharded",
                          missing * MEGABYTE, s.room + tgs_arg_real(c->args, "overhead") + missing);
    if (!status)
        status = tell(&s, &best, &by_step, out);
    tgs_mem_free(p);
    return status;
}

static const tgs_param params[] = {
    {"hidden", "0", TGS_PARAM_INT, 0, 1e6, "rows with this hidden_index"},
    {"layers", "48", TGS_PARAM_INT, 1, 1e4, "equal layers of the model"},
    {"limits", "8192", TGS_PARAM_TEXT, 0, 0, "MB of a device, or of each (with commas)"},
    {"overhead", "800", TGS_PARAM_REAL, 0, 1e12, "MB of a device that are not the layers'"},
    {"paces", "1", TGS_PARAM_TEXT, 0, 0,
     "how many times as long as in the table a device takes, or each (with commas)"},
    {"batches", "1,2,3,4,5", TGS_PARAM_TEXT, 0, 0,
     "samples of batch_index 0, 1, ... (OSDP's table does not say; its memory grows evenly)"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_osdp_table = {
    .base = {TGS_PLUGIN_ABI, "osdp-table",
             "which layers to shard, from a table of measured times and memory",
             "Jiang, Fu, Miao, Nie, Cui, OSDP: Optimal Sharded Data Parallel, IJCAI 2023", params},
    .needs = TGS_PLANS_FILE,
    .systems = "T10",
    .plan = plan,
};
