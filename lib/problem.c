/* problem.c -- a graph on a platform, priced: every cost there is, once.
 *
 * O(tasks x kinds + accesses + memories^2). */
#include <string.h>
#include "problem.h"

void tgs_problem_free(tgs_problem *pb)
{
    if (!pb)
        return;
    tgs_platform_free(pb->measured);
    tgs_mem_free(pb->from);
    tgs_mem_free(pb->time);
    tgs_mem_free(pb->zero);
    tgs_mem_free(pb->pin_proc);
    tgs_mem_free(pb->home);
    tgs_mem_free(pb->mem_mask);
    tgs_mem_free(pb->overhead);
    tgs_mem_free(pb);
}

const char *tgs_i_task_label(const tgs_graph_view *g, int32_t task, char *text, size_t size)
{
    if (g->task[task].name)
        snprintf(text, size, "'%.80s'", tgs_task_name(g, task, TGS_ROOM));
    else
        snprintf(text, size, "@%d", (int)task);
    return text;
}

/* ---- links ---- */

/* Means over the ordered pairs of distinct processors between which data can travel.  When all are
 * alike the mean is that value itself, without the rounding of a sum. */
static tgs_status average_links(tgs_view *v)
{
    const int32_t m = v->memories;
    int64_t *procs = tgs_mem_alloc((size_t)m, sizeof *procs), pairs = 0, same = 0;
    double lat = 0, inv = 0, first_lat = NAN, first_inv = NAN;
    bool alike = true;

    if (!procs)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < v->m; i++)
        procs[v->p->proc[i].memory]++;
    for (int32_t i = 0; i < m; i++)
        same += procs[i] * (procs[i] - 1);
    for (int32_t from = 0; from < m; from++)
        for (int32_t to = 0; to < m; to++) {
            const int64_t at = (int64_t)from * m + to, n = procs[from] * procs[to];

            if (from == to || !n)
                continue;
            if (isnan(first_lat)) {
                first_lat = v->lat[at];
                first_inv = v->inv[at];
            }
            alike = alike && v->lat[at] == first_lat && v->inv[at] == first_inv;
            if (isinf(v->lat[at]))
                continue;
            lat += (double)n * v->lat[at];
            inv += (double)n * v->inv[at];
            pairs += n;
        }
    tgs_mem_free(procs);
    if (pairs && alike && !same) {
        v->mean_lat = first_lat;
        v->mean_inv = first_inv;
    } else if (pairs + same) {
        v->mean_lat = lat / (double)(pairs + same);
        v->mean_inv = inv / (double)(pairs + same);
    }
    /* neighbours in one memory pay nothing, so they are like the others only if nobody pays */
    v->homogeneous = alike && !isinf(first_lat)
                     && (!same || isnan(first_lat) || (first_lat == 0 && first_inv == 0));
    for (int32_t i = 1; i < v->m; i++)
        v->homogeneous = v->homogeneous && v->p->proc[i].kind == v->p->proc[0].kind
                         && v->p->proc[i].speed == v->p->proc[0].speed;
    return TGS_OK;
}

static tgs_status connect(tgs_problem *pb)
{
    tgs_view *v = &pb->v;

    v->lat = v->p->lat;
    v->inv = v->p->inv;
    v->relay_lat = v->p->relay_lat;
    v->relay_inv = v->p->relay_inv;
    if (pb->link->free) {
        pb->zero = tgs_mem_alloc((size_t)v->memories * (size_t)v->memories, sizeof *pb->zero);
        if (!pb->zero)
            return TGS_ENOMEM;
        v->lat = v->inv = v->relay_lat = v->relay_inv = pb->zero;
    }
    return average_links(v);
}

/* ---- where data is at the start ---- */

static int32_t memory_named(const tgs_platform_view *p, const char *name)
{
    for (int32_t i = 0; i < p->memories; i++)
        if (!strcmp(p->memory[i].name, name))
            return i;
    return -1;
}

static tgs_status place_data(tgs_problem *pb, tgs_error *err)
{
    const tgs_graph_view *g = pb->v.g;
    int32_t *home = tgs_mem_alloc((size_t)g->data, sizeof *home);
    int32_t last_name = 0, last = 0; /* neighbours usually share their home */

    pb->v.home = pb->home = home;
    if (!home)
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    for (int32_t d = 0; d < g->data; d++)
        home[d] = -1;
    for (int32_t i = 0; i < g->accesses; i++)
        if ((g->access[i].mode & TGS_R) && g->access[i].version < 0)
            home[g->access[i].datum] = 0;
    for (int32_t i = 0; i < g->extras; i++) {
        const tgs_datum_extra *x = &g->extra[i];

        if (x->home != last_name) {
            last = x->home ? memory_named(pb->v.p, tgs_text(g, x->home)) : 0;
            last_name = x->home;
        }
        if (last < 0)
            return tgs_fail(err, TGS_EINVAL,
                            "datum '%.80s': its home '%.80s' is no memory of the platform",
                            tgs_datum_name(g, x->datum, TGS_ROOM), tgs_text(g, x->home));
        if (home[x->datum] == 0)
            home[x->datum] = last;
    }
    return TGS_OK;
}

