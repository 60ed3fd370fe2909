/* study.c -- the cells of an experiment, from the options of `tgsched compare`. */
#include "study.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool generated(const char *graph)
{
    return !strncmp(graph, "gen:", 4);
}

const char *results_file(const options *o)
{
    const size_t size = o->output ? strlen(o->output) : 0;

    return size > 4 && !strcmp(o->output + size - 4, ".csv") ? o->output : NULL;
}

/* ---- lists */
/* the items of a comma list, cut in place; -1 when one is empty */
static int32_t cut_list(const char **item, char *list)
{
    int32_t count = 0;
    char *one;

    while ((one = strsep(&list, ","))) {
        if (!*one)
            return -1;
        item[count++] = one;
    }
    return count;
}

static int32_t commas(const char *text)
{
    int32_t count = 1;

    for (; *text; text++)
        count += *text == ',';
    return count;
}

static bool listed(const char *const *item, int32_t count, const char *text)
{
    for (int32_t i = 0; i < count; i++)
        if (!strcmp(item[i], text))
            return true;
    return false;
}

/* "all" stands for every heuristic of the tree; what is named twice is taken once */
static int collect_heuristics(study *s, char **room)
{
    const many none = {NULL, {"all"}, 1};
    const many *m = s->o->heuristic_lists.count ? &s->o->heuristic_lists : &none;
    int32_t most = 0, all = 0;

    while (tgs_plugin_name("heuristic", all))
        all++;
    for (int32_t i = 0; i < m->count; i++)
        most += commas(m->item[i]) * all;
    s->heuristic = calloc((size_t)most, sizeof *s->heuristic);
    if (!s->heuristic)
        return fail(TGS_ENOMEM, NULL);
    for (int32_t i = 0; i < m->count; i++) {
        char *rest = strcpy(*room, m->item[i]), *one;

        *room += strlen(m->item[i]) + 1;
        while ((one = strsep(&rest, ","))) {
            const bool every = !strcmp(one, "all");

            if (!*one)
                return misuse(s->self, "an empty name in '%s'", m->item[i]);
            for (int32_t k = 0; k < (every ? all : 1); k++) {
                const char *spec = every ? tgs_plugin_name("heuristic", k) : one;

                if (!listed(s->heuristic, s->heuristics, spec))
                    s->heuristic[s->heuristics++] = spec;
            }
        }
    }
    return EXIT_OK;
}

static int collect_links(study *s, char **room)
{
    char *list = strcpy(*room, s->o->link);

    *room += strlen(list) + 1;
    s->link = calloc((size_t)commas(list), sizeof *s->link);
    if (!s->link)
        return fail(TGS_ENOMEM, NULL);
    s->links = cut_list(s->link, list);
    if (s->links < 0)
        return misuse(s->self, "an empty name in '%s'", s->o->link);
    for (int32_t i = 0; i < s->links; i++) {
        int32_t k = 0;

        while (tgs_plugin_name("link_model", k)
               && strcmp(tgs_plugin_name("link_model", k), s->link[i]) != 0)
            k++;
        if (!tgs_plugin_name("link_model", k))
            return misuse(s->self, "no link_model '%s'", s->link[i]);
    }
    return EXIT_OK;
}

static int collect_lists(study *s)
{
    size_t size = strlen(s->o->link) + 1;
    char *room;
    int code;

    for (int32_t i = 0; i < s->o->heuristic_lists.count; i++)
        size += strlen(s->o->heuristic_lists.item[i]) + 1;
    s->text = room = malloc(size + sizeof "all");
    if (!s->text)
        return fail(TGS_ENOMEM, NULL);
    code = collect_links(s, &room);
    return code ? code : collect_heuristics(s, &room);
}

/* ---- what can be known before anything runs */
/* specs are wrong everywhere or nowhere: an empty graph tells; outside heuristics are not asked */
static int check_specs(const study *s)
{
    tgs_error err = {TGS_OK, ""};
    tgs_builder *b = NULL;
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_status status = tgs_builder_new(&b, &err);

    if (!status)
        status = tgs_builder_finish(&g, b, &err);
    if (!status)
        status = tgs_platform_parse(&p, "cpu:1", &err);
    if (!status)
        status = tgs_problem_new(&pb, g, p, NULL, NULL, &err);
    for (int32_t i = 0; i < s->heuristics && !status; i++) {
        tgs_schedule *made = NULL;

        if (strchr(s->heuristic[i], '/') || !strncmp(s->heuristic[i], "exec:", 5))
            continue;
        status = tgs_schedule_make(&made, pb, s->heuristic[i], 0, &err);
        if (status != TGS_EINVAL && status != TGS_ENOTFOUND && status != TGS_EPARSE
            && status != TGS_ENOMEM)
            status = TGS_OK; /* what it cannot do here it may do elsewhere */
        tgs_schedule_free(made);
    }
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return status ? fail_spec(status, &err) : EXIT_OK;
}

static int check_graphs(const study *s)
{
    for (int i = 0; i < s->o->operands; i++) {
        const char *format, *yields;
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = generated(s->o->operand[i]) || s->o->from
                                      ? TGS_OK
                                      : tgs_identify(s->o->operand[i], &format, &yields, &err);

        if (status)
            return fail(status, &err);
    }
    return EXIT_OK;
}

