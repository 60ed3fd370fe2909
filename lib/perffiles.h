/* perffiles.h -- what StarPU keeps about a machine: how many devices, its links, and times of
 * codelets, as text files in DIR/bus and DIR/codelets (or DIR/codelets/NN of a version). */
#ifndef TGS_PERFFILES_H
#define TGS_PERFFILES_H
#include "internal.h"

#define TGS_I_STARPU_SCHEME "starpu:"                              /* starpu:DIR/HOST */
enum { TGS_I_STARPU_CPU, TGS_I_STARPU_CUDA, TGS_I_STARPU_OPENCL }; /* types in its files */

typedef struct tgs_i_starpu_entry { /* of one type, device and implementation */
    int32_t type;
    double bytes, flops;    /* of all data of the task; flops as the application said, or 0 */
    double mean, deviation; /* seconds */
    double count;
} tgs_i_starpu_entry;

/* "DIR/bus/HOST.suffix" of "starpu:DIR/HOST"; NULL without memory.  tgs_mem_free it. */
char *tgs_i_starpu_bus_path(const char *text, const char *suffix);
/* every entry of a performance model (text version 44 to 46) that holds for one worker */
tgs_status tgs_i_starpu_model(const char *path,
                              tgs_status (*add)(void *user, const tgs_i_starpu_entry *e),
                              void *user, tgs_error *err);
/* devices of each type; 0 where the file says none */
tgs_status tgs_i_starpu_config(const char *text, int32_t devices[3], tgs_error *err);
/* matrix[count * count], NaN where nothing is known, from the rows of .bandwidth or .latency */
tgs_status tgs_i_starpu_matrix(const char *text, const char *suffix, int32_t count, double *matrix,
                               tgs_error *err);

/* perfmachine.c, perfcosts.c: "starpu:DIR/HOST" */
tgs_status tgs_i_starpu_platform(tgs_platform **out, const char *text, tgs_error *err);
tgs_status tgs_i_starpu_costs(tgs_costs **out, const char *text, tgs_error *err);
#endif
