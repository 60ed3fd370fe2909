/* measured.c -- predicted beside measured. */
#include "measured.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(columns) (int32_t)(sizeof(columns) / sizeof *(columns))

/* bytes moved in the last step */
static double last_bytes(const tgs_trace *t)
{
    double bytes = 0;

    for (int32_t i = 0; i < tgs_trace_transfers(t); i++) {
        tgs_transfer m;

        tgs_trace_transfer(t, i, &m);
        if (m.step == tgs_trace_steps(t) - 1)
            bytes += m.bytes;
    }
    return bytes;
}

void makespan_table(table *t, const traces *x)
{
    static const column columns[] = {
        {"what", "", CELL_TEXT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"ratio_planned", "to planned", CELL_REAL},
        {"ratio_bound", "to bound", CELL_REAL},
        {"bytes_moved", "bytes moved", CELL_BYTES},
        {"first_step_s", "first step", CELL_SECONDS},
    };
    const tgs_trace *const trace[] = {x->plan, x->resimulated, x->measured, x->policy};
    const char *const what[] = {"planned", "re-simulated", "measured", x->policy_name};
    const double planned = tgs_trace_makespan(x->plan);

    table_init(t, "makespans", columns, COUNT(columns));
    for (int i = 0; i < 4; i++) {
        const int32_t row = trace[i] ? table_row(t) : -1;

        if (row < 0)
            continue;
        table_text(t, row, "what", what[i]);
        table_real(t, row, "makespan_s", tgs_trace_makespan(trace[i]));
        if (planned > 0)
            table_real(t, row, "ratio_planned", tgs_trace_makespan(trace[i]) / planned);
        if (x->bound > 0 && i == 0) /* the bound is of the predicted times */
            table_real(t, row, "ratio_bound", tgs_trace_makespan(trace[i]) / x->bound);
        table_real(t, row, "bytes_moved", last_bytes(trace[i]));
        if (tgs_trace_steps(trace[i]) > 1) /* it prepares kernels and brings data where it stays */
            table_real(t, row, "first_step_s", tgs_trace_step(trace[i], 0));
    }
}

/* tasks of the last step on a processor */
static int32_t tasks_on(const tgs_trace *t, int32_t processor)
{
    int32_t n = 0;

    for (int32_t i = 0; i < tgs_trace_executions(t); i++) {
        tgs_execution e;

        tgs_trace_execution(t, i, &e);
        n += e.processor == processor && e.step == tgs_trace_steps(t) - 1;
    }
    return n;
}

