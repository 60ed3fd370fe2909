/* t_report -- what the reports compute: steps, sums, the critical chain, axes, colours; and that no
 * report fails on an odd trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "report/core.h"

/* Two processors, p (memory 0) and q (memory 1); tasks a -> b -> d, c -> d.
 *
 *   step 0   p: a 0-1, c 1-4      q: b 2-3, d 5-6     (a's data moves 1-2, c's 4-5)
 *   step 1   the same, 10 later, and d takes 2 */
static const char *const task[] = {"a", "b", "c", ""}, *const codelet[] = {"k", "k", "l", ""};
static const char *const datum[] = {"x", "y", ""}, *const memory[] = {"ram", "gpu"};
static const char *const proc[] = {"p", "q"}, *const kind[] = {"cpu", "gpu"};
static const int32_t proc_memory[] = {0, 1}, phase[] = {1, 1, 2, 3};
static const int32_t edge_at[] = {0, 1, 2, 3, 3}, edge[] = {1, 3, 3};
static const tgs_ran ran[] = {
    {0, 0, 0, 0, 0, 1},   {2, 0, 0, 0, 1, 4},   {1, 1, 0, 0, 2, 3},   {3, 1, 0, 1, 5, 6},
    {0, 0, 1, 0, 10, 11}, {2, 0, 1, 0, 11, 14}, {1, 1, 1, 0, 12, 13}, {3, 1, 1, 1, 15, 17},
};
static const tgs_moved moved[] = {
    {0, 0, 1, 0, 0, 100, 1, 2},   {1, 0, 1, 0, 1, 300, 4, 5},  {0, 0, 1, 1, 0, 100, 11, 12},
    {1, 0, 1, 1, 1, 300, 14, 15}, {2, 1, 0, 1, 3, 50, 17, 17},
};
static const tgs_used used[] = {
    {0, 0, 0, 400}, {1, 0, 1, 100}, {0, 1, 10, 400}, {1, 1, 11, 100}, {1, 1, 14, 400}};
static const double step_start[] = {0, 10}, step_end[] = {6, 17};

static tgs_trace_view view(void)
{
    return (tgs_trace_view){.tasks = 4,
                            .data = 3,
                            .procs = 2,
                            .memories = 2,
                            .steps = 2,
                            .rans = 8,
                            .moveds = 5,
                            .useds = 5,
                            .ran = ran,
                            .moved = moved,
                            .used = used,
                            .step_start = step_start,
                            .step_end = step_end,
                            .task_name = task,
                            .task_codelet = codelet,
                            .datum_name = datum,
                            .proc_name = proc,
                            .memory_name = memory,
                            .proc_kind = kind,
                            .proc_memory = proc_memory,
                            .task_phase = phase,
                            .edge_at = edge_at,
                            .edge = edge,
                            .origin = "test",
                            .title = "a title",
                            .lower_bound = 5};
}

static void steps_and_sums(void **state)
{
    const tgs_trace_view t = view();
    int32_t largest[2];
    tgs_i_step s;
    tgs_i_sums x;

    (void)state;
    tgs_i_step_of(&s, &t, 0);
    assert_int_equal(s.ran_at, 0);
    assert_int_equal(s.ran_end, 4);
    assert_int_equal(s.moved_end, 2);
    tgs_i_step_last(&s, &t);
    assert_int_equal(s.index, 1);
    assert_true(s.start == 10 && s.end == 17);
    assert_int_equal(s.ran_at, 4);
    assert_int_equal(s.ran_end, 8);
    assert_int_equal(s.moved_at, 2);
    assert_int_equal(s.used_at, 2);
    assert_int_equal(tgs_i_sums_of(&x, &s, NULL), TGS_OK);
    assert_true(x.busy[0] == 4 && x.busy[1] == 3);
    assert_int_equal(x.tasks[1], 2);
    assert_true(x.link_bytes[0 * 2 + 1] == 400 && x.link_bytes[1 * 2 + 0] == 50 && x.bytes == 450);
    assert_true(x.link_time[1] == 2 && x.link_count[1] == 2);
    assert_true(x.peak[0] == 400 && x.peak[1] == 400);
    assert_int_equal(x.synthetic, 1);
    assert_int_equal(tgs_i_largest(x.datum_bytes, 3, largest, 2), 2);
    assert_int_equal(largest[0], 1);
    assert_int_equal(largest[1], 0);
    tgs_i_sums_free(&x);
}

