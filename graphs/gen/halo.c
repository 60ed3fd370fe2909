/* halo.c -- a step of a message-passing network whose atoms are shared out over domains.
 *
 * Y. Park, J. Kim, S. Hwang, S. Han, "Scalable parallel algorithm for graph neural network
 * interatomic potentials in molecular dynamics simulations" (SevenNet), JCTC 20, 2024: before each
 * layer but the first every domain gets the features of the atoms around it (forward halo), and in
 * the backward pass the gradients of these go back to their owners (reverse halo).
 *
 * The domains form a ring; a halo task gathers what both neighbours send.  T layers and P domains
 * are 2 T P passes and 2 (T - 1) P halos; with equal domains the critical path is
 * T (f + b) + 2 (T - 1) c.  With overlap, that part of a pass needs no halo and runs beside it, as
 * a task of its own. */
#include <stdlib.h>
#include "tgsched/plugin.h"

typedef struct halo {
    tgs_builder *b;
    int64_t domains, layers;
    double forward, backward, exchange, overlap, bytes;
    double *size;           /* [domains] of a domain's passes, over the mean */
    int32_t *pass, *before; /* [domains] of this layer, of the one before */
    int32_t *inside;        /* [domains] the part without halo, -1 */
    int32_t *around;        /* [domains] halos */
} halo;

static int32_t add(const halo *h, const char *what, int64_t layer, int64_t domain, double seconds,
                   tgs_phase phase)
{
    char name[64], group[24];
    int32_t t;

    snprintf(name, sizeof name, "%s%lld.%lld", what, (long long)layer, (long long)domain);
    snprintf(group, sizeof group, "%lld", (long long)domain);
    t = tgs_builder_task(h->b, name, what, seconds);
    if (t >= 0) {
        tgs_builder_task_phase(h->b, t, phase);
        tgs_builder_task_constrain(h->b, t, "group", group);
    }
    return t;
}

/* the domains beside one on the ring: none, one or two */
static int32_t neighbours(const halo *h, int64_t domain, int64_t *out)
{
    const int64_t n = h->domains;

    out[0] = (domain + n - 1) % n;
    out[1] = (domain + 1) % n;
    return n == 1 ? 0 : n == 2 ? 1 : 2;
}

/* after the passes of the layer before: what each domain gets from its neighbours */
static void exchange(const halo *h, bool forward, int64_t layer)
{
    for (int64_t d = 0; d < h->domains; d++) {
        int64_t beside[2];
        const int32_t n = neighbours(h, d, beside);

        h->around[d] =
            add(h, forward ? "halo" : "back", layer, d, h->exchange, TGS_PHASE_COMMUNICATION);
        tgs_builder_edge(h->b, h->before[d], h->around[d], 0);
        for (int32_t i = 0; i < n; i++)
            tgs_builder_edge(h->b, h->before[beside[i]], h->around[d], h->bytes);
    }
}

/* one layer in one direction; the first one that runs in a step has no halo before it */
static void run_layer(halo *h, bool forward, int64_t layer, bool opens, bool first)
{
    const double mean = forward ? h->forward : h->backward;
    const double apart = opens ? 0 : h->overlap;
    const tgs_phase phase = forward ? TGS_PHASE_FORWARD : TGS_PHASE_BACKWARD;
    int32_t *swap;

    if (!opens)
        exchange(h, forward, layer);
    for (int64_t d = 0; d < h->domains; d++) {
        const double seconds = mean * h->size[d];

        h->inside[d] = -1;
        if (apart > 0) {
            h->inside[d] = add(h, forward ? "inner" : "rinner", layer, d, seconds * apart, phase);
            tgs_builder_edge(h->b, h->before[d], h->inside[d], 0);
        }
        h->pass[d] =
            add(h, forward ? "forward" : "backward", layer, d, seconds * (1 - apart), phase);
        if (!first)
            tgs_builder_edge(h->b, h->before[d], h->pass[d], 0);
        if (!opens)
            tgs_builder_edge(h->b, h->around[d], h->pass[d], 0);
        if (apart > 0)
            tgs_builder_edge(h->b, h->inside[d], h->pass[d], 0);
    }
    swap = h->before;
    h->before = h->pass;
    h->pass = swap;
}

static tgs_status make_all(halo *h, tgs_error *err)
{
    const char *text;
    tgs_status status = TGS_OK;

    for (int64_t t = 1; t <= h->layers && !status; t++) {
        run_layer(h, true, t, t == 1, t == 1);
        status = tgs_builder_status(h->b, &text);
    }
    for (int64_t t = h->layers; t >= 1 && !status; t--) {
        run_layer(h, false, t, t == h->layers, false);
        status = tgs_builder_status(h->b, &text);
    }
    return status ? tgs_fail(err, status, "halo: %s", text) : TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    halo h = {.b = b,
              .domains = tgs_arg_int(a, "domains"),
              .layers = tgs_arg_int(a, "layers"),
              .forward = tgs_arg_real(a, "forward"),
              .backward = tgs_arg_real(a, "backward"),
              .exchange = tgs_arg_real(a, "halo"),
              .overlap = tgs_arg_real(a, "overlap"),
              .bytes = tgs_arg_real(a, "bytes")};
    tgs_status status = TGS_ENOMEM;

    if ((double)h.domains * (double)h.layers > 1e7)
        return tgs_fail(err, TGS_EINVAL, "halo: %lld domains of %lld layers are too many",
                        (long long)h.domains, (long long)h.layers);
    h.size = tgs_mem_alloc((size_t)h.domains, sizeof *h.size);
    h.pass = tgs_mem_alloc((size_t)h.domains, sizeof *h.pass);
    h.before = tgs_mem_alloc((size_t)h.domains, sizeof *h.before);
    h.inside = tgs_mem_alloc((size_t)h.domains, sizeof *h.inside);
    h.around = tgs_mem_alloc((size_t)h.domains, sizeof *h.around);
    for (int64_t d = 0; h.size && d < h.domains; d++)
        h.size[d] = 1 + tgs_arg_real(a, "spread") * (2 * tgs_rng_real(r) - 1);
    if (h.size && h.pass && h.before && h.inside && h.around)
        status = make_all(&h, err);
    else
        tgs_fail(err, status, "halo: out of memory");
    tgs_mem_free(h.size);
    tgs_mem_free(h.pass);
    tgs_mem_free(h.before);
    tgs_mem_free(h.inside);
    tgs_mem_free(h.around);
    return status;
}

static const tgs_param params[] = {
    {"domains", "4", TGS_PARAM_INT, 1, 1000000, "P, each with a memory of its own"},
    {"layers", "5", TGS_PARAM_INT, 1, 1000000, "T, that pass messages"},
    {"forward", "1", TGS_PARAM_REAL, 0, 1e15, "f, seconds of a layer's forward pass in a domain"},
    {"backward", "2", TGS_PARAM_REAL, 0, 1e15, "b, of its backward pass"},
    {"halo", "0.25", TGS_PARAM_REAL, 0, 1e15, "c, of an exchange"},
    {"overlap", "0", TGS_PARAM_REAL, 0, 0.999, "part of a pass that needs no halo"},
    {"spread", "0.1", TGS_PARAM_REAL, 0, 1,
     "domains are of sizes uniform within this part of their mean around it"},
    {"bytes", "0", TGS_PARAM_REAL, 0, 1e18, "that a domain sends to a neighbour"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_halo = {
    .base = {TGS_PLUGIN_ABI, "halo", "a step of message passing over domains that exchange halos",
             "Park, Kim, Hwang, Han, JCTC 20, 2024", params},
    .make = make,
};
