/* common.c -- opening what the subcommands work on: graphs, machines, problems, schedules. */
#include "common.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- graphs and models */
static tgs_status say_strategy(const options *o, FILE *to)
{
    fprintf(to, "train %s", o->optimizer ? o->optimizer : "sgd");
    if (!isnan(o->lr))
        fprintf(to, " lr=%.17g", o->lr);
    if (o->loss)
        fprintf(to, "; loss %s", o->loss);
    if (o->micro_batches)
        fprintf(to, "; micro-batches %lld", (long long)o->micro_batches);
    if (o->replicas)
        fprintf(to, "; replicas %lld", (long long)o->replicas);
    if (o->accumulate)
        fprintf(to, "; accumulate %s", o->accumulate);
    return ferror(to) ? TGS_ENOMEM : TGS_OK;
}

int open_strategy(tgs_strategy **out, const command *c, const options *o)
{
    const bool details = o->optimizer || !isnan(o->lr) || o->loss || o->micro_batches || o->replicas
                         || o->accumulate;
    tgs_error err = {TGS_OK, ""};
    char *text = NULL;
    size_t size;
    FILE *to;
    tgs_status status;

    *out = NULL;
    if (o->strategy) {
        if (details)
            return misuse(c, "--strategy FILE says it all: no other training option beside it");
        status = tgs_strategy_read(out, o->strategy, &err);
        return status ? fail(status, &err) : EXIT_OK;
    }
    if (!o->train)
        return details ? misuse(c, "options of a training step need --train") : EXIT_OK;
    to = open_memstream(&text, &size);
    if (!to)
        return fail(TGS_ENOMEM, NULL);
    status = say_strategy(o, to);
    if (fclose(to) || status)
        status = TGS_ENOMEM;
    else
        status = tgs_strategy_parse(out, text, &err);
    free(text);
    return status ? fail_spec(status, &err) : EXIT_OK;
}

int open_model(tgs_model **out, const char *operand, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_model_read(out, operand, o->from, o->bind, &err);

    if (status && !strncmp(operand, "zoo:", 4))
        return fail_spec(status, &err);
    if (!status && tgs_model_note(*out))
        warn("%s: %s", operand, tgs_model_note(*out));
    return status ? fail(status, &err) : EXIT_OK;
}

int describe_strategy(const options *o, FILE *to)
{
    if (o->strategy)
        return fprintf(to, "file %s", o->strategy) < 0;
    return o->train ? say_strategy(o, to) != TGS_OK : fputs("forward pass only", to) < 0;
}

/* lowered with the times of a file; what does not fit is told */
static int lower_timed(tgs_graph **out, const tgs_model *m, const tgs_strategy *s, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_times *times = NULL;
    tgs_model_stats stats;
    const char *name;
    int32_t covered = 0;
    tgs_status status = tgs_times_read(&times, o->timings, &err);

    if (!status)
        status = tgs_model_lower_timed(out, m, s, times, &covered, &err);
    for (int32_t i = 0; !status && !tgs_times_unmatched(times, m, i, &name); i++)
        warn("%s: '%s' is no operator of the model", o->timings, name);
    if (!status && !tgs_model_measure(m, &stats, &err) && covered < stats.layers)
        warn("%s: has times of %d operators of %d; those of the others are left to the cost model",
             o->timings, (int)covered, (int)stats.layers);
    tgs_times_free(times);
    return status ? fail(status, &err) : EXIT_OK;
}

int lower_model(tgs_graph **out, const char *operand, const command *c, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_model *model = NULL;
    tgs_strategy *strategy = NULL;
    int code = open_strategy(&strategy, c, o);

    *out = NULL;
    if (!code)
        code = open_model(&model, operand, o);
    if (!code && o->timings)
        code = lower_timed(out, model, strategy, o);
    else if (!code) {
        const tgs_status status = tgs_model_lower(out, model, strategy, &err);

        code = status ? fail(status, &err) : EXIT_OK;
    }
    if (!code && *tgs_graph_note(*out))
        warn("%s: %s", operand, tgs_graph_note(*out));
    tgs_model_free(model);
    tgs_strategy_free(strategy);
    return code;
}

static bool says_training(const options *o)
{
    return o->train || o->strategy || o->optimizer || !isnan(o->lr) || o->loss || o->micro_batches
           || o->replicas || o->accumulate || o->timings;
}

