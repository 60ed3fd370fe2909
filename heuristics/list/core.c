/* core.c -- the list-scheduling core: a schedule under construction, and the choice of a processor.
 *
 * Per task O(memories * predecessors + processors * log gaps); n tasks hold 16 bytes each beside
 * the plan. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

static const tgs_constraint *constraint(const tgs_view *v, int32_t task)
{
    const int32_t i = v->g->task[task].constraint;

    return i < 0 ? NULL : &v->g->constraint[i];
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* The numbers of groups are the user's; here they are places in a sorted list.  That all members of
 * a group find a processor in each memory the group may use, the problem has seen to. */
static tgs_status open_groups(tgs_i_list *s, tgs_error *err)
{
    const tgs_graph_view *g = s->v->g;
    int32_t n = 0;

    for (int32_t i = 0; i < g->constraints; i++)
        n += g->constraint[i].group >= 0;
    if (!n)
        return TGS_OK;
    s->group = tgs_mem_alloc((size_t)n, sizeof *s->group);
    s->group_memory = tgs_mem_alloc((size_t)n, sizeof *s->group_memory);
    if (!s->group || !s->group_memory)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the groups of %d tasks", n);
    memset(s->group_memory, -1, (size_t)n * sizeof *s->group_memory);
    n = 0;
    for (int32_t i = 0; i < g->constraints; i++)
        if (g->constraint[i].group >= 0)
            s->group[n++] = g->constraint[i].group;
    qsort(s->group, (size_t)n, sizeof *s->group, by_number);
    for (int32_t i = 0; i < n; i++)
        if (!i || s->group[i] != s->group[i - 1])
            s->group[s->groups++] = s->group[i];
    return TGS_OK;
}

static int32_t group_of(const tgs_i_list *s, int32_t task)
{
    const tgs_constraint *k = s->groups ? constraint(s->v, task) : NULL;

    if (!k || k->group < 0)
        return -1;
    return (int32_t)((const int32_t *)bsearch(&k->group, s->group, (size_t)s->groups,
                                              sizeof *s->group, by_number)
                     - s->group);
}

/* gaps shorter than every task of a processor cannot be filled; appending fills none */
static void open_lines(tgs_i_list *s)
{
    const tgs_view *v = s->v;

    for (int32_t p = 0; p < v->m; p++)
        tgs_i_timeline_open(&s->line[p], INFINITY);
    for (int32_t k = 0; k < v->kinds && s->rule.insert; k++) {
        double least = INFINITY;

        for (int32_t j = 0; j < v->n; j++) {
            const double w = v->time[(int64_t)j * v->kinds + k];

            least = w < least ? w : least;
        }
        for (int32_t p = 0; p < v->m; p++)
            if (v->p->proc[p].kind == k)
                s->line[p].least = least / v->p->proc[p].speed;
    }
}

tgs_status tgs_i_list_open(tgs_i_list *s, const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                           tgs_error *err)
{
    const tgs_view *v = c->v;
    tgs_status status;

    *s = (tgs_i_list){.c = c, .v = v, .plan = plan, .rule = *rule};
    s->done = tgs_mem_alloc((size_t)v->n, sizeof *s->done);
    s->line = tgs_mem_alloc((size_t)v->m, sizeof *s->line);
    s->ready = tgs_mem_alloc((size_t)v->memories, sizeof *s->ready);
    if (s->done && s->line && s->ready) {
        open_lines(s);
        status = open_groups(s, err);
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to schedule %d tasks", v->n);
    }
    for (int32_t d = 0; d < v->g->data && !s->initial; d++)
        s->initial = v->home[d] >= 0;
    if (status)
        tgs_i_list_close(s);
    return status;
}

void tgs_i_list_close(tgs_i_list *s)
{
    for (int32_t p = 0; s->line && p < s->v->m; p++)
        tgs_i_timeline_close(&s->line[p]);
    tgs_mem_free(s->done);
    tgs_mem_free(s->line);
    tgs_mem_free(s->ready);
    tgs_mem_free(s->group);
    tgs_mem_free(s->group_memory);
    *s = (tgs_i_list){.v = NULL};
}

