/* graphio.c -- graphs and models from files and generators, and graphs to files. */
#include <errno.h>
#include <string.h>
#include "internal.h"
#include "builder.h"
#include "foreign.h"
#include "graphio.h"
#include "zoo.h"

enum { HEAD = 4096 }; /* bytes a reader may look at to recognise its format */

static bool has_suffix(const char *path, const char *suffixes)
{
    const size_t n = strlen(path);

    for (const char *s = suffixes; s && *s;) {
        const size_t size = strcspn(s, " ");

        if (size && n > size && !strncmp(path + n - size, s, size))
            return true;
        s += size + strspn(s + size, " ");
    }
    return false;
}

static const tgs_plugin *const *table(const char *kind)
{
    for (const tgs_i_kind *k = tgs_i_kinds; k->name; k++)
        if (!strcmp(k->name, kind))
            return k->plugin;
    return NULL;
}

const tgs_reader *tgs_i_sniff(const char *path, const char *head, size_t size)
{
    const tgs_plugin *const *t = table("reader");
    const tgs_reader *best = NULL;
    int best_score = 0;

    for (int32_t i = 0; t[i]; i++) {
        const tgs_reader *r = (const tgs_reader *)t[i];
        const int sure = r->sniff ? r->sniff(head, size) : 0;
        const int score = 2 * sure + (has_suffix(path, r->suffixes) ? 3 : 0);

        if (score > best_score) { /* ties: the first in the table */
            best = r;
            best_score = score;
        }
    }
    return best_score >= 3 ? best : NULL; /* content "at most" alone is not enough */
}

/* its first bytes, and back: what a pipe has given cannot be read again */
static tgs_status look(tgs_source *s, char head[HEAD], size_t *size, tgs_error *err)
{
    if (fseek(s->file, 0, SEEK_CUR))
        return tgs_fail(err, TGS_EINVAL, "a format is needed to read %s, a pipe", s->path);
    errno = 0;
    *size = fread(head, 1, HEAD, s->file);
    if (ferror(s->file))
        return tgs_fail_system(err, errno, s->path);
    if (*size >= 3 && !memcmp(head, "\xEF\xBB\xBF", 3)) /* as tgs_source_next skips it */
        memmove(head, head + 3, *size -= 3);
    rewind(s->file);
    return TGS_OK;
}

static tgs_status choose(const tgs_reader **out, tgs_args **args, const char *path,
                         const char *format, tgs_source *s, tgs_error *err)
{
    const tgs_plugin *p;
    char head[HEAD];
    size_t size;
    tgs_status status;

    *args = NULL;
    if (format) {
        status = tgs_i_resolve(&p, args, "reader", format, err);
        *out = (const tgs_reader *)p;
        return status;
    }
    status = look(s, head, &size, err);
    if (status)
        return status;
    *out = tgs_i_sniff(path, head, size);
    if (!*out)
        return size ? tgs_fail(err, TGS_EPARSE, "%s: unknown format", path)
                    : tgs_fail(err, TGS_EPARSE, "%s: empty file of unknown format", path);
    return tgs_i_args_new(args, &(*out)->base, NULL, err);
}

tgs_status tgs_i_reader_open(tgs_i_reading *r, const char *path, const char *format, tgs_error *err)
{
    tgs_status status;

    memset(r, 0, sizeof *r);
    r->before = tgs_i_numerals_enter();
    status = tgs_i_source_open(&r->source, path, err);
    if (!status)
        status = choose(&r->reader, &r->args, path, format, &r->source, err);
    if (status)
        tgs_i_reader_close(r);
    return status;
}

void tgs_i_reader_close(tgs_i_reading *r)
{
    tgs_i_args_free(r->args);
    tgs_i_source_close(&r->source);
    tgs_i_numerals_leave(r->before);
    memset(r, 0, sizeof *r);
}

tgs_status tgs_graph_read(tgs_graph **out, const char *path, const char *format, tgs_error *err)
{
    tgs_i_reading r;
    tgs_builder *b = NULL;
    tgs_status status;

    *out = NULL;
    status = tgs_i_reader_open(&r, path, format, err);
    if (status)
        return status;
    if (r.reader->yields != TGS_YIELD_GRAPH)
        status =
            tgs_fail(err, TGS_EINVAL, "%s: %s is a model, not a graph", path, r.reader->base.name);
    if (!status)
        status = tgs_builder_new(&b, err);
    if (!status)
        status = r.reader->read(&r.source, r.args, b, err);
    if (!status) {
        status = tgs_i_builder_finish_from(out, b, &r.source, err);
        b = NULL;
    }
    tgs_builder_free(b);
    tgs_i_reader_close(&r);
    return status;
}

