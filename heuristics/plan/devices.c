/* devices.c -- the machine and the model as a pipeline sees them: a device for each memory that
 * has a processor, and the layers' times, cuts and bytes as sums from the first layer on. */
#include <stdlib.h>
#include <string.h>
#include "step.h"

void tgs_i_devices_close(tgs_i_devices *d)
{
    tgs_mem_free(d->memory);
    tgs_mem_free(d->proc);
    tgs_mem_free(d->type);
    tgs_mem_free(d->lat);
    tgs_mem_free(d->inv);
    tgs_mem_free(d->capacity);
    memset(d, 0, sizeof *d);
}

/* the seconds that a processor takes for all layers: which one is the device's */
static double whole(const tgs_planner_ctx *c, const tgs_layers *l, int32_t proc)
{
    const int32_t kind = c->p->proc[proc].kind;
    double sum = 0;

    for (int32_t i = 0; i < l->n; i++)
        sum += l->forward[(int64_t)i * l->kinds + kind] + l->backward[(int64_t)i * l->kinds + kind];
    return sum / c->p->proc[proc].speed;
}

static bool alike(const tgs_i_devices *d, const tgs_planner_ctx *c, int32_t a, int32_t b)
{
    const tgs_proc *x = &c->p->proc[d->proc[a]], *y = &c->p->proc[d->proc[b]];

    if (x->kind != y->kind || x->speed != y->speed || d->capacity[a] != d->capacity[b]
        || c->p->memory[d->memory[a]].node != c->p->memory[d->memory[b]].node)
        return false;
    for (int32_t i = 0; i < d->n; i++)
        if (i != a && i != b
            && (d->lat[a * d->n + i] != d->lat[b * d->n + i]
                || d->inv[a * d->n + i] != d->inv[b * d->n + i]))
            return false;
    return true;
}

/* fast ones first, ties by memory */
static void sort(tgs_i_devices *d, const double *time)
{
    for (int32_t i = 1; i < d->n; i++)
        for (int32_t j = i; j > 0 && time[d->proc[j]] < time[d->proc[j - 1]]; j--) {
            const int32_t memory = d->memory[j], proc = d->proc[j];

            d->memory[j] = d->memory[j - 1];
            d->proc[j] = d->proc[j - 1];
            d->memory[j - 1] = memory;
            d->proc[j - 1] = proc;
        }
}

static void connect(tgs_i_devices *d, const tgs_planner_ctx *c)
{
    for (int32_t a = 0; a < d->n; a++) {
        d->capacity[a] = c->p->memory[d->memory[a]].capacity;
        for (int32_t b = 0; b < d->n; b++) {
            const int64_t at = (int64_t)d->memory[a] * c->p->memories + d->memory[b];

            d->lat[a * d->n + b] = c->p->lat[at];
            d->inv[a * d->n + b] = c->p->inv[at];
        }
    }
    for (int32_t a = 0; a < d->n; a++) {
        d->type[a] = a;
        for (int32_t b = 0; b < a && d->type[a] == a; b++)
            if (alike(d, c, a, b))
                d->type[a] = d->type[b];
    }
}

tgs_status tgs_i_devices_open(tgs_i_devices *d, const tgs_planner_ctx *c, const tgs_layers *l,
                              double far, tgs_error *err)
{
    const size_t m = (size_t)c->p->memories;
    double *time = tgs_mem_alloc((size_t)c->p->procs, sizeof *time);

    memset(d, 0, sizeof *d);
    d->memory = tgs_mem_alloc(m, sizeof *d->memory);
    d->proc = tgs_mem_alloc(m, sizeof *d->proc);
    d->type = tgs_mem_alloc(m, sizeof *d->type);
    d->lat = tgs_mem_alloc(m * m, sizeof *d->lat);
    d->inv = tgs_mem_alloc(m * m, sizeof *d->inv);
    d->capacity = tgs_mem_alloc(m, sizeof *d->capacity);
    if (!time || !d->memory || !d->proc || !d->type || !d->lat || !d->inv || !d->capacity) {
        tgs_mem_free(time);
        tgs_i_devices_close(d);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t i = 0; i < c->p->procs; i++)
        time[i] = whole(c, l, i);
    for (int32_t k = 0; k < c->p->memories; k++) {
        int32_t best = -1;

        for (int32_t i = 0; i < c->p->procs; i++)
            if (c->p->proc[i].memory == k && time[i] < (best < 0 ? INFINITY : time[best]))
                best = i;
        if (best < 0)
            continue; /* no processor, or none that every layer may run on */
        d->memory[d->n] = k;
        d->proc[d->n++] = best;
    }
    sort(d, time);
    while (d->n > 1 && time[d->proc[d->n - 1]] > far * time[d->proc[0]])
        d->n--;
    connect(d, c);
    tgs_mem_free(time);
    if (d->n)
        return TGS_OK;
    tgs_i_devices_close(d);
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "no processor can run every layer");
}

