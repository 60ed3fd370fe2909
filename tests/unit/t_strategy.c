/* t_strategy.c -- strategies from text and files: directives, their order, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "modelimpl.h"

static tgs_strategy *parsed(const char *text)
{
    tgs_strategy *s;
    tgs_error err = {TGS_OK, ""};

    if (tgs_strategy_parse(&s, text, &err))
        fail_msg("%s", err.text);
    return s;
}

/* "loss train micro-batches" */
static void assert_order(const tgs_strategy *s, const char *expected)
{
    char text[200] = "";

    for (int64_t i = 0; i < s->directives; i++) {
        const size_t used = strlen(text);

        snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                 s->directive[i].transform->base.name);
    }
    assert_string_equal(text, expected);
}

static void directives_run_in_the_order_of_their_stages(void **state)
{
    tgs_strategy *s = parsed("replicas 2 tree=3; micro-batches 8 # pieces\n\ttrain adam lr=0.1;;\n"
                             "accumulate tree; loss mse");

    (void)state;
    assert_order(s, "accumulate loss train micro-batches replicas");
    assert_string_equal(tgs_arg_text(s->directive[2].args, "optimizer"), "adam");
    assert_true(tgs_arg_real(s->directive[2].args, "lr") == 0.1);
    assert_true(tgs_arg_real(s->directive[2].args, "beta2") == 0.999);
    assert_int_equal(tgs_arg_int(s->directive[3].args, "count"), 8);
    assert_int_equal(tgs_arg_int(s->directive[4].args, "count"), 2);
    assert_int_equal(tgs_arg_int(s->directive[4].args, "tree"), 3);
    tgs_strategy_free(s);
}

static void what_is_needed_is_added(void **state)
{
    tgs_strategy *s = parsed("train");

    (void)state;
    assert_order(s, "loss train");
    assert_string_equal(tgs_arg_text(s->directive[0].args, "kind"), "auto");
    tgs_strategy_free(s);
    s = parsed("# nothing\n\n");
    assert_order(s, "");
    tgs_strategy_free(s);
    tgs_strategy_free(NULL);
}

static const struct bad {
    const char *text, *what;
} bad[] = {
    {"trian sgd", "'trian'"},
    {"train sgd; train adam", "'train' is given twice"},
    {"micro-batches 0", "count=0"},
    {"micro-batches 1.5", "count=1.5"},
    {"micro-batches x", "count=x"},
    {"accumulate tree 2 3", "a word too many"},
    {"micro-batches count=", "count="},
    {"replicas 2 tree=1", "tree=1"},
    {"replicas 2 fan=2", "no parameter 'fan'"},
    {"train sgd lr=-1", "lr=-1"},
    {"train sgd lr=nan", "lr=nan"},
    {"train sgd:lr=1", "':'"},
};

static void wrong_text_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_strategy *s = (tgs_strategy *)bad;
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = tgs_strategy_parse(&s, bad[i].text, &err);

        if (status >= 0 || s || strncmp(err.text, "strategy: ", 10)
            || !strstr(err.text, bad[i].what))
            fail_msg("'%s': %d, %s", bad[i].text, (int)status, err.text);
    }
}

/* the status of reading a file of this content */
static tgs_status read_text(const char *text, tgs_strategy **s, tgs_error *err)
{
    char path[] = "/tmp/tgsched-strategy-XXXXXX";
    const int fd = mkstemp(path);
    tgs_status status;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    status = tgs_strategy_read(s, path, err);
    unlink(path);
    return status;
}

static void files_are_read_and_their_lines_counted(void **state)
{
    tgs_strategy *s;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(read_text("tgsched.strategy/1\n# ours\ntrain momentum mu=0.5\n", &s, &err), 0);
    assert_order(s, "loss train");
    tgs_strategy_free(s);
    assert_int_equal(read_text("tgsched.strategy/1\n\nreplicas 0\n", &s, &err), TGS_EINVAL);
    assert_null(s);
    assert_non_null(strstr(err.text, ":3: "));
    assert_int_equal(read_text("train sgd\n", &s, &err), TGS_EPARSE);
    assert_non_null(strstr(err.text, ":1: "));
    assert_int_equal(read_text("", &s, &err), TGS_EPARSE);
    assert_int_equal(tgs_strategy_read(&s, "/nowhere/x.tgy", &err), TGS_EIO);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directives_run_in_the_order_of_their_stages),
        cmocka_unit_test(what_is_needed_is_added),
        cmocka_unit_test(wrong_text_is_refused),
        cmocka_unit_test(files_are_read_and_their_lines_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
