/* starpu_tap_plan.c -- the plan to be replayed, as the command wrote it, and whether what the
 * application submits is what was planned. */
#include <stdio.h>
#include <stdlib.h>
#include "starpu_tap.h"

tap_plan tgs_i_tap_plan = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- reading ---- */
static bool read_text(char **out)
{
    char path[4096];
    FILE *f;
    long size = 0;
    bool good;

    snprintf(path, sizeof path, "%s/plan", tgs_i_tap.dir);
    f = fopen(path, "re");
    if (!f)
        return false;
    good = !fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET);
    *out = good ? tgs_mem_alloc((size_t)size + 1, 1) : NULL;
    good = *out && fread(*out, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    return good;
}

static int64_t slot_of(const char *path, size_t length)
{
    uint64_t h = 14695981039346656037ull;
    int64_t i;

    for (size_t k = 0; k < length; k++)
        h = (h ^ (unsigned char)path[k]) * 1099511628211ull;
    i = (int64_t)(h & (uint64_t)(tgs_i_tap_plan.slots - 1));
    for (; tgs_i_tap_plan.table[i] >= 0; i = (i + 1) & (tgs_i_tap_plan.slots - 1)) {
        const tap_planned *t = &tgs_i_tap_plan.task[tgs_i_tap_plan.table[i]];

        if (t->path_length == length && !memcmp(t->path, path, length))
            break;
    }
    return i;
}

/* "NAME ARCH NTH" */
static bool take_task(char *line)
{
    tap_planned *t = &tgs_i_tap_plan.task[tgs_i_tap_plan.tasks];
    char *cursor, *name = strtok_r(line, " ", &cursor), *arch = strtok_r(NULL, " ", &cursor);
    const char *nth = strtok_r(NULL, " ", &cursor);
    char *end = name ? strrchr(name, '~') : NULL, *path = end;

    while (path && path > name && path[-1] != '.')
        path--;
    if (!nth || !path)
        return false;
    *t = (tap_planned){.name = name,
                       .path = path,
                       .path_length = (size_t)(end - path),
                       .arch = atoi(arch),
                       .nth = atoi(nth),
                       .worker = -1};
    if (t->arch < 0 || t->arch >= SPU_ARCHS)
        return false;
    tgs_i_tap_plan.table[slot_of(t->path, t->path_length)] = tgs_i_tap_plan.tasks++;
    return true;
}

/* "tgsched.replay/1 TASKS PATIENCE CPUS OPENCLS CUDAS" */
static bool take_header(const char *line)
{
    tap_plan *plan = &tgs_i_tap_plan;
    int tasks;

    if (sscanf(line, "tgsched.replay/1 %d %lf %d %d %d", &tasks, &plan->patience,
               &plan->want[SPU_CPU], &plan->want[SPU_OPENCL], &plan->want[SPU_CUDA])
            != 5
        || tasks < 0)
        return false;
    plan->patience *= 1e6;
    for (plan->slots = 16; plan->slots < 2 * (int64_t)tasks;)
        plan->slots *= 2;
    plan->task = tgs_mem_alloc((size_t)tasks, sizeof *plan->task);
    plan->table = tgs_mem_alloc((size_t)plan->slots, sizeof *plan->table);
    for (int64_t i = 0; i < plan->slots && plan->table; i++)
        plan->table[i] = -1;
    return plan->task && plan->table;
}

bool tgs_i_tap_plan_read(void)
{
    char *cursor, *line;

    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        tgs_i_tap_plan.early[w] = -1;
    if (!read_text(&tgs_i_tap_plan.text))
        return false;
    line = strtok_r(tgs_i_tap_plan.text, "\n", &cursor);
    if (!line || !take_header(line))
        return false;
    while ((line = strtok_r(NULL, "\n", &cursor)) && strcmp(line, "end"))
        if (!take_task(line))
            return false;
    return line != NULL;
}

/* ---- workers ---- */
/* workers ask from the moment they are there: each order appears whole */
static bool order_workers(tap_plan *plan)
{
    for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
        int32_t *order, n = 0;

        for (int32_t i = 0; i < plan->tasks; i++)
            n += plan->task[i].worker == w;
        order = tgs_mem_alloc((size_t)n, sizeof *order);
        if (!order) {
            tgs_i_tap_break("out of memory");
            return false;
        }
        n = 0;
        for (int32_t i = 0; i < plan->tasks; i++)
            if (plan->task[i].worker == w)
                order[n++] = i;
        pthread_mutex_lock(&plan->lock);
        tgs_mem_free(plan->order[w]);
        plan->order[w] = order;
        plan->count[w] = n;
        plan->head[w] = 0;
        pthread_mutex_unlock(&plan->lock);
    }
    return true;
}

