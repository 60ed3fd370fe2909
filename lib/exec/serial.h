/* serial.h -- the two files of the serial backend. */
#ifndef TGS_SERIAL_H
#define TGS_SERIAL_H
#include "tgsched/plugin.h"

double tgs_i_serial_clock(void); /* seconds, monotonic */
tgs_status tgs_i_serial_calibrate(const tgs_view *v, const tgs_codelets *c, int32_t repeat,
                                  tgs_costs *into, tgs_error *err);
#endif
