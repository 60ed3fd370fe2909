/* t_refusals.c -- every planner on machines whose memories are too small: it says how many bytes
 * are missing and names a setting that, when it is tried, fits.  A planner that is in none of the
 * tables below has to get into one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <math.h>
#include "planner.h"
#include "watch.h"
#include "machine.h"

typedef struct asked {
    const char *spec;
    const char *model;
} asked;

static const char mlp[] = "zoo:mlp:batch=64:hidden=64:inputs=48:layers=3";
static const char wide[] = "zoo:mlp:batch=64:hidden=512:inputs=512:layers=3";

/* of a model on four devices */
static const asked of_models[] = {
    {"1f1b", mlp},
    {"1f1b:stages=2", mlp},
    {"gpipe", mlp},
    {"gpipe:stages=3", mlp},
    {"pipedream", mlp},
    {"hetpipe", mlp},
    {"axonn", mlp},
    {"layer-merge", mlp},
    {"layer-merge:blocks=2", mlp},
    {"micro-heft", mlp},
    {"layer-devices", mlp},
    {"split-products:way=rows:parts=2", mlp},
    {"tensor-parallel:all=1", wide},
    {"tensor-parallel:all=1:mode=1d", wide},
    {"trust-split", mlp},
    {"secure-edge", mlp},
    {"cephalo", mlp},
    {"poplar", mlp},
    {"poplar:stage=0", mlp},
    {"poplar:stage=1", mlp},
    {"poplar:stage=2", mlp},
    {"poplar:stage=3", mlp},
    {"osdp", mlp},
    {"mbs", mlp},
    {"comm-merge", mlp},
    {"mg-greedy", mlp},
    {"netfuse", mlp},
    {"netfuse:copies=4", mlp},
    {"auto:work=20000:evals=20", mlp},
};

static const char *const of_graphs[] = {"place-dpl", "place-ideal-dp", "place-ip:nodes=5",
                                        "ls-class",  "lat-greedy",     "lat-seg-dp"};

typedef struct file {
    const char *spec, *text; /* %.17g: bytes, too few of them */
    double bytes;
    const char *named; /* what stands before the bytes that it names */
} file;

static const file of_files[] = {
    {"mem-cut", "device d memory=%.17g\nlayer a bytes=10 device=1\n", 9, "; memory="},
    {"mem-cut", "device d memory=%.17g\nlayer a bytes=10 device=1\nlayer b bytes=5 device=1\n", 3,
     "; memory="},
    {"sample-pipe",
     "job j sample=1 gather=1 train=1 batches=1 workers=1 memory=%.17g base=6 worker=2\n", 5,
     "; memory="},
    {"alloc-matrix", "device d memory=%.17g\nmodel m\noption o model=m memory=5\n", 4,
     " with memory="},
    {"alloc-matrix",
     "device d memory=%.17g\ndevice e memory=1\nmodel m\nmodel n\noption o model=m memory=5\n"
     "option q model=n memory=6\n",
     7, " with memory="},
    {"alloc-matrix:method=wfd", "device d memory=%.17g\nmodel m\noption o model=m memory=5\n", 4,
     " with memory="},
    {"alloc-matrix:method=greedy", "device d memory=%.17g\nmodel m\noption o model=m memory=5\n", 4,
     " with memory="},
    {"islands", "device d memory=%.17g\ndevice e memory=1\njob j work=1 memory=5\n", 4,
     " with memory="},
    {"sdf-vectorize", "machine m cores=1 memory=%.17g\nactor a host=0,5 device=10,1 bytes=3\n", 2,
     "that was found is "},
};

/* osdp-table has its memory as a parameter: see its test below; these have no memory at all */
static const char *const others[] = {
    "osdp-table",     "elastic",   "energy",           "est-jobs",     "est-map",
    "est-round",      "pollux",    "feasible-flow",    "hyper-part",   "puzzle",
    "split-pareto",   "varlen",    "spectral-coarsen", "layer-argmin", "layer-viterbi",
    "critical-batch", "omnilearn",
};

static bool is(const char *spec, const char *name)
{
    return !strncmp(spec, name, strlen(name)) && (spec[strlen(name)] == ':' || !spec[strlen(name)]);
}

static void every_planner_is_asked(void **state)
{
    const char *name;

    (void)state;
    for (int32_t i = 0; (name = tgs_plugin_name("planner", i)); i++) {
        int found = 0;

        for (size_t k = 0; k < sizeof of_models / sizeof *of_models; k++)
            found += is(of_models[k].spec, name);
        for (size_t k = 0; k < sizeof of_graphs / sizeof *of_graphs; k++)
            found += is(of_graphs[k], name);
        for (size_t k = 0; k < sizeof of_files / sizeof *of_files; k++)
            found += is(of_files[k].spec, name);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            found += is(others[k], name);
        if (!found)
            fail_msg("%s is in no table", name);
    }
}

