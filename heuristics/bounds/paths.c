/* paths.c -- longest paths in which every task may sit where it likes, but what moves between
 * memories takes its time.  Above EXACT memories a move costs the least that any move into (or out
 * of) the memory costs, which is the same on uniform links, still valid on others, and O(M) instead
 * of O(M^2).  Memories that then are alike in everything a path asks for share a row of numbers: a
 * cluster of equal nodes has one or two.  O(M^2), homes included, to find the rows. */
#include <stdlib.h>
#include "paths.h"

#define EXACT 16

static void find_moves(const tgs_view *v, tgs_i_moves *x)
{
    const int32_t M = v->memories;

    for (int32_t i = 0; i < 4 * M; i++)
        x->in_lat[i] = INFINITY; /* of all four, which lie one behind the other */
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
}

/* ---- rows --------------------------------------------------------------------------------------
 */
/* the fastest processor of a kind in a memory; 0: none */
static double fastest(const tgs_view *v, int32_t memory, int32_t kind)
{
    double speed = 0;

    for (int32_t p = 0; p < v->m; p++)
        if (v->p->proc[p].memory == memory && v->p->proc[p].kind == kind)
            speed = fmax(speed, v->p->proc[p].speed);
    return speed;
}

static bool alike(const tgs_view *v, const tgs_i_moves *x, const bool *home, const double *speed,
                  int32_t a, int32_t b)
{
    const int32_t M = v->memories;
    bool same = x->in_lat[a] == x->in_lat[b] && x->in_inv[a] == x->in_inv[b]
                && x->out_lat[a] == x->out_lat[b] && x->out_inv[a] == x->out_inv[b];

    for (int32_t k = 0; k < v->kinds && same; k++)
        same = speed[a * v->kinds + k] == speed[b * v->kinds + k];
    for (int32_t h = 0; h < M && same; h++)
        same = !home[h]
               || (v->relay_lat[h * M + a] == v->relay_lat[h * M + b]
                   && v->relay_inv[h * M + a] == v->relay_inv[h * M + b]);
    return same;
}

/* pins and masks tell memories apart, and few memories are not worth the search */
static tgs_status find_rows(const tgs_view *v, tgs_i_moves *x)
{
    const int32_t M = v->memories, K = v->kinds;
    const bool apart = M <= EXACT || v->pin_proc || v->mem_mask;
    bool *home = tgs_mem_alloc((size_t)M, sizeof *home);
    double *speed = tgs_mem_alloc((size_t)M * (size_t)K, sizeof *speed);
    const tgs_status status = home && speed ? TGS_OK : TGS_ENOMEM;

    for (int32_t d = 0; d < v->g->data && !status; d++)
        if (v->home[d] >= 0)
            home[v->home[d]] = true;
    for (int32_t i = 0; i < M * K && !status && !apart; i++)
        speed[i] = fastest(v, i / K, i % K);
    for (int32_t a = 0; a < M && !status; a++) {
        int32_t r = apart ? x->rows : 0;

        while (r < x->rows && !alike(v, x, home, speed, a, x->memory[r]))
            r++;
        if (r == x->rows)
            x->memory[x->rows++] = a;
        x->row[a] = r;
    }
    tgs_mem_free(home);
    tgs_mem_free(speed);
    return status;
}

/* all processors where a task may be bound to one; else of each row and kind the fastest */
static void find_procs(const tgs_view *v, tgs_i_moves *x)
{
    const tgs_proc *proc = v->p->proc;

    for (int32_t p = 0; p < v->m; p++) {
        bool needed = true;

        if (x->memory[x->row[proc[p].memory]] != proc[p].memory)
            continue;
        for (int32_t i = 0; i < x->procs && needed && !v->pin_proc && !v->mem_mask; i++) {
            const tgs_proc *q = &proc[x->proc[i]];

            if (q->memory != proc[p].memory || q->kind != proc[p].kind)
                continue;
            needed = false;
            if (proc[p].speed > q->speed)
                x->proc[i] = p;
        }
        if (needed)
            x->proc[x->procs++] = p;
    }
}

