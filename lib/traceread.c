/* traceread.c -- reads .tgt, the text form of a trace; see tgsched-schedule(5).  Names come before
 * what refers to them. */
#include <string.h>
#include "trace.h"
#include "words.h"

static const char *const why_name[] = {"demand", "prefetch", "relay", "write-back", "reload"};

typedef struct reading {
    tgs_source source;
    tgs_error *err;
    tgs_trace_log *l;
    tgs_i_index task, datum, proc, memory;
    int32_t *edge; /* pairs */
    int64_t edges, edge_room;
} reading;

static tgs_status no_memory(const reading *r)
{
    return tgs_fail(r->err, TGS_ENOMEM, "out of memory");
}

/* ---- names ---------------------------------------------------------------------------------- */
/* the next word is a new name, or @INDEX of the thing itself when it has none */
static tgs_status take_new(reading *r, char **rest, tgs_i_index *x, const char **name)
{
    char *word = tgs_word(rest);
    int64_t index;

    *name = word;
    if (!word)
        return tgs_source_fail(&r->source, r->err, "a %s is missing", x->what);
    if (x->count == INT32_MAX - 2)
        return tgs_source_fail(&r->source, r->err, "too many of a %s", x->what);
    if (*word == '@') {
        *name = "";
        if (!tgs_parse_count(word + 1, x->count, &index) || index != x->count)
            return tgs_source_fail(&r->source, r->err, "%s '%.80s' stands where @%d does", x->what,
                                   word, (int)x->count);
        return TGS_OK;
    }
    if (!tgs_name_take(word))
        return tgs_source_fail(&r->source, r->err, "'%.80s' is not a name", word);
    if (tgs_i_names_get(&x->names, x->arena, word) >= 0)
        return tgs_source_fail(&r->source, r->err, "a second %s '%.80s'", x->what, word);
    return TGS_OK;
}

/* the log has taken the name: it can be found now */
static tgs_status know(reading *r, tgs_i_index *x, const tgs_i_texts *t)
{
    const int32_t offset = t->at[t->count - 1];

    if (offset && tgs_i_names_put(&x->names, x->arena, offset, x->count))
        return no_memory(r);
    x->count++;
    return TGS_OK;
}

static tgs_status too_much_text(const reading *r, tgs_status status)
{
    return status == TGS_ENOMEM ? no_memory(r)
                                : tgs_source_fail(&r->source, r->err, "too much text");
}

static int32_t find_phase(const char *name)
{
    for (int32_t p = TGS_PHASE_OTHER; p <= TGS_PHASE_COMMUNICATION; p++)
        if (!strcmp(tgs_phase_name((tgs_phase)p), name))
            return p;
    return -1;
}

static tgs_status take_task(reading *r, char *rest)
{
    const char *name, *codelet = "";
    char *key, *value;
    int32_t phase = TGS_PHASE_OTHER;
    tgs_status status = take_new(r, &rest, &r->task, &name);

    while (!status && !(status = tgs_source_field(&r->source, &rest, &key, &value, r->err))
           && key) {
        if (!strcmp(key, "codelet"))
            codelet = value;
        else if (!strcmp(key, "phase") && (phase = find_phase(value)) >= 0)
            continue;
        else
            status = tgs_source_fail(&r->source, r->err, "no %s '%.80s' of a task",
                                     phase < 0 ? "phase" : "field", phase < 0 ? value : key);
    }
    if (status)
        return status;
    status = tgs_i_log_task(r->l, name, codelet, phase);
    return status ? too_much_text(r, status) : know(r, &r->task, &r->l->task);
}

static tgs_status take_datum(reading *r, char *rest)
{
    const char *name;
    tgs_status status = take_new(r, &rest, &r->datum, &name);

    if (!status)
        status = tgs_i_record_end(&r->source, rest, r->err);
    if (status)
        return status;
    status = tgs_i_log_text(r->l, &r->l->datum, name);
    return status ? too_much_text(r, status) : know(r, &r->datum, &r->l->datum);
}

static tgs_status take_memory(reading *r, char *rest)
{
    const char *name;
    tgs_status status = take_new(r, &rest, &r->memory, &name);

    if (!status)
        status = tgs_i_record_end(&r->source, rest, r->err);
    if (status)
        return status;
    status = tgs_i_log_text(r->l, &r->l->memory, name);
    return status ? too_much_text(r, status) : know(r, &r->memory, &r->l->memory);
}

static tgs_status take_processor(reading *r, char *rest)
{
    const char *name, *kind = "";
    char *key, *value;
    int32_t memory = -1;
    tgs_status status = take_new(r, &rest, &r->proc, &name);

    while (!status && !(status = tgs_source_field(&r->source, &rest, &key, &value, r->err))
           && key) {
        if (!strcmp(key, "kind"))
            kind = value;
        else if (!strcmp(key, "memory"))
            status = tgs_i_text_name(&r->source, value, &r->memory, &memory, r->err);
        else
            status = tgs_source_fail(&r->source, r->err, "no field '%.80s' of a processor", key);
    }
    if (status)
        return status;
    if (memory < 0)
        return tgs_source_fail(&r->source, r->err, "the processor has no memory=");
    status = tgs_i_log_proc(r->l, name, kind, memory);
    return status ? too_much_text(r, status) : know(r, &r->proc, &r->l->proc);
}

