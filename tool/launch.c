/* launch.c -- runs a StarPU application with the preloaded library in it.
 *
 * Its standard streams are its own, signals from the terminal reach it as they reach us, and its
 * exit code becomes ours. */
#include "launch.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const files[] = {"plan", "record", "record.part", "status", "claim"};

int launch_open(launch *l)
{
    const char *base = getenv("TMPDIR");

    l->there = false;
    if (snprintf(l->dir, sizeof l->dir, "%s/tgsched-XXXXXX", base && *base ? base : "/tmp")
        >= (int)sizeof l->dir - 16) {
        warn("TMPDIR is too long");
        return EXIT_FAILED;
    }
    l->there = mkdtemp(l->dir) != NULL;
    if (!l->there)
        warn("%s: %s", l->dir, strerror(errno));
    return l->there ? EXIT_OK : EXIT_FAILED;
}

void launch_path(const launch *l, const char *name, char *path, size_t size)
{
    if (snprintf(path, size, "%s/%s", l->dir, name) >= (int)size)
        *path = 0;
}

void launch_close(launch *l)
{
    char path[4128];

    if (!l->there)
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        launch_path(l, files[i], path, sizeof path);
        unlink(path);
    }
    rmdir(l->dir);
    l->there = false;
}

/* ---- the child ---- */
static void set_workers(const tgs_platform *p)
{
    static const struct {
        const char *arch, *name;
    } counts[] = {{"cpu", "STARPU_NCPU"}, {"opencl", "STARPU_NOPENCL"}, {"cuda", "STARPU_NCUDA"}};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[16];
        int n = 0;

        for (int32_t q = 0; q < tgs_platform_processors(p); q++)
            n += !strcmp(tgs_platform_kind_arch(p, tgs_platform_processor_kind(p, q)),
                         counts[i].arch);
        snprintf(text, sizeof text, "%d", n);
        setenv(counts[i].name, text, 0);
        if (n && !strcmp(counts[i].arch, "opencl")) /* a device where there is no GPU */
            setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
    }
}

static void child(const launch *l, const tgs_platform *p, bool record, const char *library,
                  char **argv)
{
    const char *others = getenv("LD_PRELOAD");
    char *preload = NULL;

    /* behind the others: one may have to be the first (a sanitizer).  StarPU comes later anyway. */
    if (asprintf(&preload, "%s%s%s", others ? others : "", others && *others ? ":" : "", library)
        < 0)
        _exit(127);
    setenv("LD_PRELOAD", preload, 1);
    setenv("TGSCHED_TAP", l->dir, 1);
    if (record)
        setenv("TGSCHED_TAP_RECORD", "1", 1);
    else
        unsetenv("TGSCHED_TAP_RECORD");
    setenv("STARPU_WATCHDOG_CRASH", "0", 0); /* unset means: raise SIGABRT */
    set_workers(p);
    signal(SIGPIPE, SIG_DFL); /* we ignore it; the application may count on it */
    execvp(argv[0], argv);
    warn("%s: %s", argv[0], strerror(errno));
    _exit(127);
}

/* ---- the parent ---- */
static volatile sig_atomic_t child_id;

static void pass_on(int number)
{
    if (child_id > 0)
        kill((pid_t)child_id, number);
}

int launch_run(const launch *l, const tgs_platform *p, bool record, char **argv)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on};
    struct sigaction old[4];
    const int number[4] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    tgs_error err = {TGS_OK, ""};
    char *library;
    int status = 0;
    pid_t pid;

    if (tgs_preload_path(&library, &err))
        return fail(err.status, &err);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        child(l, p, record, library, argv);
    tgs_text_free(library);
    if (pid < 0) {
        warn("cannot start a process: %s", strerror(errno));
        return 127;
    }
    child_id = pid;
    for (int i = 0; i < 4; i++) /* the terminal sends the first two to it as well */
        sigaction(number[i], i < 2 ? &ignore : &pass, &old[i]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child_id = 0;
    for (int i = 0; i < 4; i++)
        sigaction(number[i], &old[i], NULL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool launch_seen(const launch *l, const char *application)
{
    char path[4128];

    launch_path(l, "claim", path, sizeof path);
    if (!access(path, F_OK))
        return true;
    warn("%s has not started StarPU (or is linked with it statically, or has it as a plug-in)",
         application);
    return false;
}

int launch_read(const launch *l, tgs_capture **out, const char *application)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    char path[4128];

    *out = NULL;
    launch_path(l, "record", path, sizeof path);
    if (access(path, F_OK)) {
        warn("%s has ended without starpu_shutdown: there is no record of it", application);
        return EXIT_FAILED;
    }
    status = tgs_capture_read(out, path, &err);
    if (status)
        return fail(status, &err);
    for (int32_t i = 0; tgs_capture_note(*out, i); i++)
        warn("%s", tgs_capture_note(*out, i));
    return EXIT_OK;
}
