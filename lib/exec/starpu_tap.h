/* starpu_tap.h -- what the files of tgsched-preload.so share: the library that `tgsched capture`
 * and `tgsched replay` preload into a StarPU application.
 *
 *   starpu_tap_init.c    starpu_init and starpu_shutdown; which process is tapped
 *   starpu_tap_task.c    submission, dependencies and waits, as the application calls them
 *   starpu_tap_data.c    data: registration, filters, access by the application
 *   starpu_tap_names.c   a name for each task: the same in every run that submits the same tasks
 *   starpu_tap_record.c  the record that the command reads
 *   starpu_tap_copy.c    every copy between memories
 *   starpu_tap_policy.c  the application's own policy, listened to
 *   starpu_tap_plan.c    the plan to be replayed
 *   starpu_tap_order.c   the policy that keeps to a plan
 *   starpu_tap_stall.c   what keeps a plan that cannot be kept from hanging
 *   starpu_tap_weak.h    StarPU need not be there: the application's children may not use it
 *
 * It links neither StarPU nor libtgsched: it uses the StarPU of the application, and is nothing in
 * a process that has none.  Messages go to stderr; stdout is the application's. */
#ifndef TGS_STARPU_TAP_H
#define TGS_STARPU_TAP_H
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include "starpu_core.h"

