/* rounds.c -- run --policy LIST: each graph under every policy on the same measured costs, by
 * turns, so that a busy moment of the machine hits all alike; each is told its turn in a process of
 * its own. */
#include "rounds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "contender.h"
#include "table.h"

enum { ROUNDS = 15, REPEAT = 11, MOST = 64 };

typedef struct contest {
    const command *self;
    const options *o;
    char *text; /* what the names lie in */
    const char *policy[MOST];
    int32_t policies, rounds;
    contender *c; /* [operands * policies] */
} contest;

bool rounds_wanted(const options *o)
{
    return o->policy
           && (strchr(o->policy, ',') || !policy_is_starpu(o->policy) || o->operands > 1
               || o->repeat);
}

/* what comes from outside is looked for by who runs it */
static bool known(const char *policy)
{
    const size_t size = strcspn(policy, ":");
    const char *name;

    if (policy_is_starpu(policy))
        return policy[strlen("starpu:")] != 0;
    if (strchr(policy, '/') || !strncmp(policy, "exec:", 5))
        return true;
    for (int32_t i = 0; (name = tgs_plugin_name("heuristic", i)); i++)
        if (strlen(name) == size && !strncmp(name, policy, size))
            return true;
    return false;
}

static int split(contest *x)
{
    char *rest, *one;

    x->text = strdup(x->o->policy);
    if (!x->text)
        return fail(TGS_ENOMEM, NULL);
    for (rest = x->text; (one = strsep(&rest, ","));) {
        if (!*one)
            return misuse(x->self, "an empty name in '%s'", x->o->policy);
        if (!known(one))
            return misuse(x->self, "--policy takes heuristics and starpu:NAME; '%s' is neither",
                          one);
        if (x->policies == MOST)
            return misuse(x->self, "at most %d policies", MOST);
        x->policy[x->policies++] = one;
    }
    x->c = calloc((size_t)x->o->operands * (size_t)x->policies, sizeof *x->c);
    return x->c ? EXIT_OK : fail(TGS_ENOMEM, NULL);
}

/* ---- costs that all share, when none are given: measured in a process that then ends ---- */
static int measure(const contest *x, const char *graph, const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_costs *costs = NULL;
    tgs_status status;
    int code = open_graph(&g, graph, x->self, x->o);

    if (!code)
        code = open_platform(&p, x->o->platform ? x->o->platform : "host");
    if (code)
        return code;
    status = tgs_calibrate(&costs, g, p, NULL, "starpu", REPEAT, &err);
    if (!status && tgs_costs_remark(costs))
        warn("%s: %s", graph, tgs_costs_remark(costs));
    if (!status)
        status = tgs_costs_write(costs, path, &err);
    tgs_costs_free(costs);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return status ? fail(status, &err) : EXIT_OK;
}

static int measure_apart(const contest *x, const char *graph, const char *path)
{
    int state;
    pid_t child;

    progress("measuring %s ...", graph);
    fflush(NULL);
    child = fork();
    if (!child) {
        const int code = measure(x, graph, path);

        fflush(stderr);
        _exit(code);
    }
    if (child < 0 || waitpid(child, &state, 0) < 0 || !WIFEXITED(state)) {
        warn("%s: measuring has failed", graph);
        return EXIT_FAILED;
    }
    progress(NULL);
    return WEXITSTATUS(state);
}

/* ---- turns ---- */
static int take_turns(contest *x, contender *c, const char *graph, const char *costs)
{
    int code = EXIT_OK;

    for (int32_t i = 0; i < x->policies && !code; i++) {
        progress("%s: planning for %s ...", graph, x->policy[i]);
        c[i] = (contender){.graph = graph, .policy = x->policy[i]};
        code = contender_start(&c[i], x->self, x->o, costs, x->rounds, c, i);
    }
    for (int32_t r = 0; r < x->rounds && !code; r++) {
        progress("%s: round %d of %d", graph, r + 1, x->rounds);
        for (int32_t i = 0; i < x->policies; i++) /* nobody is always the first */
            contender_go(&c[(i + r) % x->policies]);
    }
    progress(NULL);
    for (int32_t i = 0; i < x->policies; i++)
        contender_collect(&c[i]);
    return code;
}

static int contend(contest *x, contender *c, const char *graph)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    int code, fd;

    if (x->o->costs)
        return take_turns(x, c, graph, x->o->costs);
    snprintf(path, sizeof path, "%s/tgsched-XXXXXX.tgc", folder && *folder ? folder : "/tmp");
    fd = mkstemps(path, 4);
    if (fd < 0) {
        warn("%s: cannot be made", path);
        return EXIT_FAILED;
    }
    close(fd);
    code = measure_apart(x, graph, path);
    if (!code)
        code = take_turns(x, c, graph, path);
    unlink(path);
    return code;
}

