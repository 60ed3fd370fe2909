/* numerals.c -- numbers as the files have them, whatever the locale of the program around us. */
#include "numerals.h"

locale_t tgs_i_numerals_enter(void)
{
    /* glibc's C locale is a constant: nothing is allocated, nothing is to be freed */
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    return c ? uselocale(c) : (locale_t)0;
}

void tgs_i_numerals_leave(locale_t before)
{
    if (before)
        uselocale(before);
}
