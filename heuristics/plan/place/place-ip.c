/* place-ip.c -- device placement by the integer program of Tarnawski et al. (2020), solved by CBC
 * from what local search finds.  `tgsched plan --export-lp` writes it as a file for other solvers.
 */
#include <string.h>
#include "placeip.h"
#include "placeplan.h"

/* the instance, a placement to begin with, and a bound */
static tgs_status begin(tgs_i_placing *p, const tgs_planner_ctx *c, tgs_error *err)
{
    const bool contiguous = tgs_arg_int(c->args, "contiguous");
    tgs_status status = tgs_i_placing_open(p, c, TGS_I_PLACE_CLASSES, err);

    if (status)
        return status;
    status = tgs_i_placing_dpl(p, c, err);
    if (!status && !contiguous
        && tgs_i_place_anneal(&p->x.class_, &p->x.d, tgs_arg_int(c->args, "evals"), 4, c->rng,
                              &p->a, c->stop, c->user))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = tgs_i_placing_bound(p, err);
    if (status)
        tgs_i_placing_close(p);
    return status;
}

static tgs_status open_ip(tgs_i_place_ip *ip, const tgs_i_placing *p, const tgs_planner_ctx *c,
                          tgs_error *err)
{
    const int64_t most = tgs_arg_int(c->args, "rows");
    tgs_status status =
        tgs_i_place_ip_open(ip, &p->x.class_, &p->x.d, tgs_arg_int(c->args, "contiguous"),
                            fmin(p->bound, p->a.value), p->a.value, err);

    if (!status && tgs_lp_rows(ip->lp) > most) {
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "%d rows, more than %lld: write the program for another solver, or use "
                          "ls-class",
                          tgs_lp_rows(ip->lp), (long long)most);
        tgs_i_place_ip_close(ip);
    }
    return status;
}

static tgs_status take(const tgs_i_place_ip *ip, tgs_i_placing *p)
{
    const size_t n = (size_t)p->x.class_.n, devices = (size_t)p->x.d.devices;
    int32_t *device = tgs_mem_alloc(n, sizeof *device);
    double *load = tgs_mem_alloc(2 * devices, sizeof *load);
    tgs_status status = device && load ? TGS_OK : TGS_ENOMEM;

    if (!status) {
        tgs_i_place_ip_take(ip, &p->x.class_, &p->x.d, device);
        status = tgs_i_place_loads(&p->x.class_, &p->x.d, device, load, load + devices);
    }
    for (size_t k = 0; k < devices && !status; k++) /* solvers round: what does not fit is none */
        if (load[devices + k] > p->x.d.memory[p->x.d.group[k]])
            load[0] = INFINITY;
    if (!status && tgs_i_place_largest(load, p->x.d.devices) < p->a.value) {
        p->a.value = tgs_i_place_largest(load, p->x.d.devices);
        memcpy(p->a.device, device, n * sizeof *device);
    }
    tgs_mem_free(device);
    tgs_mem_free(load);
    return status;
}

static tgs_status solve(tgs_i_place_ip *ip, tgs_i_placing *p, const tgs_planner_ctx *c,
                        tgs_lp_answer *answer, tgs_error *err)
{
    double *start = tgs_mem_alloc((size_t)tgs_lp_columns(ip->lp), sizeof *start);
    const tgs_lp_limits limits = {.nodes = tgs_arg_int(c->args, "nodes"),
                                  .seconds = tgs_arg_real(c->args, "seconds"),
                                  .gap = tgs_arg_real(c->args, "gap") / 100,
                                  .start = start,
                                  .stop = c->stop,
                                  .user = c->user};
    tgs_status status =
        start ? tgs_i_place_ip_put(ip, &p->x.class_, &p->x.d, p->a.device, p->a.value, start)
              : TGS_ENOMEM;

    if (status)
        tgs_fail(err, status, "out of memory");
    if (!status)
        status = tgs_lp_relax(ip->lp, answer, err);
    if (!status)
        p->bound = fmax(p->bound, fmin(p->a.value, tgs_lp_safe_bound(ip->lp, NULL) * ip->unit));
    if (!status)
        status = tgs_lp_solve(ip->lp, &limits, answer, err);
    if (!status && (answer->end == TGS_LP_OPTIMAL || answer->end == TGS_LP_FEASIBLE) && take(ip, p))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(start);
    return status;
}

static tgs_status tell(const tgs_i_placing *p, const tgs_i_place_ip *ip,
                       const tgs_lp_answer *answer, tgs_proposal *out)
{
    const double bound = fmax(answer->bound * ip->unit, p->bound);

    if (isnan(bound) || !(bound > 0))
        return TGS_OK;
    return tgs_proposal_note(out, "at most %.3g %% above the optimum, says CBC after %lld nodes",
                             100 * fmax(0, p->a.value / bound - 1), (long long)answer->nodes);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_placing p;
    tgs_i_place_ip ip;
    tgs_lp_answer answer = {.bound = NAN};
    tgs_status status;

    if (!tgs_lp_available())
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "this tgsched was built without CBC");
    status = begin(&p, c, err);
    if (status)
        return status;
    if (p.x.class_.n && p.a.value > 0) {
        status = open_ip(&ip, &p, c, err);
        if (!status) {
            status = solve(&ip, &p, c, &answer, err);
            if (!status)
                status = tell(&p, &ip, &answer, out);
            tgs_i_place_ip_close(&ip);
        }
    }
    if (!status)
        status = tgs_i_placing_tell(&p, c, NULL, out, err);
    tgs_i_placing_close(&p);
    return status;
}

static tgs_status program(const tgs_planner_ctx *c, tgs_lp **out, tgs_error *err)
{
    tgs_i_placing p;
    tgs_i_place_ip ip;
    tgs_status status = begin(&p, c, err);

    *out = NULL;
    if (status)
        return status;
    if (p.a.value > 0 && p.x.class_.n)
        status = open_ip(&ip, &p, c, err);
    else
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "nothing takes any time: there is no program");
    if (!status) {
        *out = ip.lp;
        ip.lp = NULL;
        tgs_i_place_ip_close(&ip);
    }
    tgs_i_placing_close(&p);
    return status;
}

static const tgs_param params[] = {
    {"contiguous", "0", TGS_PARAM_INT, 0, 1, "1: every device gets the difference of two ideals"},
    {"gap", "1", TGS_PARAM_REAL, 0, 100, "per cent above the optimum that are good enough"},
    {"nodes", "10000", TGS_PARAM_INT, 1, 1e9, "nodes of branch and bound, at most"},
    {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "seconds, at most; 0: no limit"},
    {"rows", "20000", TGS_PARAM_INT, 1, 1e8, "rows of the program, at most"},
    {"evals", "500000", TGS_PARAM_INT, 0, 1e12, "evals of ls-class before"},
    TGS_I_PLACING_ORDERS("4"),
    TGS_I_PLACING_HOST,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_place_ip = {
    .base = {TGS_PLUGIN_ABI, "place-ip",
             "device placement of a graph for throughput, by an integer program",
             "Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient "
             "algorithms for device placement of DNN graph operators, NeurIPS",
             params},
    .needs = TGS_PLANS_GRAPH | TGS_PLANS_PLATFORM,
    .systems = "T6",
    .plan = plan,
    .program = program,
};
