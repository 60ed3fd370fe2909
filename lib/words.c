/* words.c -- lines and words of the native files that the core reads. */
#include <string.h>
#include "words.h"

/* a comment begins at a word that begins with #, outside quotes */
static void cut_comment(char *text)
{
    bool quoted = false, blank = true;

    for (char *s = text; *s; s++) {
        if (*s == '#' && blank && !quoted) {
            *s = 0;
            return;
        }
        quoted ^= *s == '"';
        blank = *s == ' ' || *s == '\t';
    }
}

int tgs_i_record_next(tgs_source *s, char **word, char **rest, tgs_error *err)
{
    int got;

    *word = *rest = NULL;
    while ((got = tgs_source_next(s, err)) == 1) {
        cut_comment(s->text);
        *rest = s->text;
        *word = tgs_word(rest);
        if (*word)
            return 1;
    }
    return got;
}

tgs_status tgs_i_record_format(tgs_source *s, const char *format, tgs_error *err)
{
    char *word, *rest;
    const int got = tgs_i_record_next(s, &word, &rest, err);

    if (got < 0)
        return (tgs_status)got;
    if (!got || strcmp(word, format) != 0)
        return tgs_source_fail(s, err, "expected '%s'%s%.80s%s", format, got ? ", found '" : "",
                               got ? word : "", got ? "'" : ": the file is empty");
    return tgs_i_record_end(s, rest, err);
}

tgs_status tgs_i_word_real(const tgs_source *s, char **rest, const char *what, double *out,
                           tgs_error *err)
{
    const char *word = tgs_word(rest);

    if (!word)
        return tgs_source_fail(s, err, "%s is missing", what);
    if (!tgs_parse_real(word, out))
        return tgs_source_fail(s, err, "%s '%.80s' is not a finite number", what, word);
    return TGS_OK;
}

tgs_status tgs_i_record_end(const tgs_source *s, char *rest, tgs_error *err)
{
    const char *word = tgs_word(&rest);

    return word ? tgs_source_fail(s, err, "'%.80s' is too much on this line", word) : TGS_OK;
}

tgs_status tgs_i_text_name(const tgs_source *s, char *text, const tgs_i_index *x, int32_t *out,
                           tgs_error *err)
{
    if (*text == '@') {
        int64_t index;

        if (!tgs_parse_count(text + 1, x->count - 1, &index))
            return tgs_source_fail(s, err, "there is no %s '%.80s'", x->what, text);
        *out = (int32_t)index;
        return TGS_OK;
    }
    if (!tgs_name_take(text))
        return tgs_source_fail(s, err, "'%.80s' is not the name of a %s", text, x->what);
    *out = tgs_i_names_get(&x->names, x->arena, text);
    return *out < 0 ? tgs_source_fail(s, err, "there is no %s '%.80s'", x->what, text) : TGS_OK;
}

tgs_status tgs_i_word_name(const tgs_source *s, char **rest, const tgs_i_index *x, int32_t *out,
                           tgs_error *err)
{
    char *word = tgs_word(rest);

    return word ? tgs_i_text_name(s, word, x, out, err)
                : tgs_source_fail(s, err, "a %s is missing", x->what);
}

tgs_status tgs_i_record_last(tgs_source *s, bool ended, tgs_error *err)
{
    char *word, *rest;
    int got;

    if (!ended)
        return tgs_source_fail(s, err, "the file ends without 'end': it was cut off");
    got = tgs_i_record_next(s, &word, &rest, err);
    if (got < 0)
        return (tgs_status)got;
    return got ? tgs_source_fail(s, err, "'%.80s' after the end", word) : TGS_OK;
}

/* ---- tasks and processors ------------------------------------------------------------------- */
static tgs_status index_names(tgs_i_plan_names *x, const tgs_graph_view *g,
                              const tgs_platform_view *p)
{
    if (tgs_i_index_tasks(g, &x->tasks, &x->task.names) || tgs_i_arena_add(&x->procs, "") < 0)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < p->procs; i++) {
        const int32_t offset = tgs_i_arena_add(&x->procs, p->proc[i].name);

        if (offset < 0 || (offset && tgs_i_names_put(&x->proc.names, &x->procs, offset, i)))
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

tgs_status tgs_i_plan_names_of(tgs_i_plan_names *x, const tgs_view *v, tgs_error *err)
{
    *x = (tgs_i_plan_names){0};
    x->task = (tgs_i_index){.what = "task", .arena = &x->tasks, .count = v->g->tasks};
    x->proc = (tgs_i_index){.what = "processor", .arena = &x->procs, .count = v->p->procs};
    return index_names(x, v->g, v->p)
               ? tgs_fail(err, TGS_ENOMEM, "out of memory for %d names", (int)v->n)
               : TGS_OK;
}

void tgs_i_plan_names_free(tgs_i_plan_names *x)
{
    tgs_i_names_free(&x->task.names);
    tgs_i_names_free(&x->proc.names);
    tgs_i_arena_free(&x->tasks);
    tgs_i_arena_free(&x->procs);
}
