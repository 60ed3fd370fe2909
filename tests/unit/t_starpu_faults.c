/* t_starpu_faults.c -- runs that end before their end: a kernel that fails, one that hangs, a run
 * that is canceled.  Each names a task and leaves a trace of what had run; the next run is as good
 * as ever.  And many runs in a row, good and bad, which leak neither memory nor file descriptors
 * nor shared memory (300 with TGS_LONG). */
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "starpu_case.h"

enum { TASKS = 60 };

static _Atomic int32_t calls, fails_at, hangs_at;

/* of the first steps everything, then as it is told; 2 ms each */
static tgs_status bad_kernel(const tgs_call *call)
{
    const int32_t n = ++calls;
    const struct timespec t = {0, 2 * 1000 * 1000};

    nanosleep(&t, NULL);
    if (n == fails_at)
        return TGS_EINVAL;
    while (n == hangs_at)
        pause();
    memset(call->buffer[0].data, 0, (size_t)call->buffer[0].bytes);
    return TGS_OK;
}

static void make_bad(spu_case *c)
{
    const tgs_kernel k = {.codelet = "test-mix",
                          .arch = "cpu",
                          .dtype = TGS_BYTES,
                          .impl = "bad",
                          .rank = 10,
                          .run = bad_kernel};

    case_make(c, TASKS, 16, 11, "cpu:2");
    tgs_codelets_add(c->c, &k, NULL);
    calls = fails_at = hangs_at = 0;
}

/* two good steps, then one that ends in a fault; how many tasks of it are in the trace */
static int32_t three_steps(spu_case *c, const char *backend, tgs_status expected, tgs_error *text)
{
    tgs_run *run;
    tgs_trace *trace;
    int32_t part;

    MUST(tgs_run_open(&run, c->pb, c->schedule, c->c, backend, err));
    MUST(tgs_run_step(run, err));
    MUST(tgs_run_step(run, err));
    if (tgs_run_step(run, text) != expected) {
        fprintf(stderr, "not %s: %s\n", tgs_status_text(expected), text->text);
        exit(1);
    }
    if (tgs_run_close(run, &trace, NULL) != expected || !trace) {
        fprintf(stderr, "no trace of what had run\n");
        exit(1);
    }
    part = trace->v.rans - 2 * TASKS;
    if (trace->v.steps != 3)
        exit(1);
    for (int32_t i = 0; i < trace->v.rans; i++)
        if (!(trace->v.ran[i].start >= 0 && trace->v.ran[i].end >= trace->v.ran[i].start
              && trace->v.ran[i].end < 1e3))
            exit(1);
    tgs_trace_free(trace);
    return part;
}

static int good_again(spu_case *c)
{
    tgs_trace *trace;

    fails_at = 0;
    MUST(tgs_execute(&trace, c->pb, c->schedule, c->c, "starpu", 2, err));
    CHECK(trace->v.rans == 2 * TASKS);
    tgs_trace_free(trace);
    return 0;
}

static int failing(void)
{
    spu_case c;
    tgs_error text = {TGS_OK, ""};
    int32_t part;

    make_bad(&c);
    fails_at = 2 * TASKS + 20;
    part = three_steps(&c, "starpu:warmup=0", TGS_EBACKEND, &text);
    CHECK(strstr(text.text, "task t") && strstr(text.text, "test-mix"));
    CHECK(part >= 20 && part <= 22); /* with what runs beside the one that fails */
    CHECK(!good_again(&c));
    case_free(&c);
    return 0;
}

static int hanging(void)
{
    static spu_case c; /* the thread in the kernel stays, and what it may read */
    tgs_error text = {TGS_OK, ""};
    int32_t part;

    make_bad(&c);
    hangs_at = 2 * TASKS + 20;
    part = three_steps(&c, "starpu:warmup=0:watchdog=1", TGS_EBACKEND, &text);
    CHECK(strstr(text.text, "stalled") && strstr(text.text, " runs t"));
    CHECK(part >= 10 && part < TASKS);
    return 0; /* StarPU's threads are still there */
}

