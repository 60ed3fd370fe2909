/* adversaryshrink.c -- a smaller instance that tells the same: tasks, processors, limits and edges
 * go, then weights become round, each if the ratio stays; until nothing more can go. Deterministic.
 */
#include "adversary.h"

typedef struct shrinking {
    tgs_i_search *search;
    tgs_i_world *world;
    double *ratio, least;
    bool changed;
    tgs_status status;
} shrinking;

/* takes next for the world if that is enough */
static bool try_world(shrinking *s, const tgs_i_world *next)
{
    double ratio;

    if (s->status)
        return false;
    s->status = tgs_i_world_ratio(s->search, next, &ratio);
    if (s->status || ratio < s->least)
        return false;
    *s->world = *next;
    *s->ratio = ratio;
    s->changed = true;
    return true;
}

static void drop_parts(shrinking *s)
{
    tgs_i_world next;

    for (int32_t t = s->world->n - 1; t >= 0 && s->world->n > 1; t--) {
        next = *s->world;
        tgs_i_world_drop_task(&next, t);
        try_world(s, &next);
    }
    for (int32_t p = s->world->m - 1; p >= 0 && s->world->m > 1; p--) {
        next = *s->world;
        tgs_i_world_drop_proc(&next, p);
        try_world(s, &next);
    }
    for (int32_t p = 0; p < s->world->m; p++) {
        next = *s->world;
        next.capacity[p] = 0;
        if (s->world->capacity[p])
            try_world(s, &next);
    }
    next = *s->world;
    next.bus = 0;
    if (s->world->bus)
        try_world(s, &next);
    for (int32_t i = 0; i < s->world->n; i++)
        for (int32_t j = i + 1; j < s->world->n; j++) {
            next = *s->world;
            next.edge[i][j] = -1;
            if (s->world->edge[i][j] >= 0)
                try_world(s, &next);
        }
}

/* rounder values of a weight, the roundest first; they only get rounder, so this ends */
static int32_t rounder(int32_t w, int32_t attempt, int32_t least)
{
    switch (attempt) {
    case 0:
        return least;
    case 1:
        return w > 1 ? 1 : w;
    case 2:
        return w > 10 ? 10 : w;
    case 3:
        return w > 10 ? (w + 5) / 10 * 10 : w;
    case 4:
        return w > 5 && w % 10 ? (w + 2) / 5 * 5 : w;
    default:
        return -1;
    }
}

/* the weight lies in the world; its copies have it in the same place */
static void round_weight(shrinking *s, int32_t *weight, int32_t least)
{
    tgs_i_world next;
    int32_t *there = (int32_t *)((char *)&next + ((char *)weight - (char *)s->world));

    for (int32_t k = 0, to; (to = rounder(*weight, k, least)) >= 0; k++) {
        if (to == *weight)
            continue;
        next = *s->world;
        *there = to;
        if (try_world(s, &next))
            return;
    }
}

static void round_weights(shrinking *s)
{
    tgs_i_world *w = s->world;

    for (int32_t t = 0; t < w->n; t++)
        for (int32_t p = 0; p < w->m; p++)
            round_weight(s, &w->time[t][p], 1);
    for (int32_t i = 0; i < w->n; i++)
        for (int32_t j = i + 1; j < w->n; j++)
            if (w->edge[i][j] > 0)
                round_weight(s, &w->edge[i][j], 0);
    for (int32_t i = 0; i < w->m; i++)
        for (int32_t j = i + 1; j < w->m; j++)
            round_weight(s, &w->link[i][j], 1);
    if (w->bus)
        round_weight(s, &w->bus, 1);
}

tgs_status tgs_i_world_shrink(tgs_i_search *x, tgs_i_world *w, double *ratio, double least)
{
    shrinking s = {x, w, ratio, least, true, TGS_OK};

    for (int32_t round = 0; round < 8 && s.changed && !s.status; round++) {
        s.changed = false;
        drop_parts(&s);
        round_weights(&s);
    }
    return s.status;
}
