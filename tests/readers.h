/* readers.h -- for tests of the graph readers: files of the tree, and what a graph says. */
#ifndef TGS_TESTS_READERS_H
#define TGS_TESTS_READERS_H
#include "graphtext.h"

static inline const char *data_path(const char *name)
{
    static char path[4096];
    const char *root = getenv("TGS_SRCDIR");

    snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", name);
    return path;
}

static inline tgs_graph *graph_of(const char *path, const char *format)
{
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (tgs_graph_read(&g, path, format, &err))
        fail_msg("%s", err.text);
    return g;
}

static inline int32_t task(const tgs_graph *g, const char *name)
{
    const int32_t t = tgs_graph_find_task(g, name);

    if (t < 0)
        fail_msg("no task '%s'", name);
    return t;
}

/* the bytes that travel from u to v, -1 for order only; fails when v does not depend on u */
static inline double carried(const tgs_graph *g, const char *u, const char *v)
{
    const int32_t from = task(g, u), to = task(g, v);

    for (int32_t e = g->v.pred_at[to]; e < g->v.pred_at[to + 1]; e++)
        if (g->v.pred[e] == from)
            return g->v.pred_datum[e] < 0 ? -1 : g->v.datum[g->v.pred_datum[e]].bytes;
    fail_msg("%s does not depend on %s", v, u);
    return NAN;
}

static inline double time_on(const tgs_graph *g, int32_t t, int32_t kind)
{
    return g->v.time[(int64_t)t * g->v.kinds + kind];
}

/* is there a reader, or a writer, of this name in this build? */
static inline bool have_plugin(const char *kind, const char *name)
{
    const tgs_plugin *p;

    if (!tgs_i_find(&p, kind, name, NULL))
        return true;
    print_message("this build has no %s %s\n", kind, name);
    skip();
    return false;
}

static inline bool have(const char *reader)
{
    return have_plugin("reader", reader);
}
#endif
