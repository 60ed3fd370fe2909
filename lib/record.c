/* record.c -- fields of a record, each into its place, checked for what all files share. */
#include <stdlib.h>
#include <string.h>
#include "record.h"

static tgs_status take(const tgs_source *s, tgs_i_field *f, char *value, tgs_error *err)
{
    if (f->given)
        return tgs_source_fail(s, err, "%s is given twice", f->key);
    f->given = true;
    if (f->real && !tgs_parse_real(value, f->real))
        return tgs_source_fail(s, err, "%s=%.80s is not a finite number", f->key, value);
    if (f->name && !tgs_name_take(value))
        return tgs_source_fail(s, err, "%s=%.80s is not a name", f->key, value);
    if (f->name)
        *f->name = value;
    if (f->text)
        *f->text = value;
    return TGS_OK;
}

tgs_status tgs_i_fields(const tgs_source *s, char *cursor, const char *record, tgs_i_field *f,
                        tgs_error *err)
{
    char *key, *value;
    tgs_status status;

    while (!(status = tgs_source_field(s, &cursor, &key, &value, err)) && key) {
        int i = 0;

        while (f[i].key && strcmp(f[i].key, key))
            i++;
        if (!f[i].key)
            return tgs_source_fail(s, err, "%s has no key '%.80s'", record, key);
        status = take(s, &f[i], value, err);
        if (status)
            return status;
    }
    for (; !status && f->key; f++)
        if (f->required && !f->given)
            status = tgs_source_fail(s, err, "%s needs %s=", record, f->key);
    return status;
}

tgs_status tgs_i_field_name(const tgs_source *s, char **cursor, const char *record, char **name,
                            tgs_error *err)
{
    *name = tgs_word(cursor);
    if (!*name || **name == '#')
        return tgs_source_fail(s, err, "%s needs a name", record);
    if (!tgs_name_take(*name))
        return tgs_source_fail(s, err, "'%.80s' is not a name", *name);
    return TGS_OK;
}

/* with as few digits, of 15 to 17, as read back to the same number */
void tgs_i_put_real(FILE *to, const char *key, double x, double absent)
{
    char text[32];
    int digits = 14;

    if (isnan(x) || x == absent)
        return;
    do
        snprintf(text, sizeof text, "%.*g", ++digits, x);
    while (digits < 17 && strtod(text, NULL) != x);
    fprintf(to, " %s=%s", key, text);
}

void tgs_i_put_named(FILE *to, const char *before, const char *name)
{
    fputs(before, to);
    tgs_name_put(to, name);
}
