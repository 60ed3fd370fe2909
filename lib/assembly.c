/* assembly.c -- a platform being put together: every number and name is checked here, once,
 * whatever the source. */
#include <stdarg.h>
#include <string.h>
#include "hash.h"
#include "platform.h"

typedef struct kind_row {
    tgs_kind kind;
    int32_t name, arch; /* offsets into the arena: texts move while it grows */
} kind_row;
typedef struct memory_row {
    tgs_memory memory;
    int32_t name, trust;
} memory_row;
typedef struct proc_row {
    tgs_proc proc;
    int32_t name;
} proc_row;
typedef struct bus_row {
    tgs_bus bus;
    int32_t name;
} bus_row;
typedef struct link_row {
    tgs_link link;
    int64_t line; /* of the source, for the error when it is found to be the second of its pair */
} link_row;

struct tgs_i_assembly {
    const tgs_source *source;
    tgs_i_arena arena;
    tgs_i_names names[TGS_I_PARTS];
    int32_t count[TGS_I_PARTS], links;
    int64_t room[TGS_I_PARTS], link_room;
    kind_row *kind;
    memory_row *memory;
    proc_row *proc;
    bus_row *bus;
    link_row *link;
};

static const struct {
    const char *noun, *plural;
    int32_t max;
} part_info[TGS_I_PARTS] = {
    {"kind", "kinds", TGS_I_KINDS_MAX},
    {"memory", "memories", TGS_I_MEMORIES_MAX},
    {"processor", "processors", TGS_I_PROCS_MAX},
    {"bus", "buses", TGS_I_MEMORIES_MAX},
};

__attribute__((format(__printf__, 3, 4))) static tgs_status
refuse(const tgs_i_assembly *a, tgs_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (a->source)
        return tgs_source_fail(a->source, err, "%s", text);
    return tgs_fail(err, TGS_EINVAL, "%s", text);
}

tgs_status tgs_i_assembly_new(tgs_i_assembly **out, const tgs_source *source, tgs_error *err)
{
    *out = tgs_mem_alloc(1, sizeof **out);
    if (!*out)
        return tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    (*out)->source = source;
    return TGS_OK;
}

void tgs_i_assembly_free(tgs_i_assembly *a)
{
    if (!a)
        return;
    for (int i = 0; i < TGS_I_PARTS; i++)
        tgs_i_names_free(&a->names[i]);
    tgs_i_arena_free(&a->arena);
    tgs_mem_free(a->kind);
    tgs_mem_free(a->memory);
    tgs_mem_free(a->proc);
    tgs_mem_free(a->bus);
    tgs_mem_free(a->link);
    tgs_mem_free(a);
}

int32_t tgs_i_assembly_find(const tgs_i_assembly *a, tgs_i_part part, const char *name)
{
    return tgs_i_names_get(&a->names[part], &a->arena, name);
}

/* ---- checks ---- */

/* A quantity that is divided by or divides: its inverse and products with sizes stay finite. */
static bool positive(double x)
{
    return x >= 1e-30 && x <= 1e30;
}

static bool positive_or_unknown(double x)
{
    return isnan(x) || positive(x);
}

static bool natural(double x)
{
    return x >= 0 && x <= 1e30;
}

static bool natural_or_unknown(double x)
{
    return isnan(x) || natural(x);
}

static tgs_status bad_number(const tgs_i_assembly *a, const char *name, const char *what, bool zero,
                             tgs_error *err)
{
    return refuse(a, err, "%s: %s must be %s", name, what,
                  zero ? "between 0 and 1e30" : "between 1e-30 and 1e30");
}

/* make room for one more part and remember its name; the caller fills row *index and counts it */
static tgs_status reserve(tgs_i_assembly *a, tgs_i_part part, const char *name, void *rows,
                          size_t size, int32_t *offset, tgs_error *err)
{
    if (!*name)
        return refuse(a, err, "a %s without a name", part_info[part].noun);
    if (tgs_i_assembly_find(a, part, name) >= 0)
        return refuse(a, err, "a second %s '%s'", part_info[part].noun, name);
    if (a->count[part] >= part_info[part].max)
        return refuse(a, err, "more than %d %s", (int)part_info[part].max, part_info[part].plural);
    *offset = tgs_i_arena_add(&a->arena, name);
    if (*offset < 0 || tgs_mem_grow(rows, &a->room[part], a->count[part] + 1, size)
        || tgs_i_names_put(&a->names[part], &a->arena, *offset, a->count[part]))
        return tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    return TGS_OK;
}

