/* core.h -- what the planners share: each part once, in the file that names its section. */
#ifndef TGS_PLAN_CORE_H
#define TGS_PLAN_CORE_H
#include "tgsched/plugin.h"

/* ---- bottleneck.c: equal units to unlike machines ------------------------------------------- */
/* count[n] with sum units that minimises max count_i / speed_i: each unit goes where it ends first,
 * to the smallest (a_i + 1) / p_i, ties to the first.  most[i] units fit machine i; NULL: all of
 * them.  *longest is that maximum.  TGS_EINFEASIBLE when they do not fit.  O(n + units log n). */
tgs_status tgs_i_bottleneck(int32_t n, const double *speed, const int64_t *most, int64_t units,
                            int64_t *count, double *longest, tgs_error *err);

/* ---- split.c: a batch over unlike devices ---------------------------------------------------- */
typedef struct tgs_i_curve { /* of a device */
    const double *time;      /* [cap + 1] seconds of so many samples; time[0] is 0 */
    int64_t cap;             /* the samples that fit its memory */
} tgs_i_curve;
/* share[n] with sum batch that minimises the longest time, exactly.  Where that leaves a choice the
 * shares are as large as the time allows, less what is too many from the device that takes
 * longest, ties from the first (monotone curves), or as small as can be from the last on (others).
 * TGS_EINFEASIBLE when the caps do not add up to the batch.  O(sum of caps * log) for monotone
 * curves, else O(batch * sum of caps). */
tgs_status tgs_i_split(int32_t n, const tgs_i_curve *curve, int64_t batch, int64_t *share,
                       double *longest, tgs_error *err);
/* level[n] with sum total, each at most room: the same everywhere but where the room ends before.
 * TGS_EINFEASIBLE, with what is missing, when the rooms do not add up to total.  O(n log n). */
tgs_status tgs_i_fill_rooms(int32_t n, const double *room, double total, double *level,
                            tgs_error *err);

/* ---- replicas/scan.c: equal steps of devices that are unlike ------------------------------------
 */
/* A step of batch samples in equal micro-steps, in each of which device i has at most b[i] samples:
 * for a longest time T of a micro-step b_i(T) = the most samples within T, steps(T) =
 * ceil(batch / sum b_i), and of all T the one of the least steps (longest time + between) is taken,
 * ties to the fewest steps.  between: seconds of communication in every micro-step.  Curves are
 * monotone.  TGS_EINFEASIBLE when nothing fits.  O(values log values), values = sum of caps. */
tgs_status tgs_i_scan(int32_t n, const tgs_i_curve *curve, int64_t batch, double between,
                      int64_t *b, int64_t *steps, double *seconds, tgs_error *err);
/* What each device has of the whole batch in so many micro-steps, at most b[i] in each: sum batch,
 * the longest micro-step as short as can be, and no share that is smaller than steps but 0. */
tgs_status tgs_i_scan_shares(int32_t n, const tgs_i_curve *curve, int64_t batch, const int64_t *b,
                             int64_t steps, int64_t *share, double *longest, tgs_error *err);

/* ---- pareto.c: what nothing else is better than ---------------------------------------------- */
/* Objectives value[i * m + k] are minimised.  kept[i]: no other point is as good everywhere and
 * better somewhere; of equal points the first is kept.  O(n log n) for m = 2, else O(n^2 m). */
tgs_status tgs_i_pareto(int32_t n, int32_t m, const double *value, bool *kept, tgs_error *err);
/* front[i]: 0 of the points that nothing dominates, 1 of those that only they do, ...  O(n^2 m).
 * crowding[i]: how far apart i's neighbours on its front are, as a share of the front's
 * extent, summed over the objectives; INFINITY at the ends. */
tgs_status tgs_i_fronts(int32_t n, int32_t m, const double *value, int32_t *front, double *crowding,
                        tgs_error *err);

/* ---- genes.c: genetic search over genomes of several parts ----------------------------------- */
typedef struct tgs_i_part { /* of a genome */
    int32_t genes;
    int32_t low, high; /* each gene is in [low, high]; low > high: the part is a permutation of its
                          indices */
} tgs_i_part;

typedef struct tgs_i_genome {
    int32_t parts, objectives;
    const tgs_i_part *part;
    /* the objectives of genes, which it may repair; smaller is better, INFINITY is allowed */
    tgs_status (*judge)(void *user, int32_t *genes, double *objective, tgs_error *err);
    void *user;               /* of judge */
    bool (*stop)(void *user); /* true: the best so far; NULL: never */
    void *stop_user;
    int32_t seeds; /* genomes to begin with: seed[i * genes] */
    const int32_t *seed;
    int32_t size;    /* of the population, at least 2 */
    int64_t evals;   /* genomes judged */
    double mutation; /* probability of one more mutation of a child */
} tgs_i_genome;
int32_t tgs_i_genes(const tgs_i_genome *g); /* how many a genome has */
/* The survivors of an NSGA-II: *genes (the caller frees it) holds *count genomes, none dominated by
 * another and no two of equal objectives, by their objectives in order; *value (likewise) their
 * objectives. */
tgs_status tgs_i_evolve(const tgs_i_genome *g, tgs_rng *rng, int32_t **genes, double **value,
                        int32_t *count, tgs_error *err);
#endif
