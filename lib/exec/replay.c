/* replay.c -- a schedule in the form that the preloaded library reads: its tasks in the order of
 * their starts, each with its worker.  The graph is not needed: a captured task's name says which
 * submission it is and what it must look like (starpu_tap_names.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "capture.h"
#include "words.h"

typedef struct placed {
    char *name; /* as it is written */
    int32_t proc, line;
    double start;
} placed;

typedef struct reading {
    tgs_source source;
    const tgs_platform *p;
    tgs_error *err;
    placed *task;
    int64_t room;
    int32_t tasks;
    bool headed;
} reading;

static tgs_status take_header(reading *r, char *rest)
{
    char *key, *value;
    tgs_status status;

    while (!(status = tgs_source_field(&r->source, &rest, &key, &value, r->err)) && key) {
        char *end;

        if (strcmp(key, "platform"))
            continue;
        r->headed = true;
        if (strtoull(value, &end, 16) != r->p->fingerprint || *end)
            return tgs_source_fail(&r->source, r->err,
                                   "the schedule is for another platform (%.40s, this one is "
                                   "%016" PRIx64 ")",
                                   value, r->p->fingerprint);
    }
    return status;
}

static int32_t processor(const tgs_platform_view *p, const char *name)
{
    for (int32_t q = 0; q < p->procs; q++)
        if (!strcmp(p->proc[q].name, name))
            return q;
    return -1;
}

static tgs_status take_place(reading *r, char *rest)
{
    const char *name = tgs_word(&rest);
    char *proc = tgs_word(&rest);
    placed t = {.line = r->tasks};
    tgs_status status;

    if (!proc || !tgs_name_take(proc))
        return tgs_source_fail(&r->source, r->err, "place needs a task and a processor");
    status = tgs_i_word_real(&r->source, &rest, "start", &t.start, r->err);
    if (status)
        return status;
    t.proc = processor(&r->p->v, proc);
    if (t.proc < 0)
        return tgs_source_fail(&r->source, r->err, "no processor '%.80s'", proc);
    if (!strchr(name, '~')) /* an event of the application's: nothing runs */
        return TGS_OK;
    t.name = tgs_mem_text(name);
    if (!t.name || tgs_mem_grow(&r->task, &r->room, r->tasks + 1, sizeof t)) {
        tgs_mem_free(t.name);
        return tgs_fail(r->err, TGS_ENOMEM, "out of memory");
    }
    r->task[r->tasks++] = t;
    return TGS_OK;
}

static tgs_status read_plan(reading *r)
{
    char *word, *rest;
    bool ended = false;
    int got = 0;
    tgs_status status = tgs_i_record_format(&r->source, "tgsched.schedule/1", r->err);

    while (!status && !ended && (got = tgs_i_record_next(&r->source, &word, &rest, r->err)) == 1) {
        ended = !strcmp(word, "end");
        if (!strcmp(word, "schedule"))
            status = take_header(r, rest);
        else if (!strcmp(word, "place"))
            status = take_place(r, rest);
        else if (!ended && strcmp(word, "move"))
            status = tgs_source_fail(&r->source, r->err, "no record '%.40s'", word);
    }
    if (!status && got < 0)
        status = (tgs_status)got;
    if (!status)
        status = tgs_i_record_last(&r->source, ended, r->err);
    if (!status && !r->headed)
        status = tgs_source_fail(&r->source, r->err, "platform= is missing");
    if (!status && r->tasks == 0)
        status = tgs_fail(r->err, TGS_EINVAL, "%s: not the schedule of a captured graph",
                          r->source.path);
    return status;
}

static int by_start(const void *pa, const void *pb)
{
    const placed *a = pa, *b = pb;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static int by_name(const void *pa, const void *pb)
{
    return strcmp(((const placed *)pa)->name, ((const placed *)pb)->name);
}

static tgs_status refuse_copies(reading *r)
{
    qsort(r->task, (size_t)r->tasks, sizeof *r->task, by_name);
    for (int32_t i = 1; i < r->tasks; i++)
        if (!strcmp(r->task[i - 1].name, r->task[i].name))
            return tgs_fail(r->err, TGS_EINVAL,
                            "%s: task %.80s has two places; an application submits it once",
                            r->source.path, r->task[i].name);
    return TGS_OK;
}

static int arch_of(const tgs_platform_view *p, int32_t proc)
{
    for (int a = 0; a < TGS_I_ARCHS; a++)
        if (!strcmp(p->kind[p->proc[proc].kind].arch, tgs_i_arch_name[a]))
            return a;
    return -1;
}

/* the how-manieth of its architecture */
static int nth_of(const tgs_platform_view *p, int32_t proc)
{
    int nth = 0;

    for (int32_t q = 0; q < proc; q++)
        nth += arch_of(p, q) == arch_of(p, proc);
    return nth;
}

static tgs_status write_plan(reading *r, double patience, const char *path, tgs_replay_info *info)
{
    const tgs_platform_view *p = &r->p->v;
    int32_t count[TGS_I_ARCHS] = {0};
    tgs_i_output o;
    tgs_status status;

    for (int32_t q = 0; q < p->procs; q++)
        if (arch_of(p, q) >= 0)
            count[arch_of(p, q)]++;
    for (int32_t i = 0; i < r->tasks; i++)
        if (arch_of(p, r->task[i].proc) < 0)
            return tgs_fail(r->err, TGS_EINVAL, "StarPU has no workers like processor %s",
                            p->proc[r->task[i].proc].name);
    *info = (tgs_replay_info){r->tasks, count[0], count[1], count[2]};
    status = tgs_i_output_open(&o, path, r->err);
    if (status)
        return status;
    fprintf(o.file, "tgsched.replay/1 %d %.9g %d %d %d\n", (int)r->tasks, patience, (int)count[0],
            (int)count[1], (int)count[2]);
    for (int32_t i = 0; i < r->tasks; i++)
        fprintf(o.file, "%s %d %d\n", r->task[i].name, arch_of(p, r->task[i].proc),
                nth_of(p, r->task[i].proc));
    fputs("end\n", o.file);
    return tgs_i_output_close(&o, TGS_OK, r->err);
}

tgs_status tgs_replay_write(const char *plan, const tgs_platform *p, double patience,
                            const char *path, tgs_replay_info *info, tgs_error *err)
{
    reading r = {.p = p, .err = err};
    tgs_status status = tgs_i_source_open(&r.source, plan, err);

    if (status)
        return status;
    status = read_plan(&r);
    if (!status)
        status = refuse_copies(&r);
    if (!status) {
        qsort(r.task, (size_t)r.tasks, sizeof *r.task, by_start);
        status = write_plan(&r, patience, path, info);
    }
    tgs_i_source_close(&r.source);
    for (int32_t i = 0; i < r.tasks; i++)
        tgs_mem_free(r.task[i].name);
    tgs_mem_free(r.task);
    return status;
}
