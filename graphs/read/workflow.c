/* workflow.c -- workflows: jobs that are declared to come after others, and read and write files.
 *
 * Everything is collected first, since a file may be read above the line that says who writes it.
 * Then all writes become accesses before any read, so that the builder derives what is meant.
 * O(uses + declared dependencies), and for a file of w writers O(w) a reader. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

enum { MOST_WRITERS = 1000 }; /* of one file: a reader looks through them all */

typedef struct pairs { /* (item, key) */
    int32_t *pair;
    int64_t count, room;
} pairs;

typedef enum from { FROM_NOBODY, FROM_READER, FROM_WRITER } from;

typedef struct size {
    double bytes;
    from from;
} size;

struct tgs_i_workflow {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    pairs after;  /* (before, after) */
    pairs reads;  /* (file, job) */
    pairs writes; /* (job, file) */
    size *size;   /* [files] as the jobs give it; a file is a datum of the builder */
    int64_t size_room;
    int32_t jobs, files; /* more than any */
};

tgs_status tgs_i_workflow_mode(const tgs_args *a, tgs_i_workflow_files *files, tgs_error *err)
{
    const char *text = tgs_arg_text(a, "files");

    *files = strcmp(text, "declared") ? TGS_I_FILES_ALL : TGS_I_FILES_DECLARED;
    if (*files == TGS_I_FILES_ALL && strcmp(text, "all"))
        return tgs_fail(err, TGS_EINVAL, "files=%s: there are all and declared", text);
    return TGS_OK;
}

tgs_status tgs_i_workflow_new(tgs_i_workflow **f, tgs_source *s, tgs_builder *b, tgs_error *err)
{
    *f = tgs_mem_alloc(1, sizeof **f);
    if (!*f)
        return tgs_i_read_no_memory(s, err);
    (*f)->s = s;
    (*f)->b = b;
    (*f)->err = err;
    return TGS_OK;
}

void tgs_i_workflow_free(tgs_i_workflow *f)
{
    if (!f)
        return;
    tgs_mem_free(f->after.pair);
    tgs_mem_free(f->reads.pair);
    tgs_mem_free(f->writes.pair);
    tgs_mem_free(f->size);
    tgs_mem_free(f);
}

/* ---- what the file says ------------------------------------------------------------------------
 */

static tgs_status add(tgs_i_workflow *f, pairs *p, int32_t item, int32_t key)
{
    if (tgs_mem_grow(&p->pair, &p->room, p->count + 2, sizeof *p->pair))
        return tgs_i_read_no_memory(f->s, f->err);
    p->pair[p->count++] = item;
    p->pair[p->count++] = key;
    return TGS_OK;
}

/* the datum of a file, which is made when it is first named */
static tgs_status find_file(tgs_i_workflow *f, const char *file, int32_t *datum)
{
    *datum = tgs_builder_find_datum(f->b, file);
    if (*datum >= 0)
        return TGS_OK;
    *datum = tgs_builder_datum(f->b, file, 0);
    if (*datum < 0)
        return tgs_source_built(f->s, f->b, f->err);
    if (tgs_mem_grow(&f->size, &f->size_room, *datum + 1, sizeof *f->size))
        return tgs_i_read_no_memory(f->s, f->err);
    f->size[*datum] = (size){0, FROM_NOBODY};
    f->files = *datum + 1;
    return TGS_OK;
}

tgs_status tgs_i_workflow_use(tgs_i_workflow *f, int32_t job, const char *file, tgs_mode mode,
                              double bytes)
{
    const from who = mode & TGS_W ? FROM_WRITER : FROM_READER;
    int32_t datum = 0;
    tgs_status status;

    if (!*file)
        return tgs_source_fail(f->s, f->err, "a file has no name");
    if (bytes < 0 || isinf(bytes))
        return tgs_source_fail(f->s, f->err, "file '%.80s': %g bytes", file, bytes);
    status = find_file(f, file, &datum);
    if (!status && !isnan(bytes) && who > f->size[datum].from)
        f->size[datum] = (size){bytes, who};
    if (!status && (mode & TGS_W))
        status = add(f, &f->writes, job, datum);
    if (!status && (mode & TGS_R))
        status = add(f, &f->reads, datum, job);
    if (job >= f->jobs)
        f->jobs = job + 1;
    return status;
}

tgs_status tgs_i_workflow_source(tgs_i_workflow *f, const char *file, double bytes)
{
    int32_t datum = 0;
    const tgs_status status = find_file(f, file, &datum);

    if (!status)
        f->size[datum] = (size){bytes, FROM_READER};
    return status;
}

tgs_status tgs_i_workflow_after(tgs_i_workflow *f, int32_t before, int32_t after)
{
    if (before == after)
        return tgs_source_fail(f->s, f->err, "a job would depend on itself");
    if (before >= f->jobs)
        f->jobs = before + 1;
    if (after >= f->jobs)
        f->jobs = after + 1;
    return add(f, &f->after, before, after);
}

/* ---- what the builder gets ---------------------------------------------------------------------
 */

typedef struct groups { /* CSR: the items of each key, in their order */
    int32_t *at, *item;
} groups;

static bool group(groups *g, const pairs *p, int32_t keys)
{
    g->at = tgs_mem_alloc((size_t)keys + 2, sizeof *g->at);
    g->item = tgs_mem_alloc((size_t)p->count / 2, sizeof *g->item);
    if (!g->at || !g->item)
        return false;
    for (int64_t i = 0; i < p->count; i += 2)
        g->at[p->pair[i + 1] + 2]++;
    for (int32_t k = 0; k < keys; k++)
        g->at[k + 2] += g->at[k + 1];
    for (int64_t i = 0; i < p->count; i += 2) /* at[k + 1] moves from the start of k to its end */
        g->item[g->at[p->pair[i + 1] + 1]++] = p->pair[i];
    return true;
}

