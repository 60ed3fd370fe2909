/* adversarymove.c -- random instances, and the changes by which one becomes another. */
#include <string.h>
#include "adversary.h"
#include "platform.h"

/* ---- weights -------------------------------------------------------------------------------- */
/* as many small ones as large ones: uniform in its number of digits */
static int32_t random_weight(tgs_rng *r, int32_t least)
{
    static const int32_t top[] = {3, 10, 30, TGS_I_ADVERSARY_WEIGHT};

    return (int32_t)tgs_rng_int(r, least, top[tgs_rng_int(r, 0, 3)]);
}

/* a little more or less, or something else */
static int32_t change_weight(int32_t w, tgs_rng *r, int32_t least)
{
    int32_t step, to;

    if (tgs_rng_real(r) < 0.3)
        return random_weight(r, least);
    step = (int32_t)tgs_rng_int(r, 1, 1 + w / 4);
    to = tgs_rng_real(r) < 0.5 ? w - step : w + step;
    return to < least ? least : to > TGS_I_ADVERSARY_WEIGHT ? TGS_I_ADVERSARY_WEIGHT : to;
}

static int32_t random_edge(tgs_rng *r, int32_t n)
{
    return tgs_rng_real(r) * n < 2.5 ? random_weight(r, 0) : -1; /* about 2.5 per task */
}

static void random_task(tgs_i_world *w, int32_t t, tgs_rng *r)
{
    for (int32_t p = 0; p < TGS_I_ADVERSARY_PROCS; p++)
        w->time[t][p] = random_weight(r, 1);
    for (int32_t i = 0; i < t; i++)
        w->edge[i][t] = random_edge(r, t);
    for (int32_t j = t + 1; j < w->n; j++)
        w->edge[t][j] = random_edge(r, w->n);
}

void tgs_i_world_random(tgs_i_world *w, int32_t tasks, int32_t processors, tgs_rng *r)
{
    memset(w, 0, sizeof *w);
    w->m = processors;
    for (w->n = 0; w->n < tasks; w->n++)
        random_task(w, w->n, r);
    for (int32_t i = 0; i < TGS_I_ADVERSARY_PROCS; i++)
        for (int32_t j = i + 1; j < TGS_I_ADVERSARY_PROCS; j++)
            w->link[i][j] = 1;
}

/* ---- moves ---------------------------------------------------------------------------------- */
void tgs_i_world_drop_task(tgs_i_world *w, int32_t task)
{
    for (int32_t i = task; i + 1 < w->n; i++)
        memcpy(w->time[i], w->time[i + 1], sizeof w->time[i]);
    for (int32_t i = 0; i < w->n - 1; i++)
        for (int32_t j = i + 1; j < w->n - 1; j++)
            w->edge[i][j] = w->edge[i + (i >= task)][j + (j >= task)];
    w->n--;
}

void tgs_i_world_drop_proc(tgs_i_world *w, int32_t proc)
{
    for (int32_t t = 0; t < w->n; t++)
        for (int32_t p = proc; p + 1 < w->m; p++)
            w->time[t][p] = w->time[t][p + 1];
    for (int32_t p = proc; p + 1 < w->m; p++)
        w->capacity[p] = w->capacity[p + 1];
    for (int32_t i = 0; i < w->m - 1; i++)
        for (int32_t j = i + 1; j < w->m - 1; j++)
            w->link[i][j] = w->link[i + (i >= proc)][j + (j >= proc)];
    w->m--;
}

static void move_edge(tgs_i_world *w, tgs_rng *r)
{
    int32_t i, j;

    if (w->n < 2)
        return;
    j = (int32_t)tgs_rng_int(r, 1, w->n - 1);
    i = (int32_t)tgs_rng_int(r, 0, j - 1);
    if (w->edge[i][j] < 0)
        w->edge[i][j] = random_weight(r, 0);
    else
        w->edge[i][j] = tgs_rng_real(r) < 0.3 ? -1 : change_weight(w->edge[i][j], r, 0);
}

static void move_platform(tgs_i_world *w, int32_t processors, tgs_rng *r)
{
    const double kind = tgs_rng_real(r);
    const int32_t p = (int32_t)tgs_rng_int(r, 0, w->m - 1);

    if (kind < 0.3 && w->m > 2)
        tgs_i_world_drop_proc(w, p);
    else if (kind < 0.6 && w->m < processors) {
        for (int32_t t = 0; t < w->n; t++)
            w->time[t][w->m] = random_weight(r, 1);
        for (int32_t i = 0; i < w->m; i++)
            w->link[i][w->m] = 1;
        w->capacity[w->m++] = 0;
    } else if (kind < 0.7 && w->m > 1) {
        w->bus = w->bus && tgs_rng_real(r) < 0.5 ? 0 : (int32_t)tgs_rng_int(r, 1, 10);
    } else if (kind < 0.85 && w->m > 1) {
        const int32_t j = (int32_t)tgs_rng_int(r, 1, w->m - 1);

        w->link[tgs_rng_int(r, 0, j - 1)][j] = (int32_t)tgs_rng_int(r, 1, 10);
    } else
        w->capacity[p] = w->capacity[p] ? 0 : (int32_t)tgs_rng_int(r, 1, 20) * w->n;
}

