/* cmd_compare.c -- tgsched compare: heuristics on one problem, or an experiment on many. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "digest.h"
#include "noise.h"
#include "single.h"

/* ---- what is printed */
static int put_rows(const digest *d, FILE *to)
{
    results_put_header(to);
    for (int64_t i = 0; i < d->rows->count; i++)
        if (d->place[i] >= 0)
            results_put(to, &d->rows->row[i]);
    return EXIT_OK;
}

static int print_digest(const digest *d, const options *o, FILE *to)
{
    int code;

    if (o->csv)
        return put_rows(d, to);
    if (!o->json)
        return digest_people(d, to);
    fputs("{\"format\": \"tgsched.compare/1\", ", to);
    code = digest_json(d, to);
    fputs("}\n", to);
    return code;
}

static int write_page(const digest *d, const study *s, const char *path, const char *title)
{
    const char **names = calloc((size_t)d->instances + 1, sizeof *names);
    result r;
    int code = names ? result_open(&r, path) : fail(TGS_ENOMEM, NULL);

    for (int32_t i = 0, g = 0; s && names && i < d->instances; i++) { /* both are in order */
        while (g + 1 < s->groups && &s->cells.row[s->group[g + 1].cell] <= d->instance[i].first)
            g++;
        names[i] = s->group[g].names;
    }
    if (!code)
        code = result_close(&r, digest_html(d, title, names, r.file));
    free(names);
    return code;
}

/* s NULL: the rows come from files */
static int tell(outcomes *rows, const study *s, const char *sort, const options *o)
{
    const bool one = s && s->groups == 1 && s->group[0].seeds == 1;
    digest d;
    result r;
    int code = digest_open(&d, rows);

    if (!code)
        code = result_open(&r, results_file(o) ? NULL : o->output);
    if (!code)
        code =
            result_close(&r, one ? single_print(s, sort, o, r.file) : print_digest(&d, o, r.file));
    if (!code && o->page)
        code = write_page(&d, s, o->page, s ? s->group[0].graph : "results");
    digest_close(&d);
    return code;
}

/* ---- what is done */
static int run_study(const command *self, const options *o, const char *sort)
{
    study s;
    int64_t feasible = 0;
    int code = study_open(&s, self, o);

    if (!code)
        code = study_run(&s);
    if (!code)
        code = tell(&s.cells, &s, sort, o);
    for (int64_t i = 0; i < s.count && !code; i++)
        feasible += s.cells.row[i].makespan < INFINITY;
    code = study_close(&s, code);
    if (!code && !feasible && !o->shard) {
        warn("no heuristic found a feasible schedule");
        code = EXIT_INFEASIBLE;
    }
    return code;
}

static int by_problem(const void *a, const void *b)
{
    const outcome *x = a, *y = b;
    int order = strcmp(x->graph, y->graph);

    if (!order)
        order = strcmp(x->platform, y->platform);
    if (!order)
        order = strcmp(x->costs, y->costs);
    if (!order)
        order = strcmp(x->link, y->link);
    if (!order && x->problem != y->problem)
        order = x->problem < y->problem ? -1 : 1;
    if (!order)
        order = strcmp(x->heuristic, y->heuristic);
    if (!order)
        order = x->seed < y->seed ? -1 : x->seed > y->seed;
    return order;
}

/* two rows of the same names must be the same result */
static int drop_doubles(outcomes *rows, const command *self)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < rows->count; i++) {
        outcome *x = &rows->row[i], *before = kept ? &rows->row[kept - 1] : NULL;

        if (!before || outcome_order(before, x)) {
            const outcome moved = *x;

            rows->row[kept++] = moved;
            continue;
        }
        if (before->problem != x->problem
            || (before->makespan != x->makespan
                && !(isnan(before->makespan) && isnan(x->makespan)))) {
            misuse(self, "two different results of %s on %s, %s, seed %llu", x->heuristic, x->graph,
                   x->platform, (unsigned long long)x->seed);
            for (int64_t k = i; k < rows->count; k++)
                rows->row[kept++] = rows->row[k];
            rows->count = kept;
            return EXIT_MISUSE;
        }
        outcome_free(x);
    }
    rows->count = kept;
    return EXIT_OK;
}

static int by_names(const void *a, const void *b)
{
    const int order = outcome_order(a, b);

    return order ? order : by_problem(a, b);
}

static int merge(const command *self, const options *o, const char *sort)
{
    outcomes rows = {0};
    result r;
    int code = EXIT_OK;

    for (int i = 0; i < o->operands && !code; i++)
        code = results_read(&rows, o->operand[i], NULL);
    if (!code && rows.count) {
        qsort(rows.row, (size_t)rows.count, sizeof *rows.row, by_names);
        code = drop_doubles(&rows, self);
        qsort(rows.row, (size_t)rows.count, sizeof *rows.row, by_problem);
    }
    if (!code && results_file(o)) {
        code = result_open(&r, o->output);
        if (!code) {
            results_put_header(r.file);
            for (int64_t i = 0; i < rows.count; i++)
                results_put(r.file, &rows.row[i]);
            code = result_close(&r, code);
        }
    }
    if (!code)
        code = tell(&rows, NULL, sort, o);
    outcomes_free(&rows);
    return code;
}

/* ---- an experiment in a file: a line is the name of an option and its value, or a graph */
typedef struct script {
    options o;
    char **operand; /* [lines] */
    char *text;
} script;

