/* twobest.c -- the keys of the best and the second best processor of a task whose data lie
 * everywhere before any processor is idle.
 *
 * It starts when a processor is free, so that of the processors of a type (kind and speed) only the
 * two that are idle first can be best or second best: O(types) for a task instead of O(m), and O(m)
 * for a step. */
#include "core.h"

tgs_status tgs_i_two_open(tgs_i_two *x, const tgs_i_list *s, const tgs_i_pairs *rule)
{
    const tgs_view *v = s->v;
    const size_t m = (size_t)v->m;

    if (!rule->second || s->rule.key != TGS_I_EFT || s->rule.insert || s->rule.bias
        || s->rule.prefer || v->pin_proc || v->mem_mask || s->groups)
        return TGS_OK;
    x->of = tgs_mem_alloc(m, sizeof *x->of);
    x->first = tgs_mem_alloc(m, sizeof *x->first);
    x->free = tgs_mem_alloc(2 * m, sizeof *x->free);
    if (!x->of || !x->first || !x->free)
        return TGS_ENOMEM;
    x->types = tgs_i_types(v, x->of, x->first);
    return TGS_OK;
}

void tgs_i_two_close(tgs_i_two *x)
{
    tgs_mem_free(x->of);
    tgs_mem_free(x->first);
    tgs_mem_free(x->free);
}

void tgs_i_two_renew(tgs_i_two *x, const tgs_i_list *s)
{
    x->idle = INFINITY;
    for (int32_t t = 0; t < x->types; t++)
        x->free[2 * t] = x->free[2 * t + 1] = INFINITY;
    for (int32_t p = 0; p < s->v->m && x->types; p++) {
        double *free = x->free + 2 * x->of[p], at = s->line[p].free;

        x->idle = at < x->idle ? at : x->idle;
        if (at < free[0]) {
            free[1] = free[0];
            free[0] = at;
        } else if (at < free[1]) {
            free[1] = at;
        }
    }
}

void tgs_i_two_pick(const tgs_i_two *x, const tgs_view *v, int32_t task, tgs_i_pick *out)
{
    *out = (tgs_i_pick){INFINITY, INFINITY, INFINITY, -1, -1};
    for (int32_t t = 0; t < x->types; t++) {
        const double w = tgs_w(v, task, x->first[t]);

        for (int32_t i = 0; i < 2 && w < INFINITY; i++) {
            const double key = x->free[2 * t + i] + w;

            if (key < out->key) {
                out->next_key = out->key;
                out->key = key;
            } else if (key < out->next_key) {
                out->next_key = key;
            }
        }
    }
}
