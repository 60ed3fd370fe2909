/* lists.h -- from classes to machines and starts: list schedules, and exchanges between machines.
 */
#ifndef TGS_FJ_LISTS_H
#define TGS_FJ_LISTS_H
#include "form.h"
#include "tgsched/heap.h"

typedef struct tgs_i_fj_lists { /* room, and the jobs by r of each class */
    const tgs_i_fj_form *f;
    int32_t *by_r;               /* [classes * n] */
    int32_t *jobs, *machine;     /* [n] of one class; of the schedule at hand */
    double *start, *trial, *key; /* [n] */
    int32_t *trial_machine;      /* [n] */
    tgs_heap free, released;
} tgs_i_fj_lists;

tgs_status tgs_i_fj_lists_open(tgs_i_fj_lists *x, const tgs_i_fj_form *f);
void tgs_i_fj_lists_close(tgs_i_fj_lists *x);
/* Each class by several priorities, until its length is at most `enough`; a better schedule than a
 * becomes a.  One machine: Schrage, and Carlier for few jobs.  O(n log n). */
tgs_status tgs_i_fj_lists_run(tgs_i_fj_lists *x, const int32_t *class_of, double enough,
                              tgs_i_fj_answer *a);

/* One list for all classes, jobs only where they would be through by T; a->L is INFINITY when that
 * leaves some out.  O(classes n log n) */
tgs_status tgs_i_fj_lists_shared(tgs_i_fj_lists *x, double T, double weight, bool after_r,
                                 tgs_i_fj_answer *a);

/* Moves jobs off the machine that is through last, or exchanges them, until L is at most `enough`,
 * nothing helps, or `most` jobs, or *work of them, have been sequenced; *work is what is left. */
tgs_status tgs_i_fj_improve(const tgs_i_fj_form *f, int64_t most, int64_t *work, double enough,
                            tgs_i_fj_answer *a);
#endif
