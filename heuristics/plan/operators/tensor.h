/* tensor.h -- what the planner of tensor parallelism looks at. */
#ifndef TGS_PLAN_TENSOR_H
#define TGS_PLAN_TENSOR_H
#include "../step.h"

enum { TGS_I_TENSOR_TRIED = 2 }; /* of each mode, by simulation */

typedef struct tgs_i_tensor_choice {
    double estimate, received; /* seconds of a step; bytes per shard and micro-batch */
    int64_t size;
    tgs_i_grid grid;
    int32_t replicas, split, products;
} tgs_i_tensor_choice;

typedef struct tgs_i_tensor_planning {
    const tgs_planner_ctx *c;
    const tgs_layers *l;
    tgs_i_devices d;
    tgs_i_product *product; /* [layers]; no rows: none */
    bool *in;               /* [layers] split */
    uint8_t *from;          /* [layers * 3] the state before each state */
    tgs_i_tensor_choice best[TGS_I_TENSORS][TGS_I_TENSOR_TRIED];
    int32_t kept[TGS_I_TENSORS];
    bool full;   /* some setting does not fit */
    bool anyhow; /* none does: also what does not fit is wanted, to tell what is missing */
    tgs_proposal *chosen;
    tgs_evaluation e;
    tgs_error refused; /* why a choice could not be lowered */
} tgs_i_tensor_planning;

/* the products of x->l */
void tgs_i_tensor_find(tgs_i_tensor_planning *x);
/* bytes of an element of a product */
double tgs_i_tensor_element(const tgs_layer *l);
/* the layers that pay, x->in, and the seconds of a step; INFINITY: none does, or it does not fit */
double tgs_i_tensor_estimate(tgs_i_tensor_planning *x, tgs_i_tensor_choice *k, bool all);
#endif
