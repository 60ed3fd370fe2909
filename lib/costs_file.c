/* costs_file.c -- the file format .tgc, version 1: one measurement a line, '#' starts a comment.
 *
 *   tgsched.costs/1
 *   sample codelet= kind= median= [attrs= dtype= flops= bytes= min= spread= count=]
 *   link from= to= latency= bandwidth= [spread= count=]
 *
 * Times are seconds, bandwidths byte/s.  What is not given: attrs "", dtype f32, flops and bytes
 * unknown, min the median, spread 0, count 1. */
#include <string.h>
#include "costs.h"
#include "record.h"
#include "words.h"

#define MAGIC "tgsched.costs/1"

static bool count_of(double x, int32_t *out)
{
    *out = x >= 1 && x <= INT32_MAX ? (int32_t)x : 0;
    return *out == x;
}

static bool dtype_of(const char *name, tgs_dtype *out)
{
    for (int i = TGS_BYTES; i <= TGS_BOOL; i++)
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
    double count = 1;
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
                       {.key = NULL}};
    tgs_status status = tgs_i_fields(s, cursor, "sample", f, err);

    if (status)
        return status;
    if (isnan(x.min))
        x.min = x.median;
    if (!count_of(count, &x.count))
        return tgs_source_fail(s, err, "count must be a whole number, at least 1");
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
    double count = 1;
    tgs_i_field f[] = {{"from", .name = &x.from, .required = true},
                       {"to", .name = &x.to, .required = true},
                       {"latency", .real = &x.latency, .required = true},
                       {"bandwidth", .real = &x.bandwidth, .required = true},
                       {"spread", .real = &x.spread},
                       {"count", .real = &count},
                       {.key = NULL}};
    tgs_status status = tgs_i_fields(s, cursor, "link", f, err);

    if (status)
        return status;
    if (!count_of(count, &x.count))
        return tgs_source_fail(s, err, "count must be a whole number, at least 1");
    fault = tgs_i_link_sample_fault(&x);
    if (fault)
        return tgs_source_fail(s, err, "%s", fault);
    return tgs_costs_add_link(c, &x) ? tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path)
                                     : TGS_OK;
}

static tgs_status read_record(tgs_costs *c, const tgs_source *s, const char *word, char *cursor,
                              tgs_error *err)
{
    if (!strcmp(word, "sample"))
        return read_sample(c, s, cursor, err);
    if (!strcmp(word, "link"))
        return read_link(c, s, cursor, err);
    return tgs_source_fail(s, err, "unknown record '%.80s' (sample or link)", word);
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
    if (!status && !c->v.samples && !c->v.links)
        status = tgs_source_fail(s, err, "not a single measurement");
    if (status) {
        tgs_costs_free(c);
        return status;
    }
    *out = c;
    return TGS_OK;
}

static void put(FILE *to, const tgs_costs_view *v)
{
    fputs(MAGIC "\n", to);
    for (int32_t i = 0; i < v->links; i++) {
        tgs_i_put_named(to, "link from=", v->link[i].from);
        tgs_i_put_named(to, " to=", v->link[i].to);
        tgs_i_put_real(to, "latency", v->link[i].latency, NAN);
        tgs_i_put_real(to, "bandwidth", v->link[i].bandwidth, NAN);
        tgs_i_put_real(to, "spread", v->link[i].spread, NAN);
        fprintf(to, " count=%d\n", (int)v->link[i].count);
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
        fprintf(to, " min=%.17g median=%.17g spread=%.17g count=%d\n", s->min, s->median, s->spread,
                (int)s->count);
    }
}

tgs_status tgs_costs_write(const tgs_costs *c, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status;

    if (!c->v.samples && !c->v.links)
        return tgs_fail(err, TGS_EINVAL, "only measured costs can be written, and there are none");
    status = tgs_i_output_open(&o, path, err);
    if (status)
        return status;
    put(o.file, &c->v);
    return tgs_i_output_close(&o, TGS_OK, err);
}
