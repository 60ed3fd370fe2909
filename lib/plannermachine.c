/* plannermachine.c -- the machine that a strategy is simulated on, and what was simulated as
 * figures of the whole. */
#include <string.h>
#include "modelimpl.h"
#include "planner.h"

int32_t tgs_i_planning_home(const tgs_platform_view *p, int32_t memory)
{
    int32_t m = 0;

    while (p->memory[m].node != p->memory[memory].node)
        m++;
    return m;
}

/* ---- the machine -------------------------------------------------------------------------------
 */
/* memories with a part in the simulation; all when the strategy names none, or leaves some free */
static bool *named(const tgs_platform_view *p, const tgs_i_fold *f)
{
    bool *there = tgs_mem_alloc((size_t)p->memories, sizeof *there);
    const bool some = f->memory && (f->modelled || f->replicas == 1);

    for (int32_t i = 0; there && i < p->memories; i++)
        there[i] = !some;
    for (int64_t i = 0; there && some && i < (int64_t)f->replicas * f->places; i++)
        if (f->stands[i / f->places])
            there[f->memory[i]] = true;
    return there;
}

/* a kind priced as the first one is, so that every task has some time there until it is told that
 * it has none */
static void add_carriers(tgs_i_machine *m, const tgs_platform_view *p, const bool *there)
{
    m->carrier = p->kinds;
    m->kind[p->kinds] = p->kind[0];
    m->kind[p->kinds].power_idle = m->kind[p->kinds].power_busy = 0;
    m->p.v.kinds++;
    for (int32_t i = 0; i < p->memories; i++) {
        bool used = false;

        for (int32_t k = 0; k < p->procs && there[i] && !used; k++)
            used = p->proc[k].memory == i;
        if (used)
            m->proc[m->p.v.procs++] =
                (tgs_proc){.name = p->memory[i].name, .kind = m->carrier, .memory = i, .speed = 1};
    }
}

tgs_status tgs_i_machine_open(tgs_i_machine *m, const tgs_platform *p, const tgs_i_fold *f,
                              tgs_error *err)
{
    const tgs_platform_view *v = &p->v;
    bool *there = named(v, f);

    *m = (tgs_i_machine){.p = *p, .carrier = -1};
    m->kind = tgs_mem_alloc((size_t)v->kinds + 1, sizeof *m->kind);
    m->proc = tgs_mem_alloc((size_t)v->procs + (size_t)v->memories, sizeof *m->proc);
    if (!there || !m->kind || !m->proc) {
        tgs_mem_free(there);
        tgs_i_machine_close(m);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    memcpy(m->kind, v->kind, (size_t)v->kinds * sizeof *m->kind);
    m->p.v.procs = 0;
    for (int32_t i = 0; i < v->procs; i++)
        if (there[v->proc[i].memory])
            m->proc[m->p.v.procs++] = v->proc[i];
    if (f->modelled)
        add_carriers(m, v, there);
    m->p.v.kind = m->kind;
    m->p.v.proc = m->proc;
    tgs_mem_free(there);
    return TGS_OK;
}

void tgs_i_machine_close(tgs_i_machine *m)
{
    tgs_mem_free(m->kind);
    tgs_mem_free(m->proc);
    m->kind = NULL;
    m->proc = NULL;
}

/* ---- prices ---- */
static bool is_collective(const tgs_graph_view *g, int32_t task)
{
    const int32_t c = g->task[task].codelet;

    return c >= 0
           && (!strcmp(g->codelet_name[c], TGS_I_ALLREDUCE)
               || !strcmp(g->codelet_name[c], TGS_I_MEET));
}

/* means over the links among all replicas, whether they are simulated or not */
static void average(const tgs_i_fold *f, tgs_view *v)
{
    const int64_t n = (int64_t)f->replicas * f->places;
    double lat = 0, inv = 0, pairs = 0;

    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) {
            const int64_t at = (int64_t)f->memory[a] * v->memories + f->memory[b];

            if (a == b || !(v->lat[at] < INFINITY))
                continue;
            lat += v->lat[at];
            inv += v->inv[at];
            pairs++;
        }
    v->mean_lat = pairs > 0 ? lat / pairs : 0;
    v->mean_inv = pairs > 0 ? inv / pairs : 0;
}

void tgs_i_machine_price(const tgs_i_machine *m, const tgs_i_fold *f, tgs_problem *pb)
{
    const int32_t kinds = pb->v.kinds;

    if (m->carrier < 0)
        return;
    for (int32_t i = 0; i < pb->v.n; i++) {
        const bool carried = is_collective(pb->v.g, i);

        for (int32_t k = 0; k < kinds; k++)
            if ((k == m->carrier) != carried)
                pb->time[(int64_t)i * kinds + k] = INFINITY;
    }
    pb->v.homogeneous = false;
    if (f->memory)
        average(f, &pb->v);
}

/* ---- what was simulated, as the whole ----------------------------------------------------------
 */
typedef struct totals {
    const tgs_i_fold *f;
    const tgs_platform_view *p; /* the whole one */
    const tgs_view *v;          /* the simulated one */
    const tgs_trace_view *t;
    double *weight;  /* [memories] for how many replicas the one that is there stands, 1 without */
    double *carried; /* [data] the same of the replica that it is of */
} totals;

