/* t_simgridroutes.c -- the ways that are found in SimGrid platforms, against SimGrid's own: random
 * trees of zones, with hosts, routers and clusters, whose routes are declared or the shortest.
 *
 * The routes of a zone hold 1, 2, 4... links, so that no two ways have as many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include "random.h"

enum { CASES = 60, MEMBERS = 5, NAME = 24 };

typedef struct writing {
    FILE *to, *routes; /* which stand below all links of their zone */
    tgs_rng r;
    int names;
} writing;

typedef struct member {
    char name[NAME], gate[NAME]; /* the gateway; of a host or router its own name */
    bool zone;
} member;

static void put_link(writing *w, const char *name)
{
    static const char *const policies[] = {"SHARED", "FATPIPE"};

    fprintf(w->to, "<link id='%s' bandwidth='%.17gBps' latency='%.17gs' sharing_policy='%s'/>\n",
            name, 1e6 * (1 + tgs_rng_real(&w->r)), 1e-6 * (1 + tgs_rng_real(&w->r)),
            policies[tgs_rng_int(&w->r, 0, 1)]);
}

/* a route of so many new links */
static void put_route(writing *w, const member *a, const member *b, int links)
{
    const bool zones = a->zone;
    const int first = w->names;

    for (int i = 0; i < links; i++) {
        char name[NAME];

        snprintf(name, NAME, "l%d", w->names++);
        put_link(w, name);
    }
    fprintf(w->routes, "<%s src='%s' dst='%s'", zones ? "zoneRoute" : "route", a->name, b->name);
    if (zones)
        fprintf(w->routes, " gw_src='%s' gw_dst='%s'", a->gate, b->gate);
    fputs(">", w->routes);
    for (int i = 0; i < links; i++)
        fprintf(w->routes, "<link_ctn id='l%d'/>", first + i);
    fprintf(w->routes, "</%s>\n", zones ? "zoneRoute" : "route");
}

static void put_routes(writing *w, const member *m, int n, bool full)
{
    int routes = 0, end = 0;
    char *text;
    size_t size;

    w->routes = open_memstream(&text, &size);
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i && full; k++)
            put_route(w, &m[k], &m[i], 1 + k % 3);
    for (int i = 1; i < n && !full; i++) {
        end = (int)tgs_rng_int(&w->r, 0, i - 1);
        put_route(w, &m[end], &m[i], 1 << routes++);
    }
    if (!full && end) /* a way round */
        put_route(w, &m[0], &m[n - 1], 1 << routes);
    fclose(w->routes);
    fputs(text, w->to);
    free(text);
}

static const char *routing(writing *w, int *which)
{
    static const char *const names[] = {"Full", "Floyd", "Dijkstra"};

    *which = (int)tgs_rng_int(&w->r, 0, 2);
    return names[*which];
}

static void put_cluster(writing *w, member *m)
{
    const int first = w->names, backbone = (int)tgs_rng_int(&w->r, 0, 1);

    snprintf(m->name, NAME, "c%d", w->names++);
    snprintf(m->gate, NAME, "r-%d", first);
    fprintf(w->to,
            "<cluster id='%s' prefix='h%d-' suffix='' radical='0-%d' speed='1Gf' bw='%.17gBps' "
            "lat='%.17gs' router_id='%s'",
            m->name, first, (int)tgs_rng_int(&w->r, 0, 2), 1e6 * (1 + tgs_rng_real(&w->r)),
            1e-6 * (1 + tgs_rng_real(&w->r)), m->gate);
    if (backbone)
        fprintf(w->to, " bb_bw='%.17gBps' bb_lat='%.17gs'", 1e6 * (1 + tgs_rng_real(&w->r)),
                1e-6 * (1 + tgs_rng_real(&w->r)));
    fputs("/>\n", w->to);
}

/* hosts, and a router or not; one of them is the gateway */
static void put_leaf(writing *w, member *m)
{
    member in[MEMBERS];
    const int n = (int)tgs_rng_int(&w->r, 1, MEMBERS);
    int which, routers = 0;

    snprintf(m->name, NAME, "z%d", w->names++);
    fprintf(w->to, "<zone id='%s' routing='%s'>\n", m->name, routing(w, &which));
    for (int i = 0; i < n; i++) {
        const bool router = n > 2 && !tgs_rng_int(&w->r, 0, 3) && routers < 2;

        snprintf(in[i].name, NAME, "%c%d", router ? 'r' : 'h', w->names++);
        memcpy(in[i].gate, in[i].name, NAME);
        in[i].zone = false;
        routers += router;
        if (router)
            fprintf(w->to, "<router id='%s'/>\n", in[i].name);
        else
            fprintf(w->to, "<host id='%s' speed='1Gf'/>\n", in[i].name);
    }
    put_routes(w, in, n, which == 0);
    fputs("</zone>\n", w->to);
    memcpy(m->gate, in[tgs_rng_int(&w->r, 0, n - 1)].gate, NAME);
}

