/* fuzz_plan.c -- any bytes as a schedule, as a trace and as a strategy: something that holds
 * together or a clear error, never a crash; what was read is written and read back unchanged.
 *
 * A schedule belongs to one graph and platform: in the input, G and P sixteen times stand for the
 * fingerprints of those here.  The entry point is libFuzzer's, as in fuzz_read.c. */
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>
#include "graphtext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char *const fuzz_corpus[];
const char *const fuzz_corpus[] = {"tests/fuzz/plans", NULL};

static const char graph_text[] = "tgsched.graph/1\nkinds x y\ntask a work=1 time=1,2\n"
                                 "task b%20c work=3\ntask @2 work=2\n"
                                 "data d dtype=f32 shape=2,3 init=zero\naccess a w d\n"
                                 "access b%20c rw d\naccess @2 r d\nedge a b%20c 7\nafter a @2\n";

static tgs_graph *graph;
static tgs_platform *platform;
static tgs_problem *problem;

static void insist(bool holds, const char *what, const tgs_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_plan: %s: %s\n", what, err->text);
    abort();
}

static void refused(const void *made, tgs_status status, const tgs_error *err)
{
    insist(!made, "failed, but there is a result", err);
    insist(*err->text && err->status == status, "failed without a word", err);
    insist(status == TGS_EPARSE || status == TGS_EINVAL || status == TGS_ECHECK
               || status == TGS_ENOTFOUND,
           "failed with another status", err);
}

static void free_problem(void)
{
    tgs_problem_free(problem);
    tgs_platform_free(platform);
    tgs_graph_free(graph);
}

static void make_problem(void)
{
    tgs_error err = {TGS_OK, ""};

    if (problem)
        return;
    insist(!graph_from_text(&graph, "tg", graph_text, sizeof graph_text - 1, &err)
               && !tgs_platform_parse(&platform, "x:2 y:1x2@8 link:1e9,1e-6", &err)
               && !tgs_problem_new(&problem, graph, platform, NULL, "latbw", &err),
           "no problem", &err);
    atexit(free_problem);
}

/* ---- a file in memory, with a name
 * ---------------------------------------------------------------- */

typedef struct file {
    int fd;
    char path[40];
} file;

static file file_of(const void *data, size_t size)
{
    file f = {.fd = memfd_create("fuzz", 0)};
    const tgs_error none = {TGS_OK, ""};

    insist(f.fd >= 0 && write(f.fd, data, size) == (ssize_t)size, "no memory file", &none);
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

static void put_fingerprint(char *text, char mark, uint64_t value)
{
    char marks[17], digits[17];

    memset(marks, mark, 16);
    marks[16] = 0;
    snprintf(digits, sizeof digits, "%016" PRIx64, value);
    for (char *s = text; (s = strstr(s, marks)); s += 16)
        memcpy(s, digits, 16);
}

/* ---- the three
 * ------------------------------------------------------------------------------------ */

static void as_schedule(const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s, *back;
    tgs_trace *t;
    char *origin;
    tgs_status status = tgs_schedule_read(&s, path, problem, &err);
    file copy;

    if (status) {
        refused(s, status, &err);
        return;
    }
    copy = file_of("", 0);
    insist(!tgs_schedule_write(s, problem, copy.path, &err), "cannot be written", &err);
    insist(!tgs_schedule_origin(&origin, copy.path, &err)
               && !strcmp(origin, s->origin ? s->origin : ""),
           "tells another origin", &err);
    tgs_text_free(origin);
    insist(!tgs_schedule_read(&back, copy.path, problem, &err), "does not read back", &err);
    insist(tgs_schedule_makespan(s) == tgs_schedule_makespan(back) && s->v.places == back->v.places
               && s->v.moves == back->v.moves,
           "reads back otherwise", &err);
    tgs_schedule_free(back);
    close(copy.fd);
    status = tgs_schedule_check(s, problem, &err);
    insist(!status || (status == TGS_ECHECK && *err.text), "is checked strangely", &err);
    if (!status) {
        insist(!tgs_simulate(&t, problem, s, &err), "is good, but does not play", &err);
        tgs_trace_free(t);
    }
    tgs_schedule_free(s);
}

static void as_table(const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;
    tgs_status status = tgs_i_schedule_csv(&s, path, problem, &err);

    if (status) {
        refused(s, status, &err);
        return;
    }
    status = tgs_schedule_check(s, problem, &err);
    insist(!status || (status == TGS_ECHECK && *err.text), "is checked strangely", &err);
    tgs_schedule_free(s);
}

static void as_trace(const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t, *back;
    const tgs_status status = tgs_trace_read(&t, path, &err);
    file copy;

    if (status) {
        refused(t, status, &err);
        return;
    }
    copy = file_of("", 0);
    insist(!tgs_trace_write(t, copy.path, &err), "cannot be written", &err);
    insist(!tgs_trace_read(&back, copy.path, &err), "does not read back", &err);
    insist(t->v.rans == back->v.rans && t->v.moveds == back->v.moveds && t->v.useds == back->v.useds
               && tgs_trace_bytes_moved(t) == tgs_trace_bytes_moved(back),
           "reads back otherwise", &err);
    for (int32_t i = 0; tgs_plugin_name("report", i); i++)
        insist(!tgs_report(t, back, tgs_plugin_name("report", i), "/dev/null", &err),
               tgs_plugin_name("report", i), &err);
    tgs_trace_free(back);
    tgs_trace_free(t);
    close(copy.fd);
}

static void as_strategy(const char *path, const char *text)
{
    tgs_error err = {TGS_OK, ""};
    tgs_strategy *s;
    tgs_status status = tgs_strategy_read(&s, path, &err);

    if (status)
        refused(s, status, &err);
    tgs_strategy_free(s);
    status = tgs_strategy_parse(&s, text, &err);
    if (status)
        refused(s, status, &err);
    tgs_strategy_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    file f;

    make_problem();
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    put_fingerprint(text, 'G', tgs_graph_fingerprint(graph));
    put_fingerprint(text, 'P', tgs_platform_fingerprint(platform));
    f = file_of(text, size);
    as_schedule(f.path);
    as_table(f.path);
    as_trace(f.path);
    as_strategy(f.path, text);
    close(f.fd);
    free(text);
    return 0;
}
