/* tgsched_starpu.h -- for programs that already have StarPU codelets; installed when tgsched was
 * built with StarPU.  Everything else about running on StarPU is in tgsched.h. */
#ifndef TGSCHED_STARPU_H
#define TGSCHED_STARPU_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

struct starpu_codelet;

/* Tasks whose codelet has this name run cl's first CPU, OpenCL and CUDA functions, as far as it has
 * them.  cl is borrowed and must outlive c.  The functions find
 * - in their buffers the interface StarPU has for the datum's rank: variable (0), vector (1, or
 *   without a shape), matrix (2; NX is the last dimension), block (3), and a vector of all elements
 *   beyond;
 * - as cl_arg the task's attributes, "key=value key=value".
 * The accesses of the task decide the modes; cl's own modes, performance models and callbacks are
 * not used.  A task with another number of accesses than cl->nbuffers fails.
 *
 * cost, which may be NULL, is that of all of them; the call's user is cl. */
tgs_status tgs_codelets_add_starpu(tgs_codelets *c, const char *codelet, struct starpu_codelet *cl,
                                   tgs_cost_of cost, tgs_error *err);
#ifdef __cplusplus
}
#endif
#endif
