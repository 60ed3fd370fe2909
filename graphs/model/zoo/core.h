/* core.h -- words in which networks are written: a value is a tensor and its width, the channels of
 * an image or the last dimension of anything else.  Failures stay in the model's builder. */
#ifndef TGS_ZOO_CORE_H
#define TGS_ZOO_CORE_H
#include "tgsched/model.h"

enum { TGS_I_NET_DEPTH = 8, TGS_I_NET_NAME = 200 };
#define TGS_I_NET_BATCH(n)                                             \
    {                                                                  \
        "batch", #n, TGS_PARAM_INT, 1, 1 << 24, "samples of the batch" \
    }
#define TGS_I_NET_SEQ(n)                                           \
    {                                                              \
        "seq", #n, TGS_PARAM_INT, 1, 1 << 20, "tokens of a sample" \
    }
#define TGS_I_NET_LAYERS                                                           \
    {                                                                              \
        "layers", "0", TGS_PARAM_INT, 0, 100000, "layers; 0: as many as published" \
    }
/* of transformers, so that small ones can be asked for */
#define TGS_I_NET_SIZES                                                                          \
    {"width", "0", TGS_PARAM_INT, 0, 1 << 20, "of a token; 0: as published"},                    \
        {"heads", "0", TGS_PARAM_INT, 0, 4096, "heads; 0: as published"},                        \
        {"words", "0", TGS_PARAM_INT, 0, 1 << 24, "of the vocabulary; 0: as published"},         \
    {                                                                                            \
        "positions", "0", TGS_PARAM_INT, 0, 1 << 20, "a sample may have tokens; 0: as published" \
    }
#define TGS_I_NET_CLASSES                                       \
    {                                                           \
        "classes", "1000", TGS_PARAM_INT, 1, 1 << 20, "classes" \
    }
#define TGS_I_NET_END                         \
    {                                         \
        NULL, NULL, TGS_PARAM_INT, 0, 0, NULL \
    }

typedef struct tgs_i_net { /* a network being written */
    tgs_model_builder *b;
    const tgs_zoo_call *call;
    char scope[TGS_I_NET_NAME]; /* "layer1.0." */
    size_t outer[TGS_I_NET_DEPTH];
    int32_t depth;
} tgs_i_net;

typedef struct tgs_i_val {
    int32_t tensor;
    int64_t width;
} tgs_i_val;

