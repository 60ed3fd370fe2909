/* stale.c -- every module of the library as another build might have left it, for t_module: nothing
 * in it may be called. */
#include <stdlib.h>

#ifdef STAMP
extern const char tgs_i_module_stamp[];
const char tgs_i_module_stamp[] = STAMP;
#endif

#define STALE(symbol)  \
    void symbol(void); \
    void symbol(void)  \
    {                  \
        abort();       \
    }
STALE(tgs_lp_cbc_relax)
STALE(tgs_lp_cbc_solve)
STALE(tgs_i_metis_kway)
STALE(tgs_onnx_read)
STALE(tgs_i_starpu_backend)
STALE(tgs_i_starpu_adapt)
STALE(tgs_i_starpu_probe)
