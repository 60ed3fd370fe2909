/* execute.c -- a run on real data as the command makes it: SIGINT and SIGTERM end it at the next
 * task, and of what fails on the way as much is kept as had run. */
#include <signal.h>
#include <string.h>
#include "common.h"

static tgs_run *_Atomic running;  /* what a signal cancels; NULL: nothing yet */
static volatile sig_atomic_t got; /* the signal, 0 none */

static void cancel(int number)
{
    tgs_run *r = running;

    got = number;
    if (r)
        tgs_run_cancel(r);
}

/* the first of them cancels, the next one ends the process */
static const int numbers[] = {SIGINT, SIGTERM};
enum { SIGNALS = sizeof numbers / sizeof *numbers };

static void watch_signals(struct sigaction *before)
{
    struct sigaction ours = {.sa_handler = cancel, .sa_flags = (int)SA_RESETHAND};

    got = 0;
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* else someone wants us to go on */
            sigaction(numbers[i], &ours, NULL);
    }
}

static void restore_signals(const struct sigaction *before)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(numbers[i], &before[i], NULL);
}

static int tell_failure(tgs_status status, const tgs_error *err, const tgs_trace *part,
                        const options *o)
{
    tgs_error why = {TGS_OK, ""};
    int code = fail(status, err);

    code = got ? 128 + got : code == EXIT_INFEASIBLE ? code : EXIT_RUN;
    if (!part)
        return code;
    if (!o->output)
        warn("with -o FILE what had run until then would have been kept");
    else if (tgs_trace_write(part, o->output, &why))
        warn("what had run until then is lost: %s", why.text);
    else
        warn("%s holds what had run until then", o->output);
    return code;
}

int execute_steps(tgs_trace **out, const tgs_problem *pb, const tgs_schedule *s,
                  const char *backend, int32_t steps, const options *o)
{
    struct sigaction before[SIGNALS];
    tgs_error err = {TGS_OK, ""};
    tgs_trace *part = NULL;
    tgs_run *r = NULL;
    tgs_status status, closed;
    int code = EXIT_OK;

    *out = NULL;
    watch_signals(before);
    status = tgs_run_open(&r, pb, s, NULL, backend, &err);
    if (status) {
        restore_signals(before);
        return fail(status, &err);
    }
    running = r;
    if (got) /* it came while the run was opened */
        tgs_run_cancel(r);
    for (int32_t i = 0; i < steps && !status; i++)
        status = tgs_run_step(r, &err);
    running = NULL;
    closed = tgs_run_close(r, &part, status ? NULL : &err);
    if (!status)
        status = closed;
    if (status)
        code = tell_failure(status, &err, part, o);
    restore_signals(before);
    if (code)
        tgs_trace_free(part);
    else
        *out = part;
    return code;
}
