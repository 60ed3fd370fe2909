/* costs.c -- where task times come from: a cost model by name, or measured samples. */
#include <string.h>
#include <unistd.h>
#include "costs.h"
#include "perffiles.h"

static tgs_status new_costs(tgs_costs **out, const char *model, tgs_error *err)
{
    const tgs_plugin *p = NULL;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (strcmp(model, "auto")) /* which is no model of its own: NULL */
        status = tgs_i_find(&p, "cost_model", model, err);
    if (status)
        return status;
    *out = tgs_mem_alloc(1, sizeof **out);
    if (!*out)
        return tgs_fail(err, TGS_ENOMEM, "costs: out of memory");
    (*out)->model = (const tgs_cost_model *)p;
    return TGS_OK;
}

tgs_status tgs_i_costs_new(tgs_costs **out, tgs_error *err)
{
    return new_costs(out, "measured", err);
}

tgs_status tgs_costs_open(tgs_costs **out, const char *text, tgs_error *err)
{
    tgs_source s;
    tgs_status status;

    *out = NULL;
    if (!strcmp(text, "auto") || !strcmp(text, "table") || !strcmp(text, "roofline"))
        return new_costs(out, text, err);
    if (!strncmp(text, TGS_I_STARPU_SCHEME, strlen(TGS_I_STARPU_SCHEME)))
        return tgs_i_starpu_costs(out, text, err);
    if (strcmp(text, "-") && access(text, F_OK))
        return tgs_fail(err, TGS_ENOTFOUND,
                        "%s: neither a file of measured costs nor auto, table or roofline", text);
    status = tgs_i_source_open(&s, text, err);
    if (!status)
        status = tgs_i_costs_load(out, &s, err);
    tgs_i_source_close(&s);
    return status;
}

void tgs_costs_free(tgs_costs *c)
{
    if (!c)
        return;
    for (int32_t i = 0; i < c->v.samples; i++)
        tgs_mem_free((void *)c->v.sample[i].codelet); /* the block of all three texts */
    for (int32_t i = 0; i < c->v.links; i++)
        tgs_mem_free((void *)c->v.link[i].from);
    for (int32_t i = 0; i < c->v.overheads; i++)
        tgs_mem_free((void *)c->v.overhead[i].kind);
    tgs_mem_free((void *)c->v.sample);
    tgs_mem_free((void *)c->v.link);
    tgs_mem_free((void *)c->v.overhead);
    tgs_mem_free(c->remark);
    tgs_mem_free(c);
}

/* texts end to end in one block; each pointer is moved to its copy; NULL without memory */
static char *copy_texts(const char **text[], int count)
{
    size_t size = 0;
    char *block, *to;

    for (int i = 0; i < count; i++)
        size += strlen(*text[i]) + 1;
    block = to = tgs_mem_alloc(size, 1);
    for (int i = 0; block && i < count; i++) {
        const size_t n = strlen(*text[i]) + 1;

        memcpy(to, *text[i], n);
        *text[i] = to;
        to += n;
    }
    return block;
}

static bool natural(double x)
{
    return x >= 0 && x <= 1e30;
}

static bool natural_or_unknown(double x)
{
    return isnan(x) || natural(x);
}

static const char *count_fault(int32_t count, int32_t rejected)
{
    if (rejected < 0)
        return "rejected must be at least 0";
    return count < 1 ? "count must be at least 1" : NULL;
}

const char *tgs_i_sample_fault(const tgs_sample *s)
{
    if (!*s->codelet || !*s->kind)
        return "a sample needs a codelet and a kind";
    if (!natural_or_unknown(s->flops) || !natural_or_unknown(s->bytes))
        return "flops and bytes must be between 0 and 1e30";
    if (!natural(s->min) || !natural(s->median) || !natural(s->spread))
        return "min, median and spread must be between 0 and 1e30";
    if (s->min > s->median)
        return "min is more than median";
    return count_fault(s->count, s->rejected);
}

