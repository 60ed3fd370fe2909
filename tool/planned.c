/* planned.c -- what a planner is given, and what it proposes, printed. */
#include "planned.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is planned */
static int open_operand(planned *x, const char *operand, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    const char *format, *yields = NULL;
    tgs_status status;

    if (!strncmp(operand, "gen:", 4)) {
        status = tgs_graph_generate(&x->graph, operand + 4, o->seed, &err);
        return status ? fail_spec(status, &err) : EXIT_OK;
    }
    status = o->from ? tgs_format_yields(o->from, &yields, &err)
                     : tgs_identify(operand, &format, &yields, &err);
    if (!status && !strcmp(yields, "model"))
        return open_model(&x->model[x->in.models++], operand, o);
    if (!status && !strcmp(yields, "graph")) {
        status = tgs_graph_read(&x->graph, operand, o->from, &err);
        if (!status && *tgs_graph_note(x->graph))
            warn("%s: %s", operand, tgs_graph_note(x->graph));
        return status ? fail(status, &err) : EXIT_OK;
    }
    if (status == TGS_EIO || x->in.file || o->from)
        return status ? fail(status, &err) : EXIT_FAILED;
    x->in.file = operand; /* perhaps of a planner's own kind: it says what it cannot read */
    return EXIT_OK;
}

