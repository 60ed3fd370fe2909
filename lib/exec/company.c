/* company.c -- what tasks take when all processors are busy.
 *
 * A kernel alone on a machine has its caches, its memory bandwidth and its clock for itself, and
 * finds its data where the last repetition left them.  In a run it shares the former, and its data
 * come from other tasks.  So the graph itself is run, as a first plan on the costs measured alone
 * has it, and the times in that run count where there are enough of them.
 *
 * A machine may change its speed: its clock, or what others do on the same silicon.  What was
 * measured while it was fast then says nothing of the runs that follow.  So a plan on the new costs
 * is tried out, and all is measured again when its tasks do not take what they should. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "company.h"
#include "serial.h"

enum {
    LEAST = 3,     /* steps, and times of a sample */
    TRIAL = 1 + 5, /* steps of a trial, the first warms up */
    ATTEMPTS = 3,
};
#define LONG_ENOUGH 10  /* seconds, after LEAST steps */
#define CHANGE      1.1 /* of a machine's speed that is none of the usual */

typedef struct company {
    const tgs_graph *g;
    const tgs_platform *p;
    const tgs_codelets *codelets;
    const char *backend;
    int32_t repeat;
    int32_t *first; /* [n] the first task that is like it */
    void **value;   /* [data] what a datum without an initial value is bound to; NULL */
    tgs_error *err;
} company;

typedef struct timing {
    int32_t first, kind;
    double seconds; /* at speed 1 */
} timing;

static int by_class(const void *a, const void *b)
{
    const timing *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* so many that the rarest task has been timed often enough; the first warms up */
static int32_t steps_of(const company *c)
{
    const tgs_graph_view *g = &c->g->v;
    int32_t *times = tgs_mem_alloc((size_t)g->tasks, sizeof *times), rarest = c->repeat;

    if (!times)
        return -1;
    for (int32_t t = 0; t < g->tasks; t++)
        times[c->first[t]]++;
    for (int32_t t = 0; t < g->tasks; t++)
        if (times[t] && times[t] < rarest)
            rarest = times[t];
    tgs_mem_free(times);
    return 1 + (int32_t)fmax(LEAST, ceil((double)c->repeat / rarest));
}

static tgs_status bind_values(company *c, tgs_run *r)
{
    const tgs_graph_view *g = &c->g->v;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < g->accesses && !status; k++) {
        const int32_t d = g->access[k].datum;

        if (!(g->access[k].mode & TGS_R) || g->access[k].version >= 0 || tgs_i_has_initial(g, d))
            continue;
        if (!c->value[d]) {
            c->value[d] = tgs_mem_alloc((size_t)fmax(1, ceil(g->datum[d].bytes)), 1);
            status = c->value[d] ? tgs_measure_fill(g, d, c->value[d], c->err)
                                 : tgs_fail(c->err, TGS_ENOMEM, "out of memory for data");
        }
        if (!status)
            status = tgs_run_bind(r, d, c->value[d], c->err);
    }
    return status;
}

/* a plan on some costs, and what happened when it was run */
typedef struct outing {
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_trace *t;
} outing;

static void outing_free(outing *o)
{
    tgs_trace_free(o->t);
    tgs_schedule_free(o->s);
    tgs_problem_free(o->pb);
    *o = (outing){NULL, NULL, NULL};
}

static tgs_status plan_on(const company *c, const tgs_costs *costs, outing *o)
{
    const tgs_status status =
        tgs_problem_new_for(&o->pb, c->g, c->p, costs, "latbw", c->codelets, c->err);

    return status ? status : tgs_schedule_make(&o->s, o->pb, "heft", 1, c->err);
}

static tgs_status run_steps(company *c, outing *o, int32_t steps)
{
    const double begin = tgs_i_serial_clock();
    tgs_run *r = NULL;
    tgs_status status = steps < 0 ? tgs_fail(c->err, TGS_ENOMEM, "out of memory") : TGS_OK, closed;

    if (!status)
        status = tgs_run_open(&r, o->pb, o->s, c->codelets, c->backend, c->err);
    if (!status)
        status = bind_values(c, r);
    for (int32_t i = 0; i < steps && !status; i++) {
        if (i > LEAST && tgs_i_serial_clock() - begin > LONG_ENOUGH)
            break;
        status = tgs_run_step(r, c->err);
    }
    closed = tgs_run_close(r, &o->t, status ? NULL : c->err);
    return status ? status : closed;
}

