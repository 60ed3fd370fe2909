/* t_opencl.c -- every OpenCL kernel against the plain definition in double, on the first device
 * there is (PoCL where there is no GPU). */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include "cases.h"

static tgs_codelets *set;
static cl_context context;
static cl_command_queue queue;

static cl_device_id first_device(void)
{
    cl_platform_id platform[16];
    cl_device_id device;
    cl_uint n = 0;

    if (clGetPlatformIDs(16, platform, &n))
        return NULL;
    for (cl_uint i = 0; i < n && i < 16; i++)
        if (!clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            return device;
    return NULL;
}

/* the same buffers with cl_mem in data */
static void upload(const tgs_buffer *host, int32_t n, tgs_buffer *device)
{
    cl_int e;

    for (int32_t i = 0; i < n; i++) {
        device[i] = host[i];
        device[i].data = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        (size_t)host[i].bytes, host[i].data, &e);
        assert_int_equal(e, CL_SUCCESS);
    }
}

static void download(const tgs_buffer *device, int32_t n, tgs_buffer *host)
{
    for (int32_t i = 0; i < n; i++) {
        assert_int_equal(clEnqueueReadBuffer(queue, device[i].data, CL_TRUE, 0,
                                             (size_t)host[i].bytes, host[i].data, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clReleaseMemObject(device[i].data), CL_SUCCESS);
    }
}

static void run_case(const tgs_kernel *k, const codelet_case *c)
{
    tgs_buffer host[CASE_BUFFERS], device[CASE_BUFFERS];
    tgs_call call = {.buffer = device, .attrs = c->attrs, .queue = queue, .user = k->user};
    instance in;

    case_open(set, &in, c, 13);
    call.buffers = in.tensors;
    case_buffers(&in, TGS_F32, host);
    for (int32_t i = 0; i < in.tensors; i++) {
        device[i] = host[i];
        device[i].data = NULL; /* as prepare gets it */
    }
    if (k->prepare && k->prepare(&call))
        fail_msg("%s %s (%s) by %s cannot be prepared", c->codelet, c->attrs, c->buffers, k->impl);
    upload(host, in.tensors, device);
    if (k->run(&call))
        fail_msg("%s %s (%s) by %s does not run", c->codelet, c->attrs, c->buffers, k->impl);
    download(device, in.tensors, host);
    if (k->release)
        k->release(&call);
    assert_null(call.prepared);
    case_define(set, &in);
    case_compare(&in, host, c->k, 0x1p-23, k->impl);
    case_free_buffers(&in, host);
    case_close(&in);
}

static void run_kernels(bool clblast)
{
    int32_t kernels = 0;

    for (int64_t i = 0; i < set->kernels; i++) {
        const tgs_kernel *k = &set->kernel[i];
        int32_t seen = 0;

        if (strcmp(k->arch, "opencl") || (strcmp(k->impl, "clblast") == 0) != clblast)
            continue;
        for (int32_t c = 0; c < CASES; c++)
            if (!strcmp(cases[c].codelet, k->codelet)) {
                run_case(k, &cases[c]);
                seen++;
            }
        if (!seen)
            fail_msg("no case for kernel %s/%s", k->codelet, k->impl);
        kernels++;
    }
    assert_true(kernels > 0 || clblast);
}

static void test_every_kernel(void **state)
{
    (void)state;
    run_kernels(false);
}

static void test_clblast(void **state)
{
    (void)state;
    run_kernels(true);
}

/* what a step of an MLP or of LeNet needs, cut into pieces too, so that a plan may put all of it on
 * a device */
static void test_whole_steps(void **state)
{
    static const char *const codelets[] = {"gemm",
                                           "matmul",
                                           "relu",
                                           "relu_bwd",
                                           "sigmoid",
                                           "sigmoid_bwd",
                                           "tanh",
                                           "tanh_bwd",
                                           "add",
                                           "sum",
                                           "reduce_to",
                                           "accumulate",
                                           "identity",
                                           "reshape",
                                           "softmax_xent",
                                           "sgd",
                                           "slice",
                                           "concat",
                                           "concat_bwd",
                                           "conv",
                                           "conv_bwd_data",
                                           "conv_bwd_weights",
                                           "conv_bwd_bias",
                                           "maxpool",
                                           "maxpool_bwd",
                                           "averagepool",
                                           "averagepool_bwd"};

    (void)state;
    for (size_t i = 0; i < sizeof codelets / sizeof *codelets; i++)
        assert_non_null(tgs_kernel_find(set, codelets[i], "opencl", TGS_F32));
    assert_null(tgs_kernel_find(set, "gemm", "opencl", TGS_F64));
}

static void test_labels(void **state)
{
    const codelet_case c = {"softmax_xent", "", "R 2x3, R i32:2<3, W 1, W 2x3", 1};
    const tgs_kernel *k = tgs_kernel_find(set, "softmax_xent", "opencl", TGS_F32);
    tgs_buffer host[CASE_BUFFERS], device[CASE_BUFFERS];
    tgs_call call = {.buffer = device, .buffers = 4, .attrs = "", .queue = queue};
    instance in;

    (void)state;
    case_open(set, &in, &c, 1);
    in.t[1].value[1] = 3; /* out of range */
    case_buffers(&in, TGS_F32, host);
    upload(host, 4, device);
    assert_int_equal(k->prepare(&call), TGS_OK);
    assert_int_equal(k->run(&call), TGS_OK);
    download(device, 4, host);
    k->release(&call);
    assert_true(isnan(*(float *)host[2].data));
    case_free_buffers(&in, host);
    case_close(&in);
}

static int open_device(void **state)
{
    cl_device_id device = first_device();
    cl_int e;

    (void)state;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    if (!e)
        queue = clCreateCommandQueue(context, device, 0, &e);
    return e ? -1 : (int)tgs_codelets_new(&set, NULL);
}

static int close_device(void **state)
{
    (void)state;
    tgs_codelets_free(set);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_steps),
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_clblast),
        cmocka_unit_test(test_labels),
    };

    if (!first_device()) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    return cmocka_run_group_tests(tests, open_device, close_device);
}
