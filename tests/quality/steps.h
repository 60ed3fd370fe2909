/* steps.h -- training steps on nodes with cards: what fj is measured on. */
#ifndef TESTS_STEPS_QUALITY_H
#define TESTS_STEPS_QUALITY_H
#include <stdio.h>
#include <stdlib.h>
#include "tgsched.h"

typedef struct step_case {
    const char *name, *model, *bind, *strategy, *node;
} step_case;

#define INCEPTION "light_inception_v1.onnx"
#define RESNET    "light_resnet50.onnx"
static const step_case step_cases[] = {
    {"wide", "wide.onnx", "batch=256", "train sgd", "gpu2"},
    {"wide", "wide.onnx", "batch=256", "train sgd", "gpu4"},
    {"wide-batches4", "wide.onnx", "batch=64", "train sgd; micro-batches 4", "gpu2"},
    {"wide-batches4", "wide.onnx", "batch=64", "train sgd; micro-batches 4", "gpu4"},
    {"wide-replicas4", "wide.onnx", "batch=128", "train sgd; replicas 4 tree=2", "gpu4"},
    {"wide-replicas8", "wide.onnx", "batch=128", "train sgd; replicas 8 tree=2", "gpu8"},
    {"inception", INCEPTION, NULL, "train sgd", "gpu2"},
    {"inception", INCEPTION, NULL, "train sgd", "gpu4"},
    {"inception-replicas4", INCEPTION, NULL, "train sgd; replicas 4 tree=2", "gpu4"},
    {"inception-batches4", INCEPTION, NULL, "train sgd; micro-batches 4", "gpu4"},
    {"resnet50-replicas4", RESNET, NULL, "train sgd; replicas 4 tree=2", "gpu4"},
    {"resnet50-batches8", RESNET, NULL, "train sgd; micro-batches 8", "gpu8"},
};
enum { STEP_CASES = sizeof step_cases / sizeof *step_cases };

typedef struct step_result {
    double heft, fj;   /* seconds */
    double lower;      /* the best bound that is known, by a bound or by fj */
    const char *bound; /* its name */
    double certified;  /* what fj itself proved */
    char note[160];
} step_result;

static inline tgs_status step_makespan(double *out, const tgs_problem *pb, const char *heuristic,
                                       step_result *r, tgs_error *err)
{
    tgs_schedule *s;
    const tgs_status status = tgs_schedule_make(&s, pb, heuristic, 1, err);

    if (status)
        return status;
    *out = tgs_schedule_makespan(s);
    r->certified = tgs_schedule_lower_bound(s);
    snprintf(r->note, sizeof r->note, "%s", tgs_schedule_note(s));
    tgs_schedule_free(s);
    return TGS_OK;
}

/* TGS_ENOTAPPLICABLE where ONNX files cannot be read */
static inline tgs_status step_measure(step_result *r, const step_case *c, const char *fj,
                                      tgs_error *err)
{
    const char *dir = getenv("TGS_SRCDIR");
    char model[400], node[400];
    tgs_model *m = NULL;
    tgs_strategy *s = NULL;
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_status status;

    snprintf(model, sizeof model, "%s/tests/data/onnx/%s", dir ? dir : ".", c->model);
    snprintf(node, sizeof node, "%s/tests/data/nodes/%s.tgp", dir ? dir : ".", c->node);
    status = tgs_model_read(&m, model, NULL, c->bind, err);
    if (!status)
        status = tgs_strategy_parse(&s, c->strategy, err);
    if (!status)
        status = tgs_model_lower(&g, m, s, err);
    if (!status)
        status = tgs_platform_read(&p, node, err);
    if (!status)
        status = tgs_problem_new(&pb, g, p, NULL, "latbw", err);
    if (!status)
        status = step_makespan(&r->heft, pb, "heft", r, err);
    if (!status)
        status = step_makespan(&r->fj, pb, fj, r, err);
    if (!status)
        status = tgs_bound_best(&r->lower, &r->bound, pb, err);
    if (!status && r->certified > r->lower) {
        r->lower = r->certified;
        r->bound = "fj";
    }
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_strategy_free(s);
    tgs_model_free(m);
    return status;
}
#endif
