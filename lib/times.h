/* times.h -- measured times being read. */
#ifndef TGS_TIMES_H
#define TGS_TIMES_H
#include "hash.h"
#include "internal.h"
#include "pool.h"

typedef struct tgs_i_timed {         /* a name on a kind */
    const char *name, *kind;         /* kind NULL: any */
    double forward, backward, bytes; /* NaN unknown; sums until they are finished */
    int32_t forwards, backwards;     /* how often they were seen */
    int32_t next;                    /* of the same name, -1 */
} tgs_i_timed;

struct tgs_times {
    tgs_i_pool *pool;
    tgs_i_arena arena;
    tgs_i_names names; /* to the first entry */
    tgs_i_timed *entry;
    int64_t entries, room;
};

/* the entry of a name on a kind (NULL: any), made when there is none; NULL: out of memory.  Valid
 * until the next call. */
tgs_i_timed *tgs_i_times_entry(tgs_times *t, const char *name, const char *kind);
/* timesjson.c: the rest of the file */
tgs_status tgs_i_times_json(tgs_times *t, tgs_source *s, tgs_error *err);
#endif
