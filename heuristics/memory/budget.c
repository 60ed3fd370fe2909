/* budget.c -- ETF with a budget of bytes for each memory, and waiting for favourite children. */
#include "budget.h"

tgs_status tgs_i_budget_open(tgs_i_budget *b, const tgs_view *v, tgs_error *err)
{
    *b = (tgs_i_budget){.v = v};
    b->left = tgs_mem_alloc((size_t)v->memories, sizeof *b->left);
    b->bytes = tgs_mem_alloc((size_t)v->n, sizeof *b->bytes);
    b->last = tgs_mem_alloc((size_t)v->m, sizeof *b->last);
    b->placed = tgs_mem_alloc((size_t)v->n, sizeof *b->placed);
    if (!b->left || !b->bytes || !b->last || !b->placed) {
        tgs_i_budget_close(b);
        return tgs_fail(err, TGS_ENOMEM, "out of memory for what %d tasks take", v->n);
    }
    for (int32_t a = 0; a < v->memories; a++)
        b->left[a] = v->p->memory[a].capacity;
    for (int32_t p = 0; p < v->m; p++)
        b->last[p] = -1;
    for (int32_t j = 0; j < v->n; j++)
        for (int32_t i = v->g->access_at[j]; i < v->g->access_at[j + 1]; i++) {
            const tgs_access *x = &v->g->access[i];

            if (x->mode == TGS_W || (x->version < 0 && x->mode & TGS_R))
                b->bytes[j] += v->g->datum[x->datum].bytes;
        }
    return TGS_OK;
}

void tgs_i_budget_close(tgs_i_budget *b)
{
    tgs_mem_free(b->left);
    tgs_mem_free(b->bytes);
    tgs_mem_free(b->last);
    tgs_mem_free(b->child);
    tgs_mem_free(b->placed);
    *b = (tgs_i_budget){.v = NULL};
}

static bool like(const tgs_i_room_rule *rule, const tgs_i_rooms *r, int32_t task, int32_t memory)
{
    const tgs_i_budget *b = rule->user;

    (void)r;
    return b->bytes[task] <= b->left[memory];
}

static void placed(const tgs_i_room_rule *rule, int32_t task, int32_t proc)
{
    tgs_i_budget *b = rule->user;

    b->left[b->v->p->proc[proc].memory] -= b->bytes[task];
    b->last[proc] = task;
    b->placed[task] = true;
}

/* the data of a favourite child would take so long to get elsewhere */
static double away(const tgs_view *v, int32_t task, int32_t child)
{
    const tgs_graph_view *g = v->g;
    double c = 0;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (g->succ[k] == child)
            c = fmax(c, tgs_cbar(v, g->succ_datum[k]));
    return c;
}

static double wait(const tgs_i_room_rule *rule, const tgs_i_rooms *r, int32_t task, int32_t proc,
                   double start)
{
    const tgs_i_budget *b = rule->user;
    const int32_t last = b->last[proc], child = last < 0 ? -1 : b->child[last];

    if (child < 0 || child == task || b->placed[child])
        return 0;
    return fmax(0, r->list.done[last].end + away(b->v, last, child) - start);
}

tgs_status tgs_i_budget_run(tgs_i_budget *b, const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_i_room_rule rule = {
        .like = like, .placed = placed, .wait = b->child ? wait : NULL, .user = b};
    double *level;
    tgs_status status = tgs_i_rooms_levels(c->v, true, &level, err);

    if (!status)
        status = tgs_i_rooms_run(c, plan, &rule, NULL, level, false, err);
    tgs_mem_free(level);
    return status;
}
