/* real.h -- the graphs that the benches run on real numbers; between realgraphs.c and real.c. */
#ifndef TGS_BENCH_REAL_H
#define TGS_BENCH_REAL_H
#include "internal.h"

enum { REAL_GRAPHS = 6 };
extern const char *const real_names[REAL_GRAPHS];
/* mean task of a millisecond or more; ends the program when it cannot be made */
tgs_graph *real_graph(int which);
/* the built-in codelets, and kernels for the tiles of cholesky and lu */
tgs_codelets *real_codelets(void);
/* tasks without a kernel: they sleep for 4 to 8 ms */
tgs_graph *timed_graph(void);
/* to stderr; the first run warms up */
void tell_worst(const char *graph, const tgs_trace *t);
void must(tgs_status status, const tgs_error *err);
#endif
