/* rates.c -- the machine of HEFT's matrices: a CSV file of processors x processors, the rates of
 * the links between them in bytes per second.
 *
 *   P,P_0,P_1
 *   P_0,0,1
 *   P_1,1,0
 *   Startup,0,0         optional: seconds before each transfer from a processor
 *
 * Each processor is a kind of its own, so that a task's times are given by its name, and has a
 * memory of its own.  A rate of 0 is no link. */
#include <string.h>
#include "foreign.h"

typedef struct reading {
    tgs_source *s;
    tgs_error *err;
    tgs_i_assembly *a;
    int32_t n;
    double *rate;    /* [n * n] */
    double *startup; /* [n] */
} reading;

/* the next cell, cut in place, without blanks around it; NULL at the end */
static char *next_cell(char **cursor)
{
    char *cell = *cursor ? strsep(cursor, ",") : NULL;
    size_t n;

    if (!cell)
        return NULL;
    cell += strspn(cell, " \t");
    n = strlen(cell);
    while (n && strchr(" \t", cell[n - 1]))
        cell[--n] = 0;
    return cell;
}

static tgs_status read_heading(reading *r)
{
    char *cursor = r->s->text, *name;
    tgs_status status = TGS_OK;

    next_cell(&cursor);
    while (!status && (name = next_cell(&cursor))) {
        const tgs_kind kind = {.name = name,
                               .arch = "cpu",
                               .flops = NAN,
                               .bandwidth = NAN,
                               .power_idle = NAN,
                               .power_busy = NAN};
        char text[200];
        const tgs_memory memory = {.name = text, .trust = "", .capacity = INFINITY};
        const tgs_proc proc = {.name = name, .kind = r->n, .memory = r->n, .speed = 1};

        snprintf(text, sizeof text, "%.180s.mem", name);
        status = tgs_i_assembly_kind(r->a, &kind, NULL, r->err);
        if (!status)
            status = tgs_i_assembly_memory(r->a, &memory, NULL, r->err);
        if (!status)
            status = tgs_i_assembly_proc(r->a, &proc, NULL, r->err);
        r->n++;
    }
    if (!status && !r->n)
        status = tgs_source_fail(r->s, r->err, "there are no processors");
    return status;
}

static tgs_status read_row(const reading *r, char *cursor, double *out)
{
    const char *cell;

    for (int32_t i = 0; i < r->n; i++) {
        cell = next_cell(&cursor);
        if (!cell)
            return tgs_source_fail(r->s, r->err, "%d cells, and there are %d processors", i, r->n);
        if (!tgs_parse_real(cell, &out[i]) || out[i] < 0)
            return tgs_source_fail(r->s, r->err, "'%.40s' is not a finite number >= 0", cell);
    }
    cell = next_cell(&cursor);
    return cell && *cell ? tgs_source_fail(r->s, r->err, "the row has too many cells") : TGS_OK;
}

static tgs_status read_rows(reading *r)
{
    int32_t row = 0;
    bool startup = false;
    int more = 1;
    tgs_status status = TGS_OK;

    while (!status && (more = tgs_source_next(r->s, r->err)) > 0) {
        char *cursor = r->s->text, *name = next_cell(&cursor);

        if (!*name && !cursor)
            continue;
        if (row == r->n && !startup && !strcmp(name, "Startup")) {
            startup = true;
            status = read_row(r, cursor, r->startup);
        } else if (row == r->n)
            status = tgs_source_fail(r->s, r->err, "more rows than the %d processors", r->n);
        else if (tgs_i_assembly_find(r->a, TGS_I_PROC, name) != row)
            status =
                tgs_source_fail(r->s, r->err, "row '%.40s' is not that of processor %d", name, row);
        else
            status = read_row(r, cursor, &r->rate[(size_t)row++ * (size_t)r->n]);
    }
    if (!status && more < 0)
        status = (tgs_status)more;
    if (!status && row < r->n)
        status = tgs_source_fail(r->s, r->err, "%d rows, and there are %d processors", row, r->n);
    return status;
}

static tgs_status add_links(const reading *r)
{
    tgs_link link = {.bus = -1, .energy = NAN};
    tgs_status status = TGS_OK;

    for (link.from = 0; link.from < r->n; link.from++)
        for (link.to = 0; link.to < r->n && !status; link.to++) {
            link.latency = r->startup[link.from];
            link.bandwidth = r->rate[(size_t)link.from * (size_t)r->n + (size_t)link.to];
            if (link.from != link.to && link.bandwidth > 0)
                status = tgs_i_assembly_link(r->a, &link, r->err);
        }
    return status;
}

tgs_status tgs_i_rates_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    reading r = {.s = s, .err = err};
    int more = 0;
    tgs_status status = tgs_i_assembly_new(&r.a, s, err);

    *out = NULL;
    if (!status && (more = tgs_source_next(s, err)) < 0)
        status = (tgs_status)more;
    s->line += !s->line;
    if (!status)
        status = more ? read_heading(&r) : tgs_source_fail(s, err, "the file is empty");
    r.rate = tgs_mem_alloc((size_t)r.n * (size_t)r.n, sizeof *r.rate);
    r.startup = tgs_mem_alloc((size_t)r.n, sizeof *r.startup);
    if (!status && (!r.rate || !r.startup))
        status = tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    if (!status)
        status = read_rows(&r);
    if (!status)
        status = add_links(&r);
    tgs_mem_free(r.rate);
    tgs_mem_free(r.startup);
    if (!status)
        return tgs_i_assembly_finish(out, r.a, err);
    tgs_i_assembly_free(r.a);
    return status;
}
