/* starpu_device.c -- copies to, from and between OpenCL devices, and what is done when one fails.
 *
 * StarPU aborts the process when a device's calls fail.  So copies are enqueued and awaited here: a
 * copy that fails is one that has ended, the run is told, its tasks return at once from then on,
 * and nothing is asked of devices any more.  Thus a graph whose device has gone comes to its end,
 * and what had run is known. */
#include "starpu_core.h"

static struct {
    _Atomic int32_t state; /* 0 all is well, 1 being written, 2 a device is lost */
    spu_loss loss;
} the;

const spu_loss *tgs_i_spu_loss(void)
{
    return atomic_load_explicit(&the.state, memory_order_acquire) == 2 ? &the.loss : NULL;
}

/* the first failure is kept */
static void lose(int32_t datum, unsigned node, int error)
{
    int32_t none = 0;

    if (!atomic_compare_exchange_strong(&the.state, &none, 1))
        return;
    the.loss = (spu_loss){datum, (int)node, error};
    atomic_store_explicit(&the.state, 2, memory_order_release);
}

void tgs_i_spu_lose(unsigned node, int error)
{
    lose(-1, node, error);
}

#ifdef STARPU_USE_OPENCL
bool tgs_i_spu_on_device(unsigned node)
{
    return starpu_node_get_kind(node) == STARPU_OPENCL_RAM;
}

bool tgs_i_spu_lost(unsigned node)
{
    cl_device_id device;
    cl_bool there = CL_FALSE;
    cl_int error;

    if (!tgs_i_spu_on_device(node))
        return false;
    if (tgs_i_spu_loss())
        return true;
    starpu_opencl_get_device(starpu_memory_node_get_devid(node), &device);
    error = clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof there, &there, NULL);
    if (error == CL_SUCCESS && there)
        return false;
    lose(-1, node, error == CL_SUCCESS ? CL_DEVICE_NOT_AVAILABLE : error);
    return true;
}

static cl_int enqueue(const spu_buffer *a, unsigned from, const spu_buffer *b, unsigned to,
                      cl_event *event)
{
    int again;

    if (!tgs_i_spu_on_device(from))
        return starpu_opencl_copy_ram_to_opencl((void *)a->ptr, from, (cl_mem)b->ptr, to, a->bytes,
                                                0, event, &again);
    if (!tgs_i_spu_on_device(to))
        return starpu_opencl_copy_opencl_to_ram((cl_mem)a->ptr, from, (void *)b->ptr, to, a->bytes,
                                                0, event, &again);
    return starpu_opencl_copy_opencl_to_opencl((cl_mem)a->ptr, from, 0, (cl_mem)b->ptr, to, 0,
                                               a->bytes, event, &again);
}

/* which of the two a failure is put down to */
static unsigned device_of(unsigned from, unsigned to)
{
    return tgs_i_spu_on_device(to) ? to : from;
}

static void CL_CALLBACK copied(cl_event event, cl_int state, void *user)
{
    spu_event *e = user;

    (void)event;
    if (state < 0) {
        lose(e->datum, device_of((unsigned)e->from, (unsigned)e->to), state);
        e->datum = -1;
    }
    clSetUserEventStatus(e->told, CL_COMPLETE);
    atomic_store(&e->end, starpu_timing_now());
}

/* StarPU waits for an event that never fails, which the copy's own completes */
static bool hand_over(spu_event *e, cl_event copy, cl_event *event)
{
    cl_context context;
    cl_int error = clGetEventInfo(copy, CL_EVENT_CONTEXT, sizeof context, &context, NULL);

    if (error != CL_SUCCESS)
        return false;
    e->told = clCreateUserEvent(context, &error);
    if (error != CL_SUCCESS)
        return false;
    *event = e->told;
    e->event = copy;
    if (clRetainEvent(e->told) == CL_SUCCESS) {
        if (clSetEventCallback(copy, CL_COMPLETE, copied, e) == CL_SUCCESS)
            return true;
        clReleaseEvent(e->told);
    }
    clReleaseEvent(e->told);
    e->event = e->told = NULL;
    return false;
}

int tgs_i_spu_copy_opencl(spu_event *e, int32_t datum, const spu_buffer *a, unsigned from,
                          const spu_buffer *b, unsigned to, cl_event *event)
{
    cl_int error = CL_SUCCESS;
    cl_event copy;

    if (a->bytes && !tgs_i_spu_loss()) {
        error = enqueue(a, from, b, to, &copy);
        if (error == CL_SUCCESS && e && event && hand_over(e, copy, event))
            return -EAGAIN;
        if (error == CL_SUCCESS) {
            error = clWaitForEvents(1, &copy);
            clReleaseEvent(copy);
        }
        if (error != CL_SUCCESS)
            lose(datum, device_of(from, to), error);
    }
    if (e && tgs_i_spu_loss()) /* StarPU counts it; the run has not had it */
        e->datum = -1;
    if (e)
        atomic_store(&e->end, starpu_timing_now());
    return 0;
}
#else
bool tgs_i_spu_on_device(unsigned node)
{
    (void)node;
    return false;
}

bool tgs_i_spu_lost(unsigned node)
{
    (void)node;
    return false;
}
#endif