static void largest_are_in_order_and_ties_by_index(void **state)
{
    const double bytes[] = {5, 0, 7, 5, 9, 5};
    int32_t out[4];

    (void)state;
    assert_int_equal(tgs_i_largest(bytes, 6, out, 4), 4);
    assert_memory_equal(out, ((const int32_t[]){4, 2, 0, 3}), sizeof out);
    assert_int_equal(tgs_i_largest(bytes, 2, out, 4), 1);
    assert_int_equal(tgs_i_largest(bytes, 0, out, 4), 0);
}

/* d waited for c (which ended last of its predecessors), c for a on the same processor */
static void chain_follows_what_held_a_task_up(void **state)
{
    const tgs_trace_view t = view();
    int32_t *chain, count;
    tgs_i_step s;

    (void)state;
    tgs_i_step_last(&s, &t);
    assert_int_equal(tgs_i_chain_of(&chain, &count, &s, NULL), TGS_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(chain, ((const int32_t[]){4, 5, 7}), sizeof(int32_t) * 3);
    tgs_mem_free(chain);
}

/* of two predecessors the one whose data came last, though it ended first */
static void chain_waits_for_the_last_arrival(void **state)
{
    static const tgs_ran late[] = {{0, 0, 0, 0, 0, 1}, {1, 1, 0, 0, 0, 2}, {3, 1, 0, 0, 7, 8}};
    static const tgs_moved way[] = {{0, 0, 1, 0, 0, 100, 1, 7}, {1, 0, 1, 0, 0, 1, 6, 9}};
    static const int32_t at[] = {0, 1, 2, 2, 2}, to[] = {3, 3};
    tgs_trace_view t = view();
    int32_t *chain, count;
    tgs_i_step s;

    (void)state;
    t.ran = late;
    t.rans = 3;
    t.moved = way;
    t.moveds = 2;
    t.steps = 1;
    t.edge_at = at;
    t.edge = to;
    tgs_i_step_last(&s, &t);
    assert_int_equal(tgs_i_chain_of(&chain, &count, &s, NULL), TGS_OK);
    assert_int_equal(count, 2);
    assert_memory_equal(chain, ((const int32_t[]){0, 2}), sizeof(int32_t) * 2);
    tgs_mem_free(chain);
}

static void an_empty_trace_has_no_chain(void **state)
{
    tgs_trace_view t = view();
    int32_t *chain, count;
    tgs_i_step s;

    (void)state;
    t.rans = t.moveds = t.useds = t.steps = 0;
    tgs_i_step_last(&s, &t);
    assert_int_equal(tgs_i_chain_of(&chain, &count, &s, NULL), TGS_OK);
    assert_int_equal(count, 0);
    tgs_mem_free(chain);
}

static void axes_have_few_round_steps(void **state)
{
    static const struct {
        double length;
        int32_t n;
        double step;
    } c[] = {
        {80, 10, 10}, {81, 8, 20}, {100, 10, 10}, {0.003, 10, 5e-4},
        {1, 10, 0.1}, {7, 3, 5},   {0, 5, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const double step = tgs_i_axis_step(c[i].length, c[i].n);

        if (fabs(step - c[i].step) > 1e-12 * c[i].step)
            fail_msg("%g in %d steps: %g, not %g", c[i].length, c[i].n, step, c[i].step);
    }
    for (double length = 1e-9; length < 1e9; length *= 1.7) {
        const double steps = length / tgs_i_axis_step(length, 10);

        assert_true(steps <= 10 * (1 + 1e-9) && steps >= 3.9);
    }
}

static void numbers_have_four_digits_and_a_unit(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(tgs_i_seconds(text, 0), "0 s");
    assert_string_equal(tgs_i_seconds(text, 80), "80 s");
    assert_string_equal(tgs_i_seconds(text, 12345), "12345 s");
    assert_string_equal(tgs_i_seconds(text, 0.00123456), "1.235 ms");
    assert_string_equal(tgs_i_seconds(text, 0.99999), "1 s"); /* not 1000 ms */
    assert_string_equal(tgs_i_seconds(text, 3e-10), "0.3 ns");
    assert_string_equal(tgs_i_seconds(text, NAN), "");
    assert_string_equal(tgs_i_bytes(text, 0), "0 B");
    assert_string_equal(tgs_i_bytes(text, 1023), "1023 B");
    assert_string_equal(tgs_i_bytes(text, 1536), "1.5 KiB");
    assert_string_equal(tgs_i_bytes(text, 5.5 * 1024 * 1024 * 1024), "5.5 GiB");
}

static void colours_are_of_phases_or_codelets(void **state)
{
    static const int32_t one_phase[] = {1, 1, 1, 1};
    tgs_trace_view t = view();
    tgs_i_palette p;

    (void)state;
    assert_int_equal(tgs_i_palette_of(&p, &t, NULL), TGS_OK);
    assert_true(p.by_phase);
    assert_int_equal(p.names, 3);
    assert_string_equal(tgs_i_fill(&p, &t, 0), tgs_i_fill(&p, &t, 1));
    assert_string_not_equal(tgs_i_fill(&p, &t, 1), tgs_i_fill(&p, &t, 2));
    tgs_i_palette_free(&p);
    t.task_phase = one_phase;
    assert_int_equal(tgs_i_palette_of(&p, &t, NULL), TGS_OK);
    assert_false(p.by_phase);
    assert_string_equal(tgs_i_fill(&p, &t, 0), tgs_i_fill(&p, &t, 1));
    assert_string_not_equal(tgs_i_fill(&p, &t, 1), tgs_i_fill(&p, &t, 2));
    tgs_i_palette_free(&p);
}

/* every report of ordinary, empty and mismatched traces: written, or refused with a reason */
static void every_report_survives_every_trace(void **state)
{
    tgs_trace_view t = view(), empty = view(), fewer = view();
    const tgs_trace_view *const pair[][2] = {{&t, NULL},   {&t, &t},     {&empty, NULL},
                                             {&t, &empty}, {&empty, &t}, {&t, &fewer},
                                             {&fewer, &t}};
    int written = 0;

    (void)state;
    empty.rans = empty.moveds = empty.useds = empty.steps = 0;
    empty.lower_bound = NAN;
    fewer.procs = fewer.memories = 1; /* another machine: one processor saw only step 0's a and c */
    fewer.rans = 2;
    fewer.moveds = 0;
    fewer.useds = 1;
    fewer.steps = 1;
    for (const tgs_i_kind *k = tgs_i_kinds; k->name; k++)
        for (int i = 0; !strcmp(k->name, "report") && k->plugin[i]; i++)
            for (size_t j = 0; j < sizeof pair / sizeof *pair; j++) {
                const tgs_report_plugin *r = (const tgs_report_plugin *)k->plugin[i];
                tgs_error err = {TGS_OK, ""};
                char *text = NULL;
                size_t size = 0;
                FILE *to = open_memstream(&text, &size);
                const tgs_status status = r->write(pair[j][0], pair[j][1], to, &err);

                fclose(to);
                if (status)
                    assert_true(status == TGS_EINVAL && *err.text && j >= 5);
                else
                    assert_true(size > 0 && text[size - 1] == '\n');
                written += !status;
                free(text);
            }
    assert_true(written >= 6 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_sums),
        cmocka_unit_test(largest_are_in_order_and_ties_by_index),
        cmocka_unit_test(chain_follows_what_held_a_task_up),
        cmocka_unit_test(chain_waits_for_the_last_arrival),
        cmocka_unit_test(an_empty_trace_has_no_chain),
        cmocka_unit_test(axes_have_few_round_steps),
        cmocka_unit_test(numbers_have_four_digits_and_a_unit),
        cmocka_unit_test(colours_are_of_phases_or_codelets),
        cmocka_unit_test(every_report_survives_every_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
