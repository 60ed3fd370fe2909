/* tg.c -- writes the native graph format so that reading it back gives an equal graph.
 *
 * Tasks and data come first, in the order of their indices; then the accesses, by task in
 * topological order: any order that respects the dependencies makes the builder derive the same
 * ones.  Data that are nothing but an edge are written as one.  Only those order-only dependencies
 * are written that the accesses do not imply.  O(tasks + accesses + dependencies). */
#include <inttypes.h>
#include <string.h>
#include "core.h"

typedef struct writing {
    const tgs_graph_view *g;
    FILE *to;
    int32_t *from, *into; /* [data] of a datum that is written as an edge; from -1: it is not */
    int32_t *order;       /* pairs */
    int64_t orders, order_room;
    int64_t whole; /* data that are not written as edges */
} writing;

/* ---- which data are edges -------------------------------------------------------------------- */

static void find_edges(writing *w, int32_t *uses)
{
    const tgs_graph_view *g = w->g;

    for (int32_t d = 0; d < g->data; d++)
        w->from[d] = w->into[d] = -1;
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++) {
            const tgs_access a = g->access[i];

            uses[a.datum]++;
            if (a.mode == TGS_W)
                w->from[a.datum] = t;
            else if (a.mode == TGS_R && a.version >= 0)
                w->into[a.datum] = t;
        }
    for (int32_t d = 0; d < g->data; d++)
        if (g->datum[d].name || g->datum[d].extra >= 0 || uses[d] != 2 || w->into[d] < 0)
            w->from[d] = -1;
}

/* An edge record stands where its datum does and touches both tasks there.  So it can only be used
 * when every task's edges come before its other accesses, in the order of the data. */
static bool edges_come_first(const writing *w)
{
    const tgs_graph_view *g = w->g;

    for (int32_t t = 0; t < g->tasks; t++) {
        int64_t last = -1;

        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++) {
            const int32_t d = (int32_t)g->access[i].datum;

            if (w->from[d] < 0)
                last = INT64_MAX;
            else if (d <= last)
                return false;
            else
                last = d;
        }
    }
    return true;
}

static tgs_status choose_edges(writing *w)
{
    const size_t n = (size_t)w->g->data;
    int32_t *uses = tgs_mem_alloc(n, sizeof *uses);
    tgs_status status = TGS_ENOMEM;

    w->from = tgs_mem_alloc(n, sizeof *w->from);
    w->into = tgs_mem_alloc(n, sizeof *w->into);
    if (uses && w->from && w->into) {
        find_edges(w, uses);
        if (!edges_come_first(w))
            for (size_t d = 0; d < n; d++)
                w->from[d] = -1;
        for (size_t d = 0; d < n; d++)
            w->whole += w->from[d] < 0;
        status = TGS_OK;
    }
    tgs_mem_free(uses);
    return status;
}

/* ---- dependencies that the accesses do not imply ----------------------------------------------
 */

typedef struct replay { /* of the accesses, in topological order */
    int32_t *write;     /* [data] task that wrote it last, -1 none */
    int32_t *read;      /* [data] access that read it last since, -1 none */
    int32_t *before;    /* [accesses] the one that read it before that */
    int32_t *reader;    /* [accesses] its task */
    int32_t *seen;      /* [tasks] u: the last task v for which u before v is implied */
} replay;

/* mark what must precede v because of its access i, as finish.c derives it */
static void imply(const tgs_graph_view *g, replay *r, int32_t v, int32_t i)
{
    const tgs_access a = g->access[i];

    r->reader[i] = v;
    if (a.mode == TGS_R) {
        r->before[i] = r->read[a.datum];
        r->read[a.datum] = i;
        return;
    }
    for (int32_t j = r->read[a.datum]; j >= 0; j = r->before[j])
        r->seen[r->reader[j]] = v;
    if (r->read[a.datum] < 0 && r->write[a.datum] >= 0)
        r->seen[r->write[a.datum]] = v;
    r->read[a.datum] = -1;
    r->write[a.datum] = v;
}

static tgs_status collect_orders(writing *w, replay *r)
{
    const tgs_graph_view *g = w->g;

    for (int32_t d = 0; d < g->data; d++)
        r->write[d] = r->read[d] = -1;
    for (int32_t t = 0; t < g->tasks; t++)
        r->seen[t] = -1;
    for (int32_t k = 0; k < g->tasks; k++) {
        const int32_t v = g->topo[k];

        for (int32_t i = g->access_at[v]; i < g->access_at[v + 1]; i++)
            imply(g, r, v, i);
        for (int32_t e = g->pred_at[v]; e < g->pred_at[v + 1]; e++) {
            if (g->pred_datum[e] >= 0 || r->seen[g->pred[e]] == v)
                continue;
            if (tgs_mem_grow(&w->order, &w->order_room, w->orders + 2, sizeof *w->order))
                return TGS_ENOMEM;
            w->order[w->orders++] = g->pred[e];
            w->order[w->orders++] = v;
        }
    }
    return TGS_OK;
}

