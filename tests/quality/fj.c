/* fj.c -- fj against heft on training steps: CSV to stdout, the mean and the worst at its end. */
#include <math.h>
#include "steps.h"

int main(void)
{
    double sum = 0, worst = 0;

    puts("step,node,heft_s,fj_s,ratio,lower_bound_s,bound,certified,note");
    for (int i = 0; i < STEP_CASES; i++) {
        const step_case *c = &step_cases[i];
        step_result r;
        tgs_error err;

        if (step_measure(&r, c, "fj", &err)) {
            fprintf(stderr, "quality: %s on %s: %s\n", c->name, c->node, err.text);
            return 1;
        }
        printf("%s,%s,%.6g,%.6g,%.4f,%.6g,%s,%.4f,\"%s\"\n", c->name, c->node, r.heft, r.fj,
               r.fj / r.heft, r.lower, r.bound, r.fj / r.lower, r.note);
        fflush(stdout);
        sum += log(r.fj / r.heft);
        worst = fmax(worst, r.fj / r.heft);
    }
    printf("# %d steps: geometric mean of fj over heft %.4f, worst %.4f\n", STEP_CASES,
           exp(sum / STEP_CASES), worst);
    return 0;
}
