/* say.c -- messages, progress and results: what goes to which stream, and with which exit code. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common.h"

/* ---- messages */
static const char *where; /* in which file a mistake is; NULL: on the command line */

void say_where(const char *place)
{
    where = place;
}

int misuse(const command *c, const char *format, ...)
{
    va_list args;

    progress(NULL);
    fprintf(stderr, "tgsched: %s%s", where ? where : "", where ? ": " : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry 'tgsched%s%s --help'.\n", c ? " " : "", c ? c->name : "");
    return EXIT_MISUSE;
}

static bool broken; /* a backend has failed */

bool backend_broken(void)
{
    return broken;
}

int fail(tgs_status status, const tgs_error *err)
{
    broken |= status == TGS_EBACKEND;
    progress(NULL);
    fprintf(stderr, "tgsched: %s\n", err && *err->text ? err->text : tgs_status_text(status));
    return status == TGS_EINFEASIBLE ? EXIT_INFEASIBLE : EXIT_FAILED;
}

int fail_spec(tgs_status status, const tgs_error *err)
{
    const int code = fail(status, err);

    return status == TGS_EINVAL || status == TGS_ENOTFOUND || status == TGS_EPARSE ? EXIT_MISUSE
                                                                                   : code;
}

void warn(const char *format, ...)
{
    va_list args;

    progress(NULL);
    fputs("tgsched: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

void progress(const char *format, ...)
{
    static bool shown; /* a line is there to be erased */
    va_list args;

    if (!format && !shown)
        return;
    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    shown = format != NULL;
    if (format) {
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fflush(stderr);
    }
}

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- results */
int result_open(result *r, const char *path)
{
    *r = (result){.path = path ? path : "-"};
    r->file = open_memstream(&r->text, &r->size);
    return r->file ? EXIT_OK : fail(TGS_ENOMEM, NULL);
}

int result_close(result *r, int code)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    bool bad;

    if (!r->file)
        return code;
    bad = ferror(r->file);
    bad |= fclose(r->file) != 0;
    progress(NULL);
    if (code == EXIT_OK && bad)
        code = fail(TGS_ENOMEM, NULL);
    if (code == EXIT_OK) {
        status = tgs_file_write(r->path, r->text, r->size, &err);
        if (status)
            code = fail_write(status, &err, r->path);
    }
    free(r->text);
    memset(r, 0, sizeof *r);
    return code;
}

static bool stdout_told; /* what standard output could not take has been said */

/* the reader of our pipe has gone: end quietly, as every filter does */
static void end_if_unread(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

    if (poll(&p, 1, 0) == 1 && p.revents & POLLERR) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
}

int fail_write(tgs_status status, const tgs_error *err, const char *path)
{
    if (!strcmp(path, "-") && status == TGS_EIO) {
        end_if_unread();
        stdout_told = true;
    }
    return fail(status, err);
}

int close_stdout(int code)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    if (!stdout_told) {
        const int reason = errno ? errno : EIO;

        end_if_unread();
        warn("standard output: %s", strerror(reason));
    }
    stdout_told = true;
    return code ? code : EXIT_FAILED;
}
