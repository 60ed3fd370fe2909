/* main.c -- the command tgsched: a table of subcommands.
 * Exit codes: 0 success, 1 failure, 2 misuse, 3 nothing feasible. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "common.h"

static const command *const commands[] = {
#define COMMAND_ENTRY(name) &cmd_##name,
    COMMAND_MAP(COMMAND_ENTRY) NULL,
};
enum { COMMANDS = sizeof commands / sizeof *commands - 1 };

static void usage(FILE *to)
{
    fputs("Usage: tgsched COMMAND [OPTION]... [ARGUMENT]...\n"
          "Schedule task graphs on machines whose processors differ, and run the schedule.\n\n"
          "Commands:\n",
          to);
    for (const command *const *c = commands; *c; c++)
        fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fputs("\n'tgsched COMMAND --help' lists the options of one; 'man tgsched' has examples.\n", to);
}

static int unknown(const char *name)
{
    const char *names[COMMANDS], *near;

    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    near = nearest(name, names, COMMANDS);
    return misuse(NULL, near ? "no command '%s'; did you mean '%s'?" : "no command '%s'", name,
                  near);
}

static int run(int argc, char **argv)
{
    options o;
    int code;

    if (argc < 2)
        return misuse(NULL, "which command?");
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        usage(stdout);
        return EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        const unsigned v = tgs_api_version();

        printf("tgsched %u.%u.%u\n", v >> 16, v >> 8 & 255, v & 255);
        return EXIT_OK;
    }
    if (!strcmp(argv[1], "--man-options")) { /* what tests/cli/options.sh compares the page with */
        options_man(commands, stdout);
        return EXIT_OK;
    }
    for (const command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, argv[1])) {
            options_init(&o);
            code = options_parse(&o, *c, argc - 1, argv + 1);
            return code < 0 ? (*c)->run(*c, &o) : code;
        }
    return argv[1][0] == '-' ? misuse(NULL, "no option '%s' before a command", argv[1])
                             : unknown(argv[1]);
}

int main(int argc, char **argv)
{
    int code;

    /* a closed pipe is an error where it is written to: of an outside heuristic, of our reader */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* likewise a file that may not grow */
    code = close_stdout(run(argc, argv));
    if (backend_broken()) /* a stalled StarPU never ends its threads: what is to be said has been */
        _exit(code);
    return code;
}
