/* starpu.c -- the backend "starpu" as the library knows it: everything is done by the module
 * tgsched-starpu, opened when first asked for, so that the library does not link StarPU. */
#include <string.h>
#include "internal.h"
#include "tgsched/tgsched_starpu.h"

typedef struct forward {
    const tgs_backend *to;
    void *run;
} forward;

static tgs_status module(const tgs_backend **out, tgs_error *err)
{
    void *symbol;
    const tgs_status status = tgs_module_symbol("starpu", "tgs_i_starpu_backend", &symbol, err);

    *out = symbol;
    return status;
}

static tgs_status open_run(void **run, const tgs_job *job, tgs_error *err)
{
    forward *f = tgs_mem_alloc(1, sizeof *f);
    tgs_status status = f ? module(&f->to, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    *run = NULL;
    if (!status)
        status = f->to->open(&f->run, job, err);
    if (status)
        tgs_mem_free(f);
    else
        *run = f;
    return status;
}

static tgs_status bind(void *run, int32_t datum, void *ptr, tgs_error *err)
{
    forward *f = run;

    return f->to->bind(f->run, datum, ptr, err);
}

static tgs_status step(void *run, tgs_trace_log *log, tgs_error *err)
{
    forward *f = run;

    return f->to->step(f->run, log, err);
}

static tgs_status read_datum(void *run, int32_t datum, void *to, tgs_error *err)
{
    forward *f = run;

    return f->to->read(f->run, datum, to, err);
}

static tgs_status close_run(void *run, tgs_error *err)
{
    forward *f = run;
    const tgs_status status = f->to->close(f->run, err);

    tgs_mem_free(f);
    return status;
}

static tgs_status calibrate(const tgs_view *v, const tgs_codelets *c, int32_t repeat,
                            tgs_costs *into, tgs_error *err)
{
    const tgs_backend *to;
    tgs_status status = module(&to, err);

    if (!status)
        status = to->calibrate(v, c, repeat, into, err);
    return status;
}

tgs_status tgs_codelets_add_starpu(tgs_codelets *c, const char *codelet, struct starpu_codelet *cl,
                                   tgs_cost_of cost, tgs_error *err)
{
    void *symbol;
    tgs_status status = tgs_module_symbol("starpu", "tgs_i_starpu_adapt", &symbol, err);
    int32_t (*adapt)(tgs_kernel *, const char *, struct starpu_codelet *);
    tgs_kernel kernel[3];
    int32_t n;

    if (status)
        return status;
    memcpy(&adapt, &symbol, sizeof adapt); /* ISO C has no cast from an object to a function */
    n = adapt(kernel, codelet, cl);
    if (!n)
        return tgs_fail(err, TGS_EINVAL,
                        "the StarPU codelet for %s has no CPU, OpenCL or CUDA function", codelet);
    for (int32_t i = 0; i < n && !status; i++) {
        kernel[i].cost = cost;
        status = tgs_codelets_add(c, &kernel[i], err);
    }
    return status;
}

static const tgs_param params[] = {
    {"policy", "", TGS_PARAM_TEXT, 0, 0,
     "let this StarPU policy place and order the tasks instead, for comparison"},
    {"keep", "order", TGS_PARAM_TEXT, 0, 0,
     "what a run keeps of the plan: order, every processor runs its tasks as planned; or kind, of "
     "processors that are alike and share a memory whichever is free takes the ready task planned "
     "first, or on CPUs, as far as the plan has time for that, the one whose data were used last "
     "(never where the memory is limited)"},
    {"window", "4", TGS_PARAM_INT, 0, 1e6,
     "ask for a transfer when the task so many places before its reader has ended; 0: on demand"},
    {"watchdog", "60", TGS_PARAM_REAL, 1e-3, 1e9,
     "give up after so many seconds (or ten times the longest task) without any progress"},
    {"scale", "1", TGS_PARAM_REAL, 0, 1e9,
     "tasks without a kernel hold their worker for so many times their predicted time"},
    {"warmup", "1", TGS_PARAM_INT, 0, 1,
     "execute each kind of task once on each worker that compiles it, before time is taken"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_backend tgs_backend_starpu = {
    .base =
        {TGS_PLUGIN_ABI, "starpu", "replays the schedule on CPUs and devices through StarPU",
         "Augonnet, Thibault, Namyst, Wacrenier: StarPU, a unified platform for task scheduling "
         "on heterogeneous multicore architectures, CCPE 23(2), 2011",
         params},
    .open = open_run,
    .bind = bind,
    .step = step,
    .read = read_datum,
    .close = close_run,
    .calibrate = calibrate,
    .at_once = true,
};
