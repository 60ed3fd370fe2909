/* pool.h -- small pieces of memory that never move and are freed together. */
#ifndef TGS_POOL_H
#define TGS_POOL_H
#include <stddef.h>

typedef struct tgs_i_pool tgs_i_pool;
tgs_i_pool *tgs_i_pool_new(void);
void *tgs_i_pool_get(tgs_i_pool *p,
                     size_t size); /* zeroed, aligned for any type; NULL: no memory */
void *tgs_i_pool_copy(tgs_i_pool *p, const void *from, size_t size);
char *tgs_i_pool_text(tgs_i_pool *p, const char *s);
void tgs_i_pool_free(tgs_i_pool *p);
#endif
