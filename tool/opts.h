/* opts.h -- the options of the command: rows of tables, from which parsing, --help and the man
 * page all come. */
#ifndef TGS_TOOL_OPTS_H
#define TGS_TOOL_OPTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_REPORTS 16
typedef struct report_file {
    const char *format, *path;
} report_file;

#define MAX_MANY 256
/* what an option that may be given several times was given: the last is also first here, so that
 * who takes one takes the last */
typedef struct many {
    const char *last;
    const char *item[MAX_MANY];
    int32_t count;
} many;

/* The values of every option of every subcommand; a subcommand reads those of its table. */
typedef struct options {
    const char *from, *bind; /* the graph */
    bool train;
    const char *optimizer, *loss, *accumulate, *strategy, *timings;
    double lr, eps; /* NaN: not given */
    int64_t micro_batches, replicas;
    uint64_t seed;
    union {
        const char *platform; /* the machine */
        many platforms;
    };
    const char *costs, *link, *limits; /* the prices; memories that hold less */
    union {
        const char *heuristics; /* the plan */
        many heuristic_lists;
    };
    const char *planner, *compared, *exported, *objective; /* a plan of a training step */
    int64_t batch;
    const char *graph, *schedule;
    int64_t seeds, jobs, noise; /* an experiment */
    const char *shard, *page;
    bool merge;
    const char *against, *task; /* adversary, explain */
    int64_t most_tasks, most_processors, evals;
    double seconds;                      /* NaN: not given */
    const char *play, *backend, *policy; /* what is done with it */
    const char *keep;                    /* and what of the plan is kept then; NULL: kind */
    int64_t steps, repeat;
    const char *from_starpu;          /* calibrate: "" this machine's */
    const char *output, *to, *export; /* the result */
    const char *times, *trace;        /* of an application */
    double patience;                  /* NaN: not given */
    const char *sort, *summary;
    bool json, csv, tasks, runnable, figures;
    const char *picture;
    report_file report[MAX_REPORTS];
    int32_t reports;
    char **operand; /* what is not an option, in order */
    int operands;
    int argc; /* what was parsed */
    char **argv;
} options;

typedef enum opt_type {
    OPT_FLAG,   /* bool */
    OPT_TEXT,   /* const char * */
    OPT_INPUT,  /* const char *: a file that is read, or what is no file */
    OPT_MANY,   /* many such */
    OPT_COUNT,  /* int64_t, at least 1 */
    OPT_SEED,   /* uint64_t */
    OPT_REAL,   /* double, finite */
    OPT_CHOICE, /* const char *, set to the option's own name */
    OPT_REPORT  /* another report_file; its format is the option's name, or before '=' */
} opt_type;

typedef struct opt_row {
    const char *name; /* without the dashes; NULL ends the rows */
    char letter;      /* 0: only the long form */
    opt_type type;
    const char *argument; /* as it is shown: FILE; NULL for a flag; "[=FILE]" of an OPT_TEXT, which
                             is "" then when nothing is given */
    const char *help;
    size_t at; /* offset in options */
} opt_row;

typedef struct opt_group {
    const char *title; /* NULL: the subcommand's own */
    const opt_row *row;
} opt_group;

enum { ANY = INT32_MAX - 1, PROGRAM = INT32_MAX };
#define MAX_GROUPS 6
typedef struct command {
    const char *name, *operands, *summary;
    const char *text; /* what it does, in full sentences: the page's and --help's description */
    int min, max;     /* operands; ANY, or PROGRAM: those of another program */
    const opt_group *group[MAX_GROUPS];                       /* ends with NULL */
    int (*run)(const struct command *self, const options *o); /* returns an exit code */
} command;

/* shared by several subcommands */
extern const opt_group graph_options, machine_options, plan_options, write_options, table_options,
    report_options;

/* nothing given yet */
void options_init(options *o);
/* argv[0] is the subcommand; on top of what o holds; returns -1 to go on, or an exit code (after
 * --help or a mistake) */
int options_parse(options *o, const command *c, int argc, char **argv);
/* one option by its long name, as --NAME=VALUE (value NULL: --NAME) would set it; -1 or an exit
 * code */
int options_set(options *o, const command *c, const char *name, char *value);
void options_help(const command *c, FILE *to);
/* the option sections of tgsched(1), as roff */
void options_man(const command *const *commands, FILE *to);

/* the nearest of count names to a misspelt one, or NULL when none is near */
const char *nearest(const char *text, const char *const *name, int count);
#endif
