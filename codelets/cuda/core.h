/* core.h -- what the CUDA codelets share: the launchers of the module, found when a kernel is
 * prepared.  These files are plain C and need no CUDA; the module does. */
#ifndef TGS_CUDA_CORE_H
#define TGS_CUDA_CORE_H
#include "../shape.h"
#include "launch.h"

enum { TGS_I_CUDA_CALLS = 3 };

typedef struct tgs_i_cuda { /* what prepare keeps for one task on one processor */
    void *call[TGS_I_CUDA_CALLS];
    void *scratch; /* device memory, NULL when not asked for */
    int (*free)(void *p);
} tgs_i_cuda;

/* launchers: names, ends with NULL; scratch: bytes of device memory, or 0 */
tgs_status tgs_i_cuda_prepare(tgs_call *c, const char *const *launchers, size_t scratch);
void tgs_i_cuda_release(tgs_call *c); /* every cuda kernel's release */
tgs_status tgs_i_cuda_status(int error);

/* launcher number i of prepare, as the function `name` that it is */
#define TGS_I_CUDA(c, i, name) ((__typeof__(&name))((const tgs_i_cuda *)(c)->prepared)->call[i])

/* products.c: y[matrix i] = alpha op(a) op(b), added when add, by launcher number i of prepare */
tgs_status tgs_i_cuda_multiply(const tgs_call *c, int launcher, const tgs_i_product *p, int64_t i,
                               float alpha, bool add);

/* conv through columns: launchers 0 gemm, 1 im2col or col2im, 2 as the file says */
typedef struct tgs_i_cuda_conv {
    tgs_i_window g;
    tgs_cuda_window w;      /* of one group */
    int64_t in, out, depth; /* channels of a group; rows of its columns */
} tgs_i_cuda_conv;
tgs_status tgs_i_cuda_conv_new(tgs_i_cuda_conv *v, const tgs_call *c, const tgs_buffer *x,
                               const tgs_buffer *w, const tgs_buffer *y);
tgs_status tgs_i_cuda_conv_prepare(tgs_call *c, const tgs_i_cuda_conv *v, const char *columns,
                                   const char *third);
#endif
