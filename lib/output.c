/* output.c -- a file appears whole or not at all: written under a temporary name, then renamed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "internal.h"

tgs_status tgs_i_output_open(tgs_i_output *o, const char *path, tgs_error *err)
{
    struct stat st;
    size_t size;
    int fd;

    memset(o, 0, sizeof *o);
    if (!strcmp(path, "-")) {
        o->file = stdout;
        return TGS_OK;
    }
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) { /* a pipe or device is written as it is */
        o->file = fopen(path, "wb");
        return o->file ? TGS_OK : tgs_fail(err, TGS_EIO, "%s: %s", path, strerror(errno));
    }
    size = strlen(path) + sizeof ".XXXXXX";
    o->path = tgs_mem_text(path);
    o->temporary = tgs_mem_alloc(size, 1);
    if (!o->path || !o->temporary) {
        tgs_i_output_close(o, TGS_ENOMEM, NULL);
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", path);
    }
    snprintf(o->temporary, size, "%s.XXXXXX", path);
    fd = mkstemp(o->temporary);
    o->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!o->file) {
        const int reason = errno;

        if (fd >= 0)
            close(fd);
        tgs_i_output_close(o, TGS_EIO, NULL);
        return tgs_fail(err, TGS_EIO, "%s: %s", path, strerror(reason));
    }
    return TGS_OK;
}

static void permit(const char *temporary)
{
    const mode_t mask = umask(0);

    umask(mask);
    chmod(temporary, 0666 & ~mask); /* mkstemp made it private */
}

tgs_status tgs_i_output_close(tgs_i_output *o, tgs_status status, tgs_error *err)
{
    if (o->file) {
        errno = 0;
        bool bad = fflush(o->file) || ferror(o->file);

        if (o->file != stdout)
            bad |= fclose(o->file) != 0;
        if (bad && !status)
            status = tgs_fail(err, TGS_EIO, "%s: %s", o->path ? o->path : "output",
                              strerror(errno ? errno : EIO));
    }
    if (o->temporary && !status) {
        permit(o->temporary);
        if (rename(o->temporary, o->path))
            status = tgs_fail(err, TGS_EIO, "%s: %s", o->path, strerror(errno));
    }
    if (o->temporary && status)
        unlink(o->temporary);
    tgs_mem_free(o->temporary);
    tgs_mem_free(o->path);
    memset(o, 0, sizeof *o);
    return status;
}

void tgs_i_put_json(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 0x20)
            fprintf(to, "\\u%04x", *s);
        else
            putc(*s, to);
    putc('"', to);
}
