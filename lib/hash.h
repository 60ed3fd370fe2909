/* hash.h -- names to indices: open addressing over texts that live in one arena. */
#ifndef TGS_HASH_H
#define TGS_HASH_H
#include <stdint.h>
#include "tgsched.h"

/* Texts stored end to end; offset 0 is "".  Offsets fit an int32_t. */
typedef struct tgs_i_arena {
    char *text;
    int64_t size, room;
} tgs_i_arena;
/* the offset of a copy of s, or a negative status; "" is 0 */
int32_t tgs_i_arena_add(tgs_i_arena *a, const char *s);
void tgs_i_arena_free(tgs_i_arena *a);

typedef struct tgs_i_names {
    struct tgs_i_slot *slot; /* hash, text offset, value */
    int64_t slots, used;
} tgs_i_names;
/* value of s, or -1 */
int32_t tgs_i_names_get(const tgs_i_names *n, const tgs_i_arena *a, const char *s);
/* s must be the arena's text at offset, and absent */
tgs_status tgs_i_names_put(tgs_i_names *n, const tgs_i_arena *a, int32_t offset, int32_t value);
void tgs_i_names_free(tgs_i_names *n);

/* names.c: all names of a graph, copied into the arena, and their indices */
struct tgs_graph_view;
tgs_status tgs_i_index_tasks(const struct tgs_graph_view *g, tgs_i_arena *a, tgs_i_names *names);
tgs_status tgs_i_index_data(const struct tgs_graph_view *g, tgs_i_arena *a, tgs_i_names *names);
#endif
