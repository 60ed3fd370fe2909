/* commands.h -- the subcommands, in the order of --help; each is defined in its cmd_NAME.c. */
#ifndef TGS_TOOL_COMMANDS_H
#define TGS_TOOL_COMMANDS_H
#include "opts.h"

#define COMMAND_MAP(X) \
    X(info)            \
    X(list)            \
    X(doctor)          \
    X(model)           \
    X(lower)           \
    X(gen)             \
    X(convert)         \
    X(plan)            \
    X(systems)         \
    X(schedule)        \
    X(check)           \
    X(bound)           \
    X(forkjoin)        \
    X(simulate)        \
    X(compare)         \
    X(adversary)       \
    X(explain)         \
    X(calibrate)       \
    X(costs)           \
    X(run)             \
    X(audit)           \
    X(capture)         \
    X(replay)          \
    X(view)

#define COMMAND_DECLARE(name) extern const command cmd_##name;
COMMAND_MAP(COMMAND_DECLARE)
#endif
