/* t_cuda.c -- every CUDA kernel against the plain definition in double, where there is a GPU. */
#include <stdio.h>
#include "cases.h"

static tgs_codelets *set;
static int (*device_alloc)(void **out, size_t bytes);
static int (*device_free)(void *p);
static int (*upload)(void *to, const void *from, size_t bytes);
static int (*download)(void *to, const void *from, size_t bytes);

static void run_case(const tgs_kernel *k, const codelet_case *c)
{
    tgs_buffer host[CASE_BUFFERS], device[CASE_BUFFERS];
    tgs_call call = {.buffer = device, .attrs = c->attrs, .user = k->user}; /* the default stream */
    instance in;

    case_open(set, &in, c, 17);
    call.buffers = in.tensors;
    case_buffers(&in, TGS_F32, host);
    for (int32_t i = 0; i < in.tensors; i++) {
        device[i] = host[i];
        device[i].data = NULL; /* as prepare gets it */
    }
    if (k->prepare && k->prepare(&call))
        fail_msg("%s %s (%s) cannot be prepared", c->codelet, c->attrs, c->buffers);
    for (int32_t i = 0; i < in.tensors; i++) {
        assert_int_equal(device_alloc(&device[i].data, (size_t)host[i].bytes), 0);
        assert_int_equal(upload(device[i].data, host[i].data, (size_t)host[i].bytes), 0);
    }
    if (k->run(&call))
        fail_msg("%s %s (%s) does not run", c->codelet, c->attrs, c->buffers);
    for (int32_t i = 0; i < in.tensors; i++) {
        assert_int_equal(download(host[i].data, device[i].data, (size_t)host[i].bytes), 0);
        assert_int_equal(device_free(device[i].data), 0);
    }
    k->release(&call);
    case_define(set, &in);
    case_compare(&in, host, c->k, 0x1p-23, k->impl);
    case_free_buffers(&in, host);
    case_close(&in);
}

static void test_every_kernel(void **state)
{
    int32_t kernels = 0;

    (void)state;
    for (int64_t i = 0; i < set->kernels; i++) {
        const tgs_kernel *k = &set->kernel[i];
        int32_t seen = 0;

        if (strcmp(k->arch, "cuda"))
            continue;
        for (int32_t c = 0; c < CASES; c++)
            if (!strcmp(cases[c].codelet, k->codelet)) {
                run_case(k, &cases[c]);
                seen++;
            }
        if (!seen)
            fail_msg("no case for kernel %s", k->codelet);
        kernels++;
    }
    assert_int_equal(kernels, 20);
}

/* what a codelet prepares must be in the module; checked without a GPU */
static bool launchers_are_there(void)
{
    static const char *const launchers[] = {
        "tgs_cuda_devices",    "tgs_cuda_alloc",    "tgs_cuda_free",         "tgs_cuda_upload",
        "tgs_cuda_download",   "tgs_cuda_copy",     "tgs_cuda_relu",         "tgs_cuda_sigmoid",
        "tgs_cuda_tanh",       "tgs_cuda_relu_bwd", "tgs_cuda_sigmoid_bwd",  "tgs_cuda_tanh_bwd",
        "tgs_cuda_accumulate", "tgs_cuda_sgd",      "tgs_cuda_add",          "tgs_cuda_reduce",
        "tgs_cuda_gemm",       "tgs_cuda_bias",     "tgs_cuda_softmax_xent", "tgs_cuda_im2col",
        "tgs_cuda_col2im"};
    tgs_error err = {TGS_OK, ""};
    void *symbol;

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (tgs_module_symbol("cuda", launchers[i], &symbol, &err)) {
            puts(err.text);
            return false;
        }
    return true;
}

static int open_module(void **state)
{
    void *symbol[4];

    (void)state;
    tgs_module_symbol("cuda", "tgs_cuda_alloc", &symbol[0], NULL);
    tgs_module_symbol("cuda", "tgs_cuda_free", &symbol[1], NULL);
    tgs_module_symbol("cuda", "tgs_cuda_upload", &symbol[2], NULL);
    tgs_module_symbol("cuda", "tgs_cuda_download", &symbol[3], NULL);
    device_alloc = (int (*)(void **, size_t))symbol[0];
    device_free = (int (*)(void *))symbol[1];
    upload = (int (*)(void *, const void *, size_t))symbol[2];
    download = (int (*)(void *, const void *, size_t))symbol[3];
    return tgs_codelets_new(&set, NULL);
}

static int close_module(void **state)
{
    (void)state;
    tgs_codelets_free(set);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel),
    };
    void *devices;

    if (!launchers_are_there())
        return 1;
    tgs_module_symbol("cuda", "tgs_cuda_devices", &devices, NULL);
    if (((int (*)(void))devices)() == 0) {
        puts("skipped: no CUDA device (the module opens and has every launcher)");
        return 77;
    }
    return cmocka_run_group_tests(tests, open_module, close_module);
}
