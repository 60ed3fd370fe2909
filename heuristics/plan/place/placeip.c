/* placeip.c -- device placement as an integer program, as the paper has it:
 *
 *   minimise T
 *   sum_d x[v,d] = 1                                 every class is on one device
 *   sum_v size_v x[v,d] <= M_d
 *   in[i,d] >= x[r,d] - x[m,d]                       for each reader r of an item i that m makes
 *   out[i,d] >= x[m,d] - x[r,d]
 *   sum_v t[v,d] x[v,d] + sum_i c[i,d] (in[i,d] + out[i,d]) <= T     (a host: without transfers)
 *
 * and, for contiguous placements, z[v,d] >= x[v,d], z[v,d] <= z[u,d] and
 * z[v,d] <= x[v,d] - x[u,d] + 1 for every edge (u, v) and device d. */
#include <stdio.h>
#include "placeip.h"

typedef struct building {
    tgs_i_place_ip *ip;
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    int32_t *column;     /* of a row */
    double *coefficient; /* ... */
    int32_t count;
} building;

static bool is_host(const building *b, int32_t device)
{
    return b->d->host[b->d->group[device]];
}

static void term(building *b, double coefficient, int32_t column)
{
    b->column[b->count] = column;
    b->coefficient[b->count++] = coefficient;
}

static void row(building *b, double low, double high)
{
    tgs_lp_row(b->ip->lp, NULL, low, high, b->count, b->column, b->coefficient);
    b->count = 0;
}

static int32_t x_of(const building *b, int32_t class_, int32_t device)
{
    return b->ip->x + class_ * b->d->devices + device;
}

static int32_t move_of(const building *b, int32_t item, int32_t device, bool out)
{
    return b->ip->moves + 2 * (item * b->d->devices + device) + out;
}

static int32_t z_of(const building *b, int32_t class_, int32_t device)
{
    return b->ip->z + class_ * b->d->devices + device;
}

/* ---- columns -----------------------------------------------------------------------------------
 */
static void name_column(building *b, const char *what, int32_t i, int32_t device, double high,
                        bool integer)
{
    char name[60];

    snprintf(name, sizeof name, "%s[%d.%d]", what, (int)i, (int)device);
    tgs_lp_column(b->ip->lp, name, 0, high, 0, integer);
}

static void add_columns(building *b, bool contiguous, double low, double high)
{
    const int32_t n = b->g->n, devices = b->d->devices;

    b->ip->t = tgs_lp_column(b->ip->lp, "T", low, high, 1, false);
    b->ip->x = b->ip->t + 1;
    for (int32_t v = 0; v < n; v++)
        for (int32_t k = 0; k < devices; k++)
            name_column(b, "x", v, k,
                        b->g->time[(int64_t)v * b->g->groups + b->d->group[k]] < INFINITY, true);
    b->ip->moves = b->ip->x + n * devices;
    for (int32_t i = 0; i < b->g->items; i++)
        for (int32_t k = 0; k < devices; k++) {
            name_column(b, "in", i, k, 1, false);
            name_column(b, "out", i, k, 1, false);
        }
    b->ip->z = b->ip->moves + 2 * b->g->items * devices;
    for (int32_t v = 0; v < n && contiguous; v++)
        for (int32_t k = 0; k < devices; k++)
            name_column(b, "z", v, k, 1, false);
}

/* ---- rows --------------------------------------------------------------------------------------
 */
static void add_places(building *b)
{
    for (int32_t v = 0; v < b->g->n; v++) {
        for (int32_t k = 0; k < b->d->devices; k++)
            term(b, 1, x_of(b, v, k));
        row(b, 1, 1);
    }
}

static void add_rooms(building *b)
{
    for (int32_t k = 0; k < b->d->devices; k++) {
        const double room = b->d->memory[b->d->group[k]];
        double all = 0;

        for (int32_t v = 0; v < b->g->n; v++) {
            all += b->g->size[v];
            if (b->g->size[v] > 0)
                term(b, b->g->size[v] / room, x_of(b, v, k));
        }
        if (all > room)
            row(b, -INFINITY, 1);
        b->count = 0;
    }
}

static void add_moves(building *b)
{
    for (int32_t i = 0; i < b->g->items; i++)
        for (int32_t r = b->g->item_at[i]; r < b->g->item_at[i + 1]; r++)
            for (int32_t k = 0; k < b->d->devices; k++)
                for (int32_t out = 0; out < 2 && !is_host(b, k); out++) {
                    term(b, 1, move_of(b, i, k, out));
                    term(b, out ? 1 : -1, x_of(b, b->g->item_to[r], k));
                    term(b, out ? -1 : 1, x_of(b, b->g->item_from[i], k));
                    row(b, 0, INFINITY);
                }
}

static void add_loads(building *b)
{
    const tgs_i_place_graph *g = b->g;

    for (int32_t k = 0; k < b->d->devices; k++) {
        const int32_t q = b->d->group[k];

        for (int32_t v = 0; v < g->n; v++)
            if (g->time[(int64_t)v * g->groups + q] < INFINITY)
                term(b, g->time[(int64_t)v * g->groups + q] / b->ip->unit, x_of(b, v, k));
        for (int32_t i = 0; i < g->items && !is_host(b, k); i++) {
            term(b, g->item_cost[(int64_t)i * g->groups + q] / b->ip->unit,
                 move_of(b, i, k, false));
            term(b, g->item_cost[(int64_t)i * g->groups + q] / b->ip->unit, move_of(b, i, k, true));
        }
        term(b, -1, b->ip->t);
        row(b, -INFINITY, 0);
    }
}

