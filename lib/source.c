/* source.c -- line-oriented input that knows where it is. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "internal.h"

#define MOST_BYTES ((size_t)1 << 30)

/* drops the mark that some editors put before UTF-8; gives the bytes that are left of size */
static size_t without_mark(char *text, size_t size)
{
    if (size < 3 || memcmp(text, "\xEF\xBB\xBF", 3))
        return size;
    memmove(text, text + 3, size - 3 + 1);
    return size - 3;
}

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
    if (s->line++ == 0)
        n = (ssize_t)without_mark(s->text, (size_t)n);
    if (memchr(s->text, 0, (size_t)n))
        return tgs_source_fail(s, err, "a NUL byte: this is not text");
    s->cut = n == 0 || s->text[n - 1] != '\n';
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

tgs_status tgs_source_all(tgs_source *s, char **text, size_t *size, tgs_error *err)
{
    char *all = NULL, *grown;
    const char *zero;
    size_t used = 0;
    int64_t room = 0;
    tgs_status status = TGS_OK;

    *text = NULL;
    *size = 0;
    errno = 0;
    do {
        if (used >= MOST_BYTES) {
            status = tgs_source_fail(s, err, "more than 1 GiB of text");
            goto done;
        }
        if (tgs_mem_grow(&all, &room, (int64_t)used + 65536, 1)) {
            status = tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
            goto done;
        }
        used += fread(all + used, 1, (size_t)room - used - 1, s->file);
    } while (!feof(s->file) && !ferror(s->file));
    if (ferror(s->file)) {
        status = tgs_fail_system(err, errno, s->path);
        goto done;
    }
    all[used] = 0;
    zero = memchr(all, 0, used);
    if (zero) {
        s->line = 1;
        for (const char *c = all; c < zero; c++)
            s->line += *c == '\n';
        status = tgs_source_fail(s, err, "a NUL byte: this is not text");
        goto done;
    }
    if (s->line == 0)
        used = without_mark(all, used);
    grown = tgs_mem_resize(all, used + 1, 1);
    *text = grown ? grown : all;
    *size = used;
    all = NULL;
done:
    tgs_mem_free(all);
    return status;
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
