/* schedread.c -- reads .tgs for the problem it was made for; see tgsched-schedule(5).
 *
 * The first execution of a task is its place, further ones are copies.  What is read is complete
 * and names only what exists; whether it keeps the rules is for tgs_schedule_check. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "words.h"

typedef struct reading {
    tgs_source source;
    const tgs_problem *pb;
    tgs_error *err;
    tgs_schedule *s;
    tgs_i_arena names, other; /* names: of the graph */
    tgs_i_index task, datum, proc, memory;
    tgs_place *place; /* [tasks], then copies in the order of the file */
    tgs_move *move;
    tgs_drop *drop;
    int64_t places, place_room, moves, move_room, drops, drop_room;
} reading;

static tgs_status no_memory(const reading *r)
{
    return tgs_fail(r->err, TGS_ENOMEM, "out of memory");
}

/* ---- names ---------------------------------------------------------------------------------- */
static tgs_status index_graph(reading *r)
{
    const tgs_graph_view *g = r->pb->v.g;

    r->task = (tgs_i_index){.what = "task", .arena = &r->names, .count = g->tasks};
    r->datum = (tgs_i_index){.what = "datum", .arena = &r->names, .count = g->data};
    return tgs_i_index_tasks(g, &r->names, &r->task.names)
                   || tgs_i_index_data(g, &r->names, &r->datum.names)
               ? no_memory(r)
               : TGS_OK;
}

static tgs_status add_name(reading *r, tgs_i_index *x, const char *name)
{
    const int32_t offset = tgs_i_arena_add(&r->other, name);

    if (offset < 0 || (offset > 0 && tgs_i_names_put(&x->names, &r->other, offset, x->count)))
        return no_memory(r);
    x->count++;
    return TGS_OK;
}

static tgs_status index_platform(reading *r)
{
    const tgs_platform_view *p = r->pb->v.p;
    tgs_status status = tgs_i_arena_add(&r->other, "") < 0 ? no_memory(r) : TGS_OK;

    r->proc = (tgs_i_index){.what = "processor", .arena = &r->other};
    r->memory = (tgs_i_index){.what = "memory", .arena = &r->other};
    for (int32_t q = 0; q < p->procs && !status; q++)
        status = add_name(r, &r->proc, p->proc[q].name);
    for (int32_t m = 0; m < p->memories && !status; m++)
        status = add_name(r, &r->memory, p->memory[m].name);
    return status;
}

/* ---- records -------------------------------------------------------------------------------- */
static tgs_status take_fingerprint(reading *r, const char *key, const char *text, uint64_t mine)
{
    char *end;
    const uint64_t x = strtoull(text, &end, 16);

    if (strlen(text) != 16 || *end)
        return tgs_source_fail(&r->source, r->err, "%s=%.40s is not a fingerprint", key, text);
    if (x != mine)
        return tgs_source_fail(&r->source, r->err,
                               "the schedule is for another %s (%016" PRIx64
                               ", this one is %016" PRIx64 ")",
                               key, x, mine);
    return TGS_OK;
}

static tgs_status take_header_field(reading *r, const char *key, const char *value)
{
    tgs_schedule *s = r->s;
    int64_t count;

    if (!strcmp(key, "graph"))
        return take_fingerprint(r, key, value, s->graph = tgs_graph_fingerprint(r->pb->graph));
    if (!strcmp(key, "platform"))
        return take_fingerprint(r, key, value, s->platform = r->pb->platform->fingerprint);
    if (!strcmp(key, "tasks"))
        return tgs_parse_count(value, INT32_MAX, &count) && count == r->pb->v.n
                   ? TGS_OK
                   : tgs_source_fail(&r->source, r->err, "tasks=%.40s, but the graph has %d", value,
                                     (int)r->pb->v.n);
    if (!strcmp(key, "timed")) {
        s->v.timed = !strcmp(value, "1");
        return s->v.timed || !strcmp(value, "0")
                   ? TGS_OK
                   : tgs_source_fail(&r->source, r->err, "timed=%.40s is not 0 or 1", value);
    }
    if (!strcmp(key, "bound"))
        return tgs_parse_real(value, &s->lower_bound)
                   ? TGS_OK
                   : tgs_source_fail(&r->source, r->err, "bound=%.40s is not a number", value);
    if (!strcmp(key, "note")) {
        snprintf(s->note, sizeof s->note, "%s", value);
        return TGS_OK;
    }
    if (!strcmp(key, "origin"))
        return tgs_schedule_annotate(s, value, r->err);
    if (strcmp(key, "heuristic") != 0)
        return tgs_source_fail(&r->source, r->err, "no field '%.80s' of a schedule", key);
    tgs_mem_free((void *)s->v.heuristic);
    s->v.heuristic = tgs_mem_text(value);
    return s->v.heuristic ? TGS_OK : no_memory(r);
}

