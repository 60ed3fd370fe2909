/* vanish.c -- to be preloaded: an OpenCL device that vanishes after TGS_VANISH_AFTER commands of
 * the kind TGS_VANISH_AT (kernel, fill, write, read, finish, allocation): from then on every
 * command is refused, nothing is allocated, and it is not available.  With TGS_VANISH_EVENT the
 * last command is taken, and its event fails later. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Atomic long commands;
static _Atomic bool gone;
static cl_event _Atomic failing;

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* true: the device has gone */
static bool vanished(const char *kind)
{
    const char *at = getenv("TGS_VANISH_AT"), *after = getenv("TGS_VANISH_AFTER");

    if (!gone && at && !strcmp(at, kind) && ++commands > atol(after ? after : "0"))
        gone = true;
    return gone;
}

/* an event that cannot be completed by the device, which has gone */
static cl_int late(const char *kind, cl_event *event, cl_int error)
{
    if (getenv("TGS_VANISH_EVENT") && event && error == CL_SUCCESS && !gone && vanished(kind))
        failing = *event;
    return error;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint n,
                              const cl_event *wait, cl_event *event)
{
    cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                   const size_t *, cl_uint, const cl_event *, cl_event *);
    void *symbol = real("clEnqueueNDRangeKernel");

    memcpy(&call, &symbol, sizeof call);
    return vanished("kernel") ? CL_OUT_OF_RESOURCES
                              : call(q, k, dims, offset, global, local, n, wait, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *what, size_t size, size_t at,
                           size_t bytes, cl_uint n, const cl_event *wait, cl_event *event)
{
    cl_int (*call)(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint,
                   const cl_event *, cl_event *);
    void *symbol = real("clEnqueueFillBuffer");

    memcpy(&call, &symbol, sizeof call);
    return vanished("fill") ? CL_INVALID_COMMAND_QUEUE
                            : call(q, m, what, size, at, bytes, n, wait, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t bytes,
                            const void *from, cl_uint n, const cl_event *wait, cl_event *event)
{
    cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                   const cl_event *, cl_event *);
    void *symbol = real("clEnqueueWriteBuffer");

    memcpy(&call, &symbol, sizeof call);
    if (getenv("TGS_VANISH_EVENT") ? gone : vanished("write"))
        return CL_OUT_OF_RESOURCES;
    return late("write", event, call(q, m, block, at, bytes, from, n, wait, event));
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t bytes,
                           void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
    cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                   const cl_event *, cl_event *);
    void *symbol = real("clEnqueueReadBuffer");

    memcpy(&call, &symbol, sizeof call);
    if (!block && (getenv("TGS_VANISH_EVENT") ? gone : vanished("read")))
        return CL_OUT_OF_RESOURCES;
    return block && gone
               ? CL_OUT_OF_RESOURCES
               : late(block ? "" : "read", event, call(q, m, block, at, bytes, to, n, wait, event));
}

cl_int clFinish(cl_command_queue q)
{
    cl_int (*call)(cl_command_queue);
    void *symbol = real("clFinish");

    memcpy(&call, &symbol, sizeof call);
    return vanished("finish") ? CL_OUT_OF_RESOURCES : call(q);
}

cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *error)
{
    cl_mem (*call)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    void *symbol = real("clCreateBuffer");

    memcpy(&call, &symbol, sizeof call);
    if (!gone) {
        cl_mem made = call(c, flags, bytes, host, error);

        vanished("allocation");
        return made;
    }
    if (error)
        *error = CL_OUT_OF_RESOURCES;
    return NULL;
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *value, size_t *used)
{
    cl_int (*call)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    void *symbol = real("clGetDeviceInfo");
    cl_int error;

    memcpy(&call, &symbol, sizeof call);
    error = call(d, what, size, value, used);
    if (gone && error == CL_SUCCESS && what == CL_DEVICE_AVAILABLE && value)
        *(cl_bool *)value = CL_FALSE;
    return error;
}

/* of the event that fails: what it was set to tell is told so */
typedef struct told {
    void(CL_CALLBACK *tell)(cl_event, cl_int, void *);
    void *user;
} told;

static void CL_CALLBACK fails(cl_event event, cl_int state, void *user)
{
    const told *t = user;

    (void)state;
    t->tell(event, CL_OUT_OF_RESOURCES, t->user);
    free(user);
}

cl_int clSetEventCallback(cl_event event, cl_int state,
                          void(CL_CALLBACK *tell)(cl_event, cl_int, void *), void *user)
{
    cl_int (*call)(cl_event, cl_int, void(CL_CALLBACK *)(cl_event, cl_int, void *), void *);
    void *symbol = real("clSetEventCallback");
    told *t;

    memcpy(&call, &symbol, sizeof call);
    if (!gone || event != failing)
        return call(event, state, tell, user);
    t = malloc(sizeof *t);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    *t = (told){tell, user};
    return call(event, state, fails, t);
}
