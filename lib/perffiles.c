/* perffiles.c -- reading StarPU's files: performance models, device counts, bus matrices.
 *
 * A model is a sequence of numbers between '#' comments: the version and the number of
 * combinations; of each combination its devices (type, id, cores), the number of implementations,
 * and of each of these the number of entries, three lines of regressions, and the entries
 * "hash size flops mean(us) deviation(us) sum sum2 n".  Times that are no number are passed over,
 * as StarPU does: they were never measured. */
#include <math.h>
#include <string.h>
#include "perffiles.h"

#define MOST_COMBINATIONS 4096
#define MOST_ENTRIES      1000000
#define MICROSECOND       1e-6

/* ---- lines -------------------------------------------------------------------------------------
 */
/* the next line with something before a '#', which is cut off */
static tgs_status next_line(tgs_source *s, char **cursor, tgs_error *err)
{
    int got;

    while ((got = tgs_source_next(s, err)) > 0) {
        s->text[strcspn(s->text, "#")] = 0;
        *cursor = s->text + strspn(s->text, " \t");
        if (**cursor)
            return TGS_OK;
    }
    return got < 0 ? (tgs_status)got : tgs_source_fail(s, err, "the file ends too early");
}

static tgs_status next_count(tgs_source *s, int64_t most, int64_t *out, tgs_error *err)
{
    char *cursor = NULL, *word;
    tgs_status status = next_line(s, &cursor, err);

    if (status)
        return status;
    word = tgs_word(&cursor);
    if (!tgs_parse_count(word, most, out))
        return tgs_source_fail(s, err, "'%.40s' is no whole number up to %lld", word,
                               (long long)most);
    return TGS_OK;
}

/* "nan", "inf" and what is damaged: NaN */
static double number(const char *word)
{
    double x;

    return word && tgs_parse_real(word, &x) ? x : NAN;
}

/* ---- performance models ------------------------------------------------------------------------
 */
typedef struct reader {
    tgs_source *s;
    tgs_status (*add)(void *user, const tgs_i_starpu_entry *e);
    void *user;
    tgs_error *err;
} reader;

static tgs_status read_entry(const reader *r, int32_t type, bool single)
{
    tgs_i_starpu_entry e = {.type = type};
    char *cursor = NULL;
    double field[8]; /* hash, size, flops, mean, deviation, sum, sum2, n */
    tgs_status status = next_line(r->s, &cursor, r->err);

    for (int i = 0; i < 8 && !status; i++) {
        const char *word = tgs_word(&cursor);

        if (!word)
            return tgs_source_fail(r->s, r->err, "an entry has 8 fields, not %d", i);
        field[i] = number(word);
    }
    if (status)
        return status;
    e.bytes = field[1];
    e.flops = field[2] > 0 ? field[2] : 0;
    e.mean = field[3] * MICROSECOND;
    e.deviation = field[4] >= 0 ? field[4] * MICROSECOND : 0;
    e.count = field[7];
    if (!single || !(e.mean > 0) || !(e.bytes >= 0) || !(e.count >= 1))
        return TGS_OK;
    status = r->add(r->user, &e);
    if (status)
        return tgs_fail(r->err, status, "%s: %s", r->s->path, tgs_status_text(status));
    return TGS_OK;
}

static tgs_status read_implementation(const reader *r, int32_t type, bool single)
{
    char *cursor;
    int64_t entries;
    tgs_status status = next_count(r->s, MOST_ENTRIES, &entries, r->err);

    for (int i = 0; i < 3 && !status; i++) /* regressions: we interpolate by ourselves */
        status = next_line(r->s, &cursor, r->err);
    for (int64_t i = 0; i < entries && !status; i++)
        status = read_entry(r, type, single);
    return status;
}

static tgs_status read_combination(const reader *r)
{
    int64_t devices, type = 0, id, cores = 0, implementations;
    tgs_status status = next_count(r->s, 1000, &devices, r->err);

    for (int64_t i = 0; i < devices && !status; i++) {
        status = next_count(r->s, 1000, &type, r->err);
        if (!status)
            status = next_count(r->s, INT32_MAX, &id, r->err);
        if (!status)
            status = next_count(r->s, INT32_MAX, &cores, r->err);
    }
    if (!status)
        status = next_count(r->s, 1000, &implementations, r->err);
    for (int64_t i = 0; !status && i < implementations; i++)
        status = read_implementation(r, (int32_t)type,
                                     devices == 1 && cores == 1 && type <= TGS_I_STARPU_OPENCL);
    return status;
}

