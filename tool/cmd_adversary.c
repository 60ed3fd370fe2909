/* cmd_adversary.c -- tgsched adversary: the instance on which a heuristic does worst. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "records.h"

typedef struct clockwork { /* --time */
    double until;          /* INFINITY: no limit */
} clockwork;

static bool out_of_time(void *user)
{
    return now() >= ((const clockwork *)user)->until;
}

static void show(void *user, double done, double ratio)
{
    (void)user;
    progress("%3.0f %%, ratio %.4g", 100 * done, ratio);
}

/* one of the two files, of which none is to be there without the other */
static char *file_name(const char *name, const char *suffix)
{
    char *path;

    return asprintf(&path, "%s%s", name, suffix) < 0 ? NULL : path;
}

static int write_files(const tgs_graph *g, const tgs_platform *p, const char *graph,
                       const char *platform)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_platform_write(p, platform, &err);

    if (status)
        return fail_write(status, &err, platform);
    status = tgs_graph_write(g, graph, "tg", &err);
    if (status)
        remove(platform);
    return status ? fail_write(status, &err, graph) : EXIT_OK;
}

static int print(const tgs_graph *g, const tgs_platform *p, double ratio, const tgs_duel *duel,
                 const char *files[2], const options *o)
{
    static const column columns[] = {
        {"heuristic", "heuristic", CELL_TEXT},
        {"against", "against", CELL_TEXT},
        {"link", "link", CELL_TEXT},
        {"ratio", "ratio", CELL_REAL},
        {"tasks", "tasks", CELL_COUNT},
        {"edges", "edges", CELL_COUNT},
        {"processors", "processors", CELL_COUNT},
        {"graph", "graph", CELL_TEXT},
        {"platform", "platform", CELL_TEXT},
    };
    table t;
    result r;
    int code;

    table_init(&t, "adversary", columns, sizeof columns / sizeof *columns);
    table_row(&t);
    table_text(&t, 0, "heuristic", duel->a);
    table_text(&t, 0, "against", duel->b);
    table_text(&t, 0, "link", duel->link_model);
    table_real(&t, 0, "ratio", ratio);
    table_real(&t, 0, "tasks", tgs_graph_tasks(g));
    table_real(&t, 0, "edges", tgs_graph_edges(g));
    table_real(&t, 0, "processors", tgs_platform_processors(p));
    table_text(&t, 0, "graph", files[0]);
    table_text(&t, 0, "platform", files[1]);
    code = result_open(&r, NULL);
    if (!code)
        code = result_close(&r, record_print(&t, "adversary", o, r.file));
    table_free(&t);
    return code;
}

typedef struct found { /* the worst so far */
    tgs_graph *g;
    tgs_platform *p;
    const char *link;
    double ratio;
} found;

/* the search under one model; the worse instance is kept, of equal ones the first */
static tgs_status search(found *best, tgs_duel *duel, const char *link, tgs_error *err)
{
    found f = {.link = link};
    tgs_status status;

    duel->link_model = link;
    status = tgs_adversary(&f.g, &f.p, &f.ratio, duel, err);
    if (status == TGS_EINFEASIBLE && best->g)
        return TGS_OK; /* under another model there was one */
    if (!status && (!best->g || f.ratio > best->ratio)) {
        const found worse = *best;

        *best = f;
        f = worse;
    }
    tgs_graph_free(f.g);
    tgs_platform_free(f.p);
    return status;
}

/* --link MODEL,...: each for its part of the instances and of the time */
static int search_all(const command *self, found *best, tgs_duel *duel, char *models)
{
    clockwork *limit = duel->user;
    const double seconds = limit->until - now();
    const int64_t evals = duel->evals;
    tgs_error err = {TGS_OK, ""};
    tgs_status status = TGS_OK, last = TGS_OK;
    int32_t count = 1;
    char *model;

    for (const char *s = models; *s; s++)
        count += *s == ',';
    for (int32_t i = 0; i < count && !status; i++) {
        model = strsep(&models, ",");
        if (!*model)
            return misuse(self, "an empty name in --link");
        if (isfinite(seconds))
            limit->until = now() + seconds / count;
        if (evals)
            duel->evals = evals / count > 0 ? evals / count : 1;
        status = last = search(best, duel, model, &err);
        if (status == TGS_EINFEASIBLE && i + 1 < count)
            status = TGS_OK;
    }
    if (!status && !best->g)
        status = last;
    return status ? fail_spec(status, &err) : EXIT_OK;
}

