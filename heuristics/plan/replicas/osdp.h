/* osdp.h -- what each operator of a replicated model shares out: costs and choices. */
#ifndef TGS_PLAN_OSDP_H
#define TGS_PLAN_OSDP_H
#include "../step.h"

#define TGS_I_OSDP_CHOICES 4 /* nothing, state, gradients too, parameters too */

typedef struct tgs_i_osdp { /* a size of micro-batch */
    const tgs_planner_ctx *c;
    const tgs_layers *l; /* of the size */
    tgs_i_devices d;
    int32_t n;           /* devices that are used */
    int64_t size, count; /* of a micro-batch; how many a step and device */
    double alpha, beta;  /* of the slowest link */
    double room;         /* bytes of the smallest memory */
    int32_t *at, *choice;
    double *time, *bytes,
        *price;      /* [layer * TGS_I_OSDP_CHOICES + choice]; price: time of what may be chosen */
    int64_t *weight; /* ... cells */
    tgs_i_text text;
} tgs_i_osdp;

/* c, d and n are there: the slowest link and the smallest memory */
void tgs_i_osdp_links(tgs_i_osdp *p);
/* l, size and count too, and rows have their room: times and bytes of every choice */
void tgs_i_osdp_price(tgs_i_osdp *p);
/* choice: the best for so much room on every device; *value is what a step takes then, INFINITY
 * when nothing fits */
tgs_status tgs_i_osdp_choose(tgs_i_osdp *p, double room, double *value);
/* choice: what takes least memory; gather: where parts may be gathered, which takes some too */
void tgs_i_osdp_lightest(tgs_i_osdp *p, bool gather);
#endif
