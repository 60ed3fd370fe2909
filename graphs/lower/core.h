/* core.h -- what several transforms need: the operators of a model cut into parts, the weights of
 * several steps in a row. */
#ifndef TGS_LOWER_CORE_H
#define TGS_LOWER_CORE_H
#include "tgsched/model.h"

/* seconds of each operator, forward and backward, where any were measured, else its flops */
void tgs_i_cut_weigh(const tgs_lowering *l, double *weight);

/* Parts that follow one another in the model's order of operators; part[ops], from 1.
 *
 * names: "a,b": the last operators of all parts but the last one.  A name that no operator has but
 * that begins the names of some, up to what is neither letter nor digit ("h3" of "h3.attn"), means
 * the last of these.  %XX stands for a byte, such as %2C for a comma.
 *
 * Without names, the largest part weighs as little as possible, and each is as near to an equal
 * share of what is left as that allows; none is empty while there are operators.  O(ops parts).
 *
 * who: the directive, for the message */
tgs_status tgs_i_cut(const tgs_lowering *l, int32_t parts, const char *names, const char *who,
                     int32_t *part, tgs_error *err);

/* "4,4,2": as many numbers of samples as wanted, each at least 1; who: the directive */
tgs_status tgs_i_amounts(const char *who, const char *list, int32_t count, int64_t *out,
                         tgs_error *err);
/* so many samples in count equal parts, the first ones larger by one */
void tgs_i_divide(int64_t samples, int32_t count, int64_t *out);

/* Each micro-batch becomes a minibatch with an update of its own, wave of them a wave.  The weights
 * after the updates of c waves, of all replicas, are a version, G(c), made by one update of a
 * wave's summed gradients.  Minibatch p of wave w = p / wave (from 0) reads in both its passes
 *
 *     G(c), where c = w - late when it is the last of its wave, else w - late - 1, at least 0
 *
 * and, with own, the updates c wave .. p - wave of its own replica added to that.  At the end the
 * parameters are the last version. */
typedef struct tgs_i_stale {
    const char *who; /* the directive, for messages */
    int32_t wave;
    const int32_t *late; /* by stage, from 1; [0]: without stages */
    bool own;
} tgs_i_stale;
tgs_status tgs_i_stash(tgs_lowering *l, const tgs_i_stale *rule, tgs_error *err);

/* The backward pass goes no further than the block that it began in: what the gradient of a block's
 * output was is now something else.  block: [ops], from 1, growing in the model's order. */
typedef enum tgs_i_signal {
    TGS_I_LOCAL, /* minus the output, by Hebb's rule */
    TGS_I_LAST,  /* what it was in the step before; zero in the first one */
    TGS_I_DIRECT /* the gradient of the loss, by a random matrix */
} tgs_i_signal;
tgs_status tgs_i_decouple(tgs_lowering *l, const int32_t *block, tgs_i_signal signal,
                          const char *who, tgs_error *err);
/* a block begins with each operator that has parameters; returns how many there are */
int32_t tgs_i_layers(const tgs_lowering *l, int32_t *block);
double tgs_i_elements(const tgs_low_datum *d);
#endif
