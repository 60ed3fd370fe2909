/* starpu_compat.h -- what StarPU 1.4 declares otherwise than 1.3, as configure has found it;
 * without any of these macros it is 1.3.  Include it after starpu.h.
 *
 *   TGS_STARPU_NO_NMIC, TGS_STARPU_NO_NMPI_MS   starpu_conf has no such field
 *   TGS_STARPU_INT_HOME                         a data interface is told its home as an int
 *   TGS_STARPU_NO_PAIR_COPIES                   copies go through any_to_any only */
#ifndef TGS_STARPU_COMPAT_H
#define TGS_STARPU_COMPAT_H

#ifdef TGS_STARPU_INT_HOME
typedef int spu_home;
#else
typedef unsigned spu_home;
#endif

/* only the workers that were asked for */
static inline void spu_conf_no_others(struct starpu_conf *conf)
{
#ifndef TGS_STARPU_NO_NMIC
    conf->nmic = 0;
#endif
#ifndef TGS_STARPU_NO_NMPI_MS
    conf->nmpi_ms = 0;
#endif
    (void)conf;
}

#ifdef TGS_STARPU_NO_PAIR_COPIES
#define SPU_PAIR_COPIES 0
#else
#define SPU_PAIR_COPIES 1
#endif
#endif
