/* core.c -- launchers, scratch memory, and the geometry the launchers take. */
#include "core.h"

tgs_status tgs_i_cuda_status(int error)
{
    return error == 0                                   ? TGS_OK
           : error == 2 /* cudaErrorMemoryAllocation */ ? TGS_ENOMEM
                                                        : TGS_EBACKEND;
}

tgs_status tgs_i_cuda_prepare(tgs_call *c, const char *const *launchers, size_t scratch)
{
    tgs_i_cuda *cuda = tgs_mem_alloc(1, sizeof *cuda);
    void *symbol = NULL;
    tgs_status status = TGS_OK;

    c->prepared = cuda;
    if (!cuda)
        return TGS_ENOMEM;
    for (int i = 0; launchers[i] && !status; i++)
        status = tgs_module_symbol("cuda", launchers[i], &cuda->call[i], NULL);
    if (!status && scratch) {
        status = tgs_module_symbol("cuda", "tgs_cuda_free", &symbol, NULL);
        cuda->free = (int (*)(void *))symbol;
        if (!status)
            status = tgs_module_symbol("cuda", "tgs_cuda_alloc", &symbol, NULL);
        if (!status)
            status = tgs_i_cuda_status(((int (*)(void **, size_t))symbol)(&cuda->scratch, scratch));
    }
    if (status)
        tgs_i_cuda_release(c);
    return status;
}

void tgs_i_cuda_release(tgs_call *c)
{
    tgs_i_cuda *cuda = c->prepared;

    c->prepared = NULL;
    if (cuda && cuda->scratch)
        cuda->free(cuda->scratch);
    tgs_mem_free(cuda);
}

tgs_status tgs_i_cuda_multiply(const tgs_call *c, int launcher, const tgs_i_product *p, int64_t i,
                               float alpha, bool add)
{
    const int32_t last = p->batch.rank - 1;
    const int64_t within = i % p->batch.dim[last];
    const tgs_cuda_product q = {.m = (int32_t)p->m,
                                .n = (int32_t)p->n,
                                .k = (int32_t)p->k,
                                .add = add,
                                .alpha = alpha,
                                .a_row = p->trans_a ? 1 : p->k,
                                .a_step = p->trans_a ? p->m : 1,
                                .b_row = p->trans_b ? 1 : p->n,
                                .b_step = p->trans_b ? p->k : 1};
    int64_t a, b;

    if (p->m > INT32_MAX || p->n > INT32_MAX || p->k > INT32_MAX)
        return TGS_EINVAL;
    tgs_i_walk_row(&p->batch, i / p->batch.dim[last], &a, &b);
    a = (a + within * p->batch.a[last]) * p->size_a;
    b = (b + within * p->batch.b[last]) * p->size_b;
    return tgs_i_cuda_status(TGS_I_CUDA(c, launcher, tgs_cuda_gemm)(
        (const float *)c->buffer[0].data + a, (const float *)c->buffer[1].data + b,
        (float *)c->buffer[c->buffers - 1].data + i * p->m * p->n, q, c->queue));
}

tgs_status tgs_i_cuda_conv_new(tgs_i_cuda_conv *v, const tgs_call *c, const tgs_buffer *x,
                               const tgs_buffer *w, const tgs_buffer *y)
{
    const tgs_status status = tgs_i_window_new(&v->g, c, x, w, y, NULL);

    if (status)
        return status;
    v->in = v->g.in_channels / v->g.group;
    v->out = v->g.out_channels / v->g.group;
    v->depth = v->in * v->g.kernel_size;
    if (v->depth > INT32_MAX || v->g.out_size > INT32_MAX || v->g.in_size > INT32_MAX)
        return TGS_EINVAL;
    v->w.channels = (int32_t)v->in;
    for (int d = 0; d < 3; d++) {
        v->w.in[d] = (int32_t)v->g.in[d];
        v->w.out[d] = (int32_t)v->g.out[d];
        v->w.kernel[d] = (int32_t)v->g.kernel[d];
        v->w.stride[d] = (int32_t)v->g.stride[d];
        v->w.pad[d] = (int32_t)v->g.pad[d];
        v->w.dilation[d] = (int32_t)v->g.dilation[d];
    }
    return TGS_OK;
}

tgs_status tgs_i_cuda_conv_prepare(tgs_call *c, const tgs_i_cuda_conv *v, const char *columns,
                                   const char *third)
{
    const char *const launchers[] = {"tgs_cuda_gemm", columns, third, NULL};
    const size_t floats = (size_t)(v->depth * v->g.out_size);

    return tgs_i_cuda_prepare(c, launchers, (floats ? floats : 1) * sizeof(float));
}
