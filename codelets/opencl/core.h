/* core.h -- what the OpenCL codelets share: programs and kernels, and launching them. */
#ifndef TGS_OPENCL_CORE_H
#define TGS_OPENCL_CORE_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "../shape.h"

enum { TGS_I_CL_KERNELS = 4, TGS_I_CL_WIDTH = 8 /* elements an elementwise work item takes */ };

typedef struct tgs_i_cl { /* what prepare keeps for one task on one processor */
    struct tgs_i_cl_program *program;
    cl_kernel kernel[TGS_I_CL_KERNELS]; /* own: their arguments are set by one thread at a time */
    cl_mem scratch;                     /* NULL when not asked for */
    bool gpu;                           /* the device is not a CPU */
} tgs_i_cl;

/* Builds source (ends with NULL) once per context and device, for all that use it at the same time,
 * and makes the kernels named (ends with NULL); scratch: bytes of device memory, or 0. */
tgs_status tgs_i_cl_prepare(tgs_call *c, const char *const *source, const char *const *kernels,
                            size_t scratch);
void tgs_i_cl_release(tgs_call *c); /* every opencl kernel's release */

typedef struct tgs_i_cl_arg {
    size_t size;
    const void *value;
} tgs_i_cl_arg;
#define TGS_I_CL_ARG(x) \
    {                   \
        sizeof(x), &(x) \
    }

/* enqueues kernel number k of prepare over rows x columns work items (rounded up: the kernel looks
 * whether it is inside); does not wait */
tgs_status tgs_i_cl_launch(const tgs_call *c, int k, size_t columns, size_t rows,
                           const tgs_i_cl_arg *arg, int args);
/* kernel 0 with buffers [0, n) and then the count of elements, TGS_I_CL_WIDTH per work item */
tgs_status tgs_i_cl_elementwise(const tgs_call *c, int32_t n);
tgs_status tgs_i_cl_copy(const tgs_call *c, int32_t from, int32_t to);
typedef struct tgs_i_cl_rows { /* rows of bytes, the first of them at from and at to */
    size_t from, from_pitch, to, to_pitch, bytes, rows;
} tgs_i_cl_rows;
tgs_status tgs_i_cl_copy_rows(const tgs_call *c, int32_t from, int32_t to, tgs_i_cl_rows r);

/* up to TGS_I_RANK values as one kernel argument, the rest 1 */
cl_ulong8 tgs_i_cl_dims(const int64_t *value, int32_t n);

/* source: the type `wide`, double where the device has it: sums that are rounded once */
extern const char tgs_i_cl_wide[];
/* source: a kernel `each` over x, y (and z) of n elements, in vectors; the file defines F(T, ...),
 * an expression in values of type T, a vector or a float */
extern const char tgs_i_cl_unary[];  /* y = F(T, x) */
extern const char tgs_i_cl_binary[]; /* z = F(T, x, y) */

/* window.c: source: `window`, where a kernel finds the geometry of a convolution or pool */
extern const char tgs_i_cl_window[];
typedef struct tgs_i_cl_view { /* the same, as two arguments of a kernel */
    cl_int16 sizes, more;
} tgs_i_cl_view;
/* w: NULL for a pool */
tgs_status tgs_i_cl_view_new(tgs_i_cl_view *v, const tgs_call *c, const tgs_buffer *x,
                             const tgs_buffer *w, const tgs_buffer *y);
/* kernel 0 with buffers [0, n), the geometry and `last`, a work item for each element of buffer to
 */
tgs_status tgs_i_cl_window_launch(const tgs_call *c, const tgs_i_cl_view *v, int32_t n, int32_t to,
                                  cl_int last);

/* gemm.c: products through the vector kernel */
tgs_status tgs_i_cl_gemm(const tgs_call *c);
tgs_status tgs_i_cl_gemm_prepare(tgs_call *c);
/* y = beta c, broadcast, or nothing without c: kernel number 2 of tgs_i_cl_gemm_prepare */
tgs_status tgs_i_cl_gemm_bias(const tgs_call *c);
/* y[batch i] = op(a) op(b) for all batches */
tgs_status tgs_i_cl_matmul(const tgs_call *c);
/* elements in front of matrix i of each operand */
void tgs_i_cl_matrix(const tgs_i_product *p, int64_t i, int64_t *a, int64_t *b, int64_t *y);
#endif