/* all times of all steps but the first, sorted */
static int32_t collect(const company *c, const tgs_trace_view *t, timing *out)
{
    int32_t n = 0;

    for (int32_t i = 0; i < t->rans; i++) {
        const tgs_ran *r = &t->ran[i];
        const tgs_proc *on = &c->p->v.proc[r->proc];

        if (r->step && !(r->flags & TGS_RAN_SYNTHETIC))
            out[n++] = (timing){c->first[r->task], on->kind, (r->end - r->start) * on->speed};
    }
    qsort(out, (size_t)n, sizeof *out, by_class);
    return n;
}

static bool replaced(const tgs_sample *s, const tgs_sample *by, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!strcmp(s->codelet, by[i].codelet) && !strcmp(s->attrs, by[i].attrs)
            && !strcmp(s->kind, by[i].kind) && s->dtype == by[i].dtype
            && (s->flops == by[i].flops || (isnan(s->flops) && isnan(by[i].flops)))
            && (s->bytes == by[i].bytes || (isnan(s->bytes) && isnan(by[i].bytes))))
            return true;
    return false;
}

static tgs_status remark(tgs_costs *c, const char *format, ...)
{
    char text[sizeof(tgs_error) + 100];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tgs_costs_add_remark(c, text);
}

/* the samples of the run, then those measured alone that it has none of, and everything else */
static tgs_status put_together(tgs_costs **out, const company *c, const tgs_costs *alone,
                               const timing *time, int32_t times)
{
    double *seconds = tgs_mem_alloc((size_t)times, sizeof *seconds);
    int32_t news = 0, kept = 0;
    tgs_status status = seconds ? tgs_i_costs_new(out, c->err) : TGS_ENOMEM;

    for (int32_t i = 0, next; i < times && !status; i = next) {
        tgs_sample s;

        for (next = i; next < times && !by_class(&time[i], &time[next]); next++)
            seconds[next - i] = time[next].seconds;
        if (next - i < LEAST)
            continue;
        tgs_measure_sample(&c->g->v, time[i].first, seconds, next - i, &s);
        s.kind = c->p->v.kind[time[i].kind].name;
        status = tgs_costs_add(*out, &s);
        news++;
    }
    for (int32_t i = 0; i < alone->v.samples && !status; i++)
        if (!replaced(&alone->v.sample[i], (*out)->v.sample, news)) {
            status = tgs_costs_add(*out, &alone->v.sample[i]);
            kept++;
        }
    for (int32_t i = 0; i < alone->v.links && !status; i++)
        status = tgs_costs_add_link(*out, &alone->v.link[i]);
    for (int32_t i = 0; i < alone->v.overheads && !status; i++)
        status = tgs_costs_add_overhead(*out, &alone->v.overhead[i]);
    if (alone->remark && !status)
        status = tgs_costs_add_remark(*out, alone->remark);
    if (kept && !status)
        status = remark(*out, "%d of %d times are of kernels alone: none ran there in company",
                        kept, alone->v.samples);
    tgs_mem_free(seconds);
    return status ? tgs_fail(c->err, status, "out of memory for measurements") : TGS_OK;
}

/* ---- is it so? ---- */
typedef struct share { /* of a step, in what its tasks should take */
    int32_t step;
    double ratio, weight; /* measured / priced; priced */
} share;

static int by_step(const void *a, const void *b)
{
    const share *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* shares of one step: the weighted median, so that neither a task in whose midst something else ran
 * nor tasks as short as the clock's jitter decide */
static double middle(const share *s, int32_t n)
{
    double all = 0, passed = 0;
    int32_t i = 0;

    for (int32_t k = 0; k < n; k++)
        all += s[k].weight;
    while (i < n - 1 && (passed += s[i].weight) < all / 2)
        i++;
    return s[i].ratio;
}

/* How much longer kernels take than they cost, if that is so in every step but the first: the step
 * where it is least; 1 if it is not. */
static tgs_status changed(const company *c, const outing *o, double *change)
{
    const tgs_view *v = &o->pb->v;
    const tgs_trace_view *t = &o->t->v;
    share *s = tgs_mem_alloc((size_t)t->rans, sizeof *s);
    double low = INFINITY, high = 0;
    int32_t n = 0;

    *change = 1;
    if (!s)
        return tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < t->rans; i++) {
        const tgs_ran *r = &t->ran[i];
        const double priced = tgs_w(v, r->task, r->proc) - tgs_task_overhead(v, r->task, r->proc);

        if (r->step && !(r->flags & TGS_RAN_SYNTHETIC) && priced > 0)
            s[n++] = (share){r->step, (r->end - r->start) / priced, priced};
    }
    qsort(s, (size_t)n, sizeof *s, by_step);
    for (int32_t i = 0, next; i < n; i = next) {
        double ratio;

        for (next = i; next < n && s[next].step == s[i].step;)
            next++;
        ratio = middle(s + i, next - i);
        low = fmin(low, ratio);
        high = fmax(high, ratio);
    }
    if (n && (low > CHANGE || high < 1 / CHANGE))
        *change = low > CHANGE ? low : high;
    tgs_mem_free(s);
    return TGS_OK;
}

