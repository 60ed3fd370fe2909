/* text.c -- names, quoted texts and key=value fields of the native file formats. */
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

/* %XX decoded in place; false when one is malformed or stands for NUL */
static bool unescape(char *text)
{
    char *to = text;

    for (const char *s = text; *s; s++)
        if (*s == '%') {
            const int high = digit(s[1]), low = high < 0 ? -1 : digit(s[2]);

            if (low < 0 || high + low == 0)
                return false;
            *to++ = (char)(high * 16 + low);
            s += 2;
        } else
            *to++ = *s;
    *to = 0;
    return true;
}

bool tgs_name_take(char *text)
{
    for (const char *s = text; *s; s++)
        if (*s < '!' || *s > '~' || strchr("=#\"", *s))
            return false;
    return *text && unescape(text);
}

void tgs_quote_put(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s < ' ' || *s > '~' || strchr("%\"#", *s))
            fprintf(to, "%%%02X", *s);
        else
            putc(*s, to);
    putc('"', to);
}

tgs_status tgs_source_field(const tgs_source *s, char **cursor, char **key, char **value,
                            tgs_error *err)
{
    char *word = *cursor + strspn(*cursor, " \t"), *end = word + strcspn(word, " \t=");

    *key = *value = NULL;
    if (!*word || *word == '#')
        return TGS_OK;
    if (*end != '=' || end == word) {
        word[strcspn(word, " \t")] = 0;
        return tgs_source_fail(s, err, "expected key=value, found '%.80s'", word);
    }
    *end++ = 0;
    *key = word;
    *value = end;
    if (*end != '"') {
        end += strcspn(end, " \t");
        *cursor = *end ? end + 1 : end;
        *end = 0;
        return TGS_OK;
    }
    *value = end + 1;
    end = strchr(*value, '"');
    if (!end || (end[1] && end[1] != ' ' && end[1] != '\t'))
        return tgs_source_fail(s, err, "the quotes of %.80s are not closed", *key);
    *end = 0;
    *cursor = end + 1;
    if (!unescape(*value))
        return tgs_source_fail(s, err, "%.80s holds a malformed %%XX", *key);
    return TGS_OK;
}
