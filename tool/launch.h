/* launch.h -- a StarPU application, run with the preloaded library. */
#ifndef TGS_TOOL_LAUNCH_H
#define TGS_TOOL_LAUNCH_H
#include "common.h"

typedef struct launch {
    char dir[4096]; /* where command and library exchange files */
    bool there;
} launch;
int launch_open(launch *l);
void launch_path(const launch *l, const char *name, char *path, size_t size);
/* Runs argv with as many workers as p has, unless the environment says otherwise; record: it writes
 * down what happens.  Returns the application's exit code, 128 + N after signal N; 127 when it
 * cannot be started. */
int launch_run(const launch *l, const tgs_platform *p, bool record, char **argv);
/* the application has started StarPU; else it says why nothing can be told of it */
bool launch_seen(const launch *l, const char *application);
void launch_close(launch *l);
/* the record of the run; notes of the library are passed on */
int launch_read(const launch *l, tgs_capture **out, const char *application);
#endif
