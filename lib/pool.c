/* pool.c -- blocks of memory, each cut from front to back. */
#include <stdint.h>
#include <string.h>
#include "internal.h"
#include "pool.h"

enum { BLOCK = 1 << 16 };

typedef struct block {
    struct block *next;
    size_t used, size;
    max_align_t data[];
} block;

struct tgs_i_pool {
    block *first;
};

tgs_i_pool *tgs_i_pool_new(void)
{
    return tgs_mem_alloc(1, sizeof(tgs_i_pool));
}

void *tgs_i_pool_get(tgs_i_pool *p, size_t size)
{
    const size_t align = sizeof(max_align_t);
    block *b = p->first;
    void *out;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + align - 1) / align * align;
    if (!b || b->size - b->used < size) {
        const size_t room = size > BLOCK ? size : BLOCK;

        b = tgs_mem_alloc(1, sizeof *b + room);
        if (!b)
            return NULL;
        b->size = room;
        b->next = p->first;
        p->first = b;
    }
    out = (char *)b->data + b->used;
    b->used += size;
    return out;
}

void *tgs_i_pool_copy(tgs_i_pool *p, const void *from, size_t size)
{
    void *out = tgs_i_pool_get(p, size);

    if (out && size)
        memcpy(out, from, size);
    return out;
}

char *tgs_i_pool_text(tgs_i_pool *p, const char *s)
{
    return tgs_i_pool_copy(p, s, strlen(s) + 1);
}

void tgs_i_pool_free(tgs_i_pool *p)
{
    if (!p)
        return;
    for (block *b = p->first; b;) {
        block *next = b->next;

        tgs_mem_free(b);
        b = next;
    }
    tgs_mem_free(p);
}
