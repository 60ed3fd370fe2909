/* proposal.c -- what a planner answers: directives, what was decided of what, figures, notes. */
#include <stdarg.h>
#include <string.h>
#include "planner.h"

tgs_status tgs_i_proposal_new(tgs_proposal **out, const char *planner, const char *training,
                              const char *model, int32_t tasks, tgs_error *err)
{
    tgs_proposal *p = tgs_mem_alloc(1, sizeof *p);

    *out = NULL;
    if (p)
        p->pool = tgs_i_pool_new();
    if (!p || !p->pool)
        goto failed;
    p->planner = tgs_i_pool_text(p->pool, planner);
    p->training = tgs_i_pool_text(p->pool, training);
    p->model = tgs_i_pool_text(p->pool, model);
    p->strategy = tgs_mem_text("");
    p->strategy_room = 1;
    p->tasks = tasks;
    if (!p->planner || !p->training || !p->model || !p->strategy)
        goto failed;
    *out = p;
    return TGS_OK;
failed:
    tgs_proposal_free(p);
    return tgs_fail(err, TGS_ENOMEM, "out of memory");
}

void tgs_proposal_free(tgs_proposal *p)
{
    if (!p)
        return;
    tgs_mem_free(p->strategy);
    tgs_mem_free(p->row);
    tgs_mem_free(p->figure_name);
    tgs_mem_free(p->figure);
    tgs_mem_free(p->note);
    tgs_mem_free(p->place);
    tgs_mem_free((double *)p->evaluation.peak);
    tgs_i_pool_free(p->pool);
    tgs_mem_free(p);
}

