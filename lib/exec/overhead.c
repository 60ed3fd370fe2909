/* overhead.c -- what a runtime takes beside the kernels, measured by running graphs of which only
 * that is left: the gaps between tasks that do nothing, without and with data; and those between
 * tasks that two processors do in turns, each waiting for the other. */
#include <stdlib.h>
#include <string.h>
#include "overhead.h"
#include "serial.h"

enum { TASKS = 50, ACCESSES = 3 };
#define TURN 1e-4 /* seconds of a task when two take turns: a worker falls asleep meanwhile */

typedef struct bench {
    const tgs_platform *p;
    tgs_codelets *codelets;
    tgs_costs *table;
    const char *backend;
    int32_t repeat;
    double turn, nothing; /* what the kernels of the codelets of this name take */
    double *seconds;      /* [repeat * TASKS] */
    tgs_error *err;
} bench;

static tgs_status hold(const tgs_call *call)
{
    const double *seconds = call->user, end = tgs_i_serial_clock() + *seconds;

    while (*seconds > 0 && tgs_i_serial_clock() < end)
        ;
    return TGS_OK;
}

static tgs_status add_kernels(bench *b)
{
    static const char *const arch[] = {"cpu", "opencl", "cuda"};
    tgs_kernel k = {.dtype = TGS_BYTES, .impl = "overhead", .run = hold};
    tgs_status status = tgs_codelets_new(&b->codelets, b->err);

    b->turn = TURN;
    for (int i = 0; i < 6 && !status; i++) {
        k.codelet = i % 2 ? "tgs-turn" : "tgs-nothing";
        k.user = i % 2 ? &b->turn : &b->nothing;
        k.arch = arch[i / 2];
        status = tgs_codelets_add(b->codelets, &k, b->err);
    }
    return status;
}

typedef enum shape { ALONE, WITH_DATA, IN_TURNS } shape;

static tgs_status make_graph(tgs_graph **out, shape s, tgs_error *err)
{
    tgs_builder *b;
    tgs_status status = tgs_builder_new(&b, err);

    *out = NULL;
    if (status)
        return status;
    for (int32_t d = 0; d < ACCESSES - 1 && s == WITH_DATA; d++)
        tgs_builder_datum_set(b, tgs_builder_datum(b, NULL, 8), "init", "zero");
    for (int32_t t = 0; t < TASKS; t++) {
        tgs_builder_task(b, NULL, s == IN_TURNS ? "tgs-turn" : "tgs-nothing", TURN);
        for (int32_t d = 0; d < ACCESSES - 1 && s == WITH_DATA; d++)
            tgs_builder_access(b, t, d, TGS_R);
        if (s == WITH_DATA)
            tgs_builder_access(b, t, tgs_builder_datum(b, NULL, 8), TGS_W);
        if (s == IN_TURNS && t)
            tgs_builder_after(b, t - 1, t);
    }
    return tgs_builder_finish(out, b, err);
}

/* one task after the other, in turns on the two processors */
static tgs_status make_schedule(tgs_schedule **out, const tgs_problem *pb, const int32_t proc[2],
                                tgs_error *err)
{
    tgs_plan plan;
    double start = 1; /* by then the data are everywhere */
    tgs_status status = tgs_i_plan_new(&plan, TASKS);

    *out = NULL;
    for (int32_t t = 0; t < TASKS && !status; t++) {
        plan.proc[t] = proc[t % 2];
        plan.start[t] = start;
        start += tgs_w(&pb->v, t, plan.proc[t]);
    }
    if (status)
        return tgs_fail(err, status, "out of memory");
    status = tgs_i_schedule_build(out, pb, &plan, "overhead", err);
    tgs_i_plan_free(&plan);
    return status;
}

static tgs_status run_shape(tgs_trace **out, const bench *b, shape s, const int32_t proc[2])
{
    tgs_graph *g = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *schedule = NULL;
    tgs_status status = make_graph(&g, s, b->err);

    *out = NULL;
    if (!status)
        status = tgs_problem_new(&pb, g, b->p, b->table, "latbw", b->err);
    if (!status)
        status = make_schedule(&schedule, pb, proc, b->err);
    if (!status)
        status = tgs_execute(out, pb, schedule, b->codelets, b->backend, b->repeat + 1, b->err);
    if (status) {
        tgs_trace_free(*out); /* what had run */
        *out = NULL;
    }
    tgs_schedule_free(schedule);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    return status;
}

