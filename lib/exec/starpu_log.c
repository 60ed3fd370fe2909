/* starpu_log.c -- the log of every copy between memories and of every allocation.
 *
 * Drivers append from their own threads: an index by atomic addition into chunks that never move,
 * so that a copy's completion can be written into its entry later.  The log is read and emptied
 * only when nothing is under way. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include "starpu_core.h"

enum { CHUNK = 4096, CHUNKS = 1 << 14 }; /* 67 million entries in a step */

static struct {
    spu_event *_Atomic chunk[CHUNKS];
    _Atomic int64_t count;
    _Atomic bool lost;
    pthread_mutex_t grow;
    double used[STARPU_MAXNODES]; /* bytes allocated when the log was last emptied */
} the_log = {.grow = PTHREAD_MUTEX_INITIALIZER};

static spu_event *chunk_of(int64_t i)
{
    spu_event *chunk = atomic_load(&the_log.chunk[i / CHUNK]);

    if (chunk)
        return chunk;
    pthread_mutex_lock(&the_log.grow);
    chunk = atomic_load(&the_log.chunk[i / CHUNK]);
    if (!chunk) {
        chunk = tgs_mem_alloc(CHUNK, sizeof *chunk);
        atomic_store(&the_log.chunk[i / CHUNK], chunk);
    }
    pthread_mutex_unlock(&the_log.grow);
    return chunk;
}

static spu_event *append(void)
{
    const int64_t i = atomic_fetch_add(&the_log.count, 1);
    spu_event *chunk = i < (int64_t)CHUNK * CHUNKS ? chunk_of(i) : NULL;

    if (!chunk) {
        atomic_store(&the_log.lost, true);
        return NULL;
    }
    return &chunk[i % CHUNK];
}

void tgs_i_spu_log_space(int from, int to, double bytes)
{
    spu_event *e = append();

    if (!e)
        return;
    e->datum = -1;
    e->from = (int16_t)from;
    e->to = (int16_t)to;
    e->bytes = bytes;
    e->event = e->told = NULL;
    e->start = starpu_timing_now();
    atomic_store(&e->end, e->start);
}

spu_event *tgs_i_spu_log_copy(int32_t datum, unsigned from, unsigned to, double bytes)
{
    spu_event *e = append();

    if (!e)
        return NULL;
    e->datum = datum;
    e->from = (int16_t)from;
    e->to = (int16_t)to;
    e->bytes = bytes;
    e->event = e->told = NULL;
    e->start = starpu_timing_now();
    return e;
}

bool tgs_i_spu_log_lost(void)
{
    return atomic_load(&the_log.lost);
}

int64_t tgs_i_spu_log_count(void)
{
    return atomic_load(&the_log.lost) ? 0 : atomic_load(&the_log.count);
}

spu_event *tgs_i_spu_log_at(int64_t i)
{
    return &atomic_load(&the_log.chunk[i / CHUNK])[i % CHUNK];
}

void tgs_i_spu_log_used(const spu_event *e, double *used)
{
    if (e->from < 0)
        used[e->to] += e->bytes;
    else if (e->to < 0)
        used[e->from] -= e->bytes;
}

void tgs_i_spu_log_start(double *used)
{
    memcpy(used, the_log.used, sizeof the_log.used);
}

void tgs_i_spu_log_reset(void)
{
    tgs_i_spu_log_clear();
    memset(the_log.used, 0, sizeof the_log.used);
}

void tgs_i_spu_log_clear(void)
{
    for (int64_t i = 0; i < tgs_i_spu_log_count(); i++) {
        tgs_i_spu_log_used(tgs_i_spu_log_at(i), the_log.used);
        atomic_store(&tgs_i_spu_log_at(i)->end, 0);
    }
    atomic_store(&the_log.count, 0);
    atomic_store(&the_log.lost, false);
}

#ifdef STARPU_USE_OPENCL
/* An asynchronous copy may have waited in its queue: it began as long before its end as the
 * device says it took, where the device says so. */
static void refine(spu_event *e)
{
    cl_ulong start, end;
    cl_event event = e->event;

    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)
            == CL_SUCCESS
        && clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)
               == CL_SUCCESS
        && end >= start) {
        const double began = atomic_load(&e->end) - (double)(end - start) * 1e-3;

        if (began > e->start)
            e->start = began;
    }
    clReleaseEvent(event);
    clReleaseEvent(e->told);
    e->event = e->told = NULL;
}
#else
static void refine(spu_event *e)
{
    e->event = NULL;
}
#endif

typedef struct sums {
    double bytes[STARPU_MAXNODES][STARPU_MAXNODES];
    int64_t count[STARPU_MAXNODES][STARPU_MAXNODES];
} sums;

static tgs_status compare(const sums *ours, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        const int from = starpu_bus_get_src(bus), to = starpu_bus_get_dst(bus);
        struct starpu_profiling_bus_info theirs;

        if (starpu_bus_get_profiling_info(bus, &theirs) || status)
            continue; /* every counter is reset, whatever the comparison says */
        if ((double)theirs.transferred_bytes != ours->bytes[from][to]
            || theirs.transfer_count != ours->count[from][to])
            status = tgs_fail(err, TGS_EBACKEND,
                              "transfers from memory %d to %d: %lld bytes in %d copies by StarPU's "
                              "counters, %.0f bytes in %lld copies by the log",
                              from, to, theirs.transferred_bytes, theirs.transfer_count,
                              ours->bytes[from][to], (long long)ours->count[from][to]);
    }
    return status;
}

tgs_status tgs_i_spu_log_settle(tgs_error *err)
{
    const double give_up = starpu_timing_now() + 10e6;
    const int64_t n = tgs_i_spu_log_count();
    sums *s = tgs_mem_alloc(1, sizeof *s);
    tgs_status status = TGS_OK;

    if (!s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (tgs_i_spu_log_lost())
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the log of transfers");
    for (int64_t i = 0; i < n; i++) {
        spu_event *e = tgs_i_spu_log_at(i);

        /* the end is written last: what is read after it is complete */
        while (atomic_load(&e->end) == 0 && starpu_timing_now() < give_up)
            sched_yield();
        if (e->from < 0 || e->to < 0)
            continue;
        if (atomic_load(&e->end) == 0) {
            status = tgs_fail(err, TGS_EBACKEND, "a copy of %.0f bytes never completed", e->bytes);
            continue; /* its event stays: a driver may still write the end */
        }
        if (e->event)
            refine(e);
        s->bytes[e->from][e->to] += e->bytes;
        s->count[e->from][e->to]++;
    }
    if (!status)
        status = compare(s, err);
    tgs_mem_free(s);
    return status;
}