void tgs_i_world_move(tgs_i_world *w, int32_t tasks, int32_t processors, tgs_rng *r)
{
    const double kind = tgs_rng_real(r);
    const int32_t t = (int32_t)tgs_rng_int(r, 0, w->n - 1);

    if (kind < 0.4) {
        int32_t *time = &w->time[t][tgs_rng_int(r, 0, w->m - 1)];

        *time = change_weight(*time, r, 1);
    } else if (kind < 0.85) {
        move_edge(w, r);
    } else if (kind < 0.9) {
        move_platform(w, processors, r);
    } else if (kind < 0.95 && w->n < tasks) {
        random_task(w, w->n, r);
        w->n++;
    } else if (w->n > 2)
        tgs_i_world_drop_task(w, t);
}

/* ---- as a graph and a platform -------------------------------------------------------------- */
static tgs_status build_graph(const tgs_i_world *w, tgs_graph **g, tgs_error *err)
{
    tgs_builder *b;
    char name[16];
    tgs_status status = tgs_builder_new(&b, err);

    if (status)
        return status;
    for (int32_t p = 0; p < w->m; p++) {
        snprintf(name, sizeof name, "P%d", (int)p + 1);
        tgs_builder_kind(b, name);
    }
    for (int32_t t = 0; t < w->n; t++) { /* the builder remembers its first failure */
        snprintf(name, sizeof name, "T%d", (int)t + 1);
        tgs_builder_task(b, name, NULL, NAN);
        for (int32_t p = 0; p < w->m; p++) {
            snprintf(name, sizeof name, "P%d", (int)p + 1);
            tgs_builder_task_time(b, t, name, w->time[t][p]);
        }
    }
    for (int32_t i = 0; i < w->n; i++)
        for (int32_t j = i + 1; j < w->n; j++)
            if (w->edge[i][j] >= 0)
                tgs_builder_edge(b, i, j, w->edge[i][j]);
    return tgs_builder_finish(g, b, err);
}

static tgs_status add_processors(const tgs_i_world *w, tgs_i_assembly *a, tgs_error *err)
{
    tgs_status status = TGS_OK;
    char name[16], memory[16];

    for (int32_t p = 0; p < w->m && !status; p++) {
        tgs_kind kind;
        const tgs_memory m = {memory, "", w->capacity[p] ? w->capacity[p] : INFINITY, 0};
        const tgs_proc proc = {name, p, p, 1};

        snprintf(name, sizeof name, "P%d", (int)p + 1);
        snprintf(memory, sizeof memory, "M%d", (int)p + 1);
        kind = tgs_i_kind_named(name);
        status = tgs_i_assembly_kind(a, &kind, NULL, err);
        if (!status)
            status = tgs_i_assembly_memory(a, &m, NULL, err);
        if (!status)
            status = tgs_i_assembly_proc(a, &proc, NULL, err);
    }
    return status;
}

static tgs_status build_platform(const tgs_i_world *w, tgs_platform **p, tgs_error *err)
{
    tgs_i_assembly *a;
    const tgs_bus bus = {"bus", w->bus};
    tgs_status status = tgs_i_assembly_new(&a, NULL, err);

    if (!status)
        status = add_processors(w, a, err);
    if (!status && w->bus)
        status = tgs_i_assembly_bus(a, &bus, NULL, err);
    for (int32_t i = 0; i < w->m && !status; i++)
        for (int32_t j = 0; j < w->m && !status; j++) {
            const int32_t own = i < j ? w->link[i][j] : w->link[j][i];
            const tgs_link l = {.from = i,
                                .to = j,
                                .bus = w->bus ? 0 : -1,
                                .latency = 0,
                                .bandwidth = w->bus && own > w->bus ? w->bus : own,
                                .energy = NAN};

            if (i != j)
                status = tgs_i_assembly_link(a, &l, err);
        }
    if (!status)
        return tgs_i_assembly_finish(p, a, err);
    tgs_i_assembly_free(a);
    return status;
}

tgs_status tgs_i_world_build(const tgs_i_world *w, tgs_graph **g, tgs_platform **p, tgs_error *err)
{
    tgs_status status;

    *p = NULL;
    status = build_graph(w, g, err);
    return status ? status : build_platform(w, p, err);
}
