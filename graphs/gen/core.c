/* core.c -- random task times and edge sizes, as the generators share them. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

tgs_status tgs_i_gen_status(const tgs_i_gen *g)
{
    const char *text;
    const tgs_status status = tgs_builder_status(g->b, &text);

    return status ? tgs_fail(g->err, status, "%s", text) : TGS_OK;
}

tgs_status tgs_i_gen_open_kinds(tgs_i_gen *g, const tgs_args *a, tgs_rng *rng, tgs_builder *b,
                                tgs_error *err)
{
    const char *text = tgs_arg_text(a, "kinds");
    int32_t most = *text ? 1 : 0;
    char *rest, *kind;

    *g = (tgs_i_gen){.b = b, .rng = rng, .err = err};
    g->heterogeneity = tgs_arg_real(a, "heterogeneity");
    for (const char *s = text; *s; s++)
        most += *s == '+';
    g->names = tgs_mem_text(text);
    g->kind = tgs_mem_alloc((size_t)most, sizeof *g->kind);
    if (!g->names || !g->kind)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (rest = *text ? g->names : NULL; (kind = strsep(&rest, "+"));) {
        for (int32_t k = 0; k < g->kinds; k++)
            if (!strcmp(g->kind[k], kind))
                return tgs_fail(err, TGS_EINVAL, "kinds=%s names '%s' twice", text, kind);
        if (tgs_builder_kind(b, kind))
            return tgs_i_gen_status(g);
        g->kind[g->kinds++] = kind;
    }
    return TGS_OK;
}

tgs_status tgs_i_gen_open(tgs_i_gen *g, const tgs_args *a, tgs_rng *rng, tgs_builder *b,
                          tgs_error *err)
{
    const tgs_status status = tgs_i_gen_open_kinds(g, a, rng, b, err);

    g->work = tgs_arg_real(a, "work");
    g->spread = tgs_arg_real(a, "spread");
    g->bytes = tgs_arg_given(a, "bytes")
                   ? tgs_arg_real(a, "bytes")
                   : tgs_arg_real(a, "ccr") * g->work * tgs_arg_real(a, "bandwidth");
    return status;
}

tgs_status tgs_i_gen_limit(const tgs_i_gen *g, const char *name, double tasks, double edges)
{
    if (tasks <= TGS_I_GEN_MOST && edges <= TGS_I_GEN_MOST)
        return TGS_OK;
    return tgs_fail(g->err, TGS_EINVAL, "%s: more than %d %s", name, TGS_I_GEN_MOST,
                    tasks > TGS_I_GEN_MOST ? "tasks" : "edges");
}

void tgs_i_gen_close(tgs_i_gen *g)
{
    tgs_mem_free(g->names);
    tgs_mem_free(g->kind);
}

/* uniform around mean */
static double around(tgs_i_gen *g, double mean, double spread)
{
    return mean * (1 + spread * (2 * tgs_rng_real(g->rng) - 1));
}

int32_t tgs_i_gen_task(tgs_i_gen *g, const char *prefix, int64_t number, double work)
{
    char name[64];
    const double time = around(g, work, g->spread);
    int32_t task;

    if (number < 0)
        snprintf(name, sizeof name, "%s", prefix);
    else
        snprintf(name, sizeof name, "%s%" PRId64, prefix, number);
    task = tgs_builder_task(g->b, name, NULL, time);
    for (int32_t k = 0; k < g->kinds; k++)
        tgs_builder_task_time(g->b, task, g->kind[k], around(g, time, g->heterogeneity / 2));
    return task;
}

tgs_status tgs_i_gen_edge(tgs_i_gen *g, int32_t from, int32_t to)
{
    return tgs_builder_edge(g->b, from, to, around(g, g->bytes, g->spread));
}
