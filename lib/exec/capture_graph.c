/* capture_graph.c -- a captured run as a graph.
 *
 * Exact: tasks, data and their sizes, R, W and RW accesses under sequential consistency, explicit
 * dependencies, tags, waits, filters.  Approximated:
 * - accesses that commute, or that nothing orders, keep the order of submission;
 * - a reduction (STARPU_REDUX) is a task without duration after those that contribute, and the
 *   partial results that they leave in their memories do not move;
 * - scratch buffers are no data;
 * - where data are split, joined, copied or accessed by the application they come to main memory.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "capture.h"

typedef struct making {
    const tgs_capture *c;
    const tgs_platform_view *p;
    tgs_builder *b;
    cap_edges edges;
    cap_times times;
    int32_t *node;      /* [items] */
    bool *reducing;     /* [data] contributions are under way */
    char *here, *kinds; /* room for a list of kinds; here: those of the CPUs, "" all or none */
    size_t room;
    int32_t reductions, unknown;
} making;

static int arch_of(const tgs_kind *k)
{
    for (int a = 0; a < TGS_I_ARCHS; a++)
        if (!strcmp(k->arch, tgs_i_arch_name[a]))
            return a;
    return -1;
}

static void append(char *list, size_t room, const char *name)
{
    const size_t used = strlen(list);

    snprintf(list + used, room - used, "%s%s", used ? "," : "", name);
}

static tgs_status prepare(making *m)
{
    const tgs_platform_view *p = m->p;

    m->room = 1;
    for (int32_t k = 0; k < p->kinds; k++)
        m->room += strlen(p->kind[k].name) + 1;
    m->here = tgs_mem_alloc(m->room, 1);
    m->kinds = tgs_mem_alloc(m->room, 1);
    m->node = tgs_mem_alloc((size_t)m->c->item.count, sizeof *m->node);
    m->reducing = tgs_mem_alloc((size_t)m->c->datum.count, sizeof *m->reducing);
    if (!m->here || !m->kinds || !m->node || !m->reducing)
        return TGS_ENOMEM;
    for (int32_t k = 0; k < p->kinds; k++) {
        if (arch_of(&p->kind[k]) == 0)
            append(m->here, m->room, p->kind[k].name);
        tgs_builder_kind(m->b, p->kind[k].name);
    }
    return TGS_OK;
}

/* ---- tasks ---- */
static void put_data(making *m)
{
    char name[32];

    for (int32_t d = 0; d < m->c->datum.count; d++) {
        snprintf(name, sizeof name, "data.%d", (int)d);
        tgs_builder_datum(m->b, name, m->c->datum.at[d].bytes);
    }
}

/* in main memory, at no time */
static int32_t put_event(making *m, const char *what, int32_t number)
{
    char name[64], codelet[32];
    int32_t t;

    snprintf(codelet, sizeof codelet, "starpu.%s", what);
    snprintf(name, sizeof name, "starpu.%s.%d", what, (int)number);
    t = tgs_builder_task(m->b, name, codelet, 0);
    if (t >= 0 && *m->here)
        tgs_builder_task_constrain(m->b, t, "kinds", m->here);
    return t;
}

static void put_kinds(making *m, int32_t t, const cap_task *task)
{
    const tgs_platform_view *p = m->p;
    bool all = true;

    *m->kinds = 0;
    for (int32_t k = 0; k < p->kinds; k++) {
        const int arch = arch_of(&p->kind[k]);
        const bool able = arch >= 0 && task->archs >> arch & 1;
        const double seconds = able ? tgs_i_cap_seconds(&m->times, m->c, p, task, k) : NAN;

        m->unknown += able && isnan(seconds);
        all &= !isnan(seconds);
        if (isnan(seconds))
            continue;
        append(m->kinds, m->room, p->kind[k].name);
        tgs_builder_task_time(m->b, t, p->kind[k].name, seconds);
    }
    if (!all && *m->kinds)
        tgs_builder_task_constrain(m->b, t, "kinds", m->kinds);
}