/* the number after a text */
static double after(const char *text, const char *what)
{
    const char *at = strstr(text, what);

    if (!at)
        fail_msg("%s: no '%s'", text, what);
    return strtod(at + strlen(what), NULL);
}

/* ---- models ------------------------------------------------------------------------------------
 */
/* four devices in two nodes and two domains, each with so many bytes */
static tgs_platform *devices(double bytes)
{
    char text[3500];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "kind fast flops=1e13 bandwidth=5e11\n"
                                   "kind slow flops=4e12 bandwidth=3e11\n");

    for (int a = 0; a < 4; a++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "memory m%d capacity=%.17g node=%d trust=%s\n"
                                 "processor p%d kind=%s memory=m%d\n",
                                 a, bytes, a / 2, a < 2 ? "home" : "cloud", a,
                                 a < 2 ? "fast" : "slow", a);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            if (a != b)
                used += (size_t)snprintf(text + used, sizeof text - used,
                                         "link m%d m%d latency=1e-7 bandwidth=1e11\n", a, b);
    return machine(text);
}

typedef struct scene {
    tgs_model *m;
    tgs_platform *p;
    tgs_plan_input in;
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_i_guard guard;
} scene;

static void scene_open(scene *s, const char *model, double bytes)
{
    tgs_error err = {TGS_OK, ""};

    memset(s, 0, sizeof *s);
    if (tgs_model_read(&s->m, model, NULL, NULL, &err))
        fail_msg("%s: %s", model, err.text);
    s->p = devices(bytes);
    s->in = (tgs_plan_input){.model = (const tgs_model *const *)&s->m,
                             .models = 1,
                             .platform = s->p,
                             .training = "train adam; loss xent",
                             .batch = 256};
    assert_int_equal(tgs_i_planning_begin(&s->c, &s->pl, &s->guard, &s->in, NULL), 0);
}

static void scene_close(scene *s)
{
    tgs_i_planning_end(&s->pl, &s->guard);
    tgs_platform_free(s->p);
    tgs_model_free(s->m);
}

/* bytes that are missing of a strategy; most: the most in one memory */
static double missing(const char *model, double bytes, const char *strategy, double *most)
{
    scene s;
    tgs_evaluation e;
    tgs_error err = {TGS_OK, ""};

    scene_open(&s, model, bytes);
    if (tgs_planner_evaluate(&s.c, strategy, &e, &err))
        fail_msg("%s: %s", strategy, err.text);
    if (most) {
        *most = 0;
        for (int32_t i = 0; i < s.p->v.memories; i++)
            *most = fmax(*most, e.peak[i]);
    }
    scene_close(&s);
    return e.missing;
}

/* does the directive have the keyword of one of the changes, "a; b"? */
static bool is_replaced(const char *line, const char *changes)
{
    const bool two = !strncmp(line, "offload ", 8); /* offload optimizer, offload activations */
    size_t n = strcspn(line, " \n");

    if (two)
        n += 1 + strcspn(line + n + 1, " \n");
    for (const char *at = changes; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
        if (!strncmp(at, line, n) && (!at[n] || at[n] == ' ' || at[n] == ';'))
            return true;
    return false;
}

/* the strategy with the changes that a refusal names */
static void change(const char *strategy, const char *changes, char *to, size_t size)
{
    size_t used = 0;

    *to = 0;
    for (const char *at = strategy; *at;) {
        const int n = (int)strcspn(at, ";\n");

        if (n && !is_replaced(at, changes))
            used += (size_t)snprintf(to + used, size - used, "%.*s\n", n, at);
        at += n;
        at += strspn(at, "; \n");
    }
    snprintf(to + used, size - used, "%s", changes);
}

/* what is said is what an evaluation says, and what is named fits */
static void verify(const asked *a, double bytes, const char *strategy, const char *text)
{
    const char *with = strstr(text, "with '");
    const double said = after(text, ": ");
    char changes[400], changed[3000];

    if (fabs(missing(a->model, bytes, strategy, NULL) - said) > 1)
        fail_msg("%s: '%s' misses other bytes: %s", a->spec, strategy, text);
    snprintf(changes, sizeof changes, "%.*s", with ? (int)strcspn(with + 6, "'") : 0,
             with ? with + 6 : "");
    change(strategy, changes, changed, sizeof changed);
    if (strstr(text, " it fits ("))
        assert_non_null(with);
    else
        bytes = after(text, "; memories of ");
    if (missing(a->model, bytes, changed, NULL) > 0)
        fail_msg("%s: '%s' does not fit %.0f bytes: %s", a->spec, changed, bytes, text);
}

/* the proposal as it is before it is refused; NULL: there is none, and err says why */
static char *proposed(scene *s, const char *spec, tgs_error *err)
{
    tgs_proposal *p;
    char *text = NULL;

    if (tgs_i_planner_run(&s->c, spec, &p, err))
        return NULL;
    text = strdup(tgs_proposal_strategy(p));
    tgs_proposal_free(p);
    return text;
}

/* from what a plan without limits takes down to a hundredth: what is refused; how often */
static int shrink(const asked *a)
{
    static const double part[] = {0.9, 0.4, 0.02};
    tgs_error err = {TGS_OK, ""};
    double most;
    int refused = 0;
    scene s;
    char *plain;

    scene_open(&s, a->model, 1e12);
    plain = proposed(&s, a->spec, &err);
    if (!plain)
        fail_msg("%s: %s", a->spec, err.text);
    scene_close(&s);
    missing(a->model, 1e12, plain, &most);
    free(plain);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        tgs_proposal *p;
        char *strategy;
        tgs_status status;

        scene_open(&s, a->model, floor(part[i] * most));
        strategy = proposed(&s, a->spec, &err);
        if (!strategy)
            fail_msg("%s in %.0f bytes: %s", a->spec, part[i] * most, err.text);
        status = tgs_planner_make(&p, &s.in, a->spec, &err);
        scene_close(&s);
        tgs_proposal_free(p);
        if (status == TGS_EINFEASIBLE) {
            refused++;
            verify(a, floor(part[i] * most), strategy, err.text);
        } else if (status) {
            fail_msg("%s in %.0f bytes: %s", a->spec, part[i] * most, err.text);
        }
        free(strategy);
    }
    return refused;
}