tgs_status tgs_i_moves_open(const tgs_view *v, tgs_i_moves *x, tgs_error *err)
{
    const size_t M = (size_t)v->memories;

    *x = (tgs_i_moves){.rows = 0};
    x->in_lat = tgs_mem_alloc(4 * M, sizeof *x->in_lat);
    x->row = tgs_mem_alloc(M, sizeof *x->row);
    x->memory = tgs_mem_alloc(M, sizeof *x->memory);
    x->proc = tgs_mem_alloc((size_t)v->m, sizeof *x->proc);
    if (x->in_lat && x->row && x->memory && x->proc) {
        x->in_inv = x->in_lat + M;
        x->out_lat = x->in_inv + M;
        x->out_inv = x->out_lat + M;
        find_moves(v, x);
        if (!find_rows(v, x)) {
            find_procs(v, x);
            return TGS_OK;
        }
    }
    tgs_i_moves_close(x);
    return tgs_fail(err, TGS_ENOMEM, "out of memory for %d memories", v->memories);
}

void tgs_i_moves_close(tgs_i_moves *x)
{
    tgs_mem_free(x->in_lat);
    tgs_mem_free(x->row);
    tgs_mem_free(x->memory);
    tgs_mem_free(x->proc);
    *x = (tgs_i_moves){.rows = 0};
}

/* ---- paths -------------------------------------------------------------------------------------
 */
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

    for (int32_t a = 0; a < x->rows; a++)
        least = from[a] < least ? from[a] : least;
    for (int32_t b = 0; b < x->rows; b++) {
        const int32_t m = x->memory[b];
        double here = from[b];

        if (datum < 0) {
            here = least;
        } else if (M > EXACT) {
            const double move =
                back ? x->out_lat[m] + bytes * x->out_inv[m] : x->in_lat[m] + bytes * x->in_inv[m];

            here = least + move < here ? least + move : here;
        } else { /* a row is a memory */
            for (int32_t a = 0; a < M; a++) {
                const int32_t k = back ? b * M + a : a * M + b;
                const double y = from[a] + (v->relay_lat[k] + bytes * v->relay_inv[k]);

                here = y < here ? y : here;
            }
        }
        to[b] = here > to[b] ? here : to[b];
    }
}

void tgs_i_moves_times(const tgs_view *v, const tgs_i_moves *x, int32_t task, double *w)
{
    for (int32_t a = 0; a < x->rows; a++)
        w[a] = INFINITY;
    for (int32_t i = 0; i < x->procs; i++) {
        const int32_t p = x->proc[i], a = x->row[v->p->proc[p].memory];

        w[a] = fmin(w[a], tgs_w(v, task, p));
    }
}

/* row = max(row, release time and arrival of initial data) */
static void begin(const tgs_view *v, const tgs_i_moves *x, int32_t j, double *row)
{
    const tgs_graph_view *g = v->g;
    const int32_t k = g->task[j].constraint, M = v->memories;

    for (int32_t a = 0; a < x->rows && k >= 0; a++)
        row[a] = fmax(row[a], g->constraint[k].release);
    for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
        const tgs_access *y = &g->access[i];
        const int32_t home = v->home[y->datum];

        if (!(y->mode & TGS_R) || y->version >= 0 || home < 0)
            continue;
        for (int32_t a = 0; a < x->rows; a++) {
            const int32_t at = home * M + x->memory[a];

            row[a] = fmax(row[a], v->relay_lat[at] + g->datum[y->datum].bytes * v->relay_inv[at]);
        }
    }
}

void tgs_i_moves_forward(const tgs_view *v, const tgs_i_moves *x, double *ends, double *w)
{
    const tgs_graph_view *g = v->g;
    const int64_t M = x->rows;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i];
        double *row = ends + j * M;

        begin(v, x, j, row);
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            tgs_i_moves_pass(v, x, ends + g->pred[e] * M, g->pred_datum[e], false, row);
        tgs_i_moves_times(v, x, j, w);
        for (int32_t a = 0; a < M; a++)
            row[a] += w[a];
    }
}

void tgs_i_moves_backward(const tgs_view *v, const tgs_i_moves *x, double *rests, double *w,
                          double *add)
{
    const tgs_graph_view *g = v->g;
    const int64_t M = x->rows;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];
        double *row = rests + j * M;

        for (int32_t e = g->succ_at[j]; e < g->succ_at[j + 1]; e++)
            tgs_i_moves_pass(v, x, rests + g->succ[e] * M, g->succ_datum[e], true, row);
        tgs_i_moves_times(v, x, j, w);
        for (int32_t a = 0; a < M; a++) {
            add[j * M + a] += row[a];
            row[a] += w[a];
        }
    }
}
