/* loworder.c -- the order in which the tasks of a lowering become those of a graph: turn by turn,
 * replica by replica, micro-batch by micro-batch, updates last.  O(tasks + accesses). */
#include <string.h>
#include "modelimpl.h"

enum { BATCH, REPLICA, TURN, KEYS }; /* from the least to the most significant */

typedef struct ordering {
    const tgs_lowering *l;
    int32_t *turn;      /* [tasks]; NULL: all are 0, and updates come last */
    int32_t most[KEYS]; /* the largest value, but for those without one */
} ordering;

/* what joins copies comes after them */
static int32_t key_of(const ordering *o, int32_t task, int key)
{
    const tgs_low_task *t = &o->l->task[task];

    switch (key) {
    case BATCH:
        return t->batch < 0 || t->joins ? o->most[BATCH] + 1 : t->batch;
    case REPLICA:
        return t->replica < 0 || t->joins ? o->most[REPLICA] + 1 : t->replica;
    default: /* where there are turns, updates have theirs */
        return o->turn ? o->turn[task] : t->phase == TGS_PHASE_UPDATE;
    }
}

/* where there are turns, what has none of its own comes after what it reads */
static tgs_status take_turns(ordering *o)
{
    const tgs_lowering *l = o->l;
    int32_t *made = tgs_mem_alloc((size_t)l->data, sizeof *made); /* turn of the last writer */

    o->turn = tgs_mem_alloc((size_t)l->tasks, sizeof *o->turn);
    for (int32_t i = 0; made && o->turn && i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        if (t->dropped)
            continue;
        o->turn[i] = t->turn;
        for (int32_t a = t->at; a < t->at + t->accesses && !t->turn; a++)
            if (l->access[a].mode != TGS_W && made[l->access[a].datum] > o->turn[i])
                o->turn[i] = made[l->access[a].datum];
        for (int32_t a = t->at; a < t->at + t->accesses; a++)
            if (l->access[a].mode != TGS_R)
                made[l->access[a].datum] = o->turn[i];
    }
    tgs_mem_free(made);
    return made && o->turn ? TGS_OK : TGS_ENOMEM;
}

/* stable, by one key: from `in` to `out`; own: [count] scratch */
static tgs_status sort_by(const ordering *o, int key, const int32_t *in, int32_t *out, int32_t *own,
                          int32_t count)
{
    int32_t *at = tgs_mem_alloc((size_t)o->most[key] + 3, sizeof *at);

    if (!at)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < count; i++) { /* once, since tasks are far apart in memory */
        own[i] = key_of(o, in[i], key);
        at[own[i] + 1]++;
    }
    for (int32_t k = 0; k <= o->most[key] + 1; k++)
        at[k + 1] += at[k];
    for (int32_t i = 0; i < count; i++)
        out[at[own[i]]++] = in[i];
    tgs_mem_free(at);
    return TGS_OK;
}

static int32_t list(ordering *o, int32_t *order)
{
    const tgs_lowering *l = o->l;
    int32_t count = 0;

    for (int32_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        if (t->dropped)
            continue;
        order[count++] = i;
        o->most[TURN] = t->turn > o->most[TURN] ? t->turn : o->most[TURN];
        o->most[BATCH] = t->batch > o->most[BATCH] ? t->batch : o->most[BATCH];
        o->most[REPLICA] = t->replica > o->most[REPLICA] ? t->replica : o->most[REPLICA];
    }
    return count;
}

tgs_status tgs_i_low_order(const tgs_lowering *l, int32_t **out, int32_t *count)
{
    ordering o = {.l = l, .most = {[BATCH] = -1, [REPLICA] = -1}};
    int32_t *order = tgs_mem_alloc((size_t)l->tasks, sizeof *order);
    int32_t *spare = tgs_mem_alloc((size_t)l->tasks, sizeof *spare);
    int32_t *own = tgs_mem_alloc((size_t)l->tasks, sizeof *own);
    tgs_status status = order && spare && own ? TGS_OK : TGS_ENOMEM;

    *count = status ? 0 : list(&o, order);
    if (!status && o.most[TURN])
        status = take_turns(&o);
    for (int key = 0; key < KEYS && !status; key++) {
        int32_t *swap = order;

        status = sort_by(&o, key, order, spare, own, *count);
        order = spare;
        spare = swap;
    }
    tgs_mem_free(o.turn);
    tgs_mem_free(spare);
    tgs_mem_free(own);
    if (status)
        tgs_mem_free(order);
    *out = status ? NULL : order;
    return status;
}
