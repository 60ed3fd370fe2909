/* opts.c -- parsing by the option tables: getopt_long is fed from the rows. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"

#define MAX_ROWS 64
#define HELP_VALUE                                                                \
    1000 /* what getopt_long returns for --help; row i returns 1 + i + HELP_VALUE \
          */

typedef struct rows { /* of one subcommand, in order */
    const opt_row *row[MAX_ROWS];
    struct option longs[MAX_ROWS + 2];
    char shorts[2 * MAX_ROWS + 4];
    int count;
} rows;

static void collect(rows *r, const command *c)
{
    char *s = r->shorts;

    r->count = 0;
    *s++ = ':'; /* report a missing argument apart from an unknown option */
    for (int g = 0; g < MAX_GROUPS && c->group[g]; g++)
        for (const opt_row *row = c->group[g]->row; row->name && r->count < MAX_ROWS; row++) {
            const int takes = !row->argument          ? no_argument
                              : *row->argument == '[' ? optional_argument
                                                      : required_argument;

            r->longs[r->count] = (struct option){row->name, takes, NULL, HELP_VALUE + 1 + r->count};
            if (row->letter) {
                *s++ = row->letter;
                if (row->argument)
                    *s++ = ':';
            }
            r->row[r->count++] = row;
        }
    *s++ = 'h';
    *s = 0;
    r->longs[r->count] = (struct option){"help", 0, NULL, HELP_VALUE};
    r->longs[r->count + 1] = (struct option){NULL, 0, NULL, 0};
}

static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    const size_t n = strlen(a), m = strlen(b);
    int before[LONGEST + 1], row[LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        before[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);

            best = before[j] + 1 < best ? before[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
        memcpy(before, row, sizeof row);
    }
    return before[m];
}

const char *nearest(const char *text, const char *const *name, int count)
{
    const int limit = strlen(text) < 5 ? 1 : 2; /* typing mistakes, not guesses */
    const char *best = NULL;
    int least = limit + 1;

    for (int i = 0; i < count; i++) {
        const int d = edit_distance(text, name[i]);

        if (d < least) {
            least = d;
            best = name[i];
        }
    }
    return best;
}

static int unknown_option(const command *c, const rows *r, const char *text)
{
    char word[64];
    const char *name[MAX_ROWS + 1], *near;
    const size_t size = strcspn(text + 2, "=");

    snprintf(word, sizeof word, "%.*s", (int)(size < 63 ? size : 63), text + 2);
    for (int i = 0; i < r->count; i++)
        name[i] = r->row[i]->name;
    name[r->count] = "help";
    near = nearest(word, name, r->count + 1);
    return misuse(c, near ? "no option '--%s'; did you mean '--%s'?" : "no option '--%s'", word,
                  near);
}

static bool parse_count(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 10);
    return !*end && !errno && *out <= max;
}

static int store_report(options *o, const command *c, const opt_row *row, char *value)
{
    report_file *f = &o->report[o->reports];
    char *equals = strchr(value, '=');

    if (o->reports == MAX_REPORTS)
        return misuse(c, "at most %d reports in one call", MAX_REPORTS);
    *f = (report_file){row->name, value};
    if (!strcmp(row->name, "report")) {
        if (!equals || equals == value)
            return misuse(c, "--report takes FORMAT=FILE, not '%s'", value);
        *equals = 0;
        *f = (report_file){value, equals + 1};
    }
    if (!*f->path)
        return misuse(c, "--%s: the file name is empty", row->name);
    o->reports++;
    return -1;
}

