/* even.h -- jobs that all take the same time on a class: p of a class is one number. */
#ifndef TGS_FJ_EVEN_H
#define TGS_FJ_EVEN_H
#include "form.h"
#include "onemachine.h"

/* a class without r and q: its jobs run one after another from time 0 to the end */
bool tgs_i_fj_is_local(const tgs_i_fj_form *f, int32_t g);
/* one p > 0 for all jobs of each class, and not all classes local */
bool tgs_i_fj_is_even(const tgs_i_fj_form *f);
/* how many jobs the local classes hold by L, at most n */
int32_t tgs_i_fj_local_room(const tgs_i_fj_form *f, double L);
/* job[count] to the local classes, each where it ends first, into a; when the last one ends.
 * end [machines] and item [machines] are room */
typedef struct tgs_i_fj_local {
    double *end;
    struct tgs_heap_item *item;
} tgs_i_fj_local;
double tgs_i_fj_fill_local(const tgs_i_fj_form *f, const int32_t *job, int32_t count,
                           const tgs_i_fj_local *room, tgs_i_fj_answer *a);

/* Starts only at multiples of p: the least L of such schedules is a matching, and less than the
 * largest p above the optimum, since rounding up every start of an optimal schedule gives one.
 * With the releases (or the tails, in reversed time) of every class at multiples of its p it is the
 * optimum: *known.  Else lower is raised, and a schedule better than a becomes a.  O(n log n) a
 * test of L for one class that is not local, a flow for several. */
tgs_status tgs_i_fj_aligned(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known);

enum { TGS_I_FJ_NESTED = 500 }; /* most jobs */
/* One class that is not local, and if there are local ones, r and q in the same order of jobs: the
 * local ones take as many as they hold, those with the largest r and q; the others are a matter of
 * windows.  Exact. */
tgs_status tgs_i_fj_nested(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known);

/* Can the jobs, all as long as the first, run on m machines with no C_j + q_j above L?  If so,
 * machine (0 .. m - 1) and start.  Exact but for a relative 1e-12 of L. */
tgs_status tgs_i_fj_windows(const tgs_i_fj_jobs *j, int32_t m, double L, int32_t *machine,
                            double *start, bool *feasible);
#endif
