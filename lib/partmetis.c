/* partmetis.c -- the module tgsched-part: METIS.
 *
 * G. Karypis, V. Kumar, "Multilevel k-way partitioning scheme for irregular graphs", J. Parallel
 * Distrib. Comput. 48(1), 1998.
 *
 * METIS draws from rand(), which it seeds itself, and keeps its allocations in static lists: one
 * call at a time, behind a lock. */
#include <metis.h>
#include <pthread.h>
#include "metiscall.h"

_Static_assert(sizeof(idx_t) == sizeof(int32_t) && sizeof(real_t) == sizeof(float),
               "METIS with 32-bit indices and reals");

tgs_status tgs_i_metis_kway(const tgs_i_metis_call *call, tgs_error *err);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

tgs_status tgs_i_metis_kway(const tgs_i_metis_call *call, tgs_error *err)
{
    idx_t options[METIS_NOPTIONS], n = call->vertices, weights = call->weights, parts = call->parts,
                                   cut;
    int result;

    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = call->seed;
    options[METIS_OPTION_NUMBERING] = 0;
    pthread_mutex_lock(&lock);
    result = METIS_PartGraphKway(&n, &weights, call->at, call->to, call->vertex_weight, NULL,
                                 call->edge_weight, &parts, call->share, call->imbalance, options,
                                 &cut, call->part);
    pthread_mutex_unlock(&lock);
    if (result == METIS_ERROR_MEMORY)
        return tgs_fail(err, TGS_ENOMEM, "METIS: out of memory for %d vertices", (int)n);
    return result == METIS_OK ? TGS_OK : tgs_fail(err, TGS_EBACKEND, "METIS: error %d", result);
}