bool tgs_i_tap_plan_map(void)
{
    static const char *const name[SPU_ARCHS] = {"CPU", "OpenCL", "CUDA"};
    static const enum starpu_worker_archtype type[SPU_ARCHS] = {
        STARPU_CPU_WORKER, STARPU_OPENCL_WORKER, STARPU_CUDA_WORKER};
    tap_plan *plan = &tgs_i_tap_plan;

    for (int a = 0; a < SPU_ARCHS; a++)
        if (starpu_worker_get_count_by_type(type[a]) != plan->want[a]) {
            tgs_i_tap_break("the plan is for %d %s workers, the application has %d", plan->want[a],
                            name[a], starpu_worker_get_count_by_type(type[a]));
            return false;
        }
    for (int32_t i = 0; i < plan->tasks; i++) {
        tap_planned *t = &plan->task[i];

        if (t->nth >= plan->want[t->arch]) {
            tgs_i_tap_break("the plan has no processor for %s", t->name);
            return false;
        }
        t->worker = starpu_worker_get_by_type(type[t->arch], t->nth);
    }
    return order_workers(plan);
}

/* ---- is it what was planned? ---- */
/* never to come to the policy: it has a worker, or runs nowhere */
static bool bypasses(const struct starpu_task *task)
{
    return task->execute_on_a_specific_worker || !task->cl || task->where == STARPU_NOWHERE;
}

static void mark(struct starpu_task *task, int32_t index, int32_t p)
{
    tap_plan *plan = &tgs_i_tap_plan;

    pthread_mutex_lock(&plan->lock);
    plan->task[p].submitted = true;
    if (bypasses(task)) {
        plan->task[p].place = PLACE_PASSED;
        plan->done++;
    }
    plan->submitted++;
    plan->last = starpu_timing_now();
    pthread_mutex_unlock(&plan->lock);
    tgs_i_tap_task(index)->plan = p;
}

void tgs_i_tap_match(struct starpu_task *task, int32_t index)
{
    const tap_plan *plan = &tgs_i_tap_plan;
    const char *path;
    char name[480];
    int32_t p;

    if (atomic_load(&plan->broken))
        return;
    if (index < 0) {
        tgs_i_tap_break("out of memory");
        return;
    }
    path = tgs_i_tap_path(index);
    tgs_i_tap_name(name, sizeof name, task, index);
    p = plan->table[slot_of(path, strlen(path))];
    if (p < 0)
        tgs_i_tap_break("the application submits %s after the %d tasks of the plan so far, which "
                        "has no such task",
                        name, plan->submitted);
    else if (strcmp(name, plan->task[p].name) != 0)
        tgs_i_tap_break("where the plan has %s the application submits %s", plan->task[p].name,
                        name);
    else
        mark(task, index, p);
}

/* ---- the end ---- */
void tgs_i_tap_break(const char *format, ...)
{
    tap_plan *plan = &tgs_i_tap_plan;
    struct starpu_task *task;
    char text[1200];
    va_list args;

    if (atomic_exchange(&plan->broken, true))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tgs_i_tap_say("%s: from here on StarPU's eager policy decides", text);
    for (int32_t i = 0; i < plan->tasks; i++) {
        pthread_mutex_lock(&plan->lock);
        task = plan->task[i].task;
        plan->task[i].task = NULL;
        if (task) {
            plan->held--;
            plan->task[i].place = PLACE_PASSED;
        }
        pthread_mutex_unlock(&plan->lock);
        if (task)
            tgs_i_tap_release(task);
    }
}

void tgs_i_tap_plan_report(void)
{
    const tap_plan *plan = &tgs_i_tap_plan;
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/status", tgs_i_tap.dir);
    f = fopen(path, "we");
    if (!f)
        return;
    fprintf(f, "%d %d %d %d %d\n", plan->tasks, plan->submitted, plan->done, plan->swapped,
            atomic_load(&plan->broken));
    fclose(f);
}
