/* schedwrite.c -- writes .tgs, the text form of a schedule; see tgsched-schedule(5). */
#include <inttypes.h>
#include "internal.h"

static void put_task(FILE *to, const tgs_graph_view *g, int32_t task)
{
    if (g->task[task].name)
        tgs_name_put(to, tgs_task_name(g, task, TGS_ROOM));
    else
        fprintf(to, "@%d", (int)task);
}

static void put_datum(FILE *to, const tgs_graph_view *g, int32_t datum)
{
    if (g->datum[datum].name)
        tgs_name_put(to, tgs_datum_name(g, datum, TGS_ROOM));
    else
        fprintf(to, "@%d", (int)datum);
}

static void put_header(FILE *to, const tgs_schedule *s)
{
    fprintf(to,
            "tgsched.schedule/1\nschedule graph=%016" PRIx64 " platform=%016" PRIx64 " tasks=%d",
            s->graph, s->platform, (int)s->v.tasks);
    fputs(" heuristic=", to);
    tgs_quote_put(to, s->v.heuristic);
    if (s->v.timed)
        fputs(" timed=1", to);
    if (!isnan(s->lower_bound))
        fprintf(to, " bound=%.17g", s->lower_bound);
    if (*s->note) {
        fputs(" note=", to);
        tgs_quote_put(to, s->note);
    }
    if (s->origin && *s->origin) {
        fputs(" origin=", to);
        tgs_quote_put(to, s->origin);
    }
    putc('\n', to);
}

static void put_places(FILE *to, const tgs_schedule_view *s, const tgs_view *v)
{
    for (int32_t p = 0; p < s->places; p++) {
        const tgs_place *x = &s->place[p];

        fputs("place ", to);
        put_task(to, v->g, x->task);
        putc(' ', to);
        tgs_name_put(to, v->p->proc[x->proc].name);
        fprintf(to, " %.17g %.17g\n", x->start, x->end);
    }
}

/* the task whose access a version is: access_at is sorted */
static int32_t writer(const tgs_graph_view *g, int32_t version)
{
    int32_t low = 0, high = g->tasks;

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;

        if (g->access_at[middle] <= version)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void put_moves(FILE *to, const tgs_schedule_view *s, const tgs_view *v)
{
    for (int32_t i = 0; i < s->moves; i++) {
        const tgs_move *m = &s->move[i];

        fputs("move ", to);
        put_datum(to, v->g, m->datum);
        putc(' ', to);
        tgs_name_put(to, v->p->memory[m->from].name);
        putc(' ', to);
        tgs_name_put(to, v->p->memory[m->to].name);
        fprintf(to, " %.17g %.17g", m->start, m->end);
        if (m->version >= 0) {
            fputs(" writer=", to);
            put_task(to, v->g, writer(v->g, m->version));
        }
        putc('\n', to);
    }
}

static void put_drops(FILE *to, const tgs_schedule_view *s, const tgs_view *v)
{
    for (int32_t i = 0; i < s->drops; i++) {
        const tgs_drop *d = &s->drop[i];

        fputs(d->memory < 0 ? "invalidate " : "evict ", to);
        put_datum(to, v->g, d->datum);
        if (d->memory >= 0) {
            putc(' ', to);
            tgs_name_put(to, v->p->memory[d->memory].name);
        }
        fprintf(to, " %.17g", d->time);
        if (d->version >= 0) {
            fputs(" writer=", to);
            put_task(to, v->g, writer(v->g, d->version));
        }
        putc('\n', to);
    }
}

tgs_status tgs_schedule_write(const tgs_schedule *s, const tgs_problem *pb, const char *path,
                              tgs_error *err)
{
    tgs_i_output o;
    tgs_status status;

    if (s->graph != tgs_graph_fingerprint(pb->graph) || s->platform != pb->platform->fingerprint)
        return tgs_fail(err, TGS_EINVAL, "the schedule is for another %s",
                        s->graph != tgs_graph_fingerprint(pb->graph) ? "graph" : "platform");
    status = tgs_i_output_open(&o, path, err);
    if (status)
        return status;
    put_header(o.file, s);
    put_places(o.file, &s->v, &pb->v);
    put_moves(o.file, &s->v, &pb->v);
    put_drops(o.file, &s->v, &pb->v);
    fputs("end\n", o.file);
    return tgs_i_output_close(&o, TGS_OK, err);
}
