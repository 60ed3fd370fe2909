/* starpu_tap_init.c -- starpu_init and starpu_shutdown; which process is tapped.
 *
 * $TGSCHED_TAP is a folder of the command's: with "plan" in it the run is a replay, with "record"
 * to be written there it is recorded ($TGSCHED_TAP_RECORD).  The first process that starts StarPU
 * is the one; others that inherit our environment (children, other ranks) are left alone and told
 * so. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "starpu_tap.h"

TAP_REAL(starpu_initialize)
TAP_REAL(starpu_shutdown)

tap_state tgs_i_tap = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct {
    pid_t owner; /* the process, once it has started StarPU */
    int started; /* calls of starpu_init without their starpu_shutdown */
    bool replay;
} own;

void tgs_i_tap_say(const char *format, ...)
{
    char text[1600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dprintf(STDERR_FILENO, "tgsched: %s\n", text); /* one write: lines of threads do not mix */
}

bool tgs_i_tap_crowded(void)
{
    const char *cpus = getenv("STARPU_NCPU"), *devices = getenv("STARPU_NOPENCL");
    const spu_want want = {.count = {cpus ? atoi(cpus) : (int)sysconf(_SC_NPROCESSORS_ONLN),
                                     devices ? atoi(devices) : 0, 0}};

    return tgs_i_spu_crowded(&want);
}

/* ---- which process ---- */
static void claim_path(char *path, size_t size)
{
    snprintf(path, size, "%s/claim", tgs_i_tap.dir);
}

static bool claim(void)
{
    char path[4096];
    int fd;

    if (own.owner == getpid())
        return true;
    claim_path(path, sizeof path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        tgs_i_tap_say("process %d starts StarPU too: only the first one is %s", (int)getpid(),
                      own.replay ? "replayed" : "captured");
    else if (fd < 0)
        tgs_i_tap_say("%s: %s", path, strerror(errno));
    if (fd < 0)
        return false;
    close(fd);
    own.owner = getpid();
    return true;
}

static bool begin(void)
{
    static bool first = true;
    char path[4096];

    tgs_i_tap.dir = getenv("TGSCHED_TAP");
    if (!tgs_i_tap.dir || !*tgs_i_tap.dir)
        return false;
    snprintf(path, sizeof path, "%s/plan", tgs_i_tap.dir);
    own.replay = !access(path, F_OK);
    tgs_i_tap.recording = getenv("TGSCHED_TAP_RECORD") != NULL;
    if (!claim())
        return false;
    if (first) {
        pthread_mutexattr_t attr; /* an application's callback may be asked while it is held */

        pthread_mutexattr_init(&attr);
        pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&tgs_i_tap.lock, &attr);
        pthread_mutexattr_destroy(&attr);
        if (own.replay && !tgs_i_tap_plan_read()) {
            tgs_i_tap_say("the plan cannot be read; the application runs without it");
            own.replay = false;
        }
    }
    first = false;
    return true;
}

/* ---- starpu_init ---- */
static void begun(void)
{
    tgs_i_spu_log_reset();
    if (tgs_i_tap.recording) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        tgs_i_tap_put_workers();
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
    if (own.replay)
        tgs_i_tap_plan_map();
    atomic_store(&tgs_i_tap.mode, own.replay ? TAP_REPLAY : TAP_CAPTURE);
}

int starpu_initialize(struct starpu_conf *given, int *argc, char ***argv)
{
    static struct starpu_conf conf; /* StarPU keeps a copy, but what it points at must stay */
    struct starpu_sched_policy *policy = NULL;
    int status;

    if (own.started++ || !begin()) /* StarPU counts too */
        return real_starpu_initialize()(given, argc, argv);
    if (given)
        conf = *given;
    else
        starpu_conf_init(&conf);
    policy = own.replay ? tgs_i_tap_keep() : tgs_i_tap_listen(&conf);
    if (policy) {
        conf.sched_policy = policy;
        conf.sched_policy_name = NULL; /* else that one is taken */
    } else {
        tgs_i_tap_say("this StarPU has not the policies that are needed; it runs untouched");
    }
    tgs_i_tap_me.depth++;
    status = real_starpu_initialize()(policy ? &conf : given, argc, argv);
    tgs_i_tap_me.depth--;
    if (status)
        own.started--;
    else if (policy)
        begun();
    return status;
}

int starpu_init(struct starpu_conf *conf)
{
    return starpu_initialize(conf, NULL, NULL);
}

/* ---- starpu_shutdown ---- */
static void finish(void)
{
    const bool mine = own.owner == getpid(); /* a child may inherit all this and shut down */

    pthread_mutex_lock(&tgs_i_tap.lock);
    atomic_store(&tgs_i_tap.mode, TAP_OFF);
    if (tgs_i_tap.recording && mine) {
        tgs_i_tap_put("wait 0 all\n");
        tgs_i_tap_write();
    }
    if (own.replay && mine)
        tgs_i_tap_plan_report();
    tgs_i_tap_names_end();
    pthread_mutex_unlock(&tgs_i_tap.lock);
}

void starpu_shutdown(void)
{
    const bool last = own.started == 1 && tap_on();

    if (own.started > 0)
        own.started--;
    if (last && tgs_i_tap.recording) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        tgs_i_tap_put_copies();
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
    tgs_i_tap_me.depth++;
    real_starpu_shutdown()();
    tgs_i_tap_me.depth--;
    if (last)
        finish();
}
