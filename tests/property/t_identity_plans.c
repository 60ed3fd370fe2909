/* t_identity_plans.c -- schedules and traces with names of any bytes and the extremes of every
 * number: what is written reads back equal, and is written again as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "identity.h"
#include "trace.h"

/* ---- schedules --------------------------------------------------------------------------------
 */

/* any instant at all: whether a schedule keeps the rules is not the file's business */
static double instant(void)
{
    return natural() * (chance(0.2) ? -1 : 1);
}

static tgs_graph *random_graph(void)
{
    const int32_t n = 1 + below(20);
    tgs_builder *b;
    tgs_graph *g;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int32_t t = 0; t < n; t++)
        tgs_builder_task(b, chance(0.7) ? text() : NULL, NULL, natural());
    for (int32_t d = 0; d < MOST; d++) {
        tgs_builder_datum(b, chance(0.7) ? text() : NULL, natural());
        for (int32_t t = below(n); t < n; t += 1 + below(4))
            tgs_builder_access(b, t, d, chance(0.5) ? TGS_R : chance(0.5) ? TGS_W : TGS_RW);
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
    return g;
}

/* a version of some datum: -1, or an access that writes it */
static int32_t some_version(const tgs_graph_view *g, int32_t *datum)
{
    const int32_t i = g->accesses ? below(g->accesses) : -1;

    *datum = i < 0 ? 0 : (int32_t)g->access[i].datum;
    return i >= 0 && g->access[i].mode & TGS_W ? i : -1;
}

static tgs_schedule *random_schedule(const tgs_problem *pb)
{
    const tgs_view *v = &pb->v;
    tgs_plan plan;
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_i_plan_new(&plan, v->n), TGS_OK);
    for (int32_t t = 0; t < v->n; t++) {
        plan.proc[t] = below(v->m);
        plan.start[t] = instant();
        if (chance(0.2))
            assert_int_equal(tgs_plan_copy(&plan, t, below(v->m), instant()), TGS_OK);
    }
    for (int32_t i = below(2 * MOST); i > 0; i--) {
        tgs_move m = {.from = below(v->p->memories), .to = below(v->p->memories)};
        tgs_drop d = {.memory = chance(0.3) ? -1 : below(v->p->memories), .time = instant()};

        m.version = some_version(v->g, &m.datum);
        d.version = some_version(v->g, &d.datum);
        m.start = instant();
        m.end = instant();
        assert_int_equal(tgs_plan_move(&plan, &m), TGS_OK);
        assert_int_equal(tgs_plan_drop(&plan, &d), TGS_OK);
    }
    plan.timed = chance(0.5);
    plan.lower_bound = unknown_or(natural());
    snprintf(plan.note, sizeof plan.note, "%s", chance(0.5) ? "" : text());
    if (tgs_i_schedule_build(&s, pb, &plan, text(), &err))
        fail_msg("%s", err.text);
    tgs_i_plan_free(&plan);
    return s;
}

static void same_places(const tgs_schedule *s, const tgs_schedule *t)
{
    assert_int_equal(s->v.places, t->v.places);
    for (int32_t i = 0; i < s->v.places; i++) {
        const tgs_place *x = &s->v.place[i], *y = &t->v.place[i];

        assert_int_equal(x->task, y->task);
        assert_int_equal(x->proc, y->proc);
        same_real(x->start, y->start);
        same_real(x->end, y->end);
    }
}

static void same_schedule(const tgs_schedule *s, const tgs_schedule *t)
{
    assert_string_equal(s->v.heuristic, t->v.heuristic);
    assert_string_equal(s->note, t->note);
    same_real(s->lower_bound, t->lower_bound);
    assert_int_equal(s->v.timed, t->v.timed);
    same_places(s, t);
    assert_int_equal(s->v.moves, t->v.moves);
    assert_int_equal(s->v.drops, t->v.drops);
    for (int32_t i = 0; i < s->v.moves; i++) {
        const tgs_move *x = &s->v.move[i], *y = &t->v.move[i];

        assert_int_equal(x->datum, y->datum);
        assert_int_equal(x->version, y->version);
        assert_int_equal(x->from, y->from);
        assert_int_equal(x->to, y->to);
        same_real(x->start, y->start);
        same_real(x->end, y->end);
    }
    for (int32_t i = 0; i < s->v.drops; i++) {
        const tgs_drop *x = &s->v.drop[i], *y = &t->v.drop[i];

        assert_int_equal(x->datum, y->datum);
        assert_int_equal(x->version, y->version);
        assert_int_equal(x->memory, y->memory);
        same_real(x->time, y->time);
    }
}

