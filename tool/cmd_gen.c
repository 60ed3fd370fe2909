/* cmd_gen.c -- tgsched gen: a generated graph, written to a file. */
#include <string.h>
#include "commands.h"
#include "common.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"seed", 0, OPT_SEED, "N", "seed of every random choice (default: 0)", AT(seed)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int run(const command *self, const options *o)
{
    const char *spec = o->operand[0];
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;
    tgs_status status;
    int code;

    (void)self;
    if (!strncmp(spec, "gen:", 4))
        spec += 4;
    status = tgs_graph_generate(&g, spec, o->seed, &err);
    if (status)
        return fail_spec(status, &err);
    if (*tgs_graph_note(g))
        warn("%s: %s", spec, tgs_graph_note(g));
    code = write_graph(g, o);
    tgs_graph_free(g);
    return code;
}

const command cmd_gen = {
    "gen",
    "SPEC",
    "generate a graph",
    "Generate a graph. SPEC is NAME:KEY=VALUE:..., as in layered:n=1000:ccr=0.5; 'tgsched list "
    "generator' lists the names, 'tgsched list generator NAME' the keys of one.",
    1,
    1,
    {&own, &write_options},
    run,
};
