/* modelopaque.c -- operators of which only sizes are known, and what the user is told of a model.
 */
#include <stdarg.h>
#include <string.h>
#include "modelimpl.h"

enum { SENTENCES = 3 }; /* at most so many are kept, besides that of the operators */

struct tgs_i_remarks {
    tgs_i_arena arena;
    tgs_i_names names;
    int32_t count;
    int32_t at[SENTENCES]; /* in the arena */
};

tgs_status tgs_model_hint(tgs_model_builder *b, int32_t tensor, tgs_dtype dtype, int32_t rank,
                          const int64_t *dims)
{
    tgs_i_hint h = {dtype, true, rank, NULL};

    if (b->status)
        return b->status;
    if (tensor < 0 || tensor >= b->m->v.tensors || rank < -1 || rank > TGS_MODEL_RANK)
        return tgs_i_model_fail(b, TGS_EINVAL, "there is no tensor %d", (int)tensor);
    if (rank > 0 && !(h.dim = tgs_i_pool_copy(b->m->pool, dims, (size_t)rank * sizeof *dims)))
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    b->hint[tensor] = h;
    return TGS_OK;
}

static tgs_status no_memory(tgs_model_builder *b)
{
    return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
}

static tgs_status keep(tgs_model_builder *b, struct tgs_i_remarks *r, const char *text)
{
    if (tgs_i_names_get(&r->names, &r->arena, text) >= 0)
        return TGS_OK;
    if (r->count < SENTENCES) {
        const int32_t at = tgs_i_arena_add(&r->arena, text);

        if (at < 0 || tgs_i_names_put(&r->names, &r->arena, at, r->count))
            return no_memory(b);
        r->at[r->count] = at;
    }
    r->count++;
    return TGS_OK;
}

tgs_status tgs_model_remark(tgs_model_builder *b, const char *format, ...)
{
    va_list args, again;
    char *text;
    int size;
    tgs_status status;

    if (!b->remarks && !(b->remarks = tgs_mem_alloc(1, sizeof *b->remarks)))
        return no_memory(b);
    va_start(args, format);
    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    text = size < 0 ? NULL : tgs_mem_alloc((size_t)size + 1, 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(args);
    status = text ? keep(b, b->remarks, text) : no_memory(b);
    tgs_mem_free(text);
    return status;
}

void tgs_i_remarks_free(struct tgs_i_remarks *r)
{
    if (!r)
        return;
    tgs_i_arena_free(&r->arena);
    tgs_i_names_free(&r->names);
    tgs_mem_free(r);
}

/* ---- opaque operators ---------------------------------------------------------------------- */
/* Where the file does not say the shape: that of the first input, as most operators would have it.
 */
static tgs_status guess(tgs_model_builder *b, const tgs_op *op, int32_t output)
{
    const tgs_i_hint *h = &b->hint[output];
    const tgs_tensor *x = NULL;
    int64_t dim[TGS_MODEL_RANK];
    int32_t rank = h->rank;

    for (int32_t i = 0; i < op->inputs && !x; i++)
        if (op->input[i] >= 0 && b->m->tensor[op->input[i]].rank >= 0)
            x = &b->m->tensor[op->input[i]];
    if (rank < 0)
        rank = x ? x->rank : 0;
    for (int32_t i = 0; i < rank; i++) {
        dim[i] = x && x->rank == rank ? x->dim[i] : 1;
        if (h->rank >= 0 && h->dim[i] >= 0)
            dim[i] = h->dim[i];
    }
    b->told[output] |= TGS_I_IS_GUESS;
    return tgs_model_shape(b, output, h->typed ? h->dtype : x ? x->dtype : TGS_F32, rank, dim);
}

tgs_status tgs_i_model_opaque(tgs_model_builder *b, tgs_op *op)
{
    tgs_status status = TGS_OK;

    op->rule = tgs_i_model_rule("tgsched.Layer");
    op->opaque = strcmp(op->type, "tgsched.Layer") != 0;
    for (int32_t i = 0; i < op->outputs && !status; i++)
        if (op->output[i] >= 0 && b->m->tensor[op->output[i]].rank < 0) {
            const char *name = b->m->tensor[op->output[i]].name;

            status = guess(b, op, op->output[i]);
            if (!status && b->m->tensor[op->output[i]].uses)
                status =
                    tgs_model_remark(b,
                                     "the shape of '%.200s', which node '%.200s' (%.60s) makes,"
                                     " is a guess (--bind %.200s.0=N,... says it)",
                                     name, op->name, op->type, name);
        }
    b->m->v.opaque += op->opaque;
    return status;
}

/* ---- the note ------------------------------------------------------------------------------ */
typedef struct kind {
    const char *type, *name; /* and the first operator of it */
    int32_t count;
} kind;

enum { KINDS = 16 };

/* "Foo (3, the first is 'x'), Bar ('y')" */
static void say_opaque(const tgs_model *m, char *text, size_t size)
{
    kind k[KINDS] = {{0}};
    int32_t kinds = 0, others = 0;
    size_t used;

    for (int32_t i = 0; i < m->v.ops; i++) {
        const tgs_op *op = &m->op[m->order[i]];
        int32_t j = 0;

        if (!op->opaque)
            continue;
        while (j < kinds && strcmp(k[j].type, op->type))
            j++;
        if (j == KINDS) {
            others++;
            continue;
        }
        if (j == kinds)
            k[kinds++] = (kind){op->type, op->name, 0};
        k[j].count++;
    }
    used = (size_t)snprintf(text, size, "only the bytes are known of");
    for (int32_t j = 0; j < kinds && used < size; j++)
        used +=
            (size_t)(k[j].count > 1
                         ? snprintf(text + used, size - used, "%s %d %.60s (the first is '%.100s')",
                                    j ? "," : "", (int)k[j].count, k[j].type, k[j].name)
                         : snprintf(text + used, size - used, "%s %.60s ('%.100s')", j ? "," : "",
                                    k[j].type, k[j].name));
    if (others && used < size)
        snprintf(text + used, size - used, " and %d of other types", (int)others);
}

tgs_status tgs_i_model_close_remarks(tgs_model_builder *b)
{
    const struct tgs_i_remarks *r = b->remarks;
    tgs_model *m = b->m;
    size_t size = 4096, used = 0;
    char *text;

    if (!m->v.opaque && !r)
        return TGS_OK;
    for (int32_t i = 0; r && i < r->count && i < SENTENCES; i++)
        size += strlen(r->arena.text + r->at[i]) + 2;
    text = tgs_i_pool_get(m->pool, size);
    if (!text)
        return no_memory(b);
    if (m->v.opaque) {
        say_opaque(m, text, 3900);
        used = strlen(text);
    }
    for (int32_t i = 0; r && i < r->count && i < SENTENCES; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "",
                                 r->arena.text + r->at[i]);
    if (r && r->count > SENTENCES)
        snprintf(text + used, size - used, "; and %d more notes", (int)(r->count - SENTENCES));
    for (char *c = text; *c; c++) /* names are the file's: no control character gets out */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    m->v.note = text;
    return TGS_OK;
}
