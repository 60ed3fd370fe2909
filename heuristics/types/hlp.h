/* hlp.h -- the allocation that HLP and HLP-OLS share. */
#ifndef TGS_TYPES_HLP_H
#define TGS_TYPES_HLP_H
#include "tgsched/plugin.h"

/* a view that allows each task only the kind that the linear program gives it most of; members of
 * groups stay free.  bound: of the program, seconds.  time is the view's, to be freed. */
tgs_status tgs_i_hlp_allocate(const tgs_ctx *c, tgs_view *view, double **time, double *bound,
                              tgs_error *err);
/* the note and the bound of a plan */
void tgs_i_hlp_tell(tgs_plan *plan, const tgs_view *v, double bound);
extern const tgs_param tgs_i_hlp_params[];
#endif
