/* noise.c -- compare --noise: the schedules stay as they were made, the costs are disturbed by as
 * much as they may be wrong, again and again; who wins then?  A decision between the winner and
 * another one is firm when it comes out alike in 95 % of the cases. */
#include "noise.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study.h"
#include "table.h"

#define FIRM 0.95

typedef struct trial { /* of a heuristic */
    tgs_schedule *s;   /* NULL: it has none, and the note says why */
    double makespan;   /* played with the costs as they are */
    double *noisy;     /* [cases] */
    char note[200];
} trial;

typedef struct noise {
    study *s;
    input in;
    trial *t;
    int32_t cases, best; /* best: with the costs as they are; -1 none */
} noise;

static tgs_status play(double *out, const tgs_problem *pb, const tgs_schedule *s, tgs_error *err)
{
    tgs_trace *t;
    const tgs_status status = tgs_simulate(&t, pb, s, err);

    *out = status ? NAN : tgs_trace_makespan(t);
    tgs_trace_free(t);
    return status;
}

static int make_all(noise *x, const options *o)
{
    x->best = -1;
    for (int32_t i = 0; i < x->s->heuristics; i++) {
        trial *t = &x->t[i];
        tgs_error err = {TGS_OK, ""};
        tgs_status status =
            tgs_schedule_make(&t->s, x->in.problem, x->s->heuristic[i], o->seed, &err);

        t->noisy = calloc((size_t)x->cases, sizeof *t->noisy);
        if (!t->noisy || status == TGS_ENOMEM)
            return fail(TGS_ENOMEM, NULL);
        if (!status)
            status = play(&t->makespan, x->in.problem, t->s, &err);
        if (status) {
            snprintf(t->note, sizeof t->note, "%.199s", err.text);
            tgs_schedule_free(t->s);
            t->s = NULL;
        } else if (x->best < 0 || t->makespan < x->t[x->best].makespan)
            x->best = i;
    }
    if (x->best >= 0)
        return EXIT_OK;
    warn("no heuristic found a feasible schedule");
    return EXIT_INFEASIBLE;
}

static int disturb_all(noise *x, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < x->cases && !status; k++) {
        tgs_costs *costs = NULL;
        tgs_problem *pb = NULL;

        progress("case %d of %d", k + 1, x->cases);
        status = tgs_costs_disturb(&costs, x->in.costs, o->seed + (uint64_t)k, &err);
        if (!status)
            status = tgs_problem_reprice(&pb, x->in.problem, costs, NULL, &err);
        for (int32_t i = 0; i < x->s->heuristics && !status; i++)
            if (x->t[i].s)
                status = play(&x->t[i].noisy[k], pb, x->t[i].s, &err);
        tgs_problem_free(pb);
        tgs_costs_free(costs);
    }
    progress(NULL);
    return status ? fail(status, &err) : EXIT_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double least(const noise *x, int32_t k)
{
    double best = INFINITY;

    for (int32_t i = 0; i < x->s->heuristics; i++)
        if (x->t[i].s)
            best = fmin(best, x->t[i].noisy[k]);
    return best;
}

/* sorts the times of the trial, so that it comes last */
static void fill_range(table *t, int32_t row, trial *own, int32_t cases)
{
    qsort(own->noisy, (size_t)cases, sizeof *own->noisy, by_value);
    table_real(t, row, "low_s", own->noisy[cases / 40]);
    table_real(t, row, "high_s", own->noisy[cases - 1 - cases / 40]);
}

