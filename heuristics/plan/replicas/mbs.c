/* mbs.c -- Piao, Synn, Park, Kim, micro-batch streaming, 2021, arXiv 2110.12484: a batch that does
 * not fit on a device, in pieces that do, their gradients weighted by their samples.
 *
 * n = floor((M - model) / item) samples fit, and ceil(B / n) pieces run.  What stays and what a
 * sample takes come from the layers at two sizes.  Of devices that are alike, with like ways from
 * where samples are, the first one is tried. */
#include "../step.h"

typedef struct measure {
    double stays, item; /* bytes */
} measure;

/* bytes on a device, all of the model's and those of l->batch samples */
static void weigh(const tgs_layers *l, double *stays, double *moves)
{
    double largest = 0;

    *stays = *moves = 0;
    for (int32_t i = 0; i < l->n; i++) {
        *stays += 2 * l->layer[i].parameters + l->layer[i].state;
        *moves += l->layer[i].saved;
        largest = fmax(largest, l->layer[i].output);
    }
    *moves += 2 * largest; /* what is made while something else is read */
}

/* pieces of at most `piece` samples, the first ones larger by one */
static tgs_status put(tgs_proposal *out, const tgs_planner_ctx *c, int64_t piece, tgs_error *err)
{
    const int64_t pieces = (c->batch + piece - 1) / piece, size = c->batch / pieces;
    const int64_t rest = c->batch % pieces;
    tgs_i_text sizes = {0};
    char number[24];
    tgs_status status = TGS_OK;

    if (rest == 0)
        return size == c->bound
                   ? tgs_proposal_directive(out, "micro-batches %lld", (long long)pieces)
                   : tgs_proposal_directive(out, "micro-batches %lld; batch %lld",
                                            (long long)pieces, (long long)size);
    if (pieces > 4096)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%lld unequal pieces are too many",
                        (long long)pieces);
    for (int64_t i = 0; i < pieces && !status; i++) {
        snprintf(number, sizeof number, "%lld", (long long)(size + (i < rest)));
        status = tgs_i_list_name(&sizes, number);
    }
    if (!status)
        status = tgs_proposal_directive(out, "micro-batches %lld sizes=%s", (long long)pieces,
                                        sizes.text);
    tgs_mem_free(sizes.text);
    return status;
}

