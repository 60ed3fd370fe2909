/* company.c -- what tasks take when all processors are busy.
 *
 * A kernel alone on a machine has its caches, its memory bandwidth and its clock for itself, and
 * finds its data where the last repetition left them.  In a run it shares the former, and its data
 * come from other tasks.  So the graph itself is run, as a first plan on the costs measured alone
 * has it, and the times in that run count where there are enough of them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "company.h"
#include "serial.h"

enum {
    LEAST = 3, /* steps, and times of a sample */
};
#define LONG_ENOUGH 10 /* seconds, after LEAST steps */

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

        if (!(g->access[k].mode & TGS_R) || g->access[k].version >= 0 || c->value[d]
            || tgs_i_has_initial(g, d))
            continue;
        c->value[d] = tgs_mem_alloc((size_t)fmax(1, ceil(g->datum[d].bytes)), 1);
        status = c->value[d] ? tgs_measure_fill(g, d, c->value[d], c->err)
                             : tgs_fail(c->err, TGS_ENOMEM, "out of memory for data");
        if (!status)
            status = tgs_run_bind(r, d, c->value[d], c->err);
    }
    return status;
}

static tgs_status run_steps(company *c, const tgs_problem *pb, const tgs_schedule *s,
                            tgs_trace **out)
{
    const int32_t steps = steps_of(c);
    const double begin = tgs_i_serial_clock();
    tgs_run *r = NULL;
    tgs_status status = steps < 0 ? tgs_fail(c->err, TGS_ENOMEM, "out of memory") : TGS_OK, closed;

    *out = NULL;
    if (!status)
        status = tgs_run_open(&r, pb, s, c->codelets, c->backend, c->err);
    if (!status)
        status = bind_values(c, r);
    for (int32_t i = 0; i < steps && !status; i++) {
        if (i > LEAST && tgs_i_serial_clock() - begin > LONG_ENOUGH)
            break;
        status = tgs_run_step(r, c->err);
    }
    closed = tgs_run_close(r, out, status ? NULL : c->err);
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

static tgs_status measure(tgs_costs **costs, company *c)
{
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_trace *t = NULL;
    tgs_costs *both = NULL;
    timing *time = NULL;
    tgs_status status = tgs_problem_new_for(&pb, c->g, c->p, *costs, "latbw", c->codelets, c->err);

    if (!status)
        status = tgs_schedule_make(&s, pb, "heft", 1, c->err);
    if (status && status != TGS_ENOMEM) { /* tasks of unknown price, memory too small: not whole */
        status = remark(*costs, "kernels were measured alone, not with all processors busy: %s",
                        c->err->text);
        *c->err = (tgs_error){TGS_OK, ""};
        if (status)
            tgs_fail(c->err, status, "out of memory for measurements");
        goto done;
    }
    if (!status)
        status = run_steps(c, pb, s, &t);
    if (status)
        goto done;
    time = tgs_mem_alloc((size_t)t->v.rans, sizeof *time);
    status = time ? put_together(&both, c, *costs, time, collect(c, &t->v, time))
                  : tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    if (!status) {
        tgs_costs_free(*costs);
        *costs = both;
    } else {
        tgs_costs_free(both);
    }
done:
    tgs_mem_free(time);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
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
