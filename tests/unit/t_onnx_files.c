/* t_onnx_files.c -- the 747 ONNX files of ../shared/data, where they are at hand: all are read but
 * those that want a dimension (and say which option names it) and those that contradict themselves;
 * with the option they are read, too, unless they are made for one other size. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

/* files under a directory: how many, how many want a dimension, how many of these cannot have the
 * one that is proposed, how many contradict themselves */
typedef struct part {
    const char *directory;
    int32_t files, open, unfit, wrong;
} part;
static const part parts[] = {
    {"onnx-models/deeploy", 13, 0, 0, 3}, {"onnx-models/edge", 19, 0, 0, 0},
    {"onnx-models/light", 6, 0, 0, 0},    {"onnx-models/rnn", 2, 2, 1, 0},
    {"onnx-models/small", 5, 3, 0, 0},    {"onnx-models/transformer", 8, 5, 0, 0},
    {"onnx-models/vision", 3, 1, 0, 0},   {"onnx-ops/newer", 267, 1, 0, 0},
    {"onnx-ops/onnx-1.12", 424, 4, 0, 0},
};

/* the option that a refusal names, "...; bind it: --bind batch=8,sequence=8", after those before */
static bool add_option(char *bind, size_t size, const char *text)
{
    const char *at = strstr(text, "; bind it: --bind ");
    const size_t used = strlen(bind);

    if (!at)
        return false;
    at += strlen("; bind it: --bind ");
    snprintf(bind + used, size - used, "%s%.*s", used ? "," : "", (int)strcspn(at, " "), at);
    return strlen(bind) > used + 1;
}

static void read_file(const char *path, part *seen)
{
    char bind[400] = "";
    tgs_model *m = NULL;
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_model_read(&m, path, NULL, NULL, &err);

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
    seen->open++;
    for (int32_t round = 0; status == TGS_EINVAL && round < 2;
         round++) { /* a shape, then a length */
        if (!add_option(bind, sizeof bind, err.text))
            fail_msg("%s: no option is named: %s", path, err.text);
        status = tgs_model_read(&m, path, NULL, bind, &err);
    }
    if (status) { /* 8 may be no size that fits */
        assert_int_equal(status, TGS_ENOTAPPLICABLE);
        seen->unfit++;
    }
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
    part all = {NULL, 0, 0, 0, 0};
    bool differ = false;

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        part seen = {parts[i].directory, 0, 0, 0, 0};
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
            || seen.unfit != parts[i].unfit || seen.wrong != parts[i].wrong) {
            print_error(
                "%s: %d files, %d want a dimension (%d another), %d contradict themselves\n",
                seen.directory, (int)seen.files, (int)seen.open, (int)seen.unfit, (int)seen.wrong);
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