const char *tgs_i_link_sample_fault(const tgs_link_sample *s)
{
    if (!*s->from || !*s->to || !strcmp(s->from, s->to))
        return "a link joins two memories";
    if (!natural(s->latency) || !natural(s->spread))
        return "latency and spread must be between 0 and 1e30";
    if (!(s->bandwidth >= 1e-30 && s->bandwidth <= 1e30))
        return "bandwidth must be between 1e-30 and 1e30";
    if (!natural(s->misfit))
        return "misfit must be between 0 and 1e30";
    return count_fault(s->count, s->rejected);
}

const char *tgs_i_overhead_fault(const tgs_overhead *o)
{
    if (!*o->kind)
        return "an overhead needs a kind";
    if (!natural(o->task) || !natural(o->access) || !natural(o->handover) || !natural(o->start))
        return "task, access, handover and start must be between 0 and 1e30";
    return count_fault(o->count, 0);
}

tgs_status tgs_costs_add(tgs_costs *c, const tgs_sample *s)
{
    tgs_sample *all = (tgs_sample *)c->v.sample, copy = *s;
    const char **text[] = {&copy.codelet, &copy.attrs, &copy.kind};
    char *block;

    if (tgs_i_sample_fault(s) || c->v.samples == INT32_MAX)
        return TGS_EINVAL;
    if (tgs_mem_grow(&all, &c->sample_room, (int64_t)c->v.samples + 1, sizeof *all))
        return TGS_ENOMEM;
    c->v.sample = all;
    block = copy_texts(text, 3);
    if (!block)
        return TGS_ENOMEM;
    all[c->v.samples++] = copy;
    return TGS_OK;
}

tgs_status tgs_costs_add_link(tgs_costs *c, const tgs_link_sample *s)
{
    tgs_link_sample *all = (tgs_link_sample *)c->v.link, copy = *s;
    const char **text[] = {&copy.from, &copy.to};
    char *block;

    if (tgs_i_link_sample_fault(s) || c->v.links == INT32_MAX)
        return TGS_EINVAL;
    if (tgs_mem_grow(&all, &c->link_room, (int64_t)c->v.links + 1, sizeof *all))
        return TGS_ENOMEM;
    c->v.link = all;
    block = copy_texts(text, 2);
    if (!block)
        return TGS_ENOMEM;
    all[c->v.links++] = copy;
    return TGS_OK;
}

tgs_status tgs_costs_add_overhead(tgs_costs *c, const tgs_overhead *o)
{
    tgs_overhead *all = (tgs_overhead *)c->v.overhead, copy = *o;
    const char **text[] = {&copy.kind};
    char *block;

    if (tgs_i_overhead_fault(o) || c->v.overheads == INT32_MAX)
        return TGS_EINVAL;
    if (tgs_mem_grow(&all, &c->overhead_room, (int64_t)c->v.overheads + 1, sizeof *all))
        return TGS_ENOMEM;
    c->v.overhead = all;
    block = copy_texts(text, 1);
    if (!block)
        return TGS_ENOMEM;
    all[c->v.overheads++] = copy;
    return TGS_OK;
}

tgs_status tgs_costs_add_remark(tgs_costs *c, const char *text)
{
    const size_t old = c->remark ? strlen(c->remark) : 0, more = strlen(text) + 1;
    char *all;

    if (c->remark && strstr(c->remark, text))
        return TGS_OK;
    all = tgs_mem_resize(c->remark, old + 2 + more, 1);
    if (!all)
        return TGS_ENOMEM;
    c->remark = all;
    if (old)
        memcpy(all + old, "; ", 2);
    memcpy(all + old + (old ? 2 : 0), text, more);
    for (char *p = all + old; *p; p++) /* one line */
        if (*p == '\n')
            *p = ' ';
    return TGS_OK;
}

const char *tgs_costs_remark(const tgs_costs *c)
{
    return c->remark;
}

bool tgs_i_costs_empty(const tgs_costs *c)
{
    return !c->v.samples && !c->v.links && !c->v.overheads;
}
