/* profile.h -- what the readers of layer profiles share: layers with times and sizes, and what each
 * passes to which, become a model of opaque operators. */
#ifndef TGS_READ_PROFILE_H
#define TGS_READ_PROFILE_H
#include "tgsched/model.h"

typedef struct tgs_i_layer {
    const char *name;             /* copied */
    double forward, backward;     /* seconds */
    double activation, parameter; /* bytes */
} tgs_i_layer;

typedef struct tgs_i_profile {
    tgs_model_builder *b;
    tgs_i_layer *layer; /* their names are owned */
    int32_t *from, *to; /* edges */
    double *bytes;      /* of an edge; NaN: the activation of its source */
    int64_t layers, edges;
    int64_t layer_room, from_room, to_room, bytes_room;
} tgs_i_profile;

void tgs_i_profile_open(tgs_i_profile *p, tgs_model_builder *b);
void tgs_i_profile_close(tgs_i_profile *p);
/* the index, or TGS_ENOMEM */
int32_t tgs_i_profile_layer(tgs_i_profile *p, const tgs_i_layer *l);
tgs_status tgs_i_profile_edge(tgs_i_profile *p, int32_t from, int32_t to, double bytes);
/* The operators, in the order of the layers, an edge that is given twice once; several last layers
 * are joined by an operator `profile.end` without times, so that a loss depends on all.  What is
 * wrong with the whole stays in the builder. */
tgs_status tgs_i_profile_finish(tgs_i_profile *p);
#endif
