/* zerofind.c -- the gradients whose sum an update reads: back through the tasks that join replicas
 * and micro-batches, be it in sums, in place, in a ring or in messages that several gradients
 * share.  These tasks are dropped: shard.c writes others.  O(tasks + accesses), each looked at
 * once.
 */
#include <string.h>
#include "zero.h"

tgs_status tgs_i_finding_open(tgs_i_finding *f, tgs_i_zero *z)
{
    const tgs_lowering *l = z->l;
    const size_t data = (size_t)l->data, accesses = (size_t)l->accesses;

    f->z = z;
    f->first = tgs_mem_alloc(data, sizeof *f->first);
    f->next = tgs_mem_alloc(accesses, sizeof *f->next);
    f->task = tgs_mem_alloc(accesses, sizeof *f->task);
    f->joined = tgs_mem_alloc(data, sizeof *f->joined);
    f->term = tgs_mem_alloc(data, sizeof *f->term);
    f->of = tgs_mem_alloc(data, sizeof *f->of);
    f->many = tgs_mem_alloc(data, sizeof *f->many);
    if (!f->first || !f->next || !f->task || !f->joined || !f->term || !f->of || !f->many)
        return TGS_ENOMEM;
    memset(f->first, -1, data * sizeof *f->first);
    memset(f->of, -1, data * sizeof *f->of);
    for (int64_t i = l->tasks - 1; i >= 0; i--)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++)
            if (!l->task[i].dropped && l->access[a].mode != TGS_R) {
                f->task[a] = (int32_t)i;
                f->next[a] = f->first[l->access[a].datum];
                f->first[l->access[a].datum] = a;
            }
    return TGS_OK;
}

void tgs_i_finding_close(tgs_i_finding *f)
{
    tgs_mem_free(f->first);
    tgs_mem_free(f->next);
    tgs_mem_free(f->task);
    tgs_mem_free(f->joined);
    tgs_mem_free(f->term);
    tgs_mem_free(f->of);
    tgs_mem_free(f->many);
}

static tgs_status add_term(tgs_i_finding *f, int32_t datum)
{
    tgs_i_zero *z = f->z;
    const tgs_low_datum *d = &z->l->datum[datum];

    if (tgs_mem_grow(&z->term, &z->term_room, z->terms + 1, sizeof *z->term))
        return TGS_ENOMEM;
    z->term[z->terms++] = (tgs_i_term){datum, d->replica < 0 ? 0 : d->replica,
                                       z->level == 1 || d->batch < 0 ? 0 : d->batch};
    return TGS_OK;
}

/* the only task that writes a datum; NULL: none or several */
static tgs_low_task *maker(const tgs_i_finding *f, int32_t datum)
{
    const int32_t a = f->first[datum];

    return a < 0 || f->next[a] >= 0 ? NULL : &f->z->l->task[f->task[a]];
}

/* a sum within a micro-batch is of a parameter that is used twice */
static bool joins(const tgs_low_task *t)
{
    return t->op < 0
           && (t->joins || (!strcmp(t->codelet, "sum") && t->batch < 0)
               || !strcmp(t->codelet, "accumulate"));
}

static tgs_status walk(tgs_i_finding *f, int32_t datum)
{
    tgs_lowering *l = f->z->l;
    const tgs_low_datum *d = &l->datum[datum];
    const bool whole = f->z->level > 1 && f->z->batches > 1 && d->batch < 0;
    const int32_t first = f->first[datum];
    const bool ring = first >= 0 && l->task[f->task[first]].joins;
    tgs_status status = TGS_OK;

    if (f->joined[datum] || f->term[datum])
        return TGS_OK;
    if (d->replica >= 0 && !whole && !ring) {
        f->term[datum] = true;
        return add_term(f, datum);
    }
    if (first < 0 && d->replica < 0)
        return TGS_ENOTAPPLICABLE;
    for (int32_t a = first; a >= 0 && !status; a = f->next[a]) {
        tgs_low_task *t = &l->task[f->task[a]];

        if (!joins(t)) { /* a gradient of its own, to which others may be added */
            if (d->replica < 0)
                return TGS_ENOTAPPLICABLE;
            f->term[datum] = true;
            status = add_term(f, datum);
            continue;
        }
        if (*t->attrs && !t->joins)
            return TGS_ENOTAPPLICABLE;
        t->dropped = true;
        f->joined[datum] = true;
        for (int32_t k = t->at; k < t->at + t->accesses && !status; k++)
            if (l->access[k].mode == TGS_R)
                status = walk(f, l->access[k].datum);
    }
    if (first < 0 && !status) {
        f->term[datum] = true;
        status = add_term(f, datum);
    }
    return status;
}