static void *cancel_later(void *run)
{
    const struct timespec t = {0, 30 * 1000 * 1000};

    while (calls < 2 * TASKS + 5)
        nanosleep(&t, NULL);
    tgs_run_cancel(run);
    return NULL;
}

static int canceled_on(const char *backend)
{
    spu_case c;
    tgs_run *run;
    tgs_trace *trace;
    pthread_t thread;
    tgs_error text = {TGS_OK, ""};
    tgs_status status = TGS_OK;

    make_bad(&c);
    MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, backend, err));
    CHECK(!pthread_create(&thread, NULL, cancel_later, run));
    for (int32_t i = 0; i < 100 && !status; i++)
        status = tgs_run_step(run, &text);
    pthread_join(thread, NULL);
    CHECK(status == TGS_ECANCELED && strstr(text.text, "canceled after "));
    CHECK(tgs_run_close(run, &trace, NULL) == TGS_ECANCELED);
    CHECK(trace && trace->v.rans >= 2 * TASKS && trace->v.rans < 99 * TASKS);
    tgs_trace_free(trace);
    CHECK(!good_again(&c));
    case_free(&c);
    return 0;
}

static int canceled(void)
{
    return canceled_on("starpu") || canceled_on("serial");
}

/* ---- many runs ------------------------------------------------------------------------------ */
static int32_t entries(const char *folder)
{
    DIR *d = opendir(folder);
    int32_t count = 0;

    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count;
}

/* one of four fails, and one changes the machine, for which StarPU is started anew */
static int one_of_many(int32_t i)
{
    tgs_error text = {TGS_OK, ""};
    tgs_trace *trace;
    spu_case c;
    tgs_status status;

    if (i % 8 == 5) {
        case_make(&c, 20, 16, 3, "cpu:1");
        MUST(tgs_execute(&trace, c.pb, c.schedule, c.c, "starpu", 1, err));
    } else {
        make_bad(&c);
        fails_at = i % 4 == 1 ? 10 : 0;
        status = tgs_execute(&trace, c.pb, c.schedule, c.c, "starpu:warmup=0", 1, &text);
        CHECK(status == (fails_at ? TGS_EBACKEND : TGS_OK) && trace);
    }
    tgs_trace_free(trace);
    case_free(&c);
    return 0;
}

/* What runs lose they lose in every window; what is allocated once, as a hundred kilobytes are now
 * and then, is in one of them.  Many runs have room for it. */
static int in_a_row(void)
{
    enum { WINDOW = 16, LOST = 1500 };
    const bool many = getenv("TGS_LONG") != NULL;
    const int32_t runs = many ? 300 : 56, warm = runs / 4 / 8 * 8;
    int32_t files = 0, shared = 0;
    double first = 0, before = 0, least = INFINITY;

    for (int32_t i = 0; i <= runs; i++) {
        if (i == warm) {
            files = entries("/proc/self/fd");
            shared = entries("/dev/shm");
            first = before = (double)mallinfo2().uordblks;
        } else if (i > warm && (i - warm) % WINDOW == 0) {
            const double now = (double)mallinfo2().uordblks;

            least = fmin(least, now - before);
            before = now;
        }
        CHECK(i == runs || !one_of_many(i));
    }
    fprintf(stderr, "%d runs: %d files, %d shared, %g bytes more, at least %g in %d of them\n",
            runs, entries("/proc/self/fd") - files, entries("/dev/shm") - shared,
            (double)mallinfo2().uordblks - first, least, WINDOW);
    CHECK(entries("/proc/self/fd") <= files);
    CHECK(entries("/dev/shm") <= shared + 2); /* others may work beside us */
    CHECK(least <= LOST * WINDOW);
    CHECK(!many || (double)mallinfo2().uordblks <= first + LOST * (runs - warm));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(failing, 120),
        ALONE(hanging, 120),
        ALONE(canceled, 120),
        ALONE(in_a_row, 600),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
