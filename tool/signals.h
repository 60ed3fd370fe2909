/* signals.h -- signals that end work early, and keep what is done. */
#ifndef TGS_TOOL_SIGNALS_H
#define TGS_TOOL_SIGNALS_H

#include <signal.h>

enum { WATCHED_MOST = 2 };

/* the signals watched at the moment; one watch at a time */
typedef struct signals {
    int n, number[WATCHED_MOST];
    struct sigaction before[WATCHED_MOST];
} signals;

/* From here on the first of these n signals calls act (which must be safe in a handler), and the
 * next one ends the process, as if nobody watched.  A signal that is ignored stays so: whoever
 * started us wants us to go on. */
void signals_watch(signals *s, const int *number, int n, void (*act)(int number));

void signals_restore(const signals *s);

#endif
