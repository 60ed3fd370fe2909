/* initparts.h -- the initial value "join:COUNT:LENGTH:INIT...": equal parts, each of its own text.
 */
#ifndef TGS_INITPARTS_H
#define TGS_INITPARTS_H
#include <stdint.h>

enum { TGS_I_INIT_DEPTH = 4 }; /* parts of parts */

/* builddata.c; text stands behind "join:": how many there are, and where the first begins; NULL
 * when it is malformed */
const char *tgs_i_init_parts(const char *text, int64_t *count);
/* NULL, or what is wrong; the caller frees *part */
const char *tgs_i_init_part(const char *text, char **part, const char **rest);
#endif
