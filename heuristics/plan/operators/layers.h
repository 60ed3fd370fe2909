/* layers.h -- one implementation for each layer of a chain, from a table of times: HEP-BNN
 * (Bereholschi, Lin, Yayla, Chen, 2023, arXiv 2301.05126), with and without a price of changing
 * sides. */
#ifndef TGS_PLAN_LAYERS_H
#define TGS_PLAN_LAYERS_H
#include "tgsched/plugin.h"

typedef struct tgs_i_layer_times {
    int32_t layers, choices;
    const double *time;  /* [layer * choices + choice] seconds; INFINITY: it cannot */
    const int32_t *side; /* [choices] where it computes */
} tgs_i_layer_times;

/* the sum of the layers' times and, for each change of the side, change; start: the side before the
 * first layer and after the last one; -1: any, which costs nothing */
double tgs_i_layers_cost(const tgs_i_layer_times *x, const int32_t *choice, double change,
                         int32_t start);
/* the fastest of each layer, the first of equal ones; returns the sum of the times.  O(layers *
 * choices) */
double tgs_i_layers_argmin(const tgs_i_layer_times *x, int32_t *choice);
/* the least cost: a shortest path over (layer, side).  O(layers * (choices + sides^2)) */
tgs_status tgs_i_layers_viterbi(const tgs_i_layer_times *x, double change, int32_t start,
                                int32_t *choice, double *cost);

/* ---- layertable.c: measured times of implementations, per batch ------------------------------
 * A table with the columns network, implementation, batch, layer, host_s, kernel_s.  Of one
 * network; an implementation that was not timed for a batch has INFINITY there. */
typedef struct tgs_i_layer_table {
    int32_t layers, choices, batches;
    const char *name[64];    /* of the implementations, in the order of the table */
    int64_t batch[64];       /* ascending */
    double *time;            /* [batch][layer][choice] seconds */
    double mixed[64];        /* [batch] what a mixed run was measured to take; NAN: it was not */
    int32_t side[64];        /* 0 the host's implementation, 1 the others */
    struct tgs_i_csv *table; /* owns the names */
} tgs_i_layer_table;
/* network "": the only one there is.  host names the implementation on the host; mixed the rows of
 * mixed runs, which are no choice.  TGS_EPARSE for what is no such table, for tables of several
 * networks, and for rows that have other layers than the rest. */
tgs_status tgs_i_layer_table_read(tgs_i_layer_table *x, tgs_source *s, const char *network,
                                  const char *host, const char *mixed, tgs_error *err);
void tgs_i_layer_table_close(tgs_i_layer_table *x);
#endif
