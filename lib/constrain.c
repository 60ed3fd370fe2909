/* constrain.c -- a graph being written: attributes and constraints of its tasks. */
#include <stdlib.h>
#include <string.h>
#include "builder.h"

static const char *task_name(const tgs_builder *b, int32_t task)
{
    return b->arena.text + b->task[task].name;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* the offset of attributes in their canonical form, -1 on failure */
static int32_t canonical(tgs_builder *b, int32_t task, const char *attrs)
{
    char *text = tgs_mem_text(attrs), *sorted = tgs_mem_alloc(strlen(attrs) + 1, 1);
    char *word[64], *cursor = text, *w;
    size_t words = 0;
    int32_t offset = -1;

    if (!text || !sorted) {
        tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
        goto done;
    }
    while ((w = tgs_word(&cursor))) {
        if (!strchr(w, '=') || *w == '=' || words == 64) {
            tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': attribute '%s' is not key=value",
                               task_name(b, task), w);
            goto done;
        }
        word[words++] = w;
    }
    qsort(word, words, sizeof *word, by_text);
    for (size_t i = 0; i < words; i++) {
        strcat(sorted, i ? " " : "");
        strcat(sorted, word[i]);
    }
    offset = tgs_i_builder_keep(b, sorted);
done:
    tgs_mem_free(sorted);
    tgs_mem_free(text);
    return offset;
}

tgs_status tgs_builder_task_attrs(tgs_builder *b, int32_t task, const char *attrs)
{
    int32_t offset, given;

    if (tgs_i_builder_bad_task(b, task))
        return b->first.status;
    offset = *attrs ? tgs_i_names_get(&b->attrs, &b->arena, attrs) : 0;
    if (offset < 0) { /* many tasks have the same: they are kept once */
        offset = canonical(b, task, attrs);
        if (offset < 0)
            return b->first.status;
        given = offset && !strcmp(b->arena.text + offset, attrs) ? offset
                                                                 : tgs_i_builder_keep(b, attrs);
        if (given < 0)
            return b->first.status;
        if (tgs_i_names_put(&b->attrs, &b->arena, given, offset))
            return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    }
    b->task[task].attrs = offset;
    return b->first.status;
}

/* the constraint of a task, made when first asked for; NULL on failure */
static tgs_constraint *constraint(tgs_builder *b, int32_t task)
{
    int32_t i = b->task[task].constraint;

    if (i < 0) {
        if (tgs_mem_grow(&b->constraint, &b->constraint_room, b->constraints + 1,
                         sizeof *b->constraint)) {
            tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
            return NULL;
        }
        i = b->task[task].constraint = (int32_t)b->constraints++;
        b->constraint[i] = (tgs_constraint){.kinds = UINT64_MAX, .deadline = INFINITY, .group = -1};
    }
    return &b->constraint[i];
}

/* "cpu,gpu" as a mask of kinds */
static tgs_status parse_kinds(tgs_builder *b, const char *value, uint64_t *mask)
{
    char *text = tgs_mem_text(value), *rest = text, *kind;

    if (!text)
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    *mask = 0;
    while (!b->first.status && (kind = strsep(&rest, ","))) {
        const int32_t k = tgs_i_builder_kind(b, kind);

        if (k >= 0)
            *mask |= (uint64_t)1 << k;
    }
    tgs_mem_free(text);
    return b->first.status;
}

tgs_status tgs_builder_task_constrain(tgs_builder *b, int32_t task, const char *key,
                                      const char *value)
{
    tgs_constraint *c, old;
    int64_t whole = 0;
    double real = 0;
    bool good = true;

    if (tgs_i_builder_bad_task(b, task) || !(c = constraint(b, task)))
        return b->first.status;
    old = *c;
    if (!strcmp(key, "kinds"))
        good = *value && !parse_kinds(b, value, &c->kinds);
    else if (!strcmp(key, "processor"))
        good = *value && (c->processor = tgs_i_builder_keep(b, value)) > 0;
    else if (!strcmp(key, "memory"))
        good = *value && (c->memory = tgs_i_builder_keep(b, value)) > 0;
    else if (!strcmp(key, "trust"))
        good = *value && (c->trust = tgs_i_builder_keep(b, value)) > 0;
    else if (!strcmp(key, "group") && (good = tgs_parse_count(value, INT32_MAX, &whole)))
        c->group = (int32_t)whole;
    else if (!strcmp(key, "job") && (good = tgs_parse_count(value, INT32_MAX, &whole)))
        c->job = (int32_t)whole;
    else if (!strcmp(key, "priority") && (good = tgs_parse_real(value, &real)))
        c->priority = real;
    else if (!strcmp(key, "release") && (good = tgs_parse_real(value, &real) && real >= 0))
        c->release = real;
    else if (!strcmp(key, "deadline") && (good = tgs_parse_real(value, &real) && real >= 0))
        c->deadline = real;
    else if (good)
        return tgs_i_builder_fail(b, TGS_EINVAL,
                                  "task '%s': no constraint '%s' (there are: kinds, group, "
                                  "processor, memory, priority, release, deadline, trust, job)",
                                  task_name(b, task), key);
    if (good)
        return TGS_OK;
    *c = old;
    return tgs_i_builder_fail(b, TGS_EINVAL, "task '%s': %s '%s' is malformed", task_name(b, task),
                              key, value);
}
