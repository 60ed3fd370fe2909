/* onednn.c -- convolutions, and functions that libm is slow at, in float32 through oneDNN 2 (its C
 * interface changed in version 3: this is the only file that knows it).
 *
 * Tensors stay in their plain layouts (NCHW, OIHW), so nothing is reordered; oneDNN then multiplies
 * matrices.  A primitive is made once per task by prepare; it is used by one thread at a time, and
 * with one thread: OpenMP's setting is of the calling thread and is put back. */
#include <dnnl.h>
#include "core.h"

/* of libgomp, which oneDNN uses; declared here so that no compiler needs -fopenmp for it */
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int n);

enum { SRC, WEIGHTS, BIAS, DST, TENSORS };

typedef struct built {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[TENSORS]; /* NULL where there is none */
} built;

static void destroy(built *v)
{
    for (int i = 0; i < TENSORS; i++)
        if (v->memory[i])
            dnnl_memory_destroy(v->memory[i]);
    if (v->primitive)
        dnnl_primitive_destroy(v->primitive);
    if (v->stream)
        dnnl_stream_destroy(v->stream);
    if (v->engine)
        dnnl_engine_destroy(v->engine);
    tgs_mem_free(v);
}

/* plain descriptor of a buffer; weights of several groups get a dim for the group */
static dnnl_status_t describe(dnnl_memory_desc_t *d, const tgs_buffer *b, int64_t group)
{
    dnnl_dims_t dims, strides;
    int n = 0;

    if (group > 1)
        dims[n++] = group;
    for (int32_t k = 0; k < b->rank; k++)
        dims[n++] = k == 0 ? b->dims[0] / group : b->dims[k];
    for (int k = n - 1; k >= 0; k--)
        strides[k] = k == n - 1 ? 1 : strides[k + 1] * dims[k + 1];
    return dnnl_memory_desc_init_by_strides(d, n, dims, dnnl_f32, strides);
}

/* all elements in one dim: their shape does not matter */
static dnnl_status_t describe_line(dnnl_memory_desc_t *d, const tgs_buffer *b)
{
    const dnnl_dims_t dims = {tgs_i_shape_of(b).count}, strides = {1};

    return dnnl_memory_desc_init_by_strides(d, 1, dims, dnnl_f32, strides);
}

typedef struct request {
    dnnl_prop_kind_t kind; /* of a convolution; undef: an elementwise function */
    const tgs_buffer *buffer[TENSORS];
    dnnl_alg_kind_t function;
} request;

typedef struct geometry { /* of the spatial dims; oneDNN reads arrays of its full length */
    dnnl_dims_t stride, dilation, pad, pad_end;
} geometry;

static geometry geometry_of(const tgs_i_window *w)
{
    geometry g = {{0}, {0}, {0}, {0}};

    for (int32_t k = 0, d = 3 - w->spatial; d < 3; k++, d++) {
        g.stride[k] = w->stride[d];
        g.dilation[k] = w->dilation[d] - 1;
        g.pad[k] = w->pad[d];
        g.pad_end[k] = w->pad_end[d];
    }
    return g;
}

static dnnl_status_t describe_convolution(dnnl_primitive_desc_t *out, const built *v,
                                          const request *r, const tgs_i_window *w,
                                          const dnnl_memory_desc_t *d)
{
    const geometry g = geometry_of(w);
    const dnnl_memory_desc_t *bias = r->buffer[BIAS] ? &d[BIAS] : NULL;
    dnnl_primitive_desc_t hint = NULL;
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward, dnnl_convolution_direct, &d[SRC], &d[WEIGHTS], bias, &d[DST], g.stride,
        g.dilation, g.pad, g.pad_end);

    if (!status)
        status = dnnl_primitive_desc_create(&hint, &desc, NULL, v->engine, NULL);
    if (status || r->kind == dnnl_forward) {
        *out = hint;
        return status;
    }
    if (r->kind == dnnl_backward_data)
        status = dnnl_dilated_convolution_backward_data_desc_init(
            &desc, dnnl_convolution_direct, &d[SRC], &d[WEIGHTS], &d[DST], g.stride, g.dilation,
            g.pad, g.pad_end);
    else
        status = dnnl_dilated_convolution_backward_weights_desc_init(
            &desc, dnnl_convolution_direct, &d[SRC], &d[WEIGHTS], NULL, &d[DST], g.stride,
            g.dilation, g.pad, g.pad_end);
    if (!status)
        status = dnnl_primitive_desc_create(out, &desc, NULL, v->engine, hint);
    dnnl_primitive_desc_destroy(hint);
    return status;
}

static dnnl_status_t describe_function(dnnl_primitive_desc_t *out, const built *v, const request *r,
                                       const dnnl_memory_desc_t *d)
{
    dnnl_eltwise_desc_t desc;
    const dnnl_status_t status =
        dnnl_eltwise_forward_desc_init(&desc, dnnl_forward_inference, r->function, &d[SRC], 0, 0);

    return status ? status : dnnl_primitive_desc_create(out, &desc, NULL, v->engine, NULL);
}

/* the primitive and the memory objects, without data yet; g of a convolution */
static dnnl_status_t build(built *v, const request *r, const tgs_i_window *g)
{
    dnnl_memory_desc_t d[TENSORS];
    dnnl_primitive_desc_t p = NULL;
    dnnl_status_t status = dnnl_engine_create(&v->engine, dnnl_cpu, 0);

    if (!status)
        status = dnnl_stream_create(&v->stream, v->engine, dnnl_stream_default_flags);
    for (int i = 0; i < TENSORS && !status; i++) {
        if (!r->buffer[i])
            continue;
        status = r->kind ? describe(&d[i], r->buffer[i], i == WEIGHTS ? g->group : 1)
                         : describe_line(&d[i], r->buffer[i]);
        if (!status)
            status = dnnl_memory_create(&v->memory[i], &d[i], v->engine, DNNL_MEMORY_NONE);
    }
    if (!status)
        status = r->kind ? describe_convolution(&p, v, r, g, d) : describe_function(&p, v, r, d);
    if (!status)
        status = dnnl_primitive_create(&v->primitive, p);
    if (p)
        dnnl_primitive_desc_destroy(p);
    return status;
}

