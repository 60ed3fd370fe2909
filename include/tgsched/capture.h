/* capture.h -- the part of tgsched.h about StarPU applications: what `tgsched capture` has seen of
 * a run, as a graph, as costs and as a trace, and a plan in the form that `tgsched replay` hands to
 * the application.  Include tgsched.h. */
#ifndef TGSCHED_CAPTURE_H
#define TGSCHED_CAPTURE_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tgs_capture tgs_capture;

/* the record of one run, which the preloaded library has written */
tgs_status tgs_capture_read(tgs_capture **out, const char *path, tgs_error *err);
void tgs_capture_free(tgs_capture *c);
int32_t tgs_capture_tasks(const tgs_capture *c); /* that the application has submitted */
int32_t tgs_capture_data(const tgs_capture *c);  /* handles and pieces of handles */
int32_t tgs_capture_workers(const tgs_capture *c, const char *arch); /* "cpu", "opencl", "cuda" */
/* what the library had to say beside, in words; NULL past the end */
const char *tgs_capture_note(const tgs_capture *c, int32_t i);

/* The graph of the tasks, with times and allowed kinds for the processors of p, the machine it ran
 * on.  Calls that wait (starpu_task_wait_for_all, starpu_data_acquire, ...) are tasks without a
 * duration.  unknown (may be NULL) counts the pairs of a task and a kind that could run it but have
 * neither a measured time nor one in StarPU's own models: they are not allowed there. */
tgs_status tgs_capture_graph(tgs_graph **out, const tgs_capture *c, const tgs_platform *p,
                             int32_t *unknown, tgs_error *err);
/* measured times: one sample for each codelet, footprint and kind */
tgs_status tgs_capture_costs(tgs_costs **out, const tgs_capture *c, const tgs_graph *g,
                             const tgs_platform *p, tgs_error *err);
/* what happened, on the graph of pb (one of an earlier capture) as s places it */
tgs_status tgs_capture_trace(tgs_trace **out, const tgs_capture *c, const tgs_problem *pb,
                             const tgs_schedule *s, tgs_error *err);

/* The schedule in the file plan, made for p, as the preloaded library reads it; patience is how
 * many seconds nothing may happen before the application goes on without the plan. */
typedef struct tgs_replay_info {
    int32_t tasks;
    int32_t cpu, opencl, cuda; /* workers that it needs */
} tgs_replay_info;
tgs_status tgs_replay_write(const char *plan, const tgs_platform *p, double patience,
                            const char *path, tgs_replay_info *info, tgs_error *err);
/* the path of the library to be preloaded; free it with tgs_text_free */
tgs_status tgs_preload_path(char **out, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
