/* costs_file.c -- the file format .tgc, version 1: one measurement a line, '#' starts a comment.
 *
 *   tgsched.costs/1
 *   sample codelet= kind= median= [attrs= dtype= flops= bytes= min= spread= count= rejected=]
 *   link from= to= latency= bandwidth= [spread= misfit= count= rejected=]
 *   overhead kind= task= [access= handover= start= count=]
 *   remark text=
 *
 * Times are seconds, bandwidths byte/s.  What is not given: attrs "", dtype f32, flops and bytes
 * unknown, min the median, count 1, everything else 0. */
#include <string.h>
#include "costs.h"
#include "record.h"
#include "words.h"

#define MAGIC "tgsched.costs/1"

static tgs_status counts_of(const tgs_source *s, double count, double rejected, int32_t *counted,
                            int32_t *left_out, tgs_error *err)
{
    if (!(count >= 1 && count <= INT32_MAX) || count != floor(count))
        return tgs_source_fail(s, err, "count must be a whole number, at least 1");
    if (!(rejected >= 0 && rejected <= INT32_MAX) || rejected != floor(rejected))
        return tgs_source_fail(s, err, "rejected must be a whole number, at least 0");
    *counted = (int32_t)count;
    *left_out = (int32_t)rejected;
    return TGS_OK;
}

static bool dtype_of(const char *name, tgs_dtype *out)
{
    for (int i = TGS_BYTES; i <= TGS_TEXT; i++)
        if (!strcmp(tgs_dtype_name((tgs_dtype)i), name)) {
            *out = (tgs_dtype)i;
            return true;
        }
    return false;
}

static tgs_status read_sample(tgs_costs *c, const tgs_source *s, char *cursor, tgs_error *err)
{
    tgs_sample x = {.attrs = "", .flops = NAN, .bytes = NAN, .min = NAN};
    const char *dtype = "f32", *fault;
    double count = 1, rejected = 0;
    tgs_i_field f[] = {{"codelet", .name = &x.codelet, .required = true},
                       {"attrs", .text = &x.attrs},
                       {"dtype", .name = &dtype},
                       {"kind", .name = &x.kind, .required = true},
                       {"flops", .real = &x.flops},
                       {"bytes", .real = &x.bytes},
                       {"min", .real = &x.min},
                       {"median", .real = &x.median, .required = true},
                       {"spread", .real = &x.spread},
                       {"count", .real = &count},
                       {"rejected", .real = &rejected},
                       {.key = NULL}};
    tgs_status status = tgs_i_fields(s, cursor, "sample", f, err);

    if (!status)
        status = counts_of(s, count, rejected, &x.count, &x.rejected, err);
    if (status)
        return status;
    if (isnan(x.min))
        x.min = x.median;
    if (!dtype_of(dtype, &x.dtype))
        return tgs_source_fail(s, err, "no dtype '%.80s'", dtype);
    fault = tgs_i_sample_fault(&x);
    if (fault)
        return tgs_source_fail(s, err, "%s", fault);
    return tgs_costs_add(c, &x) ? tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path) : TGS_OK;
}

static tgs_status read_link(tgs_costs *c, const tgs_source *s, char *cursor, tgs_error *err)
{
    tgs_link_sample x = {0};
    const char *fault;
    double count = 1, rejected = 0;
    tgs_i_field f[] = {{"from", .name = &x.from, .required = true},
                       {"to", .name = &x.to, .required = true},
                       {"latency", .real = &x.latency, .required = true},
                       {"bandwidth", .real = &x.bandwidth, .required = true},
                       {"spread", .real = &x.spread},
                       {"misfit", .real = &x.misfit},
                       {"count", .real = &count},
                       {"rejected", .real = &rejected},
                       {.key = NULL}};
    tgs_status status = tgs_i_fields(s, cursor, "link", f, err);

    if (!status)
        status = counts_of(s, count, rejected, &x.count, &x.rejected, err);
    if (status)
        return status;
    fault = tgs_i_link_sample_fault(&x);
    if (fault)
        return tgs_source_fail(s, err, "%s", fault);
    return tgs_costs_add_link(c, &x) ? tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path)
                                     : TGS_OK;
}

static tgs_status read_overhead(tgs_costs *c, const tgs_source *s, char *cursor, tgs_error *err)
{
    tgs_overhead x = {.kind = NULL};
    int32_t none;
    const char *fault;
    double count = 1;
    tgs_i_field f[] = {{"kind", .name = &x.kind, .required = true},
                       {"task", .real = &x.task, .required = true},
                       {"access", .real = &x.access},
                       {"handover", .real = &x.handover},
                       {"start", .real = &x.start},
                       {"count", .real = &count},
                       {.key = NULL}};
    tgs_status status = tgs_i_fields(s, cursor, "overhead", f, err);

    if (!status)
        status = counts_of(s, count, 0, &x.count, &none, err);
    if (status)
        return status;
    fault = tgs_i_overhead_fault(&x);
    if (fault)
        return tgs_source_fail(s, err, "%s", fault);
    for (int32_t i = 0; i < c->v.overheads; i++)
        if (!strcmp(c->v.overhead[i].kind, x.kind))
            return tgs_source_fail(s, err, "a second overhead of kind '%.80s'", x.kind);
    return tgs_costs_add_overhead(c, &x) ? tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path)
                                         : TGS_OK;
}

