/* plannerlayers.c -- a model as planners see it: its operators in order, with their times on each
 * kind of processor, their bytes, and what flows between them.
 *
 * All of it is read off the lowered training step of the batch that is asked for, priced as any
 * problem is, so that a planner and the simulation of its plan start from the same figures.  A task
 * that no operator became (a sum of gradients, the loss) belongs to the layer whose data it works
 * on; an update, to the layer that reads the parameter first. */
#include <stdlib.h>
#include <string.h>
#include "modelimpl.h"
#include "numerals.h"
#include "planner.h"

typedef struct gathering {
    const tgs_lowering *low;
    tgs_i_layers *out;
    int32_t *of_op;   /* [ops] layer, -1 none */
    int32_t *of_task; /* [tasks] layer */
    int32_t *writer;  /* [data] layer that made it in the forward pass, -1 */
    int32_t *owner;   /* [data] of a parameter: the layer that reads it first, -1 */
    int32_t *keeper;  /* [data] the first layer whose backward pass reads it, -1 */
    int32_t *graph;   /* [tasks] index in the graph, -1 dropped */
} gathering;

static bool backward_of(const tgs_low_task *t)
{
    return t->phase == TGS_PHASE_BACKWARD || t->phase == TGS_PHASE_COMMUNICATION;
}

static double bytes_of(const tgs_low_datum *d)
{
    return tgs_i_low_elements(d) * tgs_dtype_size(d->dtype);
}

static tgs_status name_layers(gathering *x)
{
    const tgs_model_view *m = x->low->m;
    tgs_i_layers *out = x->out;

    memset(x->of_op, -1, (size_t)m->ops * sizeof *x->of_op);
    for (int64_t i = 0; i < x->low->tasks; i++)
        if (x->low->task[i].op >= 0 && !x->low->task[i].dropped)
            x->of_op[x->low->task[i].op] = 0;
    for (int32_t i = 0; i < m->ops; i++)
        if (!x->of_op[m->order[i]])
            x->of_op[m->order[i]] = out->v.n++;
    out->layer = tgs_mem_alloc((size_t)out->v.n, sizeof *out->layer);
    for (int32_t i = 0; i < m->ops && out->layer; i++) {
        const int32_t k = x->of_op[m->order[i]];

        if (k < 0)
            continue;
        out->layer[k].op = m->order[i];
        out->layer[k].name = tgs_i_pool_text(out->names, m->op[m->order[i]].name);
        if (!out->layer[k].name)
            return TGS_ENOMEM;
    }
    return out->layer && out->v.n ? TGS_OK : TGS_ENOMEM;
}

/* the layer of each task: writers of data are known in the order of the tasks */
static void assign(gathering *x)
{
    const tgs_lowering *l = x->low;

    for (int64_t d = 0; d < l->data; d++)
        x->writer[d] = x->owner[d] = x->keeper[d] = -1;
    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];
        int32_t own = t->op >= 0 ? x->of_op[t->op] : -1;

        if (t->dropped)
            continue;
        for (int32_t a = t->at; a < t->at + t->accesses && t->op < 0; a++) {
            const int32_t d = l->access[a].datum;
            const int32_t k =
                l->datum[d].class_ == TGS_CLASS_PARAMETER ? x->owner[d] : x->writer[d];

            own = l->access[a].mode != TGS_W && k > own ? k : own;
        }
        x->of_task[i] = own < 0 ? 0 : own;
        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            const int32_t d = l->access[a].datum;

            if (l->datum[d].class_ == TGS_CLASS_PARAMETER) {
                if (x->owner[d] < 0)
                    x->owner[d] = x->of_task[i];
            } else if (l->access[a].mode != TGS_R)
                x->writer[d] = x->of_task[i];
        }
    }
}

/* what stays in memory, and what the backward pass wants to see again */
static void weigh(gathering *x)
{
    const tgs_lowering *l = x->low;

    for (int64_t i = 0; i < l->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++) {
            const int32_t d = l->access[a].datum, k = x->of_task[i];

            if (!l->task[i].dropped && backward_of(&l->task[i]) && l->access[a].mode != TGS_W
                && (x->keeper[d] < 0 || k < x->keeper[d]))
                x->keeper[d] = k;
            if (!l->task[i].dropped && x->owner[d] < 0 && l->datum[d].persistent)
                x->owner[d] = k;
        }
    for (int64_t d = 0; d < l->data; d++) {
        const tgs_class c = l->datum[d].class_;
        const double bytes = bytes_of(&l->datum[d]);

        if (c == TGS_CLASS_PARAMETER && x->owner[d] >= 0)
            x->out->layer[x->owner[d]].parameters += bytes;
        else if (l->datum[d].persistent && x->owner[d] >= 0)
            x->out->layer[x->owner[d]].state += bytes;
        else if ((c == TGS_CLASS_ACTIVATION || c == TGS_CLASS_INPUT || c == TGS_CLASS_OTHER)
                 && x->keeper[d] >= 0)
            x->out->layer[x->keeper[d]].saved += bytes;
    }
}