static void schedules(void **state)
{
    (void)state;
    tgs_rng_seed(&rng, 33);
    for (int32_t i = 0; i < ROUNDS; i++) {
        tgs_graph *g = random_graph();
        tgs_platform *p = random_platform(false);
        two_files f = files_open();
        tgs_problem *pb;
        tgs_schedule *s, *back;
        tgs_error err = {TGS_OK, ""};

        if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err))
            fail_msg("%s", err.text);
        s = random_schedule(pb);
        assert_int_equal(tgs_schedule_write(s, pb, f.first, &err), TGS_OK);
        if (tgs_schedule_read(&back, f.first, pb, &err))
            fail_msg("schedule %d: %s", (int)i, err.text);
        same_schedule(s, back);
        assert_int_equal(tgs_schedule_write(back, pb, f.again, &err), TGS_OK);
        files_close(&f);
        tgs_schedule_free(back);
        tgs_schedule_free(s);
        tgs_problem_free(pb);
        tgs_platform_free(p);
        tgs_graph_free(g);
    }
}

/* ---- traces -----------------------------------------------------------------------------------
 */

typedef struct sizes {
    int32_t tasks, data, procs, memories, steps;
} sizes;

static void log_names(tgs_trace_log *l, const sizes *n)
{
    for (int32_t i = 0; i < n->memories; i++)
        assert_int_equal(tgs_i_log_text(l, &l->memory, chance(0.8) ? text() : ""), TGS_OK);
    for (int32_t i = 0; i < n->procs; i++)
        assert_int_equal(tgs_i_log_proc(l, chance(0.8) ? text() : "", chance(0.8) ? text() : "",
                                        below(n->memories)),
                         TGS_OK);
    for (int32_t i = 0; i < n->tasks; i++)
        assert_int_equal(tgs_i_log_task(l, chance(0.8) ? text() : "", chance(0.8) ? text() : "",
                                        below(TGS_PHASE_COMMUNICATION + 1)),
                         TGS_OK);
    for (int32_t i = 0; i < n->data; i++)
        assert_int_equal(tgs_i_log_text(l, &l->datum, chance(0.8) ? text() : ""), TGS_OK);
    l->edge_at = tgs_mem_alloc((size_t)n->tasks + 2, sizeof *l->edge_at);
    l->edge = tgs_mem_alloc((size_t)n->tasks, sizeof *l->edge);
    assert_true(l->edge_at && l->edge);
    for (int32_t i = 0; i < n->tasks; i++) { /* a chain with holes */
        l->edge_at[i + 1] = l->edge_at[i];
        if (i + 1 < n->tasks && chance(0.7))
            l->edge[l->edge_at[i + 1]++] = i + 1;
    }
}

static void log_events(tgs_trace_log *l, const sizes *n)
{
    for (int32_t i = 0; i < n->steps; i++) {
        const double start = natural();

        assert_int_equal(tgs_log_step(l, start, start + natural()), TGS_OK);
    }
    for (int32_t i = below(40); i > 0; i--) {
        const double start = instant(), end = start + natural();
        const int32_t step = below(n->steps);
        const tgs_ran r = {below(n->tasks),
                           below(n->procs),
                           step,
                           chance(0.3) ? TGS_RAN_SYNTHETIC : 0,
                           start,
                           end};
        const tgs_moved m = {below(n->data),
                             below(n->memories),
                             below(n->memories),
                             step,
                             below(TGS_WHY_RELOAD + 1),
                             natural(),
                             start,
                             end};
        const tgs_used u = {below(n->memories), step, start, natural()};

        assert_int_equal(tgs_log_ran(l, &r), TGS_OK);
        assert_int_equal(tgs_log_moved(l, &m), TGS_OK);
        assert_int_equal(tgs_log_used(l, &u), TGS_OK);
    }
}