static int store(options *o, const command *c, const opt_row *row, char *value)
{
    void *field = (char *)o + row->at;
    uint64_t count;
    char *end;

    switch (row->type) {
    case OPT_FLAG:
        *(bool *)field = true;
        break;
    case OPT_TEXT:
        *(const char **)field = value ? value : "";
        break;
    case OPT_INPUT:
        *(char **)field = value;
        return input_path(field);
    case OPT_MANY: {
        many *m = field;
        const int code = input_path(&value);

        if (code >= 0)
            return code;

        if (m->count == MAX_MANY)
            return misuse(c, "--%s at most %d times", row->name, MAX_MANY);
        m->last = m->item[m->count++] = value;
        break;
    }
    case OPT_CHOICE:
        *(const char **)field = row->name;
        break;
    case OPT_COUNT:
        if (!parse_count(value, INT32_MAX, &count) || count < 1)
            return misuse(c, "--%s takes a whole number of at least 1, not '%s'", row->name, value);
        *(int64_t *)field = (int64_t)count;
        break;
    case OPT_SEED:
        if (!parse_count(value, UINT64_MAX, &count))
            return misuse(c, "--%s takes a whole number, not '%s'", row->name, value);
        *(uint64_t *)field = count;
        break;
    case OPT_REAL:
        *(double *)field = strtod(value, &end);
        if (end == value || *end || !isfinite(*(double *)field))
            return misuse(c, "--%s takes a number, not '%s'", row->name, value);
        break;
    case OPT_REPORT:
        return store_report(o, c, row, value);
    }
    return -1;
}

static const opt_row *find_row(const rows *r, int value)
{
    if (value > HELP_VALUE)
        return r->row[value - HELP_VALUE - 1];
    for (int i = 0; i < r->count; i++)
        if (r->row[i]->letter == value)
            return r->row[i];
    return NULL;
}

/* what getopt_long could not place: '?' an unknown option, ':' one whose argument is missing */
static int refuse(const command *c, const rows *r, int value, char **argv)
{
    const opt_row *row = find_row(r, optopt);
    const char *text = argv[optind - 1];

    if (value == ':')
        return misuse(c, "--%s needs a value: %s", row ? row->name : text,
                      row ? row->argument : "");
    if (optopt > HELP_VALUE && row)
        return misuse(c, "--%s takes no value", row->name);
    if (optopt && optopt < HELP_VALUE)
        return misuse(c, "no option '-%c'", optopt);
    return unknown_option(c, r, text);
}

int options_set(options *o, const command *c, const char *name, char *value)
{
    char option[80];
    rows r;

    collect(&r, c);
    for (int i = 0; i < r.count; i++) {
        if (strcmp(r.row[i]->name, name) != 0)
            continue;
        if (!value != !r.row[i]->argument)
            return value ? misuse(c, "%s takes no value", name)
                         : misuse(c, "%s needs a value: %s", name, r.row[i]->argument);
        return store(o, c, r.row[i], value);
    }
    snprintf(option, sizeof option, "--%s", name);
    return unknown_option(c, &r, option);
}

void options_init(options *o)
{
    memset(o, 0, sizeof *o);
    o->lr = o->eps = o->seconds = o->patience = NAN;
    o->link = "latbw";
}

int options_parse(options *o, const command *c, int argc, char **argv)
{
    rows r;
    int value, code = -1;

    collect(&r, c);
    opterr = 0;
    optind = 1;
    while (code < 0 && (value = getopt_long(argc, argv, r.shorts, r.longs, NULL)) != -1) {
        if (value == 'h' || value == HELP_VALUE) {
            options_help(c, stdout);
            return close_stdout(0);
        }
        code = value == '?' || value == ':' ? refuse(c, &r, value, argv)
                                            : store(o, c, find_row(&r, value), optarg);
    }
    o->argc = argc;
    o->argv = argv;
    o->operand = argv + optind;
    o->operands = argc - optind;
    if (code < 0 && o->operands < c->min)
        code = misuse(c, "%s needs %s", c->name, c->operands);
    if (code < 0 && o->operands > c->max)
        code = misuse(c, "unexpected argument '%s'", o->operand[c->max]);
    for (int i = 0; i < o->operands && code < 0 && c->max != PROGRAM; i++)
        code = input_path(&o->operand[i]);
    return code;
}
