/* core.c -- programs and kernels.
 *
 * Building a program takes long and every task of a codelet on a device needs the same one, so
 * built programs are shared: counted, behind a lock, and gone with their last user.  A program
 * keeps its context alive, so the key of an entry cannot come to mean another context. */
#include <pthread.h>
#include "core.h"

typedef struct tgs_i_cl_program {
    cl_context context;
    cl_device_id device;
    const char *const *source;
    cl_program program;
    int32_t users;
    struct tgs_i_cl_program *next;
} program;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static program *programs; /* under lock */

static tgs_status status_of(cl_int e)
{
    if (e == CL_SUCCESS)
        return TGS_OK;
    return e == CL_OUT_OF_HOST_MEMORY || e == CL_MEM_OBJECT_ALLOCATION_FAILURE ? TGS_ENOMEM
                                                                               : TGS_EBACKEND;
}

static tgs_status build(program *p)
{
    cl_uint count = 0;
    cl_int e;

    while (p->source[count])
        count++;
    /* the interface lacks a const */
    p->program = clCreateProgramWithSource(p->context, count, (const char **)p->source, NULL, &e);
    if (!e)
        e = clBuildProgram(p->program, 1, &p->device, "-cl-std=CL1.2", NULL, NULL);
    if (e && p->program)
        clReleaseProgram(p->program);
    return status_of(e);
}

/* under lock */
static tgs_status find(program **out, cl_context context, cl_device_id device,
                       const char *const *source)
{
    program *p = programs;
    tgs_status status;

    while (p && (p->context != context || p->device != device || p->source != source))
        p = p->next;
    if (p) {
        p->users++;
        *out = p;
        return TGS_OK;
    }
    p = tgs_mem_alloc(1, sizeof *p);
    if (!p)
        return TGS_ENOMEM;
    *p = (program){context, device, source, NULL, 1, programs};
    status = build(p);
    if (status)
        tgs_mem_free(p);
    else
        programs = *out = p;
    return status;
}

static void drop(program *gone)
{
    pthread_mutex_lock(&lock);
    if (--gone->users == 0) {
        program **at = &programs;

        while (*at != gone)
            at = &(*at)->next;
        *at = gone->next;
        clReleaseProgram(gone->program);
        tgs_mem_free(gone);
    }
    pthread_mutex_unlock(&lock);
}

tgs_status tgs_i_cl_prepare(tgs_call *c, const char *const *source, const char *const *kernels,
                            size_t scratch)
{
    tgs_i_cl *cl = tgs_mem_alloc(1, sizeof *cl);
    cl_device_type type = CL_DEVICE_TYPE_CPU;
    cl_device_id device = NULL;
    cl_context context = NULL;
    tgs_status status;
    cl_int e;

    c->prepared = cl;
    if (!cl)
        return TGS_ENOMEM;
    e = clGetCommandQueueInfo(c->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!e)
        e = clGetCommandQueueInfo(c->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!e)
        e = clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    cl->gpu = !(type & CL_DEVICE_TYPE_CPU);
    status = status_of(e);
    if (!status) {
        pthread_mutex_lock(&lock);
        status = find(&cl->program, context, device, source);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; !status && kernels[i]; i++) {
        cl->kernel[i] = clCreateKernel(cl->program->program, kernels[i], &e);
        status = status_of(e);
    }
    if (!status && scratch) {
        cl->scratch = clCreateBuffer(context, CL_MEM_READ_WRITE, scratch, NULL, &e);
        status = status_of(e);
    }
    if (status)
        tgs_i_cl_release(c);
    return status;
}

void tgs_i_cl_release(tgs_call *c)
{
    tgs_i_cl *cl = c->prepared;

    c->prepared = NULL;
    if (!cl)
        return;
    for (int i = 0; i < TGS_I_CL_KERNELS; i++)
        if (cl->kernel[i])
            clReleaseKernel(cl->kernel[i]);
    if (cl->scratch)
        clReleaseMemObject(cl->scratch);
    if (cl->program)
        drop(cl->program);
    tgs_mem_free(cl);
}

static size_t round_up(size_t n)
{
    return n < 64 ? n : (n + 63) / 64 * 64; /* so that work groups divide it */
}

