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
#endif
