/* builder.h -- a graph being written; shared by builder.c and finish.c. */
#ifndef TGS_BUILDER_H
#define TGS_BUILDER_H
#include "hash.h"
#include "internal.h"

#define TGS_I_MAX_KINDS 64        /* a mask of kinds is a uint64_t */
#define TGS_I_MAX_DATA  (1 << 30) /* an access packs datum and mode into 32 bits */

typedef struct tgs_i_touch { /* an access, in the order of the calls */
    int32_t task;
    uint32_t datum : 30, mode : 2;
} tgs_i_touch;

struct tgs_builder {
    tgs_error first; /* the first failure; every later call returns its status */
    tgs_i_arena arena;
    tgs_i_names task_names, datum_names, codelet_names;
    tgs_i_names attrs; /* as they were given; the offsets of their canonical form */
    tgs_task *task;
    tgs_datum *datum;
    tgs_datum_extra *extra;
    tgs_constraint *constraint;
    int64_t *dim;
    tgs_i_touch *touch;
    int32_t *after;   /* pairs */
    int32_t *codelet; /* offsets */
    int32_t *line;    /* [lines] where a task stands in its file, 0 unknown; NULL: nobody said */
    char note[TGS_I_NOTE];
    double *time[TGS_I_MAX_KINDS]; /* a column per kind that has times, NaN elsewhere; or NULL */
    int64_t time_room[TGS_I_MAX_KINDS], times[TGS_I_MAX_KINDS];
    int32_t kind[TGS_I_MAX_KINDS]; /* offsets */
    int64_t tasks, data, extras, constraints, dims, touches, afters, codelets, kinds;
    int64_t task_room, datum_room, extra_room, constraint_room, dim_room, touch_room, after_room,
        codelet_room, lines, line_room;
};

/* builder.c, for its own files */
tgs_status tgs_i_builder_fail(tgs_builder *b, tgs_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));                    /* remembers the first; returns it */
int32_t tgs_i_builder_keep(tgs_builder *b, const char *text); /* arena offset; -1 on failure */
int32_t tgs_i_builder_kind(tgs_builder *b, const char *kind); /* index; -1 on failure */
int32_t tgs_i_builder_name(tgs_builder *b, tgs_i_names *names, const char *what, const char *name,
                           int64_t value); /* offset of a new name; -1 on failure */
bool tgs_i_builder_bad_task(tgs_builder *b, int32_t task);
bool tgs_i_builder_bad_datum(tgs_builder *b, int32_t datum);

/* builder.c: for who makes many tasks that are like others (lowergraph.c), and whose names are new
 * without being looked up; of a codelet, what tgs_task has */
tgs_status tgs_i_builder_room(tgs_builder *b, int64_t tasks, int64_t data, int64_t accesses);
int32_t tgs_i_builder_codelet(tgs_builder *b, const char *name); /* -1: none, or a failure */
int32_t tgs_i_builder_add(tgs_builder *b, const tgs_task *t);
/* tgs_builder_access of a task, a datum and a mode that are known to be there */
tgs_status tgs_i_builder_touch(tgs_builder *b, int32_t task, int32_t datum, tgs_mode mode);
int32_t tgs_i_builder_add_datum(tgs_builder *b, const tgs_datum *d, const tgs_datum_extra *x);

/* finish.c: tgs_builder_finish for what was read from s: its errors say where in s they are */
tgs_status tgs_i_builder_finish_from(tgs_graph **out, tgs_builder *b, const tgs_source *s,
                                     tgs_error *err);

/* arcs.c: predecessors and successors of v's tasks in CSR, each list ascending, without repeats;
 * frees arc; TGS_ENOMEM */
typedef struct tgs_i_arc {
    int32_t from, to, datum; /* datum -1: order only */
} tgs_i_arc;
tgs_status tgs_i_arcs_link(tgs_graph_view *v, tgs_i_arc *arc, int64_t arcs);

/* graph.c: g has accesses, dependencies and order; takes the rest from b */
tgs_status tgs_i_graph_adopt(tgs_graph *g, tgs_builder *b, tgs_error *err);
#endif
