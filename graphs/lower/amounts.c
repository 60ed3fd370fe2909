/* amounts.c -- samples of copies: given one by one, or shared out among them. */
#include <string.h>
#include "core.h"

tgs_status tgs_i_amounts(const char *who, const char *list, int32_t count, int64_t *out,
                         tgs_error *err)
{
    const char *s = list;

    for (int32_t k = 0; k < count; k++) {
        const size_t n = strcspn(s, ",");
        char text[24];

        snprintf(text, sizeof text, "%.*s", n < sizeof text ? (int)n : 0, s);
        if (!tgs_parse_count(text, INT32_MAX, &out[k]) || out[k] < 1)
            return tgs_fail(err, TGS_EINVAL,
                            "%s: '%.100s' is no list of %d numbers of samples, as in 4,4,2", who,
                            list, (int)count);
        s += n;
        if ((*s == ',') != (k < count - 1))
            return tgs_fail(err, TGS_EINVAL, "%s: %d numbers are wanted, not '%.100s'", who,
                            (int)count, list);
        s += *s == ',';
    }
    return TGS_OK;
}

void tgs_i_divide(int64_t samples, int32_t count, int64_t *out)
{
    for (int32_t k = 0; k < count; k++)
        out[k] = samples / count + (k < samples % count);
}
