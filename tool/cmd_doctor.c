/* cmd_doctor.c -- tgsched doctor: what this machine offers, and why a device is missing. */
#include <string.h>
#include "commands.h"
#include "common.h"
#include "records.h"

static const column columns[] = {
    {"state", "state", CELL_TEXT},
    {"part", "part", CELL_TEXT},
    {"text", "what is seen", CELL_TEXT},
};

/* lines "state: part: text" */
static void fill(table *t, char *text)
{
    char *line, *state, *part;

    while ((line = strsep(&text, "\n"))) {
        int32_t row;

        state = strsep(&line, ":");
        part = line ? strsep(&line, ":") : NULL;
        if (!line)
            continue;
        row = table_row(t);
        table_text(t, row, "state", state);
        table_text(t, row, "part", part + strspn(part, " "));
        table_text(t, row, "text", line + strspn(line, " "));
    }
}

static int run(const command *self, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    char *text;
    table t;
    result r;
    int code;
    tgs_status status;

    (void)self;
    progress("looking at this machine ...");
    status = tgs_doctor(&text, &err);
    if (status)
        return fail(status, &err);
    table_init(&t, "findings", columns, sizeof columns / sizeof *columns);
    fill(&t, text);
    code = result_open(&r, o->output);
    if (!code)
        code = table_print(&t, "doctor", o, r.file);
    code = result_close(&r, code);
    table_free(&t);
    tgs_text_free(text);
    return code;
}

const command cmd_doctor = {
    "doctor",
    "",
    "show what this machine offers, and why a device is missing",
    "Show what hwloc, StarPU, OpenCL and CUDA see on this machine, which processors the platform "
    "'host' has for that reason, and why a device that one may expect is missing.",
    0,
    0,
    {&table_options},
    run,
};
