/* builder.c -- a graph being written: the calls that add tasks, data and accesses. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "builder.h"

tgs_status tgs_i_builder_fail(tgs_builder *b, tgs_status s, const char *format, ...)
{
    if (!b->first.status) {
        va_list args;

        va_start(args, format);
        vsnprintf(b->first.text, sizeof b->first.text, format, args);
        va_end(args);
        b->first.status = s;
    }
    return b->first.status;
}

tgs_status tgs_builder_new(tgs_builder **out, tgs_error *err)
{
    *out = tgs_mem_alloc(1, sizeof **out);
    if (!*out)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (tgs_i_arena_add(&(*out)->arena, "") < 0) { /* offset 0 is "" from the start */
        tgs_builder_free(*out);
        *out = NULL;
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    return TGS_OK;
}

void tgs_builder_free(tgs_builder *b)
{
    if (!b)
        return;
    for (int64_t k = 0; k < b->kinds; k++)
        tgs_mem_free(b->time[k]);
    tgs_i_names_free(&b->task_names);
    tgs_i_names_free(&b->datum_names);
    tgs_i_names_free(&b->codelet_names);
    tgs_i_names_free(&b->attrs);
    tgs_i_arena_free(&b->arena);
    tgs_mem_free(b->task);
    tgs_mem_free(b->datum);
    tgs_mem_free(b->extra);
    tgs_mem_free(b->constraint);
    tgs_mem_free(b->dim);
    tgs_mem_free(b->touch);
    tgs_mem_free(b->after);
    tgs_mem_free(b->codelet);
    tgs_mem_free(b->line);
    tgs_mem_free(b);
}

tgs_status tgs_builder_status(const tgs_builder *b, const char **text)
{
    if (text)
        *text = b->first.text;
    return b->first.status;
}

tgs_status tgs_builder_line(tgs_builder *b, int32_t task, int64_t line)
{
    if (tgs_i_builder_bad_task(b, task))
        return b->first.status;
    if (tgs_mem_grow(&b->line, &b->line_room, b->task_room, sizeof *b->line))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    while (b->lines <= task)
        b->line[b->lines++] = 0;
    b->line[task] = (int32_t)(line < INT32_MAX ? line : 0);
    return TGS_OK;
}

void tgs_builder_note(tgs_builder *b, const char *format, ...)
{
    const size_t used = strlen(b->note);
    va_list args;

    va_start(args, format);
    if (used + 2 < sizeof b->note) {
        memcpy(b->note + used, "; ", 3);
        vsnprintf(b->note + used + (used ? 2 : 0), sizeof b->note - used - (used ? 2 : 0), format,
                  args);
    }
    va_end(args);
}

tgs_status tgs_source_built(const tgs_source *s, const tgs_builder *b, tgs_error *err)
{
    if (!b->first.status)
        return TGS_OK;
    tgs_source_fail(s, err, "%s", b->first.text);
    if (err && b->first.status == TGS_ENOMEM)
        err->status = TGS_ENOMEM;
    return b->first.status == TGS_ENOMEM ? TGS_ENOMEM : TGS_EPARSE;
}

/* the offset of text in the arena, remembering a failure; -1 then */
int32_t tgs_i_builder_keep(tgs_builder *b, const char *text)
{
    const int32_t offset = text && *text ? tgs_i_arena_add(&b->arena, text) : 0;

    if (offset < 0)
        tgs_i_builder_fail(b, (tgs_status)offset,
                           offset == TGS_ENOMEM ? "out of memory" : "too much text");
    return offset < 0 ? -1 : offset;
}

/* a new name of a table: its offset, or -1 when it is taken (or on failure) */
int32_t tgs_i_builder_name(tgs_builder *b, tgs_i_names *names, const char *what, const char *name,
                           int64_t value)
{
    int32_t offset;

    if (!name || !*name)
        return 0;
    if (tgs_i_names_get(names, &b->arena, name) >= 0) {
        tgs_i_builder_fail(b, TGS_EINVAL, "two %s are named '%s'", what, name);
        return -1;
    }
    offset = tgs_i_builder_keep(b, name);
    if (offset > 0 && tgs_i_names_put(names, &b->arena, offset, (int32_t)value)) {
        tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
        return -1;
    }
    return offset;
}

