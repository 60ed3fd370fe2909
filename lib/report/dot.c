/* dot.c -- the graph as it ran, for Graphviz: the last step, a cluster per processor, the critical
 * chain in red.  Arrows of the chain that no dependency explains are the order on a processor, and
 * dashed.  With a second trace each task has both times, and is dashed where it ran elsewhere. */
#include <string.h>
#include "core.h"

typedef struct drawing {
    FILE *to;
    tgs_i_step step, beside; /* beside.t NULL when there is one trace */
    tgs_i_palette palette;
    int32_t *next;  /* [tasks] the task behind it on the chain; -1 none; -2 not on it */
    int32_t *other; /* [tasks] its execution in beside; -1 none */
} drawing;

static void put_quoted(FILE *to, const char *text)
{
    tgs_i_put_text(to, text, 200, TGS_I_DOT);
}

static void put_times(FILE *to, const char *what, const tgs_i_step *s, const tgs_ran *r)
{
    char from[32], until[32];

    tgs_i_seconds(from, r->start - s->start);
    tgs_i_seconds(until, r->end - s->start);
    fprintf(to, "\\n%s%s - %s", what, from, until);
}

static void put_task(const drawing *d, const tgs_ran *r)
{
    const tgs_trace_view *t = d->step.t;
    const int32_t other = d->other[r->task];
    char room[16];

    fprintf(d->to, "    t%d [label=\"", (int)r->task);
    put_quoted(d->to, tgs_i_report_task(t, r->task, room));
    put_times(d->to, d->beside.t ? "run " : "", &d->step, r);
    if (other >= 0)
        put_times(d->to, "plan ", &d->beside, &d->beside.t->ran[other]);
    fprintf(d->to, "\", tooltip=\"");
    put_quoted(d->to, t->task_codelet[r->task]);
    fprintf(d->to, "\", fillcolor=\"%s\"", tgs_i_fill(&d->palette, t, r->task));
    if (d->next[r->task] != -2)
        fputs(", color=\"#cc2222\", penwidth=3", d->to);
    if (other >= 0 && d->beside.t->ran[other].proc != r->proc)
        fputs(", style=\"filled,dashed\"", d->to);
    fputs("];\n", d->to);
}

/* the executions of each processor, in their order; the second of a task in a step is a copy */
static void put_processors(const drawing *d, const int32_t *of_task)
{
    const tgs_trace_view *t = d->step.t;

    for (int32_t q = 0; q < t->procs; q++) {
        fprintf(d->to, "  subgraph cluster%d {\n    label=\"", (int)q);
        put_quoted(d->to, t->proc_name[q]);
        fputs("\";\n", d->to);
        for (int32_t i = d->step.ran_at; i < d->step.ran_end; i++)
            if (t->ran[i].proc == q && of_task[t->ran[i].task] == i)
                put_task(d, &t->ran[i]);
        fputs("  }\n", d->to);
    }
}

static void put_edges(const drawing *d, const int32_t *of_task)
{
    static const char red[] = "color=\"#cc2222\", penwidth=3";
    const tgs_trace_view *t = d->step.t;

    for (int32_t u = 0; u < t->tasks; u++) {
        bool explained = d->next[u] < 0;

        if (of_task[u] < 0)
            continue;
        for (int32_t e = t->edge_at ? t->edge_at[u] : 0; t->edge_at && e < t->edge_at[u + 1]; e++) {
            const bool chain = t->edge[e] == d->next[u];

            if (of_task[t->edge[e]] < 0)
                continue;
            explained |= chain;
            fprintf(d->to, "  t%d -> t%d%s%s%s;\n", (int)u, (int)t->edge[e], chain ? " [" : "",
                    chain ? red : "", chain ? "]" : "");
        }
        if (!explained)
            fprintf(d->to, "  t%d -> t%d [%s, style=dashed];\n", (int)u, (int)d->next[u], red);
    }
}

static tgs_status find_chain(drawing *d, tgs_error *err)
{
    int32_t *chain, count;
    const tgs_status status = tgs_i_chain_of(&chain, &count, &d->step, err);
    const tgs_ran *ran = d->step.t->ran;

    for (int32_t i = 0; i < d->step.t->tasks; i++)
        d->next[i] = -2;
    for (int32_t i = 0; !status && i < count; i++)
        d->next[ran[chain[i]].task] = i + 1 < count ? ran[chain[i + 1]].task : -1;
    tgs_mem_free(chain);
    return status;
}

static void find_tasks(const tgs_i_step *s, int32_t tasks, int32_t *of_task)
{
    for (int32_t i = 0; i < tasks; i++)
        of_task[i] = -1;
    for (int32_t i = s->ran_end - 1; s->t && i >= s->ran_at; i--)
        of_task[s->t->ran[i].task] = i;
}

static void put_all(const drawing *d, const int32_t *of_task)
{
    char length[32];

    fputs("digraph trace {\n  label=\"", d->to);
    put_quoted(d->to, d->step.t->title);
    fprintf(d->to, "\\n%s\";\n", tgs_i_seconds(length, d->step.end - d->step.start));
    fputs("  labelloc=t; rankdir=LR; compound=true; fontname=\"Helvetica\"; color=\"#8c959f\";\n"
          "  node [shape=box, style=filled, fontname=\"Helvetica\", color=\"#57606a\"];\n"
          "  edge [color=\"#8c959f\"];\n",
          d->to);
    put_processors(d, of_task);
    put_edges(d, of_task);
    fputs("}\n", d->to);
}

static tgs_status write_dot(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                            tgs_error *err)
{
    drawing d = {.to = to};
    int32_t *of_task = NULL;
    tgs_status status = tgs_i_comparable(t, other, err);

    if (status)
        return status;
    tgs_i_step_last(&d.step, t);
    if (other)
        tgs_i_step_last(&d.beside, other);
    status = tgs_i_palette_of(&d.palette, t, err);
    if (status)
        return status;
    d.next = tgs_mem_alloc((size_t)t->tasks, sizeof *d.next);
    d.other = tgs_mem_alloc((size_t)t->tasks, sizeof *d.other);
    of_task = tgs_mem_alloc((size_t)t->tasks, sizeof *of_task);
    if (d.next && d.other && of_task) {
        find_tasks(&d.step, t->tasks, of_task);
        find_tasks(&d.beside, t->tasks, d.other);
        status = find_chain(&d, err);
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    if (!status)
        put_all(&d, of_task);
    tgs_mem_free(d.next);
    tgs_mem_free(d.other);
    tgs_mem_free(of_task);
    tgs_i_palette_free(&d.palette);
    return status;
}

const tgs_report_plugin tgs_report_dot = {
    .base = {TGS_PLUGIN_ABI, "dot", "the graph as it ran, for Graphviz", NULL, NULL},
    .suffix = ".dot",
    .write = write_dot,
};
