/* foreign.h -- machines in files of other programs: which of them a file is, and how it is read. */
#ifndef TGS_FOREIGN_H
#define TGS_FOREIGN_H
#include "platform.h"

typedef struct tgs_i_foreign {
    const char *name;
    bool (*sniff)(const char *head, size_t size);
    tgs_status (*load)(tgs_platform **out, tgs_source *s, tgs_error *err);
} tgs_i_foreign;
/* NULL: none of them */
const tgs_i_foreign *tgs_i_foreign_find(const char *head, size_t size);

tgs_status tgs_i_hwloc_load(tgs_platform **out, tgs_source *s, tgs_error *err);   /* hwlocxml.c */
tgs_status tgs_i_simgrid_load(tgs_platform **out, tgs_source *s, tgs_error *err); /* simgrid.c */
tgs_status tgs_i_dslab_load(tgs_platform **out, tgs_source *s, tgs_error *err);   /* dslab.c */
tgs_status tgs_i_rates_load(tgs_platform **out, tgs_source *s, tgs_error *err);   /* rates.c */

/* where a machine tells its speed in flop/s, speed 1 is this many */
#define TGS_I_FOREIGN_FLOPS 1e9
/* the kind of such a machine */
tgs_status tgs_i_foreign_kind(tgs_i_assembly *a, tgs_error *err);
/* a host of that kind: a memory of its name (capacity INFINITY: unknown), and cores of it */
tgs_status tgs_i_foreign_host(tgs_i_assembly *a, const char *name, double flops, int64_t cores,
                              double capacity, int32_t node, tgs_error *err);
#endif
