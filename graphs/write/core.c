/* core.c -- what the graph writers share. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

void tgs_i_write_real(FILE *to, double x)
{
    char text[32];

    if (isnan(x)) {
        putc('-', to);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, to);
}

const char *tgs_i_write_name(const tgs_graph_view *g, int32_t task, char room[TGS_NAME_ROOM])
{
    if (g->task[task].name)
        return tgs_task_name(g, task, room);
    snprintf(room, TGS_NAME_ROOM, "@%" PRId32, task);
    return room;
}

static size_t leading(const tgs_graph_view *g, int32_t name, size_t most)
{
    const size_t n = strspn(tgs_text(g, name), "@");

    return n > most ? n : most;
}

tgs_status tgs_i_write_at(char **out, const tgs_graph_view *g, tgs_error *err)
{
    size_t most = 0;

    for (int32_t t = 0; t < g->tasks; t++)
        most = leading(g, g->task[t].name, most);
    for (int32_t d = 0; d < g->data; d++)
        most = leading(g, g->datum[d].name, most);
    *out = tgs_mem_alloc(most + 2, 1);
    if (!*out)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    memset(*out, '@', most + 1);
    return TGS_OK;
}

double tgs_i_write_seconds(const tgs_graph_view *g, int32_t task)
{
    const double *time = g->time ? g->time + (int64_t)task * g->kinds : NULL;
    double sum = 0;
    int32_t count = 0;

    if (!isnan(g->task[task].work))
        return g->task[task].work;
    for (int32_t k = 0; time && k < g->kinds; k++)
        if (!isnan(time[k])) {
            sum += time[k];
            count++;
        }
    return count ? sum / count : NAN;
}

tgs_status tgs_i_write_timed(const tgs_graph_view *g, const char *format, tgs_error *err)
{
    char room[TGS_NAME_ROOM];

    for (int32_t t = 0; t < g->tasks; t++)
        if (isnan(tgs_i_write_seconds(g, t)))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "%s needs a time of every task, and '%.80s' has none", format,
                            tgs_i_write_name(g, t, room));
    return TGS_OK;
}

tgs_status tgs_i_readers_open(tgs_i_readers *r, const tgs_graph_view *g, tgs_error *err)
{
    r->at = tgs_mem_alloc((size_t)g->accesses + 2, sizeof *r->at);
    r->task = tgs_mem_alloc((size_t)g->accesses, sizeof *r->task);
    if (!r->at || !r->task)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < g->accesses; i++)
        if ((g->access[i].mode & TGS_R) && g->access[i].version >= 0)
            r->at[g->access[i].version + 2]++;
    for (int32_t i = 0; i < g->accesses; i++)
        r->at[i + 2] += r->at[i + 1];
    for (int32_t t = 0; t < g->tasks; t++) /* at[i + 1] moves from the start of i to its end */
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            if ((g->access[i].mode & TGS_R) && g->access[i].version >= 0)
                r->task[r->at[g->access[i].version + 1]++] = t;
    return TGS_OK;
}

void tgs_i_readers_close(tgs_i_readers *r)
{
    tgs_mem_free(r->at);
    tgs_mem_free(r->task);
}
