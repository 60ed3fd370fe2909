/* shares.c -- an operator's measured time is shared out among its tasks of that phase by their
 * flops, or equally when they have none.  Copies (micro-batches, replicas) take as long as the
 * original, or as their samples are more or fewer.  O(tasks + times). */
#include <string.h>
#include "internal.h"
#include "shares.h"

typedef struct total { /* of an operator's tasks of one phase, in one copy */
    double flops, part;
    int32_t tasks, replica, batch;
} total;

struct tgs_i_shares {
    tgs_op_time *time;
    int32_t *next, *first; /* of an operator, the last given first; -1 ends */
    total *total;          /* [2 ops] forward, backward */
};

static total *total_of(const tgs_i_shares *s, const tgs_low_task *t)
{
    if (t->op < 0 || (t->phase != TGS_PHASE_FORWARD && t->phase != TGS_PHASE_BACKWARD))
        return NULL;
    return &s->total[2 * (int64_t)t->op + (t->phase == TGS_PHASE_BACKWARD && !t->again)];
}

static void add_up(tgs_i_shares *s, const tgs_lowering *l)
{
    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];
        total *x = (t->dropped && !t->absorbed) || t->again ? NULL : total_of(s, t);

        if (!x)
            continue;
        if (!x->tasks) {
            x->part = t->part > 0 ? t->part : 1;
            x->replica = t->replica;
            x->batch = t->batch;
        }
        if (x->replica == t->replica && x->batch == t->batch) {
            x->tasks++;
            x->flops += t->flops;
        }
    }
}

tgs_status tgs_i_shares_new(tgs_i_shares **out, const tgs_lowering *l, const tgs_op_time *more,
                            int32_t count)
{
    const int32_t own = l->m->times, all = own + count;
    tgs_i_shares *s;

    *out = NULL;
    if (!all)
        return TGS_OK;
    s = tgs_mem_alloc(1, sizeof *s);
    if (s) {
        s->time = tgs_mem_alloc((size_t)all, sizeof *s->time);
        s->next = tgs_mem_alloc((size_t)all, sizeof *s->next);
        s->first = tgs_mem_alloc((size_t)l->m->ops, sizeof *s->first);
        s->total = tgs_mem_alloc(2 * (size_t)l->m->ops, sizeof *s->total);
    }
    if (!s || !s->time || !s->next || !s->first || !s->total) {
        tgs_i_shares_free(s);
        return TGS_ENOMEM;
    }
    memset(s->first, -1, (size_t)l->m->ops * sizeof *s->first);
    for (int32_t i = 0; i < all; i++) {
        s->time[i] = i < own ? l->m->time[i] : more[i - own];
        s->next[i] = s->first[s->time[i].op];
        s->first[s->time[i].op] = i;
    }
    add_up(s, l);
    *out = s;
    return TGS_OK;
}

void tgs_i_shares_free(tgs_i_shares *s)
{
    if (!s)
        return;
    tgs_mem_free(s->time);
    tgs_mem_free(s->next);
    tgs_mem_free(s->first);
    tgs_mem_free(s->total);
    tgs_mem_free(s);
}

static double share_of(const tgs_i_shares *s, const tgs_low_task *t, double whole)
{
    const total *x = total_of(s, t);

    /* flops are those of the copy, and grow with its samples */
    if (t->factor > 0)
        whole *= t->factor;
    return x->flops > 0 ? whole * x->part * (t->flops / x->flops)
                        : whole * (t->part > 0 ? t->part : 1) / x->tasks;
}

static double part_of(const tgs_i_shares *s, const tgs_low_task *t, const tgs_op_time *time)
{
    return share_of(s, t,
                    t->phase == TGS_PHASE_BACKWARD && !t->again ? time->backward : time->forward);
}

double tgs_i_shares_work(const tgs_i_shares *s, const tgs_low_task *t)
{
    if (!s || !total_of(s, t))
        return NAN;
    for (int32_t i = s->first[t->op]; i >= 0; i = s->next[i])
        if (!s->time[i].kind && !isnan(part_of(s, t, &s->time[i])))
            return part_of(s, t, &s->time[i]);
    return NAN;
}

double tgs_i_shares_bytes(const tgs_i_shares *s, const tgs_low_task *t, double def)
{
    if (!s || t->phase != TGS_PHASE_FORWARD || !total_of(s, t))
        return def;
    for (int32_t i = s->first[t->op]; i >= 0; i = s->next[i])
        if (!isnan(s->time[i].bytes))
            return share_of(s, t, s->time[i].bytes);
    return def;
}

/* an entry given later hides it */
static bool hidden(const tgs_i_shares *s, const tgs_low_task *t, int32_t at)
{
    for (int32_t i = s->first[t->op]; i != at; i = s->next[i])
        if (s->time[i].kind && !strcmp(s->time[i].kind, s->time[at].kind)
            && !isnan(part_of(s, t, &s->time[i])))
            return true;
    return false;
}

tgs_status tgs_i_shares_set(const tgs_i_shares *s, const tgs_low_task *t, tgs_builder *b,
                            int32_t task)
{
    tgs_status status = TGS_OK;

    if (!s || !total_of(s, t))
        return TGS_OK;
    for (int32_t i = s->first[t->op]; i >= 0 && !status; i = s->next[i])
        if (s->time[i].kind && !isnan(part_of(s, t, &s->time[i])) && !hidden(s, t, i))
            status = tgs_builder_task_time(b, task, s->time[i].kind, part_of(s, t, &s->time[i]));
    return status;
}