/* the bytes of one sample and of the model: by two sizes where there are two, else in proportion */
static tgs_status find(const tgs_planner_ctx *c, measure *x, tgs_error *err)
{
    const tgs_layers *l, *one;
    double stays, moves, small;
    tgs_status status = tgs_planner_layers(c, 0, c->bound, &l, err);

    if (status)
        return status;
    weigh(l, &x->stays, &moves);
    x->item = moves / (double)c->bound;
    if (c->bound > 1)
        status = tgs_planner_layers(c, 0, 1, &one, NULL);
    if (c->bound > 1 && !status) {
        weigh(one, &stays, &small);
        x->item = (moves - small) / (double)(c->bound - 1);
        x->stays += fmax(0, small - x->item);
    }
    return status == TGS_ENOMEM ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

/* the fastest that fits; where nothing does, what lacks the fewest bytes */
static tgs_status try_on(const tgs_planner_ctx *c, const measure *x, int32_t memory,
                         tgs_evaluation *best, tgs_proposal **chosen, tgs_error *err)
{
    const int64_t fits = tgs_i_piece(c->p->memory[memory].capacity, x->stays, x->item);
    tgs_i_text place = {0};
    tgs_proposal *p = NULL;
    tgs_evaluation e;
    tgs_status status = TGS_OK;

    /* the estimate may be a little short: then smaller pieces are tried */
    for (int64_t piece = fits < c->batch ? (fits > 1 ? fits : 1) : c->batch; piece > 0 && !status;
         piece /= 2) {
        status = tgs_proposal_open(&p, c, err);
        if (!status)
            status = put(p, c, piece, err);
        place.used = 0;
        if (!status)
            status = tgs_i_list_name(&place, c->p->memory[memory].name);
        if (!status)
            status = tgs_proposal_directive(p, "place %s", place.text);
        if (!status)
            status = tgs_planner_evaluate(c, tgs_proposal_strategy(p), &e, err);
        if (status && status != TGS_ENOMEM) { /* the model cannot have pieces of that size */
            status = TGS_OK;
            e.missing = INFINITY;
        }
        if (!status && tgs_planner_better(c, &e, best)) {
            *best = e;
            tgs_proposal_free(*chosen);
            *chosen = p;
            p = NULL;
        }
        tgs_proposal_free(p);
        p = NULL;
        if (!status && e.missing <= 0)
            break;
    }
    tgs_mem_free(place.text);
    return status;
}

/* the first processor of a memory from `from` on; p->procs: there is none */
static int32_t processor_of(const tgs_platform_view *p, int32_t memory, int32_t from)
{
    while (from < p->procs && p->proc[from].memory != memory)
        from++;
    return from;
}

/* the pair of the memory where a device's samples are, the first of its node, and its own */
static int32_t way_to(const tgs_platform_view *p, int32_t memory)
{
    int32_t home = 0;

    while (p->memory[home].node != p->memory[memory].node)
        home++;
    return home * p->memories + memory;
}

static bool alike(const tgs_platform_view *p, int32_t a, int32_t b)
{
    const int32_t x = p->route_at[way_to(p, a)], y = p->route_at[way_to(p, b)];
    const int32_t hops = p->route_at[way_to(p, a) + 1] - x;
    int32_t i = processor_of(p, a, 0), j = processor_of(p, b, 0);

    if (p->memory[a].capacity != p->memory[b].capacity || hops != p->route_at[way_to(p, b) + 1] - y)
        return false;
    for (int32_t k = 0; k < hops; k++) {
        const tgs_link *s = &p->link[p->route[x + k]], *t = &p->link[p->route[y + k]];

        if (s->latency != t->latency || s->bandwidth != t->bandwidth || s->bus != t->bus
            || !(s->energy == t->energy || (isnan(s->energy) && isnan(t->energy))))
            return false;
    }
    for (; i < p->procs && j < p->procs;
         i = processor_of(p, a, i + 1), j = processor_of(p, b, j + 1))
        if (p->proc[i].kind != p->proc[j].kind || p->proc[i].speed != p->proc[j].speed)
            return false;
    return i == p->procs && j == p->procs;
}

/* is it the first of those that are alike and have processors? */
static bool new_memory(const tgs_platform_view *p, int32_t memory, const int32_t *seen,
                       int32_t count)
{
    if (processor_of(p, memory, 0) == p->procs)
        return false;
    for (int32_t i = 0; i < count; i++)
        if (alike(p, seen[i], memory))
            return false;
    return true;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    int32_t *seen = tgs_mem_alloc((size_t)c->p->memories, sizeof *seen), count = 0;
    tgs_proposal *chosen = NULL;
    measure x;
    tgs_evaluation best = {.missing = INFINITY};
    tgs_status status = seen ? find(c, &x, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    for (int32_t m = 0; m < c->p->memories && !status; m++)
        if (new_memory(c->p, m, seen, count)) {
            seen[count++] = m;
            status = try_on(c, &x, m, &best, &chosen, err);
        }
    tgs_mem_free(seen);
    if (!status && !chosen)
        status =
            tgs_fail(err, TGS_ENOTAPPLICABLE, "no memory has a processor for pieces of this model");
    if (!status)
        status = tgs_proposal_adopt(out, chosen);
    if (!status)
        status = tgs_proposal_figure(out, "model_bytes", x.stays);
    if (!status)
        status = tgs_proposal_figure(out, "sample_bytes", x.item);
    tgs_proposal_free(chosen);
    return status;
}

const tgs_planner tgs_planner_mbs = {
    .base = {TGS_PLUGIN_ABI, "mbs", "one device, the batch in pieces that fit in its memory",
             "Piao, Synn, Park, Kim, arXiv 2110.12484, 2021", NULL},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T13",
    .plan = plan,
};
