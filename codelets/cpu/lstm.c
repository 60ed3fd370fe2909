/* lstm.c -- the states of a recurrent layer of long short-term memory, ONNX's without peepholes and
 * initial states. */
#ifdef real
static tgs_status FN(lstm_run)(const tgs_call *c)
{
    const real *weights[] = {c->buffer[1].data, c->buffer[2].data, c->buffer[3].data};
    tgs_i_lstm l;
    const tgs_status status = tgs_i_lstm_new(&l, c, &c->buffer[4], NULL);
    real *room = status ? NULL : tgs_mem_alloc((size_t)(6 * l.steps * l.hidden), sizeof *room);
    real *y = c->buffer[4].data;

    if (status || !room)
        return status ? status : TGS_ENOMEM;
    for (int64_t i = 0; i < l.directions * l.batch; i++) {
        const int64_t d = i / l.batch, sample = i % l.batch, each = l.steps * l.hidden;

        FN(tgs_i_lstm_run)
        (&l, weights, d, sample, c->buffer[0].data, room, room + 4 * each, room + 5 * each);
        for (int64_t s = 0; s < l.steps; s++)
            memcpy(y + (tgs_i_lstm_time(&l, d, s) * l.directions * l.batch + i) * l.hidden,
                   room + 5 * each + s * l.hidden, (size_t)l.hidden * sizeof *y);
    }
    tgs_mem_free(room);
    return TGS_OK;
}
#else
#define BODY "lstm.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_i_lstm l;

    return tgs_i_lstm_new(&l, c, &c->buffer[4], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("lstm", lstm_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_lstm = {
    .base = {TGS_PLUGIN_ABI, "lstm", "long short-term memory", "Hochreiter, Schmidhuber, 1997",
             NULL},
    .buffers = "R X, R W, R R, R B, W Y",
    .attrs = "hidden direction",
    .kernel = kernels,
    .check = check,
};
#endif
