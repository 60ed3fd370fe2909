/* platform.h -- how a platform is put together; used by the file reader, the one-line spec, host
 * and by measured links. */
#ifndef TGS_PLATFORM_H
#define TGS_PLATFORM_H
#include "internal.h"

/* Limits, so that a short text cannot ask for a huge machine.  Routes are kept for every ordered
 * pair of memories, which is why there are fewer of those. */
#define TGS_I_PROCS_MAX    4096
#define TGS_I_MEMORIES_MAX 2048
#define TGS_I_KINDS_MAX    1024
#define TGS_I_NODES_MAX    4096
/* of a link nothing is known about: about PCIe 3 x16 as measured */
#define TGS_I_LINK_BANDWIDTH 12e9
#define TGS_I_LINK_LATENCY   1e-5

/* What the library knows about a kind by its name; specs and host use it, files do not. */
typedef struct tgs_i_known {
    const char *name, *arch;
    double flops, bandwidth, overhead; /* f32 without matrix units; byte/s; seconds */
} tgs_i_known;
extern const tgs_i_known tgs_i_known_kinds[]; /* ends with a NULL name */
/* a kind of this name; of architecture "cpu" and with unknown rates when the name is not known */
tgs_kind tgs_i_kind_named(const char *name);

typedef struct tgs_i_assembly tgs_i_assembly; /* a platform being written */
/* source: whose place is named in errors, or NULL; must outlive the assembly */
tgs_status tgs_i_assembly_new(tgs_i_assembly **out, const tgs_source *source, tgs_error *err);
/* Each copies what it is given, checks it, and stores the new index in *index (may be NULL). */
tgs_status tgs_i_assembly_kind(tgs_i_assembly *a, const tgs_kind *k, int32_t *index,
                               tgs_error *err);
tgs_status tgs_i_assembly_memory(tgs_i_assembly *a, const tgs_memory *m, int32_t *index,
                                 tgs_error *err);
tgs_status tgs_i_assembly_proc(tgs_i_assembly *a, const tgs_proc *p, int32_t *index,
                               tgs_error *err);
tgs_status tgs_i_assembly_bus(tgs_i_assembly *a, const tgs_bus *b, int32_t *index, tgs_error *err);
tgs_status tgs_i_assembly_link(tgs_i_assembly *a, const tgs_link *l, tgs_error *err);
typedef enum tgs_i_part { TGS_I_KIND, TGS_I_MEMORY, TGS_I_PROC, TGS_I_BUS, TGS_I_PARTS } tgs_i_part;
/* index of a name, or -1 */
int32_t tgs_i_assembly_find(const tgs_i_assembly *a, tgs_i_part part, const char *name);
/* always consumes a */
tgs_status tgs_i_assembly_finish(tgs_platform **out, tgs_i_assembly *a, tgs_error *err);
void tgs_i_assembly_free(tgs_i_assembly *a);

/* route.c: fill lat, inv, relay_lat, relay_inv, route_at and route of v from its links */
tgs_status tgs_i_route(tgs_platform_view *v, tgs_error *err);

uint64_t tgs_i_platform_hash(const tgs_platform_view *v);
/* platform_file.c: to text, and from text */
void tgs_i_platform_put(FILE *to, const tgs_platform_view *v);
tgs_status tgs_i_platform_load(tgs_platform **out, tgs_source *s, tgs_error *err);
#endif
