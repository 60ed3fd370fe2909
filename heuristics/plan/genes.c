/* genes.c -- genetic search over genomes of several parts, each with its own operators.
 *
 * The survivors are those of an NSGA-II (pareto.c); with one objective that is a sort.  A child
 * takes every part from two parents of binary tournaments: of integers one cut point each, of
 * permutations the order crossover (the left part of the first, the rest in the order of the
 * second); then mutations, each of one gene: a new value, or a move within the permutation.  Equal
 * genomes are judged once while they live, and only one of them survives before others do.  One
 * generation is O(size^2 (genes + objectives)) and the judging. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct member {
    int32_t *gene; /* [genes] */
    double *value; /* [objectives] */
    double crowding;
    int32_t front, age;
} member;

typedef struct pool {
    const tgs_i_genome *g;
    tgs_rng *rng;
    int32_t genes;
    member *member;            /* [2 size]: parents, then children */
    int32_t *gene;             /* theirs */
    double *value;             /* theirs */
    double *values, *crowding; /* [2 size * objectives], [2 size]: of one selection */
    int32_t *front;            /* [2 size] */
    bool *used;                /* [genes] of the order crossover */
    int32_t ages;
    int64_t judged;
} pool;

int32_t tgs_i_genes(const tgs_i_genome *g)
{
    int32_t genes = 0;

    for (int32_t i = 0; i < g->parts; i++)
        genes += g->part[i].genes;
    return genes;
}

static bool permutes(const tgs_i_part *part)
{
    return part->low > part->high;
}

static void draw(pool *p, int32_t *gene)
{
    for (int32_t k = 0; k < p->g->parts; k++) {
        const tgs_i_part *part = &p->g->part[k];

        for (int32_t i = 0; i < part->genes; i++)
            gene[i] = permutes(part) ? i : (int32_t)tgs_rng_int(p->rng, part->low, part->high);
        for (int32_t i = part->genes - 1; i > 0 && permutes(part); i--) {
            const int32_t j = (int32_t)tgs_rng_int(p->rng, 0, i), x = gene[i];

            gene[i] = gene[j];
            gene[j] = x;
        }
        gene += part->genes;
    }
}

static void cross(pool *p, const int32_t *a, const int32_t *b, int32_t *child)
{
    for (int32_t k = 0; k < p->g->parts; k++) {
        const tgs_i_part *part = &p->g->part[k];
        const int32_t cut = (int32_t)tgs_rng_int(p->rng, 0, part->genes);
        int32_t filled = cut;

        memcpy(child, a, (size_t)cut * sizeof *child);
        if (permutes(part)) {
            memset(p->used, 0, (size_t)part->genes * sizeof *p->used);
            for (int32_t i = 0; i < cut; i++)
                p->used[a[i]] = true;
            for (int32_t i = 0; i < part->genes; i++)
                if (!p->used[b[i]])
                    child[filled++] = b[i];
        } else {
            memcpy(child + cut, b + cut, (size_t)(part->genes - cut) * sizeof *child);
        }
        a += part->genes;
        b += part->genes;
        child += part->genes;
    }
}

static void mutate_once(pool *p, int32_t *gene)
{
    int32_t at = (int32_t)tgs_rng_int(p->rng, 0, p->genes - 1), to, x;
    const tgs_i_part *part = p->g->part;

    for (; at >= part->genes; part++) {
        at -= part->genes;
        gene += part->genes;
    }
    if (!permutes(part)) {
        gene[at] = (int32_t)tgs_rng_int(p->rng, part->low, part->high);
        return;
    }
    to = (int32_t)tgs_rng_int(p->rng, 0, part->genes - 1);
    x = gene[at];
    for (; at < to; at++)
        gene[at] = gene[at + 1];
    for (; at > to; at--)
        gene[at] = gene[at - 1];
    gene[to] = x;
}

static bool twins(const pool *p, const member *a, const member *b)
{
    return !memcmp(a->gene, b->gene, (size_t)p->genes * sizeof *a->gene);
}

/* the objectives of member i; those of an equal one before it if there is one */
static tgs_status judge(pool *p, int32_t i, tgs_error *err)
{
    member *x = &p->member[i];

    p->judged++;
    x->age = p->ages++;
    for (int32_t j = 0; j < i; j++)
        if (twins(p, x, &p->member[j])) {
            memcpy(x->value, p->member[j].value, (size_t)p->g->objectives * sizeof *x->value);
            return TGS_OK;
        }
    return p->g->judge(p->g->user, x->gene, x->value, err);
}

static int better_first(const void *a, const void *b)
{
    const member *x = a, *y = b;

    if (x->front != y->front)
        return x->front < y->front ? -1 : 1;
    if (x->crowding != y->crowding)
        return x->crowding > y->crowding ? -1 : 1;
    return x->age < y->age ? -1 : 1;
}

/* orders the first count members, the best first; twins of others last */
static tgs_status rank(pool *p, int32_t count, tgs_error *err)
{
    const int32_t m = p->g->objectives;
    tgs_status status;

    for (int32_t i = 0; i < count; i++)
        memcpy(p->values + (int64_t)i * m, p->member[i].value, (size_t)m * sizeof *p->values);
    status = tgs_i_fronts(count, m, p->values, p->front, p->crowding, err);
    for (int32_t i = 0; i < count && !status; i++) {
        p->member[i].front = p->front[i];
        p->member[i].crowding = p->crowding[i];
        for (int32_t j = 0; j < i && p->member[i].front < count; j++)
            if (twins(p, &p->member[i], &p->member[j]))
                p->member[i].front = count;
    }
    if (!status)
        qsort(p->member, (size_t)count, sizeof *p->member, better_first);
    return status;
}