/* of each layer the parameter whose gradient is written last, as merge orders them */
static tgs_status find_last(gathering *x)
{
    const tgs_lowering *l = x->low;
    int64_t *written = tgs_mem_alloc((size_t)l->data, sizeof *written);
    int64_t *latest = tgs_mem_alloc((size_t)x->out->v.n, sizeof *latest);
    tgs_status status = written && latest ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0; i < l->tasks && !status; i++) {
        const tgs_low_task *t = &l->task[i];
        const int32_t gradient = t->accesses ? l->access[t->at + t->accesses - 1].datum : -1;

        for (int32_t a = t->at; a < t->at + t->accesses && !t->dropped; a++) {
            const int32_t d = l->access[a].datum, k = x->owner[d];

            if (t->phase != TGS_PHASE_UPDATE && l->access[a].mode != TGS_R)
                written[d] = i + 1;
            if (t->phase == TGS_PHASE_UPDATE && l->datum[d].class_ == TGS_CLASS_PARAMETER && k >= 0
                && written[gradient] && written[gradient] >= latest[k]) {
                latest[k] = written[gradient];
                x->out->layer[k].last = tgs_i_pool_text(x->out->names, l->datum[d].name);
                status = x->out->layer[k].last ? TGS_OK : TGS_ENOMEM;
            }
        }
    }
    tgs_mem_free(written);
    tgs_mem_free(latest);
    return status;
}

/* a matrix product with a parameter: its extents follow from what it reads and makes */
static void measure(gathering *x)
{
    const tgs_model_view *m = x->low->m;

    for (int32_t i = 0; i < x->out->v.n; i++) {
        tgs_layer *l = &x->out->layer[i];
        const tgs_op *o = &m->op[l->op];
        const tgs_tensor *w = o->inputs > 1 && o->input[1] >= 0 ? &m->tensor[o->input[1]] : NULL;

        if ((strcmp(o->type, "Gemm") && strcmp(o->type, "MatMul")) || !w || w->rank != 2
            || w->role != TGS_ROLE_PARAMETER || o->input[0] < 0 || m->tensor[o->input[0]].rank < 2)
            continue;
        l->columns = (double)m->tensor[o->output[0]].dim[m->tensor[o->output[0]].rank - 1];
        l->inner = tgs_elements(w) / l->columns;
        l->rows = tgs_elements(&m->tensor[o->output[0]]) / l->columns;
    }
}

static int by_ends(const void *a, const void *b)
{
    const tgs_layer_edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* each datum once for each layer that reads it in the forward pass; seen: [data * n] bits would be
 * too many, but readers of one datum come in the order of the layers */
static tgs_status connect(gathering *x)
{
    const tgs_lowering *l = x->low;
    tgs_i_layers *out = x->out;
    int32_t *last = tgs_mem_alloc((size_t)l->data, sizeof *last);
    int64_t edges = 0, room = 0;
    int32_t merged = 0;

    if (!last)
        return TGS_ENOMEM;
    memset(last, -1, (size_t)l->data * sizeof *last);
    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            const int32_t d = l->access[a].datum, from = x->writer[d], to = x->of_task[i];

            if (t->dropped || t->phase != TGS_PHASE_FORWARD || l->access[a].mode == TGS_W
                || l->datum[d].class_ != TGS_CLASS_ACTIVATION || from < 0 || from >= to
                || last[d] >= to)
                continue;
            if (last[d] < 0)
                out->layer[from].output += bytes_of(&l->datum[d]);
            last[d] = to;
            if (tgs_mem_grow(&out->edge, &room, edges + 1, sizeof *out->edge)) {
                tgs_mem_free(last);
                return TGS_ENOMEM;
            }
            out->edge[edges++] = (tgs_layer_edge){from, to, bytes_of(&l->datum[d])};
        }
    }
    tgs_mem_free(last);
    if (edges)
        qsort(out->edge, (size_t)edges, sizeof *out->edge, by_ends);
    for (int64_t i = 0; i < edges; i++)
        if (merged && !by_ends(&out->edge[merged - 1], &out->edge[i]))
            out->edge[merged - 1].bytes += out->edge[i].bytes;
        else
            out->edge[merged++] = out->edge[i];
    out->v.edges = merged;
    return TGS_OK;
}

/* a lowering without copies has its tasks in the graph as they are, updates last */
static void number(gathering *x)
{
    int32_t next = 0;

    for (int update = 0; update < 2; update++)
        for (int64_t i = 0; i < x->low->tasks; i++)
            if ((x->low->task[i].phase == TGS_PHASE_UPDATE) == update)
                x->graph[i] = x->low->task[i].dropped ? -1 : next++;
}

