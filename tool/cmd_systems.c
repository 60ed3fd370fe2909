/* cmd_systems.c -- tgsched systems: the published systems, and what there is of each. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "common.h"
#include "records.h"

static const struct {
    const char *id, *name, *offers, *command, *outside;
} systems[] = {
#define SYSTEM(id, name, offers, command, outside) {id, name, offers, command, outside},
#include "systems.def"
#undef SYSTEM
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static const column columns[] = {
    {"id", "id", CELL_TEXT},           {"name", "name", CELL_TEXT},
    {"planners", NULL, CELL_TEXT},     {"offers", "offered", CELL_TEXT},
    {"command", "command", CELL_TEXT}, {"outside", "outside a scheduling engine", CELL_TEXT},
};

static bool lists(const char *ids, const char *id)
{
    const size_t n = strlen(id);

    for (const char *s = ids; *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strcspn(s, " ") == n && !strncmp(s, id, n))
            return true;
    return false;
}

/* the planners that say they are this system, as they register */
static void add_planners(table *t, int32_t row, const char *id)
{
    char text[400] = "";
    size_t used = 0;
    const char *name;

    for (int32_t i = 0; (name = tgs_plugin_name("planner", i)); i++)
        if (used < sizeof text && lists(tgs_planner_systems(name), id))
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", name);
    if (*text)
        table_text(t, row, "planners", text);
}

static int run(const command *self, const options *o)
{
    const char *id = o->operands ? o->operand[0] : NULL;
    table t;
    result r;
    int code;

    table_init(&t, "systems", columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < SYSTEMS; i++)
        if (!id || !strcmp(id, systems[i].id)) {
            const int32_t row = table_row(&t);

            table_text(&t, row, "id", systems[i].id);
            table_text(&t, row, "name", systems[i].name);
            table_text(&t, row, "offers", systems[i].offers);
            if (*systems[i].command)
                table_text(&t, row, "command", systems[i].command);
            if (*systems[i].outside)
                table_text(&t, row, "outside", systems[i].outside);
            add_planners(&t, row, systems[i].id);
        }
    code = t.rows ? result_open(&r, o->output)
                  : misuse(self, "no system '%s' (there are: S0 to S20, T0 to T20)", id);
    if (!code) {
        code = table_print(&t, "systems", o, r.file);
        code = result_close(&r, code);
    }
    table_free(&t);
    return code;
}

const command cmd_systems = {
    "systems",
    "[ID]",
    "list the published systems, and what there is of each",
    "List the 42 published systems that the planners, transforms and heuristics are measured "
    "against: what is offered of each (or 'not yet'), a command that shows it (its files are "
    "those of tests/data of the source), and which parts of the paper lie outside a scheduling "
    "engine. Nothing is claimed for accuracy or convergence.",
    0,
    1,
    {&table_options},
    run,
};
