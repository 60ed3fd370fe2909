/* starpu_crowd.c -- do workers share their cores? */
#include <stdlib.h>
#include <unistd.h>
#include "starpu_core.h"

/* an OpenCL device may be this CPU (PoCL), whose kernels run in threads on the same cores */
bool tgs_i_spu_crowded(const spu_want *want)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const char *on_cpus = getenv("STARPU_OPENCL_ON_CPUS");
    long threads = 0;

    for (int a = 0; a < SPU_ARCHS; a++)
        threads += want->count[a];
    if (want->count[SPU_OPENCL] && on_cpus && atoi(on_cpus) > 0)
        threads += cores;
    return threads > cores;
}