static int open_machines(study *s)
{
    const many *m = &s->o->platforms;
    int code = EXIT_OK;

    s->machine = calloc((size_t)m->count + 1, sizeof *s->machine);
    if (!s->machine)
        return fail(TGS_ENOMEM, NULL);
    for (s->machines = 0; s->machines < (m->count ? m->count : 1) && !code; s->machines++)
        code = open_platform(&s->machine[s->machines], m->count ? m->item[s->machines] : "host");
    for (int32_t i = 0; i < s->machines && !code && s->o->limits; i++)
        code = limit_memories(&s->machine[i], s->o->limits, NULL);
    for (int32_t i = 0; i < s->machines && !code; i++)
        if (tgs_platform_memories(s->machine[i]) > s->memories)
            s->memories = tgs_platform_memories(s->machine[i]);
    if (!code && s->o->costs) {
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = tgs_costs_open(&s->costs, s->o->costs, &err);

        code = status ? fail(status, &err) : EXIT_OK;
    }
    return code;
}

/* ---- groups and cells */
static int64_t count_seeds(const study *s)
{
    return s->o->seeds ? s->o->seeds : 1;
}

static int make_groups(study *s)
{
    const int32_t seeds = (int32_t)count_seeds(s);
    const int64_t problems = (int64_t)s->machines * s->links;
    int64_t most = 0;

    if ((double)s->o->operands * (double)problems * s->heuristics * seeds > INT32_MAX)
        return misuse(s->self, "more than 2^31 results");
    for (int i = 0; i < s->o->operands; i++)
        most += problems * (generated(s->o->operand[i]) ? seeds : 1);
    s->group = calloc((size_t)most, sizeof *s->group);
    if (!s->group)
        return fail(TGS_ENOMEM, NULL);
    for (int i = 0; i < s->o->operands; i++) {
        const bool each = generated(s->o->operand[i]);

        if (listed((const char *const *)s->o->operand, i, s->o->operand[i]))
            continue;
        for (int32_t m = 0; m < s->machines; m++)
            for (int32_t l = 0; l < s->links; l++)
                for (int32_t k = 0; k < (each ? seeds : 1); k++) {
                    group *g = &s->group[s->groups++];

                    g->graph = s->o->operand[i];
                    g->platform = s->o->platforms.count ? s->o->platforms.item[m] : "host";
                    g->machine = m;
                    g->link = s->link[l];
                    g->seed = s->o->seed + (uint64_t)k;
                    g->seeds = each ? 1 : seeds;
                    g->cell = s->count;
                    s->count += (int64_t)g->seeds * s->heuristics;
                }
    }
    return EXIT_OK;
}

static int make_cells(study *s)
{
    for (int32_t i = 0; i < s->groups; i++) {
        const group *g = &s->group[i];

        for (int32_t k = 0; k < s->heuristics * g->seeds; k++) {
            outcome *x = outcomes_add(&s->cells);

            if (!x)
                return fail(TGS_ENOMEM, NULL);
            x->graph = g->graph;
            x->platform = g->platform;
            x->costs = s->o->costs ? s->o->costs : "auto";
            x->link = g->link;
            x->heuristic = s->heuristic[k / g->seeds];
            x->seed = g->seed + (uint64_t)(k % g->seeds);
        }
    }
    return EXIT_OK;
}

int study_open(study *s, const command *self, const options *o)
{
    int code;

    *s = (study){.self = self, .o = o, .journal = {-1, results_file(o)}, .drawn = o->page != NULL};
    code = collect_lists(s);
    if (!code)
        code = check_specs(s);
    if (!code)
        code = check_graphs(s);
    if (!code)
        code = open_machines(s);
    if (!code)
        code = make_groups(s);
    return code ? code : make_cells(s);
}

int study_close(study *s, int code)
{
    code = journal_close(&s->journal, &s->cells, code);
    outcomes_free(&s->cells);
    for (int32_t i = 0; i < s->machines; i++)
        tgs_platform_free(s->machine[i]);
    for (int32_t i = 0; i < s->groups; i++)
        free(s->group[i].names);
    tgs_costs_free(s->costs);
    free(s->machine);
    free(s->group);
    free(s->heuristic);
    free(s->link);
    free(s->text);
    return code;
}

int32_t *gantt_of(const tgs_schedule *s, int32_t tasks)
{
    const double whole = tgs_schedule_makespan(s);
    int32_t *g = malloc(((size_t)tasks * 3 + 1) * sizeof *g);

    for (int32_t t = 0; g && t < tasks; t++) {
        const double start = tgs_schedule_start(s, t), end = tgs_schedule_end(s, t);
        const double scale = whole > 0 ? GANTT_PARTS / whole : 0;
        const int32_t from = (int32_t)lround(start * scale);

        g[3 * t] = tgs_schedule_processor(s, t);
        g[3 * t + 1] = from;
        g[3 * t + 2] = (int32_t)lround(end * scale) - from;
    }
    return g;
}
