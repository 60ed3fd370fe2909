/* worst.c -- what the worst of a plan's runs has that the others have not: one task that took long,
 * all of them a little longer, or time between tasks. */
#include <stdlib.h>
#include "real.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* took: [steps * tasks] */
static void tell(const char *graph, const tgs_trace_view *t, int worst, const double *took)
{
    double *room = calloc((size_t)t->steps, sizeof *room), more = 0, usual = 0, most = 0,
           middle = 0;
    int32_t slowest = 0;

    for (int32_t task = 0; room && task < t->tasks; task++) {
        const double here = took[worst * t->tasks + task];
        double median;

        for (int32_t s = 1; s < t->steps; s++)
            room[s - 1] = took[s * t->tasks + task];
        qsort(room, (size_t)t->steps - 1, sizeof *room, by_value);
        median = room[(t->steps - 1) / 2];
        usual += median;
        more += here - median;
        if (here - median > most) {
            most = here - median;
            middle = median;
            slowest = task;
        }
    }
    fprintf(stderr,
            "bench: %s: the worst run, %d, took %.2f ms: its tasks %+.2f ms on %.2f, of which task "
            "%s %+.2f on %.2f\n",
            graph, worst, 1e3 * (t->step_end[worst] - t->step_start[worst]), 1e3 * more,
            1e3 * usual, t->task_name[slowest], 1e3 * most, 1e3 * middle);
    free(room);
}

void tell_worst(const char *graph, const tgs_trace *trace)
{
    const tgs_trace_view *t = &trace->v;
    double *took = calloc((size_t)t->steps * (size_t)t->tasks, sizeof *took);
    int worst = 1;

    for (int32_t i = 0; took && i < t->rans; i++)
        took[t->ran[i].step * t->tasks + t->ran[i].task] = t->ran[i].end - t->ran[i].start;
    for (int s = 1; s < t->steps; s++)
        if (t->step_end[s] - t->step_start[s] > t->step_end[worst] - t->step_start[worst])
            worst = s;
    if (took)
        tell(graph, t, worst, took);
    free(took);
}
