/* platform_file.c -- the file format .tgp, version 1: one record a line, '#' starts a comment.
 *
 *   tgsched.platform/1
 *   kind NAME [arch= flops= bandwidth= overhead= least= power_idle= power_busy=]
 *   memory NAME [capacity= node= trust=]
 *   processor NAME kind= memory= [speed=]
 *   bus NAME bandwidth=
 *   link FROM TO latency= bandwidth= [bus= energy=]
 *
 * What a record names must have been declared above it.  What is not given is unknown (flops,
 * bandwidth, power, energy), unlimited (capacity), 0 (overhead, least, node), 1 (speed) or "cpu"
 * (arch).
 */
#include <errno.h>
#include <string.h>
#include "foreign.h"
#include "record.h"
#include "words.h"

#define MAGIC "tgsched.platform/1"

typedef struct reader {
    tgs_source *s;
    tgs_i_assembly *a;
    tgs_error *err;
} reader;

static tgs_status index_of(const reader *r, tgs_i_part part, const char *noun, const char *name,
                           int32_t *out)
{
    *out = tgs_i_assembly_find(r->a, part, name);
    if (*out < 0)
        return tgs_source_fail(r->s, r->err, "no %s '%.80s' above this line", noun, name);
    return TGS_OK;
}

/* ---- records ---- */

static tgs_status read_kind(const reader *r, char *cursor)
{
    tgs_kind k = {.flops = NAN, .bandwidth = NAN, .power_idle = NAN, .power_busy = NAN};
    const char *arch = "cpu";
    char *name;
    tgs_i_field f[] = {{"arch", .name = &arch},
                       {"flops", .real = &k.flops},
                       {"bandwidth", .real = &k.bandwidth},
                       {"overhead", .real = &k.overhead},
                       {"least", .real = &k.least},
                       {"power_idle", .real = &k.power_idle},
                       {"power_busy", .real = &k.power_busy},
                       {.key = NULL}};
    tgs_status status = tgs_i_field_name(r->s, &cursor, "kind", &name, r->err);

    if (!status)
        status = tgs_i_fields(r->s, cursor, "kind", f, r->err);
    k.name = name;
    k.arch = arch;
    return status ? status : tgs_i_assembly_kind(r->a, &k, NULL, r->err);
}

static tgs_status read_memory(const reader *r, char *cursor)
{
    tgs_memory m = {.capacity = INFINITY};
    double node = 0;
    const char *trust = "";
    char *name;
    tgs_i_field f[] = {{"capacity", .real = &m.capacity},
                       {"node", .real = &node},
                       {"trust", .name = &trust},
                       {.key = NULL}};
    tgs_status status = tgs_i_field_name(r->s, &cursor, "memory", &name, r->err);

    if (!status)
        status = tgs_i_fields(r->s, cursor, "memory", f, r->err);
    if (!status && !(node >= 0 && node < TGS_I_NODES_MAX && node == (int32_t)node))
        status =
            tgs_source_fail(r->s, r->err, "node must be a whole number below %d", TGS_I_NODES_MAX);
    m.name = name;
    m.trust = trust;
    if (!status)
        m.node = (int32_t)node;
    return status ? status : tgs_i_assembly_memory(r->a, &m, NULL, r->err);
}

static tgs_status read_processor(const reader *r, char *cursor)
{
    tgs_proc p = {.speed = 1};
    const char *kind = NULL, *memory = NULL;
    char *name;
    tgs_i_field f[] = {{"kind", .name = &kind, .required = true},
                       {"memory", .name = &memory, .required = true},
                       {"speed", .real = &p.speed},
                       {.key = NULL}};
    tgs_status status = tgs_i_field_name(r->s, &cursor, "processor", &name, r->err);

    if (!status)
        status = tgs_i_fields(r->s, cursor, "processor", f, r->err);
    if (!status)
        status = index_of(r, TGS_I_KIND, "kind", kind, &p.kind);
    if (!status)
        status = index_of(r, TGS_I_MEMORY, "memory", memory, &p.memory);
    p.name = name;
    return status ? status : tgs_i_assembly_proc(r->a, &p, NULL, r->err);
}

static tgs_status read_bus(const reader *r, char *cursor)
{
    tgs_bus b = {.bandwidth = NAN};
    char *name;
    tgs_i_field f[] = {{"bandwidth", .real = &b.bandwidth, .required = true}, {.key = NULL}};
    tgs_status status = tgs_i_field_name(r->s, &cursor, "bus", &name, r->err);

    if (!status)
        status = tgs_i_fields(r->s, cursor, "bus", f, r->err);
    b.name = name;
    return status ? status : tgs_i_assembly_bus(r->a, &b, NULL, r->err);
}

static tgs_status read_link(const reader *r, char *cursor)
{
    tgs_link l = {.bus = -1, .energy = NAN};
    const char *bus = NULL;
    char *from, *to;
    tgs_i_field f[] = {{"latency", .real = &l.latency, .required = true},
                       {"bandwidth", .real = &l.bandwidth, .required = true},
                       {"bus", .name = &bus},
                       {"energy", .real = &l.energy},
                       {.key = NULL}};
    tgs_status status = tgs_i_field_name(r->s, &cursor, "link", &from, r->err);

    if (!status)
        status = tgs_i_field_name(r->s, &cursor, "link", &to, r->err);
    if (!status)
        status = tgs_i_fields(r->s, cursor, "link", f, r->err);
    if (!status)
        status = index_of(r, TGS_I_MEMORY, "memory", from, &l.from);
    if (!status)
        status = index_of(r, TGS_I_MEMORY, "memory", to, &l.to);
    if (!status && bus)
        status = index_of(r, TGS_I_BUS, "bus", bus, &l.bus);
    return status ? status : tgs_i_assembly_link(r->a, &l, r->err);
}

