/* t_output -- a file appears whole or not at all; JSON strings are always valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include "internal.h"

static char folder[] = "/tmp/tgs-output.XXXXXX";

static int entries(void)
{
    DIR *d = opendir(folder);
    int n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

static void content(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");

    memset(text, 0, size);
    assert_non_null(f);
    assert_true(fread(text, 1, size - 1, f) < size);
    fclose(f);
}

static void test_replaces_whole(void **state)
{
    char path[100], text[20];
    tgs_i_output o;
    tgs_error err;
    struct stat st;
    const mode_t mask = umask(022);

    (void)state;
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(tgs_file_write(path, "old", 3, &err), TGS_OK);
    assert_int_equal(tgs_i_output_open(&o, path, &err), TGS_OK);
    fputs("new and longer", o.file);
    fflush(o.file);
    content(path, text, sizeof text);
    assert_string_equal(text, "old"); /* until it is closed */
    assert_int_equal(tgs_i_output_close(&o, TGS_OK, &err), TGS_OK);
    content(path, text, sizeof text);
    assert_string_equal(text, "new and longer");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    assert_int_equal(entries(), 1);
    umask(mask);
}

static void test_failure_leaves_nothing(void **state)
{
    char path[100], text[20];
    tgs_i_output o;
    tgs_error err;

    (void)state;
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(tgs_file_write(path, "kept", 4, &err), TGS_OK);
    assert_int_equal(tgs_i_output_open(&o, path, &err), TGS_OK);
    fputs("half", o.file);
    assert_int_equal(tgs_i_output_close(&o, TGS_EPARSE, &err), TGS_EPARSE);
    content(path, text, sizeof text);
    assert_string_equal(text, "kept");
    assert_int_equal(entries(), 1);

    assert_int_equal(tgs_file_write("/dev/full", "text", 4, &err), TGS_EIO);
    assert_non_null(strstr(err.text, "No space left"));
    snprintf(path, sizeof path, "%s/no/such/folder", folder);
    assert_int_equal(tgs_file_write(path, "x", 1, &err), TGS_EIO);
    assert_non_null(strstr(err.text, path));
}

/* what a link names is replaced, not the link; a link into /proc is a device */
static void test_links(void **state)
{
    char path[100], link_[100], text[20];
    struct stat st;
    tgs_error err;
    int fd;

    (void)state;
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link_, sizeof link_, "%s/link", folder);
    assert_int_equal(symlink("file", link_), 0);
    unlink(path);
    for (int i = 0; i < 2; i++) { /* dangling, then not */
        assert_int_equal(tgs_file_write(link_, i ? "two" : "one", 3, &err), TGS_OK);
        content(path, text, sizeof text);
        assert_string_equal(text, i ? "two" : "one");
        assert_int_equal(lstat(link_, &st), 0);
        assert_true(S_ISLNK(st.st_mode));
        assert_int_equal(entries(), 2);
    }
    unlink(link_);

    fd = open(path, O_WRONLY | O_TRUNC);
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    assert_int_equal(symlink(text, link_), 0);
    assert_int_equal(tgs_file_write(link_, "three", 5, &err), TGS_OK);
    close(fd);
    content(path, text, sizeof text);
    assert_string_equal(text, "three");
    assert_int_equal(lstat(link_, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    unlink(link_);
    assert_int_equal(entries(), 1);
}

static void test_json_text(void **state)
{
    static const struct {
        const char *in, *out;
    } c[] = {
        {"plain", "\"plain\""},
        {"a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\\u007f\""},
        {"</script>", "\"\\u003c/script\\u003e\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff|\xc3", "\"\\ufffd|\\ufffd\""},
        {"\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", /* overlong, surrogate, beyond U+10FFFF */
         "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char *text;
        size_t size;
        FILE *to = open_memstream(&text, &size);

        tgs_json_text(to, c[i].in);
        fclose(to);
        assert_string_equal(text, c[i].out);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaces_whole),
        cmocka_unit_test(test_failure_leaves_nothing),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_json_text),
    };
    char path[100];
    int failed;

    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    unlink(path);
    rmdir(folder);
    return failed;
}
