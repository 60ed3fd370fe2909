/* spatial.c -- images and signals: sampling, regions, windows, Fourier transforms. */
#include <string.h>
#include "core.h"

/* X [N,C,...] sampled on a grid [N,...,rank] */
static tgs_status sample(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *grid = tgs_node_in(n, 1);
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = tgs_i_op_same(n, out, err);
    if (!status && grid->rank != out->rank)
        return tgs_node_fail(n, err, "a grid of rank %d for %d dimensions", (int)grid->rank,
                             (int)out->rank);
    for (int32_t i = 2; i < out->rank && !status; i++)
        out->dim[i] = grid->dim[i - 1];
    return status;
}

static tgs_status grid(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t size[TGS_MODEL_RANK];
    const tgs_status status = tgs_i_op_needs(n, 2, err);
    const int32_t rank = status ? 0 : tgs_i_op_list(n, "", 1, size, TGS_MODEL_RANK);

    if (status)
        return status;
    if (rank < 3)
        return tgs_node_open(n, err, "its size is not a constant");
    out->dtype = tgs_node_in(n, 0)->dtype;
    out->rank = rank;
    out->dim[0] = size[0];
    for (int32_t i = 2; i < rank; i++)
        out->dim[i - 1] = size[i];
    out->dim[rank - 1] = rank - 2;
    return TGS_OK;
}

/* a window for each of the regions [rois, 4 or 5] */
static tgs_status regions(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *roi = tgs_node_in(n, 1);
    const bool align = !strcmp(n->op->type, "RoiAlign");
    int64_t size[2] = {1, 1};
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = tgs_i_op_same(n, out, err);
    if (status)
        return status;
    if (out->rank != 4 || roi->rank != 2)
        return tgs_node_fail(n, err, "its input is no image or its regions are no matrix");
    if (align) {
        size[0] = tgs_attr_int(n->op->attrs, "output_height", 1);
        size[1] = tgs_attr_int(n->op->attrs, "output_width", 1);
    } else
        tgs_attr_ints(n->op->attrs, "pooled_shape", size, 2);
    if (size[0] < 0 || size[1] < 0)
        return tgs_node_fail(n, err, "regions of negative size");
    out->dim[0] = roi->dim[0];
    out->dim[2] = size[0];
    out->dim[3] = size[1];
    return TGS_OK;
}

/* what MaxPool made smaller: its extents are those before, as far as its window tells */
static tgs_status unpool(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t kernel[TGS_MODEL_RANK], stride[TGS_MODEL_RANK], pad[2 * TGS_MODEL_RANK] = {0};
    const tgs_tensor *given = tgs_node_in(n, 2);
    tgs_status status = tgs_i_op_needs(n, 2, err);
    int32_t spatial;

    if (!status)
        status = tgs_i_op_same(n, out, err);
    if (!status && out->rank < 3)
        status = tgs_node_fail(n, err, "its input has rank %d", (int)out->rank);
    if (status)
        return status;
    if (given && given->value && tgs_elements(given) == out->rank) {
        tgs_i_op_dims(out, out->dtype, out->rank, given->value);
        return TGS_OK;
    }
    spatial = out->rank - 2;
    status = tgs_i_op_window_take(n, "kernel_shape", spatial, 1, 1, kernel, err);
    if (!status)
        status = tgs_i_op_window_take(n, "strides", spatial, 1, 1, stride, err);
    if (!status)
        status = tgs_i_op_window_take(n, "pads", 2 * spatial, 0, 0, pad, err);
    for (int32_t i = 0; i < spatial && !status; i++)
        out->dim[i + 2] = (out->dim[i + 2] - 1) * stride[i] + kernel[i] - pad[i] - pad[spatial + i];
    for (int32_t i = 2; i < out->rank && !status; i++)
        if (out->dim[i] < 0)
            status = tgs_node_fail(n, err, "its window does not fit its input");
    return status;
}

/* columns [N, C * taps, blocks] to an image */
static tgs_status image(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t size[TGS_MODEL_RANK], block[TGS_MODEL_RANK];
    const tgs_tensor *x = tgs_node_in(n, 0);
    const tgs_status status = tgs_i_op_needs(n, 3, err);
    const int32_t rank = status ? 0 : tgs_i_op_list(n, "", 1, size, TGS_MODEL_RANK - 2);
    const int32_t blocks = status ? 0 : tgs_i_op_list(n, "", 2, block, TGS_MODEL_RANK - 2);
    int64_t taps = 1;

    if (status)
        return status;
    if (rank < 1 || blocks != rank)
        return tgs_node_open(n, err, "its sizes are not constants");
    for (int32_t i = 0; i < rank; i++)
        taps = block[i] > 0 && block[i] < INT32_MAX && taps < INT32_MAX ? taps * block[i] : 0;
    if (x->rank != 3 || taps < 1 || x->dim[1] % taps)
        return tgs_node_fail(n, err, "its columns do not fit its blocks");
    tgs_i_op_dims(out, x->dtype, 2, (int64_t[]){x->dim[0], x->dim[1] / taps});
    for (int32_t i = 0; i < rank; i++)
        out->dim[out->rank++] = size[i];
    return TGS_OK;
}

static tgs_status window(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t size;

    out->dtype = TGS_F32;
    tgs_i_op_dtype(n, &out->dtype);
    out->rank = 1;
    if (!tgs_i_op_number(n, 0, &size) || size < 0)
        return tgs_node_open(n, err, "its size is not a constant");
    out->dim[0] = size;
    return TGS_OK;
}

