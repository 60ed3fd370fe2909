/* starpu_tap_copy.c -- every copy between memories, whatever the interface of the data.
 *
 * Interfaces copy through their method any_to_any; ours is put before it in the table of methods.
 * Whose data it is, is told by the address of the interface structure.  The end of an asynchronous
 * copy is told by the event that the OpenCL copy inside it returns; of other asynchronous copies
 * (CUDA) only the start is known. */
#include <errno.h>
#include <stdlib.h>
#include "starpu_tap.h"

#define TAP_TABLES(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
enum { TABLES = 16 };

typedef int copy_call(void *from, unsigned from_node, void *to, unsigned to_node, void *async);
static struct {
    struct starpu_data_copy_methods ours;
    copy_call *copy; /* the interface's own */
} table[TABLES];
static _Atomic int tables;
static _Thread_local spu_event *copying; /* by this thread, at the moment */

static int copy_through(copy_call *copy, void *from, unsigned from_node, void *to, unsigned to_node,
                        void *async)
{
    spu_event *const before = copying;
    spu_event *e = NULL;
    double bytes;
    int status;

    if (tap_on()) {
        const int32_t datum = tgs_i_tap_owner(from, &bytes);

        e = tgs_i_spu_log_copy(datum, from_node, to_node, bytes);
    }
    copying = e;
    status = copy(from, from_node, to, to_node, async);
    copying = before;
    if (e && !e->event) /* else its callback says when */
        atomic_store(&e->end, starpu_timing_now());
    return status;
}

/* one function per interface: a call does not tell for which one it is */
#define TAP_COPY(i)                                                                              \
    static int copy_##i(void *from, unsigned from_node, void *to, unsigned to_node, void *async) \
    {                                                                                            \
        return copy_through(table[i].copy, from, from_node, to, to_node, async);                 \
    }
TAP_TABLES(TAP_COPY)
#define TAP_NAME(i) copy_##i,
static copy_call *const copies[TABLES] = {TAP_TABLES(TAP_NAME)};

void tgs_i_tap_watch_copies(struct starpu_data_interface_ops *ops)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    if (ops && ops->copy_methods && ops->copy_methods->any_to_any) {
        const int n = atomic_load(&tables);
        bool ours = false;

        for (int i = 0; i < n; i++)
            ours |= ops->copy_methods == &table[i].ours;
        if (!ours && n < TABLES) {
            table[n].ours = *ops->copy_methods;
            table[n].copy = ops->copy_methods->any_to_any;
            table[n].ours.any_to_any = copies[n];
            atomic_store(&tables, n + 1);
            ops->copy_methods = &table[n].ours;
        }
    }
    pthread_mutex_unlock(&lock);
}

#ifdef STARPU_USE_OPENCL
TAP_REAL(starpu_opencl_copy_async_sync)

static void CL_CALLBACK copied(cl_event event, cl_int state, void *user)
{
    spu_event *e = user;

    (void)event;
    (void)state;
    atomic_store(&e->end, starpu_timing_now());
}

/* of several copies of one datum (the rows of a matrix) the queue ends the last one last */
int starpu_opencl_copy_async_sync(uintptr_t from, size_t from_offset, unsigned from_node,
                                  uintptr_t to, size_t to_offset, unsigned to_node, size_t size,
                                  cl_event *event)
{
    const int status = real_starpu_opencl_copy_async_sync()(from, from_offset, from_node, to,
                                                            to_offset, to_node, size, event);
    spu_event *e = copying;

    if (!e || status != -EAGAIN || !event || clRetainEvent(*event) != CL_SUCCESS)
        return status;
    if (clSetEventCallback(*event, CL_COMPLETE, copied, e) != CL_SUCCESS) {
        clReleaseEvent(*event);
        return status;
    }
    if (e->event)
        clReleaseEvent(e->event);
    e->event = *event;
    return status;
}
#endif

/* Who looks at StarPU's own counters must find them: reading them resets them. */
static bool counters_are_ours(void)
{
    const char *stats = getenv("STARPU_BUS_STATS"), *all = getenv("STARPU_ENABLE_STATS");

    return !(stats && atoi(stats)) && !(all && atoi(all));
}

void tgs_i_tap_put_copies(void)
{
    const int64_t n = tgs_i_spu_log_count();
    tgs_error err = {TGS_OK, ""};

    if (starpu_task_nsubmitted() == 0 && counters_are_ours() && tgs_i_spu_log_settle(&err))
        tgs_i_tap_note("%s", err.text);
    for (int64_t i = 0; i < n; i++) {
        const spu_event *e = tgs_i_spu_log_at(i);
        const double end = atomic_load(&e->end);

        if (e->from >= 0 && e->to >= 0)
            tgs_i_tap_put("moved %d %d %d %.0f %.3f %.3f\n", e->datum, e->from, e->to, e->bytes,
                          e->start, end > e->start ? end : e->start);
    }
    tgs_i_spu_log_clear();
}
