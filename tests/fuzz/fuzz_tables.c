/* fuzz_tables.c -- any bytes as measured times of operators, and as the file of each planner that
 * reads one of its own: an answer that holds together or a clear error, never a crash.
 *
 * The entry point is libFuzzer's, as in fuzz_read.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "internal.h"
#include "tgsched/planner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char *const fuzz_corpus[];
const char *const fuzz_corpus[] = {"tests/fuzz/tables", NULL};

static tgs_model *model;
static tgs_platform *platform;
static tgs_strategy *strategy;

static void insist(bool holds, const char *what, const tgs_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_tables: %s: %s\n", what, err->text);
    abort();
}

static void refused(const void *made, tgs_status status, const tgs_error *err)
{
    insist(!made, "failed, but there is a result", err);
    insist(*err->text && err->status == status, "failed without a word", err);
    insist(!strchr(err->text, '\n'), "failed with more than one line", err);
}

static void free_all(void)
{
    tgs_strategy_free(strategy);
    tgs_platform_free(platform);
    tgs_model_free(model);
}

static void make_all(void)
{
    tgs_error err = {TGS_OK, ""};

    if (model)
        return;
    insist(!tgs_model_read(&model, "zoo:mlp:batch=2", NULL, NULL, &err)
               && !tgs_platform_parse(&platform, "cpu:2 gpu:1x4@8 link:1e9,1e-6", &err)
               && !tgs_strategy_parse(&strategy, "train sgd; micro-batches 2", &err),
           "nothing to work on", &err);
    atexit(free_all);
}

static void as_times(const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_times *t;
    tgs_graph *g;
    int32_t covered = 0;
    tgs_status status = tgs_times_read(&t, path, &err);

    if (status) {
        refused(t, status, &err);
        return;
    }
    status = tgs_model_lower_timed(&g, model, strategy, t, &covered, &err);
    if (status)
        refused(g, status, &err);
    insist(covered >= 0, "a negative count", &err);
    tgs_graph_free(g);
    tgs_times_free(t);
}

static void as_instance(const char *planner, const char *path)
{
    const tgs_plan_input in = {.file = path, .platform = platform};
    tgs_error err = {TGS_OK, ""};
    tgs_proposal_line line;
    tgs_proposal *p;
    const tgs_status status = tgs_planner_make(&p, &in, planner, &err);

    if (status) {
        refused(p, status, &err);
        return;
    }
    for (int32_t i = 0; tgs_proposal_row_at(p, i, &line); i++)
        insist(line.item && line.choice, "a row without words", &err);
    tgs_proposal_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int fd = memfd_create("fuzz", 0);
    char path[40];

    make_all();
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    as_times(path);
    for (int32_t i = 0; tgs_plugin_name("planner", i); i++) {
        const char *name = tgs_plugin_name("planner", i);
        const tgs_plugin *p;

        if (!tgs_i_find(&p, "planner", name, NULL)
            && ((const tgs_planner *)p)->needs & TGS_PLANS_FILE)
            as_instance(name, path);
    }
    close(fd);
    return 0;
}
