/* neighbourplaces.c -- strategies that have something in another memory: MOST exchanges, those of
 * near neighbours in the list first, and as many moves to memories that hold nothing.  Devices of
 * one kind in one node are alike, so that exchanging them changes nothing, and the first of those
 * that are free stands for the others.  O(memories^2 + memories places). */
#include <string.h>
#include "neighbours.h"

enum { MOST = 64 };

typedef struct places {
    tgs_i_span *name;
    int32_t *memory; /* of the platform; -1: there is none of that name */
    int32_t count;
    int32_t *kind;     /* [memories] of the first processor; -1: it has none */
    bool *used;        /* [memories] */
    tgs_i_text *coded; /* [memories] its name, as lists have it */
} places;

static tgs_status open_memories(places *x, const tgs_platform_view *p)
{
    tgs_status status = TGS_OK;

    x->kind = tgs_mem_alloc((size_t)p->memories, sizeof *x->kind);
    x->used = tgs_mem_alloc((size_t)p->memories, sizeof *x->used);
    x->coded = tgs_mem_alloc((size_t)p->memories, sizeof *x->coded);
    if (!x->kind || !x->used || !x->coded)
        return TGS_ENOMEM;
    for (int32_t m = 0; m < p->memories; m++)
        x->kind[m] = -1;
    for (int32_t i = p->procs; i-- > 0;)
        x->kind[p->proc[i].memory] = p->proc[i].kind;
    for (int32_t m = 0; m < p->memories && !status; m++)
        status = tgs_i_list_name(&x->coded[m], p->memory[m].name);
    return status;
}

static int32_t find_memory(const places *x, const tgs_platform_view *p, tgs_i_span name)
{
    for (int32_t m = 0; m < p->memories; m++)
        if ((size_t)x->coded[m].used == name.size && !strncmp(x->coded[m].text, name.at, name.size))
            return m;
    return -1;
}

static tgs_status open_places(places *x, const tgs_i_listing *of)
{
    const tgs_i_span list = tgs_i_span_word(tgs_i_span_line(of->text, "place"), 1);
    int32_t n = list.at != NULL;
    const tgs_status status = open_memories(x, of->c->p);

    for (size_t i = 0; i < list.size; i++)
        n += list.at[i] == ',';
    x->name = tgs_mem_alloc((size_t)n, sizeof *x->name);
    x->memory = tgs_mem_alloc((size_t)n, sizeof *x->memory);
    if (status || !x->name || !x->memory)
        return TGS_ENOMEM;
    for (const char *s = list.at; x->count < n; s += x->name[x->count++].size + 1) {
        const tgs_i_span name = {s, strcspn(s, ", \n")};
        const int32_t memory = find_memory(x, of->c->p, name);

        x->name[x->count] = name;
        x->memory[x->count] = memory;
        if (memory >= 0)
            x->used[memory] = true;
    }
    return TGS_OK;
}

static void close_places(places *x, const tgs_platform_view *p)
{
    for (int32_t m = 0; x->coded && m < p->memories; m++)
        tgs_mem_free(x->coded[m].text);
    tgs_mem_free(x->coded);
    tgs_mem_free(x->kind);
    tgs_mem_free(x->used);
    tgs_mem_free(x->name);
    tgs_mem_free(x->memory);
}

static bool alike(const places *x, const tgs_platform_view *p, int32_t a, int32_t b)
{
    return x->kind[a] == x->kind[b] && p->memory[a].node == p->memory[b].node;
}

static tgs_status exchange(tgs_i_listing *x, tgs_i_span a, tgs_i_span b)
{
    const size_t between = (size_t)(b.at - a.at) - a.size;
    char *middle = tgs_mem_alloc(a.size + between + b.size, 1);
    tgs_status status = TGS_ENOMEM;

    if (middle) {
        memcpy(middle, b.at, b.size);
        memcpy(middle + b.size, a.at + a.size, between);
        memcpy(middle + b.size + between, a.at, a.size);
        status = tgs_i_listing_take(
            x, tgs_i_span_replaced(x->text, (tgs_i_span){a.at, a.size + between + b.size}, middle,
                                   a.size + between + b.size));
    }
    tgs_mem_free(middle);
    return status;
}

static tgs_status list_exchanges(tgs_i_listing *x, const places *y)
{
    int32_t listed = 0;
    tgs_status status = TGS_OK;

    for (int32_t far = 1; far < y->count && listed < MOST; far++)
        for (int32_t a = 0; a + far < y->count && listed < MOST && !status; a++) {
            const int32_t from = y->memory[a], to = y->memory[a + far];

            if (from < 0 || to < 0 || from == to || alike(y, x->c->p, from, to))
                continue;
            status = exchange(x, y->name[a], y->name[a + far]);
            listed++;
        }
    return status;
}

/* the first of those that are alike and hold nothing */
static bool free_one(const places *y, const tgs_platform_view *p, int32_t memory)
{
    bool first = y->kind[memory] >= 0 && !y->used[memory];

    for (int32_t m = 0; m < memory && first; m++)
        first = y->used[m] || !alike(y, p, m, memory);
    return first;
}

static tgs_status list_moves(tgs_i_listing *x, const places *y)
{
    const tgs_platform_view *p = x->c->p;
    int32_t listed = 0;
    tgs_status status = TGS_OK;

    for (int32_t m = 0; m < p->memories && y->count; m++)
        for (int32_t a = 0; a < y->count && listed < MOST && !status; a++, listed++) {
            if (!a && !free_one(y, p, m))
                break;
            status = tgs_i_listing_replace(x, y->name[a], y->coded[m].text);
        }
    return status;
}

tgs_status tgs_i_listing_places(tgs_i_listing *x)
{
    places y = {NULL, NULL, 0, NULL, NULL, NULL};
    tgs_status status = open_places(&y, x);

    if (!status)
        status = list_exchanges(x, &y);
    if (!status)
        status = list_moves(x, &y);
    close_places(&y, x->c->p);
    return status;
}
