/* layered.c -- layered accumulation: in each pass all micro-batches of a layer come before the next
 * layer, so that its parameters are gathered once for all of them.  Layers are the operators that
 * have parameters, in their order, and in the backward pass from the end. */
#include "zero.h"

tgs_status tgs_i_zero_layers(tgs_i_zero *z)
{
    tgs_lowering *l = z->l;
    const int32_t ops = l->m->ops, all = z->batches;
    const int64_t buckets = (int64_t)z->replicas * ops * all * 2;
    int32_t *first = tgs_mem_alloc((size_t)buckets, sizeof *first);
    int32_t *next = tgs_mem_alloc((size_t)l->tasks, sizeof *next);
    bool *layer = tgs_mem_alloc((size_t)ops, sizeof *layer);
    const int64_t tasks = l->tasks;
    tgs_status status = first && next && layer ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0; i < buckets && !status; i++)
        first[i] = -1;
    for (int64_t i = tasks - 1; i >= 0 && !status; i--) {
        const tgs_low_task *t = &l->task[i];
        int64_t at;

        if (t->op < 0 || t->replica < 0 || t->batch < 0)
            continue;
        at = (((int64_t)t->replica * ops + t->op) * all + t->batch) * 2
             + (t->phase == TGS_PHASE_BACKWARD);
        next[i] = first[at];
        first[at] = (int32_t)i;
        for (int32_t k = 0; k < l->m->op[t->op].inputs; k++) {
            const int32_t in = l->m->op[t->op].input[k];

            layer[t->op] |= in >= 0 && l->m->tensor[in].role == TGS_ROLE_PARAMETER;
        }
    }
    for (int32_t r = 0; r < z->replicas && !status; r++)
        for (int back = 0; back < 2 && !status; back++) {
            int32_t before = -1;

            for (int32_t k = 0; k < ops && !status; k++) {
                const int32_t op = l->m->order[back ? ops - 1 - k : k];
                const int64_t to = ((int64_t)r * ops + op) * all * 2 + back;

                if (!layer[op])
                    continue;
                for (int32_t b = 0; b < all && before >= 0; b++)
                    for (int32_t u = first[(((int64_t)r * ops + before) * all + b) * 2 + back];
                         u >= 0; u = next[u])
                        for (int32_t v = first[to]; v >= 0 && !status; v = next[v])
                            status = tgs_low_add_after(l, u, v);
                before = op;
            }
        }
    tgs_mem_free(first);
    tgs_mem_free(next);
    tgs_mem_free(layer);
    return status;
}
