/* machine.h -- small graphs, machines and problems for unit tests; include cmocka.h first. */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H
#include <string.h>
#include "platform.h"

static inline tgs_builder *fresh(void)
{
    tgs_builder *b;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    return b;
}

static inline tgs_graph *finished(tgs_builder *b)
{
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

/* a platform file without its first line */
static inline tgs_platform *machine(const char *records)
{
    char text[4000];
    tgs_source s = {.path = "machine"};
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};

    assert_true(strlen(records) < 3900);
    sprintf(text, "tgsched.platform/1\n%s", records);
    s.file = fmemopen(text, strlen(text), "r");
    assert_non_null(s.file);
    if (tgs_i_platform_load(&p, &s, &err))
        fail_msg("%s", err.text);
    tgs_i_source_close(&s);
    return p;
}

static inline tgs_problem *priced(const tgs_graph *g, const tgs_platform *p, const char *links)
{
    tgs_problem *pb;
    tgs_error err = {TGS_OK, ""};

    if (tgs_problem_new(&pb, g, p, NULL, links, &err))
        fail_msg("%s", err.text);
    return pb;
}

static inline void refused(const tgs_graph *g, const tgs_platform *p, tgs_status status,
                           const char *text)
{
    tgs_problem *pb = (tgs_problem *)1;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), status);
    assert_null(pb);
    assert_int_equal(err.status, status);
    assert_string_equal(err.text, text);
}
#endif