static int run(const command *self, const options *o)
{
    clockwork limit = {isnan(o->seconds) ? INFINITY : now() + o->seconds};
    tgs_duel duel = {.a = o->heuristics,
                     .b = o->against,
                     .tasks = (int32_t)o->most_tasks,
                     .processors = (int32_t)o->most_processors,
                     .evals = o->evals            ? o->evals
                              : isnan(o->seconds) ? 0
                                                  : INT32_MAX,
                     .seed = o->seed,
                     .stop = out_of_time,
                     .progress = show,
                     .user = &limit};
    found best = {NULL, NULL, NULL, NAN};
    char *graph = NULL, *platform = NULL, *models = NULL;
    int code = EXIT_OK;

    if (!o->heuristics || !o->against || !o->output)
        return misuse(self, "adversary needs -a HEURISTIC, --against HEURISTIC and -o NAME");
    if (!isnan(o->seconds) && o->seconds <= 0)
        return misuse(self, "--time takes a positive number of seconds");
    graph = file_name(o->output, ".tg");
    platform = file_name(o->output, ".tgp");
    models = strdup(o->link);
    if (!graph || !platform || !models)
        code = fail(TGS_ENOMEM, NULL);
    if (!code)
        code = search_all(self, &best, &duel, models);
    if (!code)
        code = write_files(best.g, best.p, graph, platform);
    progress(NULL);
    duel.link_model = best.link;
    if (!code)
        code = print(best.g, best.p, best.ratio, &duel, (const char *[2]){graph, platform}, o);
    tgs_graph_free(best.g);
    tgs_platform_free(best.p);
    free(models);
    free(graph);
    free(platform);
    return code;
}

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"heuristic", 'a', OPT_TEXT, "SPEC", "the heuristic that is to do badly", AT(heuristics)},
    {"against", 0, OPT_TEXT, "SPEC", "the heuristic that is to do well", AT(against)},
    {"output", 'o', OPT_TEXT, "NAME", "write the instance to NAME.tg and NAME.tgp", AT(output)},
    {"tasks", 0, OPT_COUNT, "N", "at most N tasks, up to 64 (default: 10)", AT(most_tasks)},
    {"processors", 0, OPT_COUNT, "N", "at most N processors, up to 16 (default: 3)",
     AT(most_processors)},
    {"evals", 0, OPT_COUNT, "N", "try N instances (default: 10000, or as many as --time allows)",
     AT(evals)},
    {"time", 0, OPT_REAL, "SECONDS",
     "search for so long; the result then depends on the speed of this machine", AT(seconds)},
    {"link", 0, OPT_TEXT, "MODEL,...",
     "how transfers are priced: latbw, zero, fifo or share, the worst of several; under fifo and "
     "share the schedules are simulated (default: latbw)",
     AT(link)},
    {"seed", 0, OPT_SEED, "N", "seed of every random choice (default: 0)", AT(seed)},
    {"json", 0, OPT_FLAG, NULL, "print JSON", AT(json)},
    {"csv", 0, OPT_FLAG, NULL, "print CSV", AT(csv)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

const command cmd_adversary = {
    "adversary",
    "",
    "find the instance on which a heuristic does worst",
    "Search for a graph and a machine on which the makespan of one heuristic is the largest "
    "multiple of that of another: annealing over task times on unrelated processors, edges, bytes, "
    "links, a bus that they share and the capacities of memories, then over smaller and rounder "
    "instances while the ratio "
    "stays within 1 %. Instances that either heuristic cannot schedule do not count. Exit code 3: "
    "there was no other.",
    0,
    0,
    {&own},
    run,
};
