/* starpu_tap_names.c -- names of tasks and data that are the same in every run of an application
 * that submits the same tasks, whatever their addresses.
 *
 * A task is known by who submitted it and as which one: the n-th of the first submitting thread is
 * "n", of another one "tK-n", the n-th from the callback of a task P "P-n".  A datum is known by
 * the order in which data are first used. */
#include <stdio.h>
#include "starpu_tap.h"

enum { THREADS = 256 };

static struct {
    spu_owners objects, codelets, data, interfaces; /* data, interfaces: which registration */
    struct registration {
        double bytes;
        int32_t datum; /* in the record, -1: not seen yet */
        int32_t used;  /* the how-manieth that a task has used, -1: by none yet */
    } * registered;
    int64_t registered_room;
    int32_t registrations;
    int32_t *index; /* [id] of the submitted task, -1 */
    tap_task *task;
    char *paths;
    int64_t index_room, task_room, paths_room, paths_used;
    int32_t ids, tasks, codelets_seen, data_seen, data_used, threads;
    int32_t submitted[THREADS]; /* by a thread */
} names;

/* ---- tasks ---- */
static int32_t new_id(const struct starpu_task *task)
{
    if (tgs_i_spu_owners_reserve(&names.objects, 1)
        || tgs_mem_grow(&names.index, &names.index_room, names.ids + 1, sizeof *names.index))
        return -1;
    names.index[names.ids] = -1;
    tgs_i_spu_owners_put(&names.objects, task, names.ids);
    return names.ids++;
}

int32_t tgs_i_tap_id(const struct starpu_task *task)
{
    const int32_t id = tgs_i_spu_owners_get(&names.objects, task);

    return id >= 0 ? id : new_id(task);
}

void tgs_i_tap_forget_task(const struct starpu_task *task)
{
    tgs_i_spu_owners_remove(&names.objects, task);
}

int32_t tgs_i_tap_thread(void)
{
    if (!tgs_i_tap_me.number)
        tgs_i_tap_me.number = names.threads < THREADS ? ++names.threads : THREADS;
    return tgs_i_tap_me.number - 1;
}

int32_t tgs_i_tap_current(void)
{
    struct starpu_task *task = starpu_worker_get_id() >= 0 ? starpu_task_get_current() : NULL;

    return task ? tgs_i_tap_index(task) : -1;
}

static int32_t add_path(int32_t parent)
{
    const int32_t thread = tgs_i_tap_thread(), offset = (int32_t)names.paths_used;
    const size_t above = parent >= 0 ? strlen(names.paths + names.task[parent].path) : 0;
    char *path;

    if (tgs_mem_grow(&names.paths, &names.paths_room, names.paths_used + (int64_t)above + 32, 1))
        return -1;
    path = names.paths + offset;
    if (parent >= 0) {
        memcpy(path, names.paths + names.task[parent].path, above);
        snprintf(path + above, 32, "-%d", names.task[parent].children++);
    } else if (thread > 0)
        snprintf(path, 32, "t%d-%d", thread, names.submitted[thread]++);
    else
        snprintf(path, 32, "%d", names.submitted[0]++);
    names.paths_used += (int64_t)strlen(path) + 1;
    return offset;
}

int32_t tgs_i_tap_submit(const struct starpu_task *task, int32_t parent)
{
    int32_t id = tgs_i_tap_id(task), path;

    if (id >= 0 && names.index[id] >= 0) /* submitted again: another task */
        id = new_id(task);
    if (id < 0 || tgs_mem_grow(&names.task, &names.task_room, names.tasks + 1, sizeof *names.task))
        return -1;
    path = add_path(parent);
    if (path < 0)
        return -1;
    names.task[names.tasks] = (tap_task){.id = id, .path = path, .plan = -1, .worker = -1};
    return names.index[id] = names.tasks++;
}

int32_t tgs_i_tap_index(const struct starpu_task *task)
{
    const int32_t id = tgs_i_spu_owners_get(&names.objects, task);

    return id < 0 ? -1 : names.index[id];
}

int32_t tgs_i_tap_index_of_id(int32_t id)
{
    return id < 0 ? -1 : names.index[id];
}

tap_task *tgs_i_tap_task(int32_t index)
{
    return &names.task[index];
}

int32_t tgs_i_tap_tasks(void)
{
    return names.tasks;
}

const char *tgs_i_tap_path(int32_t index)
{
    return names.paths + names.task[index].path;
}

/* ---- data ---- */
/* What is registered at an address may have had a predecessor there; copies for that one can come
 * until the very end of its registration, so its addresses are only taken over here. */
