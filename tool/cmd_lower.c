/* cmd_lower.c -- tgsched lower: a model's training step (or forward pass) as a graph. */
#include "commands.h"
#include "common.h"

static int run(const command *self, const options *o)
{
    tgs_graph *g;
    int code = lower_model(&g, o->operand[0], self, o);

    if (code)
        return code;
    code = write_graph(g, o);
    tgs_graph_free(g);
    return code;
}

const command cmd_lower = {
    "lower",
    "MODEL",
    "lower a model to a graph of tasks and data",
    "Lower MODEL to tasks and data: with --train a whole training step (forward, backward and "
    "update), otherwise its forward pass.",
    1,
    1,
    {&write_options, &graph_options},
    run,
};
