/* number.c -- strict numbers from text, and exp and log with the same bits on every machine. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "internal.h"
#include "numerals.h"

/* Plain decimals of up to 15 digits are exact through one multiplication or division by a power of
 * ten that is exact itself (Clinger 1990); everything else goes to strtod. */
static bool quick_real(const char *text, double *out)
{
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *s = text;
    const bool negative = *s == '-';
    uint64_t mantissa = 0;
    int digits = 0, scale = 0;
    bool point = false;

    if (negative)
        s++;
    for (; *s; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (*s < '0' || *s > '9' || ++digits > 15)
            return false;
        mantissa = mantissa * 10 + (uint64_t)(*s - '0');
        scale += point;
    }
    if (!digits)
        return false;
    *out = (double)mantissa / power[scale];
    if (negative)
        *out = -*out;
    return true;
}

bool tgs_parse_real(const char *text, double *out)
{
    locale_t before;
    char *end;

    if (quick_real(text, out))
        return true;
    if (!*text || isspace((unsigned char)*text))
        return false;
    for (const char *s = text; *s; s++) /* no hexadecimal, no "infinity" */
        if (!(isdigit((unsigned char)*s) || *s == '.' || *s == '-' || *s == '+' || *s == 'e'
              || *s == 'E'))
            return false;
    before = tgs_i_numerals_enter();
    *out = strtod(text, &end);
    tgs_i_numerals_leave(before);
    return !*end && end != text && isfinite(*out);
}

bool tgs_parse_count(const char *text, int64_t max, int64_t *out)
{
    int64_t x = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        const int digit = *text - '0';

        if (digit < 0 || digit > 9)
            return false;
        if (max < digit || x > (max - digit) / 10) /* a negative quotient would round up to 0 */
            return false;
        x = x * 10 + digit;
    }
    *out = x;
    return true;
}

/* exp by reduction to |r| <= ln2/2 and the Taylor series to degree 13: relative error < 1e-15 */
double tgs_exp(double x)
{
    const double k = nearbyint(x * 1.4426950408889634);
    const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    double sum = 1, term = 1;

    if (isnan(x))
        return x;
    if (x > 709.78)
        return INFINITY;
    if (x < -745.2)
        return 0;
    for (int i = 1; i <= 13; i++) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, (int)k);
}

/* log by x = 2^e f, f in [sqrt(1/2), sqrt 2), and the series of atanh */
double tgs_log(double x)
{
    int e;
    double f, s, s2, sum = 0;

    if (isnan(x) || x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    if (isinf(x))
        return x;
    f = frexp(x, &e);
    if (f < 0.70710678118654752) {
        f *= 2;
        e--;
    }
    s = (f - 1) / (f + 1);
    s2 = s * s;
    for (int i = 21; i >= 1; i -= 2) /* s^22 < 1e-16 */
        sum = sum * s2 + 1.0 / i;
    return 2 * s * sum + e * 0x1.62e42fefa39efp-1;
}