void tgs_i_tap_new_datum(starpu_data_handle_t h)
{
    const unsigned nodes = starpu_memory_nodes_get_count();

    if (tgs_i_spu_owners_reserve(&names.data, 1)
        || tgs_i_spu_owners_reserve(&names.interfaces, nodes)
        || tgs_mem_grow(&names.registered, &names.registered_room, names.registrations + 1,
                        sizeof *names.registered)) {
        tgs_i_spu_owners_remove(&names.data, h);
        return;
    }
    names.registered[names.registrations] =
        (struct registration){(double)starpu_data_get_size(h), -1, -1};
    tgs_i_spu_owners_put(&names.data, h, names.registrations);
    for (unsigned node = 0; node < nodes; node++)
        tgs_i_spu_owners_put(&names.interfaces, starpu_data_get_interface_on_node(h, node),
                             names.registrations);
    names.registrations++;
}

static int32_t registration_of(starpu_data_handle_t h)
{
    if (tgs_i_spu_owners_get(&names.data, h) < 0) /* a piece that nobody has told us of */
        tgs_i_tap_new_datum(h);
    return tgs_i_spu_owners_get(&names.data, h);
}

int32_t tgs_i_tap_datum(starpu_data_handle_t h)
{
    const int32_t at = registration_of(h);

    if (at < 0)
        return -1;
    if (names.registered[at].datum < 0) {
        names.registered[at].datum = names.data_seen++;
        if (tgs_i_tap.recording)
            tgs_i_tap_put("data %zu %d\n", starpu_data_get_size(h), starpu_data_get_home_node(h));
    }
    return names.registered[at].datum;
}

void tgs_i_tap_forget_datum(starpu_data_handle_t h)
{
    tgs_i_spu_owners_remove(&names.data, h);
}

bool tgs_i_tap_knows(starpu_data_handle_t h)
{
    const int32_t at = tgs_i_spu_owners_get(&names.data, h);

    return at >= 0 && names.registered[at].datum >= 0;
}

int32_t tgs_i_tap_owner(const void *interface, double *bytes)
{
    int32_t at, datum = -1;

    *bytes = 0;
    pthread_mutex_lock(&tgs_i_tap.lock);
    at = tgs_i_spu_owners_get(&names.interfaces, interface);
    if (at >= 0) {
        *bytes = names.registered[at].bytes;
        datum = names.registered[at].datum;
    }
    pthread_mutex_unlock(&tgs_i_tap.lock);
    return datum;
}

void tgs_i_tap_names_end(void)
{
    tgs_i_spu_owners_free(&names.objects);
    tgs_i_spu_owners_free(&names.data);
    tgs_i_spu_owners_free(&names.interfaces);
    names.registrations = 0;
}

/* ---- in words ---- */
const char *tgs_i_tap_codelet(const struct starpu_task *task)
{
    static char text[32];
    int32_t number;

    if (!task->cl)
        return task->name ? task->name : "sync";
    if (task->cl->name)
        return task->cl->name;
    if (task->cl->model && task->cl->model->symbol)
        return task->cl->model->symbol;
    if (task->name)
        return task->name;
    number = tgs_i_spu_owners_get(&names.codelets, task->cl);
    if (number < 0) { /* by the order in which they are first used */
        number = names.codelets_seen;
        if (!tgs_i_spu_owners_reserve(&names.codelets, 1))
            tgs_i_spu_owners_put(&names.codelets, task->cl, names.codelets_seen++);
    }
    snprintf(text, sizeof text, "codelet%d", number);
    return text;
}

static uint32_t mix(uint32_t h, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        h = (h ^ (uint32_t)(x >> 8 * i & 255)) * 16777619u; /* FNV-1a */
    return h;
}

/* What a run must do alike to be the same run: accesses, sizes, and which data.  The order in which
 * data are first used is only certain where one thread submits. */
static uint32_t signature(const struct starpu_task *task, int32_t index)
{
    const unsigned buffers = task->cl ? (unsigned)STARPU_TASK_GET_NBUFFERS(task) : 0;
    const bool certain = !strpbrk(tgs_i_tap_path(index), "t-");
    uint32_t h = mix(2166136261u, buffers);

    for (unsigned i = 0; i < buffers; i++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        const int32_t at = registration_of(handle);

        if (at >= 0 && names.registered[at].used < 0)
            names.registered[at].used = names.data_used++;
        h = mix(h, (uint64_t)STARPU_TASK_GET_MODE(task, i));
        h = mix(h, starpu_data_get_size(handle));
        if (certain && at >= 0)
            h = mix(h, (uint64_t)names.registered[at].used);
    }
    return (h >> 16 ^ h) & 0xffff;
}

void tgs_i_tap_name(char *name, size_t size, const struct starpu_task *task, int32_t index)
{
    char codelet[256];

    tgs_i_tap_encode(codelet, sizeof codelet, tgs_i_tap_codelet(task));
    snprintf(name, size, "%s.%s~%04x", codelet, tgs_i_tap_path(index),
             (unsigned)signature(task, index));
}
