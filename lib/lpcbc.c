/* lpcbc.c -- the solver of linear programs is the module tgsched-lp. */
#include "internal.h"
#include "lp.h"

bool tgs_lp_available(void)
{
    return true;
}

tgs_status tgs_i_lp_module(tgs_i_lp_relaxing **relax, tgs_i_lp_solving **solve, tgs_error *err)
{
    union { /* a symbol is a function here */
        void *symbol;
        tgs_i_lp_relaxing *relax;
        tgs_i_lp_solving *solve;
    } first, second;
    tgs_status status = tgs_module_symbol("lp", "tgs_lp_cbc_relax", &first.symbol, err);

    if (!status)
        status = tgs_module_symbol("lp", "tgs_lp_cbc_solve", &second.symbol, err);
    if (status)
        return status;
    *relax = first.relax;
    *solve = second.solve;
    return TGS_OK;
}
