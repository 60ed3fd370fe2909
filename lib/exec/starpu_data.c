/* starpu_data.c -- the data interface: plain buffers whose every copy and allocation is logged.
 *
 * Which datum a copy belongs to is told by the address of the interface structure, which StarPU
 * keeps for the life of a handle.  Its contents tell nothing: when StarPU 1.3 recycles a buffer it
 * copies the whole structure of the old owner over the new one's. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "starpu_core.h"

/* address of an interface structure -> datum; changed only by register and unregister, which run
 * while no copy is under way */
static spu_owners owners;

static const char nothing; /* its address stands for memory of a device that is lost */

static void register_handle(starpu_data_handle_t handle, spu_home home, void *interface)
{
    const spu_buffer *given = interface;
    const unsigned nodes = starpu_memory_nodes_get_count();

    for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
        spu_buffer *b = starpu_data_get_interface_on_node(handle, node);

        b->bytes = given->bytes;
        b->datum = given->datum;
        b->ptr = (spu_home)node == home ? given->ptr : 0;
        if (node < nodes)
            tgs_i_spu_owners_put(&owners, b, given->datum);
    }
}

static size_t room_of(const spu_buffer *b)
{
    return b->bytes ? b->bytes : 1; /* an edge that carries nothing still needs an address */
}

static starpu_ssize_t allocate(void *interface, unsigned node)
{
    spu_buffer *b = interface;
    /* asked first: StarPU aborts when a device that has gone cannot allocate.  What stands for its
     * memory is never touched: no task does anything any more. */
    const bool lost = tgs_i_spu_lost(node);
    const uintptr_t ptr = lost ? (uintptr_t)&nothing : starpu_malloc_on_node(node, room_of(b));

    if (!ptr)
        return -ENOMEM;
    b->ptr = ptr;
    tgs_i_spu_log_space(-1, (int)node, (double)room_of(b));
    return (starpu_ssize_t)room_of(b);
}

static void release(void *interface, unsigned node)
{
    spu_buffer *b = interface;

    /* before it is free: another thread may take it at once */
    tgs_i_spu_log_space((int)node, -1, (double)room_of(b));
    if (b->ptr != (uintptr_t)&nothing)
        starpu_free_on_node(node, b->ptr, room_of(b));
    b->ptr = 0;
}

static int copy_any(void *from, unsigned from_node, void *to, unsigned to_node, void *async)
{
    const spu_buffer *a = from, *b = to;
    const int32_t datum = tgs_i_spu_owners_get(&owners, from);
    spu_event *e = tgs_i_spu_log_copy(datum, from_node, to_node, (double)a->bytes);
    int status = 0;

#ifdef STARPU_USE_OPENCL
    if (!async && (tgs_i_spu_on_device(from_node) || tgs_i_spu_on_device(to_node)))
        return tgs_i_spu_copy_opencl(e, datum, a, from_node, b, to_node, NULL);
#endif
    if (a->bytes)
        status = starpu_interface_copy(a->ptr, 0, from_node, b->ptr, 0, to_node, a->bytes, async);
    /* only the synchronous cases and memories without a copy method of their own come here: an end
     * that cannot be seen is taken to be the return of the call */
    if (e)
        atomic_store(&e->end, starpu_timing_now());
    return status;
}

#if defined STARPU_USE_OPENCL && SPU_PAIR_COPIES
static int copy_opencl(void *from, unsigned from_node, void *to, unsigned to_node, cl_event *event)
{
    const spu_buffer *a = from;
    const int32_t datum = tgs_i_spu_owners_get(&owners, from);
    spu_event *e = tgs_i_spu_log_copy(datum, from_node, to_node, (double)a->bytes);

    return tgs_i_spu_copy_opencl(e, datum, a, from_node, to, to_node, event);
}
#endif

#ifdef STARPU_USE_CUDA
static void CUDART_CB copied_cuda(void *user)
{
    spu_event *e = user;

    atomic_store(&e->end, starpu_timing_now());
}

