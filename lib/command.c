/* command.c -- a heuristic that is a command: what it is told, how it is run, what it answers.
 *
 * Its input is a file, so a command that reads late, or not at all, cannot block us or raise
 * SIGPIPE; only its answer is a pipe, which we read until it ends or the time is up.  It runs in a
 * process group of its own, so that what it has started can be ended with it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "external.h"
#include "numerals.h"
#include "hash.h"
#include "platform.h"

extern char **environ;

/* ---- the input ------------------------------------------------------------------------------- */
typedef struct priced { /* the graph as the problem prices it: a time for every kind that may run it
                         */
    tgs_graph_view g;
    tgs_task *task;
    tgs_constraint *constraint;
    double *time;
    const char **kind_name;
} priced;

static void close_priced(priced *x)
{
    tgs_mem_free(x->task);
    tgs_mem_free(x->constraint);
    tgs_mem_free(x->time);
    tgs_mem_free(x->kind_name);
}

/* the constraint of a task with allowed kinds in the numbering of the platform */
static void price_task(priced *x, const tgs_view *v, int32_t j)
{
    const int32_t old = v->g->task[j].constraint;
    uint64_t allowed = 0;

    for (int32_t k = 0; k < v->kinds; k++) {
        const double w = v->time[(int64_t)j * v->kinds + k];

        x->time[(int64_t)j * v->kinds + k] = w < INFINITY ? w : NAN;
        allowed |= (uint64_t)(w < INFINITY) << k;
    }
    if (v->kinds == 64 ? allowed == ~(uint64_t)0 : allowed == ((uint64_t)1 << v->kinds) - 1)
        allowed = ~(uint64_t)0;
    if (old < 0 && allowed == ~(uint64_t)0)
        return;
    x->task[j].constraint = x->g.constraints;
    x->constraint[x->g.constraints] =
        old >= 0 ? v->g->constraint[old] : (tgs_constraint){.deadline = INFINITY, .group = -1};
    x->constraint[x->g.constraints++].kinds = allowed;
}

static tgs_status open_priced(priced *x, const tgs_view *v, tgs_error *err)
{
    const size_t n = (size_t)v->n;

    *x = (priced){.g = *v->g};
    if (v->kinds > 64)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "exec: a graph file holds at most 64 kinds");
    x->task = tgs_mem_alloc(n, sizeof *x->task);
    x->constraint = tgs_mem_alloc(n, sizeof *x->constraint);
    x->time = tgs_mem_alloc(n * (size_t)v->kinds, sizeof *x->time);
    x->kind_name = tgs_mem_alloc((size_t)v->kinds, sizeof *x->kind_name);
    if (!x->task || !x->constraint || !x->time || !x->kind_name)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to write %d tasks", v->n);
    memcpy(x->task, v->g->task, n * sizeof *x->task);
    x->g.constraints = 0;
    for (int32_t j = 0; j < v->n; j++)
        price_task(x, v, j);
    for (int32_t k = 0; k < v->kinds; k++)
        x->kind_name[k] = v->p->kind[k].name;
    x->g.task = x->task;
    x->g.constraint = x->constraint;
    x->g.time = x->time;
    x->g.kinds = v->kinds;
    x->g.kind_name = x->kind_name;
    return TGS_OK;
}

tgs_status tgs_i_command_describe(const tgs_view *v, FILE *to, tgs_error *err)
{
    const tgs_plugin *writer;
    priced x;
    locale_t before;
    tgs_status status = tgs_i_find(&writer, "writer", "tg", err);

    if (status)
        return status;
    before = tgs_i_numerals_enter();
    status = open_priced(&x, v, err);
    if (!status)
        status = ((const tgs_writer *)writer)->write(&x.g, NULL, to, err);
    if (!status) {
        fprintf(to, "# link model %s\n---\n", v->link_model);
        tgs_i_platform_put(to, v->p);
    }
    close_priced(&x);
    tgs_i_numerals_leave(before);
    return status;
}

/* ---- the process ----------------------------------------------------------------------------- */
typedef struct child {
    const tgs_ctx *c;
    const char *command;
    pid_t pid;
    int out;    /* where its stdout is read, -1 closed */
    double end; /* of its time, on the monotonic clock */
} child;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* may it go on?  Asked every tenth of a second. */
static tgs_status patience(const child *x, double timeout, tgs_error *err)
{
    if (now() > x->end)
        return tgs_fail(err, TGS_EIO, "exec: '%.80s' took longer than %g seconds", x->command,
                        timeout);
    if (x->c->stop && x->c->stop(x->c->user))
        return tgs_fail(err, TGS_ECANCELED, "exec: '%.80s' was stopped", x->command);
    return TGS_OK;
}

