/* fleet.c -- see fleet.h. */
#include <string.h>
#include "fleet.h"

double tgs_i_fleet_capacity(const tgs_i_fleet *f, const tgs_planner_ctx *c, int32_t place)
{
    return c->p->memory[f->memory[place]].capacity - f->reserve;
}

/* seconds of a model's passes over one batch in a memory, by its fastest processor there */
static double both_passes(const tgs_planner_ctx *c, const tgs_layers *l, int32_t memory)
{
    double best = INFINITY;

    for (int32_t q = 0; q < c->p->procs; q++) {
        const tgs_proc *p = &c->p->proc[q];
        double sum = 0;

        if (p->memory != memory)
            continue;
        for (int32_t i = 0; i < l->n; i++)
            sum += l->forward[(int64_t)i * l->kinds + p->kind]
                   + l->backward[(int64_t)i * l->kinds + p->kind];
        best = fmin(best, sum / p->speed);
    }
    return best;
}

static double slowest_update(const tgs_planner_ctx *c, const tgs_layers *l)
{
    double most = 0;

    for (int32_t q = 0; q < c->p->procs; q++) {
        const tgs_proc *p = &c->p->proc[q];
        double sum = 0;

        for (int32_t i = 0; i < l->n; i++)
            sum += l->update[(int64_t)i * l->kinds + p->kind];
        if (sum < INFINITY)
            most = fmax(most, sum / p->speed);
    }
    return most;
}

static void add_up(tgs_i_fleet *f, const tgs_planner_ctx *c, const tgs_layers *l)
{
    for (int32_t i = 0; i < l->n; i++) {
        f->parameters += l->layer[i].parameters;
        f->state += l->layer[i].state;
        f->largest = fmax(f->largest, l->layer[i].parameters);
        f->layers += l->layer[i].parameters > 0;
    }
    f->update = slowest_update(c, l);
}

/* both curves between two sizes whose ends are known */
static void draw_line(double *curve, int64_t from, int64_t to)
{
    for (int64_t b = from + 1; b < to; b++)
        curve[b] =
            curve[from] + (curve[to] - curve[from]) * ((double)(b - from) / (double)(to - from));
}

static tgs_status measure(tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_error *err)
{
    const int64_t wide = f->batch + 1;
    int64_t last = 0;
    tgs_status status = TGS_OK;

    for (int64_t b = 1; last < f->batch && !status; b = 2 * b < f->batch ? 2 * b : f->batch) {
        const tgs_layers *l;

        status = tgs_planner_layers(c, 0, b, &l, err);
        if (status == TGS_ENOTAPPLICABLE && b < f->batch) { /* this model has no such batch */
            status = TGS_OK;
            continue;
        }
        if (status)
            break;
        if (last == 0) {
            add_up(f, c, l);
            f->first = l;
        }
        for (int32_t i = 0; i < l->n; i++)
            f->saved[b] += l->layer[i].saved;
        draw_line(f->saved, last, b);
        for (int32_t k = 0; k < f->places; k++) {
            f->time[k * wide + b] = both_passes(c, l, f->memory[k]);
            draw_line(f->time + k * wide, last, b);
        }
        last = b;
    }
    return status;
}

static void find_places(tgs_i_fleet *f, const tgs_planner_ctx *c, int32_t *memory)
{
    for (int32_t m = 0; m < c->p->memories; m++) {
        bool used = false;

        for (int32_t q = 0; q < c->p->procs; q++)
            used |= c->p->proc[q].memory == m;
        if (used)
            memory[f->places++] = m;
    }
    for (int32_t a = 0; a < f->places; a++)
        for (int32_t b = 0; b < f->places; b++) {
            const int64_t route = (int64_t)memory[a] * c->p->memories + memory[b];

            f->latency = fmax(f->latency, c->p->lat[route]);
            f->inverse = fmax(f->inverse, c->p->inv[route]);
        }
}

tgs_status tgs_i_fleet_open(tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_error *err)
{
    tgs_status status;

    *f = (tgs_i_fleet){.batch = c->batch};
    f->owned = tgs_mem_alloc((size_t)c->p->memories, sizeof *f->owned);
    if (!f->owned)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d places", c->p->memories);
    f->memory = f->owned;
    find_places(f, c, f->owned);
    f->time = tgs_mem_alloc((size_t)f->places, (size_t)(f->batch + 1) * sizeof *f->time);
    f->saved = tgs_mem_alloc((size_t)(f->batch + 1), sizeof *f->saved);
    status = f->time && f->saved ? measure(f, c, err)
                                 : tgs_fail(err, TGS_ENOMEM, "out of memory for curves of %lld",
                                            (long long)f->batch);
    if (status)
        tgs_i_fleet_close(f);
    return status;
}

void tgs_i_fleet_close(tgs_i_fleet *f)
{
    tgs_mem_free(f->owned);
    tgs_mem_free(f->time);
    tgs_mem_free(f->saved);
    *f = (tgs_i_fleet){.places = 0};
}

int64_t tgs_i_fleet_samples(const tgs_i_fleet *f, double bytes)
{
    int64_t b = 0;

    while (b < f->batch && f->saved[b + 1] <= bytes)
        b++;
    return b;
}

double tgs_i_fleet_ring(const tgs_i_fleet *f, int32_t n, double volume)
{
    return n > 1 ? volume * (n - 1) * (f->latency + f->parameters / n * f->inverse) : 0;
}

