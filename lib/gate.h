/* gate.h -- when there is room: in a memory of limited capacity a transfer or a result waits until
 * what the plan has gone before it begins is gone.  For sim.c. */
#ifndef TGS_GATE_H
#define TGS_GATE_H
#include "flow.h"

typedef struct tgs_i_gate tgs_i_gate;
/* *out NULL: nothing ever waits for room (no limit, or a schedule that does not list its moves) */
tgs_status tgs_i_gate_new(tgs_i_gate **out, const tgs_i_flow *f);
void tgs_i_gate_free(tgs_i_gate *g);
bool tgs_i_gate_closed(const tgs_i_gate *g, int32_t arrival); /* NULL is fine: open */
/* what has ended uses its copies no longer */
void tgs_i_gate_ended_place(tgs_i_gate *g, int32_t place);
void tgs_i_gate_ended_hop(tgs_i_gate *g, int32_t hop);
/* an arrival whose room is there since the last call, or -1 */
int32_t tgs_i_gate_opened(tgs_i_gate *g);
#endif
