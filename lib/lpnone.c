/* lpnone.c -- a build without a solver of linear programs. */
#include "internal.h"
#include "lp.h"

bool tgs_lp_available(void)
{
    return false;
}

tgs_status tgs_i_lp_module(tgs_i_lp_relaxing **relax, tgs_i_lp_solving **solve, tgs_error *err)
{
    (void)relax;
    (void)solve;
    return tgs_fail(err, TGS_ENOTAPPLICABLE,
                    "this tgsched was built without a solver of linear programs (CBC, Debian: "
                    "coinor-libcbc-dev)");
}
