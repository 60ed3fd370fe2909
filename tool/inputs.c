/* inputs.c -- standard input and pipes as files.  A file is opened more than once: to tell its
 * format, to read it, and by each problem of a comparison.  A pipe gives its bytes once, so it is
 * copied and its descriptor becomes the copy's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"

/* the descriptor that path names: "-", "/dev/stdin", "/dev/fd/63" of a shell's <(...); -1 none */
static int descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdin"))
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t n = strlen(folders[i]);
        char *end;

        if (!strncmp(path, folders[i], n) && path[n]) {
            const long fd = strtol(path + n, &end, 10);

            return *end || fd < 0 || fd > 1 << 20 ? -1 : (int)fd;
        }
    }
    return -1;
}

static bool copy(int from, FILE *to)
{
    char bytes[1 << 16];
    ssize_t n;

    while ((n = read(from, bytes, sizeof bytes)) != 0)
        if (n < 0 ? errno != EINTR : fwrite(bytes, 1, (size_t)n, to) != (size_t)n)
            return false;
    return !fflush(to);
}

int input_path(char **path)
{
    static char standard[] = "/dev/stdin";
    const int fd = descriptor(*path);
    char *name = fd == STDIN_FILENO ? standard : *path;
    tgs_error err = {TGS_EIO, ""};
    struct stat st;
    FILE *whole;
    bool good;

    if (fd < 0 || fstat(fd, &st))
        return -1;
    *path = name;
    if (S_ISREG(st.st_mode))
        return -1;
    whole = tmpfile();
    good = whole && copy(fd, whole) && dup2(fileno(whole), fd) == fd;
    if (!good)
        snprintf(err.text, sizeof err.text, "%s: %s", name, strerror(errno));
    if (whole)
        fclose(whole);
    return good ? -1 : fail(TGS_EIO, &err);
}