/* a graph with the strategy of --strategy */
static int transform(tgs_graph **g, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_strategy *s = NULL;
    tgs_status status = tgs_strategy_read(&s, o->strategy, &err);

    if (!status)
        status = tgs_graph_transform(g, s, &err);
    tgs_strategy_free(s);
    if (!status)
        return EXIT_OK;
    tgs_graph_free(*g);
    *g = NULL;
    return status == TGS_EINVAL ? fail_spec(status, &err) : fail(status, &err);
}

int open_graph(tgs_graph **out, const char *operand, const command *c, const options *o)
{
    const bool generated = !strncmp(operand, "gen:", 4);
    const char *format, *yields;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;

    *out = NULL;
    if (generated) {
        status = tgs_graph_generate(out, operand + 4, o->seed, &err);
        if (status)
            return fail_spec(status, &err);
    } else {
        if (o->from) {
            status = tgs_format_yields(o->from, &yields, &err);
            if (status)
                return fail_spec(status, &err);
        } else {
            status = tgs_identify(operand, &format, &yields, &err);
            if (status)
                return fail(status, &err);
        }
        if (!strcmp(yields, "model"))
            return lower_model(out, operand, c, o);
        if (strcmp(yields, "graph")) {
            warn("%s: a %s, where a graph is needed", operand, yields);
            return EXIT_FAILED;
        }
        status = tgs_graph_read(out, operand, o->from, &err);
        if (status)
            return fail(status, &err);
    }
    if (*tgs_graph_note(*out))
        warn("%s: %s", operand, tgs_graph_note(*out));
    if (o->strategy && !o->train)
        return transform(out, o);
    if (says_training(o)) { /* not silently ignored */
        tgs_graph_free(*out);
        *out = NULL;
        return misuse(c, "%s is a graph: training options are for models", operand);
    }
    return EXIT_OK;
}

int write_graph(const tgs_graph *g, const options *o)
{
    const char *path = o->output ? o->output : "-";
    const char *format = o->to ? o->to : strcmp(path, "-") ? NULL : "tg";
    char lost[400];
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_graph_write(g, path, format, &err);

    if (status == TGS_EIO)
        return fail_write(status, &err, path);
    if (!status)
        status = tgs_graph_lost(lost, sizeof lost, g, path, format, &err);
    if (status)
        return fail_spec(status, &err);
    if (*lost)
        warn("%s does not hold %s", strcmp(path, "-") ? path : format, lost);
    return EXIT_OK;
}

/* ---- the machine */
int open_platform(tgs_platform **out, const char *text)
{
    const size_t size = strlen(text);
    const bool file = (strchr(text, '/') && strncmp(text, "starpu:", 7))
                      || (size > 4 && !strcmp(text + size - 4, ".tgp"));
    tgs_error err = {TGS_OK, ""};
    tgs_status status;

    if (file && strcspn(text, " ") == size && access(text, R_OK)) {
        *out = NULL;
        warn("%s: %s", text, strerror(errno));
        return EXIT_FAILED;
    }
    status = tgs_platform_open(out, text, &err);
    if (!status)
        return EXIT_OK;
    return access(text, R_OK) ? fail_spec(status, &err) : fail(status, &err);
}

/* a problem in which tasks only go where they have a kernel takes the place of in->problem */
static tgs_status restrict_problem(input *in, tgs_error *err)
{
    tgs_codelets *codelets;
    tgs_problem *restricted = NULL;
    tgs_status status = tgs_codelets_new(&codelets, err);

    if (!status)
        status = tgs_problem_restrict(&restricted, in->problem, codelets, err);
    if (!status) {
        tgs_problem_free(in->problem);
        in->problem = restricted;
    }
    tgs_codelets_free(codelets);
    return status;
}

tgs_status input_price(input *in, const options *o, tgs_error *err)
{
    tgs_status status =
        tgs_problem_new(&in->problem, in->graph, in->platform, in->costs, o->link, err);

    return !status && o->runnable ? restrict_problem(in, err) : status;
}

