/* starpu_adapt.c -- a user's struct starpu_codelet as kernels: its functions get interface
 * structures of the kinds StarPU itself would have given them. */
#include <string.h>
#include "starpu_core.h"

int32_t tgs_i_starpu_adapt(tgs_kernel *kernel, const char *codelet, struct starpu_codelet *cl);

typedef union interface {
    struct starpu_variable_interface variable;
    struct starpu_vector_interface vector;
    struct starpu_matrix_interface matrix;
    struct starpu_block_interface block;
} interface;

static void describe(interface *i, const tgs_buffer *b)
{
    const uintptr_t p = (uintptr_t)b->data;
    const size_t size = (size_t)tgs_dtype_size(b->dtype);
    const uint32_t all = (uint32_t)(b->bytes / (double)size);

    memset(i, 0, sizeof *i);
    if (b->dims && b->rank == 0) {
        i->variable.id = STARPU_VARIABLE_INTERFACE_ID;
        i->variable.ptr = i->variable.dev_handle = p;
        i->variable.elemsize = size;
    } else if (b->dims && b->rank == 2) {
        i->matrix.id = STARPU_MATRIX_INTERFACE_ID;
        i->matrix.ptr = i->matrix.dev_handle = p;
        i->matrix.nx = i->matrix.ld = (uint32_t)b->dims[1];
        i->matrix.ny = (uint32_t)b->dims[0];
        i->matrix.elemsize = size;
    } else if (b->dims && b->rank == 3) {
        i->block.id = STARPU_BLOCK_INTERFACE_ID;
        i->block.ptr = i->block.dev_handle = p;
        i->block.nx = i->block.ldy = (uint32_t)b->dims[2];
        i->block.ny = (uint32_t)b->dims[1];
        i->block.nz = (uint32_t)b->dims[0];
        i->block.ldz = i->block.nx * i->block.ny;
        i->block.elemsize = size;
    } else {
        i->vector.id = STARPU_VECTOR_INTERFACE_ID;
        i->vector.ptr = i->vector.dev_handle = p;
        i->vector.nx = all;
        i->vector.elemsize = size;
    }
}

static tgs_status run(const tgs_call *call, void (*function)(void **, void *))
{
    const struct starpu_codelet *cl = call->user;
    const size_t n = (size_t)call->buffers;
    interface few[8], *i = n <= 8 ? few : tgs_mem_alloc(n, sizeof *i);
    void *fewp[8], **p = n <= 8 ? fewp : tgs_mem_alloc(n, sizeof *p);
    tgs_status status = TGS_OK;

    if (!i || !p) {
        status = TGS_ENOMEM;
    } else if (cl->nbuffers != STARPU_VARIABLE_NBUFFERS && cl->nbuffers != call->buffers) {
        status = TGS_EINVAL;
    } else {
        for (size_t k = 0; k < n; k++) {
            describe(&i[k], &call->buffer[k]);
            p[k] = &i[k];
        }
        function(p, (void *)call->attrs);
    }
    if (n > 8) {
        tgs_mem_free(i);
        tgs_mem_free(p);
    }
    return status;
}

static tgs_status run_cpu(const tgs_call *call)
{
    return run(call, ((struct starpu_codelet *)call->user)->cpu_funcs[0]);
}

static tgs_status run_opencl(const tgs_call *call)
{
    return run(call, ((struct starpu_codelet *)call->user)->opencl_funcs[0]);
}

static tgs_status run_cuda(const tgs_call *call)
{
    return run(call, ((struct starpu_codelet *)call->user)->cuda_funcs[0]);
}

/* returns how many of kernel[3] are filled */
int32_t tgs_i_starpu_adapt(tgs_kernel *kernel, const char *codelet, struct starpu_codelet *cl)
{
    int32_t n = 0;

    if (cl->cpu_funcs[0])
        kernel[n++] = (tgs_kernel){.codelet = codelet, .arch = "cpu", .run = run_cpu};
    if (cl->opencl_funcs[0])
        kernel[n++] = (tgs_kernel){.codelet = codelet, .arch = "opencl", .run = run_opencl};
    if (cl->cuda_funcs[0])
        kernel[n++] = (tgs_kernel){.codelet = codelet, .arch = "cuda", .run = run_cuda};
    for (int32_t i = 0; i < n; i++) {
        kernel[i].dtype = TGS_BYTES;
        kernel[i].impl = "starpu";
        kernel[i].rank = 1000; /* asked for, so before what is built in */
        kernel[i].user = cl;
    }
    return n;
}
