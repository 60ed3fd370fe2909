/* external.h -- heuristics from outside the tree; shared by external.c and command.c. */
#ifndef TGS_EXTERNAL_H
#define TGS_EXTERNAL_H
#include "internal.h"

/* command.c: the graph, with the problem's times, a line `---` and the platform, as text */
tgs_status tgs_i_command_describe(const tgs_view *v, FILE *to, tgs_error *err);
/* runs a shell command with input (a file, from its beginning) as its stdin; its stdout comes back
 * with a 0 behind it, to be freed */
tgs_status tgs_i_command_run(const tgs_ctx *c, const char *command, double timeout, FILE *input,
                             char **output, size_t *size, tgs_error *err);
/* the place lines of output into plan; name stands before the line number in messages */
tgs_status tgs_i_command_parse(const tgs_view *v, const char *name, char *output, size_t size,
                               tgs_plan *plan, tgs_error *err);
#endif