int input_open(input *in, const char *graph, const command *c, const options *o)
{
    const char *machine = o->platform ? o->platform : "host";
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    int code;

    memset(in, 0, sizeof *in);
    in->title = graph;
    in->machine = machine;
    code = open_graph(&in->graph, graph, c, o);
    if (!code)
        code = open_platform(&in->platform, machine);
    if (!code && o->limits)
        code = limit_memories(&in->platform, o->limits, c);
    if (!code && o->costs) {
        status = tgs_costs_open(&in->costs, o->costs, &err);
        code = status ? fail(status, &err) : EXIT_OK;
    }
    if (!code) {
        status = input_price(in, o, &err);
        code = status == TGS_ENOTFOUND ? fail_spec(status, &err)
               : status                ? fail(status, &err)
                                       : EXIT_OK;
    }
    if (code == EXIT_INFEASIBLE)
        say_what_fits(in, o);
    return code;
}

void input_close(input *in)
{
    tgs_problem_free(in->problem);
    tgs_costs_free(in->costs);
    tgs_platform_free(in->platform);
    tgs_graph_free(in->graph);
    tgs_text_free(in->origin);
    memset(in, 0, sizeof *in);
}

/* ---- the plan */
int make_schedule(tgs_schedule **out, const tgs_problem *pb, const char *heuristic, uint64_t seed)
{
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = watched_make(out, pb, heuristic, seed, &err);

    return status ? fail_spec(status, &err) : EXIT_OK;
}

int open_schedule(tgs_schedule **out, const input *in, const command *c, const options *o)
{
    const char *heuristic = o->heuristics ? o->heuristics : DEFAULT_HEURISTIC;
    tgs_error err = {TGS_OK, ""};
    int code;

    *out = NULL;
    if (o->schedule) {
        tgs_status status;

        if (o->heuristics)
            return misuse(c, "--schedule FILE and --heuristic exclude each other");
        status = tgs_schedule_read(out, o->schedule, in->problem, &err);
        if (!status)
            status = tgs_schedule_check(*out, in->problem, &err);
        return status ? fail(status, &err) : EXIT_OK;
    }
    code = make_schedule(out, in->problem, heuristic, o->seed);
    if (code == EXIT_INFEASIBLE)
        say_what_fits(in, o);
    return code;
}

int32_t extrapolated(const tgs_problem *pb)
{
    tgs_price_info prices;

    tgs_problem_prices(pb, &prices);
    return prices.extrapolated;
}

double lower_bound(const tgs_problem *pb, const tgs_schedule *s, const char **which)
{
    const double proven = s ? tgs_schedule_lower_bound(s) : NAN;
    static bool told; /* some commands ask for a bound in two places */
    tgs_error err = {TGS_OK, ""};
    double bound;
    const tgs_status status = s ? tgs_schedule_bound(&bound, which, s, pb, &err)
                                : tgs_bound_best(&bound, which, pb, &err);

    if (status)
        bound = NAN;
    if (status && status != TGS_ENOTAPPLICABLE && status != TGS_EINFEASIBLE && !told) {
        warn("no lower bound: %s", err.text);
        told = true;
    }
    if (isnan(proven) || bound >= proven)
        return bound;
    if (which)
        *which = tgs_schedule_heuristic(s);
    return proven;
}

int annotate(tgs_trace *t, const input *in, const tgs_schedule *s, double bound)
{
    const char *slash = strrchr(in->title, '/'), *folder = strrchr(in->machine, '/');
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    char *title;

    if (access(in->machine, F_OK)) /* a description in one line: its '/' is no folder */
        folder = NULL;
    if (asprintf(&title, "%s on %s by %s", slash ? slash + 1 : in->title,
                 folder ? folder + 1 : in->machine, tgs_schedule_heuristic(s))
        < 0)
        return fail(TGS_ENOMEM, NULL);
    status = tgs_trace_annotate(t, title, bound, &err);
    free(title);
    return status ? fail(status, &err) : EXIT_OK;
}

int write_reports(const tgs_trace *t, const tgs_trace *other, const options *o)
{
    for (int32_t i = 0; i < o->reports; i++) {
        tgs_error err = {TGS_OK, ""};
        const tgs_status status =
            tgs_report(t, other, o->report[i].format, o->report[i].path, &err);

        if (status)
            return status == TGS_ENOTFOUND ? fail_spec(status, &err)
                                           : fail_write(status, &err, o->report[i].path);
    }
    return EXIT_OK;
}
