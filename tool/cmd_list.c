/* cmd_list.c -- tgsched list: what is compiled in. */
#include <string.h>
#include "commands.h"
#include "common.h"
#include "table.h"

static const column overview[] = {
    {"kind", "kind", CELL_TEXT},
    {"name", "name", CELL_TEXT},
    {"summary", "summary", CELL_TEXT},
    {"citation", NULL, CELL_TEXT},
};
static const column parameters[] = {
    {"kind", NULL, CELL_TEXT},         {"name", NULL, CELL_TEXT},
    {"key", "parameter", CELL_TEXT},   {"default", "default", CELL_TEXT},
    {"meaning", "meaning", CELL_TEXT},
};

static void add_parameters(table *t, const char *kind, int32_t i)
{
    const char *key, *value, *meaning;

    for (int32_t j = 0; !tgs_plugin_param(kind, i, j, &key, &value, &meaning); j++) {
        const int32_t row = table_row(t);

        table_text(t, row, "kind", kind);
        table_text(t, row, "name", tgs_plugin_name(kind, i));
        table_text(t, row, "key", key);
        table_text(t, row, "default", value);
        table_text(t, row, "meaning", meaning);
    }
}

static void collect(table *plugins, table *params, const char *kind, const char *name)
{
    for (int32_t i = 0; tgs_plugin_name(kind, i); i++) {
        int32_t row;

        if (name && strcmp(name, tgs_plugin_name(kind, i)))
            continue;
        row = table_row(plugins);
        table_text(plugins, row, "kind", kind);
        table_text(plugins, row, "name", tgs_plugin_name(kind, i));
        table_text(plugins, row, "summary", tgs_plugin_summary(kind, i));
        if (*tgs_plugin_citation(kind, i))
            table_text(plugins, row, "citation", tgs_plugin_citation(kind, i));
        add_parameters(params, kind, i);
    }
}

/* one plug-in in full: summary, citation, parameters */
static int describe(const table *plugins, const table *params, FILE *to)
{
    const cell *c = plugins->cell;

    fprintf(to, "%s %s: %s\n", c[0].text, c[1].text, c[2].text);
    if (c[3].text)
        fprintf(to, "Source: %s\n", c[3].text);
    if (!params->rows)
        return fputs("No parameters.\n", to) < 0;
    return table_people(params, to);
}

static int print(const table *plugins, const table *params, bool one, const options *o, FILE *to)
{
    if (o->csv)
        return table_csv(plugins, to);
    if (o->json) {
        fputs("{\"format\": \"tgsched.list/1\", ", to);
        table_json(plugins, to);
        fputs(", ", to);
        table_json(params, to);
        fputs("}\n", to);
        return EXIT_OK;
    }
    return one ? describe(plugins, params, to) : table_people(plugins, to);
}

static int check_names(const command *self, const char *kind, const char *name)
{
    const char *known[64], *near;
    int count = 0;

    for (; count < 64 && tgs_plugin_kind(count); count++)
        known[count] = tgs_plugin_kind(count);
    for (int i = 0; i < count && kind; i++)
        if (!strcmp(kind, known[i])) {
            for (int32_t j = 0; tgs_plugin_name(kind, j); j++)
                if (!name || !strcmp(name, tgs_plugin_name(kind, j)))
                    return EXIT_OK;
            return name ? misuse(self, "no %s '%s'", kind, name) : EXIT_OK;
        }
    if (!kind)
        return EXIT_OK;
    near = nearest(kind, known, count);
    return misuse(self, near ? "no kind '%s'; did you mean '%s'?" : "no kind '%s'", kind, near);
}

static int run(const command *self, const options *o)
{
    const char *kind = o->operands > 0 ? o->operand[0] : NULL;
    const char *name = o->operands > 1 ? o->operand[1] : NULL;
    table plugins, params;
    result r;
    int code = check_names(self, kind, name);

    if (code)
        return code;
    table_init(&plugins, "plugins", overview, sizeof overview / sizeof *overview);
    table_init(&params, "parameters", parameters, sizeof parameters / sizeof *parameters);
    for (int32_t i = 0; tgs_plugin_kind(i); i++)
        if (!kind || !strcmp(kind, tgs_plugin_kind(i)))
            collect(&plugins, &params, tgs_plugin_kind(i), name);
    code = result_open(&r, o->output);
    if (!code)
        code = print(&plugins, &params, name != NULL, o, r.file);
    code = result_close(&r, code);
    table_free(&plugins);
    table_free(&params);
    return code;
}

const command cmd_list = {
    "list",
    "[KIND [NAME]]",
    "list heuristics, readers, generators and every other part",
    "List what is compiled in: of every kind, of one KIND, or one plug-in with its source in the "
    "literature and its parameters.",
    0,
    2,
    {&table_options},
    run,
};