tgs_status tgs_graph_generate(tgs_graph **out, const char *spec, uint64_t seed, tgs_error *err)
{
    const tgs_plugin *p;
    tgs_args *args = NULL;
    tgs_builder *b = NULL;
    tgs_rng rng;
    tgs_status status;

    *out = NULL;
    tgs_rng_seed(&rng, seed);
    status = tgs_i_resolve(&p, &args, "generator", spec, err);
    if (!status)
        status = tgs_builder_new(&b, err);
    if (!status)
        status = ((const tgs_generator *)p)->make(args, &rng, b, err);
    if (!status) {
        status = tgs_builder_finish(out, b, err);
        b = NULL;
    }
    tgs_builder_free(b);
    tgs_i_args_free(args);
    return status;
}

static tgs_status choose_writer(const tgs_writer **out, tgs_args **args, const char *path,
                                const char *format, tgs_error *err)
{
    const tgs_plugin *const *t = table("writer");
    const tgs_plugin *p = NULL;
    tgs_status status;

    *args = NULL;
    *out = NULL;
    if (format) {
        status = tgs_i_resolve(&p, args, "writer", format, err);
        *out = (const tgs_writer *)p;
        return status;
    }
    for (int32_t i = 0; t[i] && !p; i++)
        if (has_suffix(path, ((const tgs_writer *)t[i])->suffixes))
            p = t[i];
    *out = (const tgs_writer *)p;
    return p ? tgs_i_args_new(args, p, NULL, err)
             : tgs_fail(err, TGS_EINVAL, "%s: no writer for this suffix; name a format", path);
}

tgs_status tgs_graph_write(const tgs_graph *g, const char *path, const char *format, tgs_error *err)
{
    const tgs_writer *w;
    tgs_args *args;
    tgs_i_output o;
    tgs_status status = choose_writer(&w, &args, path, format, err);

    if (!status)
        status = tgs_i_output_open(&o, path, err);
    if (!status) {
        status = w->write(&g->v, args, o.file, err);
        status = tgs_i_output_close(&o, status, err);
    }
    tgs_i_args_free(args);
    return status;
}

tgs_status tgs_graph_lost(char *text, size_t size, const tgs_graph *g, const char *path,
                          const char *format, tgs_error *err)
{
    const tgs_writer *w;
    tgs_args *args;
    tgs_status status = choose_writer(&w, &args, path, format, err);

    if (size)
        *text = 0;
    if (!status)
        status = tgs_i_graph_lost(text, size, &g->v, w->holds, err);
    tgs_i_args_free(args);
    return status;
}

/* the native files that are not read by a plug-in, by their first line */
static const struct native {
    const char *line, *format, *yields;
} natives[] = {
    {"tgsched.platform/1", "tgp", "platform"}, {"tgsched.costs/1", "tgc", "costs"},
    {"tgsched.schedule/1", "tgs", "schedule"}, {"tgsched.trace/1", "tgt", "trace"},
    {"tgsched.strategy/1", "tgy", "strategy"},
};

tgs_status tgs_identify(const char *path, const char **format, const char **yields, tgs_error *err)
{
    tgs_source s;
    char head[HEAD + 1];
    const tgs_i_foreign *foreign;
    const tgs_reader *r;
    size_t size;
    tgs_status status;

    *format = *yields = NULL;
    if (tgs_i_zoo_spec(path)) {
        *format = "zoo";
        *yields = "model";
        return TGS_OK;
    }
    status = tgs_i_source_open(&s, path, err);
    if (status)
        return status;
    status = look(&s, head, &size, err);
    tgs_i_source_close(&s);
    if (status)
        return status;
    head[size] = 0;
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (!strncmp(head, natives[i].line, strlen(natives[i].line))) {
            *format = natives[i].format;
            *yields = natives[i].yields;
            return TGS_OK;
        }
    foreign = tgs_i_foreign_find(head, size);
    if (foreign) {
        *format = foreign->name;
        *yields = "platform";
        return TGS_OK;
    }
    r = tgs_i_sniff(path, head, size);
    if (!r)
        return tgs_fail(err, TGS_EPARSE, "%s: %s", path, size ? "unknown format" : "empty file");
    *format = r->base.name;
    *yields = r->yields == TGS_YIELD_GRAPH ? "graph" : "model";
    return TGS_OK;
}

tgs_status tgs_format_yields(const char *format, const char **yields, tgs_error *err)
{
    const tgs_plugin *p;
    tgs_args *args;
    const tgs_status status = tgs_i_resolve(&p, &args, "reader", format, err);

    *yields = NULL;
    if (!status)
        *yields = ((const tgs_reader *)p)->yields == TGS_YIELD_GRAPH ? "graph" : "model";
    tgs_i_args_free(args);
    return status;
}
