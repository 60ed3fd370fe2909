/* core.c -- what the graph writers share. */
#include <stdlib.h>
#include "core.h"

void tgs_i_write_real(FILE *to, double x)
{
    char text[32];

    if (isnan(x)) {
        putc('-', to);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, to);
}
