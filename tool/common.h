/* common.h -- what every subcommand uses: exit codes, messages, and opening what it works on. */
#ifndef TGS_TOOL_COMMON_H
#define TGS_TOOL_COMMON_H
#include "opts.h"
#include "tgsched.h"

/* EXIT_RUN: a run has begun and failed; 128 + the number of a signal: it was interrupted */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2, EXIT_INFEASIBLE = 3, EXIT_RUN = 4 };

/* Messages go to stderr as `tgsched: ...`; each returns the exit code. */
void say_where(const char *place); /* "file:line", put before what is a misuse; NULL: nothing */
int misuse(const command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fail(tgs_status status, const tgs_error *err);
bool backend_broken(void); /* has fail told of TGS_EBACKEND? */
/* the same, for a failure that what was typed on the command line has caused */
int fail_spec(tgs_status status, const tgs_error *err);
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* progress on a terminal: one line on stderr, rewritten; format NULL erases it */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
double now(void); /* seconds of a clock that only goes forward */

/* A result is written whole or not at all: it grows in memory and goes to path (NULL or "-":
 * standard output) when result_close gets exit code 0. */
typedef struct result {
    FILE *file;
    char *text;
    size_t size;
    const char *path;
} result;
int result_open(result *r, const char *path);
int result_close(result *r, int code);
/* a result that could not be written to path */
int fail_write(tgs_status status, const tgs_error *err, const char *path);
int close_stdout(int code); /* what standard output could not take is a failure */

/* *path is a file that is read: when it is standard input or a pipe, its name is one that can be
 * opened again and again from now on; -1 or an exit code */
int input_path(char **path);

/* A graph operand: FILE, gen:SPEC, or a model (with --train its training step). */
int open_graph(tgs_graph **out, const char *operand, const command *c, const options *o);
/* in a line: how a model is lowered */
int describe_strategy(const options *o, FILE *to);
int lower_model(tgs_graph **out, const char *operand, const command *c, const options *o);
/* to --output in the format of --to */
int write_graph(const tgs_graph *g, const options *o);
int open_model(tgs_model **out, const char *operand, const options *o);
int open_platform(tgs_platform **out, const char *text);
/* the strategy that the options describe; *out is NULL without --train */
int open_strategy(tgs_strategy **out, const command *c, const options *o);

/* a run of a schedule; a partial trace goes to --output when it fails */
int execute_steps(tgs_trace **out, const tgs_problem *pb, const tgs_schedule *s,
                  const char *backend, int32_t steps, const options *o);
/* --limit-memory: *p is replaced */
int limit_memories(tgs_platform **p, const char *list, const command *c);

/* Graph, platform and costs together, priced. */
typedef struct input {
    tgs_graph *graph;
    tgs_platform *platform;
    tgs_costs *costs;
    tgs_problem *problem;
    const char *title, *machine; /* graph and platform as they were named */
    char *origin;                /* where these are, or NULL */
} input;
int input_open(input *in, const char *graph, const command *c, const options *o);
/* the problem of what is open: the last step of input_open; says nothing */
tgs_status input_price(input *in, const options *o, tgs_error *err);
void input_close(input *in);
/* origin.c: input_open of graph, or, when it is NULL, of what the schedule --schedule is for, as
 * its file tells; the command line goes before */
int origin_input(input *in, const char *graph, const command *c, const options *o);
bool origin_told(const char *schedule); /* does that file tell a graph? */
/* s is to tell so of what is open */
int origin_note(tgs_schedule *s, const input *in, const options *o);
/* fits.c: the step of a model that is open does not fit in memory: what would is said, if known */
void say_what_fits(const input *in, const options *o);

/* tgs_schedule_make with a bar on a terminal; the first SIGINT ends it with the best so far, the
 * next one the process */
tgs_status watched_make(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                        uint64_t seed, tgs_error *err);

/* the same of tgs_planner_make and tgs_planners_make */
tgs_status watched_plan(tgs_proposal **out, const tgs_plan_input *in, const char *planner,
                        tgs_error *err);
tgs_status watched_plans(tgs_plan_answer *answer, int32_t count, const tgs_plan_input *in,
                         tgs_error *err);

#define DEFAULT_HEURISTIC "heft"
#define DEFAULT_PLANNER   "1f1b"
int make_schedule(tgs_schedule **out, const tgs_problem *pb, const char *heuristic, uint64_t seed);
/* the schedule of --schedule, checked, or one made by --heuristic */
int open_schedule(tgs_schedule **out, const input *in, const command *c, const options *o);
/* times of the problem that lie beyond the measured sizes */
int32_t extrapolated(const tgs_problem *pb);
/* the largest there is, with what the heuristic of s (may be NULL) proved; NaN: none applies */
double lower_bound(const tgs_problem *pb, const tgs_schedule *s, const char **which);
/* give a trace the title and the bound that reports show */
int annotate(tgs_trace *t, const input *in, const tgs_schedule *s, double bound);
/* write every --report (and --html ...) of the options */
int write_reports(const tgs_trace *t, const tgs_trace *other, const options *o);
#endif
