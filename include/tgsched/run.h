/* run.h -- the part of tgsched.h about real data: kernels of one's own, what they cost, and running
 * a schedule on them.  Include tgsched.h. */
#ifndef TGSCHED_RUN_H
#define TGSCHED_RUN_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A kernel of a user's own.  Built-in kernels have the same shape.  For arch "cpu" data is the
 * address of the elements; for "opencl" it is a cl_mem and queue a cl_command_queue (in order; do
 * not wait); for "cuda" a device address and queue a cudaStream_t.  A kernel returns 0 or a
 * negative status and must not keep what it is given. */
typedef struct tgs_buffer {
    void *data;
    double bytes;
    tgs_dtype dtype;
    tgs_mode mode;
    int32_t rank;
    const int64_t *dims; /* NULL when the datum has no shape */
} tgs_buffer;
typedef struct tgs_call {
    const tgs_buffer *buffer; /* in the order of the task's accesses */
    int32_t buffers;
    const char *attrs; /* "key=value key=value", sorted by key; "" when there are none */
    void *queue;
    void *user;     /* tgs_kernel.user */
    void *prepared; /* what prepare stored for this task and processor, or NULL */
} tgs_call;
/* What a call costs, as its kernel's author knows it: a hint for planning.  NaN: unknown. */
typedef struct tgs_cost {
    double seconds;      /* on a processor of speed 1; decides when it is known */
    double flops, bytes; /* else a roofline of the processor's kind makes seconds of these */
} tgs_cost;
/* from shapes, attributes and user (data, queue and prepared are NULL); always the same answer */
typedef tgs_cost (*tgs_cost_of)(const tgs_call *call, const char *arch);
typedef struct tgs_kernel {
    const char *codelet, *arch;          /* "gemm", "cpu" */
    tgs_dtype dtype;                     /* of the first buffer; TGS_BYTES matches any */
    const char *impl;                    /* "plain", "onednn", "clblast", ... */
    int32_t rank;                        /* of several that match, the largest is taken */
    tgs_status (*run)(const tgs_call *call);
    tgs_status (*prepare)(tgs_call *call); /* or NULL: once per task and processor, before time 0 */
    void (*release)(tgs_call *call);       /* or NULL: undoes prepare */
    void *user;
    tgs_cost_of cost; /* or NULL: see tgs_problem_new_for */
} tgs_kernel;
tgs_status tgs_codelets_new(tgs_codelets **out, tgs_error *err); /* with all that are built in */
tgs_status tgs_codelets_add(tgs_codelets *c, const tgs_kernel *kernel, tgs_error *err); /* copied */
void tgs_codelets_free(tgs_codelets *c);

/* backend: "serial", "starpu", "starpu:policy=dmda" (unplaced, for comparison).  codelets NULL: the
 * built-in ones.  Everything is validated here, before anything is submitted. */
tgs_status tgs_run_open(tgs_run **out, const tgs_problem *pb, const tgs_schedule *s,
                        const tgs_codelets *codelets, const char *backend, tgs_error *err);
/* ptr stays the caller's, must hold the datum's bytes and outlive the run.  It is read at every
 * step (of a persistent datum only at the next: later steps begin where the last one ended), and
 * written by tgs_run_close if the datum is written. */
tgs_status tgs_run_bind(tgs_run *r, int32_t datum, void *ptr, tgs_error *err);
tgs_status tgs_run_step(tgs_run *r, tgs_error *err);
/* The step under way, or else the next one, begins no more tasks and fails with TGS_ECANCELED.  May
 * be called by another thread, and by a signal handler. */
void tgs_run_cancel(tgs_run *r);
/* the value after the last step; before the first its initial value */
tgs_status tgs_run_read(tgs_run *r, int32_t datum, void *to, tgs_error *err);
/* The same of a datum of real numbers (f32, f64) as doubles, one per element: not rounded where the
 * run computes float32 data in double (serial:precision=f64).  TGS_EINVAL: other dtypes. */
tgs_status tgs_run_read_f64(tgs_run *r, int32_t datum, double *to, tgs_error *err);
/* out may be NULL; the trace of all steps.  Frees r, whatever it returns.  After a step has failed
 * it returns that failure, and *out is what had run until then, if anything had; else NULL. */
tgs_status tgs_run_close(tgs_run *r, tgs_trace **out, tgs_error *err);
/* open, steps, close in one: every datum must have an initial value; *out as by tgs_run_close */
tgs_status tgs_execute(tgs_trace **out, const tgs_problem *pb, const tgs_schedule *s,
                       const tgs_codelets *codelets, const char *backend, int32_t steps,
                       tgs_error *err);
/* Measure every codelet of g on every processor it may run on, and every link; repeat >= 1.  Where
 * the backend runs processors at once, g is run too, some steps of a plan that heft makes: what
 * tasks take in that company counts instead, where there are 3 times or more of it.  A trial run
 * then compares: all this is measured again, at most twice, while kernels take other times than
 * they cost, and tgs_costs_remark says so. */
tgs_status tgs_calibrate(tgs_costs **out, const tgs_graph *g, const tgs_platform *p,
                         const tgs_codelets *codelets, const char *backend, int32_t repeat,
                         tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