static tgs_status keep_text(tgs_i_assembly *a, const char *text, int32_t *offset, tgs_error *err)
{
    *offset = tgs_i_arena_add(&a->arena, text);
    return *offset < 0 ? tgs_fail(err, TGS_ENOMEM, "platform: out of memory") : TGS_OK;
}

/* the part is complete: its index is its number */
static void done(tgs_i_assembly *a, tgs_i_part part, int32_t *index)
{
    if (index)
        *index = a->count[part];
    a->count[part]++;
}

/* ---- parts ---- */

tgs_status tgs_i_assembly_kind(tgs_i_assembly *a, const tgs_kind *k, int32_t *index, tgs_error *err)
{
    int32_t name, arch;
    tgs_status status;

    if (!positive_or_unknown(k->flops))
        return bad_number(a, k->name, "flops", false, err);
    if (!positive_or_unknown(k->bandwidth))
        return bad_number(a, k->name, "bandwidth", false, err);
    if (!natural(k->overhead))
        return bad_number(a, k->name, "overhead", true, err);
    if (!natural(k->least))
        return bad_number(a, k->name, "least", true, err);
    if (!natural_or_unknown(k->power_idle) || !natural_or_unknown(k->power_busy))
        return bad_number(a, k->name, "power", true, err);
    if (!*k->arch)
        return refuse(a, err, "%s: an empty arch", k->name);
    status = reserve(a, TGS_I_KIND, k->name, &a->kind, sizeof *a->kind, &name, err);
    if (!status)
        status = keep_text(a, k->arch, &arch, err);
    if (status)
        return status;
    a->kind[a->count[TGS_I_KIND]] = (kind_row){*k, name, arch};
    done(a, TGS_I_KIND, index);
    return TGS_OK;
}

tgs_status tgs_i_assembly_memory(tgs_i_assembly *a, const tgs_memory *m, int32_t *index,
                                 tgs_error *err)
{
    int32_t name, trust;
    tgs_status status;

    if (m->capacity != INFINITY && !positive(m->capacity))
        return bad_number(a, m->name, "capacity", false, err);
    if (m->node < 0 || m->node >= TGS_I_NODES_MAX)
        return refuse(a, err, "%s: node must be between 0 and %d", m->name, TGS_I_NODES_MAX - 1);
    status = reserve(a, TGS_I_MEMORY, m->name, &a->memory, sizeof *a->memory, &name, err);
    if (!status)
        status = keep_text(a, m->trust, &trust, err);
    if (status)
        return status;
    a->memory[a->count[TGS_I_MEMORY]] = (memory_row){*m, name, trust};
    done(a, TGS_I_MEMORY, index);
    return TGS_OK;
}

tgs_status tgs_i_assembly_proc(tgs_i_assembly *a, const tgs_proc *p, int32_t *index, tgs_error *err)
{
    int32_t name;
    tgs_status status;

    if (!positive(p->speed))
        return bad_number(a, p->name, "speed", false, err);
    status = reserve(a, TGS_I_PROC, p->name, &a->proc, sizeof *a->proc, &name, err);
    if (status)
        return status;
    a->proc[a->count[TGS_I_PROC]] = (proc_row){*p, name};
    done(a, TGS_I_PROC, index);
    return TGS_OK;
}

tgs_status tgs_i_assembly_bus(tgs_i_assembly *a, const tgs_bus *b, int32_t *index, tgs_error *err)
{
    int32_t name;
    tgs_status status;

    if (!positive(b->bandwidth))
        return bad_number(a, b->name, "bandwidth", false, err);
    status = reserve(a, TGS_I_BUS, b->name, &a->bus, sizeof *a->bus, &name, err);
    if (status)
        return status;
    a->bus[a->count[TGS_I_BUS]] = (bus_row){*b, name};
    done(a, TGS_I_BUS, index);
    return TGS_OK;
}

tgs_status tgs_i_assembly_link(tgs_i_assembly *a, const tgs_link *l, tgs_error *err)
{
    if (l->from == l->to)
        return refuse(a, err, "a link from a memory to itself");
    if (!natural(l->latency))
        return bad_number(a, "link", "latency", true, err);
    if (!positive(l->bandwidth))
        return bad_number(a, "link", "bandwidth", false, err);
    if (!natural_or_unknown(l->energy))
        return bad_number(a, "link", "energy", true, err);
    /* else one transfer alone would be slower than latency + bytes / bandwidth */
    if (l->bus >= 0 && a->bus[l->bus].bus.bandwidth < l->bandwidth)
        return refuse(a, err, "the link's bandwidth %g is more than that of its bus, %g",
                      l->bandwidth, a->bus[l->bus].bus.bandwidth);
    if (a->links >= TGS_I_MEMORIES_MAX * (TGS_I_MEMORIES_MAX - 1))
        return refuse(a, err, "more links than pairs of memories");
    if (tgs_mem_grow(&a->link, &a->link_room, a->links + 1, sizeof *a->link))
        return tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    a->link[a->links++] = (link_row){*l, a->source ? a->source->line : 0};
    return TGS_OK;
}

