/* timesort.c -- least significant digit radix sort of times.  The bits of a double, those of
 * negative ones reversed, order as the numbers do.  Six passes of 11 bits, less those in which all
 * agree. */
#include <string.h>
#include "timesort.h"

#define BITS   11
#define DIGITS (1 << BITS)
#define PASSES 6

typedef struct item {
    uint64_t key;
    int32_t index;
} item;

static uint64_t key_of(double time)
{
    uint64_t bits;

    time = time == 0 ? 0 : time; /* -0 is 0 */
    memcpy(&bits, &time, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static int digit(uint64_t key, int pass)
{
    return (int)(key >> (pass * BITS) & (DIGITS - 1));
}

tgs_status tgs_i_time_order(const double *time, int32_t n, int32_t *order)
{
    item *from = tgs_mem_alloc((size_t)n, sizeof *from);
    item *to = tgs_mem_alloc((size_t)n, sizeof *to);
    int32_t *count = tgs_mem_alloc((size_t)PASSES * DIGITS, sizeof *count);
    tgs_status status = from && to && count ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; !status && i < n; i++) {
        from[i] = (item){key_of(time[i]), i};
        for (int p = 0; p < PASSES; p++)
            count[p * DIGITS + digit(from[i].key, p)]++;
    }
    for (int p = 0; !status && n && p < PASSES; p++) {
        int32_t *c = count + p * DIGITS, sum = 0;
        item *swap = from;

        if (c[digit(from[0].key, p)] == n)
            continue;
        for (int d = 0; d < DIGITS; d++) {
            const int32_t here = c[d];

            c[d] = sum;
            sum += here;
        }
        for (int32_t i = 0; i < n; i++)
            to[c[digit(from[i].key, p)]++] = from[i];
        from = to;
        to = swap;
    }
    for (int32_t i = 0; !status && i < n; i++)
        order[i] = from[i].index;
    tgs_mem_free(count);
    tgs_mem_free(to);
    tgs_mem_free(from);
    return status;
}
