/* lowername.h -- what the tasks and data of a lowering are called in its graph. */
#ifndef TGS_LOWERNAME_H
#define TGS_LOWERNAME_H
#include "builder.h"

/* What is known of a text or array by where it is, since nothing moves while a graph is written: a
 * few places in the table for each address, the first of which the next one takes over that finds
 * them all taken. */
typedef struct tgs_i_memo {
    const void *key; /* NULL: nothing yet */
    int32_t more;    /* beside the address */
    int32_t value;
} tgs_i_memo;
enum { TGS_I_MEMO_WAYS = 4 };
typedef struct tgs_i_memos {
    tgs_i_memo *place;
    int32_t bits; /* 1 << bits places */
} tgs_i_memos;
/* a place for each of so many things, but not for more than texts that copies share are many */
tgs_status tgs_i_memos_open(tgs_i_memos *m, int64_t things);
static inline tgs_i_memo *tgs_i_memo_at(const tgs_i_memos *m, const void *key)
{
    const uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    tgs_i_memo *first = &m->place[(hash >> (64 - m->bits)) & ~(uint64_t)(TGS_I_MEMO_WAYS - 1)];

    for (int32_t i = 0; i < TGS_I_MEMO_WAYS; i++)
        if (first[i].key == key || !first[i].key)
            return &first[i];
    return first;
}

typedef struct tgs_i_texts { /* each once, numbered */
    tgs_i_names names;
    int32_t *at; /* [count] in the builder's arena */
    int64_t count, room;
} tgs_i_texts;

/* First every name is told, which counts texts and marks; then each is given to its task or datum.
 */
enum { TGS_I_MARKED = 1 << 9 };
typedef struct tgs_i_naming {
    tgs_builder *b;
    tgs_i_texts text, mark;
    tgs_i_memos memo;   /* of texts */
    struct tgs_i_mark { /* of marks, by what they stand for */
        int32_t replica, shard, batch, number;
    } marked[TGS_I_MARKED];
    int64_t told;
    bool odd; /* a text has what marks begin with: names may be equal though their parts differ */
    uint64_t *seen;  /* [marks * texts] bits: given; NULL: whole names are looked up */
    tgs_i_names all; /* those */
} tgs_i_naming;
typedef struct tgs_i_call { /* replica and micro-batch from 0, shard from 1; else it has none */
    const char *name;
    int32_t replica, shard, batch;
} tgs_i_call;
/* of so many things */
tgs_status tgs_i_naming_open(tgs_i_naming *n, tgs_builder *b, int64_t things);
void tgs_i_naming_free(tgs_i_naming *n);
/* the number of its text, or a status */
int32_t tgs_i_naming_tell(tgs_i_naming *n, const tgs_i_call *c);
/* Its text and its mark, as offsets into the names of the graph.  What is called like another one
 * before it gets ~ and its index, or the first number from there on that makes a new name. */
tgs_status tgs_i_naming_give(tgs_i_naming *n, int32_t text, const tgs_i_call *c, int32_t index,
                             int32_t *name, int32_t *mark);
#endif
