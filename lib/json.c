/* json.c -- JSON strings.  Names of tasks come from files and may be any bytes; JSON must be UTF-8.
 */
#include "internal.h"
#include "report/core.h"

/* RFC 3629: no overlong form, no surrogate */
int tgs_i_character(const unsigned char *s)
{
    const int more = *s < 0x80                 ? 0
                     : *s >= 0xC2 && *s < 0xE0 ? 1
                     : (*s & 0xF0) == 0xE0     ? 2
                     : *s >= 0xF0 && *s < 0xF5 ? 3
                                               : -1;

    for (int i = 1; i <= more; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((*s == 0xE0 && s[1] < 0xA0) || (*s == 0xED && s[1] > 0x9F) || (*s == 0xF0 && s[1] < 0x90)
        || (*s == 0xF4 && s[1] > 0x8F))
        return 0;
    return more + 1;
}

void tgs_json_text(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int size = tgs_i_character(s);

        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7F || *s == '<' || *s == '>') /* '<': safe inside HTML */
            fprintf(to, "\\u%04x", *s);
        else if (size)
            fwrite(s, 1, (size_t)size, to);
        else
            fputs("\\ufffd", to);
        s += size ? size : 1;
    }
    putc('"', to);
}
