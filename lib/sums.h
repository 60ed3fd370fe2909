/* sums.h -- the layer that a task belongs to, by its name. */
#ifndef TGS_SUMS_H
#define TGS_SUMS_H
#include <stddef.h>

/* "layer1.0.conv1.bwd@m2" is of layer1.0, "/model/fc/MatMul" of /model, "conv1" of conv1 */
void tgs_i_layer_name(const char *task, char *text, size_t size);
#endif
