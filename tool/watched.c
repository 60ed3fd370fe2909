/* watched.c -- a heuristic, or planners, at work: a bar on a terminal, and an end to it on SIGINT.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "signals.h"

#define WIDTH 30  /* of the bar */
#define PAUSE 0.1 /* seconds between two looks of it */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    static const char text[] = "\ntgsched: ending with the best so far; again: at once\n";

    (void)number;
    interrupted = 1;
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return; /* nobody to tell */
}

static int stop(void *user)
{
    (void)user;
    return interrupted;
}

typedef struct bar {
    const char *heuristic;
    double shown; /* when */
} bar;

static void show(void *user, double done)
{
    bar *b = user;
    const double time = now();
    char text[WIDTH + 1];

    if (interrupted || time - b->shown < PAUSE)
        return;
    b->shown = time;
    for (int i = 0; i < WIDTH; i++)
        text[i] = i < WIDTH * done ? '#' : '-';
    text[WIDTH] = 0;
    progress("[%s] %3.0f %% %.60s", text, 100 * fmin(fmax(done, 0), 1), b->heuristic);
}

static void begin(signals *s)
{
    const int number = SIGINT;

    interrupted = 0;
    signals_watch(s, &number, 1, interrupt);
}

static void end(signals *s)
{
    signals_restore(s);
    progress(NULL);
}

tgs_status watched_make(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                        uint64_t seed, tgs_error *err)
{
    bar b = {heuristic, now()}; /* what is done at once shows none */
    const tgs_watch watch = {stop, show, &b};
    tgs_status status;
    signals s;

    begin(&s);
    status = tgs_schedule_make_with(out, pb, heuristic, seed, &watch, err);
    end(&s);
    return status;
}

tgs_status watched_plan(tgs_proposal **out, const tgs_plan_input *in, const char *planner,
                        tgs_error *err)
{
    bar b = {planner, now()};
    const tgs_watch watch = {stop, show, &b};
    tgs_plan_input watched = *in;
    tgs_status status;
    signals s;

    watched.watch = &watch;
    begin(&s);
    status = tgs_planner_make(out, &watched, planner, err);
    end(&s);
    return status;
}

tgs_status watched_plans(tgs_plan_answer *answer, int32_t count, const tgs_plan_input *in,
                         tgs_error *err)
{
    bar b = {"of the planners", now()};
    const tgs_watch watch = {stop, show, &b};
    tgs_plan_input watched = *in;
    tgs_status status;
    signals s;

    watched.watch = &watch;
    begin(&s);
    status = tgs_planners_make(answer, count, &watched, err);
    end(&s);
    return status;
}
