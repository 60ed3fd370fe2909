/* costs.h -- the part of tgsched.h about measured costs (.tgc files): what they hold, several made
 * one, and the same within their error.  Include tgsched.h. */
#ifndef TGSCHED_COSTS_H
#define TGSCHED_COSTS_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Measurements are repeated; times far above the others (something else ran) are rejected and
 * counted, and the figures are of those that are left.  spread: median absolute deviation. */
typedef struct tgs_sample {       /* of a codelet with attrs on a kind of processor of speed 1 */
    const char *codelet, *attrs, *kind;
    tgs_dtype dtype;
    double flops, bytes;          /* of the task: what sizes are interpolated over; NaN unknown */
    double min, median, spread;   /* seconds */
    int32_t count, rejected;
} tgs_sample;
typedef struct tgs_link_sample {  /* latency + bytes / bandwidth, fitted over sizes */
    const char *from, *to;        /* memories */
    double latency, bandwidth;    /* seconds, byte/s */
    double spread;                /* of the smallest copy, seconds */
    double misfit;                /* largest relative error of the fit at a measured size */
    int32_t count, rejected;
} tgs_link_sample;
typedef struct tgs_overhead {     /* what the runtime takes beside kernels, on a kind; seconds */
    const char *kind;
    double task, access;          /* of every task, and for each of its accesses */
    double handover;              /* until a task begins that waited for another processor */
    double start;                 /* until the first task of a step begins */
    int32_t count;
} tgs_overhead;

/* c holds samples in this order; what out points to lives as long as c */
int32_t tgs_costs_samples(const tgs_costs *c);
int32_t tgs_costs_links(const tgs_costs *c);
int32_t tgs_costs_overheads(const tgs_costs *c);
void tgs_costs_sample(const tgs_costs *c, int32_t i, tgs_sample *out);
void tgs_costs_link(const tgs_costs *c, int32_t i, tgs_link_sample *out);
void tgs_costs_overhead(const tgs_costs *c, int32_t i, tgs_overhead *out);
/* what could not be measured as it should have been, and why, in one line; NULL: nothing */
const char *tgs_costs_remark(const tgs_costs *c);

/* All measurements of several in one.  What measures the same becomes one: minima, means of the
 * other figures weighted with counts, sums of counts.  In the order of first appearance.
 * TGS_EINVAL: one of them is no set of measurements ("roofline"). */
tgs_status tgs_costs_merge(tgs_costs **out, const tgs_costs *const *from, int32_t count,
                           tgs_error *err);
/* The same measurements, each wrong by as much as it may be: medians and latencies by a normal
 * deviate of the standard deviation that the spread stands for (1.4826 times it), medians never
 * below min where it is less (else it is unknown); times per byte by one of the misfit.  Overheads
 * stay.  Equal seeds, equal costs.  TGS_ENOTAPPLICABLE: no measurement has a spread. */
tgs_status tgs_costs_disturb(tgs_costs **out, const tgs_costs *c, uint64_t seed, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
