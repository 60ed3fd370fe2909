/* t_transformers.c -- GPT-2 and BERT train: loss and gradients of small ones are those of an
 * independent program (tests/data/gradients), in double to 1e-10, plain and under every transform
 * that leaves the mathematics as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "parts.h"

enum { SAMPLES = 4, SEQ = 4, WIDTH = 8, WORDS = 16, MOST = 40 };

typedef struct slope { /* of a parameter, and how that starts */
    char name[80], init[40];
    double scale, *value;
    uint64_t seed;
    int64_t count;
} slope;

typedef struct golden {
    const char *network;
    double loss;
    int32_t slopes;
    slope slope[MOST];
} golden;

static void load(golden *x, const char *network)
{
    const char *root = getenv("TGS_SRCDIR");
    char path[4096], dims[40], *cursor = dims, *dim;
    FILE *f;

    *x = (golden){.network = network};
    snprintf(path, sizeof path, "%s/tests/data/gradients/%s.txt", root ? root : ".", network);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "loss %lf", &x->loss), 1);
    for (slope *s = x->slope; x->slopes < MOST; s++, x->slopes++) {
        unsigned long long seed;

        if (fscanf(f, "%79s %llu %lf %39s", s->name, &seed, &s->scale, dims) != 4)
            break;
        s->seed = seed;
        snprintf(s->init, sizeof s->init, "random:%llu:%.9g", seed, s->scale);
        for (s->count = 1, cursor = dims; (dim = strsep(&cursor, "x"));)
            s->count *= atoi(dim);
        s->value = calloc((size_t)s->count, sizeof *s->value);
        for (int64_t i = 0; i < s->count; i++)
            assert_int_equal(fscanf(f, "%lf", &s->value[i]), 1);
    }
    fclose(f);
    assert_true(x->slopes > 10 && x->slopes < MOST);
}

static void unload(golden *x)
{
    for (int32_t i = 0; i < x->slopes; i++)
        free(x->slope[i].value);
}

/* the network of some samples, whose parameters start as the file says */
static tgs_model *network(const golden *x, int batch)
{
    char spec[120];
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};
    int32_t named = 0;

    snprintf(spec, sizeof spec,
             "zoo:%s:batch=%d:seq=%d:layers=1:width=%d:heads=2:words=%d:positions=%d",
             *x->network == 'b' ? "bert-base" : "gpt2", batch, SEQ, WIDTH, WORDS, SEQ);
    if (tgs_model_read(&m, spec, NULL, NULL, &err))
        fail_msg("%s", err.text);
    for (int32_t t = 0; t < m->v.tensors; t++) {
        tgs_tensor *tensor = (tgs_tensor *)&m->v.tensor[t];

        if (tensor->role != TGS_ROLE_PARAMETER)
            continue;
        tensor->init = NULL;
        for (int32_t i = 0; i < x->slopes; i++)
            if (!strcmp(tensor->name, x->slope[i].name))
                tensor->init = x->slope[i].init;
        if (!tensor->init)
            fail_msg("%s is none of the file's parameters", tensor->name);
        named++;
    }
    assert_int_equal(named, x->slopes);
    return m;
}

/* element i of an input whose first sample is `first`: what the script has */
static int64_t input(const char *name, bool bert, int64_t first, int64_t i)
{
    const int64_t sample = first + i / SEQ, place = i % SEQ;

    if (*name == 'p')
        return place;
    if (*name == 's')
        return place >= 2;
    if (*name == 't')
        return (5 * sample + 3 * place + 1) % WORDS;
    return bert ? (3 * (first + i) + 2) % WIDTH : (3 * sample + 7 * place + 2) % WORDS;
}

/* a number behind this letter in the mark of a copy, "@r1.m2" */
static int64_t copy_of(const char *mark, char letter)
{
    const char *at = mark ? strchr(mark, letter) : NULL;

    return at ? atoi(at + 1) : 0;
}

/* binds every copy of the inputs; returns what is bound, for the caller to free */
static void **bind_inputs(tgs_run *r, const tgs_graph *g, bool bert, int batch, int pieces)
{
    static const char *const names[] = {"tokens", "positions", "segments", "labels"};
    void **bound = calloc((size_t)g->v.data, sizeof *bound);

    for (int32_t d = 0; d < g->v.data; d++) {
        const char *name = tgs_datum_name(&g->v, d, TGS_ROOM), *mark = strchr(name, '@');
        const size_t n = mark ? (size_t)(mark - name) : strlen(name);
        const int64_t first = batch * (copy_of(mark, 'r') * pieces + copy_of(mark, 'm'));
        const bool wide = g->v.extra[g->v.datum[d].extra].dtype == TGS_I64;
        const int64_t count = (int64_t)g->v.datum[d].bytes / (wide ? 8 : 4);

        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (strlen(names[k]) != n || strncmp(names[k], name, n))
                continue;
            bound[d] = malloc((size_t)g->v.datum[d].bytes);
            for (int64_t i = 0; i < count; i++)
                if (wide)
                    ((int64_t *)bound[d])[i] = input(name, bert, first, i);
                else
                    ((int32_t *)bound[d])[i] = (int32_t)input(name, bert, first, i);
            assert_int_equal(tgs_run_bind(r, d, bound[d], NULL), TGS_OK);
        }
    }
    return bound;
}

