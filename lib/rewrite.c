/* rewrite.c -- transforms that replace a whole model before it is lowered, or a whole graph. */
#include "builder.h"
#include "modelimpl.h"
#include "numerals.h"

static tgs_status rewrite_model(tgs_model **out, const tgs_model_view *m, const tgs_i_directive *d,
                                tgs_error *err)
{
    tgs_model_builder *b = NULL;
    tgs_error local = {TGS_OK, ""};
    tgs_status status = tgs_model_builder_new(&b, m->name, err);

    *out = NULL;
    if (!status) {
        status = d->transform->rewrite(m, d->args, b, err);
        if (status)
            tgs_model_builder_free(b);
    }
    if (status)
        return status;
    status = tgs_model_finish(out, b, &local);
    return status ? tgs_fail(err, status, "%s: %s", d->transform->base.name, local.text) : TGS_OK;
}

tgs_status tgs_i_model_rewrite(tgs_model **out, const tgs_model_view *m, const tgs_strategy *s,
                               tgs_error *err)
{
    tgs_model *now = NULL, *next;
    tgs_status status = TGS_OK;

    *out = NULL;
    for (int64_t i = 0; s && i < s->directives && !status; i++) {
        if (!s->directive[i].transform->rewrite)
            continue;
        status = rewrite_model(&next, now ? &now->v : m, &s->directive[i], err);
        tgs_model_free(now);
        now = next;
    }
    if (!status)
        *out = now;
    return status;
}

static tgs_status rewrite_graph(tgs_graph **g, const tgs_i_directive *d, tgs_error *err)
{
    tgs_builder *b = NULL;
    tgs_graph *next = NULL;
    tgs_status status = tgs_builder_new(&b, err);

    if (!status && *tgs_graph_note(*g))
        tgs_builder_note(b, "%s", tgs_graph_note(*g));
    if (!status) {
        status = d->transform->graph(&(*g)->v, d->args, b, err);
        if (status)
            tgs_builder_free(b);
        else
            status = tgs_builder_finish(&next, b, err);
    }
    if (status)
        return status;
    tgs_graph_free(*g);
    *g = next;
    return TGS_OK;
}

tgs_status tgs_i_graph_rewrite(tgs_graph **g, const tgs_strategy *s, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int64_t i = 0; s && i < s->directives && !status; i++)
        if (s->directive[i].transform->graph)
            status = rewrite_graph(g, &s->directive[i], err);
    if (status) {
        tgs_graph_free(*g);
        *g = NULL;
    }
    return status;
}

tgs_status tgs_graph_transform(tgs_graph **g, const tgs_strategy *s, tgs_error *err)
{
    const locale_t before = tgs_i_numerals_enter();
    tgs_status status = TGS_OK;

    for (int64_t i = 0; s && i < s->directives && !status; i++) {
        const tgs_transform *t = s->directive[i].transform;

        if (!t->graph || t->apply || t->rewrite)
            status = tgs_fail(err, TGS_EINVAL, "'%s' transforms models, and this is a graph",
                              t->base.name);
    }
    for (int64_t i = 0; s && i < s->directives && !status; i++)
        status = rewrite_graph(g, &s->directive[i], err);
    tgs_i_numerals_leave(before);
    return status;
}
