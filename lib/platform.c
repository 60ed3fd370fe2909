/* platform.c -- what may be asked of a finished platform. */
#include <string.h>
#include <unistd.h>
#include "perffiles.h"
#include "platform.h"

void tgs_platform_free(tgs_platform *p)
{
    if (!p)
        return;
    tgs_mem_free((void *)p->v.kind);
    tgs_mem_free((void *)p->v.memory);
    tgs_mem_free((void *)p->v.proc);
    tgs_mem_free((void *)p->v.bus);
    tgs_mem_free((void *)p->v.link);
    tgs_mem_free((void *)p->v.lat);
    tgs_mem_free((void *)p->v.inv);
    tgs_mem_free((void *)p->v.relay_lat);
    tgs_mem_free((void *)p->v.relay_inv);
    tgs_mem_free((void *)p->v.route_at);
    tgs_mem_free((void *)p->v.route);
    tgs_mem_free(p->names);
    tgs_costs_free(p->costs);
    tgs_mem_free(p);
}

int32_t tgs_platform_processors(const tgs_platform *p)
{
    return p->v.procs;
}

const char *tgs_platform_processor_name(const tgs_platform *p, int32_t processor)
{
    return processor >= 0 && processor < p->v.procs ? p->v.proc[processor].name : "";
}

uint64_t tgs_platform_fingerprint(const tgs_platform *p)
{
    return p->fingerprint;
}

uint64_t tgs_i_platform_hash(const tgs_platform_view *v)
{
    const int32_t count[] = {v->kinds, v->memories, v->procs, v->buses, v->links};
    uint64_t h = TGS_I_HASH_START;

    for (int i = 0; i < 5; i++)
        h = tgs_i_hash_real(h, count[i]);
    for (int32_t i = 0; i < v->kinds; i++) {
        const tgs_kind *k = &v->kind[i];

        h = tgs_i_hash_text(tgs_i_hash_text(h, k->name), k->arch);
        h = tgs_i_hash_real(tgs_i_hash_real(tgs_i_hash_real(h, k->flops), k->bandwidth),
                            k->overhead);
        h = tgs_i_hash_real(tgs_i_hash_real(h, k->power_idle), k->power_busy);
        if (k->least > 0)
            h = tgs_i_hash_real(h, k->least);
    }
    for (int32_t i = 0; i < v->memories; i++) {
        h = tgs_i_hash_text(tgs_i_hash_text(h, v->memory[i].name), v->memory[i].trust);
        h = tgs_i_hash_real(tgs_i_hash_real(h, v->memory[i].capacity), v->memory[i].node);
    }
    for (int32_t i = 0; i < v->procs; i++) {
        h = tgs_i_hash_real(tgs_i_hash_text(h, v->proc[i].name), v->proc[i].kind);
        h = tgs_i_hash_real(tgs_i_hash_real(h, v->proc[i].memory), v->proc[i].speed);
    }
    for (int32_t i = 0; i < v->buses; i++)
        h = tgs_i_hash_real(tgs_i_hash_text(h, v->bus[i].name), v->bus[i].bandwidth);
    for (int32_t i = 0; i < v->links; i++) {
        const tgs_link *l = &v->link[i];

        h = tgs_i_hash_real(tgs_i_hash_real(tgs_i_hash_real(h, l->from), l->to), l->bus);
        h = tgs_i_hash_real(tgs_i_hash_real(tgs_i_hash_real(h, l->latency), l->bandwidth),
                            l->energy);
    }
    return h;
}

tgs_status tgs_platform_open(tgs_platform **out, const char *text, tgs_error *err)
{
    if (!strcmp(text, "host"))
        return tgs_platform_host(out, err);
    *out = NULL;
    if (!strncmp(text, TGS_I_STARPU_SCHEME, strlen(TGS_I_STARPU_SCHEME)))
        return tgs_i_starpu_platform(out, text, err);
    if (!strcmp(text, "-") || !access(text, F_OK))
        return tgs_platform_read(out, text, err);
    if (!strchr(text, ':'))
        return tgs_fail(err, TGS_ENOTFOUND,
                        "%s: neither a file, nor 'host', nor a platform like 'cpu:4 gpu:2@8'",
                        text);
    return tgs_platform_parse(out, text, err);
}