static void add_contiguity(building *b)
{
    for (int32_t k = 0; k < b->d->devices; k++)
        for (int32_t u = 0; u < b->g->n; u++) {
            term(b, 1, z_of(b, u, k));
            term(b, -1, x_of(b, u, k));
            row(b, 0, INFINITY);
            for (int32_t e = b->g->succ_at[u]; e < b->g->succ_at[u + 1]; e++) {
                const int32_t v = b->g->succ[e];

                term(b, 1, z_of(b, u, k));
                term(b, -1, z_of(b, v, k));
                row(b, 0, INFINITY);
                term(b, 1, z_of(b, v, k));
                term(b, -1, x_of(b, v, k));
                term(b, 1, x_of(b, u, k));
                row(b, -INFINITY, 1);
            }
        }
}

tgs_status tgs_i_place_ip_open(tgs_i_place_ip *ip, const tgs_i_place_graph *g,
                               const tgs_i_place_devices *d, bool contiguous, double low,
                               double unit, tgs_error *err)
{
    const size_t most = (size_t)g->n + 2 * (size_t)g->items + (size_t)d->devices + 3;
    building b = {.ip = ip, .g = g, .d = d};
    char text[100];
    tgs_status status;

    *ip = (tgs_i_place_ip){.unit = unit};
    b.column = tgs_mem_alloc(most, sizeof *b.column);
    b.coefficient = tgs_mem_alloc(most, sizeof *b.coefficient);
    status = b.column && b.coefficient ? tgs_lp_new(&ip->lp, err)
                                       : tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status) {
        snprintf(text, sizeof text, "tgsched: T is the largest load in units of %.17g s", unit);
        tgs_lp_remark(ip->lp, text);
        add_columns(&b, contiguous, low / unit, 1);
        add_places(&b);
        add_rooms(&b);
        add_moves(&b);
        add_loads(&b);
        if (contiguous)
            add_contiguity(&b);
        status = tgs_lp_status(ip->lp, err);
    }
    tgs_mem_free(b.column);
    tgs_mem_free(b.coefficient);
    if (status)
        tgs_i_place_ip_close(ip);
    return status;
}

void tgs_i_place_ip_close(tgs_i_place_ip *ip)
{
    tgs_lp_free(ip->lp);
    *ip = (tgs_i_place_ip){.lp = NULL};
}

/* ---- solutions ---------------------------------------------------------------------------------
 */
/* z of a contiguous placement: the class, or one that comes after it, is on the device */
static void put_z(const tgs_i_place_ip *ip, const tgs_i_place_graph *g, int32_t devices,
                  const int32_t *order, const int32_t *device, double *value)
{
    for (int32_t i = g->n - 1; i >= 0; i--)
        for (int32_t k = 0; k < devices; k++) {
            const int32_t u = order[i];
            double z = device[u] == k;

            for (int32_t e = g->succ_at[u]; e < g->succ_at[u + 1]; e++)
                z = fmax(z, value[ip->z + g->succ[e] * devices + k]);
            value[ip->z + u * devices + k] = z;
        }
}

tgs_status tgs_i_place_ip_put(const tgs_i_place_ip *ip, const tgs_i_place_graph *g,
                              const tgs_i_place_devices *d, const int32_t *device, double largest,
                              double *value)
{
    const int32_t devices = d->devices;
    int32_t *order = tgs_mem_alloc(3 * (size_t)g->n, sizeof *order);

    if (!order)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < tgs_lp_columns(ip->lp); i++)
        value[i] = 0;
    value[ip->t] = largest / ip->unit;
    for (int32_t v = 0; v < g->n; v++)
        value[ip->x + v * devices + device[v]] = 1;
    for (int32_t i = 0; i < g->items; i++)
        for (int32_t r = g->item_at[i]; r < g->item_at[i + 1]; r++) {
            const int32_t from = device[g->item_from[i]], to = device[g->item_to[r]];

            if (from == to)
                continue;
            value[ip->moves + 2 * (i * devices + to)] = 1;
            value[ip->moves + 2 * (i * devices + from) + 1] = 1;
        }
    if (tgs_lp_columns(ip->lp) > ip->z) {
        tgs_i_place_depth_first(g, 0, order, order + g->n);
        put_z(ip, g, devices, order, device, value);
    }
    tgs_mem_free(order);
    return TGS_OK;
}

void tgs_i_place_ip_take(const tgs_i_place_ip *ip, const tgs_i_place_graph *g,
                         const tgs_i_place_devices *d, int32_t *device)
{
    for (int32_t v = 0; v < g->n; v++)
        for (int32_t k = 0; k < d->devices; k++)
            if (tgs_lp_value(ip->lp, ip->x + v * d->devices + k) > 0.5)
                device[v] = k;
}