static const struct {
    const char *name;
    tgs_status (*read)(const reader *r, char *cursor);
} records[] = {{"kind", read_kind},
               {"memory", read_memory},
               {"processor", read_processor},
               {"bus", read_bus},
               {"link", read_link}};

static tgs_status read_record(const reader *r, const char *word, char *cursor)
{
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (!strcmp(records[i].name, word))
            return records[i].read(r, cursor);
    return tgs_source_fail(r->s, r->err,
                           "unknown record '%.80s' (kind, memory, processor, bus or link)", word);
}

/* ---- the file ---- */

tgs_status tgs_i_platform_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    reader r = {s, NULL, err};
    char *word, *rest;
    int more = 0;
    tgs_status status = tgs_i_record_format(s, MAGIC, err);

    *out = NULL;
    if (!status)
        status = tgs_i_assembly_new(&r.a, s, err);
    while (!status && (more = tgs_i_record_next(s, &word, &rest, err)) > 0)
        status = read_record(&r, word, rest);
    if (!status && more < 0)
        status = (tgs_status)more;
    if (status) {
        tgs_i_assembly_free(r.a);
        return status;
    }
    return tgs_i_assembly_finish(out, r.a, err);
}

/* our own format, or that of another program; standard input is our own */
static tgs_status load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    const tgs_i_foreign *foreign;
    char head[4096];
    size_t size;

    if (s->file == stdin)
        return tgs_i_platform_load(out, s, err);
    errno = 0;
    size = fread(head, 1, sizeof head, s->file);
    if (ferror(s->file))
        return tgs_fail_system(err, errno, s->path);
    rewind(s->file);
    foreign = tgs_i_foreign_find(head, size);
    return foreign ? foreign->load(out, s, err) : tgs_i_platform_load(out, s, err);
}

tgs_status tgs_platform_read(tgs_platform **out, const char *path, tgs_error *err)
{
    tgs_source s;
    tgs_status status;

    *out = NULL;
    status = tgs_i_source_open(&s, path, err);
    if (!status)
        status = load(out, &s, err);
    tgs_i_source_close(&s);
    return status;
}

void tgs_i_platform_put(FILE *to, const tgs_platform_view *v)
{
    fputs(MAGIC "\n", to);
    for (int32_t i = 0; i < v->kinds; i++) {
        tgs_i_put_named(to, "kind ", v->kind[i].name);
        tgs_i_put_named(to, " arch=", v->kind[i].arch);
        tgs_i_put_real(to, "flops", v->kind[i].flops, NAN);
        tgs_i_put_real(to, "bandwidth", v->kind[i].bandwidth, NAN);
        tgs_i_put_real(to, "overhead", v->kind[i].overhead, 0);
        tgs_i_put_real(to, "least", v->kind[i].least, 0);
        tgs_i_put_real(to, "power_idle", v->kind[i].power_idle, NAN);
        tgs_i_put_real(to, "power_busy", v->kind[i].power_busy, NAN);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->memories; i++) {
        tgs_i_put_named(to, "memory ", v->memory[i].name);
        tgs_i_put_real(to, "capacity", v->memory[i].capacity, INFINITY);
        tgs_i_put_real(to, "node", v->memory[i].node, 0);
        if (*v->memory[i].trust)
            tgs_i_put_named(to, " trust=", v->memory[i].trust);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->procs; i++) {
        tgs_i_put_named(to, "processor ", v->proc[i].name);
        tgs_i_put_named(to, " kind=", v->kind[v->proc[i].kind].name);
        tgs_i_put_named(to, " memory=", v->memory[v->proc[i].memory].name);
        tgs_i_put_real(to, "speed", v->proc[i].speed, 1);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->buses; i++) {
        tgs_i_put_named(to, "bus ", v->bus[i].name);
        tgs_i_put_real(to, "bandwidth", v->bus[i].bandwidth, NAN);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->links; i++) {
        const tgs_link *l = &v->link[i];

        tgs_i_put_named(to, "link ", v->memory[l->from].name);
        tgs_i_put_named(to, " ", v->memory[l->to].name);
        tgs_i_put_real(to, "latency", l->latency, NAN);
        tgs_i_put_real(to, "bandwidth", l->bandwidth, NAN);
        if (l->bus >= 0)
            tgs_i_put_named(to, " bus=", v->bus[l->bus].name);
        tgs_i_put_real(to, "energy", l->energy, NAN);
        putc('\n', to);
    }
}

tgs_status tgs_platform_write(const tgs_platform *p, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status = tgs_i_output_open(&o, path, err);

    if (status)
        return status;
    tgs_i_platform_put(o.file, &p->v);
    return tgs_i_output_close(&o, TGS_OK, err);
}