static tgs_status mel(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t bins, length;

    if (!tgs_i_op_number(n, 0, &bins) || !tgs_i_op_number(n, 1, &length) || bins < 0 || length < 0)
        return tgs_node_open(n, err, "its sizes are not constants");
    tgs_i_op_dims(out, TGS_F32, 2, (int64_t[]){length / 2 + 1, bins});
    tgs_i_op_dtype(n, &out->dtype);
    return TGS_OK;
}

/* [..., signal, 1 or 2]: complex numbers in the last dimension */
static tgs_status fourier(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool onesided = tgs_attr_int(n->op->attrs, "onesided", 0) != 0,
               inverse = tgs_attr_int(n->op->attrs, "inverse", 0) != 0;
    int64_t axis = tgs_attr_int(n->op->attrs, "axis", n->m->opset < 20 ? 1 : -2), length;
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (status)
        return status;
    tgs_i_op_number(n, 2, &axis);
    axis += axis < 0 ? out->rank : 0;
    if (out->rank < 2 || axis < 0 || axis >= out->rank - 1)
        return tgs_node_fail(n, err, "axis %lld of a tensor of rank %d", (long long)axis,
                             (int)out->rank);
    if (tgs_i_op_number(n, 1, &length) && length >= 0)
        out->dim[axis] = length;
    else if (tgs_node_in(n, 1))
        return tgs_node_open(n, err, "its length is not a constant");
    if (onesided && !inverse)
        out->dim[axis] = out->dim[axis] / 2 + 1;
    out->dim[out->rank - 1] = onesided && inverse ? 1 : 2;
    return TGS_OK;
}

/* signal [batch, samples, 1 or 2]: a transform of each frame */
static tgs_status short_time(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *shape = tgs_node_in(n, 2);
    const bool onesided = tgs_attr_int(n->op->attrs, "onesided", 1) != 0;
    int64_t step, length = 0;
    const tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if (shape && shape->rank == 1)
        length = shape->dim[0];
    tgs_i_op_number(n, 3, &length);
    if (!tgs_i_op_number(n, 1, &step) || step < 1 || length < 1)
        return tgs_node_open(n, err, "its frames are not constants");
    if (x->rank < 2 || x->dim[1] < length)
        return tgs_node_fail(n, err, "frames of %lld do not fit its signal", (long long)length);
    tgs_i_op_dims(out, x->dtype, 4,
                  (int64_t[]){x->dim[0], (x->dim[1] - length) / step + 1,
                              onesided ? length / 2 + 1 : length, 2});
    return TGS_OK;
}

/* a convolution whose taps lie where offsets say */
static tgs_status deformed(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *f = tgs_node_in(n, 1);
    tgs_i_op_window w;
    tgs_status status = tgs_i_op_needs(n, 3, err);

    if (!status)
        status = tgs_i_op_same(n, out, err);
    if (!status && (out->rank != f->rank || out->rank < 3))
        status = tgs_node_fail(n, err, "input of rank %d, weights of rank %d", (int)out->rank,
                               (int)f->rank);
    if (!status)
        status = tgs_i_op_window_make(n, f->dim + 2, &w, err);
    if (status)
        return status;
    out->dim[1] = f->dim[0];
    for (int32_t i = 0; i < w.spatial; i++)
        out->dim[i + 2] = w.out[i];
    return TGS_OK;
}

static tgs_status decoded(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    (void)out;
    return tgs_node_open(n, err, "the size of the picture is in its bytes");
}

static const tgs_i_op_row row[] = {
    {"GridSample", sample, 0, 12},
    {"AffineGrid", grid, 0, 6},
    {"RoiAlign", regions, 0, 40},
    {"MaxRoiPool", regions, 0, 4},
    {"MaxUnpool", unpool, 0, 0},
    {"Col2Im", image, 1, 0},
    {"BlackmanWindow", window, 0, 10},
    {"HannWindow", window, 0, 6},
    {"HammingWindow", window, 0, 6},
    {"MelWeightMatrix", mel, 0, 4},
    {"DFT", fourier, 0, 0},
    {"STFT", short_time, 0, 0},
    {"DeformConv", deformed, 0, 0},
    {"ImageDecoder", decoded, 0, 0},
};
static const tgs_i_op_rows rows = {row, sizeof row / sizeof *row};

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    return tgs_i_op_row_infer(n, &rows, out, err);
}

/* 5 n log2 n of a transform of length n; 2 flops for each tap of a convolution, and 8 to find it */
static double work(const tgs_node *n)
{
    const tgs_i_op_row *r = tgs_i_op_row_of(n, &rows);
    const tgs_tensor *y = tgs_node_out(n, 0), *x = tgs_node_in(n, 0), *f = tgs_node_in(n, 1);
    double levels = 1;

    if (!strcmp(n->op->type, "DeformConv"))
        return 10 * tgs_elements(y) * tgs_elements(f) / (double)f->dim[0];
    if (!strcmp(n->op->type, "DFT") || !strcmp(n->op->type, "STFT")) {
        const int64_t axis = !strcmp(n->op->type, "STFT") ? 2 : y->rank - 2;

        for (double m = (double)y->dim[axis]; m > 2; m /= 2)
            levels++;
        return 5 * levels * fmax(tgs_elements(y), tgs_elements(x)) / 2;
    }
    return (x ? r->per_in * tgs_elements(x) : 0) + r->per_out * tgs_elements(y);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_task(n, e, work(n), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_task_bwd(n, e, 2 * work(n), err);
}

const tgs_operator tgs_operator_spatial = {
    .base = {TGS_PLUGIN_ABI, "spatial", "images and signals", NULL, NULL},
    .types = "GridSample AffineGrid RoiAlign MaxRoiPool MaxUnpool Col2Im BlackmanWindow "
             "HannWindow HammingWindow MelWeightMatrix DFT STFT DeformConv ImageDecoder",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