static tgs_status start(child *x, FILE *input, tgs_error *err)
{
    char shell[] = "sh", option[] = "-c";
    char *const argv[] = {shell, option, (char *)x->command, NULL}; /* it is not written */
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, pipe_only;
    int ends[2], failed;

    if (lseek(fileno(input), 0, SEEK_SET) || fcntl(fileno(input), F_SETFD, FD_CLOEXEC)
        || pipe2(ends, O_CLOEXEC))
        return tgs_fail(err, TGS_EIO, "exec: %s", strerror(errno));
    sigemptyset(&none);
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    failed = posix_spawn_file_actions_init(&files);
    if (!failed) {
        failed = posix_spawnattr_init(&how);
        if (!failed) {
            posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF
                                               | POSIX_SPAWN_SETSIGMASK);
            posix_spawnattr_setpgroup(&how, 0);
            posix_spawnattr_setsigdefault(&how, &pipe_only);
            posix_spawnattr_setsigmask(&how, &none);
            failed = posix_spawn_file_actions_adddup2(&files, fileno(input), 0);
            if (!failed)
                failed = posix_spawn_file_actions_adddup2(&files, ends[1], 1);
            if (!failed)
                failed = posix_spawn(&x->pid, "/bin/sh", &files, &how, argv, environ);
            posix_spawnattr_destroy(&how);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return tgs_fail(err, TGS_EIO, "exec: '%.80s' cannot be started: %s", x->command,
                        strerror(failed));
    }
    x->out = ends[0];
    return TGS_OK;
}

/* what it writes, until it closes its stdout; at most most bytes */
static tgs_status listen_to(const child *x, double timeout, int64_t most, char **output,
                            size_t *size, tgs_error *err)
{
    int64_t room = 0, used = 0;
    tgs_status status = TGS_OK;

    while (!status) {
        struct pollfd wait = {.fd = x->out, .events = POLLIN};
        ssize_t got = -1;

        status = patience(x, timeout, err);
        if (status || poll(&wait, 1, 100) <= 0)
            continue;
        if (tgs_mem_grow(output, &room, used + 65536 + 1, 1))
            return tgs_fail(err, TGS_ENOMEM, "out of memory for what '%.80s' wrote", x->command);
        got = read(x->out, *output + used, 65536);
        if (got < 0 && errno != EINTR)
            return tgs_fail(err, TGS_EIO, "exec: '%.80s': %s", x->command, strerror(errno));
        used += got > 0 ? got : 0;
        (*output)[used] = 0;
        *size = (size_t)used;
        if (!got)
            break;
        if (used > most)
            status = tgs_fail(err, TGS_EIO, "exec: '%.80s' wrote more than %lld bytes", x->command,
                              (long long)most);
    }
    return status;
}

static tgs_status finish(child *x, double timeout, tgs_error *err)
{
    tgs_status status = TGS_OK;
    int how = 0;
    pid_t got;

    while (!(got = waitpid(x->pid, &how, WNOHANG)) || (got < 0 && errno == EINTR)) {
        status = patience(x, timeout, err);
        if (status)
            return status;
        poll(NULL, 0, 5);
    }
    x->pid = -1;
    if (got < 0)
        return tgs_fail(err, TGS_EIO, "exec: '%.80s' was lost: %s", x->command, strerror(errno));
    if (WIFSIGNALED(how))
        return tgs_fail(err, TGS_EIO, "exec: '%.80s' was ended by signal %d", x->command,
                        WTERMSIG(how));
    if (WEXITSTATUS(how))
        return tgs_fail(err, TGS_EIO, "exec: '%.80s' exited with status %d", x->command,
                        WEXITSTATUS(how));
    return TGS_OK;
}

tgs_status tgs_i_command_run(const tgs_ctx *c, const char *command, double timeout, FILE *input,
                             char **output, size_t *size, tgs_error *err)
{
    child x = {.c = c, .command = command, .pid = -1, .out = -1, .end = now() + timeout};
    tgs_status status = start(&x, input, err);

    *output = NULL;
    *size = 0;
    if (!status) /* a place is a few dozen bytes, and some words beside */
        status = listen_to(&x, timeout, 1048576 + 4096 * (int64_t)c->v->n, output, size, err);
    if (!status)
        status = finish(&x, timeout, err);
    if (x.pid > 0) {
        kill(-x.pid, SIGKILL);
        while (waitpid(x.pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (x.out >= 0)
        close(x.out);
    if (status) {
        tgs_mem_free(*output);
        *output = NULL;
    }
    return status;
}
