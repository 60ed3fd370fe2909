/* core.h -- what the graph writers share. */
#ifndef TGS_WRITE_CORE_H
#define TGS_WRITE_CORE_H
#include "tgsched/plugin.h"

/* the shortest decimal that reads back as x; "-" for NaN */
void tgs_i_write_real(FILE *to, double x);
/* the name of a task, or @INDEX; room holds the latter */
const char *tgs_i_write_name(const tgs_graph_view *g, int32_t task, char room[TGS_NAME_ROOM]);
/* one @ more than any name begins with: with its number, what stands for something without a name;
 * to be freed by tgs_mem_free */
tgs_status tgs_i_write_at(char **out, const tgs_graph_view *g, tgs_error *err);
/* the time of a task in a format that has one: its work, else the mean of its times; NaN: neither
 */
double tgs_i_write_seconds(const tgs_graph_view *g, int32_t task);
/* TGS_ENOTAPPLICABLE when a task has no such time */
tgs_status tgs_i_write_timed(const tgs_graph_view *g, const char *format, tgs_error *err);

/* who reads what a task writes: the readers of access i, a W or RW, are
 * task[at[i]] .. task[at[i + 1] - 1], ascending */
typedef struct tgs_i_readers {
    int32_t *at, *task;
} tgs_i_readers;
/* to be closed, whatever it returns */
tgs_status tgs_i_readers_open(tgs_i_readers *r, const tgs_graph_view *g, tgs_error *err);
void tgs_i_readers_close(tgs_i_readers *r);
#endif