/* ---- sums ---- */
void tgs_i_sums_close(tgs_i_chain_sums *s)
{
    tgs_mem_free(s->time);
    tgs_mem_free(s->cut);
    tgs_mem_free(s->fixed);
    tgs_mem_free(s->saved);
    memset(s, 0, sizeof *s);
}

tgs_status tgs_i_sums_open(tgs_i_chain_sums *s, tgs_i_chain *x, const tgs_planner_ctx *c,
                           const tgs_i_devices *d, const tgs_layers *l, double versions,
                           tgs_error *err)
{
    const int32_t n = l->n;

    memset(s, 0, sizeof *s);
    s->time = tgs_mem_alloc((size_t)d->n * (size_t)(n + 1), sizeof *s->time);
    s->cut = tgs_mem_alloc((size_t)n + 2, sizeof *s->cut);
    s->fixed = tgs_mem_alloc((size_t)n + 1, sizeof *s->fixed);
    s->saved = tgs_mem_alloc((size_t)n + 1, sizeof *s->saved);
    if (!s->time || !s->cut || !s->fixed || !s->saved) {
        tgs_i_sums_close(s);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t k = 0; k < d->n; k++) {
        const tgs_proc *p = &c->p->proc[d->proc[k]];
        double *to = s->time + (int64_t)k * (n + 1);

        for (int32_t i = 0; i < n; i++) {
            const int64_t at = (int64_t)i * l->kinds + p->kind;

            to[i + 1] = to[i] + (l->forward[at] + l->backward[at]) / p->speed;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        s->fixed[i + 1] = s->fixed[i] + versions * l->layer[i].parameters + l->layer[i].state;
        s->saved[i + 1] = s->saved[i] + l->layer[i].saved;
    }
    for (int32_t i = 0; i < l->edges; i++) { /* it crosses the cuts after from, up to to */
        s->cut[l->edge[i].from + 1] += l->edge[i].bytes;
        s->cut[l->edge[i].to + 1] -= l->edge[i].bytes;
    }
    for (int32_t i = 1; i <= n; i++)
        s->cut[i] = i == n ? 0 : fmax(0, s->cut[i] + s->cut[i - 1]);
    *x = (tgs_i_chain){.n = n,
                       .devices = d->n,
                       .time = s->time,
                       .cut = s->cut,
                       .lat = d->lat,
                       .inv = d->inv,
                       .fixed = s->fixed,
                       .saved = s->saved,
                       .capacity = d->capacity,
                       .type = d->type};
    return TGS_OK;
}

/* ---- names in directives ---- */
static bool plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'
           || c == '.' || c == '/' || c == '-';
}

tgs_status tgs_i_list_name(tgs_i_text *t, const char *name)
{
    const int64_t need = t->used + 3 * (int64_t)strlen(name) + 2;

    if (tgs_mem_grow(&t->text, &t->room, need, 1))
        return TGS_ENOMEM;
    if (t->used)
        t->text[t->used++] = ',';
    for (; *name; name++)
        t->used +=
            snprintf(t->text + t->used, 4, plain(*name) ? "%c" : "%%%02X", (unsigned char)*name);
    t->text[t->used] = 0;
    return TGS_OK;
}