static tgs_status find_orders(writing *w)
{
    const tgs_graph_view *g = w->g;
    replay r = {
        .write = tgs_mem_alloc((size_t)g->data, sizeof(int32_t)),
        .read = tgs_mem_alloc((size_t)g->data, sizeof(int32_t)),
        .before = tgs_mem_alloc((size_t)g->accesses, sizeof(int32_t)),
        .reader = tgs_mem_alloc((size_t)g->accesses, sizeof(int32_t)),
        .seen = tgs_mem_alloc((size_t)g->tasks, sizeof(int32_t)),
    };
    tgs_status status = TGS_ENOMEM;

    if (r.write && r.read && r.before && r.reader && r.seen)
        status = collect_orders(w, &r);
    tgs_mem_free(r.write);
    tgs_mem_free(r.read);
    tgs_mem_free(r.before);
    tgs_mem_free(r.reader);
    tgs_mem_free(r.seen);
    return status;
}

/* ---- records --------------------------------------------------------------------------------- */

/* a name, or @INDEX for what has none */
static void put_datum_name(const writing *w, int32_t d)
{
    if (w->g->datum[d].name)
        tgs_name_put(w->to, tgs_datum_name(w->g, d, TGS_ROOM));
    else
        fprintf(w->to, "@%" PRId32, d);
}

static void put_task_name(const writing *w, int32_t t)
{
    putc(' ', w->to);
    if (w->g->task[t].name)
        tgs_name_put(w->to, tgs_task_name(w->g, t, TGS_ROOM));
    else
        fprintf(w->to, "@%" PRId32, t);
}

static void put_text(const writing *w, const char *key, int32_t offset)
{
    if (!offset)
        return;
    fprintf(w->to, " %s=", key);
    tgs_name_put(w->to, tgs_text(w->g, offset));
}

static void put_real(const writing *w, const char *key, double x)
{
    fprintf(w->to, " %s=", key);
    tgs_i_write_real(w->to, x);
}

static void put_times(const writing *w, int32_t t)
{
    const double *time = w->g->time ? w->g->time + (int64_t)t * w->g->kinds : NULL;
    bool any = false;

    for (int32_t k = 0; time && k < w->g->kinds; k++)
        any |= !isnan(time[k]);
    for (int32_t k = 0; any && k < w->g->kinds; k++) {
        fputs(k ? "," : " time=", w->to);
        tgs_i_write_real(w->to, time[k]);
    }
}

/* a constraint that constrains nothing is still part of the graph */
static bool is_plain(const tgs_constraint *c)
{
    return c->kinds == UINT64_MAX && c->group < 0 && !c->processor && !c->memory && !c->trust
           && !c->job && c->release == 0 && c->deadline == INFINITY;
}

static void put_constraint(const writing *w, const tgs_constraint *c)
{
    const tgs_graph_view *g = w->g;
    bool first = true;

    for (int32_t k = 0; c->kinds != UINT64_MAX && k < g->kinds; k++)
        if (c->kinds >> k & 1) {
            fputs(first ? " kinds=" : ",", w->to);
            tgs_name_put(w->to, g->kind_name[k]);
            first = false;
        }
    if (c->group >= 0)
        fprintf(w->to, " group=%" PRId32, c->group);
    put_text(w, "processor", c->processor);
    put_text(w, "memory", c->memory);
    if (c->priority != 0 || is_plain(c))
        put_real(w, "priority", c->priority);
    if (c->release > 0)
        put_real(w, "release", c->release);
    if (c->deadline < INFINITY)
        put_real(w, "deadline", c->deadline);
    put_text(w, "trust", c->trust);
    if (c->job)
        fprintf(w->to, " job=%" PRId32, c->job);
}