static void weigh(const totals *x)
{
    const tgs_i_fold *f = x->f;
    const tgs_graph_view *g = x->v->g;

    for (int32_t i = 0; i < x->p->memories; i++)
        x->weight[i] = 1;
    for (int64_t i = 0; f->memory && i < (int64_t)f->replicas * f->places; i++)
        if (f->stands[i / f->places])
            x->weight[f->memory[i]] = f->stands[i / f->places];
    for (int32_t i = 0; i < x->t->rans; i++) {
        const int32_t task = x->t->ran[i].task;

        for (int32_t a = g->access_at[task]; a < g->access_at[task + 1]; a++)
            x->carried[g->access[a].datum] = x->weight[x->v->p->proc[x->t->ran[i].proc].memory];
    }
}

/* joules of processors, busy and idle, and of links; NaN when one of them is not known */
static tgs_status add_energy(const totals *x, tgs_evaluation *out)
{
    const tgs_platform_view *p = x->p;
    double *link = tgs_mem_alloc((size_t)p->memories * (size_t)p->memories, sizeof *link);

    if (!link)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < p->links; i++)
        link[(int64_t)p->link[i].from * p->memories + p->link[i].to] = p->link[i].energy;
    out->energy = 0;
    for (int32_t i = 0; i < p->procs; i++)
        out->energy += out->step * p->kind[p->proc[i].kind].power_idle;
    for (int32_t i = 0; i < x->t->rans; i++) {
        const tgs_ran *r = &x->t->ran[i];
        const tgs_proc *proc = &x->v->p->proc[r->proc];
        const tgs_kind *k = &x->v->p->kind[proc->kind];

        out->energy +=
            (r->end - r->start) * (k->power_busy - k->power_idle) * x->weight[proc->memory];
    }
    for (int32_t i = 0; i < x->t->moveds; i++) {
        const tgs_moved *m = &x->t->moved[i];

        if (m->bytes > 0)
            out->energy +=
                m->bytes * link[(int64_t)m->from * p->memories + m->to] * x->carried[m->datum];
    }
    tgs_mem_free(link);
    return TGS_OK;
}

/* transfers, and of sums that are modelled what a ring moves: each replica twice its bytes, less
 * its own share of them */
static void add_moved(const totals *x, tgs_evaluation *out)
{
    const tgs_graph_view *g = x->v->g;
    double tasks = 0;

    out->moved = 0;
    for (int32_t i = 0; i < x->t->moveds; i++)
        out->moved += x->t->moved[i].bytes * x->carried[x->t->moved[i].datum];
    for (int32_t i = 0; i < x->t->rans; i++) {
        const int32_t task = x->t->ran[i].task, at = g->access_at[task];
        const double weight = x->weight[x->v->p->proc[x->t->ran[i].proc].memory];

        if (is_collective(g, task) && at < g->access_at[task + 1])
            out->moved += 2 * weight * (x->f->replicas - 1) / x->f->replicas
                          * g->datum[g->access[at].datum].bytes;
        /* a sum of all replicas starts once */
        tasks += is_collective(g, task) && at == g->access_at[task + 1] ? 1 : weight;
    }
    out->tasks = tasks < INT32_MAX ? (int32_t)tasks : INT32_MAX;
    out->simulated = x->v->n;
}

static void add_peaks(const totals *x, double *peak, tgs_evaluation *out)
{
    const tgs_i_fold *f = x->f;

    memset(peak, 0, (size_t)x->p->memories * sizeof *peak);
    for (int32_t i = 0; i < x->t->useds; i++)
        if (x->t->used[i].bytes > peak[x->t->used[i].memory])
            peak[x->t->used[i].memory] = x->t->used[i].bytes;
    for (int64_t i = 0; f->memory && i < (int64_t)f->replicas * f->places; i++)
        peak[f->memory[i]] =
            peak[f->memory[f->like[i / f->places] * (int64_t)f->places + i % f->places]];
    for (int32_t i = 0; i < x->p->memories; i++) {
        const double over = peak[i] - x->p->memory[i].capacity;

        if (over > out->missing) {
            out->missing = over;
            out->memory = i;
        }
    }
}

tgs_status tgs_i_machine_sum(const tgs_i_fold *f, const tgs_platform_view *p, const tgs_problem *pb,
                             const tgs_trace *t, double *peak, tgs_evaluation *out, tgs_error *err)
{
    totals x = {.f = f, .p = p, .v = &pb->v, .t = &t->v};
    tgs_status status = TGS_ENOMEM;

    x.weight = tgs_mem_alloc((size_t)p->memories, sizeof *x.weight);
    x.carried = tgs_mem_alloc((size_t)pb->v.g->data, sizeof *x.carried);
    if (x.weight && x.carried) {
        weigh(&x);
        add_moved(&x, out);
        add_peaks(&x, peak, out);
        status = add_energy(&x, out);
    }
    tgs_mem_free(x.weight);
    tgs_mem_free(x.carried);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}