/* ---- finish ---- */

static tgs_status check_links(const tgs_i_assembly *a, tgs_error *err)
{
    const int32_t m = a->count[TGS_I_MEMORY];
    uint8_t *seen = tgs_mem_alloc((size_t)m * (size_t)m, 1);
    tgs_status status = TGS_OK;

    if (!seen)
        return tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    for (int32_t i = 0; i < a->links && !status; i++) {
        const tgs_link *l = &a->link[i].link;

        if (seen[(int64_t)l->from * m + l->to]++) {
            tgs_source at = {.path = "platform", .line = a->link[i].line};

            if (a->source)
                at.path = a->source->path;
            status = tgs_source_fail(&at, err, "a second link from '%s' to '%s'",
                                     a->arena.text + a->memory[l->from].name,
                                     a->arena.text + a->memory[l->to].name);
        }
    }
    tgs_mem_free(seen);
    return status;
}

/* the arrays of p's view, with the texts now where they stay */
static tgs_status fill(tgs_platform *p, const tgs_i_assembly *a)
{
    const char *text = p->names;
    const int32_t *n = a->count;
    tgs_kind *kind = tgs_mem_alloc((size_t)n[TGS_I_KIND], sizeof *kind);
    tgs_memory *memory = tgs_mem_alloc((size_t)n[TGS_I_MEMORY], sizeof *memory);
    tgs_proc *proc = tgs_mem_alloc((size_t)n[TGS_I_PROC], sizeof *proc);
    tgs_bus *bus = tgs_mem_alloc((size_t)n[TGS_I_BUS], sizeof *bus);
    tgs_link *link = tgs_mem_alloc((size_t)a->links, sizeof *link);

    p->v = (tgs_platform_view){.kinds = n[TGS_I_KIND],
                               .memories = n[TGS_I_MEMORY],
                               .procs = n[TGS_I_PROC],
                               .buses = n[TGS_I_BUS],
                               .links = a->links,
                               .kind = kind,
                               .memory = memory,
                               .proc = proc,
                               .bus = bus,
                               .link = link};
    if (!kind || !memory || !proc || !bus || !link)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < p->v.kinds; i++) {
        kind[i] = a->kind[i].kind;
        kind[i].name = text + a->kind[i].name;
        kind[i].arch = text + a->kind[i].arch;
    }
    for (int32_t i = 0; i < p->v.memories; i++) {
        memory[i] = a->memory[i].memory;
        memory[i].name = text + a->memory[i].name;
        memory[i].trust = text + a->memory[i].trust;
        if (memory[i].node >= p->v.nodes)
            p->v.nodes = memory[i].node + 1;
    }
    for (int32_t i = 0; i < p->v.procs; i++) {
        proc[i] = a->proc[i].proc;
        proc[i].name = text + a->proc[i].name;
    }
    for (int32_t i = 0; i < p->v.buses; i++) {
        bus[i] = a->bus[i].bus;
        bus[i].name = text + a->bus[i].name;
    }
    for (int32_t i = 0; i < p->v.links; i++)
        link[i] = a->link[i].link;
    return TGS_OK;
}

tgs_status tgs_i_assembly_finish(tgs_platform **out, tgs_i_assembly *a, tgs_error *err)
{
    tgs_platform *p = NULL;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!a->count[TGS_I_PROC])
        status = refuse(a, err, "a platform without a processor");
    if (!status)
        status = check_links(a, err);
    if (status)
        goto done;
    p = tgs_mem_alloc(1, sizeof *p);
    if (p) {
        p->names = a->arena.text; /* handed over */
        memset(&a->arena, 0, sizeof a->arena);
    }
    if (!p || fill(p, a)) {
        status = tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
        goto done;
    }
    status = tgs_i_route(&p->v, err);
    if (status)
        goto done;
    p->fingerprint = tgs_i_platform_hash(&p->v);
    *out = p;
    p = NULL;
done:
    tgs_platform_free(p);
    tgs_i_assembly_free(a);
    return status;
}
