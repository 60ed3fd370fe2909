/* t_milp_long.c -- the published graphs of ten tasks by the integer program, with and without a
 * schedule to begin with.  For `make check-long`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "problems.h"
#include "tgsched/lp.h"

static void check(const char *graph, const char *platform, const char *spec, double best)
{
    fixture f;
    tgs_schedule *s;
    tgs_error err;

    if (tgs_schedule_make(&s, example(&f, graph, platform), spec, 1, &err))
        fail_msg("%s", err.text);
    print_message("%s, %s: %.17g, %s\n", graph, spec, tgs_schedule_makespan(s), s->note);
    assert_real(tgs_schedule_makespan(s), best);
    assert_text(s->note, "optimal to 1e-6, says CBC after * nodes");
    assert_true(s->lower_bound <= best);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void published(void **state)
{
    static const char *const spec[] = {"milp", "milp:start=heft", "milp:start=none"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        check("topcuoglu.tg", "topcuoglu.tgp", spec[i], 73);
        check("peft.tg", "peft.tgp", spec[i], 113);
        check("kwok-ahmad.tg", "cpu:2/own link:1,0", spec[i], 17);
        check("kwok-ahmad.tg", "cpu:3/own link:1,0", spec[i], 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(published)};

    if (!tgs_lp_available()) {
        printf("this tgsched was built without CBC\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