/* ---- what happened -------------------------------------------------------------------------- */
static tgs_status take_edge(reading *r, char *rest)
{
    int32_t from, to;
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->task, &from, r->err);

    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->task, &to, r->err);
    if (!status)
        status = tgs_i_record_end(&r->source, rest, r->err);
    if (status)
        return status;
    if (r->edges >= INT32_MAX - 2
        || tgs_mem_grow(&r->edge, &r->edge_room, r->edges + 2, sizeof *r->edge))
        return no_memory(r);
    r->edge[r->edges++] = from;
    r->edge[r->edges++] = to;
    return TGS_OK;
}

static tgs_status take_step(reading *r, char *rest)
{
    double start, end;
    tgs_status status = tgs_i_word_real(&r->source, &rest, "the start", &start, r->err);

    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the end", &end, r->err);
    if (!status)
        status = tgs_i_record_end(&r->source, rest, r->err);
    if (status)
        return status;
    if (end < start)
        return tgs_source_fail(&r->source, r->err, "the step ends before it starts");
    return tgs_log_step(r->l, start, end) ? no_memory(r) : TGS_OK;
}

/* step=, and one more field whose value is handed back as text */
static tgs_status take_fields(reading *r, char **rest, const char *other, int32_t *step,
                              const char **text)
{
    char *key, *value;
    int64_t number;
    tgs_status status;

    *step = 0;
    *text = NULL;
    while (!(status = tgs_source_field(&r->source, rest, &key, &value, r->err)) && key) {
        if (other && !strcmp(key, other))
            *text = value;
        else if (strcmp(key, "step") != 0)
            return tgs_source_fail(&r->source, r->err, "no field '%.80s' here", key);
        else if (!tgs_parse_count(value, r->l->steps - 1, &number))
            return tgs_source_fail(&r->source, r->err, "there is no step %.40s", value);
        else
            *step = (int32_t)number;
    }
    return status;
}

static tgs_status take_span(reading *r, char **rest, double *start, double *end)
{
    tgs_status status = tgs_i_word_real(&r->source, rest, "the start", start, r->err);

    if (!status)
        status = tgs_i_word_real(&r->source, rest, "the end", end, r->err);
    if (!status && *end < *start)
        status = tgs_source_fail(&r->source, r->err, "it ends before it starts");
    return status;
}

static tgs_status take_ran(reading *r, char *rest)
{
    tgs_ran x = {0};
    const char *synthetic;
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->task, &x.task, r->err);

    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->proc, &x.proc, r->err);
    if (!status)
        status = take_span(r, &rest, &x.start, &x.end);
    if (!status)
        status = take_fields(r, &rest, "synthetic", &x.step, &synthetic);
    if (status)
        return status;
    if (synthetic && !strcmp(synthetic, "1"))
        x.flags = TGS_RAN_SYNTHETIC;
    else if (synthetic)
        return tgs_source_fail(&r->source, r->err, "synthetic=%.40s is not 1", synthetic);
    return tgs_log_ran(r->l, &x) ? no_memory(r) : TGS_OK;
}

static tgs_status take_bytes(reading *r, char **rest, double *bytes)
{
    const tgs_status status = tgs_i_word_real(&r->source, rest, "the bytes", bytes, r->err);

    return !status && *bytes < 0 ? tgs_source_fail(&r->source, r->err, "%g bytes", *bytes) : status;
}

static tgs_status take_move(reading *r, char *rest)
{
    tgs_moved x = {0};
    const char *why;
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->datum, &x.datum, r->err);

    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->memory, &x.from, r->err);
    if (!status)
        status = tgs_i_word_name(&r->source, &rest, &r->memory, &x.to, r->err);
    if (!status)
        status = take_bytes(r, &rest, &x.bytes);
    if (!status)
        status = take_span(r, &rest, &x.start, &x.end);
    if (!status)
        status = take_fields(r, &rest, "why", &x.step, &why);
    if (status)
        return status;
    for (x.why = TGS_WHY_DEMAND; why && x.why <= TGS_WHY_RELOAD; x.why++)
        if (!strcmp(why_name[x.why], why))
            break;
    if (x.why > TGS_WHY_RELOAD)
        return tgs_source_fail(&r->source, r->err, "why=%.40s is no reason of a move", why);
    return tgs_log_moved(r->l, &x) ? no_memory(r) : TGS_OK;
}

