/* core.h -- what the generators share: random task times and edge sizes, and tiled matrices. */
#ifndef TGS_GEN_CORE_H
#define TGS_GEN_CORE_H
#include "tgsched/plugin.h"

#define TGS_I_GEN_MOST 100000000 /* tasks */

/* ---- random costs */
/* rows of a parameter table; the means hold over the tasks, and over the edges */
/* clang-format off */
#define TGS_I_GEN_COSTS                                                                            \
    {"work", "1", TGS_PARAM_REAL, 0, 1e15, "mean time of a task, seconds"},                        \
    {"spread", "1", TGS_PARAM_REAL, 0, 1,                                                          \
     "times and sizes are uniform within this part of their mean around it"},                      \
    {"ccr", "1", TGS_PARAM_REAL, 0, 1e15, "mean transfer time of an edge over work"},              \
    {"bandwidth", "1", TGS_PARAM_REAL, 1e-15, 1e18,                                                \
     "byte/s of the links that ccr is meant for"},                                                 \
    {"bytes", "0", TGS_PARAM_REAL, 0, 1e18,                                                        \
     "mean size of an edge; when given, ccr is not used"},                                         \
    {"kinds", "", TGS_PARAM_TEXT, 0, 0, "kinds with times of their own: cpu+gpu"},                 \
    {"heterogeneity", "1", TGS_PARAM_REAL, 0, 2,                                                   \
     "h: a time on one of kinds is uniform in [1 - h/2, 1 + h/2] times the task's"}
/* clang-format on */

typedef struct tgs_i_gen {
    tgs_builder *b;
    tgs_rng *rng;
    tgs_error *err;
    double work, spread, bytes, heterogeneity;
    char *names, **kind; /* owned */
    int32_t kinds;
} tgs_i_gen;

/* args declare TGS_I_GEN_COSTS; _close also after a failure */
tgs_status tgs_i_gen_open(tgs_i_gen *g, const tgs_args *a, tgs_rng *rng, tgs_builder *b,
                          tgs_error *err);
/* only the kinds and heterogeneity of args */
tgs_status tgs_i_gen_open_kinds(tgs_i_gen *g, const tgs_args *a, tgs_rng *rng, tgs_builder *b,
                                tgs_error *err);
void tgs_i_gen_close(tgs_i_gen *g);
/* a task of mean time work, named PREFIX and, unless it is negative, the number; or a status */
int32_t tgs_i_gen_task(tgs_i_gen *g, const char *prefix, int64_t number, double work);
tgs_status tgs_i_gen_edge(tgs_i_gen *g, int32_t from, int32_t to);
/* refuses what is too large: more than TGS_I_GEN_MOST tasks or edges */
tgs_status tgs_i_gen_limit(const tgs_i_gen *g, const char *name, double tasks, double edges);
/* the builder's failure as this call's */
tgs_status tgs_i_gen_status(const tgs_i_gen *g);

/* ---- tiled matrices */
/* clang-format off */
#define TGS_I_GEN_TILES                                                                            \
    {"n", "8", TGS_PARAM_INT, 1, 400, "tiles per side of the matrix"},                             \
    {"tile", "256", TGS_PARAM_INT, 1, 65536, "rows of a tile"},                                    \
    {"dtype", "f64", TGS_PARAM_TEXT, 0, 0, "f64 or f32"},                                          \
    {"rate", "1e10", TGS_PARAM_REAL, 0, 1e18,                                                      \
     "flop/s of a processor of speed 1; 0: times are left to the cost model"},                     \
    {"kinds", "", TGS_PARAM_TEXT, 0, 0, "kinds with times of their own: cpu+gpu"},                 \
    {"heterogeneity", "1", TGS_PARAM_REAL, 0, 2,                                                   \
     "h: a kernel's time on one of kinds is uniform in [1 - h/2, 1 + h/2] times that of rate"}
/* clang-format on */

enum { TGS_I_GEN_KERNELS = 5 };
typedef struct tgs_i_kernel {
    const char *name, *attrs; /* "trsm": the codelet is dtrsm or strsm */
    double flops;
} tgs_i_kernel;

typedef struct tgs_i_tiles {
    tgs_i_gen gen;
    const tgs_i_kernel *kernel; /* ends with a NULL name; at most TGS_I_GEN_KERNELS */
    int64_t n, rows;
    tgs_dtype dtype;
    double rate;
    double *factor; /* owned: [kernel * kinds + kind] */
    int32_t *datum; /* owned: [row * n + column], -1 above the diagonal of a lower matrix; rows of
                       further matrices follow */
    int32_t task;   /* the last one, and how many tiles it touches and flops it does */
    int32_t touched;
    double flops;
} tgs_i_tiles;

tgs_status tgs_i_tiles_open(tgs_i_tiles *t, const tgs_args *a, tgs_rng *rng, tgs_builder *b,
                            tgs_error *err);
/* the kernels (whose flops may depend on t->rows), and the data of the whole or lower matrix */
tgs_status tgs_i_tiles_matrix(tgs_i_tiles *t, const tgs_i_kernel *kernel, bool lower);
/* the same for several whole matrices A, B, ...: tile (i, j) of the second is (n + i, j) */
tgs_status tgs_i_tiles_matrices(tgs_i_tiles *t, const tgs_i_kernel *kernel, int32_t count);
void tgs_i_tiles_close(tgs_i_tiles *t);
/* a task of kernel k named after up to three numbers (negative: none); it reads the tiles (i, j) of
 * read, ended by a negative i, and then reads and writes the tile (row, column) */
tgs_status tgs_i_tiles_task(tgs_i_tiles *t, int32_t k, const int64_t number[3],
                            const int64_t read[3][2], int64_t row, int64_t column);
/* one more tile of the last task */
tgs_status tgs_i_tiles_touch(tgs_i_tiles *t, int64_t row, int64_t column, tgs_mode mode);
#endif
