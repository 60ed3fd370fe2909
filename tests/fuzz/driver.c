/* driver.c -- runs a libFuzzer entry point without libFuzzer: every file of the corpus, and then
 * mutations of them, the same ones every time.
 *
 *   t_fuzz_NAME [MUTATIONS [SEED]]      of every file; 0 replays only
 *   t_fuzz_NAME -f FILE                 one input, for example NAME.crash that a crash left */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tgsched/plugin.h"

enum { MUTATIONS = 250, FILES = 200, MOST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char *const fuzz_corpus[]; /* folders, ending with NULL; of the file with the entry */

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input corpus[FILES];
static int32_t files;
static tgs_rng rng;

/* ---- what is running, for when it crashes ------------------------------------------------------
 */

static uint8_t current[MOST];
static size_t current_size;
static char crash_name[4096];

static void on_crash(int number)
{
    const int fd = open(crash_name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || write(fd, current, current_size) < 0)
        _exit(99);
    close(fd);
    signal(number, SIG_DFL);
    raise(number);
}

static void run(void)
{
    LLVMFuzzerTestOneInput(current, current_size);
}

/* ---- corpus ------------------------------------------------------------------------------------
 */

static bool take_file(const char *path)
{
    FILE *from = fopen(path, "rb");
    input *in = &corpus[files];

    if (!from || files == FILES)
        return false;
    in->data = malloc(MOST);
    in->size = fread(in->data, 1, MOST, from);
    fclose(from);
    files++;
    return true;
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static void take_folder(const char *folder)
{
    const char *root = getenv("TGS_SRCDIR");
    struct dirent **list;
    char path[4096];
    int n;

    snprintf(path, sizeof path, "%s/%s", root ? root : ".", folder);
    n = scandir(path, &list, visible, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", root ? root : ".", folder, list[i]->d_name);
        take_file(path);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}

/* ---- mutations ---------------------------------------------------------------------------------
 */

static size_t below(size_t n)
{
    return n ? (size_t)tgs_rng_int(&rng, 0, (int64_t)n - 1) : 0;
}

/* replace [at, at + cut) by more */
static void replace(size_t at, size_t cut, const void *more, size_t size)
{
    uint8_t copy[4096];

    if (size > sizeof copy)
        size = sizeof copy;
    memcpy(copy, more, size); /* it may come from current itself */
    if (at > current_size)
        at = current_size;
    if (cut > current_size - at)
        cut = current_size - at;
    if (current_size - cut + size > MOST)
        return;
    memmove(current + at + size, current + at + cut, current_size - at - cut);
    memcpy(current + at, copy, size);
    current_size += size - cut;
}

/* the word around a random place */
static void word(size_t *at, size_t *size)
{
    size_t start = below(current_size), end = start;

    while (start > 0 && !strchr(" \t\n,:=\"", current[start - 1]))
        start--;
    while (end < current_size && !strchr(" \t\n,:=\"", current[end]))
        end++;
    *at = start;
    *size = end - start;
}

static void mutate(void)
{
    static const char *const interesting[] = {"",
                                              "-1",
                                              "0",
                                              "nan",
                                              "1e999",
                                              "inf",
                                              "999999999",
                                              "2147483648",
                                              "4294967296",
                                              "1e-320",
                                              "18446744073709551616",
                                              "@0",
                                              "@1",
                                              "%",
                                              "%41",
                                              "%00",
                                              "\"",
                                              "#",
                                              "-",
                                              "=",
                                              "[",
                                              "]",
                                              "{",
                                              "}",
                                              "\n",
                                              "\r",
                                              "\xff",
                                              "0x1p4",
                                              "a",
                                              "true",
                                              "null"};
    static const uint8_t zero = 0;
    const size_t at = below(current_size + 1);
    size_t start, size;
    uint8_t byte;

    switch (below(9)) {
    case 0: /* a bit */
        if (at < current_size)
            current[at] ^= (uint8_t)(1 << below(8));
        break;
    case 1: /* a byte more */
        byte = (uint8_t)below(256);
        replace(at, 0, &byte, 1);
        break;
    case 2: /* less */
        replace(at, 1 + below(20), "", 0);
        break;
    case 3: /* something again, elsewhere */
        start = below(current_size);
        size = below(current_size - start);
        replace(at, 0, current + start, size > 200 ? 200 : size);
        break;
    case 4: /* a word becomes another */
        word(&start, &size);
        const char *with = interesting[below(sizeof interesting / sizeof *interesting)];
        replace(start, size, with, strlen(with));
        break;
    case 5: { /* a word becomes another word of the text */
        size_t other, other_size;

        word(&other, &other_size);
        word(&start, &size);
        replace(start, size, current + other, other_size);
        break;
    }
    case 6: { /* part of another file */
        const input *from = &corpus[below((size_t)files)];

        start = below(from->size);
        size = below(from->size - start);
        replace(at, below(2) ? size : 0, from->data + start, size > 300 ? 300 : size);
        break;
    }
    case 7: /* the end is missing */
        current_size = at;
        break;
    default:
        replace(at, 0, &zero, below(20) == 0);
        break;
    }
}

int main(int argc, char **argv)
{
    const bool one = argc == 3 && !strcmp(argv[1], "-f");
    const int32_t mutations = argc > 1 ? atoi(argv[1]) : MUTATIONS;
    int64_t runs = 0;

    snprintf(crash_name, sizeof crash_name, "%s.crash", argv[0]);
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    signal(SIGBUS, on_crash);
    signal(SIGFPE, on_crash);
    for (int i = 0; !one && fuzz_corpus[i]; i++)
        take_folder(fuzz_corpus[i]);
    if (one ? !take_file(argv[2]) : !files) {
        fprintf(stderr, "%s: no input\n", argv[0]);
        return 1;
    }
    tgs_rng_seed(&rng, argc > 2 && !one ? strtoull(argv[2], NULL, 10) : 1);
    for (int32_t f = 0; f < files; f++)
        for (int32_t m = 0; m <= (one ? 0 : mutations); m++) {
            memcpy(current, corpus[f].data, corpus[f].size);
            current_size = corpus[f].size;
            for (size_t k = m ? 1 + below(6) : 0; k > 0; k--)
                mutate();
            run();
            runs++;
        }
    for (int32_t f = 0; f < files; f++)
        free(corpus[f].data);
    printf("%s: %lld inputs from %d files\n", argv[0], (long long)runs, files);
    return 0;
}