static tgs_status prepare(tgs_call *c, const request *r)
{
    const int threads = omp_get_max_threads();
    built *v = tgs_mem_alloc(1, sizeof *v);
    tgs_i_window g;
    tgs_status status;

    c->prepared = NULL;
    if (!v)
        return TGS_ENOMEM;
    status = r->kind
                 ? tgs_i_window_new(&g, c, r->buffer[SRC], r->buffer[WEIGHTS], r->buffer[DST], NULL)
                 : TGS_OK;
    omp_set_num_threads(1);
    if (!status) {
        const dnnl_status_t s = build(v, r, &g);

        status = s == dnnl_out_of_memory ? TGS_ENOMEM : s ? TGS_EBACKEND : TGS_OK;
    }
    omp_set_num_threads(threads);
    if (status)
        destroy(v);
    else
        c->prepared = v;
    return status;
}

static tgs_status execute(const tgs_call *c, const request *r, const int name[TENSORS])
{
    const int threads = omp_get_max_threads();
    built *v = c->prepared;
    dnnl_exec_arg_t arg[TENSORS];
    dnnl_status_t status = dnnl_success;
    int n = 0;

    for (int i = 0; i < TENSORS && !status; i++)
        if (v->memory[i]) {
            status = dnnl_memory_set_data_handle(v->memory[i], r->buffer[i]->data);
            arg[n++] = (dnnl_exec_arg_t){name[i], v->memory[i]};
        }
    omp_set_num_threads(1);
    if (!status)
        status = dnnl_primitive_execute(v->primitive, v->stream, n, arg);
    if (!status)
        status = dnnl_stream_wait(v->stream);
    omp_set_num_threads(threads);
    return status ? TGS_EBACKEND : TGS_OK;
}

/* a caller that did not prepare gets a primitive for this one call */
static tgs_status run(const tgs_call *c, const request *r, const int name[TENSORS])
{
    tgs_call once = *c;
    tgs_status status;

    if (c->prepared)
        return execute(c, r, name);
    status = prepare(&once, r);
    if (!status)
        status = execute(&once, r, name);
    tgs_i_onednn_release(&once);
    return status;
}

void tgs_i_onednn_release(tgs_call *c)
{
    if (c->prepared)
        destroy(c->prepared);
    c->prepared = NULL;
}

/* which buffer of a call is which tensor */
static request forward(const tgs_call *c)
{
    return (request){dnnl_forward,
                     {&c->buffer[0], &c->buffer[1], c->buffers > 3 ? &c->buffer[2] : NULL,
                      &c->buffer[c->buffers - 1]},
                     dnnl_alg_kind_undef};
}

static request bwd_data(const tgs_call *c)
{
    return (request){dnnl_backward_data,
                     {&c->buffer[2], &c->buffer[1], NULL, &c->buffer[0]},
                     dnnl_alg_kind_undef};
}

static request bwd_weights(const tgs_call *c)
{
    return (request){dnnl_backward_weights,
                     {&c->buffer[0], &c->buffer[2], NULL, &c->buffer[1]},
                     dnnl_alg_kind_undef};
}

tgs_status tgs_i_onednn_forward_prepare(tgs_call *c)
{
    const request r = forward(c);

    return prepare(c, &r);
}

tgs_status tgs_i_onednn_bwd_data_prepare(tgs_call *c)
{
    const request r = bwd_data(c);

    return prepare(c, &r);
}

tgs_status tgs_i_onednn_bwd_weights_prepare(tgs_call *c)
{
    const request r = bwd_weights(c);

    return prepare(c, &r);
}

tgs_status tgs_i_onednn_forward(const tgs_call *c)
{
    static const int name[TENSORS] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    const request r = forward(c);

    return run(c, &r, name);
}

tgs_status tgs_i_onednn_bwd_data(const tgs_call *c)
{
    static const int name[TENSORS] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS,
                                      DNNL_ARG_DIFF_DST};
    const request r = bwd_data(c);

    return run(c, &r, name);
}

tgs_status tgs_i_onednn_bwd_weights(const tgs_call *c)
{
    static const int name[TENSORS] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_BIAS,
                                      DNNL_ARG_DIFF_DST};
    const request r = bwd_weights(c);

    return run(c, &r, name);
}

static const int line[TENSORS] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};

static request function(const tgs_call *c, dnnl_alg_kind_t f)
{
    return (request){dnnl_prop_kind_undef, {&c->buffer[0], NULL, NULL, &c->buffer[1]}, f};
}

tgs_status tgs_i_onednn_tanh_prepare(tgs_call *c)
{
    const request r = function(c, dnnl_eltwise_tanh);

    return prepare(c, &r);
}

tgs_status tgs_i_onednn_sigmoid_prepare(tgs_call *c)
{
    const request r = function(c, dnnl_eltwise_logistic);

    return prepare(c, &r);
}

tgs_status tgs_i_onednn_tanh(const tgs_call *c)
{
    const request r = function(c, dnnl_eltwise_tanh);

    return run(c, &r, line);
}

tgs_status tgs_i_onednn_sigmoid(const tgs_call *c)
{
    const request r = function(c, dnnl_eltwise_logistic);

    return run(c, &r, line);
}
