/* zoo.h -- models from the zoo, where a model file is accepted. */
#ifndef TGS_ZOO_H
#define TGS_ZOO_H
#include "tgsched/model.h"

const char *tgs_i_zoo_spec(const char *path); /* what follows "zoo:", or NULL */
tgs_status tgs_i_zoo_read(tgs_model **out, const char *spec, const char *bind, tgs_error *err);
#endif