/* the median of the gaps before the tasks on a processor, without the first step; the first task of
 * a step comes after its start, or (first: false) does not count */
static double gaps(const bench *b, const tgs_trace_view *t, int32_t proc, bool first)
{
    tgs_sample s;
    int32_t n = 0;

    for (int32_t i = 0; i < t->rans; i++) {
        const tgs_ran *r = &t->ran[i];
        const bool begins = !i || t->ran[i - 1].step != r->step;

        if (r->step && r->proc == proc && begins == first && n < b->repeat * TASKS)
            b->seconds[n++] = r->start - (begins ? t->step_start[r->step] : t->ran[i - 1].end);
    }
    if (!n)
        return 0;
    tgs_measure_times(b->seconds, n, &s);
    return fmax(0, s.median);
}

static int32_t first_of_kind(const tgs_platform_view *p, int32_t kind, int32_t except)
{
    for (int32_t i = 0; i < p->procs; i++)
        if (i != except && (kind < 0 || p->proc[i].kind == kind))
            return i;
    return -1;
}

static tgs_status measure_alone(const bench *b, int32_t proc, tgs_overhead *o)
{
    const int32_t both[2] = {proc, proc};
    tgs_trace *t;
    tgs_status status = run_shape(&t, b, ALONE, both);

    if (status)
        return status;
    o->task = gaps(b, &t->v, proc, false);
    o->start = gaps(b, &t->v, proc, true);
    tgs_trace_free(t);
    status = run_shape(&t, b, WITH_DATA, both);
    if (status)
        return status;
    o->access = fmax(0, gaps(b, &t->v, proc, false) - o->task) / ACCESSES;
    tgs_trace_free(t);
    return TGS_OK;
}

/* what comes before a task when the other processor's has ended, that one's overhead included */
static tgs_status measure_handover(const bench *b, const int32_t proc[2], tgs_overhead *o)
{
    tgs_trace *t;
    const tgs_status status = run_shape(&t, b, IN_TURNS, proc);

    if (status)
        return status;
    o->handover = gaps(b, &t->v, proc[0], false);
    tgs_trace_free(t);
    return TGS_OK;
}

static tgs_status measure_kinds(bench *b, tgs_overhead *o)
{
    const tgs_platform_view *p = &b->p->v;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < p->kinds && !status; k++) {
        const int32_t proc = first_of_kind(p, k, -1);

        o[k] = (tgs_overhead){.kind = p->kind[k].name, .count = b->repeat};
        if (proc >= 0)
            status = measure_alone(b, proc, &o[k]);
    }
    for (int32_t k = 0; k < p->kinds && !status; k++) {
        int32_t proc[2] = {first_of_kind(p, k, -1), 0};

        proc[1] = proc[0] < 0 ? -1 : first_of_kind(p, k, proc[0]);
        if (proc[0] >= 0 && proc[1] < 0)
            proc[1] = first_of_kind(p, -1, proc[0]);
        if (proc[1] < 0)
            continue; /* nobody to wait for */
        status = measure_handover(b, proc, &o[k]);
        o[k].handover = fmax(0, o[k].handover - o[p->proc[proc[1]].kind].task);
    }
    return status;
}

tgs_status tgs_i_overhead_measure(tgs_costs *into, const tgs_platform *p, const char *backend,
                                  int32_t repeat, tgs_error *err)
{
    bench b = {.p = p, .backend = backend, .repeat = repeat, .err = err};
    tgs_overhead *o = tgs_mem_alloc((size_t)p->v.kinds, sizeof *o);
    tgs_status status;

    b.seconds = tgs_mem_alloc((size_t)repeat * TASKS, sizeof *b.seconds);
    status = o && b.seconds ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = add_kernels(&b);
    if (!status)
        status = tgs_costs_open(&b.table, "table", err);
    if (!status)
        status = measure_kinds(&b, o);
    for (int32_t k = 0; k < p->v.kinds && !status; k++)
        if (first_of_kind(&p->v, k, -1) >= 0) {
            const double speed = p->v.proc[first_of_kind(&p->v, k, -1)].speed;

            o[k].task *= speed; /* costs are those of speed 1 */
            o[k].access *= speed;
            status = tgs_costs_add_overhead(into, &o[k]);
            if (status)
                tgs_fail(err, status, "out of memory for measurements");
        }
    tgs_costs_free(b.table);
    tgs_codelets_free(b.codelets);
    tgs_mem_free(b.seconds);
    tgs_mem_free(o);
    return status;
}
