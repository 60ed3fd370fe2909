/* json.c -- JSON files as the graph readers take them: parsed by jansson, with the lines of values
 * found in the text, since jansson keeps none. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

static tgs_status no_root(const tgs_source *s, const json_error_t *error, tgs_error *err)
{
    tgs_source at = *s;

    /* jansson says nothing at all when it has no memory to parse with */
    if (!*error->text || json_error_code(error) == json_error_out_of_memory)
        return tgs_i_read_no_memory(s, err);
    at.line = error->line > 0 ? error->line : 1;
    return tgs_source_fail(&at, err, "%s", error->text);
}

tgs_status tgs_i_read_json(json_t **root, char **text, tgs_source *s, tgs_error *err)
{
    json_error_t error;
    size_t size;
    tgs_status status;

    *root = NULL;
    status = tgs_source_all(s, text, &size, err);
    s->line = 1;
    if (status)
        return status;
    *root = json_loadb(*text, size, JSON_REJECT_DUPLICATES, &error);
    return *root ? TGS_OK : no_root(s, &error, err);
}

/* ---- where a value is; the text is well-formed ------------------------------------------------
 */

static const char *after_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* past the string that begins at s */
static const char *after_string(const char *s)
{
    for (s++; *s && *s != '"'; s++)
        s += *s == '\\' && s[1];
    return *s ? s + 1 : s;
}

/* past the value that begins at s */
static const char *after_value(const char *s)
{
    int32_t depth = 0;

    do {
        if (*s == '"') {
            s = after_string(s);
            continue;
        }
        if (!depth && *s != '{' && *s != '[')
            return s + strcspn(s, ",]} \t\r\n");
        depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        s++;
    } while (depth && *s);
    return s;
}

/* the value of member key (of n bytes) of the object that begins at s; NULL: there is none */
static const char *member(const char *s, const char *key, size_t n)
{
    for (s = after_blanks(s + 1); *s == '"';) {
        const bool it = !strncmp(s + 1, key, n) && s[n + 1] == '"';

        s = after_blanks(after_string(s));
        s = after_blanks(s + (*s == ':'));
        if (it)
            return s;
        s = after_blanks(after_value(s));
        s = after_blanks(s + (*s == ','));
    }
    return NULL;
}

static const char *element(const char *s, int64_t index)
{
    for (s = after_blanks(s + 1); *s && *s != ']' && index; index--) {
        s = after_blanks(after_value(s));
        s = after_blanks(s + (*s == ','));
    }
    return *s && *s != ']' ? s : NULL;
}

/* as far as there is something */
static const char *value_at(const char *text, const char *path)
{
    const char *s = after_blanks(text), *next = s;

    while (*path && next) {
        if (*path == '[') {
            char *end;
            const int64_t index = strtoll(path + 1, &end, 10);

            next = *s == '[' ? element(s, index) : NULL;
            path = end + (*end == ']');
        } else {
            const size_t n = strcspn(path += *path == '.', ".[");

            next = *s == '{' ? member(s, path, n) : NULL;
            path += n;
        }
        s = next ? next : s;
    }
    return s;
}

int64_t tgs_i_json_line(const char *text, const char *path)
{
    return tgs_i_read_line(text, value_at(text, path));
}

/* the lines from `from` to before `to` */
static int64_t lines(const char *from, const char *to)
{
    return tgs_i_read_line(from, to) - 1;
}

void tgs_i_json_walk_open(tgs_i_json_walk *w, const char *text, const char *path)
{
    const char *s = value_at(text, path);

    w->at = *s == '[' ? after_blanks(s + 1) : s;
    w->line = tgs_i_read_line(text, w->at);
}

int64_t tgs_i_json_walk_next(tgs_i_json_walk *w)
{
    const int64_t line = w->line;
    const char *s = after_blanks(after_value(w->at));

    s = after_blanks(s + (*s == ','));
    w->line += lines(w->at, s);
    w->at = s;
    return line;
}