int worker_table(table *t, const traces *x)
{
    static const column columns[] = {
        {"worker", "worker", CELL_TEXT},
        {"tasks", "tasks", CELL_COUNT},
        {"busy_planned_s", "busy planned", CELL_SECONDS},
        {"busy_measured_s", "measured", CELL_SECONDS},
        {"idle_planned_s", "idle planned", CELL_SECONDS},
        {"idle_measured_s", "measured", CELL_SECONDS},
    };
    const double planned = tgs_trace_makespan(x->plan), measured = tgs_trace_makespan(x->measured);

    table_init(t, "workers", columns, COUNT(columns));
    for (int32_t p = 0; p < tgs_trace_processors(x->measured); p++) {
        const int32_t row = table_row(t);

        table_text(t, row, "worker", tgs_trace_processor_name(x->measured, p));
        table_real(t, row, "tasks", tasks_on(x->measured, p));
        table_real(t, row, "busy_planned_s", tgs_trace_busy(x->plan, p));
        table_real(t, row, "busy_measured_s", tgs_trace_busy(x->measured, p));
        table_real(t, row, "idle_planned_s", planned - tgs_trace_busy(x->plan, p));
        table_real(t, row, "idle_measured_s", measured - tgs_trace_busy(x->measured, p));
    }
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

/* sums over the transfers of the last step, by datum (links NULL) or by pair of memories */
static double *sum_transfers(const tgs_trace *t, bool by_link, int32_t *count)
{
    const int32_t memories = tgs_trace_memories(t);
    double *sum;

    *count = by_link ? memories * memories : tgs_trace_data(t);
    sum = calloc((size_t)*count + 1, sizeof *sum);
    for (int32_t i = 0; sum && i < tgs_trace_transfers(t); i++) {
        tgs_transfer m;

        tgs_trace_transfer(t, i, &m);
        if (m.step == tgs_trace_steps(t) - 1)
            sum[by_link ? m.from * memories + m.to : m.datum] += m.bytes;
    }
    return sum;
}

int link_table(table *t, const traces *x)
{
    static const column columns[] = {
        {"from", "from", CELL_TEXT},
        {"to", "to", CELL_TEXT},
        {"bytes_planned", "bytes planned", CELL_BYTES},
        {"bytes_measured", "measured", CELL_BYTES},
    };
    const int32_t memories = tgs_trace_memories(x->plan);
    int32_t count;
    double *plan = sum_transfers(x->plan, true, &count);
    double *run = sum_transfers(x->measured, true, &count);

    table_init(t, "links", columns, COUNT(columns));
    for (int32_t i = 0; plan && run && i < count; i++)
        if (plan[i] > 0 || run[i] > 0) {
            const int32_t row = table_row(t);

            table_text(t, row, "from", tgs_trace_memory_name(x->plan, i / memories));
            table_text(t, row, "to", tgs_trace_memory_name(x->plan, i % memories));
            table_real(t, row, "bytes_planned", plan[i]);
            table_real(t, row, "bytes_measured", run[i]);
        }
    t->failed |= !plan || !run;
    free(plan);
    free(run);
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

/* the index of the largest value; -1 when none is left */
static int32_t largest(const double *value, int32_t count)
{
    int32_t best = -1;

    for (int32_t i = 0; i < count; i++)
        if (value[i] > 0 && (best < 0 || value[i] > value[best]))
            best = i;
    return best;
}

int datum_table(table *t, const traces *x, int32_t most)
{
    static const column columns[] = {
        {"datum", "datum", CELL_TEXT},
        {"bytes_planned", "bytes planned", CELL_BYTES},
        {"bytes_measured", "measured", CELL_BYTES},
    };
    int32_t count, i;
    double *plan = sum_transfers(x->plan, false, &count);
    double *run = sum_transfers(x->measured, false, &count);

    table_init(t, "data", columns, COUNT(columns));
    while (plan && run && most-- > 0 && (i = largest(run, count)) >= 0) {
        const int32_t row = table_row(t);
        const char *name = tgs_trace_datum_name(x->measured, i);
        char number[32];

        snprintf(number, sizeof number, "@%d", i);
        table_text(t, row, "datum", *name ? name : number);
        table_real(t, row, "bytes_planned", plan[i]);
        table_real(t, row, "bytes_measured", run[i]);
        run[i] = 0;
    }
    t->failed |= !plan || !run;
    free(plan);
    free(run);
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

int synthetic_table(table *t, const traces *x, const tgs_graph *g)
{
    static const column columns[] = {
        {"codelet", "synthetic codelet", CELL_TEXT},
        {"tasks", "tasks", CELL_COUNT},
        {"busy_s", "busy", CELL_SECONDS},
    };

    table_init(t, "synthetic", columns, COUNT(columns));
    for (int32_t i = 0; i < tgs_trace_executions(x->measured); i++) {
        const char *codelet;
        tgs_execution e;
        int32_t row = 0;

        tgs_trace_execution(x->measured, i, &e);
        if (!e.synthetic || e.step != tgs_trace_steps(x->measured) - 1)
            continue;
        codelet = tgs_graph_task_codelet(g, e.task);
        while (row < t->rows && strcmp(t->cell[row * t->columns].text, codelet))
            row++;
        if (row == t->rows) {
            row = table_row(t);
            table_text(t, row, "codelet", codelet);
            table_real(t, row, "tasks", 0);
            table_real(t, row, "busy_s", 0);
        }
        if (t->failed)
            break;
        t->cell[row * t->columns + 1].real++;
        t->cell[row * t->columns + 2].real += e.end - e.start;
    }
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}
