/* auditbytes.c -- what had to move for this placement, and what moved. */
#include "audit.h"
#include <stdlib.h>

/* ---- transfers in order ---- */
typedef struct keyed { /* a transfer while it is sorted */
    int32_t datum, to, at;
    double end;
} keyed;

static int by_arrival(const void *x, const void *y)
{
    const keyed *a = x, *b = y;

    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

tgs_status tgs_i_arrivals_of(tgs_i_arrivals *out, const tgs_i_step_runs *s)
{
    const int32_t n = s->moved_end - s->moved_at;
    keyed *k = tgs_mem_alloc((size_t)n, sizeof *k);

    out->at = tgs_mem_alloc((size_t)s->t->data + 1, sizeof *out->at);
    out->order = tgs_mem_alloc((size_t)n, sizeof *out->order);
    if (!k || !out->at || !out->order) {
        tgs_mem_free(k);
        return TGS_ENOMEM;
    }
    for (int32_t i = 0; i < n; i++) {
        const tgs_moved *m = &s->t->moved[s->moved_at + i];

        k[i] = (keyed){m->datum, m->to, s->moved_at + i, m->end};
        out->at[m->datum + 1]++;
    }
    qsort(k, (size_t)n, sizeof *k, by_arrival);
    for (int32_t i = 0; i < n; i++)
        out->order[i] = k[i].at;
    for (int32_t d = 0; d < s->t->data; d++)
        out->at[d + 1] += out->at[d];
    tgs_mem_free(k);
    return TGS_OK;
}

void tgs_i_arrivals_free(tgs_i_arrivals *x)
{
    tgs_mem_free(x->at);
    tgs_mem_free(x->order);
}

/* ---- what had to move ---- */
typedef struct need { /* a version that a memory reads; those that it makes itself sort first */
    int32_t datum, memory, version;
    bool made;
} need;

static int by_need(const void *x, const void *y)
{
    const need *a = x, *b = y;

    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    return b->made - a->made;
}

static bool same_version(const need *a, const need *b)
{
    return a->datum == b->datum && a->memory == b->memory && a->version == b->version;
}

/* the version must be sent to the memory: it is not made there, and this is its first need */
static bool must_move(const need *needs, int64_t i)
{
    return !needs[i].made && (i == 0 || !same_version(&needs[i - 1], &needs[i]));
}

/* The version a step leaves of each datum: its last writer's access; -1 nobody writes it. */
static void find_last(const tgs_graph_view *g, int32_t *last)
{
    for (int32_t d = 0; d < g->data; d++)
        last[d] = -1;
    for (int32_t i = 0; i < g->tasks; i++) { /* writers of a datum are ordered */
        const int32_t t = g->topo[i];

        for (int32_t a = g->access_at[t]; a < g->access_at[t + 1]; a++)
            if (g->access[a].mode & TGS_W)
                last[g->access[a].datum] = a;
    }
}

/* Reads and writes of the step as needs.  In a step after the first a persistent datum begins where
 * the last one left it: its first version is its last one, which counts as made where a step makes
 * or reads that; one that nobody writes is wherever it is read. */
static int64_t list_needs(need *out, const tgs_problem *pb, const tgs_i_step_runs *s,
                          const int32_t *last, bool first)
{
    const tgs_graph_view *g = pb->v.g;
    int64_t n = 0;

    for (int32_t i = s->ran_at; i < s->ran_end; i++) {
        const int32_t task = s->t->ran[i].task, memory = s->t->proc_memory[s->t->ran[i].proc];

        for (int32_t a = g->access_at[task]; a < g->access_at[task + 1]; a++) {
            const int32_t d = (int32_t)g->access[a].datum, x = g->datum[d].extra;
            const bool stays = !first && x >= 0 && g->extra[x].persistent;

            if (g->access[a].mode & TGS_R) {
                const int32_t version = g->access[a].version;
                const bool there = stays ? last[d] < 0 : pb->v.home[d] == memory;

                out[n++] = (need){d, memory, version, version < 0 && there};
            }
            if (g->access[a].mode & TGS_W)
                out[n++] = (need){d, memory, a, true};
            if (stays && (a == last[d] || g->access[a].version == last[d]))
                out[n++] = (need){d, memory, -1, true};
        }
    }
    return n;
}

/* the transfers of a datum to a memory, in a group of arrivals */
static int32_t count_moves(tgs_audit *a, const tgs_i_step_runs *s, const int32_t *order,
                           int32_t count, int32_t *reloads)
{
    int32_t fetched = 0;

    *reloads = 0;
    for (int32_t i = 0; i < count; i++) {
        const tgs_moved *m = &s->t->moved[order[i]];

        a->bytes.moved += m->bytes;
        if (m->why == TGS_WHY_RELAY)
            a->bytes.relayed += m->bytes;
        else if (m->why == TGS_WHY_WRITEBACK)
            a->bytes.written_back += m->bytes;
        else
            fetched++;
        *reloads += m->why == TGS_WHY_RELOAD;
    }
    return fetched;
}

static int by_bytes(const void *x, const void *y)
{
    const tgs_audit_again *a = x, *b = y;

    if (a->redundant != b->redundant)
        return a->redundant > b->redundant ? -1 : 1;
    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    return a->memory < b->memory ? -1 : a->memory > b->memory;
}

/* versions of the datum that the memory needs; *k goes on in the sorted needs */
static int32_t versions_needed(const need *needs, int64_t n, int64_t *k, int32_t datum,
                               int32_t memory)
{
    int32_t count = 0;

    while (*k < n
           && (needs[*k].datum < datum || (needs[*k].datum == datum && needs[*k].memory < memory)))
        ++*k;
    for (int64_t i = *k; i < n && needs[i].datum == datum && needs[i].memory == memory; i++)
        count += must_move(needs, i);
    return count;
}

static tgs_status compare(tgs_audit *a, const tgs_graph_view *g, const tgs_i_step_runs *s,
                          const tgs_i_arrivals *x, const need *needs, int64_t n)
{
    const int32_t moves = s->moved_end - s->moved_at;
    int64_t room = 0, k = 0;

    for (int64_t i = 0; i < n; i++)
        if (must_move(needs, i))
            a->bytes.necessary += g->datum[needs[i].datum].bytes;
    for (int32_t i = 0, end; i < moves; i = end) {
        const tgs_moved *m = &s->t->moved[x->order[i]];
        tgs_audit_again again = {.datum = m->datum, .memory = m->to};

        for (end = i; end < moves && s->t->moved[x->order[end]].datum == m->datum
                      && s->t->moved[x->order[end]].to == m->to;)
            end++;
        again.transfers = count_moves(a, s, x->order + i, end - i, &again.reloads);
        again.necessary = versions_needed(needs, n, &k, m->datum, m->to);
        if (again.transfers <= again.necessary)
            continue;
        again.redundant = (again.transfers - again.necessary) * g->datum[m->datum].bytes;
        a->bytes.redundant += again.redundant;
        if (tgs_mem_grow(&a->again, &room, a->agains + 1, sizeof *a->again))
            return TGS_ENOMEM;
        a->again[a->agains++] = again;
    }
    if (a->agains)
        qsort(a->again, (size_t)a->agains, sizeof *a->again, by_bytes);
    return TGS_OK;
}

tgs_status tgs_i_audit_bytes(tgs_audit *a, const tgs_problem *pb, const tgs_i_step_runs *s,
                             const tgs_i_arrivals *x, bool first, tgs_error *err)
{
    const tgs_graph_view *g = pb->v.g;
    int64_t room = 0;
    int32_t *last = tgs_mem_alloc((size_t)g->data, sizeof *last);
    need *needs = NULL;
    tgs_status status = TGS_ENOMEM;

    for (int32_t i = s->ran_at; i < s->ran_end; i++) {
        const int32_t t = s->t->ran[i].task;

        room += 3 * (int64_t)(g->access_at[t + 1] - g->access_at[t]);
    }
    needs = tgs_mem_alloc((size_t)room, sizeof *needs);
    if (last && needs) {
        int64_t n;

        find_last(g, last);
        n = list_needs(needs, pb, s, last, first);
        qsort(needs, (size_t)n, sizeof *needs, by_need);
        status = compare(a, g, s, x, needs, n);
    }
    tgs_mem_free(last);
    tgs_mem_free(needs);
    return status ? tgs_fail(err, status, "out of memory for an audit") : TGS_OK;
}