static void fill(table *t, noise *x)
{
    const trial *best = &x->t[x->best];

    for (int32_t i = 0; i < x->s->heuristics; i++) {
        const int32_t row = table_row(t);
        int32_t wins = 0, ahead = 0;

        table_text(t, row, "heuristic", x->s->heuristic[i]);
        if (!x->t[i].s) {
            table_text(t, row, "decision", x->t[i].note);
            continue;
        }
        for (int32_t k = 0; k < x->cases; k++) {
            wins += x->t[i].noisy[k] <= least(x, k) * (1 + 1e-9);
            ahead += x->t[i].noisy[k] < best->noisy[k] * (1 - 1e-9);
        }
        table_real(t, row, "makespan_s", x->t[i].makespan);
        table_real(t, row, "best_in", wins);
        table_real(t, row, "flips_in", ahead);
        table_text(t, row, "decision",
                   i == x->best                                      ? "the winner"
                   : x->t[i].makespan <= best->makespan * (1 + 1e-9) ? "equal"
                   : ahead <= (1 - FIRM) * x->cases                  ? "firm"
                                                                     : "within the error");
    }
    for (int32_t i = 0; i < x->s->heuristics; i++)
        if (x->t[i].s)
            fill_range(t, i, &x->t[i], x->cases);
    table_sort(t, "makespan_s");
}

static int print(const table *t, const noise *x, const options *o, FILE *to)
{
    const char *winner = x->s->heuristic[x->best];

    if (o->csv)
        return table_csv(t, to);
    if (o->json) {
        fputs("{\"format\": \"tgsched.noise/1\", \"graph\": ", to);
        tgs_json_text(to, o->operand[0]);
        fprintf(to, ", \"cases\": %d, \"winner\": ", x->cases);
        tgs_json_text(to, winner);
        fputs(",\n", to);
        table_json(t, to);
        fputs("}\n", to);
        return EXIT_OK;
    }
    fprintf(to,
            "%s wins with the costs as they are, and in %.0f of %d cases within their error\n\n",
            winner, table_value(t, 0, "best_in"), x->cases);
    return table_people(t, to);
}

static int tell(noise *x, const options *o)
{
    static const column columns[] = {
        {"heuristic", "heuristic", CELL_TEXT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"low_s", "95 % from", CELL_SECONDS},
        {"high_s", "to", CELL_SECONDS},
        {"best_in", "best in", CELL_COUNT},
        {"flips_in", "before the winner in", CELL_COUNT},
        {"decision", "the decision is", CELL_TEXT},
    };
    table t;
    result r;
    int code;

    table_init(&t, "results", columns, sizeof columns / sizeof *columns);
    fill(&t, x);
    code = t.failed ? fail(TGS_ENOMEM, NULL) : result_open(&r, o->output);
    if (!code)
        code = result_close(&r, print(&t, x, o, r.file));
    table_free(&t);
    return code;
}

static int open_input(noise *x, const command *self, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    int code;

    x->in.platform = x->s->machine[0];
    x->in.costs = x->s->costs;
    code = open_graph(&x->in.graph, o->operand[0], self, o);
    if (code)
        return code;
    status = input_price(&x->in, o, &err);
    return status ? fail(status, &err) : EXIT_OK;
}

int noise_run(const command *self, const options *o)
{
    study s = {0};
    noise x = {.s = &s, .cases = (int32_t)o->noise};
    int code = EXIT_OK;

    if (!o->costs || results_file(o) || o->merge || o->page || o->shard)
        return misuse(self,
                      "--noise needs --costs FILE, and one problem: no file of results, --html "
                      "or --shard");
    code = study_open(&s, self, o);
    if (!code && (s.groups != 1 || s.group[0].seeds != 1))
        code = misuse(self, "--noise takes one graph, one platform, one link model and one seed");
    x.t = calloc((size_t)s.heuristics + 1, sizeof *x.t);
    if (!code && !x.t)
        code = fail(TGS_ENOMEM, NULL);
    if (!code)
        code = open_input(&x, self, o);
    if (!code)
        code = make_all(&x, o);
    if (!code)
        code = disturb_all(&x, o);
    if (!code)
        code = tell(&x, o);
    for (int32_t i = 0; x.t && i < s.heuristics; i++) {
        tgs_schedule_free(x.t[i].s);
        free(x.t[i].noisy);
    }
    free(x.t);
    x.in.platform = NULL; /* the study's */
    x.in.costs = NULL;
    input_close(&x.in);
    return study_close(&s, code);
}
