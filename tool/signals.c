/* signals.c -- the first signal is a request, the second one an end. */
#include "signals.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds within which a second signal is the echo of the first: timeout(1) and many a
 * supervisor send it to the process and then to its group, so that it comes twice. */
static const int64_t echo = 500000000;

static void (*on_first)(int);
static _Atomic int64_t first; /* when it came, 0: not yet */

static int64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t); /* safe in a handler */
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void handle(int number)
{
    const int kept = errno;
    const int64_t time = clock_ns();
    int64_t none = 0;

    if (atomic_compare_exchange_strong(&first, &none, time)) { /* threads may get one each */
        on_first(number);
    } else if (time - none >= echo) {
        signal(number, SIG_DFL);
        raise(number); /* takes effect when this handler returns */
    }
    errno = kept;
}

void signals_watch(signals *s, const int *number, int n, void (*act)(int number))
{
    struct sigaction ours = {.sa_handler = handle};

    on_first = act;
    first = 0;
    s->n = n;
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < n; i++) {
        s->number[i] = number[i];
        sigaction(number[i], NULL, &s->before[i]);
        if (s->before[i].sa_handler != SIG_IGN)
            sigaction(number[i], &ours, NULL);
    }
}

void signals_restore(const signals *s)
{
    for (int i = 0; i < s->n; i++)
        sigaction(s->number[i], &s->before[i], NULL);
}
