/* t_fj.c -- fj on the training steps of steps.h, with less work than by default: shorter than heft
 * in the mean by 2 %, never longer, and certified. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include "steps.h"

static void steps(void **state)
{
    double sum = 0;

    (void)state;
    for (int i = 0; i < STEP_CASES; i++) {
        const step_case *c = &step_cases[i];
        step_result r;
        tgs_error err;
        const tgs_status status = step_measure(&r, c, "fj:work=300000", &err);

        if (status == TGS_ENOTAPPLICABLE) { /* no ONNX here */
            print_message("%s\n", err.text);
            exit(77);
        }
        if (status)
            fail_msg("%s on %s: %s", c->name, c->node, err.text);
        if (!(r.fj <= 1.05 * r.heft))
            fail_msg("%s on %s: fj %g, heft %g", c->name, c->node, r.fj, r.heft);
        if (!(r.certified > 0 && r.certified <= r.fj && r.lower <= r.fj * (1 + 1e-9)))
            fail_msg("%s on %s: fj %g, certified %g, bound %g", c->name, c->node, r.fj, r.certified,
                     r.lower);
        sum += log(r.fj / r.heft);
    }
    if (!(exp(sum / STEP_CASES) <= 0.98))
        fail_msg("geometric mean of fj over heft %g", exp(sum / STEP_CASES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