static tgs_status take_header(reading *r)
{
    char *word, *rest, *key, *value;
    const int got = tgs_i_record_next(&r->source, &word, &rest, r->err);
    tgs_status status;

    if (got < 0)
        return (tgs_status)got;
    if (!got || strcmp(word, "schedule") != 0)
        return tgs_source_fail(&r->source, r->err, "expected 'schedule graph=... platform=...'");
    while (!(status = tgs_source_field(&r->source, &rest, &key, &value, r->err)) && key) {
        status = take_header_field(r, key, value);
        if (status)
            return status;
    }
    if (status)
        return status;
    if (!r->s->graph || !r->s->platform)
        return tgs_source_fail(&r->source, r->err, "graph= or platform= is missing");
    if (!r->s->v.heuristic)
        r->s->v.heuristic = tgs_mem_text("");
    return r->s->v.heuristic ? TGS_OK : no_memory(r);
}

static tgs_status take_place(reading *r, char *rest)
{
    tgs_place p;
    int64_t at;
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->task, &p.task, r->err);

    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->proc, &p.proc, r->err);
    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the start", &p.start, r->err);
    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the end", &p.end, r->err);
    if (!status)
        status = tgs_i_record_end(&r->source, rest, r->err);
    if (status)
        return status;
    at = p.task;
    if (r->place[at].proc >= 0) { /* a copy */
        at = r->places++;
        if (r->places > INT32_MAX - 2)
            return tgs_source_fail(&r->source, r->err, "too many places");
        if (tgs_mem_grow(&r->place, &r->place_room, r->places, sizeof p))
            return no_memory(r);
    }
    r->place[at] = p;
    return TGS_OK;
}

/* the access by which a task writes a datum, or -1 */
static int32_t find_version(const tgs_graph_view *g, int32_t task, int32_t datum)
{
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if ((int32_t)g->access[i].datum == datum && g->access[i].mode & TGS_W)
            return i;
    return -1;
}

/* the version of a move or a drop: whose task wrote it, or the initial one */
static tgs_status take_writer(reading *r, char *rest, const char *record, int32_t datum,
                              int32_t *version)
{
    char *key, *value;
    int32_t task;
    tgs_status status = tgs_source_field(&r->source, &rest, &key, &value, r->err);

    *version = -1;
    if (status || !key)
        return status;
    if (strcmp(key, "writer") != 0)
        return tgs_source_fail(&r->source, r->err, "no field '%.80s' of %s", key, record);
    status = tgs_i_text_name(&r->source, value, &r->task, &task, r->err);
    if (status)
        return status;
    *version = find_version(r->pb->v.g, task, datum);
    if (*version < 0)
        return tgs_source_fail(&r->source, r->err, "the writer of %s does not write its datum",
                               record);
    return tgs_i_record_end(&r->source, rest, r->err);
}

static tgs_status take_move(reading *r, char *rest)
{
    tgs_move m;
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->datum, &m.datum, r->err);

    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->memory, &m.from, r->err);
    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->memory, &m.to, r->err);
    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the start", &m.start, r->err);
    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the end", &m.end, r->err);
    if (!status)
        status = take_writer(r, rest, "a move", m.datum, &m.version);
    if (status)
        return status;
    if (r->moves == INT32_MAX - 2)
        return tgs_source_fail(&r->source, r->err, "too many moves");
    if (tgs_mem_grow(&r->move, &r->move_room, r->moves + 1, sizeof m))
        return no_memory(r);
    r->move[r->moves++] = m;
    return TGS_OK;
}

