/* lp.h -- a linear program as lib/lp*.c and the module tgsched-lp see it. */
#ifndef TGS_LP_IMPL_H
#define TGS_LP_IMPL_H
#include "tgsched/lp.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tgs_i_total { /* high + low is near a sum of products */
    double high, low, absolute;
    int64_t terms;
} tgs_i_total;

struct tgs_lp {
    int32_t columns, rows;
    double *cost, *low, *high; /* [columns] */
    char *integer;             /* [columns] */
    double *row_low, *row_high;
    int32_t *row_at; /* CSR by row: [rows + 1] */
    int32_t *column;
    double *coefficient;
    int32_t *mark;                   /* [columns] 1 + where a row being added has the column */
    tgs_i_total *reduced;            /* [columns] for tgs_lp_safe_bound */
    int32_t *column_name, *row_name; /* offsets into text; 0: none given */
    char *text;
    int32_t remark;       /* as a name; 0: none */
    double *value;        /* [columns] of the last solution; answered of them are known */
    double *dual;         /* [rows] of the last relaxation; NULL, or priced of them are known */
    unsigned char *basis; /* [basis_columns, then basis_rows] Clp's status of the last relaxation */
    int32_t answered, priced, basis_columns, basis_rows;
    int64_t column_room[7], row_room[3], row_at_room, entry_room[2], text_room;
    int32_t text_size;
    tgs_status status; /* of the first failure */
    const char *what;
};

/* what the module does.  Fills value, and dual and basis too when it relaxes, and *answer; the
 * arrays have room.  It throws nothing, prints nothing, and keeps nothing. */
typedef tgs_status tgs_i_lp_relaxing(tgs_lp *lp, tgs_lp_answer *answer, tgs_error *err);
typedef tgs_status tgs_i_lp_solving(tgs_lp *lp, const tgs_lp_limits *limits, tgs_lp_answer *answer,
                                    tgs_error *err);
tgs_status tgs_lp_cbc_relax(tgs_lp *lp, tgs_lp_answer *answer, tgs_error *err);
tgs_status tgs_lp_cbc_solve(tgs_lp *lp, const tgs_lp_limits *limits, tgs_lp_answer *answer,
                            tgs_error *err);

/* lpcbc.c, or lpnone.c in a build without a solver: what the module's functions are */
tgs_status tgs_i_lp_module(tgs_i_lp_relaxing **relax, tgs_i_lp_solving **solve, tgs_error *err);
/* lpsolve.c: the solver is at work.  Tests that make allocations fail spare it then: CBC does not
 * survive that. */
bool tgs_i_lp_busy(void);
/* lpsolve.c: the largest violation of a bound or row at value, as a share of what it could be off
 * by: 1 + the largest term */
double tgs_i_lp_violation(const tgs_lp *lp, const double *value);

#ifdef __cplusplus
}
#endif
#endif