/* with a rate of 1 the weights lose their gradients in a step */
static void compare(const golden *x, tgs_run *r, const tgs_graph *g, const char *strategy)
{
    double loss, worst = 0, difference = 0, norm = 0;

    assert_int_equal(tgs_run_read_f64(r, tgs_graph_find_datum(g, "loss"), &loss, NULL), TGS_OK);
    if (!(fabs(loss - x->loss) <= 1e-10 * fabs(x->loss)))
        fail_msg("%s %s: a loss of %.15g, not %.15g", x->network, strategy, loss, x->loss);
    for (int32_t k = 0; k < x->slopes; k++) {
        const slope *s = &x->slope[k];
        double *now = calloc((size_t)s->count, sizeof *now), own = 0, off = 0;
        tgs_rng rng;

        part_read(r, g, s->name, s->count, now, 0);
        tgs_rng_seed(&rng, s->seed);
        for (int64_t i = 0; i < s->count; i++) {
            const double start = (float)(s->scale * (2 * tgs_rng_real(&rng) - 1));

            off += pow(start - now[i] - s->value[i], 2);
            own += pow(s->value[i], 2);
        }
        free(now);
        difference += off;
        norm += own;
        worst = fmax(worst, own > 1e-20 ? sqrt(off / own) : 0); /* a key's bias has none */
    }
    if (!(norm > 0) || !(sqrt(difference) <= 1e-10 * sqrt(norm)) || !(worst <= 1e-9))
        fail_msg("%s %s: gradients off by %g of %g, the worst by %g of its own", x->network,
                 strategy, sqrt(difference), sqrt(norm), worst);
}

static void check(const golden *x, int batch, int pieces, const char *more)
{
    tgs_model *m = network(x, batch);
    char strategy[300];
    tgs_error err = {TGS_OK, ""};
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_graph *g;
    tgs_run *r = NULL;
    void **bound;

    snprintf(strategy, sizeof strategy, "train sgd lr=1; loss xent; %s", more);
    g = lowered(m, strategy);
    assert_int_equal(tgs_platform_parse(&p, "cpu:8 cpu:8/own link:1,0", &err), TGS_OK);
    if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial:precision=f64", &err))
        fail_msg("%s: %s", strategy, err.text);
    bound = bind_inputs(r, g, *x->network == 'b', batch, pieces);
    if (tgs_run_step(r, &err))
        fail_msg("%s: %s", strategy, err.text);
    compare(x, r, g, more);
    assert_int_equal(tgs_run_close(r, NULL, NULL), TGS_OK);
    for (int32_t d = 0; d < g->v.data; d++)
        free(bound[d]);
    free(bound);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* of four samples: as many in a micro-batch of a replica, and micro-batches of one */
static const struct form {
    int batch, pieces;
    const char *text;
} forms[] = {
    {4, 1, ""},
    {2, 2, "micro-batches 2"},
    {1, 4, "micro-batches 4; accumulate tree"},
    {2, 1, "replicas 2"},
    {1, 1, "replicas 4 tree=2"},
    {1, 2, "micro-batches 2; replicas 2 reduce=ring"},
    {1, 4, "micro-batches 4; pipeline 2"},
    {1, 4, "micro-batches 4; pipeline 3 gpipe"},
    {1, 2, "micro-batches 2; replicas 2; pipeline 2"},
    {4, 1, "recompute"},
    {2, 2, "micro-batches 2; recompute 3"},
    {4, 1, "tensor 1d 2"},
    {1, 2, "micro-batches 2; replicas 2; tensor 1d 2"},
    {2, 1, "replicas 2; shard 1"},
    {2, 1, "replicas 2; shard 2"},
    {2, 1, "replicas 2; shard 3"},
    {1, 2, "micro-batches 2; replicas 2 reduce=ring; shard 3 layered=1"},
    {1, 2, "micro-batches 2; replicas 2; shard 3; recompute"},
    {4, 1, "split layer0.feed.up.matmul,layer0.feed.down.matmul k=2"},
    {4, 1, "split layer0.feed.down.matmul rows=2 columns=2"},
};

static void all_forms(const char *network)
{
    golden x;

    load(&x, network);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check(&x, forms[i].batch, forms[i].pieces, forms[i].text);
    unload(&x);
}

static void gpt2(void **state)
{
    (void)state;
    all_forms("gpt2");
}

static void bert(void **state)
{
    (void)state;
    all_forms("bert");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpt2),
        cmocka_unit_test(bert),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
