/* neighbours.h -- what lists strategies that differ from one: fields of its text, and the list. */
#ifndef TGS_PLAN_NEIGHBOURS_H
#define TGS_PLAN_NEIGHBOURS_H
#include "../step.h"

typedef struct tgs_i_span { /* of a text; at NULL: it has none */
    const char *at;
    size_t size;
} tgs_i_span;

typedef struct tgs_i_listing {
    const tgs_planner_ctx *c;
    const char *text; /* that the others differ from */
    tgs_i_neighbours *out;
} tgs_i_listing;

tgs_i_span tgs_i_span_line(const char *text, const char *keyword); /* a directive */
tgs_i_span tgs_i_span_word(tgs_i_span line, int32_t i); /* its i-th word, the keyword the 0th */
/* the text with what is there replaced by `size` bytes; NULL: no memory */
char *tgs_i_span_replaced(const char *text, tgs_i_span old, const char *with, size_t size);
/* the list takes text, which may be NULL: no memory */
tgs_status tgs_i_listing_take(tgs_i_listing *x, char *text);
tgs_status tgs_i_listing_replace(tgs_i_listing *x, tgs_i_span old, const char *with);
/* neighbourplaces.c */
tgs_status tgs_i_listing_places(tgs_i_listing *x);
#endif
