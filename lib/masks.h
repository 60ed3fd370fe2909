/* masks.h -- sets of memories as words of 64 bits. */
#ifndef TGS_MASKS_H
#define TGS_MASKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool tgs_i_mask_has(const uint64_t *mask, int32_t memory)
{
    return mask[memory / 64] >> memory % 64 & 1;
}

static inline void tgs_i_mask_add(uint64_t *mask, int32_t memory)
{
    mask[memory / 64] |= (uint64_t)1 << memory % 64;
}

static inline void tgs_i_mask_drop(uint64_t *mask, int32_t memory)
{
    mask[memory / 64] &= ~((uint64_t)1 << memory % 64);
}

static inline void tgs_i_mask_meet(uint64_t *mask, const uint64_t *with, size_t words)
{
    for (size_t i = 0; i < words; i++)
        mask[i] &= with[i];
}

static inline bool tgs_i_mask_any(const uint64_t *mask, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (mask[i])
            return true;
    return false;
}
#endif
