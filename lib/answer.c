/* answer.c -- what a command that is a heuristic answers: lines `place TASK PROCESSOR START [END]`.
 *
 * A whole .tgs file is an answer too: its first two records and its last are passed over.  The end
 * of a place is what the problem says, so it is not looked at. */
#include <string.h>
#include "external.h"
#include "words.h"

typedef struct answer {
    tgs_source s;
    const tgs_view *v;
    tgs_plan *plan;
    tgs_error *err;
    tgs_i_plan_names name;
    int32_t placed;
} answer;

static tgs_status take_place(answer *x, char *rest)
{
    int32_t task, proc;
    double start, end;
    char *more;
    tgs_status status = tgs_i_word_name(&x->s, &rest, &x->name.task, &task, x->err);

    if (!status)
        status = tgs_i_word_name(&x->s, &rest, &x->name.proc, &proc, x->err);
    if (!status)
        status = tgs_i_word_real(&x->s, &rest, "the start", &start, x->err);
    if (status)
        return status;
    more = rest + strspn(rest, " \t");
    if (*more)
        status = tgs_i_word_real(&x->s, &rest, "the end", &end, x->err);
    if (!status)
        status = tgs_i_record_end(&x->s, rest, x->err);
    if (status)
        return status;
    if (x->plan->proc[task] >= 0)
        return tgs_plan_copy(x->plan, task, proc, start)
                   ? tgs_fail(x->err, TGS_ENOMEM, "out of memory for a copy of task %d", task)
                   : TGS_OK;
    x->plan->proc[task] = proc;
    x->plan->start[task] = start;
    x->placed++;
    return TGS_OK;
}

static bool frames(const char *word)
{
    return !strcmp(word, "tgsched.schedule/1") || !strcmp(word, "schedule") || !strcmp(word, "end");
}

static tgs_status take_lines(answer *x)
{
    char *word, *rest;
    int got;
    tgs_status status = TGS_OK;

    while (!status && (got = tgs_i_record_next(&x->s, &word, &rest, x->err)) != 0) {
        if (got < 0)
            status = (tgs_status)got;
        else if (!strcmp(word, "place"))
            status = take_place(x, rest);
        else if (!frames(word))
            status =
                tgs_source_fail(&x->s, x->err, "'%.80s' is not `place TASK PROCESSOR START`", word);
    }
    for (int32_t j = 0; !status && x->placed < x->v->n && j < x->v->n; j++)
        if (x->plan->proc[j] < 0)
            status =
                tgs_source_fail(&x->s, x->err, "%d of %d tasks are placed, task %d '%.80s' is not",
                                x->placed, x->v->n, j, tgs_task_name(x->v->g, j, TGS_ROOM));
    return status;
}

tgs_status tgs_i_command_parse(const tgs_view *v, const char *name, char *output, size_t size,
                               tgs_plan *plan, tgs_error *err)
{
    answer x = {.v = v, .plan = plan, .err = err, .s = {.path = name}};
    tgs_status status;

    if (!size)
        return tgs_fail(err, TGS_EPARSE, "%s: it wrote nothing", name);
    for (int32_t j = 0; j < v->n; j++)
        plan->proc[j] = -1;
    x.s.file = fmemopen(output, size, "r");
    if (!x.s.file)
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", name);
    status = tgs_i_plan_names_of(&x.name, v, err);
    if (!status)
        status = take_lines(&x);
    tgs_i_plan_names_free(&x.name);
    fclose(x.s.file);
    tgs_mem_free(x.s.text);
    return status;
}
