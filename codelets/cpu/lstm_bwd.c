/* lstm_bwd.c -- gradients of lstm through time, whose gates are computed again.  Which of X, W, R,
 * B have one: attribute wanted, a flag for each. */
#ifdef real
typedef struct FN(through) {    /* one sample in one direction */
    const real *x, *w, *r, *dy; /* x and dy at this sample, w and r of this direction */
    real *dx, *dw, *dr, *db;    /* NULL: not wanted */
    real *gates, *cell, *h;     /* [steps] of what the forward pass made */
    real *dh, *dc, *da;         /* [hidden], [hidden], [4 hidden] */
} FN(through);

/* gradients of what the gates see at a step; dc becomes that of the step before */
static void FN(gates_bwd)(const tgs_i_lstm *l, const FN(through) * t, int64_t s)
{
    const int64_t n = l->hidden;

    for (int64_t k = 0; k < n; k++) {
        const real *gate = t->gates + s * 4 * n + k;
        const real i = gate[0], o = gate[n], f = gate[2 * n], g = gate[3 * n];
        const real squashed = LIBM(tanh)(t->cell[s * n + k]);
        const real before = s ? t->cell[(s - 1) * n + k] : 0;

        t->dc[k] += t->dh[k] * o * (1 - squashed * squashed);
        t->da[k] = t->dc[k] * g * i * (1 - i);
        t->da[n + k] = t->dh[k] * squashed * o * (1 - o);
        t->da[2 * n + k] = t->dc[k] * before * f * (1 - f);
        t->da[3 * n + k] = t->dc[k] * i * (1 - g * g);
        t->dc[k] *= f;
    }
}

/* what a step's gates pass on: to the input, the weights and the state before, which dh becomes */
static void FN(pass_on)(const tgs_i_lstm *l, const FN(through) * t, int64_t s, int64_t time)
{
    const int64_t n = l->hidden, in = time * l->batch * l->inputs;
    const real *before = s ? t->h + (s - 1) * n : NULL;

    memset(t->dh, 0, (size_t)n * sizeof *t->dh);
    for (int64_t g = 0; g < 4 * n; g++) {
        const real a = t->da[g];

        for (int64_t k = 0; k < l->inputs; k++) {
            if (t->dx)
                t->dx[in + k] += a * t->w[g * l->inputs + k];
            if (t->dw)
                t->dw[g * l->inputs + k] += a * t->x[in + k];
        }
        for (int64_t k = 0; k < n; k++) {
            t->dh[k] += a * t->r[g * n + k];
            if (t->dr && before)
                t->dr[g * n + k] += a * before[k];
        }
        if (t->db) {
            t->db[g] += a;
            t->db[4 * n + g] += a;
        }
    }
}

static void FN(sample_bwd)(const tgs_i_lstm *l, const FN(through) * t, int64_t direction)
{
    const int64_t n = l->hidden;

    memset(t->dh, 0, (size_t)n * sizeof *t->dh);
    memset(t->dc, 0, (size_t)n * sizeof *t->dc);
    for (int64_t s = l->steps - 1; s >= 0; s--) {
        const int64_t time = tgs_i_lstm_time(l, direction, s);

        for (int64_t k = 0; k < n; k++)
            t->dh[k] += t->dy[time * l->directions * l->batch * n + k];
        FN(gates_bwd)(l, t, s);
        FN(pass_on)(l, t, s, time);
    }
}

static tgs_status FN(lstm_bwd_run)(const tgs_call *c)
{
    const real *weights[] = {c->buffer[1].data, c->buffer[2].data, c->buffer[3].data};
    real *slope[4], *room;
    tgs_i_lstm l;
    const tgs_status status = tgs_i_lstm_new(&l, c, &c->buffer[4], NULL);
    const int64_t n = status ? 0 : l.hidden, each = status ? 0 : l.steps * n;

    if (status)
        return status;
    if (!(room = tgs_mem_alloc((size_t)(6 * each + 6 * n), sizeof *room)))
        return TGS_ENOMEM;
    for (int32_t i = 0; i < 4; i++) {
        const tgs_buffer *b = wanted(c, i);

        slope[i] = b ? b->data : NULL;
        if (b)
            memset(slope[i], 0, (size_t)tgs_i_shape_of(b).count * sizeof *room);
    }
    for (int64_t i = 0; i < l.directions * l.batch; i++) {
        const int64_t d = i / l.batch, sample = i % l.batch;
        const FN(through) t = {
            .x = (const real *)c->buffer[0].data + sample * l.inputs,
            .w = weights[0] + d * 4 * n * l.inputs,
            .r = weights[1] + d * 4 * n * n,
            .dy = (const real *)c->buffer[4].data + i * n,
            .dx = slope[0] ? slope[0] + sample * l.inputs : NULL,
            .dw = slope[1] ? slope[1] + d * 4 * n * l.inputs : NULL,
            .dr = slope[2] ? slope[2] + d * 4 * n * n : NULL,
            .db = slope[3] ? slope[3] + d * 8 * n : NULL,
            .gates = room,
            .cell = room + 4 * each,
            .h = room + 5 * each,
            .dh = room + 6 * each,
            .dc = room + 6 * each + n,
            .da = room + 6 * each + 2 * n,
        };

        FN(tgs_i_lstm_run)(&l, weights, d, sample, c->buffer[0].data, t.gates, t.cell, t.h);
        FN(sample_bwd)(&l, &t, d);
    }
    tgs_mem_free(room);
    return TGS_OK;
}
#else
#define BODY "lstm_bwd.c"
#include "../shape.h"

/* the buffer of the gradient of X, W, R or B; NULL: it is not wanted */
static const tgs_buffer *wanted(const tgs_call *c, int32_t which)
{
    int64_t flag[4] = {1, 1, 1, 1};
    int32_t at = 5;

    tgs_attr_ints(c->attrs, "wanted", flag, 4);
    for (int32_t i = 0; i < which; i++)
        at += flag[i] != 0;
    return flag[which] && at < c->buffers ? &c->buffer[at] : NULL;
}

#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_i_lstm l;
    const tgs_status status = tgs_i_lstm_new(&l, c, &c->buffer[4], err);
    int32_t there = 0;

    if (status)
        return status;
    for (int32_t i = 0; i < 4; i++) {
        const tgs_buffer *b = wanted(c, i);
        const tgs_i_shape of = tgs_i_shape_of(&c->buffer[i]);
        const tgs_i_shape s = tgs_i_shape_of(b ? b : &c->buffer[i]);

        there += b != NULL;
        if (!tgs_i_shape_equal(&of, &s))
            return tgs_fail(err, TGS_EINVAL, "a gradient does not have the shape of buffer %d",
                            (int)i);
    }
    return there == c->buffers - 5 ? TGS_OK
                                   : tgs_fail(err, TGS_EINVAL, "%d gradients are wanted, not %d",
                                              (int)there, (int)c->buffers - 5);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("lstm_bwd", lstm_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_lstm_bwd = {
    .base = {TGS_PLUGIN_ABI, "lstm_bwd", "gradients of lstm, through time", NULL, NULL},
    .buffers = "R X, R W, R R, R B, R dY, W d...",
    .attrs = "hidden direction wanted",
    .kernel = kernels,
    .check = check,
};
#endif