typedef struct plan {
    groups before;   /* of a job: whom it is declared to come after */
    groups reads;    /* of a job: files */
    groups writers;  /* of a file: jobs */
    int32_t *datum;  /* beside writers.item: the version; -1: the job is named twice */
    int32_t *reader; /* [files] the last job that read it */
    int32_t *parent; /* [jobs] the last job that was declared to come after it */
    int32_t *served; /* [jobs] the last job that got a file of it */
    int64_t unasked; /* files that go between jobs without a declared dependency */
    tgs_i_workflow_files files;
} plan;

static bool plan_open(plan *p, const tgs_i_workflow *f)
{
    const size_t jobs = (size_t)f->jobs, files = (size_t)f->files;

    if (!group(&p->before, &f->after, f->jobs) || !group(&p->reads, &f->reads, f->jobs)
        || !group(&p->writers, &f->writes, f->files))
        return false;
    p->datum = tgs_mem_alloc((size_t)f->writes.count / 2, sizeof *p->datum);
    p->reader = tgs_mem_alloc(files, sizeof *p->reader);
    p->parent = tgs_mem_alloc(jobs, sizeof *p->parent);
    p->served = tgs_mem_alloc(jobs, sizeof *p->served);
    if (!p->datum || !p->reader || !p->parent || !p->served)
        return false;
    for (size_t i = 0; i < files; i++)
        p->reader[i] = -1;
    for (size_t i = 0; i < jobs; i++)
        p->parent[i] = p->served[i] = -1;
    return true;
}

static void plan_close(plan *p)
{
    groups *const all[] = {&p->before, &p->reads, &p->writers};

    for (int32_t i = 0; i < 3; i++) {
        tgs_mem_free(all[i]->at);
        tgs_mem_free(all[i]->item);
    }
    tgs_mem_free(p->datum);
    tgs_mem_free(p->reader);
    tgs_mem_free(p->parent);
    tgs_mem_free(p->served);
}

static tgs_status write_file(const tgs_i_workflow *f, plan *p, int32_t file)
{
    const groups *w = &p->writers;
    const double bytes = f->size[file].bytes;

    tgs_builder_datum_bytes(f->b, file, bytes);
    if (w->at[file + 1] - w->at[file] > MOST_WRITERS)
        return tgs_fail(f->err, TGS_EPARSE, "%s: more than %d jobs write one file", f->s->path,
                        MOST_WRITERS);
    if (w->at[file] == w->at[file + 1])
        tgs_builder_datum_class(f->b, file, TGS_CLASS_INPUT);
    for (int32_t k = w->at[file]; k < w->at[file + 1]; k++) {
        p->datum[k] = k == w->at[file]               ? file
                      : w->item[k] != w->item[k - 1] ? tgs_builder_datum(f->b, NULL, bytes)
                                                     : -1;
        if (p->datum[k] >= 0)
            tgs_builder_access(f->b, w->item[k], p->datum[k], TGS_W);
    }
    return tgs_source_built(f->s, f->b, f->err);
}

static void read_file(const tgs_i_workflow *f, plan *p, int32_t job, int32_t file)
{
    const groups *w = &p->writers;
    int32_t first = -1, versions = 0;

    if (w->at[file] == w->at[file + 1])
        tgs_builder_access(f->b, job, file, TGS_R);
    for (int32_t k = w->at[file]; k < w->at[file + 1]; k++) {
        const int32_t from = w->item[k];

        if (from == job || p->datum[k] < 0)
            continue;
        first = first < 0 ? p->datum[k] : first;
        if (p->parent[from] != job)
            continue;
        tgs_builder_access(f->b, job, p->datum[k], TGS_R);
        p->served[from] = job;
        versions++;
    }
    if (first < 0 || versions)
        return;
    p->unasked++;
    if (p->files != TGS_I_FILES_DECLARED)
        tgs_builder_access(f->b, job, first, TGS_R);
}

static tgs_status connect(const tgs_i_workflow *f, plan *p, int32_t job)
{
    for (int32_t i = p->before.at[job]; i < p->before.at[job + 1]; i++)
        p->parent[p->before.item[i]] = job;
    for (int32_t i = p->reads.at[job]; i < p->reads.at[job + 1]; i++) {
        const int32_t file = p->reads.item[i];

        if (p->reader[file] != job)
            read_file(f, p, job, file);
        p->reader[file] = job;
    }
    for (int32_t i = p->before.at[job]; i < p->before.at[job + 1]; i++) {
        const int32_t from = p->before.item[i];

        if (p->served[from] != job)
            tgs_builder_after(f->b, from, job);
        p->served[from] = job;
    }
    return tgs_source_built(f->s, f->b, f->err);
}

tgs_status tgs_i_workflow_finish(tgs_i_workflow *f, tgs_i_workflow_files files)
{
    plan p = {.files = files};
    tgs_status status = plan_open(&p, f) ? TGS_OK : tgs_i_read_no_memory(f->s, f->err);

    for (int32_t i = 0; i < f->files && !status; i++)
        status = write_file(f, &p, i);
    for (int32_t i = 0; i < f->jobs && !status; i++)
        status = connect(f, &p, i);
    if (p.unasked && files == TGS_I_FILES_DECLARED)
        tgs_builder_note(f->b,
                         "%" PRId64
                         " reads of files of jobs that the reader is not declared to come "
                         "after were left out",
                         p.unasked);
    if (p.unasked && files == TGS_I_FILES_ALL)
        tgs_builder_note(f->b,
                         "%" PRId64 " dependencies are not declared, but follow from files "
                         "(files=declared leaves them out)",
                         p.unasked);
    plan_close(&p);
    return status;
}