static void models(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof of_models / sizeof *of_models; i++) {
        const int refused = shrink(&of_models[i]);

        print_message("%s: refused %d times\n", of_models[i].spec, refused);
        assert_true(refused > 0);
    }
}

/* ---- graphs ------------------------------------------------------------------------------------
 */
static tgs_status place(const char *spec, double bytes, tgs_error *err)
{
    tgs_platform *p = devices(bytes);
    tgs_graph *g;
    tgs_proposal *o;
    tgs_status status;

    assert_int_equal(tgs_graph_generate(&g, "layered:n=30:kinds=fast+slow", 1, NULL), 0);
    for (int32_t i = 0; i < g->v.tasks; i++)
        ((tgs_task *)g->v.task)[i].bytes = 1000 + i;
    status =
        tgs_planner_make(&o, &(tgs_plan_input){.graph = g, .platform = p, .seed = 1}, spec, err);
    tgs_proposal_free(o);
    tgs_graph_free(g);
    tgs_platform_free(p);
    return status;
}

static void graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof of_graphs / sizeof *of_graphs; i++) {
        tgs_error err = {TGS_OK, ""};
        double enough;

        if (!strncmp(of_graphs[i], "place-ip", 8) && place(of_graphs[i], 1e9, &err))
            continue; /* without CBC */
        if (place(of_graphs[i], 5000, &err) != TGS_EINFEASIBLE)
            fail_msg("%s: %s", of_graphs[i], err.text);
        enough = after(err.text, "the nearest that fits has ");
        assert_true(fabs(enough - 5000 - after(err.text, "in memory: ")) <= 1);
        if (place(of_graphs[i], enough, &err))
            fail_msg("%s in %.0f bytes: %s", of_graphs[i], enough, err.text);
        assert_int_equal(place(of_graphs[i], enough - 2, &err), TGS_EINFEASIBLE);
    }
}

/* ---- files -------------------------------------------------------------------------------------
 */
static tgs_status plan_with(const file *f, double bytes, tgs_error *err)
{
    const tgs_plan_input in = {.file = "t_refusals.tgi", .seed = 1};
    FILE *to = fopen(in.file, "w");
    tgs_proposal *p;
    tgs_status status;

    assert_non_null(to);
    fprintf(to, "tgsched.instance/1\n");
    fprintf(to, f->text, bytes);
    fclose(to);
    status = tgs_planner_make(&p, &in, f->spec, err);
    tgs_proposal_free(p);
    unlink(in.file);
    return status;
}

static void files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++) {
        const file *f = &of_files[i];
        tgs_error err = {TGS_OK, ""};

        if (plan_with(f, f->bytes, &err) != TGS_EINFEASIBLE || !strstr(err.text, "bytes are miss"))
            fail_msg("%s: %s", f->spec, err.text);
        if (plan_with(f, after(err.text, f->named), &err))
            fail_msg("%s: %s", f->spec, err.text);
    }
}

static void osdp_table(void **state)
{
    char path[1000], spec[100];
    tgs_plan_input in = {.file = path};
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *p;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/osdp/layer-choices.csv", getenv("TGS_SRCDIR"));
    assert_int_equal(tgs_planner_make(&p, &in, "osdp-table:hidden=6", &err), TGS_EINFEASIBLE);
    snprintf(spec, sizeof spec, "osdp-table:hidden=6:limits=%.0f",
             ceil(after(err.text, "with a limit of ")));
    if (!strstr(err.text, " bytes are missing per device") || tgs_planner_make(&p, &in, spec, &err))
        fail_msg("%s: %s", spec, err.text);
    tgs_proposal_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_planner_is_asked),
                                       cmocka_unit_test(models), cmocka_unit_test(graphs),
                                       cmocka_unit_test(files), cmocka_unit_test(osdp_table)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