static const int32_t *parent(pool *p)
{
    const int32_t a = (int32_t)tgs_rng_int(p->rng, 0, p->g->size - 1),
                  b = (int32_t)tgs_rng_int(p->rng, 0, p->g->size - 1);

    return p->member[a < b ? a : b].gene; /* they are in order */
}

static bool spent(const pool *p)
{
    return p->judged >= p->g->evals || (p->g->stop && p->g->stop(p->g->stop_user));
}

static tgs_status search(pool *p, tgs_error *err)
{
    const tgs_i_genome *g = p->g;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < g->size && !status; i++) {
        if (i < g->seeds)
            memcpy(p->member[i].gene, g->seed + (int64_t)i * p->genes,
                   (size_t)p->genes * sizeof *g->seed);
        else
            draw(p, p->member[i].gene);
        status = judge(p, i, err);
    }
    if (!status)
        status = rank(p, g->size, err);
    while (!status && p->genes > 0 && !spent(p)) {
        for (int32_t i = g->size; i < 2 * g->size && !status; i++) {
            cross(p, parent(p), parent(p), p->member[i].gene);
            while (tgs_rng_real(p->rng) < g->mutation)
                mutate_once(p, p->member[i].gene);
            status = judge(p, i, err);
        }
        if (!status)
            status = rank(p, 2 * g->size, err);
    }
    return status;
}

static tgs_status pool_open(pool *p, tgs_error *err)
{
    const size_t members = 2 * (size_t)p->g->size, m = (size_t)p->g->objectives;

    p->genes = tgs_i_genes(p->g);
    p->member = tgs_mem_alloc(members, sizeof *p->member);
    p->gene = tgs_mem_alloc(members * (size_t)p->genes, sizeof *p->gene);
    p->value = tgs_mem_alloc(members * m, sizeof *p->value);
    p->values = tgs_mem_alloc(members * m, sizeof *p->values);
    p->crowding = tgs_mem_alloc(members, sizeof *p->crowding);
    p->front = tgs_mem_alloc(members, sizeof *p->front);
    p->used = tgs_mem_alloc((size_t)p->genes, sizeof *p->used);
    if (!p->member || !p->gene || !p->value || !p->values || !p->crowding || !p->front || !p->used)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d genomes of %d genes", p->g->size,
                        p->genes);
    for (size_t i = 0; i < members; i++) {
        p->member[i].gene = p->gene + i * (size_t)p->genes;
        p->member[i].value = p->value + i * m;
    }
    return TGS_OK;
}

static void pool_close(pool *p)
{
    tgs_mem_free(p->member);
    tgs_mem_free(p->gene);
    tgs_mem_free(p->value);
    tgs_mem_free(p->values);
    tgs_mem_free(p->crowding);
    tgs_mem_free(p->front);
    tgs_mem_free(p->used);
}

static int by_objectives(const void *a, const void *b, void *user)
{
    const pool *p = user;
    const member *x = a, *y = b;

    for (int32_t k = 0; k < p->g->objectives; k++)
        if (x->value[k] != y->value[k])
            return x->value[k] < y->value[k] ? -1 : 1;
    return x->age < y->age ? -1 : 1;
}

/* of members with equal objectives, which are in order, the first stays; returns how many */
static int32_t drop_equals(pool *p, int32_t count)
{
    int32_t kept = 0;

    for (int32_t i = 0; i < count; i++)
        if (kept == 0
            || memcmp(p->member[i].value, p->member[kept - 1].value,
                      (size_t)p->g->objectives * sizeof(double)))
            p->member[kept++] = p->member[i];
    return kept;
}

static tgs_status answer(pool *p, int32_t **genes, double **value, int32_t *count, tgs_error *err)
{
    const size_t m = (size_t)p->g->objectives, n = (size_t)p->genes;
    int32_t best = 0;

    while (best < p->g->size && p->member[best].front == 0)
        best++;
    qsort_r(p->member, (size_t)best, sizeof *p->member, by_objectives, p);
    best = drop_equals(p, best);
    *genes = tgs_mem_alloc((size_t)best * n, sizeof **genes);
    *value = tgs_mem_alloc((size_t)best * m, sizeof **value);
    if (!*genes || !*value) {
        tgs_mem_free(*genes);
        tgs_mem_free(*value);
        *genes = NULL;
        *value = NULL;
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d genomes", best);
    }
    for (int32_t i = 0; i < best; i++) {
        memcpy(*genes + (size_t)i * n, p->member[i].gene, n * sizeof **genes);
        memcpy(*value + (size_t)i * m, p->member[i].value, m * sizeof **value);
    }
    *count = best;
    return TGS_OK;
}

tgs_status tgs_i_evolve(const tgs_i_genome *g, tgs_rng *rng, int32_t **genes, double **value,
                        int32_t *count, tgs_error *err)
{
    pool p = {.g = g, .rng = rng};
    tgs_status status = pool_open(&p, err);

    *genes = NULL;
    *value = NULL;
    *count = 0;
    if (!status)
        status = search(&p, err);
    if (!status)
        status = answer(&p, genes, value, count, err);
    pool_close(&p);
    return status;
}
