/* paths.h -- longest paths in which every task may sit where it likes, for the path bounds. */
#ifndef TGS_BOUNDS_PATHS_H
#define TGS_BOUNDS_PATHS_H
#include "tgsched/plugin.h"

typedef struct tgs_i_moves { /* what the cheapest move into and out of each memory costs */
    double *in_lat, *in_inv, *out_lat, *out_inv;
} tgs_i_moves;

tgs_status tgs_i_moves_open(const tgs_view *v, tgs_i_moves *x, tgs_error *err);
void tgs_i_moves_close(tgs_i_moves *x);
/* to[b] = max(to[b], min over a of (from[a] + c(a, b))), or with the arguments of c exchanged */
void tgs_i_moves_pass(const tgs_view *v, const tgs_i_moves *x, const double *from, int32_t datum,
                      bool back, double *to);
/* w[memories]: the least time of a task in each */
void tgs_i_moves_times(const tgs_view *v, int32_t task, double *w);
/* ends[task * memories + memory], zeros before: the earliest end of any copy there,
 *     F(j, b) = max over predecessors u of min over a of (F(u, a) + w(u, a) + c(u, j, a, b))
 * plus w(j, b); begins with release times and initial data.  w is scratch. */
void tgs_i_moves_forward(const tgs_view *v, const tgs_i_moves *x, double *ends, double *w);
#endif
