/* graphlost.c -- what of a graph a format cannot hold. */
#include <string.h>
#include "graphio.h"

static const struct loss {
    tgs_holds bit;
    const char *words;
} loss[] = {
    {TGS_HOLDS_NAMES, "names of tasks"},
    {TGS_HOLDS_WORK, "times"},
    {TGS_HOLDS_TIMES, "times by kind"},
    {TGS_HOLDS_FLOPS, "flops"},
    {TGS_HOLDS_TOUCHED, "bytes that tasks touch"},
    {TGS_HOLDS_CODELETS, "codelets"},
    {TGS_HOLDS_ATTRS, "attributes"},
    {TGS_HOLDS_PHASES, "phases"},
    {TGS_HOLDS_CONSTRAINTS, "constraints"},
    {TGS_HOLDS_SHARING, "which tasks read the same datum"},
    {TGS_HOLDS_OUTSIDE, "data from outside and results that nobody reads"},
    {TGS_HOLDS_DATA_NAMES, "names of data"},
    {TGS_HOLDS_DESCRIPTIONS, "types, shapes, classes and initial values of data"},
    {TGS_HOLDS_IN_PLACE, "what is written in place"},
    {TGS_HOLDS_ORDERS, "that nothing travels along some dependencies"},
    {TGS_HOLDS_NO_DATA, "that nothing travels"},
};

static uint32_t of_tasks(const tgs_graph_view *g)
{
    uint32_t has = 0;

    for (int32_t t = 0; t < g->tasks; t++) {
        const tgs_task *x = &g->task[t];

        has |= (x->name ? TGS_HOLDS_NAMES : 0) | (isnan(x->work) ? 0 : TGS_HOLDS_WORK)
               | (isnan(x->flops) ? 0 : TGS_HOLDS_FLOPS) | (isnan(x->bytes) ? 0 : TGS_HOLDS_TOUCHED)
               | (x->codelet >= 0 ? TGS_HOLDS_CODELETS : 0) | (x->attrs ? TGS_HOLDS_ATTRS : 0)
               | (x->phase ? TGS_HOLDS_PHASES : 0)
               | (x->constraint >= 0 ? TGS_HOLDS_CONSTRAINTS : 0);
        for (int32_t k = 0; g->time && k < g->kinds; k++)
            has |= isnan(g->time[(int64_t)t * g->kinds + k]) ? 0 : TGS_HOLDS_TIMES;
    }
    return has;
}

/* A datum that is no more than an edge is written by one task and then read by one other.
 * state: [data], how it was touched so far, and then [accesses], whether the version that this one
 * wrote was read. */
static uint32_t of_accesses(const tgs_graph_view *g, uint8_t *state)
{
    enum { READ = 1, WRITTEN = 2, INITIAL = 4 };
    uint32_t has = 0;
    int32_t orders = 0;

    for (int32_t i = 0; i < g->accesses; i++) {
        const tgs_access a = g->access[i];
        const bool initial = (a.mode & TGS_R) && a.version < 0;
        uint8_t *seen = a.mode == TGS_W ? NULL
                        : initial       ? &state[a.datum]
                                        : &state[g->data + a.version];

        if (a.mode == TGS_RW || (a.mode == TGS_W && state[a.datum] & WRITTEN))
            has |= TGS_HOLDS_IN_PLACE;
        if (seen && *seen & INITIAL)
            has |= TGS_HOLDS_SHARING;
        if (seen)
            *seen |= INITIAL;
        has |= initial ? TGS_HOLDS_OUTSIDE : 0;
        state[a.datum] |= (a.mode & TGS_R ? READ : 0) | (a.mode & TGS_W ? WRITTEN : 0);
    }
    for (int32_t d = 0; d < g->data; d++)
        has |= state[d] & READ ? 0 : TGS_HOLDS_OUTSIDE;
    for (int32_t e = 0; e < g->edges; e++)
        orders += g->succ_datum[e] < 0;
    return has | (!orders ? 0 : orders < g->edges ? TGS_HOLDS_ORDERS : TGS_HOLDS_NO_DATA);
}

static uint32_t of_data(const tgs_graph_view *g)
{
    uint32_t has = 0;

    for (int32_t d = 0; d < g->data; d++)
        has |= (g->datum[d].name ? TGS_HOLDS_DATA_NAMES : 0)
               | (g->datum[d].extra >= 0 ? TGS_HOLDS_DESCRIPTIONS : 0);
    return has;
}

tgs_status tgs_i_graph_lost(char *text, size_t size, const tgs_graph_view *g, uint32_t holds,
                            tgs_error *err)
{
    uint8_t *state = tgs_mem_alloc((size_t)g->data + (size_t)g->accesses, sizeof *state);
    size_t used = 0;
    uint32_t lost;

    if (!state)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    lost = (of_tasks(g) | of_accesses(g, state) | of_data(g)) & ~holds;
    tgs_mem_free(state);
    for (size_t i = 0; i < sizeof loss / sizeof *loss; i++)
        if (lost & loss[i].bit && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", loss[i].words);
    return TGS_OK;
}