int tgs_i_spu_copy_cuda(void *from, unsigned from_node, void *to, unsigned to_node,
                        starpu_cudaStream_t stream)
{
    const spu_buffer *a = from, *b = to;
    spu_event *e = tgs_i_spu_log_copy(tgs_i_spu_owners_get(&owners, from), from_node, to_node,
                                      (double)a->bytes);
    const enum starpu_node_kind src = starpu_node_get_kind(from_node),
                                dst = starpu_node_get_kind(to_node);
    const enum cudaMemcpyKind kind = src == STARPU_CPU_RAM   ? cudaMemcpyHostToDevice
                                     : dst == STARPU_CPU_RAM ? cudaMemcpyDeviceToHost
                                                             : cudaMemcpyDeviceToDevice;
    const int status = a->bytes
                           ? starpu_cuda_copy_async_sync((void *)a->ptr, from_node, (void *)b->ptr,
                                                         to_node, a->bytes, stream, kind)
                           : 0;

    if (e && (status != -EAGAIN || cudaLaunchHostFunc(stream, copied_cuda, e) != cudaSuccess))
        atomic_store(&e->end, starpu_timing_now());
    return status;
}
#endif

static void *to_pointer(void *interface, unsigned node)
{
    (void)node;
    return (void *)((spu_buffer *)interface)->ptr;
}

static size_t size_of(starpu_data_handle_t handle)
{
    return ((spu_buffer *)starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM))->bytes;
}

static size_t alloc_size_of(starpu_data_handle_t handle)
{
    return room_of(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM));
}

static uint32_t footprint(starpu_data_handle_t handle)
{
    const size_t size = size_of(handle);

    return starpu_hash_crc32c_be_n(&size, sizeof size, 0);
}

static int same_size(void *a, void *b)
{
    return ((spu_buffer *)a)->bytes == ((spu_buffer *)b)->bytes;
}

static void display(starpu_data_handle_t handle, FILE *to)
{
    fprintf(to, "%zu\t", size_of(handle)); /* into StarPU's own files of measurements */
}

static starpu_ssize_t describe(void *interface, char *text, size_t size)
{
    return snprintf(text, size, "b%zu", ((spu_buffer *)interface)->bytes);
}

static const struct starpu_data_copy_methods copies = {
    .any_to_any = copy_any,
#if defined STARPU_USE_OPENCL && SPU_PAIR_COPIES
    .ram_to_opencl_async = copy_opencl,
    .opencl_to_ram_async = copy_opencl,
    .opencl_to_opencl_async = copy_opencl,
#endif
#if defined STARPU_USE_CUDA && SPU_PAIR_COPIES
    .ram_to_cuda_async = tgs_i_spu_copy_cuda,
    .cuda_to_ram_async = tgs_i_spu_copy_cuda,
    .cuda_to_cuda_async = tgs_i_spu_copy_cuda,
#endif
};

struct starpu_data_interface_ops tgs_i_spu_ops = {
    .register_data_handle = register_handle,
    .allocate_data_on_node = allocate,
    .free_data_on_node = release,
    .copy_methods = &copies,
    .to_pointer = to_pointer,
    .get_size = size_of,
    .get_alloc_size = alloc_size_of,
    .footprint = footprint,
    .compare = same_size,
    .display = display,
    .describe = describe,
    .interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
    .interface_size = sizeof(spu_buffer),
    .name = (char *)"TGS_SPU_BUFFER",
};

tgs_status tgs_i_spu_register(starpu_data_handle_t *h, int home, void *ptr, double bytes,
                              int32_t datum, tgs_error *err)
{
    const spu_buffer b = {(uintptr_t)ptr, (size_t)ceil(bytes), datum};

    *h = NULL;
    if (tgs_i_spu_owners_reserve(&owners, STARPU_MAXNODES))
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (tgs_i_spu_ops.interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
        tgs_i_spu_ops.interfaceid = starpu_data_interface_get_next_id();
    starpu_data_register(h, home, (void *)&b, &tgs_i_spu_ops);
    return TGS_OK;
}

void tgs_i_spu_unregister(starpu_data_handle_t h, bool keep)
{
    const void *address[STARPU_MAXNODES];
    const unsigned nodes = starpu_memory_nodes_get_count();

    if (!h)
        return;
    for (unsigned node = 0; node < nodes; node++)
        address[node] = starpu_data_get_interface_on_node(h, node);
    if (keep)
        starpu_data_unregister(h);
    else
        starpu_data_unregister_no_coherency(h);
    for (unsigned node = 0; node < nodes; node++)
        tgs_i_spu_owners_remove(&owners, address[node]);
}
