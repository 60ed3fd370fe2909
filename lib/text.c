/* text.c -- names and key=value words of the native file formats. */
#include <ctype.h>
#include <string.h>
#include "internal.h"

/* A leading '@' is written %40, so that @INDEX can stand for what has no name. */
void tgs_name_put(FILE *to, const char *name)
{
    for (const unsigned char *s = (const unsigned char *)name; *s; s++)
        if (*s < '!' || *s > '~' || strchr("%=#\"", *s) || (*s == '@' && (const char *)s == name))
            fprintf(to, "%%%02X", *s);
        else
            putc(*s, to);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)toupper((unsigned char)c);
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool tgs_name_take(char *text)
{
    char *to = text;

    if (!*text)
        return false;
    for (const char *s = text; *s; s++) {
        if (*s == '%') {
            const int high = digit(s[1]), low = high < 0 ? -1 : digit(s[2]);

            if (low < 0 || high + low == 0)
                return false;
            *to++ = (char)(high * 16 + low);
            s += 2;
        } else if (*s < '!' || *s > '~' || *s == '"' || *s == '=' || *s == '#')
            return false;
        else
            *to++ = *s;
    }
    *to = 0;
    return true;
}

bool tgs_key_take(char *word, char **value)
{
    char *equals = strchr(word, '=');

    if (!equals || equals == word)
        return false;
    *equals = 0;
    *value = equals + 1;
    return true;
}