/* ---- telling ---- */
static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, int32_t n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* of the times of a contender; room: for as many */
static void tell_times(table *t, int32_t row, const contender *c, double *room, double *middle)
{
    memcpy(room, c->time, (size_t)c->rounds * sizeof *room);
    *middle = median(room, c->rounds);
    table_real(t, row, "median_s", *middle);
    table_real(t, row, "min_s", room[0]);
    for (int32_t i = 0; i < c->rounds; i++)
        room[i] = fabs(c->time[i] - *middle);
    table_real(t, row, "spread_s", median(room, c->rounds));
    if (c->planned > 0)
        table_real(t, row, "ratio_planned", *middle / c->planned);
}

static int fill_graph(table *t, const contest *x, const contender *c)
{
    const contender *first = NULL;
    double *room = malloc((size_t)x->rounds * sizeof *room), least = INFINITY, middle;
    const int32_t top = t->rows;

    for (int32_t i = 0; i < x->policies && room; i++) {
        const int32_t row = table_row(t);
        tgs_ratio ratio;

        table_text(t, row, "graph", c[i].graph);
        table_text(t, row, "policy", c[i].policy);
        table_real(t, row, "rounds", c[i].rounds);
        table_real(t, row, "planned_s", c[i].planned > 0 ? c[i].planned : NAN);
        if (!c[i].rounds)
            continue;
        tell_times(t, row, &c[i], room, &middle);
        least = fmin(least, middle);
        first = first ? first : &c[i];
        if (tgs_ratio_of(&ratio, c[i].time, first->time, x->rounds, NULL))
            t->failed = true;
        table_real(t, row, "ratio_first", ratio.median);
        table_real(t, row, "ratio_first_low", ratio.low);
        table_real(t, row, "ratio_first_high", ratio.high);
    }
    for (int32_t row = top; row < t->rows; row++)
        table_real(t, row, "ratio_best", table_value(t, row, "median_s") / least);
    free(room);
    return !room || t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

static void fill_rounds(table *t, const contest *x)
{
    static const column columns[] = {{"graph", "graph", CELL_TEXT},
                                     {"policy", "policy", CELL_TEXT},
                                     {"round", "round", CELL_COUNT},
                                     {"makespan_s", "makespan", CELL_SECONDS}};

    table_init(t, "runs", columns, sizeof columns / sizeof *columns);
    for (int32_t i = 0; i < x->o->operands * x->policies; i++)
        for (int32_t r = 0; r < x->c[i].rounds; r++) {
            const int32_t row = table_row(t);

            table_text(t, row, "graph", x->c[i].graph);
            table_text(t, row, "policy", x->c[i].policy);
            table_real(t, row, "round", r + 1);
            table_real(t, row, "makespan_s", x->c[i].time[r]);
        }
}

static int print(const contest *x, table *t, FILE *to)
{
    table runs;
    int code = EXIT_OK;

    if (x->o->csv)
        return table_csv(t, to);
    if (!x->o->summary) {
        fprintf(to,
                "%d rounds, by turns; ratios are medians over the rounds, with the interval that "
                "holds 95 %% of resamples\n",
                x->rounds);
        return table_people(t, to);
    }
    fill_rounds(&runs, x);
    fprintf(to, "{\"format\": \"tgsched.policies/1\", \"rounds\": %d,\n", x->rounds);
    table_json(t, to);
    fputs(",\n", to);
    table_json(&runs, to);
    fputs("}\n", to);
    if (runs.failed)
        code = fail(TGS_ENOMEM, NULL);
    table_free(&runs);
    return code;
}

static int tell(const contest *x)
{
    static const column columns[] = {
        {"graph", "graph", CELL_TEXT},
        {"policy", "policy", CELL_TEXT},
        {"planned_s", "planned", CELL_SECONDS},
        {"median_s", "median", CELL_SECONDS},
        {"spread_s", "spread", CELL_SECONDS},
        {"min_s", "min", CELL_SECONDS},
        {"ratio_planned", "to planned", CELL_REAL},
        {"ratio_best", "to best", CELL_REAL},
        {"ratio_first", "to first", CELL_REAL},
        {"ratio_first_low", "from", CELL_REAL},
        {"ratio_first_high", "to", CELL_REAL},
        {"rounds", "rounds", CELL_COUNT},
    };
    table t;
    result r;
    int code = EXIT_OK;

    table_init(&t, "policies", columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < x->o->operands && !code; i++)
        code = fill_graph(&t, x, x->c + (size_t)i * (size_t)x->policies);
    if (!code)
        code = result_open(&r, x->o->summary);
    if (!code)
        code = result_close(&r, print(x, &t, r.file));
    table_free(&t);
    return code;
}

int rounds_run(const command *self, const options *o)
{
    contest x = {.self = self, .o = o, .rounds = o->repeat ? (int32_t)o->repeat : ROUNDS};
    int code = split(&x);

    if (!code && (o->schedule || o->heuristics))
        code = misuse(self, "--policy with a list takes its schedules from the list");
    for (int i = 0; i < o->operands && !code; i++)
        code = contend(&x, x.c + (size_t)i * (size_t)x.policies, o->operand[i]);
    if (!code)
        code = tell(&x);
    for (int32_t i = 0; x.c && i < o->operands * x.policies; i++) {
        code = code || x.c[i].rounds ? code : EXIT_FAILED;
        contender_free(&x.c[i]);
    }
    free(x.c);
    free(x.text);
    return code;
}
