/* starpu_case.h -- what the tests of the starpu backend share: a random graph of integer tasks with
 * kernels for CPUs and OpenCL, placed at random, and what it must compute. */
#ifndef TGS_STARPU_CASE_H
#define TGS_STARPU_CASE_H
#include "internal.h"

typedef struct spu_case {
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_codelets *c;
    tgs_schedule *schedule;
    /* the same, to be spoilt, and a backend's arguments: for calls past lib/exec/run.c */
    tgs_place *place;
    int32_t *order_at, *order;
    tgs_schedule_view s;
    tgs_args *args;
    int32_t elements;      /* int32 per datum */
    int32_t data, **value; /* the oracle's */
    int32_t calls;         /* of kernels, warm-ups included */
} spu_case;

/* each task writes a datum of its own from up to three earlier ones; every fifth also accumulates
 * into one of three data,
 * two of which are persistent and one begins anew in every step */
void case_make(spu_case *c, int32_t tasks, int32_t elements, uint64_t seed, const char *platform);
void case_free(spu_case *c);
tgs_job case_job(const spu_case *c);
/* the oracle: one more step; then every datum of the run equals it */
void case_expect(spu_case *c);
/* every datum is as expected; *dropped (may be NULL): how many cannot be read any more */
bool case_equal(const spu_case *c, tgs_run *run, int32_t *dropped);
/* on every processor the tasks ran in the planned order, in every step */
bool case_in_order(const spu_case *c, const tgs_trace_view *t);

bool no_opencl(void); /* there is no OpenCL device here */
/* runs f in a child with a limit; returns its exit status, 128 + signal, or 124 when it hung */
int in_child(int (*f)(void), unsigned seconds);

/* what a function that runs in a child has to say: it ends with 1 when x does not hold */
#define CHECK(x)                                                    \
    do {                                                            \
        if (!(x)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
            return 1;                                               \
        }                                                           \
    } while (0)
/* a call that fails ends the child; it may use err */
#define MUST(call)                                                                        \
    do {                                                                                  \
        tgs_error must_err = {TGS_OK, ""};                                                \
        tgs_error *err = &must_err;                                                       \
        if (call) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, must_err.text); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

/* rows of a table of tests: f in a child for at most so many seconds; ON_DEVICE skips where there
 * is no OpenCL device */
typedef struct child_test {
    int (*f)(void);
    unsigned seconds;
    bool device;
} child_test;
void child_test_run(void **state);
#define ALONE(f, seconds)     CHILD_ROW(f, seconds, false)
#define ON_DEVICE(f, seconds) CHILD_ROW(f, seconds, true)
#define CHILD_ROW(f, seconds, device)                 \
    {                                                 \
#f, child_test_run, NULL, NULL, &(child_test) \
        {                                             \
            f, seconds, device                        \
        }                                             \
    }
#endif
