/* numerals.h -- numbers as the files have them, whatever the locale of the program around us. */
#ifndef TGS_NUMERALS_H
#define TGS_NUMERALS_H
#include <locale.h>

/* the calling thread prints and reads numbers with a decimal point from here on; give what comes
 * back to _leave.  Calls nest. */
locale_t tgs_i_numerals_enter(void);
void tgs_i_numerals_leave(locale_t before);
#endif