/* out of a message, as `merge` unpacks it: the message, and where in it this gradient begins; the
 * gradient itself when it was in none */
static int32_t unpacked(tgs_i_finding *f, int32_t gradient, int64_t *offset)
{
    tgs_low_task *t = maker(f, gradient);

    *offset = -1;
    while (t && t->op < 0 && t->phase == TGS_PHASE_UPDATE && t->accesses == 2
           && (!strcmp(t->codelet, "reshape") || !strcmp(t->codelet, "concat_bwd"))) {
        t->dropped = true;
        f->joined[gradient] = true;
        if (*t->codelet == 'c')
            *offset = tgs_attr_int(t->attrs, "offset", 0);
        gradient = f->z->l->access[t->at].datum;
        t = maker(f, gradient);
    }
    return gradient;
}

/* what begins at this element of a message that a replica packed: its gradient, or -1 */
static int32_t packed(tgs_i_finding *f, int32_t message, int64_t offset)
{
    tgs_lowering *l = f->z->l;
    tgs_low_task *t = maker(f, message), *flat;
    int64_t at = 0;

    if (!t || t->op >= 0 || strcmp(t->codelet, "concat"))
        return -1;
    t->dropped = true;
    f->joined[message] = true;
    for (int32_t a = t->at; a < t->at + t->accesses - 1; a++) {
        const int32_t d = l->access[a].datum;

        if (at == offset) {
            flat = maker(f, d);
            if (!flat || flat->op >= 0 || strcmp(flat->codelet, "reshape"))
                return d;
            flat->dropped = true;
            f->joined[d] = true;
            return l->access[flat->at].datum;
        }
        at += l->datum[d].dim[0];
    }
    return -1;
}

/* What replicas send of a message is found once, and stays among the terms; the terms of a gradient
 * in it are those of what begins at this element of what each sends. */
static tgs_status find_in_message(tgs_i_finding *f, tgs_i_owned *o, int32_t message, int64_t offset)
{
    tgs_i_zero *z = f->z;
    tgs_status status = TGS_OK;

    if (f->of[message] < 0) {
        f->of[message] = (int32_t)z->terms;
        status = walk(f, message);
        f->many[message] = (int32_t)z->terms - f->of[message];
    }
    o->term = (int32_t)z->terms;
    for (int32_t i = f->of[message]; i < f->of[message] + f->many[message] && !status; i++) {
        const int32_t gradient = packed(f, z->term[i].datum, offset);

        status = gradient < 0 ? TGS_ENOTAPPLICABLE : walk(f, gradient);
    }
    return status;
}

tgs_status tgs_i_find_terms(tgs_i_finding *f, tgs_i_owned *o, int32_t gradient)
{
    int64_t offset;
    const int32_t sum = unpacked(f, gradient, &offset);
    tgs_status status;

    if (offset < 0) {
        o->term = (int32_t)f->z->terms;
        status = walk(f, sum);
    } else {
        o->merged = sum;
        status = find_in_message(f, o, sum, offset);
    }
    o->terms = (int32_t)f->z->terms - o->term;
    return status;
}

/* tasks of a ring that only the sum of another replica needs */
static void drop_ring(tgs_i_finding *f, int32_t datum)
{
    tgs_lowering *l = f->z->l;

    for (int32_t a = f->first[datum]; a >= 0 && !f->joined[datum]; a = f->next[a]) {
        tgs_low_task *t = &l->task[f->task[a]];

        if (!t->joins)
            return;
        f->joined[datum] = true;
        t->dropped = true;
        for (int32_t k = t->at; k < t->at + t->accesses; k++)
            if (l->access[k].mode == TGS_R)
                drop_ring(f, l->access[k].datum);
    }
}

void tgs_i_drop_sum(tgs_i_finding *f, int32_t gradient)
{
    int64_t offset;

    drop_ring(f, unpacked(f, gradient, &offset));
}
