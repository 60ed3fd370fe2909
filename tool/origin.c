/* origin.c -- a schedule's file tells the graph it is for and the options that the graph and its
 * prices were made with, so that whoever reads it need not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"

/* whose options these are */
static const command words = {.name = "schedule", .group = {&graph_options, &machine_options}};

/* the value that o has of row, as text; NULL: not given */
static const char *given(const opt_row *row, const options *o, char room[static 40])
{
    const void *field = (const char *)o + row->at;
    options nothing;

    options_init(&nothing);
    switch (row->type) {
    case OPT_FLAG:
        return *(const bool *)field ? "" : NULL;
    case OPT_COUNT:
        snprintf(room, 40, "%lld", (long long)*(const int64_t *)field);
        return *(const int64_t *)field ? room : NULL;
    case OPT_SEED:
        snprintf(room, 40, "%llu", (unsigned long long)*(const uint64_t *)field);
        return *(const uint64_t *)field ? room : NULL;
    case OPT_REAL:
        snprintf(room, 40, "%.17g", *(const double *)field);
        return isnan(*(const double *)field) ? NULL : room;
    case OPT_MANY:
        return ((const many *)field)->last;
    case OPT_TEXT:
    case OPT_INPUT:
    case OPT_CHOICE:
    case OPT_REPORT:
        break;
    }
    const char *text = *(const char *const *)field;
    const char *standard = *(const char *const *)((const char *)&nothing + row->at);

    return text && (!standard || strcmp(text, standard) != 0) ? text : NULL;
}

/* what another process cannot open again, or a line cannot hold */
static bool passing(const char *word)
{
    return !strncmp(word, "/dev/", 5) || !strncmp(word, "/proc/", 6) || strchr(word, '\n');
}

/* false: o is not to be told */
static bool put_options(FILE *to, const options *o)
{
    char room[40];

    for (int g = 0; words.group[g]; g++)
        for (const opt_row *row = words.group[g]->row; row->name; row++) {
            const char *value = given(row, o, room);

            if (value && passing(value))
                return false;
            if (value)
                fprintf(to, "\n--%s%s%s", row->name, row->argument ? "=" : "", value);
        }
    return true;
}

int origin_note(tgs_schedule *s, const input *in, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status = TGS_OK;
    char *text = NULL;
    size_t size;
    FILE *to;
    bool whole;

    if (passing(in->title))
        return EXIT_OK;
    to = open_memstream(&text, &size);
    if (!to)
        return fail(TGS_ENOMEM, NULL);
    fputs(in->title, to);
    whole = put_options(to, o);
    if (fclose(to))
        status = TGS_ENOMEM;
    else if (whole)
        status = tgs_schedule_annotate(s, text, &err);
    free(text);
    return status ? fail(status, &err) : EXIT_OK;
}

bool origin_told(const char *schedule)
{
    tgs_error err = {TGS_OK, ""};
    char *text;
    const bool told = !tgs_schedule_origin(&text, schedule, &err) && *text;

    tgs_text_free(text);
    return told;
}

/* --NAME or --NAME=VALUE, unless the command line has it */
static int take_option(options *with, const options *o, char *line)
{
    char *value = strchr(line, '='), room[40];

    if (strncmp(line, "--", 2) != 0)
        return -1;
    line += 2;
    if (value)
        *value++ = 0;
    for (int g = 0; words.group[g]; g++)
        for (const opt_row *row = words.group[g]->row; row->name; row++)
            if (!strcmp(row->name, line) && given(row, o, room))
                return -1;
    return options_set(with, &words, line, value);
}

int origin_input(input *in, const char *graph, const command *c, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    char *text = NULL, *rest, *line;
    options with = *o;
    tgs_status status;
    int code = -1;

    memset(in, 0, sizeof *in);
    if (graph)
        return input_open(in, graph, c, o);
    status = tgs_schedule_origin(&text, o->schedule, &err);
    if (status)
        return fail(status, &err);
    rest = text;
    graph = strsep(&rest, "\n");
    if (!*graph) {
        tgs_text_free(text);
        return misuse(c, "%s does not tell its graph: name it", o->schedule);
    }
    while (code < 0 && (line = strsep(&rest, "\n")))
        code = take_option(&with, o, line);
    if (code < 0)
        code = input_open(in, graph, c, &with);
    if (code)
        warn("the graph and its options are those that %s tells; name the graph for others",
             o->schedule);
    in->origin = text;
    return code;
}
