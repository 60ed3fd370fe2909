/* platform_file.c -- the file format .tgp, version 1: one record a line, '#' starts a comment.
 *
 *   tgsched.platform/1
 *   kind NAME [arch= flops= bandwidth= overhead= power_idle= power_busy=]
 *   memory NAME [capacity= node= trust=]
 *   processor NAME kind= memory= [speed=]
 *   bus NAME bandwidth=
 *   link FROM TO latency= bandwidth= [bus= energy=]
 *
 * What a record names must have been declared above it.  What is not given is unknown (flops,
 * bandwidth, power, energy), unlimited (capacity), 0 (overhead, node), 1 (speed) or "cpu" (arch). */
#include <string.h>
#include "platform.h"

#define MAGIC "tgsched.platform/1"

typedef struct reader {
    tgs_source *s;
    tgs_i_assembly *a;
    tgs_error *err;
} reader;

/* ---- fields ---- */

typedef struct field { /* of a record: where the value goes */
    const char *key;
    double *real;      /* a number, or */
    const char **text; /* a name */
    bool required, given;
} field;

static tgs_status take(const reader *r, field *f, char *value)
{
    if (f->given)
        return tgs_source_fail(r->s, r->err, "%s is given twice", f->key);
    f->given = true;
    if (f->real && !tgs_parse_real(value, f->real))
        return tgs_source_fail(r->s, r->err, "%s=%.80s is not a finite number", f->key, value);
    if (f->text && !tgs_name_take(value))
        return tgs_source_fail(r->s, r->err, "%s=%.80s is not a name", f->key, value);
    if (f->text)
        *f->text = value;
    return TGS_OK;
}

/* the rest of a line into fields, which end with a NULL key */
static tgs_status fields(const reader *r, char *cursor, const char *record, field *f)
{
    char *key, *value;
    tgs_status status;

    while (!(status = tgs_source_field(r->s, &cursor, &key, &value, r->err)) && key) {
        int i = 0;

        while (f[i].key && strcmp(f[i].key, key))
            i++;
        if (!f[i].key)
            return tgs_source_fail(r->s, r->err, "%s has no key '%.80s'", record, key);
        status = take(r, &f[i], value);
        if (status)
            return status;
    }
    for (; !status && f->key; f++)
        if (f->required && !f->given)
            status = tgs_source_fail(r->s, r->err, "%s needs %s=", record, f->key);
    return status;
}

static tgs_status name_of(const reader *r, char **cursor, const char *record, char **name)
{
    *name = tgs_word(cursor);
    if (!*name || !tgs_name_take(*name))
        return tgs_source_fail(r->s, r->err, "%s needs a name", record);
    return TGS_OK;
}

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
    field f[] = {{"arch", .text = &arch},
                 {"flops", .real = &k.flops},
                 {"bandwidth", .real = &k.bandwidth},
                 {"overhead", .real = &k.overhead},
                 {"power_idle", .real = &k.power_idle},
                 {"power_busy", .real = &k.power_busy},
                 {.key = NULL}};
    tgs_status status = name_of(r, &cursor, "kind", &name);

    if (!status)
        status = fields(r, cursor, "kind", f);
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
    field f[] = {{"capacity", .real = &m.capacity},
                 {"node", .real = &node},
                 {"trust", .text = &trust},
                 {.key = NULL}};
    tgs_status status = name_of(r, &cursor, "memory", &name);

    if (!status)
        status = fields(r, cursor, "memory", f);
    if (!status && !(node >= 0 && node < TGS_I_NODES_MAX && node == (int32_t)node))
        status = tgs_source_fail(r->s, r->err, "node must be a whole number below %d",
                                 TGS_I_NODES_MAX);
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
    field f[] = {{"kind", .text = &kind, .required = true},
                 {"memory", .text = &memory, .required = true},
                 {"speed", .real = &p.speed},
                 {.key = NULL}};
    tgs_status status = name_of(r, &cursor, "processor", &name);

    if (!status)
        status = fields(r, cursor, "processor", f);
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
    field f[] = {{"bandwidth", .real = &b.bandwidth, .required = true}, {.key = NULL}};
    tgs_status status = name_of(r, &cursor, "bus", &name);

    if (!status)
        status = fields(r, cursor, "bus", f);
    b.name = name;
    return status ? status : tgs_i_assembly_bus(r->a, &b, NULL, r->err);
}

