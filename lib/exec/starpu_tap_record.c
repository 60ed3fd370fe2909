/* starpu_tap_record.c -- the record: one line per thing that happened, in the order of the calls.
 * lib/exec/capture.c reads it; docs of each line are there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "starpu_tap.h"

static struct {
    char *text;
    int64_t room, used;
    bool lost;           /* memory was short: the record is worth nothing */
    spu_owners expected; /* codelets and footprints that have had their "expect" lines */
    int32_t expectations;
} rec;

void tgs_i_tap_put(const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (rec.lost || n < 0 || tgs_mem_grow(&rec.text, &rec.room, rec.used + n + 1, 1)) {
        rec.lost = true;
        return;
    }
    va_start(args, format);
    vsnprintf(rec.text + rec.used, (size_t)n + 1, format, args);
    va_end(args);
    rec.used += n;
}

const char *tgs_i_tap_encode(char *to, size_t size, const char *name)
{
    size_t used = 0;

    for (const char *c = *name ? name : "unnamed"; *c && used + 4 < size; c++) {
        const bool plain = *c > ' ' && *c < 127 && !strchr("%=#\"", *c) && (*c != '@' || c > name);

        used +=
            (size_t)snprintf(to + used, size - used, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    to[used] = 0;
    return to;
}

void tgs_i_tap_note(const char *format, ...)
{
    char text[400], encoded[1200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tgs_i_tap_put("note %s\n", tgs_i_tap_encode(encoded, sizeof encoded, text));
}

void tgs_i_tap_put_workers(void)
{
    static const char *const arch[SPU_ARCHS] = {"cpu", "opencl", "cuda"};
    static const enum starpu_worker_archtype type[SPU_ARCHS] = {
        STARPU_CPU_WORKER, STARPU_OPENCL_WORKER, STARPU_CUDA_WORKER};

    tgs_i_tap_put("%ssession\n", !rec.used ? "tgsched.record/1\n" : "");
    for (int a = 0; a < SPU_ARCHS; a++)
        for (int i = 0; i < starpu_worker_get_count_by_type(type[a]); i++) {
            const int w = starpu_worker_get_by_type(type[a], i);

            tgs_i_tap_put("worker %d %s %d %u\n", w, arch[a], i,
                          starpu_worker_get_memory_node((unsigned)w));
        }
}

/* ---- a task ---- */
/* the first worker of an architecture that can run the task, or -1 */
static int able(struct starpu_task *task, enum starpu_worker_archtype type)
{
    const int n = starpu_worker_get_count_by_type(type);

    for (int i = 0; i < n; i++) {
        const int w = starpu_worker_get_by_type(type, i);

        if (starpu_worker_can_execute_task_first_impl((unsigned)w, task, NULL))
            return w;
    }
    return -1;
}

/* what StarPU's own models say, once for each codelet and footprint */
static void put_expected(struct starpu_task *task, const char *codelet, uint32_t footprint,
                         const int *worker)
{
    const void *key = (const void *)((uintptr_t)task->cl ^ (uintptr_t)footprint * 2654435761u);

    if (!task->cl->model || tgs_i_spu_owners_get(&rec.expected, key) >= 0
        || tgs_i_spu_owners_reserve(&rec.expected, 1))
        return;
    tgs_i_spu_owners_put(&rec.expected, key, rec.expectations++);
    for (int a = 0; a < SPU_ARCHS; a++) {
        const double us =
            worker[a] < 0 ? NAN
                          : starpu_task_expected_length(
                              task, starpu_worker_get_perf_archtype(worker[a], task->sched_ctx), 0);

        if (us > 0 && us < INFINITY)
            tgs_i_tap_put("expect %s %08x %d %.17g\n", codelet, footprint, a, us);
    }
}

static void put_access(starpu_data_handle_t h, unsigned mode, bool ordered)
{
    const char *how = mode & STARPU_SCRATCH ? "s"
                      : mode & STARPU_REDUX ? "x"
                      : mode & STARPU_W     ? (mode & STARPU_R ? "rw" : "w")
                                            : "r";

    tgs_i_tap_put(" %d %s%s%s", tgs_i_tap_datum(h), how, mode & STARPU_COMMUTE ? "c" : "",
                  ordered ? "" : "!");
}

static bool ordered(const struct starpu_task *task, unsigned i, starpu_data_handle_t h)
{
    return task->sequential_consistency && starpu_data_get_sequential_consistency_flag(h)
           && (!task->handles_sequential_consistency || task->handles_sequential_consistency[i]);
}

void tgs_i_tap_put_task(struct starpu_task *task, int32_t index, int32_t parent)
{
    static const enum starpu_worker_archtype type[SPU_ARCHS] = {
        STARPU_CPU_WORKER, STARPU_OPENCL_WORKER, STARPU_CUDA_WORKER};
    const bool nowhere = !task->cl || task->where == STARPU_NOWHERE;
    const unsigned buffers = task->cl ? (unsigned)STARPU_TASK_GET_NBUFFERS(task) : 0;
    uint32_t footprint = 0;
    int worker[SPU_ARCHS] = {-1, -1, -1}, first = -1, archs = 0;
    char name[480], codelet[256], tag[24] = "-";

    for (unsigned i = 0; i < buffers; i++) /* data have their lines first */
        tgs_i_tap_datum(STARPU_TASK_GET_HANDLE(task, i));
    for (int a = 0; a < SPU_ARCHS && !nowhere; a++) {
        worker[a] = able(task, type[a]);
        archs |= worker[a] >= 0 ? 1 << a : 0;
        first = first < 0 ? worker[a] : first;
    }
    tgs_i_tap_encode(codelet, sizeof codelet, tgs_i_tap_codelet(task));
    if (!nowhere) {
        footprint =
            task->cl->model && first >= 0 ? starpu_task_footprint(
                task->cl->model, task, starpu_worker_get_perf_archtype(first, task->sched_ctx), 0)
                                          : starpu_task_data_footprint(task);
        put_expected(task, codelet, footprint, worker);
    }
    tgs_i_tap_name(name, sizeof name, task, index);
    if (task->use_tag)
        snprintf(tag, sizeof tag, "%llx", (unsigned long long)task->tag_id);
    tgs_i_tap_put("task %s %s %08x %d %d %d %d %d %d %s %u", name, codelet, footprint,
                  nowhere ? -1 : archs,
                  task->execute_on_a_specific_worker ? (int)task->workerid : -1, task->priority,
                  tgs_i_tap_task(index)->id, tgs_i_tap_thread(), parent, tag, buffers);
    for (unsigned i = 0; i < buffers; i++) {
        starpu_data_handle_t h = STARPU_TASK_GET_HANDLE(task, i);

        put_access(h, (unsigned)STARPU_TASK_GET_MODE(task, i), ordered(task, i, h));
    }
    tgs_i_tap_put("\n");
}

/* ---- the file ---- */
static void put_executions(void)
{
    for (int32_t i = 0; i < tgs_i_tap_tasks(); i++) {
        const tap_task *t = tgs_i_tap_task(i);

        if (t->end > 0)
            tgs_i_tap_put("ran %d %d %.3f %.3f\n", i, t->worker, t->start, t->end);
    }
}

static bool write_all(int fd, const char *text, int64_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, text, (size_t)size);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            text += n;
            size -= n;
        }
    }
    return true;
}

void tgs_i_tap_write(void)
{
    const int64_t kept = rec.used;
    char part[4096], whole[4096];
    int fd;

    if (snprintf(part, sizeof part, "%s/record.part", tgs_i_tap.dir) >= (int)sizeof part)
        return;
    snprintf(whole, sizeof whole, "%s/record", tgs_i_tap.dir);
    put_executions();
    tgs_i_tap_put("end\n");
    fd = rec.lost ? -1 : open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || !write_all(fd, rec.text, rec.used) || close(fd) || rename(part, whole))
        tgs_i_tap_say("the record cannot be written: %s",
                      rec.lost ? "out of memory" : strerror(errno));
    rec.used = kept; /* a later StarPU of this process goes on */
}
