/* paths.c -- longest paths in which every task may sit where it likes, but what moves between
 * memories takes its time.  Above EXACT memories a move costs the least that any move into (or out
 * of) the memory costs, which is the same on uniform links, still valid on others, and O(M) instead
 * of O(M^2). */
#include "paths.h"

#define EXACT 16

tgs_status tgs_i_moves_open(const tgs_view *v, tgs_i_moves *x, tgs_error *err)
{
    const int32_t M = v->memories;
    double *all = tgs_mem_alloc(4 * (size_t)M, sizeof *all);

    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d memories", M);
    *x = (tgs_i_moves){all, all + M, all + 2 * M, all + 3 * M};
    for (int32_t i = 0; i < 4 * M; i++)
        all[i] = INFINITY;
    for (int32_t a = 0; a < M; a++)
        for (int32_t b = 0; b < M; b++) {
            const double lat = v->relay_lat[a * M + b], inv = v->relay_inv[a * M + b];

            if (a == b || !(lat < INFINITY))
                continue;
            x->in_lat[b] = fmin(x->in_lat[b], lat);
            x->in_inv[b] = fmin(x->in_inv[b], inv);
            x->out_lat[a] = fmin(x->out_lat[a], lat);
            x->out_inv[a] = fmin(x->out_inv[a], inv);
        }
    for (int32_t i = 0; i < M; i++) { /* a memory without links: no size gives NaN */
        x->in_inv[i] = x->in_lat[i] < INFINITY ? x->in_inv[i] : 0;
        x->out_inv[i] = x->out_lat[i] < INFINITY ? x->out_inv[i] : 0;
    }
    return TGS_OK;
}

static double bytes_of(const tgs_view *v, int32_t datum)
{
    return datum < 0 ? 0 : v->g->datum[datum].bytes;
}

/* to[b] = max(to[b], min over a of (from[a] + c(a, b))), or with the arguments of c exchanged */
void tgs_i_moves_pass(const tgs_view *v, const tgs_i_moves *x, const double *from, int32_t datum,
                      bool back, double *to)
{
    const int32_t M = v->memories;
    const double bytes = bytes_of(v, datum);
    double least = INFINITY;

    for (int32_t a = 0; a < M; a++)
        least = from[a] < least ? from[a] : least;
    for (int32_t b = 0; b < M; b++) {
        double here = from[b];

        if (datum < 0) {
            here = least;
        } else if (M > EXACT) {
            const double move =
                back ? x->out_lat[b] + bytes * x->out_inv[b] : x->in_lat[b] + bytes * x->in_inv[b];

            here = least + move < here ? least + move : here;
        } else {
            for (int32_t a = 0; a < M; a++) {
                const int32_t k = back ? b * M + a : a * M + b;
                const double y = from[a] + (v->relay_lat[k] + bytes * v->relay_inv[k]);

                here = y < here ? y : here;
            }
        }
        to[b] = here > to[b] ? here : to[b];
    }
}

void tgs_i_moves_times(const tgs_view *v, int32_t task, double *w)
{
    for (int32_t a = 0; a < v->memories; a++)
        w[a] = INFINITY;
    for (int32_t p = 0; p < v->m; p++) {
        const int32_t a = v->p->proc[p].memory;

        w[a] = fmin(w[a], tgs_w(v, task, p));
    }
}

/* row = max(row, release time and arrival of initial data) */
static void begin(const tgs_view *v, int32_t j, double *row)
{
    const tgs_graph_view *g = v->g;
    const int32_t k = g->task[j].constraint, M = v->memories;

    for (int32_t a = 0; a < M && k >= 0; a++)
        row[a] = fmax(row[a], g->constraint[k].release);
    for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
        const tgs_access *x = &g->access[i];
        const int32_t home = v->home[x->datum];

        if (!(x->mode & TGS_R) || x->version >= 0 || home < 0)
            continue;
        for (int32_t a = 0; a < M; a++)
            row[a] = fmax(row[a], v->relay_lat[home * M + a]
                                      + g->datum[x->datum].bytes * v->relay_inv[home * M + a]);
    }
}

void tgs_i_moves_forward(const tgs_view *v, const tgs_i_moves *x, double *ends, double *w)
{
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i];
        double *row = ends + j * M;

        begin(v, j, row);
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            tgs_i_moves_pass(v, x, ends + g->pred[e] * M, g->pred_datum[e], false, row);
        tgs_i_moves_times(v, j, w);
        for (int32_t a = 0; a < M; a++)
            row[a] += w[a];
    }
}

void tgs_i_moves_close(tgs_i_moves *x)
{
    tgs_mem_free(x->in_lat);
    *x = (tgs_i_moves){NULL, NULL, NULL, NULL};
}
