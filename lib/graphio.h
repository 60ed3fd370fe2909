/* graphio.h -- opening a file with the reader that fits; shared with model.c. */
#ifndef TGS_GRAPHIO_H
#define TGS_GRAPHIO_H
#include "internal.h"
#include "numerals.h"

typedef struct tgs_i_reading {
    tgs_source source;
    const tgs_reader *reader;
    tgs_args *args;
    locale_t before; /* numbers are read with a decimal point while it is open */
} tgs_i_reading;
/* format NULL: by suffix and content */
tgs_status tgs_i_reader_open(tgs_i_reading *r, const char *path, const char *format,
                             tgs_error *err);
void tgs_i_reader_close(tgs_i_reading *r);
/* graphlost.c: what of g is not among holds, in words */
tgs_status tgs_i_graph_lost(char *text, size_t size, const tgs_graph_view *g, uint32_t holds,
                            tgs_error *err);
const tgs_reader *tgs_i_sniff(const char *path, const char *head, size_t size);
#endif
