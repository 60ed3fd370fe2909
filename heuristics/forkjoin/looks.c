/* looks.c -- memories that look alike.
 *
 * Two memories look alike when they hold processors of the same kinds and speeds and exchanging
 * them changes no link cost; such exchanges are symmetries, so of memories that look alike one
 * stands for all, and one other beside it. */
#include "chain.h"

static bool same_processors(const tgs_platform_view *p, int32_t a, int32_t b)
{
    int32_t x = 0, y = 0;

    for (;; x++, y++) {
        while (x < p->procs && p->proc[x].memory != a)
            x++;
        while (y < p->procs && p->proc[y].memory != b)
            y++;
        if (x == p->procs || y == p->procs)
            return x == p->procs && y == p->procs;
        if (p->proc[x].kind != p->proc[y].kind || p->proc[x].speed != p->proc[y].speed)
            return false;
    }
}

static bool same_links(const tgs_view *v, int32_t a, int32_t b)
{
    const double *const cost[] = {v->lat, v->inv, v->relay_lat, v->relay_inv};
    const int32_t M = v->memories;

    for (int32_t x = 0; x < M; x++) {
        const int32_t y = x == a ? b : x == b ? a : x; /* where x goes in the exchange */

        for (int i = 0; i < 4; i++)
            if (cost[i][a * M + x] != cost[i][b * M + y]
                || cost[i][x * M + a] != cost[i][y * M + b])
                return false;
    }
    return true;
}

void tgs_i_fj_looks(const tgs_view *v, const bool *alone, int32_t *like)
{
    for (int32_t a = 0; a < v->memories; a++)
        like[a] = -1;
    for (int32_t q = 0; q < v->m; q++)
        like[v->p->proc[q].memory] = v->p->proc[q].memory;
    for (int32_t a = 1; a < v->memories; a++)
        for (int32_t b = 0; b < a && like[a] == a; b++)
            if (like[b] == b && !(alone && (alone[a] || alone[b])) && same_processors(v->p, b, a)
                && same_links(v, b, a))
                like[a] = b;
}