static int32_t put_task(making *m, const cap_task *task)
{
    const tgs_capture *c = m->c;
    const int32_t on = task->worker < 0 ? -1 : tgs_i_cap_processor(c, m->p, task->worker);
    double bytes = 0;
    char text[32];
    int32_t t;

    for (int32_t k = 0; k < task->accesses; k++)
        bytes += c->datum.at[c->access.at[task->access_at + k].datum].bytes;
    t = tgs_builder_task(m->b, cap_text(c, task->name), cap_text(c, task->codelet),
                         task->archs < 0 ? 0 : NAN);
    if (t < 0)
        return t;
    if (task->archs < 0) { /* it runs nowhere */
        if (*m->here)
            tgs_builder_task_constrain(m->b, t, "kinds", m->here);
        return t;
    }
    tgs_builder_task_cost(m->b, t, NAN, bytes);
    snprintf(text, sizeof text, "footprint=%08" PRIx32, task->footprint);
    tgs_builder_task_attrs(m->b, t, text);
    put_kinds(m, t, task);
    if (on >= 0)
        tgs_builder_task_constrain(m->b, t, "processor", m->p->proc[on].name);
    if (task->priority) {
        snprintf(text, sizeof text, "%d", (int)task->priority);
        tgs_builder_task_constrain(m->b, t, "priority", text);
    }
    return t;
}

static void put_item(making *m, int32_t at)
{
    const cap_item *i = &m->c->item.at[at];
    const char *what = "wait";

    switch (i->what) {
    case CAP_TASK:
        m->node[at] = put_task(m, &m->c->task.at[i->at]);
        return;
    case CAP_HOST:
        what = "access";
        break;
    case CAP_SPLIT:
        what = "split";
        break;
    case CAP_JOIN:
        what = "join";
        break;
    case CAP_COPY:
        what = "copy";
        break;
    default:
        break;
    }
    m->node[at] = put_event(m, what, at);
}

/* ---- accesses ---- */
static void put_accesses(making *m, int32_t at)
{
    for (int32_t k = 0; k < tgs_i_cap_accesses(m->c, at); k++) {
        const cap_access a = tgs_i_cap_access(m->c, at, k);
        tgs_mode mode = (tgs_mode)(a.how & CAP_RW);

        if (a.how & CAP_REDUX) {
            m->reducing[a.datum] = true;
            mode = TGS_R;
        } else if (mode && m->reducing[a.datum]) {
            tgs_builder_access(m->b, put_event(m, "reduce", m->reductions++), a.datum, TGS_RW);
            m->reducing[a.datum] = false;
        }
        if (mode) /* else it is scratch */
            tgs_builder_access(m->b, m->node[at], a.datum, mode);
    }
}

static tgs_status make(making *m, tgs_graph **out, tgs_error *err)
{
    tgs_builder *b = m->b;

    put_data(m);
    for (int32_t i = 0; i <= m->edges.last; i++)
        put_item(m, i);
    for (int32_t i = 0; i < m->edges.edge.count; i++)
        tgs_builder_after(m->b, m->node[m->edges.edge.at[i].before],
                          m->node[m->edges.edge.at[i].after]);
    for (int32_t i = 0; i <= m->edges.last; i++)
        put_accesses(m, m->edges.order[i]);
    m->b = NULL; /* finish consumes it */
    return tgs_builder_finish(out, b, err);
}

tgs_status tgs_capture_graph(tgs_graph **out, const tgs_capture *c, const tgs_platform *p,
                             int32_t *unknown, tgs_error *err)
{
    making m = {.c = c, .p = &p->v};
    tgs_status status;

    *out = NULL;
    status = tgs_builder_new(&m.b, err);
    if (!status && (prepare(&m) || tgs_i_cap_times(&m.times, c, &p->v)))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = tgs_i_cap_edges(&m.edges, c, err);
    if (!status)
        status = make(&m, out, err);
    if (unknown)
        *unknown = m.unknown;
    tgs_builder_free(m.b);
    tgs_i_cap_edges_free(&m.edges);
    tgs_i_cap_times_free(&m.times);
    tgs_mem_free(m.here);
    tgs_mem_free(m.kinds);
    tgs_mem_free(m.node);
    tgs_mem_free(m.reducing);
    return status;
}