int32_t tgs_i_builder_codelet(tgs_builder *b, const char *name)
{
    int32_t known, offset;

    if (!name || !*name)
        return -1;
    known = tgs_i_names_get(&b->codelet_names, &b->arena, name);
    if (known >= 0)
        return known;
    offset = tgs_i_builder_name(b, &b->codelet_names, "codelets", name, b->codelets);
    if (offset < 0)
        return -1;
    if (tgs_mem_grow(&b->codelet, &b->codelet_room, b->codelets + 1, sizeof *b->codelet)) {
        tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
        return -1;
    }
    b->codelet[b->codelets] = offset;
    return (int32_t)b->codelets++;
}

int32_t tgs_builder_task(tgs_builder *b, const char *name, const char *codelet, double work)
{
    tgs_task t = {.work = work, .flops = NAN, .bytes = NAN, .constraint = -1};

    if (b->first.status)
        return b->first.status;
    if (work < 0 || isinf(work))
        return tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': work %g is not a time",
                                  name ? name : "", work);
    t.name = tgs_i_builder_name(b, &b->task_names, "tasks", name, b->tasks);
    t.codelet = tgs_i_builder_codelet(b, codelet);
    return tgs_i_builder_add(b, &t);
}

int32_t tgs_i_builder_add(tgs_builder *b, const tgs_task *t)
{
    if (b->first.status)
        return b->first.status;
    if (b->tasks == INT32_MAX)
        return tgs_i_builder_fail(b, TGS_EINVAL, "too many tasks");
    if (tgs_mem_grow(&b->task, &b->task_room, b->tasks + 1, sizeof *t))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    b->task[b->tasks] = *t;
    return (int32_t)b->tasks++;
}

tgs_status tgs_i_builder_room(tgs_builder *b, int64_t tasks, int64_t data, int64_t accesses)
{
    if (tgs_mem_grow(&b->task, &b->task_room, tasks, sizeof *b->task)
        || tgs_mem_grow(&b->datum, &b->datum_room, data, sizeof *b->datum)
        || tgs_mem_grow(&b->extra, &b->extra_room, data, sizeof *b->extra)
        || tgs_mem_grow(&b->touch, &b->touch_room, accesses, sizeof *b->touch))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    return TGS_OK;
}

static const char *task_name(const tgs_builder *b, int32_t task)
{
    return b->arena.text + b->task[task].name;
}

/* is task one of ours?  Remembers the failure if not. */
bool tgs_i_builder_bad_task(tgs_builder *b, int32_t task)
{
    if (!b->first.status && (task < 0 || task >= b->tasks))
        tgs_i_builder_fail(b, TGS_EINVAL, "there is no task number %" PRId32, task);
    return b->first.status != TGS_OK;
}

bool tgs_i_builder_bad_datum(tgs_builder *b, int32_t datum)
{
    if (!b->first.status && (datum < 0 || datum >= b->data))
        tgs_i_builder_fail(b, TGS_EINVAL, "there is no datum number %" PRId32, datum);
    return b->first.status != TGS_OK;
}

/* the index of a kind, new or known; -1 on failure */
int32_t tgs_i_builder_kind(tgs_builder *b, const char *kind)
{
    for (int32_t k = 0; k < b->kinds; k++)
        if (!strcmp(b->arena.text + b->kind[k], kind))
            return k;
    if (!*kind || b->kinds == TGS_I_MAX_KINDS) {
        tgs_i_builder_fail(b, TGS_EINVAL,
                           *kind ? "more than 64 kinds: '%s'" : "a kind needs a name%s", kind);
        return -1;
    }
    b->kind[b->kinds] = tgs_i_builder_keep(b, kind);
    return b->kind[b->kinds] < 0 ? -1 : (int32_t)b->kinds++;
}

tgs_status tgs_builder_kind(tgs_builder *b, const char *kind)
{
    return b->first.status || tgs_i_builder_kind(b, kind) < 0 ? b->first.status : TGS_OK;
}