static tgs_status take_drop(reading *r, char *rest, bool evict)
{
    tgs_drop d = {.memory = -1};
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->datum, &d.datum, r->err);

    if (!status && evict)
        status = tgs_i_word_name(&r->source, &rest, &r->memory, &d.memory, r->err);
    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the time", &d.time, r->err);
    if (!status)
        status =
            take_writer(r, rest, evict ? "an eviction" : "an invalidation", d.datum, &d.version);
    if (status)
        return status;
    if (r->drops == INT32_MAX - 2)
        return tgs_source_fail(&r->source, r->err, "too many evictions and invalidations");
    if (tgs_mem_grow(&r->drop, &r->drop_room, r->drops + 1, sizeof d))
        return no_memory(r);
    r->drop[r->drops++] = d;
    return TGS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */
static int by_task(const void *x, const void *y)
{
    const tgs_place *a = x, *b = y;

    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->proc < b->proc ? -1 : a->proc > b->proc;
}

static tgs_status read_records(reading *r)
{
    char *word, *rest;
    bool ended = false;
    int got;
    tgs_status status = TGS_OK;

    while (!status && !ended && (got = tgs_i_record_next(&r->source, &word, &rest, r->err)) != 0) {
        if (got < 0)
            status = (tgs_status)got;
        else if (!strcmp(word, "place"))
            status = take_place(r, rest);
        else if (!strcmp(word, "move"))
            status = take_move(r, rest);
        else if (!strcmp(word, "evict") || !strcmp(word, "invalidate"))
            status = take_drop(r, rest, *word == 'e');
        else if (!(ended = !strcmp(word, "end")))
            status = tgs_source_fail(&r->source, r->err, "no record '%.80s' in a schedule", word);
    }
    if (!status)
        status = tgs_i_record_last(&r->source, ended, r->err);
    for (int32_t t = 0; t < r->pb->v.n && !status; t++)
        if (r->place[t].proc < 0)
            status = tgs_source_fail(&r->source, r->err, "task number %d ('%.80s') has no place",
                                     (int)t, tgs_task_name(r->pb->v.g, t, TGS_ROOM));
    return status;
}

static tgs_status read_schedule(reading *r)
{
    const int32_t n = r->pb->v.n;
    tgs_schedule *s = r->s;
    tgs_status status = tgs_i_record_format(&r->source, "tgsched.schedule/1", r->err);

    if (!status)
        status = take_header(r);
    if (!status)
        status = index_graph(r);
    if (!status)
        status = index_platform(r);
    if (status)
        return status;
    if (tgs_mem_grow(&r->place, &r->place_room, n, sizeof *r->place))
        return no_memory(r);
    for (int32_t t = 0; t < n; t++)
        r->place[t].proc = -1;
    r->places = n;
    status = read_records(r);
    if (status)
        return status;
    if (r->places > n)
        qsort(r->place + n, (size_t)(r->places - n), sizeof *r->place, by_task);
    s->v.tasks = n;
    s->v.places = (int32_t)r->places;
    s->v.procs = r->pb->v.m;
    s->v.moves = (int32_t)r->moves;
    s->v.place = r->place;
    s->v.move = r->move;
    s->v.drops = (int32_t)r->drops;
    s->v.drop = r->drop;
    tgs_i_schedule_sort_drops(r->drop, s->v.drops);
    r->place = NULL;
    r->move = NULL;
    r->drop = NULL;
    return tgs_i_schedule_order(s, r->pb, r->err);
}

tgs_status tgs_schedule_read(tgs_schedule **out, const char *path, const tgs_problem *pb,
                             tgs_error *err)
{
    const size_t size = strlen(path);
    reading r = {.pb = pb, .err = err};
    tgs_status status;

    if (size > 4 && !strcasecmp(path + size - 4, ".csv"))
        return tgs_i_schedule_csv(out, path, pb, err);
    *out = NULL;
    status = tgs_i_source_open(&r.source, path, err);
    if (status)
        return status;
    r.s = tgs_mem_alloc(1, sizeof *r.s);
    if (r.s) {
        r.s->lower_bound = NAN;
        status = read_schedule(&r);
    } else
        status = no_memory(&r);
    tgs_i_arena_free(&r.names);
    tgs_i_names_free(&r.task.names);
    tgs_i_names_free(&r.datum.names);
    tgs_i_names_free(&r.proc.names);
    tgs_i_names_free(&r.memory.names);
    tgs_i_arena_free(&r.other);
    tgs_mem_free(r.place);
    tgs_mem_free(r.move);
    tgs_mem_free(r.drop);
    tgs_i_source_close(&r.source);
    if (status)
        tgs_schedule_free(r.s);
    else
        *out = r.s;
    return status;
}