static tgs_status read_remark(tgs_costs *c, const tgs_source *s, char *cursor, tgs_error *err)
{
    const char *text = "";
    tgs_i_field f[] = {{"text", .text = &text, .required = true}, {.key = NULL}};
    const tgs_status status = tgs_i_fields(s, cursor, "remark", f, err);

    if (status)
        return status;
    return tgs_costs_add_remark(c, text) ? tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path)
                                         : TGS_OK;
}

static tgs_status read_record(tgs_costs *c, const tgs_source *s, const char *word, char *cursor,
                              tgs_error *err)
{
    if (!strcmp(word, "sample"))
        return read_sample(c, s, cursor, err);
    if (!strcmp(word, "link"))
        return read_link(c, s, cursor, err);
    if (!strcmp(word, "overhead"))
        return read_overhead(c, s, cursor, err);
    if (!strcmp(word, "remark"))
        return read_remark(c, s, cursor, err);
    return tgs_source_fail(s, err, "unknown record '%.80s' (sample, link, overhead or remark)",
                           word);
}

tgs_status tgs_i_costs_load(tgs_costs **out, tgs_source *s, tgs_error *err)
{
    tgs_costs *c = NULL;
    char *word, *rest;
    int more = 0;
    tgs_status status = tgs_i_record_format(s, MAGIC, err);

    *out = NULL;
    if (!status)
        status = tgs_i_costs_new(&c, err);
    while (!status && (more = tgs_i_record_next(s, &word, &rest, err)) > 0)
        status = read_record(c, s, word, rest, err);
    if (!status && more < 0)
        status = (tgs_status)more;
    if (!status && tgs_i_costs_empty(c))
        status = tgs_source_fail(s, err, "not a single measurement");
    if (status) {
        tgs_costs_free(c);
        return status;
    }
    *out = c;
    return TGS_OK;
}

static void put_counts(FILE *to, int32_t count, int32_t rejected)
{
    fprintf(to, " count=%d", (int)count);
    if (rejected)
        fprintf(to, " rejected=%d", (int)rejected);
    fputs("\n", to);
}

static void put(FILE *to, const tgs_costs_view *v, const char *remark)
{
    fputs(MAGIC "\n", to);
    if (remark) {
        fputs("remark text=", to);
        tgs_quote_put(to, remark);
        fputs("\n", to);
    }
    for (int32_t i = 0; i < v->links; i++) {
        tgs_i_put_named(to, "link from=", v->link[i].from);
        tgs_i_put_named(to, " to=", v->link[i].to);
        tgs_i_put_real(to, "latency", v->link[i].latency, NAN);
        tgs_i_put_real(to, "bandwidth", v->link[i].bandwidth, NAN);
        tgs_i_put_real(to, "spread", v->link[i].spread, NAN);
        tgs_i_put_real(to, "misfit", v->link[i].misfit, 0);
        put_counts(to, v->link[i].count, v->link[i].rejected);
    }
    for (int32_t i = 0; i < v->overheads; i++) {
        tgs_i_put_named(to, "overhead kind=", v->overhead[i].kind);
        tgs_i_put_real(to, "task", v->overhead[i].task, NAN);
        tgs_i_put_real(to, "access", v->overhead[i].access, 0);
        tgs_i_put_real(to, "handover", v->overhead[i].handover, 0);
        tgs_i_put_real(to, "start", v->overhead[i].start, 0);
        put_counts(to, v->overhead[i].count, 0);
    }
    for (int32_t i = 0; i < v->samples; i++) {
        const tgs_sample *s = &v->sample[i];

        tgs_i_put_named(to, "sample codelet=", s->codelet);
        fputs(" attrs=", to);
        tgs_quote_put(to, s->attrs);
        fprintf(to, " dtype=%s", tgs_dtype_name(s->dtype));
        tgs_i_put_named(to, " kind=", s->kind);
        tgs_i_put_real(to, "flops", s->flops, NAN);
        tgs_i_put_real(to, "bytes", s->bytes, NAN);
        fprintf(to, " min=%.17g median=%.17g spread=%.17g", s->min, s->median, s->spread);
        put_counts(to, s->count, s->rejected);
    }
}

tgs_status tgs_costs_write(const tgs_costs *c, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status;

    if (tgs_i_costs_empty(c))
        return tgs_fail(err, TGS_EINVAL, "only measured costs can be written, and there are none");
    status = tgs_i_output_open(&o, path, err);
    if (status)
        return status;
    put(o.file, &c->v, c->remark);
    return tgs_i_output_close(&o, TGS_OK, err);
}