static tgs_status price(gathering *x, const tgs_planning *pl, tgs_error *err)
{
    tgs_i_layers *out = x->out;
    tgs_graph *g;
    tgs_problem *pb = NULL;
    tgs_status status = tgs_i_low_finish(&g, x->low, NULL, 0, err);

    if (!status)
        status = tgs_problem_new(&pb, g, &pl->roomy, pl->in->costs, "latbw", err);
    if (!status) {
        const size_t cells = (size_t)out->v.n * (size_t)pb->v.kinds;

        out->v.kinds = pb->v.kinds;
        out->forward = tgs_mem_alloc(cells, sizeof *out->forward);
        out->backward = tgs_mem_alloc(cells, sizeof *out->backward);
        out->update = tgs_mem_alloc(cells, sizeof *out->update);
        if (!out->forward || !out->backward || !out->update)
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int64_t i = 0; i < x->low->tasks && !status; i++) {
        const tgs_low_task *t = &x->low->task[i];
        double *sum = t->phase == TGS_PHASE_UPDATE ? out->update
                      : backward_of(t)             ? out->backward
                                                   : out->forward;

        for (int32_t k = 0; k < out->v.kinds && x->graph[i] >= 0; k++)
            sum[(int64_t)x->of_task[i] * out->v.kinds + k] +=
                pb->v.time[(int64_t)x->graph[i] * out->v.kinds + k];
    }
    tgs_problem_free(pb);
    tgs_graph_free(g);
    return status;
}

static tgs_status gather(gathering *x, const tgs_planning *pl, tgs_error *err)
{
    const size_t data = (size_t)x->low->data, tasks = (size_t)x->low->tasks;
    tgs_status status = TGS_ENOMEM;

    x->of_op = tgs_mem_alloc((size_t)x->low->m->ops, sizeof *x->of_op);
    x->of_task = tgs_mem_alloc(tasks, sizeof *x->of_task);
    x->graph = tgs_mem_alloc(tasks, sizeof *x->graph);
    x->writer = tgs_mem_alloc(data, sizeof *x->writer);
    x->owner = tgs_mem_alloc(data, sizeof *x->owner);
    x->keeper = tgs_mem_alloc(data, sizeof *x->keeper);
    if (x->of_op && x->of_task && x->graph && x->writer && x->owner && x->keeper)
        status = name_layers(x);
    if (!status) {
        number(x);
        assign(x);
        weigh(x);
        measure(x);
        status = connect(x);
    }
    if (!status)
        status = find_last(x);
    status = status ? tgs_fail(err, status, "out of memory") : price(x, pl, err);
    tgs_mem_free(x->of_op);
    tgs_mem_free(x->of_task);
    tgs_mem_free(x->graph);
    tgs_mem_free(x->writer);
    tgs_mem_free(x->owner);
    tgs_mem_free(x->keeper);
    return status;
}

static tgs_status make(tgs_i_layers *out, const tgs_planning *pl, int64_t batch, tgs_error *err)
{
    const tgs_model *m = pl->in->model[out->model];
    char rebatch[40] = "";
    const tgs_plugin *found;
    tgs_strategy *s = NULL;
    gathering x = {.out = out};
    const locale_t before = tgs_i_numerals_enter();
    tgs_model *rewritten = NULL;
    tgs_lowering *low = NULL;
    tgs_status status = TGS_OK;

    if (batch != tgs_i_planning_bound(m)) {
        snprintf(rebatch, sizeof rebatch, "batch %lld", (long long)batch);
        if (tgs_i_find(&found, "transform", "batch", NULL))
            status = tgs_fail(err, TGS_ENOTAPPLICABLE, "%s is bound to a batch of %lld, not %lld",
                              m->v.name, (long long)tgs_i_planning_bound(m), (long long)batch);
    }
    if (!status)
        status = tgs_i_planning_strategy(&s, pl, rebatch, err);
    if (!status)
        status = tgs_i_low_open(&low, &rewritten, m, s, err);
    if (!status) {
        x.low = low;
        status = gather(&x, pl, err);
    }
    tgs_i_low_free(low);
    tgs_model_free(rewritten);
    tgs_strategy_free(s);
    tgs_i_numerals_leave(before);
    return status;
}

tgs_status tgs_planner_layers(const tgs_planner_ctx *c, int32_t model, int64_t batch,
                              const tgs_layers **out, tgs_error *err)
{
    tgs_planning *pl = c->planning;
    tgs_i_layers *l;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (model < 0 || model >= pl->in->models || !pl->in->platform)
        return tgs_fail(err, TGS_EINVAL, "there is no model %d on a platform", (int)model);
    *out = tgs_i_layers_known(pl->shared, model, batch, NULL);
    if (*out)
        return TGS_OK;
    l = tgs_mem_alloc(1, sizeof *l);
    if (l)
        l->names = tgs_i_pool_new();
    if (!l || !l->names)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status) {
        l->model = model;
        l->v.batch = batch;
        status = make(l, pl, batch, err);
    }
    if (status) {
        tgs_i_layers_free(l);
        return status;
    }
    l->v.layer = l->layer;
    l->v.edge = l->edge;
    l->v.forward = l->forward;
    l->v.backward = l->backward;
    l->v.update = l->update;
    *out = tgs_i_layers_known(pl->shared, model, batch, l);
    return TGS_OK;
}
