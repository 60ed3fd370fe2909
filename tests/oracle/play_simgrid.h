/* play_simgrid.h -- schedules played by SimGrid, for the oracle of the simulator. */
#ifndef TGS_TEST_PLAY_SIMGRID_H
#define TGS_TEST_PLAY_SIMGRID_H
#include "tgsched/view.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct play_case {
    const tgs_view *v;
    const tgs_schedule_view *s; /* no copies, no explicit moves */
    bool fair;                  /* links and buses are shared; false: they are not contended for */
    double *end;                /* [tasks] result */
} play_case;
/* all cases side by side on machines of their own; once per process; text of a failure, or NULL */
const char *play_simgrid(const play_case *cases, int count);
#ifdef __cplusplus
}
#endif
#endif