static tgs_status take_use(reading *r, char *rest)
{
    tgs_used x = {0};
    const char *none;
    tgs_status status = tgs_i_word_name(&r->source, &rest, &r->memory, &x.memory, r->err);

    if (!status)
        status = tgs_i_word_real(&r->source, &rest, "the time", &x.time, r->err);
    if (!status)
        status = take_bytes(r, &rest, &x.bytes);
    if (!status)
        status = take_fields(r, &rest, NULL, &x.step, &none);
    if (status)
        return status;
    return tgs_log_used(r->l, &x) ? no_memory(r) : TGS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */
static tgs_status take_header(reading *r)
{
    char *word, *rest, *key, *value;
    const char *origin = "", *title = "";
    double bound = NAN;
    int got;
    tgs_status status = tgs_i_record_format(&r->source, "tgsched.trace/1", r->err);

    if (status)
        return status;
    got = tgs_i_record_next(&r->source, &word, &rest, r->err);
    if (got < 0)
        return (tgs_status)got;
    if (!got || strcmp(word, "trace") != 0)
        return tgs_source_fail(&r->source, r->err, "expected 'trace origin=... title=...'");
    while (!(status = tgs_source_field(&r->source, &rest, &key, &value, r->err)) && key) {
        if (!strcmp(key, "origin"))
            origin = value;
        else if (!strcmp(key, "title"))
            title = value;
        else if (strcmp(key, "bound") != 0)
            return tgs_source_fail(&r->source, r->err, "no field '%.80s' of a trace", key);
        else if (!tgs_parse_real(value, &bound))
            return tgs_source_fail(&r->source, r->err, "bound=%.40s is not a number", value);
    }
    if (status)
        return status;
    if (tgs_i_log_empty(&r->l, origin, title))
        return no_memory(r);
    r->l->lower_bound = bound;
    r->task = (tgs_i_index){.what = "task", .arena = &r->l->arena};
    r->datum = (tgs_i_index){.what = "datum", .arena = &r->l->arena};
    r->proc = (tgs_i_index){.what = "processor", .arena = &r->l->arena};
    r->memory = (tgs_i_index){.what = "memory", .arena = &r->l->arena};
    return TGS_OK;
}

static tgs_status take_record(reading *r, const char *word, char *rest)
{
    static const struct {
        const char *name;
        tgs_status (*take)(reading *r, char *rest);
    } record[] = {{"ran", take_ran},       {"move", take_move},           {"use", take_use},
                  {"edge", take_edge},     {"task", take_task},           {"datum", take_datum},
                  {"memory", take_memory}, {"processor", take_processor}, {"step", take_step}};

    for (size_t i = 0; i < sizeof record / sizeof *record; i++)
        if (!strcmp(record[i].name, word))
            return record[i].take(r, rest);
    return tgs_source_fail(&r->source, r->err, "no record '%.80s' in a trace", word);
}

static tgs_status sort_edges(reading *r)
{
    tgs_trace_log *l = r->l;

    l->edge_at = tgs_mem_alloc((size_t)l->task.count + 2, sizeof *l->edge_at);
    l->edge = tgs_mem_alloc((size_t)r->edges / 2, sizeof *l->edge);
    if (!l->edge_at || !l->edge)
        return no_memory(r);
    for (int64_t i = 0; i < r->edges; i += 2)
        l->edge_at[r->edge[i] + 2]++;
    for (int64_t t = 0; t < l->task.count; t++)
        l->edge_at[t + 2] += l->edge_at[t + 1];
    for (int64_t i = 0; i < r->edges; i += 2)
        l->edge[l->edge_at[r->edge[i] + 1]++] = r->edge[i + 1];
    return TGS_OK;
}

static tgs_status read_trace(reading *r)
{
    char *word, *rest;
    bool ended = false;
    int got;
    tgs_status status = take_header(r);

    while (!status && !ended && (got = tgs_i_record_next(&r->source, &word, &rest, r->err)) != 0)
        if (got < 0)
            status = (tgs_status)got;
        else if (!(ended = !strcmp(word, "end")))
            status = take_record(r, word, rest);
    if (!status)
        status = tgs_i_record_last(&r->source, ended, r->err);
    if (!status && !r->l->steps)
        status = tgs_source_fail(&r->source, r->err, "there is no step");
    return status ? status : sort_edges(r);
}

tgs_status tgs_trace_read(tgs_trace **out, const char *path, tgs_error *err)
{
    reading r = {.err = err};
    tgs_status status = tgs_i_source_open(&r.source, path, err);

    *out = NULL;
    if (status)
        return status;
    status = read_trace(&r);
    tgs_i_names_free(&r.task.names);
    tgs_i_names_free(&r.datum.names);
    tgs_i_names_free(&r.proc.names);
    tgs_i_names_free(&r.memory.names);
    tgs_mem_free(r.edge);
    tgs_i_source_close(&r.source);
    if (!status)
        return tgs_i_log_finish(out, r.l, err);
    tgs_i_log_free(r.l);
    return status;
}
