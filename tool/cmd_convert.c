/* cmd_convert.c -- tgsched convert: a graph from one format to another. */
#include "commands.h"
#include "common.h"

static int run(const command *self, const options *o)
{
    tgs_graph *g;
    int code = open_graph(&g, o->operand[0], self, o);

    if (code)
        return code;
    code = write_graph(g, o);
    tgs_graph_free(g);
    return code;
}

const command cmd_convert = {
    "convert",
    "GRAPH",
    "write a graph in another format",
    "Read GRAPH and write it in another format.",
    1,
    1,
    {&write_options, &graph_options},
    run,
};
