/* record.h -- the records of native files: a word, names, then key=value fields in any order. */
#ifndef TGS_RECORD_H
#define TGS_RECORD_H
#include "internal.h"

typedef struct tgs_i_field { /* exactly one of real, name and text says where the value goes */
    const char *key;
    double *real;      /* a finite number */
    const char **name; /* a decoded name, in the source's line */
    const char **text; /* any text, in the source's line */
    bool required, given;
} tgs_i_field;
/* the rest of a line into fields, which end with a NULL key; every key once, no other key */
tgs_status tgs_i_fields(const tgs_source *s, char *cursor, const char *record, tgs_i_field *f,
                        tgs_error *err);
/* the next word of *cursor, as a decoded name */
tgs_status tgs_i_field_name(const tgs_source *s, char **cursor, const char *record, char **name,
                            tgs_error *err);
/* " key=x", unless x is unknown (NaN) or what absence means */
void tgs_i_put_real(FILE *to, const char *key, double x, double absent);
/* before, then the name encoded */
void tgs_i_put_named(FILE *to, const char *before, const char *name);
#endif
