/* oom.h -- make every allocation of a call fail, one at a time: it must return TGS_ENOMEM and leak
 * nothing.  A test program that includes this (once, after cmocka.h) takes the place of lib/mem.c:
 * its functions come before the library's when symbols are looked up. */
#ifndef TESTS_OOM_H
#define TESTS_OOM_H
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "stride.h"

static int64_t oom_left = -1; /* allocations that still succeed; -1: all */
static int64_t oom_live;      /* blocks that are not freed */
static bool oom_struck;
static bool oom_spare; /* what was refused would have given memory back: success is fine, too */

static bool oom_refuse(void)
{
    if (oom_left < 0)
        return false;
    if (oom_left-- > 0)
        return false;
    oom_left = -1; /* the one that fails; what is asked for afterwards succeeds */
    return oom_struck = true;
}

void *tgs_mem_alloc(size_t count, size_t size)
{
    if (oom_refuse())
        return NULL;
    oom_live++;
    return calloc(count ? count : 1, size ? size : 1);
}

void *tgs_mem_resize(void *p, size_t count, size_t size)
{
    const bool gives_back = malloc_usable_size(p) >= count * size; /* of NULL it is 0 */

    if (oom_refuse()) {
        oom_spare = gives_back;
        return NULL;
    }
    oom_live += !p;
    return realloc(p, count && size ? count * size : 1);
}

char *tgs_mem_text(const char *s)
{
    char *copy = tgs_mem_alloc(strlen(s) + 1, 1);

    return copy ? strcpy(copy, s) : NULL;
}

void tgs_mem_free(void *p)
{
    oom_live -= p != NULL;
    free(p);
}

/* one element more at a time, so that every growth is an allocation that can fail */
tgs_status tgs_mem_grow(void *p, int64_t *room, int64_t need, size_t size)
{
    void *old, *grown;

    if (need <= *room)
        return TGS_OK;
    memcpy(&old, p, sizeof old);
    grown = tgs_mem_resize(old, (size_t)need, size);
    if (!grown)
        return TGS_ENOMEM;
    memcpy(p, &grown, sizeof grown);
    *room = need;
    return TGS_OK;
}

/* allocation n of the call fails; false: it has fewer, and its status is in *status */
static bool oom_at(const char *what, tgs_status (*call)(const void *), const void *data, int64_t n,
                   tgs_status *status)
{
    const int64_t live = oom_live;

    oom_struck = oom_spare = false;
    oom_left = n;
    *status = call(data);
    oom_left = -1;
    if (oom_live != live)
        fail_msg("%s: allocation %d failed and %d blocks leaked", what, (int)n,
                 (int)(oom_live - live));
    if (oom_struck && *status != TGS_ENOMEM && !(oom_spare && !*status))
        fail_msg("%s: allocation %d failed, and the status is %d", what, (int)n, (int)*status);
    return oom_struck;
}

/* call does what is tested, frees what it made, and returns the status of the first failure */
static inline void oom_every(const char *what, tgs_status (*call)(const void *), const void *data)
{
    tgs_status status;
    int64_t n = 0;

    while (oom_at(what, call, data, n, &status))
        n = oom_next(n);
    assert_int_equal(status, TGS_OK);
    assert_true(n > 0); /* the library does call us */
    print_message("%s: %d allocations\n", what, (int)n);
}
#endif
