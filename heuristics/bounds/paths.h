/* paths.h -- longest paths in which every task may sit where it likes, for the path bounds. */
#ifndef TGS_BOUNDS_PATHS_H
#define TGS_BOUNDS_PATHS_H
#include "tgsched/plugin.h"

/* What the cheapest move into and out of each memory costs.  Memories that are alike for paths
 * share a row: there are as many numbers per task as rows. */
typedef struct tgs_i_moves {
    double *in_lat, *in_inv, *out_lat, *out_inv; /* [memories] */
    int32_t rows;
    int32_t *row;    /* [memories] */
    int32_t *memory; /* [rows] the first of each */
    int32_t *proc;   /* [procs] enough of them to know the least time of any task in each row */
    int32_t procs;
} tgs_i_moves;

tgs_status tgs_i_moves_open(const tgs_view *v, tgs_i_moves *x, tgs_error *err);
void tgs_i_moves_close(tgs_i_moves *x);
/* to[b] = max(to[b], min over a of (from[a] + c(a, b))), or with the arguments of c exchanged */
void tgs_i_moves_pass(const tgs_view *v, const tgs_i_moves *x, const double *from, int32_t datum,
                      bool back, double *to);
/* w[rows]: the least time of a task in each */
void tgs_i_moves_times(const tgs_view *v, const tgs_i_moves *x, int32_t task, double *w);
/* ends[task * rows + row], zeros before: the earliest end of any copy there,
 *     F(j, b) = max over predecessors u of min over a of (F(u, a) + w(u, a) + c(u, j, a, b))
 * plus w(j, b); begins with release times and initial data.  w is scratch. */
void tgs_i_moves_forward(const tgs_view *v, const tgs_i_moves *x, double *ends, double *w);
/* rests[task * rows + row], zeros before: the least time from the start of a task that runs once,
 *     O(j, a) = max over successors v of min over b of (c(j, v, a, b) + w(v, b) + O(v, b))
 * plus w(j, a); O alone is added to add, of the same shape */
void tgs_i_moves_backward(const tgs_view *v, const tgs_i_moves *x, double *rests, double *w,
                          double *add);

/* the least number of a task */
static inline double tgs_i_moves_least(const tgs_i_moves *x, const double *number, int32_t task)
{
    double least = INFINITY;

    for (int32_t a = 0; a < x->rows; a++)
        least = fmin(least, number[(int64_t)task * x->rows + a]);
    return least;
}
#endif
