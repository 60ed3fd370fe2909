/* study_known.c -- what the file of results holds already, and what is left to other shards. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "study.h"

/* ---- shards: whole groups where there are enough of them, else single cells */
static bool parse_shard(const char *text, int64_t *index, int64_t *count)
{
    char *end;

    errno = 0;
    *index = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : 0;
    if (*index < 1 || *end != '/' || end[1] < '0' || end[1] > '9')
        return false;
    *count = strtoll(end + 1, &end, 10);
    return !*end && !errno && *count >= *index;
}

int study_shard(const study *s, bool *mine)
{
    int64_t index = 1, count = 1;

    if (s->o->shard && !parse_shard(s->o->shard, &index, &count))
        return misuse(s->self, "--shard takes I/N with I from 1 to N, not '%s'", s->o->shard);
    for (int32_t i = 0; i < s->groups; i++) {
        const int64_t end = i + 1 < s->groups ? s->group[i + 1].cell : s->count;

        for (int64_t k = s->group[i].cell; k < end; k++)
            mine[k] = (s->groups >= count ? i : k) % count == index - 1;
    }
    return EXIT_OK;
}

/* ---- rows that are there */
/* rows of one array: those with the same key in the order of the array */
static int by_key(const void *a, const void *b)
{
    const outcome *x = *(outcome *const *)a, *y = *(outcome *const *)b;
    const int order = outcome_order(x, y);

    return order ? order : x < y ? -1 : x > y;
}

static outcome **sort_rows(outcomes *x, int64_t count)
{
    outcome **row = malloc(((size_t)count + 1) * sizeof *row);

    for (int64_t i = 0; row && i < count; i++)
        row[i] = &x->row[i];
    if (row)
        qsort(row, (size_t)count, sizeof *row, by_key);
    return row;
}

/* both are sorted; of several rows with one key the last counts, the others are forgotten */
static void match(const study *s, outcome **cell, outcomes *old, outcome **row, const bool *mine,
                  int64_t *before)
{
    int64_t c = 0;

    for (int64_t i = 0; i < old->count; i++) {
        if (i + 1 < old->count && !outcome_order(row[i], row[i + 1])) {
            row[i]->done = false;
            continue;
        }
        while (c < s->count && outcome_order(cell[c], row[i]) < 0)
            c++;
        row[i]->foreign =
            c == s->count || outcome_order(cell[c], row[i]) != 0 || !mine[cell[c] - s->cells.row];
        if (!row[i]->foreign)
            before[cell[c] - s->cells.row] = row[i] - old->row;
    }
}

int study_resume(study *s, outcomes *old, const bool *mine, int64_t *before)
{
    outcome **cell, **row;
    int code;

    for (int64_t i = 0; i < s->count; i++)
        before[i] = -1;
    if (!s->journal.path)
        return EXIT_OK;
    code = journal_open(&s->journal, s->journal.path, old);
    if (code)
        return code;
    cell = sort_rows(&s->cells, s->count);
    row = sort_rows(old, old->count);
    if (cell && row)
        match(s, cell, old, row, mine, before);
    else
        code = fail(TGS_ENOMEM, NULL);
    free(cell);
    free(row);
    return code;
}

int study_keep(study *s, outcomes *old)
{
    for (int64_t i = 0; i < old->count; i++) {
        outcome *to;

        if (!old->row[i].done || !old->row[i].foreign)
            continue;
        to = outcomes_add(&s->cells);
        if (!to)
            return fail(TGS_ENOMEM, NULL);
        *to = old->row[i];
        old->row[i].owned = NULL; /* it is to's now */
    }
    return EXIT_OK;
}
