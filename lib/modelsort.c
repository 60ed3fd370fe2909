/* modelsort.c -- who computes which tensor, who uses it, an order in which to compute,
 * and along which axes the samples of the inputs run. */
#include <string.h>
#include "modelimpl.h"
#include "tgsched/heap.h"

static bool is_given(const tgs_model_builder *b, int32_t t)
{
    return b->told[t] & (TGS_I_IS_INPUT | TGS_I_IS_STORED | TGS_I_IS_BUNDLE);
}

static tgs_status find_producers(tgs_model_builder *b, int32_t first)
{
    tgs_model *m = b->m;

    for (int32_t i = first; i < m->v.ops; i++)
        for (int32_t j = 0; j < m->op[i].outputs; j++) {
            const int32_t t = m->op[i].output[j];

            if (t < 0)
                continue;
            if (m->tensor[t].producer >= 0 || b->told[t] & (TGS_I_IS_INPUT | TGS_I_IS_STORED))
                return tgs_i_model_fail(b, TGS_EPARSE,
                                        "node '%s' (%s): tensor '%s' has a value already",
                                        m->op[i].name, m->op[i].type, m->tensor[t].name);
            m->tensor[t].producer = i;
        }
    for (int32_t i = first; i < m->v.ops; i++)
        for (int32_t j = 0; j < m->op[i].inputs; j++) {
            const int32_t t = m->op[i].input[j];

            if (t < 0)
                continue;
            if (m->tensor[t].producer < 0 && !is_given(b, t))
                return tgs_i_model_fail(b, TGS_EPARSE,
                                        "node '%s' (%s): nothing defines its input '%s'",
                                        m->op[i].name, m->op[i].type, m->tensor[t].name);
            m->tensor[t].uses++;
        }
    for (int32_t i = 0; i < m->v.outputs && !first; i++) {
        const int32_t t = m->output[i];

        if (m->tensor[t].producer < 0 && !is_given(b, t))
            return tgs_i_model_fail(b, TGS_EPARSE, "nothing defines the model's output '%s'",
                                    m->tensor[t].name);
        m->tensor[t].uses++;
    }
    return TGS_OK;
}

typedef struct users { /* CSR: the operators that use an operator's outputs, once per slot */
    int32_t first, n;  /* operators first to first + n - 1; indices below are less first */
    int32_t *at, *op, *missing;
    tgs_heap ready;
} users;

/* who among them makes input j of i; -1 nobody */
static int32_t maker(const tgs_model *m, const users *u, int32_t i, int32_t j)
{
    const int32_t t = m->op[u->first + i].input[j];
    const int32_t producer = t < 0 ? -1 : m->tensor[t].producer;

    return producer < u->first ? -1 : producer - u->first;
}

static void fill_users(const tgs_model *m, users *u)
{
    for (int32_t i = 0; i < u->n; i++)
        for (int32_t j = 0; j < m->op[u->first + i].inputs; j++) {
            const int32_t from = maker(m, u, i, j);

            if (from >= 0) {
                u->at[from + 1]++;
                u->missing[i]++;
            }
        }
    for (int32_t i = 0; i <= u->n; i++)
        u->at[i + 1] += u->at[i];
    for (int32_t i = u->n - 1; i >= 0; i--) /* from the back: at[] ends as the starts */
        for (int32_t j = 0; j < m->op[u->first + i].inputs; j++) {
            const int32_t from = maker(m, u, i, j);

            if (from >= 0)
                u->op[--u->at[from + 1]] = i;
        }
}

/* Kahn, the smallest index first: a file whose nodes are in order keeps it */
static int32_t sort(users *u, int32_t *order)
{
    int32_t done = 0;

    for (int32_t i = 0; i < u->n; i++)
        if (!u->missing[i])
            tgs_heap_push(&u->ready, 0, i);
    while (u->ready.size) {
        const int32_t i = tgs_heap_pop(&u->ready).id;

        order[done++] = u->first + i;
        for (int32_t k = u->at[i + 1]; k < u->at[i + 2]; k++)
            if (!--u->missing[u->op[k]])
                tgs_heap_push(&u->ready, 0, u->op[k]);
    }
    return done;
}

tgs_status tgs_i_model_sort(tgs_model_builder *b, int32_t first, int32_t *order)
{
    tgs_model *m = b->m;
    const size_t n = (size_t)(m->v.ops - first);
    users u = {.first = first, .n = m->v.ops - first};
    size_t slots = 0;
    tgs_status status = find_producers(b, first);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        slots += (size_t)m->op[(size_t)first + i].inputs;
    u.at = tgs_mem_alloc(n + 2, sizeof *u.at);
    u.op = tgs_mem_alloc(slots, sizeof *u.op);
    u.missing = tgs_mem_alloc(n, sizeof *u.missing);
    u.ready.item = tgs_mem_alloc(n, sizeof *u.ready.item);
    if (!u.at || !u.op || !u.missing || !u.ready.item)
        status = tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    else {
        fill_users(m, &u);
        if (sort(&u, order) < u.n)
            for (int32_t i = 0; i < u.n && !status; i++)
                if (u.missing[i])
                    status = tgs_i_model_fail(b, TGS_ECYCLE, "node '%s' (%s) is on a cycle",
                                              m->op[first + i].name, m->op[first + i].type);
    }
    tgs_mem_free(u.at);
    tgs_mem_free(u.op);
    tgs_mem_free(u.missing);
    tgs_mem_free(u.ready.item);
    return status;
}

/* of inputs that nobody told of: the first axis, where it is as long as that of the first input */
tgs_status tgs_i_model_find_samples(tgs_model_builder *b)
{
    tgs_model *m = b->m;
    int64_t batch = -1;

    for (int32_t i = 0; i < m->v.inputs; i++) {
        const tgs_tensor *t = &m->tensor[m->input[i]];

        if (t->samples > t->rank)
            return tgs_i_model_fail(b, TGS_EINVAL, "input '%s' has no axis %d", t->name,
                                    (int)t->samples - 1);
        if (t->samples)
            return TGS_OK;
    }
    for (int32_t i = 0; i < m->v.inputs; i++) {
        tgs_tensor *t = &m->tensor[m->input[i]];

        if (t->rank < 1 || t->dtype == TGS_BYTES)
            continue;
        if (batch < 0)
            batch = t->dim[0];
        if (t->dim[0] == batch)
            t->samples = 1;
    }
    return TGS_OK;
}

int64_t tgs_i_model_batch(const tgs_model_view *m)
{
    for (int32_t i = 0; i < m->inputs; i++) {
        const tgs_tensor *t = &m->tensor[m->input[i]];

        if (t->samples > 0)
            return t->dim[t->samples - 1];
    }
    return 0;
}
