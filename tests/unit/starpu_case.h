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
    tgs_place *place;
    int32_t *order_at, *order;
    tgs_schedule_view s;
    tgs_args *args;
    int32_t elements;   /* int32 per datum */
    int32_t steps_done; /* of the oracle */
    int32_t **value;    /* the oracle's data */
    int32_t calls;      /* of kernels, warm-ups included */
} spu_case;

/* tasks: each writes a datum of its own from up to three earlier ones; every fifth also accumulates
 * into one of a few persistent data.  seconds: planned time of a task (kernels take none). */
void case_make(spu_case *c, int32_t tasks, int32_t elements, uint64_t seed, const char *platform,
               const char *args);
void case_free(spu_case *c);
/* another backend's arguments, for the same graph */
void case_args(spu_case *c, const char *args);
tgs_job case_job(const spu_case *c);
/* the oracle: one more step; then every datum of the run equals it */
void case_expect(spu_case *c);
bool case_equal(const spu_case *c, void *run, tgs_error *err);
/* on every processor the tasks ran in the planned order, in every step */
bool case_in_order(const spu_case *c, const tgs_trace_view *t);

/* why there is no OpenCL device here, or NULL */
const char *no_opencl(void);
/* runs f in a child with a limit; returns its exit status, 128 + signal, or 124 when it hung */
int in_child(int (*f)(void), unsigned seconds);
#endif
