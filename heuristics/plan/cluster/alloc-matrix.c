/* alloc-matrix.c -- an ensemble of unlike models on unlike devices.
 *
 * P. Pochelu, S. Petiton, B. Conche, "An efficient and flexible inference system for serving
 * heterogeneous ensembles of deep neural networks", 2022 (arXiv 2208.14049): an allocation matrix
 * devices x models, filled by worst fit (largest first) for memory, then improved by a greedy
 * search over a bounded random sample of the matrices that differ in one entry.  The slowest model
 * gates the ensemble.
 *
 * method=wfd is the first step, greedy both, exact (the default) goes on to a branch and bound
 * from there: worst fit sends to the CPU what a better packing keeps on the GPUs. */
#include <string.h>
#include "alloc.h"

static tgs_status tell(const tgs_i_alloc *x, const int32_t *entry, tgs_proposal *out)
{
    const tgs_i_served s = tgs_i_alloc_judge(x, entry);
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->devices * x->models && !status; i++) {
        const int32_t d = i / x->models, o = entry[i];
        char item[168];

        if (o < 0)
            continue;
        snprintf(item, sizeof item, "%.80s: %.80s", tgs_i_row_name(x->file, 0, d),
                 tgs_i_row_name(x->file, 1, i % x->models));
        status = tgs_proposal_row(out, item, tgs_i_row_name(x->file, 2, o), NAN, x->need[o]);
    }
    if (!status)
        status = tgs_proposal_figure(out, "samples_per_s", s.slowest);
    if (!status)
        status = tgs_proposal_figure(out, "all_samples_per_s", s.all);
    if (!status)
        status = tgs_proposal_figure(out, "fallback_models", s.stranded);
    return status;
}

/* All models that have no place would fit one device, each with its smallest option: that with
 * which least is missing. */
static tgs_status tell_missing(const tgs_i_alloc *x, const int32_t *entry, tgs_error *err)
{
    double least = INFINITY;
    int32_t best = 0;

    for (int32_t d = 0; d < x->devices; d++) {
        double missing = -tgs_i_alloc_left(x, entry, d);

        for (int32_t m = 0; m < x->models; m++)
            if (!tgs_i_alloc_placed(x, entry, m))
                missing += tgs_i_alloc_least(x, m, d);
        if (missing < least) {
            least = missing;
            best = d;
        }
    }
    if (isinf(least))
        return tgs_fail(err, TGS_EINFEASIBLE, "%d models fit nowhere, or run nowhere",
                        tgs_i_alloc_judge(x, entry).missing);
    return tgs_fail(err, TGS_EINFEASIBLE,
                    "%d models fit nowhere: %.17g bytes are missing; device %.80s with "
                    "memory=%.17g suffices",
                    tgs_i_alloc_judge(x, entry).missing, least, tgs_i_row_name(x->file, 0, best),
                    x->memory[best] + least);
}

static tgs_status choose(const tgs_i_alloc *x, const tgs_planner_ctx *c, int32_t *entry,
                         int32_t *work, tgs_proposal *out, tgs_error *err)
{
    const char *method = tgs_arg_text(c->args, "method");
    const bool exact = !strcmp(method, "exact"), greedy = exact || !strcmp(method, "greedy");
    tgs_status status;

    if (!greedy && strcmp(method, "wfd"))
        return tgs_fail(err, TGS_EINVAL, "method=%.40s: it is wfd, greedy or exact", method);
    status = tgs_i_alloc_wfd(x, entry, err);
    if (status && !(exact && status == TGS_EINFEASIBLE)) /* which a better packing may not be */
        return status;
    if (greedy && !status)
        tgs_i_alloc_greedy(x, c, tgs_arg_int(c->args, "evals"), tgs_arg_int(c->args, "sample"),
                           entry);
    status = TGS_OK;
    if (exact && !tgs_i_alloc_exact(x, c, tgs_arg_int(c->args, "nodes"), entry, work))
        status = tgs_proposal_note(out, "the search ended before the matrix was proven best");
    if (!status && tgs_i_alloc_judge(x, entry).missing)
        status = tell_missing(x, entry, err);
    return status ? status : tell(x, entry, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    int32_t *entry = NULL;
    tgs_i_alloc x;
    size_t entries;
    tgs_status status = tgs_i_alloc_open(&x, c, err);

    if (status)
        return status;
    entries = (size_t)x.devices * (size_t)x.models;
    entry = tgs_mem_alloc(2 * entries, sizeof *entry);
    if (entry)
        status = choose(&x, c, entry, entry + entries, out, err);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for a matrix of %zu entries", entries);
    tgs_mem_free(entry);
    tgs_i_alloc_close(&x);
    return status;
}

static const tgs_param params[] = {
    {"method", "exact", TGS_PARAM_TEXT, 0, 0, "wfd, greedy or exact"},
    {"slowdown", "0", TGS_PARAM_REAL, 0, 100, "of the models of a device, for each further one"},
    {"evals", "10000", TGS_PARAM_INT, 0, 1e12, "matrices that greedy looks at"},
    {"sample", "100", TGS_PARAM_INT, 1, 1e9, "matrices among which greedy takes the best"},
    {"nodes", "1000000", TGS_PARAM_INT, 0, 1e12, "nodes of the exact search"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_alloc_matrix = {
    .base = {TGS_PLUGIN_ABI, "alloc-matrix", "models to serve on unlike devices, with copies",
             "Pochelu, Petiton, Conche, 2022; exact search of our own", params},
    .needs = TGS_PLANS_FILE,
    .systems = "T11",
    .plan = plan,
};