static int take_line(script *x, const command *self, char *line)
{
    const size_t size = strcspn(line, " \t");
    char *value = line + size + strspn(line + size, " \t");

    line[size] = 0;
    if (strcmp(line, "graph") != 0)
        return options_set(&x->o, self, line, *value ? value : NULL);
    if (!*value)
        return misuse(self, "graph needs a value: FILE or gen:SPEC");
    x->operand[x->o.operands++] = value;
    return -1;
}

static int take_lines(script *x, const command *self, const char *path)
{
    char *rest = x->text, *line, where[512];
    int code = -1, number = 0;

    while (code < 0 && (line = strsep(&rest, "\n"))) {
        size_t size = strlen(line);

        while (size && strchr(" \t\r", line[size - 1]))
            line[--size] = 0;
        line += strspn(line, " \t");
        snprintf(where, sizeof where, "%s:%d", path, ++number);
        say_where(where);
        if (number == 1 && strcmp(line, "tgsched.experiment/1") != 0)
            code = misuse(self, "expected 'tgsched.experiment/1'");
        else if (number > 1 && *line && *line != '#')
            code = take_line(x, self, line);
    }
    say_where(NULL);
    if (code < 0 && !x->o.operands) {
        warn("%s: it names no graph", path);
        code = EXIT_FAILED;
    }
    return code;
}

static char *read_text(const char *path, int *lines)
{
    FILE *from = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    ssize_t size = from ? getdelim(&text, &room, 0, from) : -1;

    *lines = 1;
    if (!from || ferror(from)) {
        warn("%s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    } else if (size < 0) {
        free(text);
        text = strdup("");
    }
    for (const char *s = text; s && *s; s++)
        *lines += *s == '\n';
    if (from)
        fclose(from);
    return text;
}

/* options on the command line stand above those of the file */
static int open_script(script *x, const command *self, const options *given)
{
    int lines, code;

    options_init(&x->o);
    x->text = read_text(given->operand[0], &lines);
    if (!x->text)
        return EXIT_FAILED;
    x->operand = calloc((size_t)lines, sizeof *x->operand);
    if (!x->operand)
        return fail(TGS_ENOMEM, NULL);
    code = take_lines(x, self, given->operand[0]);
    if (code < 0) {
        const int graphs = x->o.operands;

        code = options_parse(&x->o, self, given->argc, given->argv);
        x->o.operand = x->operand;
        x->o.operands = graphs;
    }
    return code;
}

static int run(const command *self, const options *o)
{
    const size_t size = strlen(o->operand[0]);
    const options *with = o;
    const char *sort;
    script x = {0};
    int code = -1;

    if (o->operands == 1 && size > 4 && !strcmp(o->operand[0] + size - 4, ".exp")) {
        code = open_script(&x, self, o);
        with = &x.o;
    }
    sort = with->sort ? with->sort : "makespan";
    sort = !strcmp(sort, "makespan") ? "makespan_s"
           : !strcmp(sort, "bytes")  ? "bytes_moved"
           : !strcmp(sort, "peak")   ? "peak_bytes"
           : !strcmp(sort, "time")   ? "schedule_time_s"
                                     : NULL;
    if (code < 0 && !sort)
        code = misuse(self, "--sort is makespan, bytes, peak or time, not '%s'", with->sort);
    if (code < 0 && with->noise)
        code = noise_run(self, with);
    if (code < 0)
        code = with->merge ? merge(self, with, sort) : run_study(self, with, sort);
    free(x.operand);
    free(x.text);
    return code;
}

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"heuristic", 'a', OPT_MANY, "SPEC,...",
     "the heuristics, separated by commas, or all "
     "(default: all)",
     AT(heuristics)},
    {"seeds", 0, OPT_COUNT, "N",
     "every random choice with N seeds, from --seed on: a generated graph is another one for each",
     AT(seeds)},
    {"sort", 0, OPT_TEXT, "BY",
     "order of the rows: makespan, bytes, peak or time (default: makespan)", AT(sort)},
    {"html", 0, OPT_TEXT, "FILE",
     "write a page with performance profile, box plots and Gantt charts", AT(page)},
    {"jobs", 'j', OPT_COUNT, "N",
     "run N schedules at a time (default: OMP_NUM_THREADS, else every processor)", AT(jobs)},
    {"shard", 0, OPT_TEXT, "I/N", "only part I of N of the results, for an array of jobs",
     AT(shard)},
    {"noise", 0, OPT_COUNT, "N",
     "of one problem: play the schedules N times with the measured costs wrong by as much as their "
     "spreads allow, and show which decisions flip",
     AT(noise)},
    {"merge", 0, OPT_FLAG, NULL, "the arguments are files of results: show them together",
     AT(merge)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

const command cmd_compare = {
    "compare",
    "GRAPH...",
    "compare heuristics on graphs and machines",
    "Schedule GRAPH with several heuristics and print, best first, the makespan, its ratio to the "
    "lower bound, the bytes moved, the peak of each memory and the time that scheduling took. "
    "Under fifo and share the makespan is that of the simulator. "
    "With several graphs, --platform given several times, several models in --link or several "
    "--seeds every combination is done, on all cores, and what each heuristic is worth over all "
    "of them is shown: geometric means of its ratios, wins and ties, and how often it is within "
    "what of the best. A heuristic that fails is a row with the reason. An --output that ends in "
    ".csv keeps every result as soon as it is there, and is continued when it is there already. "
    "A GRAPH that ends in .exp is an experiment: its first line is 'tgsched.experiment/1', each "
    "other one 'graph GRAPH' or a long option and its value. "
    "Exit code 3: none found a feasible schedule.",
    1,
    ANY,
    {&own, &graph_options, &machine_options, &table_options},
    run,
};
