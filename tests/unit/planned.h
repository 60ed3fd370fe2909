/* planned.h -- models under planners' proposals and other strategies, executed on CPU workers and
 * three OpenCL devices; include cmocka.h first. */
#ifndef TESTS_UNIT_PLANNED_H
#define TESTS_UNIT_PLANNED_H
#include <stddef.h>
#include <stdint.h>

typedef struct setting {
    const char *planner;  /* NULL: the strategy is given */
    const char *strategy; /* what it must say, or all of it */
    int32_t memories;     /* that have tasks, at least */
} setting;

typedef struct planned {
    const char *piece, *whole; /* the model, with the samples of a micro-batch and with all 32 */
    int32_t inputs;            /* with the labels */
    int32_t classes;           /* whole numbers are below this */
    int32_t positions;         /* of an input "positions": in a sample */
} planned;

/* every strategy has the parameters of the plain step, and moved what it had to */
void planned_all(const planned *of, const setting *setting, size_t n);
/* runs tests where there is an OpenCL device; an exit status */
int planned_main(const struct CMUnitTest *tests, size_t n);
#endif
