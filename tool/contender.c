/* contender.c -- the two sides of a contender: the process that plans and executes, and the one
 * that tells it when. */
#include "contender.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WARM_UPS = 2 };
static const char go = 'g';

bool policy_is_starpu(const char *policy)
{
    return !strncmp(policy, "starpu:", strlen("starpu:"));
}

/* all of size bytes, or false */
static bool receive(int from, void *to, size_t size)
{
    char *at = to;

    while (size) {
        const ssize_t got = read(from, at, size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool send_all(int to, const void *what, size_t size)
{
    const char *at = what;

    while (size) {
        const ssize_t put = write(to, at, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* ---- the process that executes ---- */
static int plan(input *in, tgs_schedule **s, double *planned, const command *self, const options *o,
                const contender *c)
{
    const bool starpu = policy_is_starpu(c->policy);
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t = NULL;
    tgs_status status;
    int code = input_open(in, c->graph, self, o);

    *planned = NAN;
    if (!code) /* a run needs a schedule, which StarPU's policies do not look at */
        code = make_schedule(s, in->problem, starpu ? DEFAULT_HEURISTIC : c->policy, o->seed);
    if (code || starpu)
        return code;
    status = tgs_simulate(&t, in->problem, *s, &err);
    if (status)
        return fail(status, &err);
    *planned = tgs_trace_makespan(t);
    tgs_trace_free(t);
    return EXIT_OK;
}

/* a step whenever the other side says so; false: it has said something else, or ended */
static bool told(int from)
{
    char word;

    return receive(from, &word, 1) && word == go;
}

static tgs_status take_turns(tgs_run *r, double planned, int from, int to, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int i = 0; i < WARM_UPS && !status; i++)
        status = tgs_run_step(r, err);
    if (!status && !send_all(to, &planned, sizeof planned))
        return TGS_OK; /* nobody listens any more */
    while (!status && told(from)) {
        status = tgs_run_step(r, err);
        if (!status && !send_all(to, &go, 1))
            break;
    }
    return status;
}

static int execute(const contender *c, const command *self, const options *o, int from, int to)
{
    const bool starpu = policy_is_starpu(c->policy);
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s = NULL;
    tgs_trace *t = NULL;
    tgs_run *r = NULL;
    input in = {0};
    char backend[160];
    double planned;
    tgs_status status, closed;
    int code = plan(&in, &s, &planned, self, o, c);

    if (code)
        return code;
    snprintf(backend, sizeof backend, "starpu:%s%s", starpu ? "policy=" : "keep=",
             starpu    ? c->policy + strlen("starpu:")
             : o->keep ? o->keep
                       : "kind");
    if (starpu)
        setenv("STARPU_PREFETCH", "1", 0); /* its own way; ours asks for transfers by itself */
    status = tgs_run_open(&r, in.problem, s, NULL, backend, &err);
    if (!status)
        status = take_turns(r, planned, from, to, &err);
    closed = tgs_run_close(r, status ? NULL : &t, status ? NULL : &err);
    status = status ? status : closed;
    for (int32_t i = WARM_UPS; !status && i < tgs_trace_steps(t); i++) {
        const double time = tgs_trace_step(t, i);

        if (!send_all(to, &time, sizeof time))
            break;
    }
    if (status) {
        warn("%s on %s: %s", c->policy, c->graph, err.text);
        code = EXIT_FAILED;
    }
    tgs_trace_free(t);
    tgs_schedule_free(s);
    input_close(&in);
    return code;
}

/* ---- the process that tells ---- */
static void close_pipe(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

int contender_start(contender *c, const command *self, const options *o, const char *costs,
                    int32_t rounds, contender *others, int32_t count)
{
    int there[2], back[2];
    options with = *o;

    c->to = c->from = -1;
    c->time = calloc((size_t)rounds, sizeof *c->time);
    if (!c->time)
        return fail(TGS_ENOMEM, NULL);
    if (pipe(there) || pipe(back)) {
        warn("pipe: %s", strerror(errno));
        return EXIT_FAILED;
    }
    fflush(NULL);
    c->pid = fork();
    if (!c->pid) {
        int code;

        close(there[1]);
        close(back[0]);
        for (int32_t i = 0; i < count; i++) {
            close_pipe(&others[i].to);
            close_pipe(&others[i].from);
        }
        with.costs = costs;
        with.runnable = true;
        with.heuristics = NULL;
        code = execute(c, self, &with, there[0], back[1]);
        fflush(stderr);
        _exit(code); /* what the other one has open is not ours to close */
    }
    close(there[0]);
    close(back[1]);
    c->to = there[1];
    c->from = back[0];
    if (c->pid < 0) {
        c->pid = 0;
        warn("fork: %s", strerror(errno));
        return EXIT_FAILED;
    }
    if (receive(c->from, &c->planned, sizeof c->planned))
        c->rounds = rounds;
    return EXIT_OK;
}

bool contender_go(contender *c)
{
    char word;

    if (c->rounds && send_all(c->to, &go, 1) && receive(c->from, &word, 1))
        return true;
    c->rounds = 0;
    return false;
}

void contender_collect(contender *c)
{
    close_pipe(&c->to); /* the end of its turns */
    if (c->rounds && !receive(c->from, c->time, (size_t)c->rounds * sizeof *c->time))
        c->rounds = 0;
    contender_free(&(contender){.pid = c->pid, .to = c->to, .from = c->from});
    c->pid = 0;
    c->from = -1;
}

void contender_free(contender *c)
{
    close_pipe(&c->to);
    close_pipe(&c->from);
    if (c->pid > 0)
        waitpid(c->pid, NULL, 0);
    c->pid = 0;
    free(c->time);
    c->time = NULL;
}
