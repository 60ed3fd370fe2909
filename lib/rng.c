/* rng.c -- the only randomness: xoshiro256** of Blackman and Vigna (2018), seeded by splitmix64.
 * The same numbers on every machine; no state outside the caller's struct. */
#include "internal.h"

void tgs_rng_seed(tgs_rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        r->s[i] = z ^ (z >> 31);
    }
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t tgs_rng_next(tgs_rng *r)
{
    uint64_t *s = r->s;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double tgs_rng_real(tgs_rng *r)
{
    return (double)(tgs_rng_next(r) >> 11) * 0x1p-53;
}

int64_t tgs_rng_int(tgs_rng *r, int64_t low, int64_t high)
{
    const uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    uint64_t x, limit;

    if (!span) /* the full range */
        return (int64_t)tgs_rng_next(r);
    limit = UINT64_MAX - UINT64_MAX % span; /* rejecting the rest keeps it uniform */
    do
        x = tgs_rng_next(r);
    while (x >= limit);
    return (int64_t)((uint64_t)low + x % span);
}
