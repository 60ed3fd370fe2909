/* capture_words.h -- the words of a record's lines.  A mistake is remembered, and the line refused
 * at its end: what is returned then is harmless. */
#ifndef TGS_EXEC_CAPTURE_WORDS_H
#define TGS_EXEC_CAPTURE_WORDS_H
#include "capture.h"

typedef struct tgs_i_rec {
    tgs_source source;
    tgs_capture *c;
    char *rest;
    bool bad; /* a word was missing or malformed */
    bool short_of_memory;
} tgs_i_rec;

const char *tgs_i_rec_word(tgs_i_rec *r);
int64_t tgs_i_rec_whole(tgs_i_rec *r, int64_t least, int64_t most);
int32_t tgs_i_rec_index(tgs_i_rec *r, int32_t count); /* in [0, count) */
double tgs_i_rec_real(tgs_i_rec *r);                  /* not negative */
uint32_t tgs_i_rec_footprint(tgs_i_rec *r);
int32_t tgs_i_rec_text(tgs_i_rec *r); /* an encoded name, decoded: its offset, one for equal ones */
int32_t tgs_i_rec_id(tgs_i_rec *r);   /* an object's */
/* what is called so now; anew: nothing is any more */
int32_t tgs_i_rec_tag(tgs_i_rec *r, const char *name, bool anew);
cap_item *tgs_i_rec_item(tgs_i_rec *r, cap_what what); /* a new one; never NULL */
#endif