/* a version of bytes that is in memory from at time end reaches every memory */
static void arrive(const tgs_view *v, double *ready, double end, double bytes, int32_t from)
{
    const double *lat = v->lat + (int64_t)from * v->memories;
    const double *inv = v->inv + (int64_t)from * v->memories;

    for (int32_t a = 0; a < v->memories; a++) {
        const double x = end + (lat[a] + bytes * inv[a]);

        ready[a] = x > ready[a] ? x : ready[a];
    }
}

void tgs_i_list_ready(const tgs_i_list *s, int32_t task, double *ready)
{
    const tgs_view *v = s->v;
    const tgs_graph_view *g = v->g;
    const tgs_constraint *k = constraint(v, task);
    double floor = k ? k->release : 0;

    for (int32_t a = 0; a < v->memories; a++)
        ready[a] = floor;
    for (int32_t i = g->pred_at[task]; i < g->pred_at[task + 1]; i++) {
        const tgs_i_done *u = &s->done[g->pred[i]];
        const int32_t datum = g->pred_datum[i];

        if (datum >= 0)
            arrive(v, ready, u->end, g->datum[datum].bytes, u->memory);
        else if (u->end > floor)
            floor = u->end;
    }
    for (int32_t i = g->access_at[task]; s->initial && i < g->access_at[task + 1]; i++) {
        const tgs_access *x = &g->access[i];

        if ((x->mode & TGS_R) && x->version < 0 && v->home[x->datum] >= 0)
            arrive(v, ready, 0, g->datum[x->datum].bytes, v->home[x->datum]);
    }
    for (int32_t a = 0; a < v->memories; a++)
        ready[a] = floor > ready[a] ? floor : ready[a];
}

double tgs_i_list_arrival(const tgs_i_list *s, int32_t task, int32_t memory)
{
    const tgs_view *v = s->v;
    const tgs_graph_view *g = v->g;
    const tgs_constraint *k = constraint(v, task);
    double ready = k ? k->release : 0;

    for (int32_t i = g->pred_at[task]; i < g->pred_at[task + 1]; i++) {
        const tgs_i_done *u = &s->done[g->pred[i]];
        const double x = u->end + tgs_c(v, g->pred_datum[i], u->memory, memory);

        ready = x > ready ? x : ready;
    }
    for (int32_t i = g->access_at[task]; s->initial && i < g->access_at[task + 1]; i++) {
        const tgs_access *x = &g->access[i];
        const double c = (x->mode & TGS_R) && x->version < 0 && v->home[x->datum] >= 0
                             ? tgs_c(v, (int32_t)x->datum, v->home[x->datum], memory)
                             : 0;

        ready = c > ready ? c : ready;
    }
    return ready;
}

/* the members of a group follow the first of them */
static bool group_may(const tgs_i_list *s, int32_t group, int32_t memory)
{
    return group < 0 || s->group_memory[group] < 0 || s->group_memory[group] == memory;
}

bool tgs_i_list_may(const tgs_i_list *s, int32_t task, int32_t proc)
{
    return tgs_allowed(s->v, task, proc)
           && group_may(s, group_of(s, task), s->v->p->proc[proc].memory);
}

static double key_of(const tgs_i_list *s, double start, double w, double bias, int32_t proc)
{
    switch (s->rule.key) {
    case TGS_I_EST:
        return start;
    case TGS_I_EXEC:
        return w;
    case TGS_I_FREE:
        return s->line[proc].free;
    case TGS_I_EFT:
        break;
    }
    return start + w + bias;
}

/* Considers the processors [first, last).  The key at the data ready time is a lower bound on the
 * key, so a processor that cannot win is left before its gaps are searched. */