static int describe_training(planned *x, const options *o)
{
    options training = *o;
    size_t size;
    FILE *to = open_memstream(&x->training, &size);
    bool bad = !to;

    training.train = true;
    if (to) {
        bad = describe_strategy(&training, to);
        bad |= fclose(to) != 0;
    }
    x->in.training = x->training;
    return bad ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

static int open_machine(planned *x, const command *c, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status = TGS_OK;
    int code;

    if (x->in.file && !o->platform && !o->costs)
        return EXIT_OK; /* which says all there is to say, most often */
    x->machine = o->platform ? o->platform : "host";
    code = open_platform(&x->platform, x->machine);
    if (!code && o->limits)
        code = limit_memories(&x->platform, o->limits, c);
    if (!code && o->costs)
        status = tgs_costs_open(&x->costs, o->costs, &err);
    x->in.platform = x->platform;
    x->in.costs = x->costs;
    return status ? fail(status, &err) : code;
}

/* what planners want less of */
static const char *const objectives[] = {"time", "energy", "edp"};

int planned_open(planned *x, const command *c, const options *o)
{
    int code = EXIT_OK;

    memset(x, 0, sizeof *x);
    for (const char *asked = o->objective ? o->objective : "time";
         strcmp(asked, objectives[x->in.objective]) != 0; x->in.objective++)
        if (x->in.objective == TGS_OBJECTIVE_EDP)
            return misuse(c, "no objective '%s' (there are: time, energy, edp)", asked);
    x->title = o->operand[0];
    x->in.batch = o->batch;
    x->in.seed = o->seed;
    for (int i = 0; i < o->operands && !code; i++) {
        if (x->graph)
            return misuse(c, "one graph, or models: not both");
        code = open_operand(x, o->operand[i], o);
    }
    x->in.model = (const tgs_model *const *)x->model;
    x->in.graph = x->graph;
    if (!code)
        code = describe_training(x, o);
    return code ? code : open_machine(x, c, o);
}

void planned_close(planned *x)
{
    for (int32_t i = 0; i < x->in.models; i++)
        tgs_model_free(x->model[i]);
    tgs_graph_free(x->graph);
    tgs_platform_free(x->platform);
    tgs_costs_free(x->costs);
    free(x->training);
    memset(x, 0, sizeof *x);
}

/* ---- what is proposed */
char *planned_strategy(const tgs_proposal *p)
{
    const char *s = tgs_proposal_strategy(p);
    char *text = malloc(2 * strlen(s) + 1), *to = text;

    for (; text && *s; s++)
        if (*s != '\n')
            *to++ = *s;
        else if (s[1])
            to = stpcpy(to, "; ");
    if (text)
        *to = 0;
    return text;
}

enum { OWN_FIGURES = 40 };
static const column first[] = {
    {"planner", "planner", CELL_TEXT},
    {"model", "model", CELL_TEXT},
    {"platform", "platform", CELL_TEXT},
    {"strategy", "strategy", CELL_TEXT},
    {"step_s", "simulated step", CELL_SECONDS},
    {"heuristic", "scheduled by", CELL_TEXT},
    {"estimate_s", "planner's estimate", CELL_SECONDS},
    {"samples_per_s", "samples per second", CELL_REAL},
    {"lower_bound_s", "lower bound", CELL_SECONDS},
    {"bytes_moved", "bytes moved", CELL_BYTES},
    {"energy_j", "energy (J)", CELL_REAL},
    {"edp_js", "energy x time (J s)", CELL_REAL},
    {"tasks", "tasks", CELL_COUNT},
};
enum { FIRST = sizeof first / sizeof *first };

static bool ends(const char *name, const char *tail)
{
    const size_t n = strlen(name), k = strlen(tail);

    return n > k && !strcmp(name + n - k, tail);
}

/* the planner's own figures follow those that all have */
static int32_t list_columns(const tgs_proposal *p, column *c)
{
    int32_t count = FIRST;
    const char *name;
    double value;

    memcpy(c, first, sizeof first);
    for (int32_t i = 0; count < FIRST + OWN_FIGURES && tgs_proposal_figure_at(p, i, &name, &value);
         i++) {
        bool there = false;

        for (int32_t k = 0; k < FIRST; k++)
            there |= !strcmp(first[k].key, name);
        if (!there)
            c[count++] = (column){name, name,
                                  ends(name, "_s") && !ends(name, "per_s") ? CELL_SECONDS
                                  : ends(name, "_bytes")                   ? CELL_BYTES
                                                                           : CELL_REAL};
    }
    return count;
}

static int fill_record(table *t, const planned *x, const tgs_proposal *p, const column *c,
                       int32_t columns)
{
    char *strategy = planned_strategy(p);
    tgs_evaluation e;
    const bool evaluated = tgs_proposal_evaluation(p, &e);

    table_init(t, "plan", c, columns);
    if (!strategy)
        return fail(TGS_ENOMEM, NULL);
    table_row(t);
    table_text(t, 0, "planner", tgs_proposal_planner(p));
    table_text(t, 0, "model", x->title);
    if (x->machine)
        table_text(t, 0, "platform", x->machine);
    if (*strategy || evaluated)
        table_text(t, 0, "strategy", *strategy ? strategy : "none: one device");
    table_real(t, 0, "estimate_s", tgs_proposal_value(p, "step_s"));
    table_real(t, 0, "samples_per_s", tgs_proposal_value(p, "samples_per_s"));
    table_real(t, 0, "energy_j", tgs_proposal_value(p, "energy_j"));
    for (int32_t i = FIRST; i < columns; i++)
        table_real(t, 0, c[i].key, tgs_proposal_value(p, c[i].key));
    if (evaluated) {
        table_real(t, 0, "step_s", e.step);
        table_text(t, 0, "heuristic", e.heuristic);
        table_real(t, 0, "lower_bound_s", e.bound);
        table_real(t, 0, "bytes_moved", e.moved);
        table_real(t, 0, "energy_j", e.energy);
        table_real(t, 0, "edp_js", tgs_evaluation_worth(&e, TGS_OBJECTIVE_EDP));
        table_real(t, 0, "tasks", e.tasks);
    }
    free(strategy);
    return EXIT_OK;
}

static void fill_rows(table *t, const tgs_proposal *p)
{
    static const column columns[] = {
        {"item", "item", CELL_TEXT},
        {"choice", "choice", CELL_TEXT},
        {"time_s", "time", CELL_SECONDS},
        {"size_bytes", "size", CELL_BYTES},
    };
    tgs_proposal_line line;

    table_init(t, "choices", columns, sizeof columns / sizeof *columns);
    for (int32_t i = 0; tgs_proposal_row_at(p, i, &line); i++) {
        const int32_t row = table_row(t);

        table_text(t, row, "item", line.item);
        table_text(t, row, "choice", line.choice);
        table_real(t, row, "time_s", line.seconds);
        table_real(t, row, "size_bytes", line.bytes);
    }
}

static void fill_memories(table *t, const planned *x, const tgs_proposal *p)
{
    static const column columns[] = {
        {"memory", "memory", CELL_TEXT},
        {"peak_bytes", "peak", CELL_BYTES},
        {"capacity_bytes", "capacity", CELL_BYTES},
    };
    tgs_evaluation e;
    const bool there = tgs_proposal_evaluation(p, &e);

    table_init(t, "memories", columns, sizeof columns / sizeof *columns);
    for (int32_t i = 0; there && i < tgs_platform_memories(x->platform); i++) {
        const int32_t row = table_row(t);
        const double capacity = tgs_platform_memory_capacity(x->platform, i);

        table_text(t, row, "memory", tgs_platform_memory_name(x->platform, i));
        table_real(t, row, "peak_bytes", e.peak[i]);
        table_real(t, row, "capacity_bytes", isinf(capacity) ? NAN : capacity);
    }
}

static void notes_json(const tgs_proposal *p, FILE *to)
{
    fputs("\"notes\": [", to);
    for (int32_t i = 0; tgs_proposal_note_at(p, i); i++) {
        if (i)
            fputs(", ", to);
        tgs_json_text(to, tgs_proposal_note_at(p, i));
    }
    putc(']', to);
}

static int print_people(const table *record, const table *t, const tgs_proposal *p, FILE *to)
{
    int code = EXIT_OK;

    record_people(record, to);
    for (int i = 0; i < 2 && !code; i++)
        if (t[i].rows) {
            putc('\n', to);
            code = table_people(&t[i], to);
        }
    for (int32_t i = 0; tgs_proposal_note_at(p, i); i++)
        fprintf(to, "%s%s\n", i ? "" : "\n", tgs_proposal_note_at(p, i));
    return code;
}

int planned_print(const planned *x, const tgs_proposal *p, const options *o, FILE *to)
{
    column columns[FIRST + OWN_FIGURES];
    table record, t[2];
    int code = fill_record(&record, x, p, columns, list_columns(p, columns));

    fill_rows(&t[0], p);
    fill_memories(&t[1], x, p);
    if (!code && (record.failed || t[0].failed || t[1].failed))
        code = fail(TGS_ENOMEM, NULL);
    if (!code && o->csv)
        code = table_csv(&record, to);
    else if (!code && o->json) {
        fputs("{\"format\": \"tgsched.plan/1\", ", to);
        record_json(&record, to);
        for (int i = 0; i < 2; i++) {
            fputs(", ", to);
            table_json(&t[i], to);
        }
        fputs(", ", to);
        notes_json(p, to);
        fputs("}\n", to);
    } else if (!code)
        code = print_people(&record, t, p, to);
    table_free(&record);
    table_free(&t[0]);
    table_free(&t[1]);
    return code;
}
