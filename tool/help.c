/* help.c -- --help and the option sections of tgsched(1), both from the option tables. */
#include <string.h>
#include "common.h"

enum { INDENT = 26, WIDTH = 80 };

/* text in lines of at most WIDTH columns; column is where the cursor is */
static void wrap(FILE *to, const char *text, int indent, int column)
{
    while (*text) {
        const size_t word = strcspn(text, " ");

        if (column > indent && column + 1 + (int)word > WIDTH) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putc(' ', to);
            column++;
        }
        fwrite(text, 1, word, to);
        column += (int)word;
        text += word + strspn(text + word, " ");
    }
    putc('\n', to);
}

static void help_row(const char *name, char letter, const char *argument, const char *help,
                     FILE *to)
{
    char head[64];
    int n = letter ? snprintf(head, sizeof head, "  -%c, --%s", letter, name)
                   : snprintf(head, sizeof head, "      --%s", name);

    if (argument)
        n += snprintf(head + n, sizeof head - (size_t)n, *argument == '[' ? "%s" : " %s", argument);
    fputs(head, to);
    if (n > INDENT - 2) {
        putc('\n', to);
        n = 0;
    }
    fprintf(to, "%*s", INDENT - n, "");
    wrap(to, help, INDENT, INDENT);
}

void options_help(const command *c, FILE *to)
{
    fprintf(to, "Usage: tgsched %s [OPTION]...%s%s\n", c->name, *c->operands ? " " : "",
            c->operands);
    wrap(to, c->text, 0, 0);
    for (int g = 0; g < MAX_GROUPS && c->group[g]; g++) {
        fprintf(to, "\n%s:\n", c->group[g]->title ? c->group[g]->title : "Options");
        for (const opt_row *row = c->group[g]->row; row->name; row++)
            help_row(row->name, row->letter, row->argument, row->help, to);
    }
    putc('\n', to);
    help_row("help", 'h', NULL, "this text", to);
}

/* roff: a backslash and a leading dot or quote are commands, and a '-' that is typed is \- */
static void put_roff(FILE *to, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", to);
    for (; *text; text++)
        if (*text == '-')
            fputs("\\-", to);
        else if (*text == '\\')
            fputs("\\e", to);
        else
            putc(*text, to);
}

static void man_rows(const opt_group *group, FILE *to)
{
    for (const opt_row *row = group->row; row->name; row++) {
        fputs(".TP\n", to);
        if (row->letter)
            fprintf(to, "\\fB\\-%c\\fR, ", row->letter);
        fputs("\\fB\\-\\-", to);
        put_roff(to, row->name);
        fputs("\\fR", to);
        if (row->argument) {
            fputs(*row->argument == '[' ? "\\fI" : " \\fI", to);
            put_roff(to, row->argument);
            fputs("\\fR", to);
        }
        putc('\n', to);
        put_roff(to, row->help);
        fputs(".\n", to);
    }
}

static void man_command(const command *c, FILE *to)
{
    bool first = true;

    fprintf(to, ".SS tgsched %s \\fR[\\fIoption\\fR]...\\fI %s\\fR\n", c->name, c->operands);
    put_roff(to, c->text);
    putc('\n', to);
    for (int g = 0; g < MAX_GROUPS && c->group[g]; g++)
        if (!c->group[g]->title)
            man_rows(c->group[g], to);
    for (int g = 0; g < MAX_GROUPS && c->group[g]; g++)
        if (c->group[g]->title) {
            fputs(first ? ".PP\nAlso takes: \\fI" : "\\fR, \\fI", to);
            put_roff(to, c->group[g]->title);
            first = false;
        }
    if (!first)
        fputs("\\fR.\n", to);
}

void options_man(const command *const *commands, FILE *to)
{
    static const opt_group *const shared[] = {&graph_options, &machine_options, &plan_options,
                                              &write_options, &table_options,   &report_options};

    fputs(".SH COMMANDS\n", to);
    for (; *commands; commands++)
        man_command(*commands, to);
    fputs(".SH OPTIONS\nEvery command takes \\fB\\-\\-help\\fR.\n", to);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        fputs(".SS ", to);
        put_roff(to, shared[i]->title);
        putc('\n', to);
        man_rows(shared[i], to);
    }
}