static void pick_among(const tgs_i_list *s, int32_t task, const double *ready, bool second,
                       int32_t first, int32_t last, tgs_i_pick *out)
{
    const tgs_view *v = s->v;
    const double *bias = s->rule.bias ? s->rule.bias + (int64_t)task * v->memories : NULL;
    const int32_t group = group_of(s, task);
    const bool bound = v->pin_proc || v->mem_mask;
    const tgs_proc *type = NULL; /* that w is for */
    double w = 0;

    *out = (tgs_i_pick){INFINITY, INFINITY, INFINITY, -1, -1};
    for (int32_t p = first; p < last; p++) {
        const int32_t memory = v->p->proc[p].memory;
        const double b = bias ? bias[memory] : 0;
        const double limit = second ? out->next_key : out->key;
        double start, key;

        if (!type || type->kind != v->p->proc[p].kind || type->speed != v->p->proc[p].speed) {
            type = &v->p->proc[p];
            w = v->time[(int64_t)task * v->kinds + type->kind] / type->speed;
        }
        if ((bound && !tgs_allowed(v, task, p)) || !(w < INFINITY) || !(ready[memory] < INFINITY)
            || !group_may(s, group, memory))
            continue;
        if (key_of(s, ready[memory], w, b, p) >= limit)
            continue;
        start = ready[memory] > s->line[p].free ? ready[memory] : s->line[p].free;
        if (s->rule.insert)
            start = tgs_i_timeline_find(&s->line[p], ready[memory], w);
        key = key_of(s, start, w, b, p);
        if (key < out->key) {
            out->next_key = out->key;
            out->next_proc = out->proc;
            out->start = start;
            out->key = key;
            out->proc = p;
        } else if (key < out->next_key) {
            out->next_key = key;
            out->next_proc = p;
        }
    }
}

void tgs_i_list_pick(const tgs_i_list *s, int32_t task, const double *ready, bool second,
                     tgs_i_pick *out)
{
    const int32_t prefer = s->rule.prefer ? s->rule.prefer[task] : -1;

    if (prefer >= 0) {
        pick_among(s, task, ready, second, prefer, prefer + 1, out);
        if (out->proc >= 0)
            return;
    }
    pick_among(s, task, ready, second, 0, s->v->m, out);
}

/* a long schedule can be given up, and tells how far it is */
static tgs_status tick(tgs_i_list *s, tgs_error *err)
{
    const tgs_ctx *c = s->c;

    if (++s->placed % 4096)
        return TGS_OK;
    if (c->progress)
        c->progress(c->user, (double)s->placed / s->v->n);
    if (c->stop && c->stop(c->user))
        return tgs_fail(err, TGS_ECANCELED, "stopped after %d of %d tasks", s->placed, s->v->n);
    return TGS_OK;
}

void tgs_i_list_settle(tgs_i_list *s, int32_t task, int32_t memory)
{
    const int32_t group = group_of(s, task);

    if (group >= 0)
        s->group_memory[group] = memory;
}

tgs_status tgs_i_list_place(tgs_i_list *s, int32_t task, int32_t proc, double start, tgs_error *err)
{
    const tgs_view *v = s->v;
    double end;

    if (proc < 0)
        return tgs_fail(err, TGS_EINFEASIBLE,
                        "task %d '%s': no processor may run it where its data can go", task,
                        tgs_task_name(v->g, task, TGS_ROOM));
    end = start + tgs_w(v, task, proc);
    if (tgs_i_timeline_book(&s->line[proc], start, end))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the gaps of processor %d", proc);
    s->done[task] = (tgs_i_done){end, proc, v->p->proc[proc].memory};
    s->plan->proc[task] = proc;
    s->plan->start[task] = start;
    tgs_i_list_settle(s, task, v->p->proc[proc].memory);
    return tick(s, err);
}

tgs_status tgs_i_choice(const tgs_ctx *c, const char *key, const char *choices, int32_t *out,
                        tgs_error *err)
{
    const char *text = tgs_arg_text(c->args, key);
    const size_t n = strlen(text);
    int32_t i = 0;

    for (const char *s = choices; *s; i++) {
        const size_t length = strcspn(s, "|");

        if (length == n && !memcmp(s, text, n)) {
            *out = i;
            return TGS_OK;
        }
        s += length + (s[length] == '|');
    }
    return tgs_fail(err, TGS_EINVAL, "%s=%s is none of %s", key, text, choices);
}
