/* counts.h -- how many big jobs of each type run on each class? */
#ifndef TGS_FJ_COUNTS_H
#define TGS_FJ_COUNTS_H
#include "form.h"

enum { TGS_I_FJ_BIG = 200 }; /* most big jobs, those longer than an eighth of the schedule */

/* Raises a->lower, nothing else of a.  *found: class_of [n] is what a program for little more than
 * that has, jobs of one class to be sequenced.  Nothing happens without a solver of linear
 * programs, for more than 4 classes, without big jobs, or with too many of them. */
tgs_status tgs_i_fj_counts(const tgs_i_fj_form *f, double eps, double limit, tgs_i_fj_answer *a,
                           int32_t *class_of, bool *found, tgs_error *err);
#endif