/* ---- times ---- */

tgs_status tgs_i_problem_blank(tgs_problem **out, const tgs_graph *g, const tgs_platform *p,
                               const tgs_platform *base, const tgs_costs *costs,
                               const tgs_link_model *link, tgs_error *err)
{
    const int32_t samples = costs ? costs->v.links : 0;
    const size_t times = (size_t)g->v.tasks * (size_t)p->v.kinds;
    tgs_problem *pb = tgs_mem_alloc(1, sizeof *pb);
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!pb)
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    pb->graph = g;
    pb->platform = p;
    pb->link = link;
    if (samples || base != p)
        status = tgs_i_platform_relink(&pb->measured, base, samples ? costs->v.link : NULL, samples,
                                       err);
    if (status)
        goto done;
    pb->v = (tgs_view){.g = &g->v,
                       .p = pb->measured ? &pb->measured->v : &p->v,
                       .n = g->v.tasks,
                       .m = p->v.procs,
                       .kinds = p->v.kinds,
                       .memories = p->v.memories,
                       .mem_words = (p->v.memories + 63) / 64,
                       .link_model = link->base.name};
    pb->v.time = pb->time = tgs_mem_alloc(times, sizeof *pb->time);
    pb->from = tgs_mem_alloc(times, sizeof *pb->from);
    if (!pb->time || !pb->from || connect(pb)) {
        status = tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
        goto done;
    }
    for (size_t i = 0; i < times; i++)
        pb->time[i] = NAN;
    status = place_data(pb, err);
    if (status)
        goto done;
    *out = pb;
    pb = NULL;
done:
    tgs_problem_free(pb);
    return status;
}

/* the bits of the platform's kinds in a graph's mask of kinds: 0 when the graph does not name one
 */
static void kind_bits(const tgs_graph_view *g, const tgs_platform_view *p, uint64_t *bit)
{
    for (int32_t k = 0; k < p->kinds; k++)
        for (int32_t i = 0; i < g->kinds && i < 64; i++)
            if (!strcmp(g->kind_name[i], p->kind[k].name))
                bit[k] = (uint64_t)1 << i;
}

/* INFINITY where a task may not run: on kinds it excludes, and on those without a processor */
static tgs_status forbid(tgs_problem *pb, tgs_error *err)
{
    const tgs_view *v = &pb->v;
    uint64_t *bit = tgs_mem_alloc((size_t)v->kinds, sizeof *bit);
    bool *present = tgs_mem_alloc((size_t)v->kinds, sizeof *present);

    if (!bit || !present) {
        tgs_mem_free(bit);
        tgs_mem_free(present);
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    }
    kind_bits(v->g, v->p, bit);
    for (int32_t i = 0; i < v->m; i++)
        present[v->p->proc[i].kind] = true;
    for (int32_t task = 0; task < v->n; task++) {
        const int32_t c = v->g->task[task].constraint;
        const uint64_t allowed = c < 0 ? UINT64_MAX : v->g->constraint[c].kinds;

        for (int32_t k = 0; k < v->kinds; k++)
            if (!present[k] || (allowed != UINT64_MAX && !(allowed & bit[k])))
                pb->time[(int64_t)task * v->kinds + k] = INFINITY;
    }
    tgs_mem_free(bit);
    tgs_mem_free(present);
    return TGS_OK;
}

/* the models to ask, in turn; each fills what the ones before it left unknown */
static tgs_status models_of(const tgs_costs *costs, const tgs_cost_model *model[3], int *count,
                            tgs_error *err)
{
    static const char *const fallback[] = {"table", "roofline"};
    const tgs_cost_model *own = costs ? costs->model : NULL; /* NULL: auto */
    tgs_status status = TGS_OK;

    *count = 0;
    if (own)
        model[(*count)++] = own;
    if (own && strcmp(own->base.name, "measured"))
        return TGS_OK; /* one model alone */
    for (int i = 0; i < 2 && !status; i++) {
        const tgs_plugin *p;

        status = tgs_i_find(&p, "cost_model", fallback[i], err);
        if (!status)
            model[(*count)++] = (const tgs_cost_model *)p;
    }
    return status;
}

static tgs_status unpriced(const tgs_view *v, int64_t at, const tgs_cost_model *const model[],
                           int models, tgs_error *err)
{
    const int32_t task = (int32_t)(at / v->kinds), kind = (int32_t)(at % v->kinds);
    char label[TGS_I_LABEL], why[320] = "";

    for (int i = 0; i < models; i++) {
        const size_t used = strlen(why);

        snprintf(why + used, sizeof why - used, "%s", used ? "; " : "");
        model[i]->missing(v->g, v->p, task, kind, why + strlen(why), sizeof why - strlen(why));
    }
    return tgs_fail(err, TGS_EINVAL, "task %s has no time on kind '%.60s': %s",
                    tgs_i_task_label(v->g, task, label, sizeof label), v->p->kind[kind].name, why);
}

