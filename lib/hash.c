/* hash.c -- fingerprints, and names to indices. */
#include <string.h>
#include "hash.h"
#include "internal.h"

uint64_t tgs_i_hash(uint64_t h, const void *p, size_t size)
{
    const unsigned char *s = p;

    for (size_t i = 0; i < size; i++)
        h = (h ^ s[i]) * 1099511628211u;
    return h;
}

uint64_t tgs_i_hash_text(uint64_t h, const char *s)
{
    return tgs_i_hash(h, s, strlen(s) + 1);
}

uint64_t tgs_i_hash_real(uint64_t h, double x)
{
    uint64_t bits;

    if (isnan(x))
        bits = 0x7ff8000000000000u;
    else {
        x = x == 0 ? 0 : x;
        memcpy(&bits, &x, sizeof bits);
    }
    h = (h ^ bits) * 1099511628211u; /* by value: the machine's byte order does not matter */
    h ^= h >> 32;
    return h;
}

int32_t tgs_i_arena_add(tgs_i_arena *a, const char *s)
{
    const int64_t n = (int64_t)strlen(s) + 1, base = a->size ? a->size : 1;

    if (n == 1 && a->size)
        return 0;
    if (base + n > INT32_MAX)
        return TGS_EINVAL;
    if (tgs_mem_grow(&a->text, &a->room, base + n, 1))
        return TGS_ENOMEM;
    a->text[0] = 0;
    if (n == 1) {
        a->size = base;
        return 0;
    }
    memcpy(a->text + base, s, (size_t)n);
    a->size = base + n;
    return (int32_t)base;
}

void tgs_i_arena_free(tgs_i_arena *a)
{
    tgs_mem_free(a->text);
    memset(a, 0, sizeof *a);
}

struct tgs_i_slot {
    uint32_t hash;
    int32_t offset, value; /* offset 0: free ("" is never a name) */
};

/* eight characters at a time: where a name stands in a table is nobody else's business */
static uint32_t hash_of(const char *s)
{
    uint64_t h = TGS_I_HASH_START, word;
    size_t left = strlen(s);

    for (; left >= sizeof word; s += sizeof word, left -= sizeof word) {
        memcpy(&word, s, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    word = left;
    memcpy(&word, s, left);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    return (uint32_t)(h ^ h >> 32);
}

static struct tgs_i_slot *probe(const tgs_i_names *n, const tgs_i_arena *a, const char *s,
                                uint32_t hash)
{
    for (int64_t i = hash & (n->slots - 1);; i = (i + 1) & (n->slots - 1)) {
        struct tgs_i_slot *slot = &n->slot[i];

        if (!slot->offset || (slot->hash == hash && !strcmp(a->text + slot->offset, s)))
            return slot;
    }
}

int32_t tgs_i_names_get(const tgs_i_names *n, const tgs_i_arena *a, const char *s)
{
    const struct tgs_i_slot *slot;

    if (!n->slots || !*s)
        return -1;
    slot = probe(n, a, s, hash_of(s));
    return slot->offset ? slot->value : -1;
}

static tgs_status enlarge(tgs_i_names *n)
{
    const int64_t slots = n->slots ? 2 * n->slots : 64;
    struct tgs_i_slot *old = n->slot, *slot = tgs_mem_alloc((size_t)slots, sizeof *slot);

    if (!slot)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < n->slots; i++)
        if (old[i].offset) {
            int64_t j = old[i].hash & (slots - 1);

            while (slot[j].offset)
                j = (j + 1) & (slots - 1);
            slot[j] = old[i];
        }
    tgs_mem_free(old);
    n->slot = slot;
    n->slots = slots;
    return TGS_OK;
}

tgs_status tgs_i_names_put(tgs_i_names *n, const tgs_i_arena *a, int32_t offset, int32_t value)
{
    const char *s = a->text + offset;
    const uint32_t hash = hash_of(s);

    if (3 * (n->used + 1) > 2 * n->slots && enlarge(n))
        return TGS_ENOMEM;
    *probe(n, a, s, hash) = (struct tgs_i_slot){hash, offset, value};
    n->used++;
    return TGS_OK;
}

void tgs_i_names_free(tgs_i_names *n)
{
    tgs_mem_free(n->slot);
    memset(n, 0, sizeof *n);
}
