/* twins.c -- the models of one architecture within a model: its parts that share nothing but
 * constants, matched operand by operand from their outputs backwards.  O(operands x parts). */
#include <string.h>
#include "core.h"

static int32_t root(int32_t *of, int32_t i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

/* part[tensor]: a tensor that stands for its part */
static void connect(const tgs_model_view *m, int32_t *of)
{
    for (int32_t t = 0; t < m->tensors; t++)
        of[t] = t;
    for (int32_t i = 0; i < m->ops; i++) {
        const tgs_op *o = &m->op[i];
        int32_t first = -1;

        for (int32_t j = 0; j < o->inputs + o->outputs; j++) {
            const int32_t t = j < o->inputs ? o->input[j] : o->output[j - o->inputs];

            if (t < 0 || m->tensor[t].role == TGS_ROLE_CONSTANT)
                continue;
            if (first >= 0)
                of[root(of, t)] = root(of, first);
            first = t;
        }
    }
}

static tgs_status differ(const tgs_i_twins *w, int32_t a, int32_t b, const char *what,
                         tgs_error *err)
{
    return tgs_fail(err, TGS_ENOTAPPLICABLE,
                    "merge-models: '%.120s' and '%.120s' differ in their %s: the models are not of "
                    "one architecture",
                    w->m->tensor[a].name, w->m->tensor[b].name, what);
}

static bool equal_values(const tgs_tensor *a, const tgs_tensor *b)
{
    const size_t n = (size_t)tgs_elements(a);

    if (!a->value != !b->value || !a->real != !b->real)
        return false;
    return (!a->value || !memcmp(a->value, b->value, n * sizeof *a->value))
           && (!a->real || !memcmp(a->real, b->real, n * sizeof *a->real));
}

/* tensor b of another part takes the place of a of the first; new: for the first time */
static tgs_status match(tgs_i_twins *w, int32_t *twin, int32_t a, int32_t b, bool *new,
                        tgs_error *err)
{
    const tgs_tensor *x = &w->m->tensor[a], *y = &w->m->tensor[b];

    *new = false;
    if (twin[a] == b)
        return TGS_OK;
    if (twin[a] >= 0)
        return differ(w, a, b, "wiring", err);
    if (x->dtype != y->dtype || x->rank != y->rank
        || memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim))
        return differ(w, a, b, "shapes", err);
    if (x->role != y->role || (x->role == TGS_ROLE_CONSTANT && !equal_values(x, y)))
        return differ(w, a, b, "roles or values", err);
    twin[a] = b;
    *new = true;
    return TGS_OK;
}

static tgs_status match_ops(tgs_i_twins *w, int32_t *twin, int32_t a, int32_t b, int32_t *stack,
                            int32_t *depth, tgs_error *err)
{
    const tgs_op *x = &w->m->op[w->m->tensor[a].producer], *y = &w->m->op[w->m->tensor[b].producer];
    tgs_status status = TGS_OK;

    if (strcmp(x->type, y->type) || strcmp(x->attrs, y->attrs) || x->inputs != y->inputs
        || x->outputs != y->outputs || x->folded != y->folded)
        return differ(w, a, b, "operators", err);
    for (int32_t j = 0; j < x->inputs + x->outputs && !status; j++) {
        const int32_t s = j < x->inputs ? x->input[j] : x->output[j - x->inputs];
        const int32_t t = j < x->inputs ? y->input[j] : y->output[j - x->inputs];
        bool new;

        if (s < 0 && t < 0)
            continue;
        if (s < 0 || t < 0)
            return differ(w, a, b, "operands", err);
        status = match(w, twin, s, t, &new, err);
        if (!status && new &&j < x->inputs)
            stack[(*depth)++] = s;
    }
    return status;
}