static void put_zone(writing *w, member *m, int depth)
{
    member in[MEMBERS];
    int which, n;

    m->zone = true;
    if (depth == 0 || tgs_rng_int(&w->r, 0, 2) == 0) {
        if (tgs_rng_int(&w->r, 0, 1))
            put_cluster(w, m);
        else
            put_leaf(w, m);
        return;
    }
    n = (int)tgs_rng_int(&w->r, 2, depth > 1 ? 4 : 3);
    snprintf(m->name, NAME, "z%d", w->names++);
    fprintf(w->to, "<zone id='%s' routing='%s'>\n", m->name, routing(w, &which));
    for (int i = 0; i < n; i++)
        put_zone(w, &in[i], depth - 1);
    put_routes(w, in, n, which == 0);
    fputs("</zone>\n", w->to);
    memcpy(m->gate, in[tgs_rng_int(&w->r, 0, n - 1)].gate, NAME);
}

static void write_platform(const char *path, uint64_t seed)
{
    writing w = {.to = fopen(path, "w")};
    member root;

    assert_non_null(w.to);
    tgs_rng_seed(&w.r, seed);
    fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version='4.1'>\n",
          w.to);
    put_zone(&w, &root, 3);
    fputs("</platform>\n", w.to);
    assert_int_equal(fclose(w.to), 0);
}

/* one engine a process: a child asks SimGrid and answers with [from * memories + to] pairs */
static void ask_simgrid(const char *path, const tgs_platform_view *p, double *out, size_t count)
{
    char *argv[] = {(char *)"t", (char *)"--log=root.thresh:error", NULL};
    int ends[2], argc = 2, status;
    char *to = (char *)out;
    size_t want = count * sizeof *out;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        FILE *answer = fdopen(ends[1], "w");

        simgrid_init(&argc, argv);
        simgrid_load_platform(path);
        simgrid_run(); /* nobody acts; the tables of shortest ways are made */
        for (int32_t i = 0; i < p->memories; i++)
            for (int32_t j = 0; j < p->memories; j++) {
                const sg_host_t a = sg_host_by_name(p->memory[i].name);
                const sg_host_t b = sg_host_by_name(p->memory[j].name);
                const double pair[] = {i == j ? 0 : sg_host_get_route_latency(a, b),
                                       i == j ? 0 : sg_host_get_route_bandwidth(a, b)};

                fwrite(pair, sizeof pair, 1, answer);
            }
        fclose(answer);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; want && (n = read(ends[0], to, want)) > 0; want -= (size_t)n)
        to += n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (want || status)
        fail_msg("%s: SimGrid ended with status %d", path, status);
}

static void ways_are_those_of_simgrid(void **state)
{
    int64_t pairs = 0;

    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        char path[] = "/tmp/tgsched-ways-XXXXXX.xml";
        const int file = mkstemps(path, 4);
        tgs_error err = {TGS_OK, ""};
        tgs_platform *p;
        double *theirs;

        assert_true(file >= 0);
        close(file);
        write_platform(path, seed);
        if (tgs_platform_open(&p, path, &err))
            fail_msg("seed %d: %s", (int)seed, err.text);
        theirs = calloc((size_t)p->v.memories * (size_t)p->v.memories, 2 * sizeof *theirs);
        ask_simgrid(path, &p->v, theirs, 2 * (size_t)p->v.memories * (size_t)p->v.memories);
        assert_int_equal(p->v.links, p->v.memories * (p->v.memories - 1));
        for (int32_t i = 0; i < p->v.links; i++) {
            const tgs_link *l = &p->v.link[i];
            const double *t = &theirs[2 * (l->from * p->v.memories + l->to)];

            if (!(fabs(l->latency - t[0]) <= 1e-12 * t[0]) || l->bandwidth != t[1])
                fail_msg("seed %d, %s to %s: %.17g s, %.17g B/s, not %.17g and %.17g", (int)seed,
                         p->v.memory[l->from].name, p->v.memory[l->to].name, l->latency,
                         l->bandwidth, t[0], t[1]);
            pairs++;
        }
        free(theirs);
        tgs_platform_free(p);
        unlink(path);
    }
    print_message("%lld pairs of hosts\n", (long long)pairs);
    assert_true(pairs > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ways_are_those_of_simgrid)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