static tgs_trace *random_trace(void)
{
    const sizes n = {1 + below(20), 1 + below(9), 1 + below(5), 1 + below(4), 1 + below(3)};
    tgs_trace_log *l;
    tgs_trace *t;

    assert_int_equal(tgs_i_log_empty(&l, text(), chance(0.8) ? text() : ""), TGS_OK);
    tgs_i_log_bound(l, unknown_or(natural()));
    log_names(l, &n);
    log_events(l, &n);
    assert_int_equal(tgs_i_log_finish(&t, l, NULL), TGS_OK);
    return t;
}

static void same_texts(const char *const *x, const char *const *y, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        assert_string_equal(x[i], y[i]);
}

static void same_things(const tgs_trace_view *x, const tgs_trace_view *y)
{
    assert_true(x->tasks == y->tasks && x->data == y->data && x->procs == y->procs
                && x->memories == y->memories && x->steps == y->steps);
    assert_string_equal(x->origin, y->origin);
    assert_string_equal(x->title, y->title);
    same_real(x->lower_bound, y->lower_bound);
    same_texts(x->task_name, y->task_name, x->tasks);
    same_texts(x->task_codelet, y->task_codelet, x->tasks);
    same_texts(x->datum_name, y->datum_name, x->data);
    same_texts(x->proc_name, y->proc_name, x->procs);
    same_texts(x->proc_kind, y->proc_kind, x->procs);
    same_texts(x->memory_name, y->memory_name, x->memories);
    assert_memory_equal(x->proc_memory, y->proc_memory, (size_t)x->procs * sizeof(int32_t));
    assert_memory_equal(x->task_phase, y->task_phase, (size_t)x->tasks * sizeof(int32_t));
    assert_memory_equal(x->edge_at, y->edge_at, ((size_t)x->tasks + 1) * sizeof(int32_t));
    assert_memory_equal(x->edge, y->edge, (size_t)x->edge_at[x->tasks] * sizeof(int32_t));
}

/* what equal events are in no order between them is compared where the text is */
static void same_events(const tgs_trace_view *x, const tgs_trace_view *y)
{
    assert_true(x->rans == y->rans && x->moveds == y->moveds && x->useds == y->useds);
    for (int32_t i = 0; i < x->steps; i++) {
        same_real(x->step_start[i], y->step_start[i]);
        same_real(x->step_end[i], y->step_end[i]);
    }
    for (int32_t i = 0; i < x->rans; i++) {
        same_real(x->ran[i].start, y->ran[i].start);
        same_real(x->ran[i].end, y->ran[i].end);
        assert_true(x->ran[i].task == y->ran[i].task && x->ran[i].step == y->ran[i].step);
    }
    for (int32_t i = 0; i < x->moveds; i++) {
        same_real(x->moved[i].start, y->moved[i].start);
        same_real(x->moved[i].bytes, y->moved[i].bytes);
        assert_true(x->moved[i].why == y->moved[i].why && x->moved[i].step == y->moved[i].step);
    }
    for (int32_t i = 0; i < x->useds; i++) {
        same_real(x->used[i].time, y->used[i].time);
        same_real(x->used[i].bytes, y->used[i].bytes);
    }
}

static void traces(void **state)
{
    (void)state;
    tgs_rng_seed(&rng, 34);
    for (int32_t i = 0; i < ROUNDS; i++) {
        tgs_trace *t = random_trace(), *back;
        two_files f = files_open();
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_trace_write(t, f.first, &err), TGS_OK);
        if (tgs_trace_read(&back, f.first, &err))
            fail_msg("trace %d: %s", (int)i, err.text);
        same_things(&t->v, &back->v);
        same_events(&t->v, &back->v);
        assert_int_equal(tgs_trace_write(back, f.again, &err), TGS_OK);
        files_close(&f);
        tgs_trace_free(back);
        tgs_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules),
        cmocka_unit_test(traces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