/* "a,b,..." of what each used place says, into a text that the caller frees */
static char *list(const tgs_i_fleet *f, const tgs_planner_ctx *c, const int64_t *share,
                  bool memories)
{
    size_t room = 1, used = 0;
    char *text;

    for (int32_t k = 0; k < f->places; k++)
        room += share[k] > 0 ? (memories ? strlen(c->p->memory[f->memory[k]].name) : 20) + 1 : 0;
    text = tgs_mem_alloc(room, 1);
    for (int32_t k = 0; text && k < f->places; k++) {
        if (share[k] == 0)
            continue;
        if (memories)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? "," : "",
                                     c->p->memory[f->memory[k]].name);
        else
            used += (size_t)snprintf(text + used, room - used, "%s%lld", used ? "," : "",
                                     (long long)share[k]);
    }
    return text;
}

/* one replica: its micro-batches, the first ones larger by one */
static char *alone(const tgs_i_fleet *f, int64_t micro, const char *place)
{
    const size_t room = 100 + strlen(place) + 21 * (size_t)micro;
    char *text = tgs_mem_alloc(room, 1);
    size_t used;

    if (!text)
        return NULL;
    if (f->batch % micro == 0) {
        snprintf(text, room, "batch %lld; micro-batches %lld; place %s",
                 (long long)(f->batch / micro), (long long)micro, place);
        return text;
    }
    used = (size_t)snprintf(text, room, "micro-batches %lld sizes=", (long long)micro);
    for (int64_t i = 0; i < micro; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%lld", i ? "," : "",
                                 (long long)(f->batch / micro + (i < f->batch % micro)));
    snprintf(text + used, room - used, "; place %s", place);
    return text;
}

char *tgs_i_fleet_strategy(const tgs_i_fleet *f, const tgs_planner_ctx *c, const int64_t *share,
                           int64_t micro, const char *more)
{
    char *shares = list(f, c, share, false), *places = list(f, c, share, true), *text = NULL;
    const size_t room = (shares && places ? strlen(shares) + strlen(places) : 0) + strlen(more)
                        + PLAN_REDUCTION + 100;
    int32_t replicas = 0, *memory = tgs_mem_alloc((size_t)f->places, sizeof *memory);
    char reduction[PLAN_REDUCTION];

    for (int32_t k = 0; memory && k < f->places; k++)
        if (share[k] > 0)
            memory[replicas++] = f->memory[k];
    if (shares && places && memory)
        text = replicas == 1 ? alone(f, micro, places) : tgs_mem_alloc(room, 1);
    if (text && replicas > 1) {
        tgs_i_plan_reduction(c, f->first, replicas, 1, memory, reduction);
        snprintf(text, room, "replicas %d shares=%s%s; micro-batches %lld; %s%splace %s",
                 (int)replicas, shares, reduction, (long long)micro, more, *more ? "; " : "",
                 places);
    }
    tgs_mem_free(memory);
    tgs_mem_free(shares);
    tgs_mem_free(places);
    return text;
}

/* equal shares of the places that can compute, at most so many; the smallest share, 0: of none */
static int64_t share_evenly(const tgs_i_fleet *f, int32_t most, int64_t *share)
{
    int32_t able = 0, k = 0;

    for (int32_t i = 0; i < f->places; i++)
        able += f->time[i * (f->batch + 1) + 1] < INFINITY;
    able = able < f->batch ? able : (int32_t)f->batch;
    able = able < most ? able : most;
    for (int32_t i = 0; i < f->places && k < able; i++)
        if (f->time[i * (f->batch + 1) + 1] < INFINITY)
            share[i] = f->batch / able + (k++ < f->batch % able);
    return able ? f->batch / able : 0;
}

tgs_status tgs_i_fleet_least(const tgs_i_fleet *f, const tgs_planner_ctx *c, int32_t stage,
                             tgs_proposal *out, tgs_error *err)
{
    /* what more than a few would share out is not lowered */
    const int32_t most = stage > 0 ? PLAN_FEW : INT32_MAX;
    int64_t *share = tgs_mem_alloc((size_t)f->places, sizeof *share);
    char more[32] = "", *best = NULL;
    double missing = INFINITY;
    tgs_status status = share ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
    const int64_t least = share ? share_evenly(f, most, share) : 0;

    if (stage > 0 && f->places > 1)
        snprintf(more, sizeof more, "shard %d", (int)stage);
    for (int64_t micro = 1; micro <= least && !status; micro *= 2) {
        tgs_evaluation e;
        char *text = tgs_i_fleet_strategy(f, c, share, micro, more);

        status = text ? tgs_planner_evaluate(c, text, &e, err)
                      : tgs_fail(err, TGS_ENOMEM, "out of memory for a strategy");
        if (!status && e.missing < missing) {
            missing = e.missing;
            tgs_mem_free(best);
            best = text;
        } else
            tgs_mem_free(text);
        if (c->stop && c->stop(c->user))
            break;
    }
    if (!status && !best)
        status =
            tgs_fail(err, TGS_EINFEASIBLE, "no memory's processor can run every operator alone");
    if (!status && tgs_proposal_directive(out, "%s", best))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for a strategy");
    tgs_mem_free(best);
    tgs_mem_free(share);
    return status;
}
