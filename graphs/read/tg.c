/* tg.c -- reads the native graph format; man page tgsched-graph(5) is its definition. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

#define FIRST_LINE "tgsched.graph/1"

enum { MOST_KINDS = 64, MOST_RANK = 64 };
enum { TASKS, DATA, ACCESSES, ORDERS, COUNTS };
static const char *const count_name[] = {"tasks", "data", "accesses", "orders", NULL};

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    char *kind[MOST_KINDS];
    int32_t kinds;
    int64_t count[COUNTS], claim[COUNTS]; /* claim: of a counts record, -1 none */
} reading;

/* ---- words ---------------------------------------------------------------------------------- */
static tgs_status built(const reading *r)
{
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status missing(const reading *r, const char *form)
{
    return tgs_source_fail(r->s, r->err, "a word is missing: %s", form);
}

/* a name of something new: NULL in *name when it is written @INDEX, which must be its number */
static tgs_status new_name(const reading *r, char *word, int what, const char **name)
{
    int64_t index;

    *name = NULL;
    if (r->count[what] >= TGS_I_READ_MOST)
        return tgs_source_fail(r->s, r->err, "more than %d %s", TGS_I_READ_MOST, count_name[what]);
    if (*word == '@') {
        if (tgs_parse_count(word + 1, INT32_MAX, &index) && index == r->count[what])
            return TGS_OK;
        return tgs_source_fail(r->s, r->err, "'%.80s' should be @%" PRId64, word, r->count[what]);
    }
    *name = word;
    if (tgs_name_take(word))
        return TGS_OK;
    return tgs_source_fail(r->s, r->err, "'%.80s' is not a name", word);
}

/* the index of a task or datum declared above */
static tgs_status old_name(const reading *r, char *word, int what, int32_t *index)
{
    int64_t number;

    if (*word == '@') {
        if (tgs_parse_count(word + 1, r->count[what] - 1, &number) && number < r->count[what]) {
            *index = (int32_t)number;
            return TGS_OK;
        }
    } else if (tgs_name_take(word)) {
        *index =
            what == TASKS ? tgs_builder_find_task(r->b, word) : tgs_builder_find_datum(r->b, word);
        if (*index >= 0)
            return TGS_OK;
    }
    return tgs_source_fail(r->s, r->err, "no %s '%.80s' is declared above",
                           what == TASKS ? "task" : "datum", word);
}

/* one of a set of words; NULL text leaves *out */
static tgs_status choice(const reading *r, const char *key, const char *text,
                         const char *(*name)(int32_t), int32_t *out)
{
    for (int32_t i = 0; text && name(i); i++)
        if (!strcmp(name(i), text)) {
            *out = i;
            return TGS_OK;
        }
    return text ? tgs_source_fail(r->s, r->err, "there is no %s '%.80s'", key, text) : TGS_OK;
}

static const char *phase_name(int32_t i)
{
    return i <= TGS_PHASE_COMMUNICATION ? tgs_phase_name((tgs_phase)i) : NULL;
}

static const char *class_name(int32_t i)
{
    return i <= TGS_CLASS_INPUT ? tgs_class_name((tgs_class)i) : NULL;
}

static const char *dtype_name(int32_t i)
{
    return i <= TGS_TEXT ? tgs_dtype_name((tgs_dtype)i) : NULL;
}

/* ---- records -------------------------------------------------------------------------------- */
static tgs_status read_counts(reading *r, char **cursor)
{
    char *value[COUNTS] = {NULL};
    tgs_status status = tgs_i_read_fields(r->s, cursor, count_name, value, r->err);

    for (int32_t i = 0; i < COUNTS && !status; i++) {
        int64_t most = i < ACCESSES ? TGS_I_READ_MOST : INT32_MAX;

        if (value[i] && !tgs_parse_count(value[i], most, &r->claim[i]))
            status = tgs_source_fail(r->s, r->err, "%s=%.80s is not a count up to %" PRId64,
                                     count_name[i], value[i], most);
    }
    return status;
}

static tgs_status read_kinds(reading *r, char **cursor)
{
    char *word;

    if (r->count[TASKS] || r->kinds)
        return tgs_source_fail(r->s, r->err, "kinds come once, before the first task");
    while ((word = tgs_i_read_word(cursor))) {
        if (!tgs_name_take(word))
            return tgs_source_fail(r->s, r->err, "'%.80s' is not a name", word);
        for (int32_t k = 0; k < r->kinds; k++)
            if (!strcmp(r->kind[k], word))
                return tgs_source_fail(r->s, r->err, "two kinds are named '%.80s'", word);
        if (tgs_builder_kind(r->b, word))
            return built(r);
        r->kind[r->kinds] = tgs_mem_text(word);
        if (!r->kind[r->kinds++])
            return tgs_i_read_no_memory(r->s, r->err);
    }
    return r->kinds ? TGS_OK : missing(r, "kinds NAME...");
}

/* "14,-,9": one time per kind */
static tgs_status read_times(reading *r, int32_t task, char *text)
{
    char *rest = text, *word;
    int32_t k = 0;
    double seconds;

    for (; (word = strsep(&rest, ",")); k++) {
        if (k == r->kinds)
            break;
        if (!tgs_i_read_amount(word, &seconds))
            return tgs_source_fail(r->s, r->err, "time %.80s is not a finite number >= 0", word);
        if (!isnan(seconds) && tgs_builder_task_time(r->b, task, r->kind[k], seconds))
            return built(r);
    }
    if (word || k < r->kinds)
        return tgs_source_fail(r->s, r->err,
                               "time= needs a value for each of the %" PRId32 " kinds", r->kinds);
    return TGS_OK;
}

enum { CODELET, WORK, TIME, FLOPS, BYTES, PHASE, ATTRS, CONSTRAINTS };
static const char *const task_key[] = {"codelet", "work",     "time",      "flops",  "bytes",
                                       "phase",   "attrs", /* constraints: */
                                       "kinds",   "group",    "processor", "memory", "priority",
                                       "release", "deadline", "trust",     "job",    NULL};
#define TASK_KEYS (sizeof task_key / sizeof *task_key - 1)

static tgs_status read_task(reading *r, char **cursor)
{
    char *value[TASK_KEYS] = {NULL}, *word = tgs_i_read_word(cursor);
    const char *name;
    double work = NAN, flops = NAN, bytes = NAN;
    int32_t task, phase = TGS_PHASE_OTHER;
    tgs_status status;

    if (!word)
        return missing(r, "task NAME [KEY=VALUE]...");
    status = new_name(r, word, TASKS, &name);
    if (!status)
        status = tgs_i_read_fields(r->s, cursor, task_key, value, r->err);
    if (!status)
        status = tgs_i_read_field(r->s, "work", value[WORK], &work, r->err);
    if (!status)
        status = tgs_i_read_field(r->s, "flops", value[FLOPS], &flops, r->err);
    if (!status)
        status = tgs_i_read_field(r->s, "bytes", value[BYTES], &bytes, r->err);
    if (!status)
        status = choice(r, "phase", value[PHASE], phase_name, &phase);
    if (status)
        return status;
    task = tgs_builder_task(r->b, name, value[CODELET], work);
    tgs_builder_line(r->b, task, r->s->line);
    if (value[FLOPS] || value[BYTES])
        tgs_builder_task_cost(r->b, task, flops, bytes);
    if (value[PHASE])
        tgs_builder_task_phase(r->b, task, (tgs_phase)phase);
    if (value[ATTRS])
        tgs_builder_task_attrs(r->b, task, value[ATTRS]);
    for (size_t i = CONSTRAINTS; i < TASK_KEYS; i++)
        if (value[i])
            tgs_builder_task_constrain(r->b, task, task_key[i], value[i]);
    status = built(r);
    if (!status && value[TIME])
        status = read_times(r, task, value[TIME]);
    r->count[TASKS]++;
    return status;
}

/* "3,4" or "scalar" */
static tgs_status read_shape(const reading *r, int32_t datum, tgs_dtype dtype, char *text)
{
    int64_t dim[MOST_RANK];
    int32_t rank = 0;
    char *rest = strcmp(text, "scalar") ? text : NULL, *word;

    while ((word = strsep(&rest, ","))) {
        if (rank == MOST_RANK || !tgs_parse_count(word, INT64_MAX, &dim[rank]))
            return tgs_source_fail(r->s, r->err, "shape: '%.80s' is not a dimension", word);
        rank++;
    }
    tgs_builder_datum_shape(r->b, datum, dtype, rank, dim);
    return built(r);
}

enum { D_BYTES, D_DTYPE, D_SHAPE, D_CLASS, D_HOME, D_INIT, D_PERSISTENT, DATUM_KEYS };
static const char *const datum_key[] = {"bytes", "dtype", "shape",      "class",
                                        "home",  "init",  "persistent", NULL};

static tgs_status read_datum(reading *r, char **cursor)
{
    char *value[DATUM_KEYS] = {NULL}, *word = tgs_i_read_word(cursor);
    const char *name;
    double bytes = NAN;
    int32_t datum, dtype = TGS_BYTES, class_ = TGS_CLASS_OTHER;
    tgs_status status;

    if (!word)
        return missing(r, "data NAME [KEY=VALUE]...");
    status = new_name(r, word, DATA, &name);
    if (!status)
        status = tgs_i_read_fields(r->s, cursor, datum_key, value, r->err);
    if (!status)
        status = tgs_i_read_field(r->s, "bytes", value[D_BYTES], &bytes, r->err);
    if (!status)
        status = choice(r, "dtype", value[D_DTYPE], dtype_name, &dtype);
    if (!status)
        status = choice(r, "class", value[D_CLASS], class_name, &class_);
    if (!status && isnan(bytes) == !value[D_SHAPE])
        status = tgs_source_fail(r->s, r->err, "a datum has either bytes= or dtype= and shape=");
    if (!status && !value[D_DTYPE] != !value[D_SHAPE])
        status = tgs_source_fail(r->s, r->err, "dtype= and shape= go together");
    if (status)
        return status;
    datum = tgs_builder_datum(r->b, name, value[D_SHAPE] ? 0 : bytes);
    if (value[D_CLASS])
        tgs_builder_datum_class(r->b, datum, (tgs_class)class_);
    for (int32_t i = D_HOME; i < DATUM_KEYS; i++)
        if (value[i])
            tgs_builder_datum_set(r->b, datum, datum_key[i], value[i]);
    status = built(r);
    if (!status && value[D_SHAPE])
        status = read_shape(r, datum, (tgs_dtype)dtype, value[D_SHAPE]);
    r->count[DATA]++;
    return status;
}

static tgs_status read_access(reading *r, char **cursor)
{
    char *task = tgs_i_read_word(cursor), *mode = tgs_i_read_word(cursor),
         *datum = tgs_i_read_word(cursor);
    int32_t t = 0, d = 0;
    tgs_status status;
    tgs_mode m;

    if (!datum)
        return missing(r, "access TASK r|w|rw DATUM");
    m = !strcmp(mode, "r") ? TGS_R : !strcmp(mode, "w") ? TGS_W : TGS_RW;
    if (m == TGS_RW && strcmp(mode, "rw"))
        return tgs_source_fail(r->s, r->err, "the mode is r, w or rw, not '%.80s'", mode);
    status = old_name(r, task, TASKS, &t);
    if (!status)
        status = old_name(r, datum, DATA, &d);
    if (!status)
        status = tgs_i_read_end(r->s, cursor, r->err);
    r->count[ACCESSES]++;
    return !status && tgs_builder_access(r->b, t, d, m) ? built(r) : status;
}

/* the two tasks that an edge or after record begins with */
static tgs_status pair(const reading *r, char **cursor, const char *form, int32_t *from,
                       int32_t *to)
{
    char *first = tgs_i_read_word(cursor), *second = tgs_i_read_word(cursor);
    tgs_status status;

    if (!second)
        return missing(r, form);
    status = old_name(r, first, TASKS, from);
    if (!status)
        status = old_name(r, second, TASKS, to);
    if (!status && *from == *to)
        status = tgs_source_fail(r->s, r->err, "task '%.80s' would depend on itself", second);
    return status;
}

static tgs_status read_edge(reading *r, char **cursor)
{
    int32_t from = 0, to = 0;
    double bytes = NAN;
    tgs_status status = pair(r, cursor, "edge FROM TO BYTES", &from, &to);

    if (!status)
        status = tgs_i_read_field(r->s, "bytes", tgs_i_read_word(cursor), &bytes, r->err);
    if (!status && isnan(bytes))
        status = missing(r, "edge FROM TO BYTES");
    if (!status)
        status = tgs_i_read_end(r->s, cursor, r->err);
    if (!status && r->count[DATA]++ >= TGS_I_READ_MOST)
        status = tgs_source_fail(r->s, r->err, "more than %d data", TGS_I_READ_MOST);
    r->count[ACCESSES] += 2;
    return !status && tgs_builder_edge(r->b, from, to, bytes) ? built(r) : status;
}

static tgs_status read_after(reading *r, char **cursor)
{
    int32_t from = 0, to = 0;
    tgs_status status = pair(r, cursor, "after FROM TO", &from, &to);

    if (!status)
        status = tgs_i_read_end(r->s, cursor, r->err);
    r->count[ORDERS]++;
    return !status && tgs_builder_after(r->b, from, to) ? built(r) : status;
}

static const struct {
    const char *name;
    tgs_status (*read)(reading *r, char **cursor);
} record[] = {{"edge", read_edge},    {"task", read_task},   {"access", read_access},
              {"data", read_datum},   {"after", read_after}, {"kinds", read_kinds},
              {"counts", read_counts}};

static tgs_status read_record(reading *r)
{
    char *cursor = r->s->text, *word = tgs_i_read_word(&cursor);

    if (!word)
        return TGS_OK;
    for (size_t i = 0; i < sizeof record / sizeof *record; i++)
        if (!strcmp(record[i].name, word))
            return record[i].read(r, &cursor);
    return tgs_source_fail(r->s, r->err, "there is no record '%.80s'", word);
}

/* a counts record says what a complete file holds, so that a cut one is noticed */
static tgs_status complete(const reading *r)
{
    bool claimed = false;

    for (int32_t i = 0; i < COUNTS; i++) {
        claimed |= r->claim[i] >= 0;
        if (r->claim[i] >= 0 && r->claim[i] != r->count[i])
            return tgs_source_fail(
                r->s, r->err, "the file ends with %" PRId64 " %s, its counts record says %" PRId64,
                r->count[i], count_name[i], r->claim[i]);
    }
    return claimed && r->s->cut
               ? tgs_source_fail(r->s, r->err, "the file ends in the middle of a line")
               : TGS_OK;
}

static tgs_status read_tg(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err, .claim = {-1, -1, -1, -1}};
    tgs_status status = TGS_OK;
    int more = tgs_source_next(s, err);

    (void)a;
    if (more == 0 || (more > 0 && strcmp(s->text, FIRST_LINE))) {
        s->line = 1;
        status = tgs_source_fail(s, err, "the first line is not " FIRST_LINE);
    }
    while (!status && more > 0 && (more = tgs_source_next(s, err)) > 0)
        status = read_record(&r);
    if (!status)
        status = more < 0 ? (tgs_status)more : complete(&r);
    for (int32_t k = 0; k < r.kinds; k++)
        tgs_mem_free(r.kind[k]);
    return status;
}

static int sniff(const char *head, size_t size)
{
    const size_t n = strlen(FIRST_LINE);

    return size >= n && !memcmp(head, FIRST_LINE, n) ? 2 : 0;
}

const tgs_reader tgs_reader_tg = {
    .base = {TGS_PLUGIN_ABI, "tg", "tgsched's own graph format, which holds everything", NULL,
             NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".tg",
    .sniff = sniff,
    .read = read_tg,
};
