/* attrs.c -- attribute strings "key=value key=value" of codelets and operators. */
#include <stdlib.h>
#include <string.h>
#include "internal.h"

/* the value of key and its length, or NULL */
static const char *find(const char *attrs, const char *key, size_t *size)
{
    const size_t n = strlen(key);

    for (const char *s = attrs; *s;) {
        const char *end = s + strcspn(s, " ");

        if ((size_t)(end - s) > n && !strncmp(s, key, n) && s[n] == '=') {
            *size = (size_t)(end - s) - n - 1;
            return s + n + 1;
        }
        s = end + strspn(end, " ");
    }
    return NULL;
}

bool tgs_attr_text(const char *attrs, const char *key, char *text, size_t size)
{
    size_t n = 0;
    const char *value = find(attrs, key, &n);

    if (!value)
        return false;
    if (n >= size)
        n = size - 1;
    memcpy(text, value, n);
    text[n] = 0;
    return true;
}

double tgs_attr_real(const char *attrs, const char *key, double def)
{
    char text[64];
    double x;

    return tgs_attr_text(attrs, key, text, sizeof text) && tgs_parse_real(text, &x) ? x : def;
}

int64_t tgs_attr_int(const char *attrs, const char *key, int64_t def)
{
    int64_t x;

    return tgs_attr_ints(attrs, key, &x, 1) == 1 ? x : def;
}

int32_t tgs_attr_ints(const char *attrs, const char *key, int64_t *out, int32_t max)
{
    size_t n;
    const char *s = find(attrs, key, &n);
    const char *const end = s ? s + n : NULL;
    int32_t count = 0;

    while (s && s < end) {
        char *stop;
        const long long x = strtoll(s, &stop, 10);

        if (stop == s || (stop < end && *stop != ','))
            break;
        if (count < max)
            out[count] = x;
        count++;
        s = stop + 1;
    }
    return count;
}