static tgs_status read_link(const reader *r, char *cursor)
{
    tgs_link l = {.bus = -1, .energy = NAN};
    const char *bus = NULL;
    char *from, *to;
    field f[] = {{"latency", .real = &l.latency, .required = true},
                 {"bandwidth", .real = &l.bandwidth, .required = true},
                 {"bus", .text = &bus},
                 {"energy", .real = &l.energy},
                 {.key = NULL}};
    tgs_status status = name_of(r, &cursor, "link", &from);

    if (!status)
        status = name_of(r, &cursor, "link", &to);
    if (!status)
        status = fields(r, cursor, "link", f);
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

static tgs_status read_record(const reader *r)
{
    char *cursor = r->s->text, *word = tgs_word(&cursor);

    if (!word || *word == '#')
        return TGS_OK;
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
    int more = tgs_source_next(s, err);
    tgs_status status = more < 0 ? (tgs_status)more : TGS_OK;

    *out = NULL;
    if (!status && (!more || strcmp(s->text, MAGIC)))
        status = tgs_source_fail(s, err, "the first line is not %s", MAGIC);
    if (!status)
        status = tgs_i_assembly_new(&r.a, s, err);
    while (!status && (more = tgs_source_next(s, err)) > 0)
        status = read_record(&r);
    if (!status && more < 0)
        status = (tgs_status)more;
    if (status) {
        tgs_i_assembly_free(r.a);
        return status;
    }
    return tgs_i_assembly_finish(out, r.a, err);
}

tgs_status tgs_platform_read(tgs_platform **out, const char *path, tgs_error *err)
{
    tgs_source s;
    tgs_status status;

    *out = NULL;
    status = tgs_i_source_open(&s, path, err);
    if (!status)
        status = tgs_i_platform_load(out, &s, err);
    tgs_i_source_close(&s);
    return status;
}

static void put_real(FILE *to, const char *key, double x, double absent)
{
    if (!isnan(x) && x != absent)
        fprintf(to, " %s=%.17g", key, x);
}

static void put_named(FILE *to, const char *before, const char *name)
{
    fputs(before, to);
    tgs_name_put(to, name);
}

static void put(FILE *to, const tgs_platform_view *v)
{
    fputs(MAGIC "\n", to);
    for (int32_t i = 0; i < v->kinds; i++) {
        put_named(to, "kind ", v->kind[i].name);
        put_named(to, " arch=", v->kind[i].arch);
        put_real(to, "flops", v->kind[i].flops, NAN);
        put_real(to, "bandwidth", v->kind[i].bandwidth, NAN);
        put_real(to, "overhead", v->kind[i].overhead, 0);
        put_real(to, "power_idle", v->kind[i].power_idle, NAN);
        put_real(to, "power_busy", v->kind[i].power_busy, NAN);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->memories; i++) {
        put_named(to, "memory ", v->memory[i].name);
        put_real(to, "capacity", v->memory[i].capacity, INFINITY);
        put_real(to, "node", v->memory[i].node, 0);
        if (*v->memory[i].trust)
            put_named(to, " trust=", v->memory[i].trust);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->procs; i++) {
        put_named(to, "processor ", v->proc[i].name);
        put_named(to, " kind=", v->kind[v->proc[i].kind].name);
        put_named(to, " memory=", v->memory[v->proc[i].memory].name);
        put_real(to, "speed", v->proc[i].speed, 1);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->buses; i++) {
        put_named(to, "bus ", v->bus[i].name);
        put_real(to, "bandwidth", v->bus[i].bandwidth, NAN);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->links; i++) {
        const tgs_link *l = &v->link[i];

        put_named(to, "link ", v->memory[l->from].name);
        put_named(to, " ", v->memory[l->to].name);
        put_real(to, "latency", l->latency, NAN);
        put_real(to, "bandwidth", l->bandwidth, NAN);
        if (l->bus >= 0)
            put_named(to, " bus=", v->bus[l->bus].name);
        put_real(to, "energy", l->energy, NAN);
        putc('\n', to);
    }
}

tgs_status tgs_platform_write(const tgs_platform *p, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status = tgs_i_output_open(&o, path, err);

    if (status)
        return status;
    put(o.file, &p->v);
    return tgs_i_output_close(&o, TGS_OK, err);
}