tgs_status tgs_builder_task_time(tgs_builder *b, int32_t task, const char *kind, double seconds)
{
    int32_t k;

    if (tgs_i_builder_bad_task(b, task))
        return b->first.status;
    if (!(seconds >= 0) || isinf(seconds))
        return tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': %g is not a time", task_name(b, task),
                                  seconds);
    k = tgs_i_builder_kind(b, kind);
    if (k < 0)
        return b->first.status;
    if (tgs_mem_grow(&b->time[k], &b->time_room[k], b->task_room, sizeof(double)))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    while (b->times[k] <= task)
        b->time[k][b->times[k]++] = NAN;
    b->time[k][task] = seconds;
    return TGS_OK;
}

tgs_status tgs_builder_task_cost(tgs_builder *b, int32_t task, double flops, double bytes)
{
    if (tgs_i_builder_bad_task(b, task))
        return b->first.status;
    if (flops < 0 || isinf(flops) || bytes < 0 || isinf(bytes))
        return tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': %g flops, %g bytes",
                                  task_name(b, task), flops, bytes);
    b->task[task].flops = flops;
    b->task[task].bytes = bytes;
    return TGS_OK;
}

tgs_status tgs_builder_task_phase(tgs_builder *b, int32_t task, tgs_phase phase)
{
    if (tgs_i_builder_bad_task(b, task))
        return b->first.status;
    if ((unsigned)phase > TGS_PHASE_COMMUNICATION)
        return tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': no such phase", task_name(b, task));
    b->task[task].phase = phase;
    return TGS_OK;
}

tgs_status tgs_i_builder_touch(tgs_builder *b, int32_t task, int32_t datum, tgs_mode mode)
{
    if (b->touches == INT32_MAX)
        return tgs_i_builder_fail(b, TGS_EINVAL, "too many accesses");
    if (tgs_mem_grow(&b->touch, &b->touch_room, b->touches + 1, sizeof *b->touch))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    b->touch[b->touches++] = (tgs_i_touch){task, (uint32_t)datum & 0x3fffffff, mode & 3u};
    return TGS_OK;
}

tgs_status tgs_builder_access(tgs_builder *b, int32_t task, int32_t datum, tgs_mode mode)
{
    if (tgs_i_builder_bad_task(b, task) || tgs_i_builder_bad_datum(b, datum))
        return b->first.status;
    if (mode < TGS_R || mode > TGS_RW)
        return tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': no such access mode",
                                  task_name(b, task));
    return tgs_i_builder_touch(b, task, datum, mode);
}

tgs_status tgs_builder_edge(tgs_builder *b, int32_t from, int32_t to, double bytes)
{
    int32_t datum;

    if (tgs_i_builder_bad_task(b, from) || tgs_i_builder_bad_task(b, to))
        return b->first.status;
    if (from == to)
        return tgs_i_builder_fail(b, TGS_ECYCLE, "task '%s' depends on itself", task_name(b, from));
    datum = tgs_builder_datum(b, NULL, bytes);
    if (datum < 0 || tgs_i_builder_touch(b, from, datum, TGS_W)
        || tgs_i_builder_touch(b, to, datum, TGS_R))
        return b->first.status;
    return TGS_OK;
}

tgs_status tgs_builder_after(tgs_builder *b, int32_t before, int32_t after)
{
    if (tgs_i_builder_bad_task(b, before) || tgs_i_builder_bad_task(b, after))
        return b->first.status;
    if (before == after)
        return tgs_i_builder_fail(b, TGS_ECYCLE, "task '%s' depends on itself",
                                  task_name(b, before));
    if (tgs_mem_grow(&b->after, &b->after_room, b->afters + 2, sizeof *b->after))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    b->after[b->afters++] = before;
    b->after[b->afters++] = after;
    return TGS_OK;
}

int32_t tgs_builder_find_task(const tgs_builder *b, const char *name)
{
    const int32_t i = tgs_i_names_get(&b->task_names, &b->arena, name);

    return i < 0 ? TGS_ENOTFOUND : i;
}

int32_t tgs_builder_find_datum(const tgs_builder *b, const char *name)
{
    const int32_t i = tgs_i_names_get(&b->datum_names, &b->arena, name);

    return i < 0 ? TGS_ENOTFOUND : i;
}
