/* stairs.c -- bytes in use over time.
 *
 * A treap by time, split and joined; what is added to a range is noted at its top.  Priorities come
 * from the index of a node, so the tree is the same on every machine. */
#include "core.h"

static void renew(tgs_i_stairs *s, int32_t x)
{
    tgs_i_step *p = &s->step[x];

    p->most = p->least = p->bytes;
    for (int32_t k = 0; k < 2; k++) {
        const int32_t child = k ? p->right : p->left;

        if (child >= 0) {
            p->most = fmax(p->most, s->step[child].most);
            p->least = fmin(p->least, s->step[child].least);
        }
    }
}

static void raise(tgs_i_stairs *s, int32_t x, double bytes)
{
    if (x < 0)
        return;
    s->step[x].bytes += bytes;
    s->step[x].most += bytes;
    s->step[x].least += bytes;
    s->step[x].add += bytes;
}

static void pass_on(tgs_i_stairs *s, int32_t x)
{
    tgs_i_step *p = &s->step[x];

    if (p->add == 0)
        return;
    raise(s, p->left, p->add);
    raise(s, p->right, p->add);
    p->add = 0;
}

/* steps before time, and the others */
static void split(tgs_i_stairs *s, int32_t x, double time, int32_t *left, int32_t *right)
{
    if (x < 0) {
        *left = *right = -1;
        return;
    }
    pass_on(s, x);
    if (s->step[x].time < time) {
        split(s, s->step[x].right, time, &s->step[x].right, right);
        *left = x;
    } else {
        split(s, s->step[x].left, time, left, &s->step[x].left);
        *right = x;
    }
    renew(s, x);
}

static int32_t join(tgs_i_stairs *s, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    if (s->step[a].priority > s->step[b].priority) {
        pass_on(s, a);
        s->step[a].right = join(s, s->step[a].right, b);
        renew(s, a);
        return a;
    }
    pass_on(s, b);
    s->step[b].left = join(s, a, s->step[b].left);
    renew(s, b);
    return b;
}

/* the last step at or before time */
static int32_t at(tgs_i_stairs *s, double time)
{
    int32_t x = s->root, best = -1;

    while (x >= 0) {
        pass_on(s, x);
        if (s->step[x].time <= time) {
            best = x;
            x = s->step[x].right;
        } else {
            x = s->step[x].left;
        }
    }
    return best;
}

static int32_t new_step(tgs_i_stairs *s, double time, double bytes)
{
    const int32_t x = s->used++;
    uint32_t h = (uint32_t)x * 2654435761u;

    h = (h ^ h >> 15) * 2246822519u;
    s->step[x] = (tgs_i_step){time, bytes, bytes, bytes, 0, -1, -1, h ^ h >> 13};
    return x;
}

/* room for it is there */
static void cut(tgs_i_stairs *s, double time)
{
    const int32_t x = at(s, time);
    int32_t left, right;

    if (s->step[x].time == time)
        return;
    split(s, s->root, time, &left, &right);
    s->root = join(s, join(s, left, new_step(s, time, s->step[x].bytes)), right);
}

tgs_status tgs_i_stairs_open(tgs_i_stairs *s, double bytes)
{
    *s = (tgs_i_stairs){.root = -1};
    if (tgs_mem_grow(&s->step, &s->room, 1, sizeof *s->step))
        return TGS_ENOMEM;
    s->root = new_step(s, -INFINITY, bytes);
    return TGS_OK;
}

void tgs_i_stairs_close(tgs_i_stairs *s)
{
    tgs_mem_free(s->step);
}

tgs_status tgs_i_stairs_add(tgs_i_stairs *s, double from, double until, double bytes)
{
    int32_t left, middle, right;

    if (!(from < until) || bytes == 0)
        return TGS_OK;
    if (tgs_mem_grow(&s->step, &s->room, (int64_t)s->used + 2, sizeof *s->step))
        return TGS_ENOMEM;
    cut(s, from);
    if (until < INFINITY)
        cut(s, until);
    split(s, s->root, from, &left, &middle);
    split(s, middle, until, &middle, &right);
    raise(s, middle, bytes);
    s->root = join(s, join(s, left, middle), right);
    return TGS_OK;
}

/* the first step after time with more than level (or no more than it); -1: none */
static int32_t first(tgs_i_stairs *s, int32_t x, double time, double level, bool above)
{
    while (x >= 0 && (above ? s->step[x].most > level : s->step[x].least <= level)) {
        pass_on(s, x);
        if (s->step[x].time > time) {
            const int32_t left = first(s, s->step[x].left, time, level, above);

            if (left >= 0)
                return left;
            if (above == (s->step[x].bytes > level))
                return x;
        }
        x = s->step[x].right;
    }
    return -1;
}

double tgs_i_stairs_above(tgs_i_stairs *s, double from, double until, double level)
{
    int32_t x;

    if (!(from < until))
        return INFINITY;
    if (s->step[at(s, from)].bytes > level)
        return from;
    x = first(s, s->root, from, level, true);
    return x >= 0 && s->step[x].time < until ? s->step[x].time : INFINITY;
}

double tgs_i_stairs_below(tgs_i_stairs *s, double from, double level)
{
    int32_t x;

    if (s->step[at(s, from)].bytes <= level)
        return from;
    x = first(s, s->root, from, level, false);
    return x >= 0 ? s->step[x].time : INFINITY;
}

double tgs_i_stairs_last(const tgs_i_stairs *s)
{
    int32_t x = s->root;
    double add = 0;

    while (s->step[x].right >= 0) {
        add += s->step[x].add;
        x = s->step[x].right;
    }
    return s->step[x].bytes + add;
}