/* the measured overheads of the platform's kinds; zeros for kinds that none was measured of */
static tgs_status take_overheads(tgs_problem *pb, const tgs_costs_view *c)
{
    const tgs_platform_view *p = pb->v.p;

    if (!c->overheads)
        return TGS_OK;
    if (!pb->overhead)
        pb->overhead = tgs_mem_alloc((size_t)p->kinds, sizeof *pb->overhead);
    if (!pb->overhead)
        return TGS_ENOMEM;
    pb->v.overhead = pb->overhead;
    for (int32_t k = 0; k < p->kinds; k++) {
        pb->overhead[k] = (tgs_overhead){.kind = p->kind[k].name};
        for (int32_t i = 0; i < c->overheads; i++)
            if (!strcmp(c->overhead[i].kind, p->kind[k].name)) {
                pb->overhead[k] = c->overhead[i];
                pb->overhead[k].kind = p->kind[k].name; /* the costs may be freed */
            }
    }
    return TGS_OK;
}

double tgs_i_problem_overhead(const tgs_problem *pb, int32_t task, int32_t kind)
{
    const int32_t accesses = pb->v.g->access_at[task + 1] - pb->v.g->access_at[task];

    return pb->overhead ? pb->overhead[kind].task + accesses * pb->overhead[kind].access : 0;
}

tgs_status tgs_i_problem_price(tgs_problem *pb, const tgs_costs *costs, tgs_error *err)
{
    static const tgs_costs_view none;
    const tgs_view *v = &pb->v;
    const int64_t times = (int64_t)v->n * v->kinds;
    const tgs_cost_model *model[3];
    int models;
    tgs_status status = models_of(costs, model, &models, err);
    bool *priced = tgs_mem_alloc((size_t)times, sizeof *priced);

    if (!status && (!priced || take_overheads(pb, costs ? &costs->v : &none)))
        status = tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    for (int64_t i = 0; i < times && !status; i++)
        priced[i] = !isnan(pb->time[i]);

    for (int i = 0; i < models && !status; i++) {
        /* a roofline of the task alone is the last resort */
        if (pb->codelets && i > 0 && i == models - 1)
            status = tgs_i_problem_hint(pb, err);
        if (!status)
            status =
                model[i]->price(costs ? &costs->v : &none, v->g, v->p, pb->time, pb->from, err);
    }
    for (int64_t i = 0; i < times && !status; i++)
        if (isnan(pb->time[i]))
            status = unpriced(v, i, model, models, err);
    for (int64_t i = 0; i < times && !status && pb->overhead; i++)
        if (!priced[i])
            pb->time[i] +=
                tgs_i_problem_overhead(pb, (int32_t)(i / v->kinds), (int32_t)(i % v->kinds));
    tgs_mem_free(priced);
    return status;
}

tgs_status tgs_problem_new_for(tgs_problem **out, const tgs_graph *g, const tgs_platform *p,
                               const tgs_costs *costs, const char *link_model,
                               const tgs_codelets *codelets, tgs_error *err)
{
    const tgs_plugin *link;
    tgs_problem *pb = NULL;
    tgs_status status;

    *out = NULL;
    if (!costs)
        costs = p->costs;
    status = tgs_i_find(&link, "link_model", link_model ? link_model : "latbw", err);
    if (!status)
        status = tgs_i_problem_blank(&pb, g, p, p, costs, (const tgs_link_model *)link, err);
    if (!status)
        status = forbid(pb, err);
    if (!status && codelets) {
        pb->codelets = codelets;
        status = tgs_i_problem_exclude(pb, codelets, err);
    }
    if (!status)
        status = tgs_i_problem_price(pb, costs, err);
    if (!status)
        status = tgs_i_problem_limit(pb, err);
    if (status)
        tgs_problem_free(pb);
    else
        *out = pb;
    return status;
}

tgs_status tgs_problem_new(tgs_problem **out, const tgs_graph *g, const tgs_platform *p,
                           const tgs_costs *costs, const char *link_model, tgs_error *err)
{
    return tgs_problem_new_for(out, g, p, costs, link_model, NULL, err);
}

void tgs_problem_prices(const tgs_problem *pb, tgs_price_info *out)
{
    const int64_t times = (int64_t)pb->v.n * pb->v.kinds;
    int32_t count[TGS_FROM_INTERPOLATED + 1] = {0};

    for (int64_t i = 0; i < times; i++)
        count[pb->from[i]]++;
    *out = (tgs_price_info){count[TGS_FROM_TABLE],    count[TGS_FROM_ROOFLINE],
                            count[TGS_FROM_MEASURED], count[TGS_FROM_EXTRAPOLATED],
                            count[TGS_FROM_HINT],     count[TGS_FROM_INTERPOLATED]};
}
