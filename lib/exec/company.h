/* company.h -- between run.c and company.c. */
#ifndef TGS_EXEC_COMPANY_H
#define TGS_EXEC_COMPANY_H
#include "internal.h"

/* Replaces the samples of *costs, measured alone, by the times that the same tasks take when the
 * graph itself is run on all processors under a backend (a spec) that runs them at once.  Nothing
 * is replaced where there is nobody to keep company; nor where the graph cannot be planned as a
 * whole, which *costs then remark. */
tgs_status tgs_i_company_measure(tgs_costs **costs, const tgs_graph *g, const tgs_platform *p,
                                 const tgs_codelets *codelets, const char *backend, int32_t repeat,
                                 tgs_error *err);
#endif