static void put_task(const writing *w, int32_t t)
{
    const tgs_task *x = &w->g->task[t];

    fputs("task", w->to);
    put_task_name(w, t);
    if (x->codelet >= 0) {
        fputs(" codelet=", w->to);
        tgs_name_put(w->to, w->g->codelet_name[x->codelet]);
    }
    if (!isnan(x->work))
        put_real(w, "work", x->work);
    put_times(w, t);
    if (!isnan(x->flops))
        put_real(w, "flops", x->flops);
    if (!isnan(x->bytes))
        put_real(w, "bytes", x->bytes);
    if (x->phase)
        fprintf(w->to, " phase=%s", tgs_phase_name((tgs_phase)x->phase));
    if (x->attrs) {
        fputs(" attrs=", w->to);
        tgs_quote_put(w->to, tgs_text(w->g, x->attrs));
    }
    if (x->constraint >= 0)
        put_constraint(w, &w->g->constraint[x->constraint]);
    putc('\n', w->to);
}

static void put_extra(const writing *w, const tgs_datum_extra *x)
{
    if (x->rank >= 0) {
        fprintf(w->to, " dtype=%s shape=", tgs_dtype_name((tgs_dtype)x->dtype));
        for (int32_t i = 0; i < x->rank; i++)
            fprintf(w->to, "%s%" PRId64, i ? "," : "", w->g->dim[x->dims + i]);
        if (!x->rank)
            fputs("scalar", w->to);
    }
    if (x->class_)
        fprintf(w->to, " class=%s", tgs_class_name((tgs_class)x->class_));
    put_text(w, "home", x->home);
    put_text(w, "init", x->init);
    if (x->persistent || (x->rank < 0 && !x->class_ && !x->home && !x->init))
        fprintf(w->to, " persistent=%d", x->persistent != 0);
}

static void put_datum(const writing *w, int32_t d)
{
    const tgs_datum *x = &w->g->datum[d];
    const tgs_datum_extra *extra = x->extra < 0 ? NULL : &w->g->extra[x->extra];

    if (w->from[d] >= 0) {
        fputs("edge", w->to);
        put_task_name(w, w->from[d]);
        put_task_name(w, w->into[d]);
        putc(' ', w->to);
        tgs_i_write_real(w->to, x->bytes);
    } else {
        fputs("data ", w->to);
        put_datum_name(w, d);
        if (!extra || extra->rank < 0)
            put_real(w, "bytes", x->bytes);
        if (extra)
            put_extra(w, extra);
    }
    putc('\n', w->to);
}

static void put_accesses(const writing *w, int32_t t)
{
    static const char *const mode[] = {"", "r", "w", "rw"};
    const tgs_graph_view *g = w->g;

    for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum;

        if (w->from[d] >= 0)
            continue;
        fputs("access", w->to);
        put_task_name(w, t);
        fprintf(w->to, " %s ", mode[g->access[i].mode]);
        put_datum_name(w, d);
        putc('\n', w->to);
    }
}

static void put_all(const writing *w)
{
    const tgs_graph_view *g = w->g;

    fprintf(w->to,
            "tgsched.graph/1\ncounts tasks=%" PRId32 " data=%" PRId32 " accesses=%" PRId32
            " orders=%" PRId64 "\n",
            g->tasks, g->data, g->accesses, w->orders / 2);
    for (int32_t k = 0; k < g->kinds; k++) {
        fputs(k ? " " : "kinds ", w->to);
        tgs_name_put(w->to, g->kind_name[k]);
    }
    if (g->kinds)
        putc('\n', w->to);
    for (int32_t t = 0; t < g->tasks; t++)
        put_task(w, t);
    for (int32_t d = 0; d < g->data; d++)
        put_datum(w, d);
    for (int32_t k = 0; k < g->tasks && w->whole; k++)
        put_accesses(w, g->topo[k]);
    for (int64_t i = 0; i < w->orders; i += 2) {
        fputs("after", w->to);
        put_task_name(w, w->order[i]);
        put_task_name(w, w->order[i + 1]);
        putc('\n', w->to);
    }
}

static tgs_status write_tg(const tgs_graph_view *g, const tgs_args *a, FILE *to, tgs_error *err)
{
    writing w = {.g = g, .to = to};
    tgs_status status = choose_edges(&w);

    (void)a;
    if (!status)
        status = find_orders(&w);
    if (status)
        tgs_fail(err, status, "out of memory");
    else
        put_all(&w);
    tgs_mem_free(w.from);
    tgs_mem_free(w.into);
    tgs_mem_free(w.order);
    return status;
}

const tgs_writer tgs_writer_tg = {
    .base = {TGS_PLUGIN_ABI, "tg", "tgsched's own graph format, which holds everything", NULL,
             NULL},
    .suffixes = ".tg",
    .holds = TGS_HOLDS_ALL,
    .write = write_tg,
};