/* defines real_NAME(), the function that ours of that name stands before */
#define TAP_REAL(name)                                    \
    static __typeof__(&name) real_##name(void)            \
    {                                                     \
        static void *_Atomic found;                       \
        void *p = atomic_load(&found);                    \
        __typeof__(&name) f;                              \
                                                          \
        if (!p) {                                         \
            p = dlsym(RTLD_NEXT, #name);                  \
            atomic_store(&found, p);                      \
        }                                                 \
        memcpy(&f, &p, sizeof f); /* ISO C has no cast */ \
        return f;                                         \
    }

/* ---- the process (init.c) ------------------------------------------------------------------- */
typedef enum tap_mode { TAP_OFF, TAP_CAPTURE, TAP_REPLAY } tap_mode;
typedef struct tap_state {
    _Atomic int mode;     /* tap_mode: between a tapped starpu_init and starpu_shutdown */
    bool recording;       /* everything is written down, not only looked at */
    const char *dir;      /* where the plan is read and the record written */
    pthread_mutex_t lock; /* of the tables of names and the record; held for moments */
} tap_state;
extern tap_state tgs_i_tap;
static inline bool tap_on(void)
{
    return atomic_load(&tgs_i_tap.mode) != TAP_OFF;
}
/* in a function of StarPU that the application has called: what StarPU calls from there is not the
 * application's */
typedef struct tap_thread {
    int depth;                      /* calls of tapped functions */
    struct starpu_task *submitting; /* the application's, not StarPU's own */
    int32_t submitted;              /* what that has become: its id, -1 nothing yet */
    bool internal;                  /* StarPU submits something of its own */
    int32_t number;                 /* 1 + which submitting thread; 0: none yet */
} tap_thread;
extern _Thread_local tap_thread tgs_i_tap_me;
bool tgs_i_tap_crowded(void); /* workers and device threads share the cores */
void tgs_i_tap_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- names (names.c); tgs_i_tap.lock is held --------------------------------------------------
 * An object is a starpu_task the application has: it has an id from when it is first seen.  Once it
 * is submitted it is a task, with an index in the order of submissions. */
typedef struct tap_task {
    int32_t id;
    int32_t children; /* tasks submitted from its callback */
    int32_t path;     /* offset in paths */
    int32_t plan;     /* replay: which of the plan's, -1 none */
    int32_t worker;
    double start, end; /* us; 0: not yet */
} tap_task;
int32_t tgs_i_tap_id(const struct starpu_task *task);       /* of the object at that address */
void tgs_i_tap_forget_task(const struct starpu_task *task); /* another object begins there */
/* a submission: its index, or -1 when memory is short */
int32_t tgs_i_tap_submit(const struct starpu_task *task, int32_t parent);
int32_t tgs_i_tap_index(const struct starpu_task *task); /* -1: not submitted */
int32_t tgs_i_tap_index_of_id(int32_t id);
tap_task *tgs_i_tap_task(int32_t index);
int32_t tgs_i_tap_tasks(void);
const char *tgs_i_tap_path(int32_t index);
int32_t tgs_i_tap_thread(void); /* the number of this thread, from 0 */
/* the task that this thread is in the callback or the codelet of: its index, -1 */
int32_t tgs_i_tap_current(void);
const char *tgs_i_tap_codelet(const struct starpu_task *task); /* its name; until the next call */
/* data */
int32_t tgs_i_tap_datum(starpu_data_handle_t h);     /* id; -1 when memory is short */
bool tgs_i_tap_knows(starpu_data_handle_t h);        /* it has been used */
void tgs_i_tap_new_datum(starpu_data_handle_t h);    /* has just been registered */
void tgs_i_tap_forget_datum(starpu_data_handle_t h); /* is about to go */
/* whose an interface structure is, -1 nobody's, and its size; takes the lock itself: drivers ask */
int32_t tgs_i_tap_owner(const void *interface, double *bytes);
void tgs_i_tap_names_end(void); /* StarPU ends: nothing keeps its address */
/* "codelet.path~signature", as names are written in tgsched's files */
void tgs_i_tap_name(char *name, size_t size, const struct starpu_task *task, int32_t index);

/* ---- the record (record.c); tgs_i_tap.lock is held ------------------------------------------- */
void tgs_i_tap_put(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tgs_i_tap_put_task(struct starpu_task *task, int32_t index, int32_t parent);
void tgs_i_tap_put_workers(void);
/* text as a name in tgsched's files; returns to */
const char *tgs_i_tap_encode(char *to, size_t size, const char *text);
void tgs_i_tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tgs_i_tap_write(void); /* as far as it goes; atomically */

/* the beginning and end of what is put: nothing unless the record is wanted and the application,
 * not StarPU, is calling */
bool tgs_i_tap_enter(void);
void tgs_i_tap_leave(void);

/* ---- copies (copy.c) ------------------------------------------------------------------------ */
void tgs_i_tap_watch_copies(struct starpu_data_interface_ops *ops);
void tgs_i_tap_put_copies(void); /* into the record; begins anew */

/* ---- policies ------------------------------------------------------------------------------- */
struct starpu_sched_policy *tgs_i_tap_listen(const struct starpu_conf *conf); /* policy.c */
struct starpu_sched_policy *tgs_i_tap_keep(void);                             /* order.c */
void tgs_i_tap_submitted(struct starpu_task *task);
void tgs_i_tap_started(struct starpu_task *task);
/* its index, -1 when it is none of ours */
int32_t tgs_i_tap_ended(struct starpu_task *task);

/* ---- the plan (plan.c) ---------------------------------------------------------------------- */
typedef enum tap_place {
    PLACE_COMING, /* not submitted, or not ready */
    PLACE_HELD,   /* ready, and not its turn */
    PLACE_RUNNING,
    PLACE_PASSED /* has run, or never comes to the policy */
} tap_place;
typedef struct tap_planned {
    const char *name, *path; /* of the task; path is a part of name */
    size_t path_length;
    int arch, nth, worker;
    bool submitted;
    tap_place place;
    struct starpu_task *task; /* held */
} tap_planned;
typedef struct tap_plan {
    tap_planned *task; /* in the order of planned starts */
    int32_t tasks;
    int want[SPU_ARCHS];
    double patience; /* us without progress before the plan is given up */
    char *text;
    int32_t *table; /* of paths: open addressing, -1 free */
    int64_t slots;
    int32_t *order[STARPU_NMAXWORKERS]; /* tasks of a worker */
    int32_t count[STARPU_NMAXWORKERS], head[STARPU_NMAXWORKERS];
    int32_t early[STARPU_NMAXWORKERS]; /* let go before its turn; -1 none */
    pthread_mutex_t lock;              /* of what follows and of places, heads and early */
    _Atomic bool broken;               /* the run has left the plan for good */
    bool active[STARPU_NMAXWORKERS];   /* has not come back for a task since it had one */
    _Atomic int32_t submitting;        /* calls of starpu_task_submit that wait for nothing */
    int32_t submitted, held, running;
    int32_t done, swapped; /* on their worker; of these before their turn */
    double last;           /* us: when something happened */
} tap_plan;
extern tap_plan tgs_i_tap_plan;
bool tgs_i_tap_plan_read(void);
bool tgs_i_tap_plan_map(void); /* its processors are this StarPU's workers */
/* a task was submitted (index -1: and memory is short): it must be the plan's; tgs_i_tap.lock held
 */
void tgs_i_tap_match(struct starpu_task *task, int32_t index);
/* gives the plan up, saying why; what is held goes to StarPU's eager policy */
void tgs_i_tap_break(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tgs_i_tap_plan_report(void);                 /* how it went, for the command */
void tgs_i_tap_release(struct starpu_task *task); /* order.c: to the eager policy */
void tgs_i_tap_stall_begin(void);                 /* stall.c */
void tgs_i_tap_stall_end(void);
#endif
