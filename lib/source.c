/* source.c -- line-oriented input that knows where it is. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "internal.h"

tgs_status tgs_i_source_open(tgs_source *s, const char *path, tgs_error *err)
{
    struct stat st;

    memset(s, 0, sizeof *s);
    s->path = path;
    if (!strcmp(path, "-")) {
        s->file = stdin;
        s->path = "<stdin>";
        return TGS_OK;
    }
    s->file = fopen(path, "rb");
    if (!s->file)
        return tgs_fail_system(err, errno, path);
    if (!fstat(fileno(s->file), &st) && S_ISDIR(st.st_mode)) {
        tgs_i_source_close(s);
        return tgs_fail(err, TGS_EIO, "%s: is a directory", path);
    }
    return TGS_OK;
}

void tgs_i_source_close(tgs_source *s)
{
    if (s->file && s->file != stdin)
        fclose(s->file);
    free(s->text); /* getline's */
    s->file = NULL;
    s->text = NULL;
}

int tgs_source_next(tgs_source *s, tgs_error *err)
{
    ssize_t n;

    errno = 0;
    n = getline(&s->text, &s->room, s->file);
    if (n < 0) {
        if (errno == ENOMEM || ferror(s->file))
            return tgs_fail_system(err, errno, s->path);
        return 0;
    }
    s->line++;
    if (memchr(s->text, 0, (size_t)n))
        return tgs_source_fail(s, err, "a NUL byte: this is not text");
    s->cut = s->text[n - 1] != '\n';
    while (n > 0 && (s->text[n - 1] == '\n' || s->text[n - 1] == '\r'))
        s->text[--n] = 0;
    return 1;
}

tgs_status tgs_source_fail(const tgs_source *s, tgs_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (s->line)
        return tgs_fail(err, TGS_EPARSE, "%s:%lld: %s", s->path, (long long)s->line, text);
    return tgs_fail(err, TGS_EPARSE, "%s: %s", s->path, text);
}

char *tgs_word(char **cursor)
{
    char *word = *cursor + strspn(*cursor, " \t");
    char *end = word + strcspn(word, " \t");

    if (!*word)
        return NULL;
    *cursor = *end ? end + 1 : end;
    *end = 0;
    return word;
}