/* everything that the outputs of this part need */
static tgs_status match_part(tgs_i_twins *w, int32_t *twin, const int32_t *output, int32_t *stack,
                             tgs_error *err)
{
    tgs_status status = TGS_OK;
    int32_t depth = 0;

    for (int32_t k = 0; k < w->outputs && !status; k++) {
        bool new;

        status = match(w, twin, w->output[k], output[k], &new, err);
        if (!status && new)
            stack[depth++] = w->output[k];
    }
    while (depth && !status) {
        const int32_t a = stack[--depth], b = twin[a];
        const int32_t p = w->m->tensor[a].producer, q = w->m->tensor[b].producer;

        if ((p < 0) != (q < 0))
            return differ(w, a, b, "operators", err);
        if (p >= 0 && w->m->tensor[a].role == TGS_ROLE_ACTIVATION)
            status = match_ops(w, twin, a, b, stack, &depth, err);
    }
    return status;
}

/* the outputs of each part in the order of the model's: as many parts as this finds */
static int32_t find_parts(const tgs_model_view *m, int32_t *of, int32_t *part, int32_t *number)
{
    int32_t parts = 0;

    memset(number, -1, (size_t)m->tensors * sizeof *number);
    for (int32_t k = 0; k < m->outputs; k++) {
        const int32_t r = root(of, m->output[k]);

        if (number[r] < 0)
            number[r] = parts++;
        part[k] = number[r];
    }
    return parts;
}

static tgs_status match_all(tgs_i_twins *w, const int32_t *part, int32_t *scratch, tgs_error *err)
{
    const tgs_model_view *m = w->m;
    int32_t *output = scratch, *stack = scratch + m->outputs;
    tgs_status status = TGS_OK;

    for (int32_t c = 0; c < w->copies && !status; c++) {
        int32_t count = 0;

        for (int32_t k = 0; k < m->outputs; k++)
            if (part[k] == (w->same ? 0 : c))
                output[count++] = m->output[k];
        if (!c) {
            memcpy(w->output, output, (size_t)count * sizeof *output);
            w->outputs = count;
        }
        if (count != w->outputs)
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "merge-models: one model has %d outputs, another %d", (int)w->outputs,
                            (int)count);
        status = match_part(w, w->twin + (int64_t)c * m->tensors, output, stack, err);
    }
    return status;
}

tgs_status tgs_i_twins_find(tgs_i_twins *w, const tgs_model_view *m, int32_t copies, tgs_error *err)
{
    const size_t n = (size_t)m->tensors;
    int32_t *of = tgs_mem_alloc(n, sizeof *of), *number = tgs_mem_alloc(n, sizeof *number);
    int32_t *part = tgs_mem_alloc((size_t)m->outputs, sizeof *part), parts = 0;
    int32_t *scratch = tgs_mem_alloc(2 * n + (size_t)m->outputs, sizeof *scratch);
    tgs_status status = TGS_OK;

    *w = (tgs_i_twins){.m = m, .output = tgs_mem_alloc((size_t)m->outputs, sizeof *w->output)};
    if (!of || !number || !part || !scratch || !w->output) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        goto done;
    }
    connect(m, of);
    parts = find_parts(m, of, part, number);
    w->copies = copies ? copies : parts;
    w->same = copies > 0;
    if (copies && parts > 1)
        status = tgs_fail(err, TGS_EINVAL,
                          "merge-models: there are %d models already, and copies of one are asked "
                          "for",
                          (int)parts);
    else if (w->copies < 2)
        status =
            tgs_fail(err, TGS_EINVAL, "merge-models: one model alone, and no number of copies");
    if (!status) {
        w->twin = tgs_mem_alloc(n * (size_t)w->copies, sizeof *w->twin);
        status = w->twin ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    if (!status) {
        memset(w->twin, -1, n * (size_t)w->copies * sizeof *w->twin);
        status = match_all(w, part, scratch, err);
    }
done:
    tgs_mem_free(of);
    tgs_mem_free(number);
    tgs_mem_free(part);
    tgs_mem_free(scratch);
    return status;
}

void tgs_i_twins_free(tgs_i_twins *w)
{
    tgs_mem_free(w->twin);
    tgs_mem_free(w->output);
}
