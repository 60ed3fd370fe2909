/* checkgroup.c -- the oracle's rule for colocation: the tasks of a group share a memory. */
#include <stdlib.h>
#include "check.h"

typedef struct member { /* an execution of a task of a group */
    int32_t group, place;
} member;

static int by_group(const void *pa, const void *pb)
{
    const member *a = pa, *b = pb;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static tgs_status apart(const tgs_i_check_call *c, const tgs_place *a, const tgs_place *b)
{
    char room[TGS_NAME_ROOM], other[TGS_NAME_ROOM];

    return tgs_fail(c->err, TGS_ECHECK,
                    "tasks '%s' and '%s' are of one group but in memories '%s' and '%s'",
                    tgs_i_check_task(c, a->task, room), tgs_i_check_task(c, b->task, other),
                    c->v->p->memory[c->v->p->proc[a->proc].memory].name,
                    c->v->p->memory[c->v->p->proc[b->proc].memory].name);
}

/* the tasks of a group share a memory; the numbers of groups are the user's, however large */
tgs_status tgs_i_check_groups(const tgs_i_check_call *c)
{
    member *all;
    int32_t n = 0;
    tgs_status status = TGS_OK;

    for (int32_t p = 0; p < c->s->places; p++) {
        const tgs_constraint *x = tgs_i_check_constraint(c, c->s->place[p].task);

        n += x && x->group >= 0;
    }
    if (!n)
        return TGS_OK;
    all = tgs_mem_alloc((size_t)n, sizeof *all);
    if (!all)
        return tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    n = 0;
    for (int32_t p = 0; p < c->s->places; p++) {
        const tgs_constraint *x = tgs_i_check_constraint(c, c->s->place[p].task);

        if (x && x->group >= 0)
            all[n++] = (member){x->group, p};
    }
    qsort(all, (size_t)n, sizeof *all, by_group);
    for (int32_t i = 1; i < n && !status; i++) {
        const tgs_place *a = &c->s->place[all[i - 1].place], *b = &c->s->place[all[i].place];

        if (all[i].group == all[i - 1].group
            && c->v->p->proc[a->proc].memory != c->v->p->proc[b->proc].memory)
            status = apart(c, a, b);
    }
    tgs_mem_free(all);
    return status;
}
