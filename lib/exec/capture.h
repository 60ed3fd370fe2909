/* capture.h -- a captured run, as its record tells it. */
#ifndef TGS_EXEC_CAPTURE_H
#define TGS_EXEC_CAPTURE_H
#include <string.h>
#include "hash.h"
#include "internal.h"

enum { TGS_I_ARCHS = 3 };
extern const char *const tgs_i_arch_name[TGS_I_ARCHS]; /* "cpu", "opencl", "cuda" */

typedef enum cap_how { CAP_R = 1, CAP_W = 2, CAP_RW = 3, CAP_SCRATCH = 4, CAP_REDUX = 8 } cap_how;
typedef struct cap_access {
    int32_t datum;
    uint8_t how;   /* cap_how; the modes of several accesses of a task to one datum are joined */
    bool commutes; /* StarPU chooses the order; the graph keeps that of submission */
    bool free;     /* no sequential consistency: only explicit dependencies order it */
} cap_access;

typedef struct cap_task {
    int32_t name, codelet; /* in text */
    uint32_t footprint;
    int32_t archs;  /* a bit for each that can run it; -1: it runs nowhere */
    int32_t worker; /* the application's choice, -1 none */
    int32_t priority, parent, thread;
    int32_t tag; /* -1 none */
    int32_t access_at, accesses;
    double start, end; /* us; 0: it has not run */
    int32_t ran_on;    /* a worker */
} cap_task;

typedef enum cap_what {
    CAP_TASK,      /* at: the task */
    CAP_WAIT_ALL,  /* for everything submitted so far */
    CAP_WAIT_TASK, /* at: its id */
    CAP_WAIT_TAG,  /* at: the tag */
    CAP_HOST,      /* the application accesses datum `at` as access says, in main memory */
    CAP_SPLIT,     /* datum `at` into data piece[first .. first + count - 1] */
    CAP_JOIN,      /* the reverse */
    CAP_COPY,      /* datum `at` to datum `first`; count 1: waited for */
    CAP_SESSION    /* StarPU was started: what was before is over */
} cap_what;
typedef struct cap_item { /* what happened, in order */
    cap_what what;
    int32_t thread, at, first, count;
    cap_how access;
} cap_item;

typedef struct cap_pair {
    int32_t before, after;
} cap_pair;
typedef struct cap_worker {
    int32_t id, arch, nth, node;
} cap_worker;
typedef struct cap_expected {
    int32_t codelet; /* in text */
    uint32_t footprint;
    int32_t arch;
    double us;
} cap_expected;
typedef struct cap_moved {
    int32_t datum, from, to;
    double bytes, start, end;
} cap_moved;
typedef struct cap_datum {
    double bytes;
    int32_t home;
} cap_datum;

/* a growing array */
#define CAP_LIST(type) \
    struct {           \
        type *at;      \
        int64_t room;  \
        int32_t count; \
    }

struct tgs_capture {
    tgs_i_arena text;
    tgs_i_names texts, tags; /* offset of a text; place in tag_of */
    CAP_LIST(cap_task) task;
    CAP_LIST(cap_access) access;
    CAP_LIST(cap_item) item;
    CAP_LIST(int32_t) piece;
    CAP_LIST(int32_t) task_of; /* [id] task, -1 never submitted */
    CAP_LIST(cap_pair) dep;    /* of ids */
    CAP_LIST(cap_pair) tag;    /* of tags */
    CAP_LIST(int32_t) tag_of;  /* the tag that is called so now */
    CAP_LIST(int32_t) tagged;  /* [tag] its first task, -1 */
    CAP_LIST(cap_datum) datum;
    CAP_LIST(cap_worker) worker;
    CAP_LIST(cap_expected) expected;
    CAP_LIST(cap_moved) moved;
    CAP_LIST(int32_t) note; /* in text */
};
/* room for one more at the end, zeroed */
#define cap_more(list)                                                           \
    (tgs_mem_grow(&(list).at, &(list).room, (list).count + 1, sizeof *(list).at) \
         ? NULL                                                                  \
         : (memset(&(list).at[(list).count], 0, sizeof *(list).at), &(list).at[(list).count++]))

static inline const char *cap_text(const tgs_capture *c, int32_t offset)
{
    return c->text.text + offset;
}
/* the platform's processor that a worker is: the nth of its architecture; -1 none */
int32_t tgs_i_cap_processor(const tgs_capture *c, const tgs_platform_view *p, int32_t worker);

/* capture_time.c: how long tasks took */
typedef struct cap_sample { /* of one codelet and footprint on one kind */
    int32_t codelet;        /* in text */
    uint32_t footprint;
    int32_t kind;
    double seconds;
} cap_sample;
typedef struct cap_times {
    cap_sample *sample; /* by codelet, footprint, kind, seconds */
    int32_t samples;
} cap_times;
tgs_status tgs_i_cap_times(cap_times *t, const tgs_capture *c, const tgs_platform_view *p);
void tgs_i_cap_times_free(cap_times *t);
/* the samples of a task's kind: sample[*first .. first + count - 1] */
int32_t tgs_i_cap_find(const cap_times *t, const cap_task *task, int32_t kind, int32_t *first);
/* the median of what was measured, else what StarPU's models say, else NaN */
double tgs_i_cap_seconds(const cap_times *t, const tgs_capture *c, const tgs_platform_view *p,
                         const cap_task *task, int32_t kind);

/* capture_order.c: an order of the items in which every dependency goes forward */
typedef struct cap_edges {
    CAP_LIST(cap_pair) edge; /* of items; explicit dependencies and waits */
    int32_t *item_of;        /* [task] */
    int32_t *order;          /* [items] */
    int32_t last;            /* the item of the last task: later waits order nothing */
} cap_edges;
tgs_status tgs_i_cap_edges(cap_edges *e, const tgs_capture *c, tgs_error *err);
void tgs_i_cap_edges_free(cap_edges *e);
/* the accesses of an item of any kind */
int32_t tgs_i_cap_accesses(const tgs_capture *c, int32_t item);
cap_access tgs_i_cap_access(const tgs_capture *c, int32_t item, int32_t k);
#endif