tgs_status tgs_i_starpu_model(const char *path,
                              tgs_status (*add)(void *user, const tgs_i_starpu_entry *e),
                              void *user, tgs_error *err)
{
    tgs_source s;
    const reader r = {&s, add, user, err};
    int64_t version, combinations = 0;
    tgs_status status = tgs_i_source_open(&s, path, err);

    if (!status)
        status = next_count(&s, 1000, &version, err);
    if (!status && (version < 44 || version > 46))
        status = tgs_source_fail(&s, err, "a performance model of version %d, not 44 to 46",
                                 (int)version);
    if (!status)
        status = next_count(&s, MOST_COMBINATIONS, &combinations, err);
    for (int64_t i = 0; i < combinations && !status; i++)
        status = read_combination(&r);
    tgs_i_source_close(&s);
    return status;
}

/* ---- the machine -------------------------------------------------------------------------------
 */
char *tgs_i_starpu_bus_path(const char *text, const char *suffix)
{
    const char *path = text + strlen(TGS_I_STARPU_SCHEME), *host = strrchr(path, '/');
    const size_t size = strlen(path) + strlen(suffix) + sizeof "/bus/.";
    char *out = tgs_mem_alloc(size, 1);

    if (out)
        snprintf(out, size, "%.*s/bus/%s.%s", (int)(host ? host - path : 1), host ? path : ".",
                 host ? host + 1 : path, suffix);
    return out;
}

/* "12 # Number of CPUs": which number it is stands in the comment; other kinds of device that later
 * versions count are not ours */
tgs_status tgs_i_starpu_config(const char *text, int32_t devices[3], tgs_error *err)
{
    static const char *const what[] = {"CPUs", "CUDA", "OpenCL", "NUMA"};
    char *path = tgs_i_starpu_bus_path(text, "config");
    tgs_source s = {0};
    tgs_status status;
    int32_t counts[4] = {0, 0, 0, 1};
    int got = 0;

    devices[0] = devices[1] = devices[2] = 0;
    if (!path)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = tgs_i_source_open(&s, path, err);
    while (!status && (got = tgs_source_next(&s, err)) > 0) {
        char *comment = strchr(s.text, '#'), *cursor = s.text, *word;
        int64_t count;

        if (!comment)
            continue;
        *comment++ = 0;
        word = tgs_word(&cursor);
        for (int i = 0; word && i < 4 && !status; i++) {
            if (!strstr(comment, what[i]))
                continue;
            if (!tgs_parse_count(word, 1000, &count))
                status = tgs_source_fail(&s, err, "'%.40s' is no number of devices", word);
            else
                counts[i] = (int32_t)count;
        }
    }
    if (!status && got < 0)
        status = (tgs_status)got;
    if (!status && counts[0] < 1)
        status = tgs_source_fail(&s, err, "no line says how many CPUs there are");
    if (!status && counts[3] > 1)
        status = tgs_source_fail(&s, err, "%d memories of the CPUs (NUMA): there is one here",
                                 (int)counts[3]);
    if (!status)
        memcpy(devices, counts, 3 * sizeof *devices);
    tgs_i_source_close(&s);
    tgs_mem_free(path);
    return status;
}

tgs_status tgs_i_starpu_matrix(const char *text, const char *suffix, int32_t count, double *matrix,
                               tgs_error *err)
{
    char *path = tgs_i_starpu_bus_path(text, suffix);
    tgs_source s = {0};
    tgs_status status;

    if (!path)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = tgs_i_source_open(&s, path, err);
    for (int32_t i = 0; i < count && !status; i++) {
        char *cursor;

        status = next_line(&s, &cursor, err);
        for (int32_t j = 0; j < count && !status; j++) {
            const char *word = tgs_word(&cursor);

            if (!word)
                status = tgs_source_fail(&s, err, "%d columns, where the machine has %d memories",
                                         (int)j, (int)count);
            else
                matrix[(int64_t)i * count + j] = number(word);
        }
    }
    tgs_i_source_close(&s);
    tgs_mem_free(path);
    return status;
}