/* times of the plan's run in place of those measured alone */
static tgs_status listen(company *c, outing *o, const tgs_costs *alone, tgs_costs **out)
{
    timing *time = NULL;
    tgs_status status = run_steps(c, o, steps_of(c));

    *out = NULL;
    if (status)
        return status;
    time = tgs_mem_alloc((size_t)o->t->v.rans, sizeof *time);
    status = time ? put_together(out, c, alone, time, collect(c, &o->t->v, time))
                  : tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(time);
    return status;
}

/* *costs are those of the last look; tried: how many looks it took, change: what the last trial,
 * and the one before it, found */
static tgs_status tell_changes(tgs_costs *costs, int tried, const double change[2])
{
    if (change[0] != 1)
        return remark(costs,
                      "the machine does not keep its speed: in a trial run tasks took %.2f times "
                      "what they cost here, after %d measurements",
                      change[0], tried);
    if (tried > 1)
        return remark(costs,
                      "measured %d times: the machine changed its speed, in a trial run tasks took "
                      "%.2f times what had been measured",
                      tried, change[1]);
    return TGS_OK;
}

static tgs_status measure(tgs_costs **costs, company *c)
{
    outing o = {NULL, NULL, NULL};
    tgs_costs *latest = NULL;
    double change[2] = {1, 1};
    int tried = 0;
    tgs_status status = plan_on(c, *costs, &o);

    if (status && status != TGS_ENOMEM) { /* tasks of unknown price, memory too small: not whole */
        outing_free(&o);
        status = remark(*costs, "kernels were measured alone, not with all processors busy: %s",
                        c->err->text);
        *c->err = (tgs_error){TGS_OK, ""};
        return status ? tgs_fail(c->err, status, "out of memory for measurements") : TGS_OK;
    }
    while (!status && tried < ATTEMPTS && (!tried || change[0] != 1)) {
        tgs_costs_free(latest);
        latest = NULL;
        status = listen(c, &o, *costs, &latest);
        outing_free(&o);
        change[1] = change[0];
        if (!status)
            status = plan_on(c, latest, &o);
        if (!status)
            status = run_steps(c, &o, TRIAL);
        if (!status)
            status = changed(c, &o, &change[0]);
        tgs_trace_free(o.t);
        o.t = NULL;
        tried++;
    }
    if (!status && tell_changes(latest, tried, change))
        status = tgs_fail(c->err, TGS_ENOMEM, "out of memory for measurements");
    if (!status) {
        tgs_costs_free(*costs);
        *costs = latest;
        latest = NULL;
    }
    tgs_costs_free(latest);
    outing_free(&o);
    return status;
}

tgs_status tgs_i_company_measure(tgs_costs **costs, const tgs_graph *g, const tgs_platform *p,
                                 const tgs_codelets *codelets, const char *backend, int32_t repeat,
                                 tgs_error *err)
{
    tgs_error room;
    company c = {g, p, codelets, backend, repeat, NULL, NULL, err ? err : &room};
    tgs_status status;

    if (p->v.procs < 2)
        return TGS_OK;
    c.first = tgs_mem_alloc((size_t)g->v.tasks, sizeof *c.first);
    c.value = tgs_mem_alloc((size_t)g->v.data, sizeof *c.value);
    status = c.first && c.value ? tgs_i_measure_alike(&g->v, c.first) : TGS_ENOMEM;
    if (status)
        tgs_fail(err, status, "out of memory");
    else
        status = measure(costs, &c);
    for (int32_t d = 0; d < g->v.data && c.value; d++)
        tgs_mem_free(c.value[d]);
    tgs_mem_free(c.value);
    tgs_mem_free(c.first);
    return status;
}
