/* contender.h -- a policy that executes a graph again and again, in a process of its own: StarPU is
 * one per process and has one policy, so that taking turns in one would start it anew each time. */
#ifndef TGS_TOOL_CONTENDER_H
#define TGS_TOOL_CONTENDER_H
#include <sys/types.h>
#include "common.h"

typedef struct contender {
    const char *graph, *policy; /* a heuristic, or starpu:NAME */
    pid_t pid;                  /* 0: it has ended */
    int to, from;               /* pipes; -1 closed */
    double planned;             /* seconds, simulated before any run; NaN of starpu:NAME */
    double *time;               /* [rounds] makespans, once they were collected */
    int32_t rounds;             /* as many; 0: it has failed, and said why */
} contender;

bool policy_is_starpu(const char *policy);
/* starts the process, which plans (with costs) and warms up; others: whose pipes it must not keep.
 * Returns when it is ready, or has failed: then rounds stays 0.  An exit code: only of the system.
 */
int contender_start(contender *c, const command *self, const options *o, const char *costs,
                    int32_t rounds, contender *others, int32_t count);
/* one step, now; false: it has failed */
bool contender_go(contender *c);
/* brings the makespans of all steps and ends the process */
void contender_collect(contender *c);
void contender_free(contender *c);
#endif
