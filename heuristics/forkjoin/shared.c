/* shared.c -- one list for all classes of a fork-join case.
 *
 * Whenever a machine is free it takes, of the released jobs that would be through by T on it, that
 * with the largest priority; if none is released it waits for the next.  A class without r and q
 * takes the jobs that take longest elsewhere (after_r: counted from their r), the others by q +
 * weight p.  Of the machines of a class that wait, one looks at each release, and calls the next
 * when there was a job for it.  O((classes n + m) log n). */
#include <string.h>
#include "core.h"
#include "lists.h"

typedef struct queue { /* of one class */
    tgs_heap ready;
    tgs_heap idle;  /* machines without a job, other than: */
    int32_t looker; /* the one of them that looks again at the next release; -1 none */
    int32_t next;   /* in by_r */
    bool local;
} queue;

typedef struct room {
    queue *queue;         /* [classes] */
    tgs_heap_item *items; /* [classes * n] */
    tgs_heap_item *idle;  /* [machines] */
    double *elsewhere;    /* [n] least time through on a class that is not local */
    bool *done;           /* [n] */
} room;

static bool is_local(const tgs_i_fj_form *f, int32_t g)
{
    for (int32_t j = 0; j < f->n; j++)
        if (f->r[(int64_t)j * f->classes + g] > 0 || f->q[(int64_t)j * f->classes + g] > 0)
            return false;
    return true;
}

static tgs_status open_room(room *x, const tgs_i_fj_form *f, bool after_r)
{
    const size_t n = (size_t)f->n, G = (size_t)f->classes;

    x->queue = tgs_mem_alloc(G, sizeof *x->queue);
    x->items = tgs_mem_alloc(G * n, sizeof *x->items);
    x->idle = tgs_mem_alloc((size_t)f->at[f->classes], sizeof *x->idle);
    x->elsewhere = tgs_mem_alloc(n, sizeof *x->elsewhere);
    x->done = tgs_mem_alloc(n, sizeof *x->done);
    if (!x->queue || !x->items || !x->idle || !x->elsewhere || !x->done)
        return TGS_ENOMEM;
    for (int32_t g = 0; g < f->classes; g++) {
        x->queue[g].ready.item = x->items + (size_t)g * n;
        x->queue[g].idle.item = x->idle + f->at[g];
        x->queue[g].looker = -1;
        x->queue[g].local = is_local(f, g);
    }
    for (int32_t j = 0; j < f->n; j++) {
        x->elsewhere[j] = INFINITY;
        for (int32_t g = 0; g < f->classes; g++) {
            const double head = after_r ? f->r[(int64_t)j * f->classes + g] : 0;

            if (!x->queue[g].local)
                x->elsewhere[j] = fmin(x->elsewhere[j], tgs_i_fj_through(f, j, g) - head);
        }
    }
    return TGS_OK;
}

static void close_room(room *x)
{
    tgs_mem_free(x->queue);
    tgs_mem_free(x->items);
    tgs_mem_free(x->idle);
    tgs_mem_free(x->elsewhere);
    tgs_mem_free(x->done);
}

/* the job for a machine of class g that is free now; -1: none yet, *when says until when; INFINITY:
 * none at all */
static int32_t take(room *x, const tgs_i_fj_lists *lists, int32_t g, double now, double T,
                    double weight, double *when)
{
    const tgs_i_fj_form *f = lists->f;
    const int32_t *by_r = lists->by_r + (int64_t)g * f->n;
    queue *c = &x->queue[g];

    for (; c->next < f->n; c->next++) {
        const int32_t j = by_r[c->next];
        const int64_t i = (int64_t)j * f->classes + g;

        if (x->done[j] || tgs_i_fj_through(f, j, g) > T)
            continue;
        if (f->r[i] > now)
            break;
        tgs_heap_push(&c->ready, c->local ? -x->elsewhere[j] : -(f->q[i] + weight * f->p[i]), j);
    }
    while (c->ready.size) {
        const int32_t j = tgs_heap_pop(&c->ready).id;

        if (!x->done[j])
            return j;
    }
    *when = c->next < f->n ? f->r[(int64_t)by_r[c->next] * f->classes + g] : INFINITY;
    return -1;
}

static int32_t class_of(const tgs_i_fj_form *f, int32_t machine)
{
    int32_t g = 0;

    while (machine >= f->at[g + 1])
        g++;
    return g;
}

/* one machine of the class looks for a job at `when`; INFINITY: there will be none */
static void look(queue *c, tgs_heap *free, double when, int32_t machine)
{
    if (when < INFINITY) {
        c->looker = machine;
        tgs_heap_push(free, when, machine);
    }
}

static void play(room *x, tgs_i_fj_lists *lists, double T, double weight, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = lists->f;
    tgs_heap *free = &lists->free;
    int32_t left = f->n;
    double L = 0;

    free->size = 0;
    for (int32_t i = 0; i < f->at[f->classes]; i++)
        tgs_heap_push(free, 0, i);
    while (left > 0 && free->size) {
        const tgs_heap_item m = tgs_heap_pop(free);
        const int32_t g = class_of(f, m.id);
        queue *c = &x->queue[g];
        double when = INFINITY;
        const int32_t j = take(x, lists, g, m.key, T, weight, &when);

        if (m.id == c->looker)
            c->looker = -1;
        if (j >= 0) {
            const int64_t i = (int64_t)j * f->classes + g;

            x->done[j] = true;
            a->machine[j] = m.id;
            a->start[j] = m.key;
            L = fmax(L, m.key + f->p[i] + f->q[i]);
            left--;
            tgs_heap_push(free, m.key + f->p[i], m.id);
            if (c->looker < 0 && c->idle.size)
                look(c, free, m.key, tgs_heap_pop(&c->idle).id);
        } else if (c->looker < 0)
            look(c, free, when, m.id);
        else
            tgs_heap_push(&c->idle, 0, m.id);
    }
    a->L = left ? INFINITY : L;
}

tgs_status tgs_i_fj_lists_shared(tgs_i_fj_lists *lists, double T, double weight, bool after_r,
                                 tgs_i_fj_answer *a)
{
    room x = {.queue = NULL};
    const tgs_status status = open_room(&x, lists->f, after_r);

    if (!status)
        play(&x, lists, T, weight, a);
    close_room(&x);
    return status;
}
