/* execute.c -- a run on real data as the command makes it: SIGINT and SIGTERM end it at the next
 * task, and of what fails on the way as much is kept as had run. */
#include <string.h>
#include "common.h"
#include "signals.h"

static tgs_run *_Atomic running;  /* what a signal cancels; NULL: nothing yet */
static volatile sig_atomic_t got; /* the signal, 0 none */

static void cancel(int number)
{
    tgs_run *r = running;

    got = number;
    if (r)
        tgs_run_cancel(r);
}

static const int numbers[] = {SIGINT, SIGTERM};

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
    signals watched;
    tgs_error err = {TGS_OK, ""};
    tgs_trace *part = NULL;
    tgs_run *r = NULL;
    tgs_status status, closed;
    int code = EXIT_OK;

    *out = NULL;
    got = 0;
    signals_watch(&watched, numbers, sizeof numbers / sizeof *numbers, cancel);
    status = tgs_run_open(&r, pb, s, NULL, backend, &err);
    if (status) {
        signals_restore(&watched);
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
    signals_restore(&watched);
    if (code)
        tgs_trace_free(part);
    else
        *out = part;
    return code;
}
