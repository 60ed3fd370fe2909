/* t_onnx_files.c -- the 747 ONNX files of ../shared/data, where they are at hand: all are read but
 * those that want a dimension (and say which option names it) and those that contradict themselves;
 * with the option they are read, too. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

/* files under a directory: how many, how many want a dimension, how many contradict themselves */
typedef struct part {
    const char *directory;
    int32_t files, open, wrong;
} part;
static const part parts[] = {
    {"onnx-models/deeploy", 13, 0, 3}, {"onnx-models/edge", 19, 0, 0},
    {"onnx-models/light", 6, 0, 0},    {"onnx-models/rnn", 2, 0, 0},
    {"onnx-models/small", 5, 0, 0},    {"onnx-models/transformer", 8, 0, 0},
    {"onnx-models/vision", 3, 0, 0},   {"onnx-ops/newer", 267, 0, 0},
    {"onnx-ops/onnx-1.12", 424, 0, 0},
};

/* the option that a refusal names: "...; bind it: --bind x.0=N,x.1=N" with a number for each N */
static bool option_of(const char *text, char *bind, size_t size)
{
    const char *at = strstr(text, "; bind it: --bind ");
    size_t used = 0;

    if (!at)
        return false;
    for (at += strlen("; bind it: --bind "); *at && *at != ' ' && used + 2 < size; at++)
        bind[used++] = at[0] == 'N' && at[-1] == '=' ? '4' : *at;
    bind[used] = 0;
    return used > 0;
}

static void read_file(const char *path, part *seen)
{
    char bind[400];
    tgs_model *m = NULL;
    tgs_error err = {TGS_OK, ""}, again = {TGS_OK, ""};
    const tgs_status status = tgs_model_read(&m, path, NULL, NULL, &err);

    seen->files++;
    if (!status) {
        assert_non_null(m);
        tgs_model_free(m);
        return;
    }
    assert_null(m);
    print_message("%s\n", err.text);
    if (!strstr(err.text, path))
        fail_msg("%s: the message does not name the file: %s", path, err.text);
    if (status == TGS_ENOTAPPLICABLE) { /* what a rule says of a model that contradicts itself */
        assert_non_null(strstr(err.text, "node '"));
        seen->wrong++;
        return;
    }
    assert_int_equal(status, TGS_EINVAL);
    if (!option_of(err.text, bind, sizeof bind))
        fail_msg("%s: no option is named: %s", path, err.text);
    seen->open++;
    if (tgs_model_read(&m, path, NULL, bind, &again)) /* 4 may be no size that fits */
        assert_int_equal(again.status, TGS_ENOTAPPLICABLE);
    tgs_model_free(m);
}

static void walk(const char *directory, part *seen)
{
    DIR *d = opendir(directory);
    struct dirent *e;

    assert_non_null(d);
    while ((e = readdir(d))) {
        char path[4096];
        const size_t n = strlen(e->d_name);

        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (e->d_type == DT_DIR && *e->d_name != '.')
            walk(path, seen);
        else if (n > 5 && !strcmp(e->d_name + n - 5, ".onnx"))
            read_file(path, seen);
    }
    closedir(d);
}

static void every_file_is_read_or_says_what_it_wants(void **state)
{
    const char *root = getenv("TGS_SRCDIR");
    part all = {NULL, 0, 0, 0};
    bool differ = false;

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        part seen = {parts[i].directory, 0, 0, 0};
        char path[4096];
        DIR *d;

        snprintf(path, sizeof path, "%s/../shared/data/%s", root ? root : ".", seen.directory);
        if (!(d = opendir(path))) {
            print_message("%s is not at hand\n", path);
            skip();
            return;
        }
        closedir(d);
        walk(path, &seen);
        if (seen.files != parts[i].files || seen.open != parts[i].open
            || seen.wrong != parts[i].wrong) {
            print_error("%s: %d files, %d want a dimension, %d contradict themselves\n",
                        seen.directory, (int)seen.files, (int)seen.open, (int)seen.wrong);
            differ = true;
        }
        all.files += seen.files;
        all.open += seen.open;
        all.wrong += seen.wrong;
    }
    assert_false(differ);
    assert_int_equal(all.files, 747);
    assert_int_equal(all.open, 16);
    assert_int_equal(all.wrong, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_read_or_says_what_it_wants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
