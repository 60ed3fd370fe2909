/* mem.c -- the only caller of malloc. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

void *tgs_mem_alloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *tgs_mem_resize(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return realloc(p, count && size ? count * size : 1);
}

char *tgs_mem_text(const char *s)
{
    const size_t size = strlen(s) + 1;
    char *copy = malloc(size);

    if (copy)
        memcpy(copy, s, size);
    return copy;
}

void tgs_mem_free(void *p)
{
    free(p);
}

tgs_status tgs_mem_grow(void *p, int64_t *room, int64_t need, size_t size)
{
    void *old, *grown;
    int64_t want;

    if (need <= *room)
        return TGS_OK;
    want = *room < 16 ? 16 : *room + *room / 2;
    if (want < need)
        want = need;
    memcpy(&old, p, sizeof old); /* p points at a pointer of any type */
    grown = tgs_mem_resize(old, (size_t)want, size);
    if (!grown)
        return TGS_ENOMEM;
    memcpy(p, &grown, sizeof grown);
    *room = want;
    return TGS_OK;
}