tgs_status tgs_i_cl_launch(const tgs_call *c, int k, size_t columns, size_t rows,
                           const tgs_i_cl_arg *arg, int args)
{
    const tgs_i_cl *cl = c->prepared;
    const size_t global[2] = {round_up(columns), rows};
    cl_int e = CL_SUCCESS;

    if (columns == 0 || rows == 0)
        return TGS_OK;
    for (int i = 0; i < args && !e; i++)
        e = clSetKernelArg(cl->kernel[k], (cl_uint)i, arg[i].size, arg[i].value);
    if (!e)
        e = clEnqueueNDRangeKernel(c->queue, cl->kernel[k], 2, NULL, global, NULL, 0, NULL, NULL);
    return status_of(e);
}

tgs_status tgs_i_cl_elementwise(const tgs_call *c, int32_t n)
{
    const cl_ulong count = (cl_ulong)tgs_i_shape_of(&c->buffer[0]).count;
    tgs_i_cl_arg arg[4];

    for (int32_t i = 0; i < n; i++)
        arg[i] = (tgs_i_cl_arg)TGS_I_CL_ARG(c->buffer[i].data);
    arg[n] = (tgs_i_cl_arg)TGS_I_CL_ARG(count);
    return tgs_i_cl_launch(c, 0, (count + TGS_I_CL_WIDTH - 1) / TGS_I_CL_WIDTH, 1, arg, n + 1);
}

tgs_status tgs_i_cl_copy(const tgs_call *c, int32_t from, int32_t to)
{
    const size_t bytes = (size_t)c->buffer[from].bytes;

    if (bytes == 0)
        return TGS_OK;
    return status_of(clEnqueueCopyBuffer(c->queue, c->buffer[from].data, c->buffer[to].data, 0, 0,
                                         bytes, 0, NULL, NULL));
}

tgs_status tgs_i_cl_copy_rows(const tgs_call *c, int32_t from, int32_t to, tgs_i_cl_rows r)
{
    const size_t source[3] = {r.from, 0, 0}, target[3] = {r.to, 0, 0};
    const size_t region[3] = {r.bytes, r.rows, 1};

    if (r.bytes == 0 || r.rows == 0)
        return TGS_OK;
    return status_of(clEnqueueCopyBufferRect(c->queue, c->buffer[from].data, c->buffer[to].data,
                                             source, target, region, r.from_pitch, 0, r.to_pitch, 0,
                                             0, NULL, NULL));
}

cl_ulong8 tgs_i_cl_dims(const int64_t *value, int32_t n)
{
    cl_ulong8 v;

    for (int32_t i = 0; i < TGS_I_RANK; i++)
        v.s[i] = i < n ? (cl_ulong)value[i] : 1;
    return v;
}

const char tgs_i_cl_wide[] = "#ifdef cl_khr_fp64\n"
                             "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                             "typedef double wide;\n"
                             "#else\n"
                             "typedef float wide;\n"
                             "#endif\n";

const char tgs_i_cl_unary[] =
    "__kernel void each(__global const float *x, __global float *y, const ulong n)\n"
    "{\n"
    "    const size_t i = get_global_id(0) * 8;\n"
    "    if (i + 8 <= n) {\n"
    "        const float8 a = vload8(0, x + i);\n"
    "        vstore8(F(float8, a), 0, y + i);\n"
    "    } else {\n"
    "        for (size_t j = i; j < n; j++)\n"
    "            y[j] = F(float, x[j]);\n"
    "    }\n"
    "}\n";

/* z may be x: each element is read before it is written */
const char tgs_i_cl_binary[] =
    "__kernel void each(__global const float *x, __global const float *y, __global float *z,\n"
    "                   const ulong n)\n"
    "{\n"
    "    const size_t i = get_global_id(0) * 8;\n"
    "    if (i + 8 <= n) {\n"
    "        const float8 a = vload8(0, x + i), b = vload8(0, y + i);\n"
    "        vstore8(F(float8, a, b), 0, z + i);\n"
    "    } else {\n"
    "        for (size_t j = i; j < n; j++)\n"
    "            z[j] = F(float, x[j], y[j]);\n"
    "    }\n"
    "}\n";
