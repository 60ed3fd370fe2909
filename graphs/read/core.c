/* core.c -- what the graph readers share. */
#include <string.h>
#include "core.h"

tgs_status tgs_i_read_no_memory(const tgs_source *s, tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
}

int64_t tgs_i_read_line(const char *text, const char *at)
{
    int64_t line = 1;

    while ((text = memchr(text, '\n', (size_t)(at - text)))) {
        line++;
        text++;
    }
    return line;
}

const char *tgs_i_read_skip(const char *text, size_t size, bool c_style)
{
    const char *const end = text + size;

    for (;;) {
        const char *start = text;

        while (text < end && strchr(" \t\r\n", *text) && *text)
            text++;
        if (text < end && (*text == '#' || (c_style && end - text > 1 && !memcmp(text, "//", 2))))
            while (text < end && *text != '\n')
                text++;
        else if (c_style && end - text > 1 && !memcmp(text, "/*", 2)) {
            text += 2;
            while (text < end && !(end - text > 1 && !memcmp(text, "*/", 2)))
                text++;
            text += text < end ? 2 : 0;
        }
        if (text == start)
            return text;
    }
}

bool tgs_i_read_amount(const char *text, double *out)
{
    if (!strcmp(text, "-")) {
        *out = NAN;
        return true;
    }
    return tgs_parse_real(text, out) && *out >= 0;
}

char *tgs_i_read_word(char **cursor)
{
    char *word = tgs_word(cursor);

    if (word && *word == '#') /* the rest is a comment */
        *(*cursor = word) = 0;
    return word && *word ? word : NULL;
}

char *tgs_i_read_cell(char **cursor)
{
    char *cell = *cursor, *end;

    if (!cell)
        return NULL;
    cell += strspn(cell, " \t");
    if (*cell == '"') {
        char *to = ++cell;

        for (end = cell; *end && (*end != '"' || end[1] == '"'); end++)
            *to++ = *(end += *end == '"');
        end += *end == '"';
        end += strcspn(end, ",");
        *cursor = *end ? end + 1 : NULL;
        *to = 0;
        return cell;
    }
    end = cell + strcspn(cell, ",");
    *cursor = *end ? end + 1 : NULL;
    while (end > cell && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = 0;
    return cell;
}

tgs_status tgs_i_read_end(const tgs_source *s, char **cursor, tgs_error *err)
{
    const char *more = tgs_i_read_word(cursor);

    return more ? tgs_source_fail(s, err, "'%.80s' is one word too many", more) : TGS_OK;
}

tgs_status tgs_i_read_fields(const tgs_source *s, char **cursor, const char *const *key,
                             char **value, tgs_error *err)
{
    for (;;) {
        char *k, *v;
        int32_t i = 0;
        tgs_status status = tgs_source_field(s, cursor, &k, &v, err);

        if (status || !k)
            return status;
        while (key[i] && strcmp(key[i], k))
            i++;
        if (!key[i])
            return tgs_source_fail(s, err, "there is no field '%.80s' here", k);
        if (value[i])
            return tgs_source_fail(s, err, "%s is given twice", k);
        if (v[-1] != '"' && *v && !tgs_name_take(v)) /* what was quoted is decoded already */
            return tgs_source_fail(s, err, "%s=%.80s is malformed", k, v);
        value[i] = v;
    }
}

tgs_status tgs_i_read_field(const tgs_source *s, const char *key, const char *text, double *out,
                            tgs_error *err)
{
    if (!text || tgs_i_read_amount(text, out))
        return TGS_OK;
    return tgs_source_fail(s, err, "%s=%.80s is not a finite number >= 0", key, text);
}