/* ---- what planners say ---- */
static const char *text_of(tgs_proposal *p, const char *format, va_list args)
{
    va_list again;
    char *text;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = n < 0 ? NULL : tgs_i_pool_get(p->pool, (size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

tgs_status tgs_proposal_directive(tgs_proposal *p, const char *format, ...)
{
    const char *text;
    size_t size;
    va_list args;

    va_start(args, format);
    text = text_of(p, format, args);
    va_end(args);
    size = text ? strlen(text) : 0;
    if (!text
        || tgs_mem_grow(&p->strategy, &p->strategy_room, p->used + (int64_t)size + 2,
                        sizeof *p->strategy))
        return TGS_ENOMEM;
    for (size_t i = 0; i < size; i++) { /* a directive a line */
        const bool gap = text[i] == ' ' && i && text[i - 1] == ';';

        if (!gap)
            p->strategy[p->used++] = text[i] == ';' ? '\n' : text[i];
    }
    p->strategy[p->used++] = '\n';
    p->strategy[p->used] = 0;
    return TGS_OK;
}

tgs_status tgs_proposal_row(tgs_proposal *p, const char *item, const char *choice, double seconds,
                            double bytes)
{
    const tgs_proposal_line line = {tgs_i_pool_text(p->pool, item),
                                    tgs_i_pool_text(p->pool, choice), seconds, bytes};

    if (!line.item || !line.choice || p->rows == INT32_MAX
        || tgs_mem_grow(&p->row, &p->row_room, p->rows + 1, sizeof *p->row))
        return TGS_ENOMEM;
    p->row[p->rows++] = line;
    return TGS_OK;
}

static int64_t find_figure(const tgs_proposal *p, const char *name)
{
    for (int64_t i = 0; i < p->figures; i++)
        if (!strcmp(p->figure_name[i], name))
            return i;
    return -1;
}

tgs_status tgs_proposal_figure(tgs_proposal *p, const char *name, double value)
{
    const int64_t at = find_figure(p, name);
    const char *copy;

    if (at >= 0) { /* the last one counts */
        p->figure[at] = value;
        return TGS_OK;
    }
    copy = tgs_i_pool_text(p->pool, name);
    if (!copy || p->figures == INT32_MAX
        || tgs_mem_grow(&p->figure_name, &p->figure_name_room, p->figures + 1,
                        sizeof *p->figure_name)
        || tgs_mem_grow(&p->figure, &p->figure_room, p->figures + 1, sizeof *p->figure))
        return TGS_ENOMEM;
    p->figure_name[p->figures] = copy;
    p->figure[p->figures++] = value;
    return TGS_OK;
}

tgs_status tgs_proposal_note(tgs_proposal *p, const char *format, ...)
{
    const char *text;
    va_list args;

    va_start(args, format);
    text = text_of(p, format, args);
    va_end(args);
    if (!text || p->notes == INT32_MAX
        || tgs_mem_grow(&p->note, &p->note_room, p->notes + 1, sizeof *p->note))
        return TGS_ENOMEM;
    p->note[p->notes++] = text;
    return TGS_OK;
}

tgs_status tgs_proposal_place(tgs_proposal *p, int32_t task, int32_t processor)
{
    if (task < 0 || task >= p->tasks)
        return TGS_EINVAL;
    if (!p->place) {
        p->place = tgs_mem_alloc((size_t)p->tasks, sizeof *p->place);
        for (int32_t i = 0; p->place && i < p->tasks; i++)
            p->place[i] = -1;
    }
    if (!p->place)
        return TGS_ENOMEM;
    p->place[task] = processor;
    return TGS_OK;
}

tgs_status tgs_proposal_adopt(tgs_proposal *p, const tgs_proposal *other)
{
    tgs_status status = TGS_OK;

    for (const char *line = other->strategy; *line && !status; line += strcspn(line, "\n") + 1)
        status = tgs_proposal_directive(p, "%.*s", (int)strcspn(line, "\n"), line);
    for (int64_t i = 0; i < other->rows && !status; i++)
        status = tgs_proposal_row(p, other->row[i].item, other->row[i].choice,
                                  other->row[i].seconds, other->row[i].bytes);
    for (int64_t i = 0; i < other->figures && !status; i++)
        status = tgs_proposal_figure(p, other->figure_name[i], other->figure[i]);
    for (int64_t i = 0; i < other->notes && !status; i++)
        status = tgs_proposal_note(p, "%s", other->note[i]);
    for (int32_t i = 0; other->place && i < other->tasks && !status; i++)
        status = tgs_proposal_place(p, i, other->place[i]);
    return status;
}

/* ---- what users read ---- */
const char *tgs_proposal_planner(const tgs_proposal *p)
{
    return p->planner;
}

const char *tgs_proposal_strategy(const tgs_proposal *p)
{
    return p->strategy;
}

int tgs_proposal_evaluation(const tgs_proposal *p, tgs_evaluation *out)
{
    *out = p->evaluation;
    return p->evaluated;
}

double tgs_proposal_value(const tgs_proposal *p, const char *figure)
{
    const int64_t at = find_figure(p, figure);

    return at < 0 ? NAN : p->figure[at];
}

int tgs_proposal_figure_at(const tgs_proposal *p, int32_t i, const char **name, double *value)
{
    const bool there = i >= 0 && i < p->figures;

    *name = there ? p->figure_name[i] : NULL;
    *value = there ? p->figure[i] : NAN;
    return there;
}

int tgs_proposal_row_at(const tgs_proposal *p, int32_t i, tgs_proposal_line *out)
{
    const bool there = i >= 0 && i < p->rows;

    *out = there ? p->row[i] : (tgs_proposal_line){NULL, NULL, NAN, NAN};
    return there;
}

const char *tgs_proposal_note_at(const tgs_proposal *p, int32_t i)
{
    return i >= 0 && i < p->notes ? p->note[i] : NULL;
}

int32_t tgs_proposal_place_of(const tgs_proposal *p, int32_t task)
{
    return p->place && task >= 0 && task < p->tasks ? p->place[task] : -1;
}

tgs_status tgs_proposal_write(const tgs_proposal *p, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status;

    if (!*p->strategy && !p->evaluated)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s proposes no strategy of a training step",
                        p->planner);
    status = tgs_i_output_open(&o, path, err);
    if (status)
        return status;
    fprintf(o.file, "tgsched.strategy/1\n# of %s, by planner %s\n", p->model, p->planner);
    for (const char *s = p->training; *(s += strspn(s, " ;\n")); s += strcspn(s, ";\n"))
        fprintf(o.file, "%.*s\n", (int)strcspn(s, ";\n"), s); /* a directive a line */
    fputs(p->strategy, o.file);
    return tgs_i_output_close(&o, TGS_OK, err);
}