/* ---- names, inputs, weights, operators (core.c) */
void tgs_i_net_open(tgs_i_net *n, const tgs_zoo_call *c);
/* a scope: what is made until _leave is named "SCOPE.NAME" */
void tgs_i_net_enter(tgs_i_net *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tgs_i_net_leave(tgs_i_net *n);
int64_t tgs_i_net_arg(const tgs_i_net *n, const char *key, int64_t def); /* def when it is 0 */
/* samples run along its first axis */
int32_t tgs_i_net_batch(tgs_i_net *n, const char *name, tgs_dtype dtype, int32_t rank,
                        const int64_t *dims);
int32_t tgs_i_net_input(tgs_i_net *n, const char *name, tgs_dtype dtype, int32_t rank,
                        const int64_t *dims);
int32_t tgs_i_net_stored(tgs_i_net *n, const char *name, tgs_dtype dtype, int32_t rank,
                         const int64_t *dims);
int32_t tgs_i_net_weight(tgs_i_net *n, const char *name, int32_t rank, const int64_t *dims);
int32_t tgs_i_net_ints(tgs_i_net *n, const char *name, int32_t count, const int64_t *value);
int32_t tgs_i_net_real(tgs_i_net *n, const char *name, double value); /* a number, no parameter */
/* an operator with one output, which is called like it; attrs may be NULL */
int32_t tgs_i_net_op(tgs_i_net *n, const char *name, const char *type, const char *attrs,
                     int32_t inputs, ...);
/* one with several: the first is called like it, the others NAME.1, NAME.2, ... */
void tgs_i_net_ops(tgs_i_net *n, const char *name, const char *type, const char *attrs,
                   int32_t inputs, const int32_t *input, int32_t outputs, int32_t *output);
tgs_i_val tgs_i_net_act(tgs_i_net *n, const char *name, const char *type, tgs_i_val x);
tgs_i_val tgs_i_net_silu(tgs_i_net *n, const char *name, tgs_i_val x);
tgs_i_val tgs_i_net_add(tgs_i_net *n, const char *name, tgs_i_val x, tgs_i_val y);
tgs_i_val tgs_i_net_concat(tgs_i_net *n, const char *name, int32_t count, const tgs_i_val *x,
                           int64_t axis); /* along the dimension of their width */
int32_t tgs_i_net_reshape(tgs_i_net *n, const char *name, int32_t x, int32_t rank,
                          const int64_t *dims);
int32_t tgs_i_net_transpose(tgs_i_net *n, const char *name, int32_t x, const char *perm);
/* a matrix times weights [out, width], as one Gemm */
tgs_i_val tgs_i_net_linear(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, bool bias);
/* the last dimension of anything times weights [width, out] */
tgs_i_val tgs_i_net_project(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, bool bias);
/* "LayerNormalization" or "RMSNormalization", which has no bias */
tgs_i_val tgs_i_net_norm(tgs_i_net *n, const char *name, const char *type, double epsilon,
                         tgs_i_val x);
/* rows of a table [words, width] chosen by indices */
tgs_i_val tgs_i_net_embed(tgs_i_net *n, const char *name, int32_t table, int64_t width,
                          int32_t index);
/* the builder's failure, or the output */
tgs_status tgs_i_net_close(tgs_i_net *n, tgs_i_val y, int32_t *output, tgs_error *err);

/* ---- images (vision.c) */
typedef struct tgs_i_conv {
    int64_t out, high, wide;    /* channels, and the kernel; wide 0: a square */
    int64_t stride;             /* 0: 1 */
    int64_t pad_high, pad_wide; /* -1: half the kernel, so that the image keeps its size */
    int64_t group;              /* 0: 1 */
    bool bias;
} tgs_i_conv;
tgs_i_val tgs_i_net_image(tgs_i_net *n, int64_t channels, int64_t side); /* parameter `batch` */
tgs_i_val tgs_i_net_conv(tgs_i_net *n, const char *name, tgs_i_val x, tgs_i_conv c);
tgs_i_val tgs_i_net_batchnorm(tgs_i_net *n, const char *name, tgs_i_val x, double epsilon);
/* scope NAME: conv, bn, and act when it is no NULL ("Relu", "Clip": relu6) */
tgs_i_val tgs_i_net_conv_bn(tgs_i_net *n, const char *name, tgs_i_val x, tgs_i_conv c,
                            double epsilon, const char *act);
tgs_i_val tgs_i_net_relu6(tgs_i_net *n, const char *name, tgs_i_val x);
tgs_i_val tgs_i_net_pool(tgs_i_net *n, const char *name, const char *type, tgs_i_val x,
                         int64_t kernel, int64_t stride, int64_t pad);
tgs_i_val tgs_i_net_flatten(tgs_i_net *n, const char *name, tgs_i_val x, int64_t pixels);
/* global average, flat, linear */
tgs_i_val tgs_i_net_classify(tgs_i_net *n, tgs_i_val x, int64_t classes);

/* ---- transformers (attention.c) */
/* heads of equal width, and as many positions as tokens at least */
tgs_status tgs_i_net_sizes(const tgs_i_net *n, int64_t width, int64_t heads, int64_t positions,
                           tgs_error *err);
typedef struct tgs_i_heads {
    int64_t batch, seq, heads, groups, size; /* groups: heads of keys and values */
    int32_t mask;                            /* [seq, seq] where to look, or -1 */
    int32_t cos, sin;                        /* of rotary positions, or -1 */
} tgs_i_heads;
/* [seq, seq]: the token and those before it */
int32_t tgs_i_net_causal(tgs_i_net *n, int64_t seq);
/* from projected queries [batch, seq, heads size] and keys and values [batch, seq, groups size]
 * to what is attended, of the queries' shape */
tgs_i_val tgs_i_net_attend(tgs_i_net *n, const tgs_i_heads *h, tgs_i_val q, tgs_i_val k,
                           tgs_i_val v);
#endif
