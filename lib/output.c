/* output.c -- a file appears whole or not at all.  Where the file system can (O_TMPFILE) it has no
 * name until it is complete, so that even a killed process leaves nothing; elsewhere it is written
 * under a temporary name. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "internal.h"
#include "numerals.h"

enum { BUFFER = 65536 };

static void descriptor_path(char *path, size_t size, int fd)
{
    snprintf(path, size, "/proc/self/fd/%d", fd);
}

/* a file without a name in the folder of path, which is cut, or -1 */
static int open_nameless(char *path)
{
    char *slash = strrchr(path, '/'), link[40];
    int fd;

    if (slash)
        slash[slash == path] = 0;
    fd = open(slash ? path : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    descriptor_path(link, sizeof link, fd);
    if (!access(link, F_OK)) /* it gets its name through there */
        return fd;
    close(fd);
    return -1;
}

static void permit(int fd)
{
    const mode_t mask = umask(0);

    umask(mask);
    fchmod(fd, 0666 & ~mask); /* mkstemp made it private */
}

/* the end of opening: reason is why there is no file */
static tgs_status opened(tgs_i_output *o, const char *path, int reason, tgs_error *err)
{
    if (!o->file) {
        tgs_i_output_close(o, TGS_EIO, NULL);
        return tgs_fail_system(err, reason, path);
    }
    setvbuf(o->file, o->buffer, _IOFBF, BUFFER);
    return TGS_OK;
}

/* The file that symbolic links lead to, ours to free: a link must not be replaced by a file.  Where
 * they lead into /proc (as /dev/stdout does) that path is returned. */
static char *follow(const char *path)
{
    char *at = tgs_mem_text(path);

    for (int hops = 0; at && hops < 40 && strncmp(at, "/proc/", 6); hops++) {
        char to[PATH_MAX];
        const ssize_t n = readlink(at, to, sizeof to - 1);
        const char *slash = strrchr(at, '/');
        const size_t folder = n > 0 && to[0] != '/' && slash ? (size_t)(slash + 1 - at) : 0;
        char *next;

        if (n <= 0)
            break;
        next = tgs_mem_alloc(folder + (size_t)n + 1, 1);
        if (next) {
            memcpy(next, at, folder);
            memcpy(next + folder, to, (size_t)n);
        }
        tgs_mem_free(at);
        at = next;
    }
    return at;
}

tgs_status tgs_i_output_open(tgs_i_output *o, const char *path, tgs_error *err)
{
    struct stat st;
    size_t size;
    int fd;

    memset(o, 0, sizeof *o);
    o->before = tgs_i_numerals_enter();
    if (!strcmp(path, "-")) {
        o->file = stdout;
        return TGS_OK;
    }
    o->buffer = tgs_mem_alloc(BUFFER, 1);
    if (!o->buffer) {
        tgs_i_output_close(o, TGS_ENOMEM, NULL);
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", path);
    }
    o->path = follow(path);
    if (o->path && !stat(path, &st)
        && (!S_ISREG(st.st_mode) || !strncmp(o->path, "/proc/", 6))) { /* a pipe or device: as is */
        o->file = fopen(path, "wb");
        return opened(o, path, errno, err);
    }
    size = (o->path ? strlen(o->path) : 0) + sizeof ".XXXXXX";
    o->temporary = tgs_mem_alloc(size, 1);
    if (!o->path || !o->temporary) {
        tgs_i_output_close(o, TGS_ENOMEM, NULL);
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", path);
    }
    strcpy(o->temporary, o->path);
    fd = open_nameless(o->temporary);
    o->nameless = fd >= 0;
    snprintf(o->temporary, size, "%s.XXXXXX", o->path);
    if (fd < 0) {
        fd = mkstemp(o->temporary);
        if (fd >= 0)
            permit(fd);
    }
    o->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!o->file && fd >= 0) {
        const int reason = errno;

        close(fd);
        errno = reason;
    }
    return opened(o, path, errno, err);
}

/* A link cannot replace a file, a rename can: so the name is a temporary one for a moment. */
static bool give_name(tgs_i_output *o)
{
    char link[40];

    descriptor_path(link, sizeof link, fileno(o->file));
    for (unsigned attempt = 0; attempt < 1000000; attempt++) { /* .XXXXXX: six digits fit */
        sprintf(o->temporary + strlen(o->path), ".%06u", ((unsigned)getpid() + attempt) % 1000000);
        if (!linkat(AT_FDCWD, link, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW)) {
            o->nameless = false;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    return false;
}

static const char *name_of(const tgs_i_output *o)
{
    return o->path ? o->path : "standard output";
}

tgs_status tgs_i_output_close(tgs_i_output *o, tgs_status status, tgs_error *err)
{
    if (o->file) {
        errno = 0;
        bool bad = fflush(o->file) || ferror(o->file); /* of an earlier write the reason is lost */

        if (!bad && !status && o->nameless)
            bad = !give_name(o);
        if (o->file != stdout)
            bad |= fclose(o->file) != 0;
        if (bad && !status)
            status = tgs_fail_system(err, errno ? errno : EIO, name_of(o));
    }
    if (o->temporary && !status && rename(o->temporary, o->path))
        status = tgs_fail_system(err, errno, o->path);
    if (o->temporary && status && !o->nameless)
        unlink(o->temporary);
    tgs_mem_free(o->temporary);
    tgs_mem_free(o->path);
    tgs_mem_free(o->buffer);
    tgs_i_numerals_leave(o->before);
    memset(o, 0, sizeof *o);
    return status;
}

tgs_status tgs_file_write(const char *path, const char *text, size_t size, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status = tgs_i_output_open(&o, path, err);

    if (status)
        return status;
    if (fwrite(text, 1, size, o.file) != size)
        status = tgs_fail_system(err, errno, name_of(&o));
    return tgs_i_output_close(&o, status, err);
}