/* replace the numbers of the links that were measured; a bus was seen to carry what its links do */
static tgs_status remeasure(const tgs_i_assembly *a, const tgs_platform_view *v, tgs_link *link,
                            tgs_bus *bus, const tgs_link_sample *sample, int32_t samples)
{
    const size_t m = (size_t)v->memories;
    int32_t *at = tgs_mem_alloc(m * m, sizeof *at); /* link + 1 of a pair, 0 none */

    if (!at)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < v->links; i++)
        at[(size_t)link[i].from * m + (size_t)link[i].to] = i + 1;
    for (int32_t i = 0; i < samples; i++) {
        const int32_t from = tgs_i_assembly_find(a, TGS_I_MEMORY, sample[i].from);
        const int32_t to = tgs_i_assembly_find(a, TGS_I_MEMORY, sample[i].to);
        tgs_link *l;

        if (from < 0 || to < 0 || !at[(size_t)from * m + (size_t)to])
            continue; /* of another machine, or of a pair that is not linked here */
        l = &link[at[(size_t)from * m + (size_t)to] - 1];
        l->latency = sample[i].latency;
        l->bandwidth = sample[i].bandwidth;
        if (l->bus >= 0 && bus[l->bus].bandwidth < l->bandwidth)
            bus[l->bus].bandwidth = l->bandwidth;
    }
    tgs_mem_free(at);
    return TGS_OK;
}

/* a platform like p with other numbers of its memories and links */
static tgs_status rebuild(tgs_platform **out, const tgs_platform *p, const tgs_memory *memory,
                          const tgs_link_sample *sample, int32_t samples, tgs_error *err)
{
    const tgs_platform_view *v = &p->v;
    tgs_bus *bus = tgs_mem_alloc((size_t)v->buses, sizeof *bus);
    tgs_link *link = tgs_mem_alloc((size_t)v->links, sizeof *link);
    tgs_i_assembly *a = NULL;
    tgs_status status;

    *out = NULL;
    status = bus && link ? tgs_i_assembly_new(&a, NULL, err)
                         : tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    if (status)
        goto done;
    memcpy(bus, v->bus, (size_t)v->buses * sizeof *bus);
    memcpy(link, v->link, (size_t)v->links * sizeof *link);
    for (int32_t i = 0; i < v->kinds && !status; i++)
        status = tgs_i_assembly_kind(a, &v->kind[i], NULL, err);
    for (int32_t i = 0; i < v->memories && !status; i++)
        status = tgs_i_assembly_memory(a, &memory[i], NULL, err);
    for (int32_t i = 0; i < v->procs && !status; i++)
        status = tgs_i_assembly_proc(a, &v->proc[i], NULL, err);
    if (!status && remeasure(a, v, link, bus, sample, samples))
        status = tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    for (int32_t i = 0; i < v->buses && !status; i++)
        status = tgs_i_assembly_bus(a, &bus[i], NULL, err);
    for (int32_t i = 0; i < v->links && !status; i++)
        status = tgs_i_assembly_link(a, &link[i], err);
    if (!status) {
        status = tgs_i_assembly_finish(out, a, err);
        a = NULL;
    }
done:
    tgs_i_assembly_free(a);
    tgs_mem_free(bus);
    tgs_mem_free(link);
    return status;
}

tgs_status tgs_i_platform_relink(tgs_platform **out, const tgs_platform *p,
                                 const tgs_link_sample *sample, int32_t samples, tgs_error *err)
{
    return rebuild(out, p, p->v.memory, sample, samples, err);
}

/* a memory by its name or by that of a processor it belongs to, or -1 */
static int32_t find_memory(const tgs_platform_view *v, const char *name)
{
    for (int32_t m = 0; m < v->memories; m++)
        if (!strcmp(v->memory[m].name, name))
            return m;
    for (int32_t i = 0; i < v->procs; i++)
        if (!strcmp(v->proc[i].name, name))
            return v->proc[i].memory;
    return -1;
}

tgs_status tgs_platform_limit(tgs_platform **out, const tgs_platform *p, const char *memory,
                              double bytes, tgs_error *err)
{
    const tgs_platform_view *v = &p->v;
    const int32_t m = find_memory(v, memory);
    tgs_memory *copy;
    tgs_status status;

    *out = NULL;
    if (m < 0)
        return tgs_fail(err, TGS_ENOTFOUND, "the platform has no memory or processor '%s'", memory);
    if (!(bytes > 0) || !isfinite(bytes))
        return tgs_fail(err, TGS_EINVAL, "memory '%s' cannot be limited to %g bytes", memory,
                        bytes);
    copy = tgs_mem_alloc((size_t)v->memories, sizeof *copy);
    if (!copy)
        return tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    memcpy(copy, v->memory, (size_t)v->memories * sizeof *copy);
    if (bytes < copy[m].capacity)
        copy[m].capacity = bytes;
    status = rebuild(out, p, copy, NULL, 0, err);
    tgs_mem_free(copy);
    if (!status && p->costs)
        status = tgs_costs_merge(&(*out)->costs, (const tgs_costs *const *)&p->costs, 1, err);
    if (status) {
        tgs_platform_free(*out);
        *out = NULL;
    }
    return status;
}
