/* schedorigin.c -- what the problem of a schedule was made of: lines of text, such as the words of
 * a command, kept in its file for whoever has nothing else. */
#include <string.h>
#include <strings.h>
#include "words.h"

tgs_status tgs_schedule_annotate(tgs_schedule *s, const char *origin, tgs_error *err)
{
    char *copy = tgs_mem_text(origin);

    if (!copy)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the origin of a schedule");
    tgs_mem_free(s->origin);
    s->origin = copy;
    return TGS_OK;
}

/* the field origin= of the record at rest, which stays in the source's line; NULL: there is none */
static tgs_status find_origin(const tgs_source *s, char *rest, const char **out, tgs_error *err)
{
    char *key, *value;
    tgs_status status;

    *out = NULL;
    while (!(status = tgs_source_field(s, &rest, &key, &value, err)) && key)
        if (!strcmp(key, "origin"))
            *out = value;
    return status;
}

tgs_status tgs_schedule_origin(char **out, const char *path, tgs_error *err)
{
    const size_t size = strlen(path);
    const bool table = size > 4 && !strcasecmp(path + size - 4, ".csv");
    const char *found = NULL;
    char *word, *rest;
    tgs_source source;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!table) {
        status = tgs_i_source_open(&source, path, err);
        if (status)
            return status;
        status = tgs_i_record_format(&source, "tgsched.schedule/1", err);
        if (!status) {
            const int got = tgs_i_record_next(&source, &word, &rest, err);

            status = got < 0 ? (tgs_status)got
                     : got   ? find_origin(&source, rest, &found, err)
                             : TGS_OK;
        }
    }
    if (!status) {
        *out = tgs_mem_text(found ? found : "");
        status = *out ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    if (!table)
        tgs_i_source_close(&source);
    return status;
}
