/* t_bad_input.c -- what is wrong with a graph file is said with file and line, and nothing stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "graphtext.h"

#define TG  "tgsched.graph/1\n"
#define TWO TG "task a\ntask b\n" /* lines 2 and 3 */

typedef struct bad {
    const char *format, *text;
    const char *where; /* how the message begins */
    const char *what;  /* and what it holds */
    size_t size;       /* 0: strlen(text) */
} bad;

static const bad table[] = {
    {"tg", "", "text:1: ", "first line", 0},
    {"tg", "tgsched.graph/2\n", "text:1: ", "first line", 0},
    {"tg", "tgsched.platform/1\n", "text:1: ", "first line", 0},
    {"tg", TG "counts tasks=1000000000\n", "text:2: ", "tasks=1000000000", 0},
    {"tg", TG "counts data=1000000000\n", "text:2: ", "data=1000000000", 0},
    {"tg", TG "counts tasks=99999999999999999999\n", "text:2: ", "is not a count", 0},
    {"tg", TG "counts tasks=2\ntask a\n", "text:3: ", "ends with 1 tasks", 0},
    {"tg", TWO "counts accesses=2\n", "text:4: ", "ends with 0 accesses", 0},
    {"tg", TWO "counts data=1\nedge a b 12", "text:5: ", "middle of a line", 0}, /* of 1234? */
    {"tg", TG "tsak a\n", "text:2: ", "no record 'tsak'", 0},
    {"tg", TG "task\n", "text:2: ", "word is missing", 0},
    {"tg", TG "task a work=-1\n", "text:2: ", "work=-1", 0},
    {"tg", TG "task a work=nan\n", "text:2: ", "work=nan", 0},
    {"tg", TG "task a work=inf\n", "text:2: ", "work=inf", 0},
    {"tg", TG "task a work=1e999\n", "text:2: ", "work=1e999", 0},
    {"tg", TG "task a work=0x10\n", "text:2: ", "work=0x10", 0},
    {"tg", TG "task a work=\n", "text:2: ", "work=", 0},
    {"tg", TG "task a work=1 work=2\n", "text:2: ", "given twice", 0},
    {"tg", TG "task a speed=1\n", "text:2: ", "no field 'speed'", 0},
    {"tg", TG "task a b\n", "text:2: ", "key=value", 0},
    {"tg", TG "task a phase=sideways\n", "text:2: ", "no phase 'sideways'", 0},
    {"tg", TG "task a attrs=\"x=1\n", "text:2: ", "quotes", 0},
    {"tg", TG "task a attrs=\"x\"\n", "text:2: ", "key=value", 0},
    {"tg", TG "task a group=-1\n", "text:2: ", "group", 0},
    {"tg", TG "task a deadline=soon\n", "text:2: ", "deadline", 0},
    {"tg", TG "task a kinds=\n", "text:2: ", "kinds", 0},
    {"tg", TG "task a=b\n", "text:2: ", "not a name", 0},
    {"tg", TG "task a%2\n", "text:2: ", "not a name", 0},
    {"tg", TG "task a%00\n", "text:2: ", "not a name", 0},
    {"tg", TG "task \"a\"\n", "text:2: ", "not a name", 0},
    {"tg", TG "task a\xff\n", "text:2: ", "not a name", 0},
    {"tg", TG "task \033[2Ja\n", "text:2: ", "'?[2Ja'", 0}, /* nothing that moves a cursor */
    {"tg", TG "task @1\n", "text:2: ", "should be @0", 0},
    {"tg", TG "task a\ntask a\n", "text:3: ", "'a'", 0},
    {"tg", TG "task a\0b\n", "text:2: ", "NUL", sizeof TG + 8},
    {"tg", TG "task a time=1\n", "text:2: ", "0 kinds", 0},
    {"tg", TG "kinds x y\ntask a time=1\n", "text:3: ", "2 kinds", 0},
    {"tg", TG "kinds x y\ntask a time=1,2,3\n", "text:3: ", "2 kinds", 0},
    {"tg", TG "kinds x y\ntask a time=1,-2\n", "text:3: ", "time -2", 0},
    {"tg", TG "kinds x x\n", "text:2: ", "two kinds", 0},
    {"tg", TG "kinds\n", "text:2: ", "word is missing", 0},
    {"tg", TG "kinds x\nkinds y\n", "text:3: ", "once", 0},
    {"tg", TG "task a\nkinds y\n", "text:3: ", "before the first task", 0},
    {"tg", TG "data d\n", "text:2: ", "bytes=", 0},
    {"tg", TG "data d bytes=4 dtype=f32 shape=1\n", "text:2: ", "either", 0},
    {"tg", TG "data d shape=1\n", "text:2: ", "together", 0},
    {"tg", TG "data d bytes=-4\n", "text:2: ", "bytes=-4", 0},
    {"tg", TG "data d bytes=1\ndata d bytes=1\n", "text:3: ", "'d'", 0},
    {"tg", TG "data d dtype=f31 shape=1\n", "text:2: ", "no dtype 'f31'", 0},
    {"tg", TG "data d dtype=f32 shape=1,-1\n", "text:2: ", "'-1'", 0},
    {"tg", TG "data d dtype=f32 shape=4000000000,4000000000\n", "text:2: ", "'d'", 0},
    {"tg", TG "data d bytes=1 class=first\n", "text:2: ", "no class 'first'", 0},
    {"tg", TG "data d bytes=1 init=random\n", "text:2: ", "init=random", 0},
    {"tg", TG "data d bytes=1 persistent=2\n", "text:2: ", "persistent=2", 0},
    {"tg", TWO "edge a b\n", "text:4: ", "word is missing", 0},
    {"tg", TWO "edge a b -\n", "text:4: ", "word is missing", 0},
    {"tg", TWO "edge a b -5\n", "text:4: ", "bytes=-5", 0},
    {"tg", TWO "edge a b NaN\n", "text:4: ", "bytes=NaN", 0},
    {"tg", TWO "edge a b 1 2\n", "text:4: ", "one word too many", 0},
    {"tg", TWO "edge a c 1\n", "text:4: ", "no task 'c'", 0},
    {"tg", TWO "edge a @2 1\n", "text:4: ", "no task '@2'", 0},
    {"tg", TWO "edge a a 1\n", "text:4: ", "itself", 0},
    {"tg", TWO "after a a\n", "text:4: ", "itself", 0},
    {"tg", TWO "data d bytes=1\naccess a x d\n", "text:5: ", "'x'", 0},
    {"tg", TWO "access a r d\n", "text:4: ", "no datum 'd'", 0},
    {"tg", TWO "data d bytes=1\naccess a r d d\n", "text:5: ", "too many", 0},
    {"stg", "", "text:1: ", "no number of tasks", 0},
    {"stg", "# only a comment\n", "text:1: ", "no number of tasks", 0},
    {"stg", "1000000000\n0 0 0\n", "text:1: ", "1000000000 tasks", 0},
    {"stg", "0\n", "text:1: ", "0 tasks", 0},
    {"stg", "-3\n", "text:1: ", "'-3'", 0},
    {"stg", "2 1 1\n", "text:1: ", "first line", 0},
    {"stg", "1\n0 0 0\n1 5 1 0\n", "text:3: ", "ends early", 0},
    {"stg", "1\n0 0 0\n1 5 2 0\n2 0 1 1\n", "text:3: ", "needs 2 predecessors", 0},
    {"stg", "1\n0 0 0\n1 -5 1 0\n2 0 1 1\n", "text:3: ", "'-5'", 0},
    {"stg", "1\n0 0 0\n1 nan 1 0\n2 0 1 1\n", "text:3: ", "'nan'", 0},
    {"stg", "1\n0 0 0\n1 5 1 9\n2 0 1 1\n", "text:3: ", "which is no task", 0},
    {"stg", "1\n0 0 0\n0 5 1 0\n2 0 1 1\n", "text:3: ", "task number 0 where 1", 0},
    {"stg", "1\n0 0 0\n1 5 1 1\n2 0 1 1\n", "text:3: ", "itself", 0},
    {"stg", "1\n0 0 0\n1 5 1 0\n2 0 1 1\n3 0 1 2\n", "text:5: ", "more tasks", 0},
    {"stg", "1\n0 0 0\n1 5 999999999 0\n", "text:3: ", "999999999 predecessors", 0},
    {"stg", "2\n0 3 0\n1 5 1\n 0\n", "text:4: ", "`predecessor cost`", 0},
    {"stg", "2\n0 3 0\n1 5 1\n 0 -1\n", "text:4: ", "'-1'", 0},
    {"stg", "2\n0 3 0\n1 5 1\n", "text:3: ", "ends early", 0},
    {"stg", "3\n0 3 0\n1 5 1 0\n2 1 1\n 0 4\n", "text:5: ", "others none", 0},
    {"stg", "1\n0 0 0\n1 5\0 1 0\n", "text:3: ", "NUL", 17},
    {"dot", "", "text:1: ", "no graph", 0},
    {"dot", "digraph {", "text:1: ", "syntax error", 0},
    {"dot", "digraph {\na -> b\nc -> -> d\n}", "text:3: ", "syntax error", 0},
    {"dot", "digraph {\na [size=\"12]\n}\n", "text:2: ", "quoted string", 0},
    {"dot", "graph {\na -- b\n}", "text:1: ", "not directed", 0},
    {"dot", "digraph {\na\nb [size=-2]\n}", "text:3: ", "size=-2", 0},
    {"dot", "digraph {\na [size=5]\nb [size=nan]\n}", "text:3: ", "size=nan", 0},
    {"dot", "digraph {\na [work=\"1s\"]\n}", "text:2: ", "work=1s", 0},
    {"dot", "digraph {\na\na -> b [size=\"-3\"]\n}", "text:3: ", "size=-3", 0},
    {"dot", "digraph {\na -> a\n}", "text:2: ", "itself", 0},
    {"dot", "digraph {\n\"\" -> a\n}", "text:2: ", "no name", 0},
    {"dot", "digraph {\na\0b\n}", "text:2: ", "NUL", 15},
    {"dot", "digraph {}\ndigraph {}\n", "text", "more than one graph", 0},
    {"dnn-partitioning", "", "text:1: ", "", 0},
    {"dnn-partitioning", "{\"nodes\": [\n{\"id\": 1", "text:2: ", "", 0},
    {"dnn-partitioning", "{\"nodes\": [],\n \"edges\": \"x}", "text:2: ", "", 0},
    {"dnn-partitioning", "{\"nodes\": [],\n \"nodes\": []}", "text:2: ", "duplicate", 0},
    {"dnn-partitioning", "{\"nodes\": [\0]}", "text:1: ", "NUL", 14},
    {"dnn-partitioning", "[]", "text:1: ", "no arrays", 0},
    {"dnn-partitioning", "{\"nodes\": 1000000000, \"edges\": []}", "text:1: ", "no arrays", 0},
    {"dnn-partitioning", "{\"nodes\": [\n3], \"edges\": []}", "text:2: ", "nodes[0]: ", 0},
    {"dnn-partitioning", "{\"nodes\": [\n{\"id\": \"x\"}], \"edges\": []}", "text:2: ", "id is not",
     0},
    {"dnn-partitioning", "{\"nodes\": [\n{\"id\": 1, \"cpuLatency\": -1}],\n \"edges\": []}",
     "text:2: ", "nodes[0]: cpuLatency", 0},
    {"dnn-partitioning", "{\"nodes\": [\n{\"id\": 1, \"cpuLatency\": NaN}], \"edges\": []}",
     "text:2: ", "", 0},
    {"dnn-partitioning",
     "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1},\n\n{\"id\": 1, \"cpuLatency\": 1}],\n "
     "\"edges\": []}",
     "text:3: ", "nodes[1]: another node", 0},
    {"dnn-partitioning",
     "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1, \"a\": [1, {\"b\": \"]}\"}]},\n"
     "{\"id\": 2, \"cpuLatency\": 1, \"supportedOnFpga\": 1}],\n \"edges\": []}",
     "text:2: ", "nodes[1]: fpgaLatency", 0},
    {"dnn-partitioning",
     "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1}],\n \"edges\": [\n"
     "{\"sourceId\": 1, \"destId\": 9, \"cost\": 1}]}",
     "text:3: ", "edges[0]: there is no node", 0},
    {"dnn-partitioning",
     "{\"edges\": [\n{\"sourceId\": 1, \"destId\": 1, \"cost\": 1}],\n"
     "\"nodes\": [{\"id\": 1, \"cpuLatency\": 1}]}",
     "text:2: ", "itself", 0},
    {"dnn-partitioning",
     "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1}, {\"id\": 2, \"cpuLatency\": 1}],\n \"edges\": "
     "[\n"
     "{\"sourceId\": 1, \"destId\": 2, \"cost\": 1},\n"
     "{\"sourceId\": 1, \"destId\": 2, \"cost\": -1}]}",
     "text:4: ", "edges[1]: cost", 0},
    {"dnn-partitioning",
     "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1, \"colorClass\": -4}],\n\"edges\": []}",
     "text:1: ", "colorClass", 0},
};

static bool have(const char *reader)
{
    const tgs_plugin *p;

    return !tgs_i_find(&p, "reader", reader, NULL);
}

static void malformed_text(void **state)
{
    int32_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const bad *b = &table[i];
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g = (tgs_graph *)&err;
        tgs_status status;

        if (!have(b->format))
            continue;
        status = graph_from_text(&g, b->format, b->text, b->size ? b->size : strlen(b->text), &err);
        if (status == TGS_EPARSE && err.status == status && !g
            && !strncmp(err.text, b->where, strlen(b->where)) && strstr(err.text, b->what))
            continue;
        print_error("%s %zu: status %d, '%s', expected '%s...%s'\n", b->format, i, status, err.text,
                    b->where, b->what);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- whole files ------------------------------------------------------------------------------
 */

static tgs_status read_file(const char *name, const char *text, const char *format, tgs_error *err)
{
    FILE *to = fopen(name, "wb");
    tgs_graph *g;
    tgs_status status;

    fputs(text, to);
    fclose(to);
    *err = (tgs_error){TGS_OK, ""};
    status = tgs_graph_read(&g, name, format, err);
    assert_null(g);
    remove(name);
    return status;
}

static void cycles(void **state)
{
    static const char *const text[][2] = {
        {"t_bad.tg", TWO "task c\nedge a b 1\nedge b c 1\nafter c a\n"},
        {"t_bad.tg", TWO "data x bytes=1\ndata y bytes=1\naccess a r y\naccess a w x\n"
                         "access b r x\naccess b w y\nafter b a\n"},
        {"t_bad.stg", "2\n0 0 0\n1 1 1 2\n2 1 1 1\n3 0 1 1\n"},
        {"t_bad.dot", "digraph { a -> b -> c -> a }"},
        {"t_bad.json",
         "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1}, {\"id\": 2, \"cpuLatency\": 1}],"
         "\"edges\": [{\"sourceId\": 1, \"destId\": 2, \"cost\": 1},"
         "{\"sourceId\": 2, \"destId\": 1, \"cost\": 1}]}"}};

    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const char *format, *yields;
        tgs_error err;
        FILE *to = fopen(text[i][0], "wb");

        fputs(text[i][1], to);
        fclose(to);
        if (tgs_identify(text[i][0], &format, &yields, NULL)) { /* the reader is not built */
            remove(text[i][0]);
            continue;
        }
        assert_int_equal(read_file(text[i][0], text[i][1], NULL, &err), TGS_ECYCLE);
        assert_true(!strncmp(err.text, text[i][0], strlen(text[i][0])));
        assert_non_null(strstr(err.text, "cycle"));
    }
}

static void formats_and_files(void **state)
{
    tgs_error err;
    tgs_graph *g;

    (void)state;
    assert_int_equal(read_file("t_bad.tg", "", NULL, &err), TGS_EPARSE);
    assert_non_null(strstr(err.text, "t_bad.tg"));
    assert_int_equal(read_file("t_bad.what", "hello\n", NULL, &err), TGS_EPARSE);
    assert_non_null(strstr(err.text, "unknown format"));
    assert_int_equal(read_file("t_bad.tg", TG, "what", &err), TGS_ENOTFOUND);
    assert_non_null(strstr(err.text, "what"));
    assert_int_equal(read_file("t_bad.tg", TG, "tg:x=1", &err), TGS_EINVAL);
    assert_int_equal(tgs_graph_read(&g, "t_bad_there_is_none.tg", NULL, &err), TGS_EIO);
    assert_null(g);
    assert_int_equal(tgs_graph_read(&g, ".", "tg", &err), TGS_EIO);
    assert_null(g);
}

/* a line without an end, of 8 MiB: refused or read, never cut silently */
static void very_long_line(void **state)
{
    const size_t size = 8 << 20;
    char *text = malloc(size);
    static const char *const format[] = {"tg", "stg", "dot", "dnn-partitioning"};

    (void)state;
    memset(text, '(', size);
    memcpy(text, TG, strlen(TG));
    for (size_t i = 0; i < sizeof format / sizeof *format; i++) {
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g;

        if (!have(format[i]))
            continue;
        assert_int_equal(graph_from_text(&g, format[i], text, size, &err), TGS_EPARSE);
        assert_null(g);
        assert_true(!strncmp(err.text, "text:", 5));
    }
    free(text);
}

/* what cannot be written leaves nothing behind */
static void failed_writes(void **state)
{
    static const char text[] = TWO;
    tgs_graph *g;
    tgs_error err;

    (void)state;
    assert_int_equal(graph_from_text(&g, "tg", text, sizeof text - 1, NULL), TGS_OK);
    assert_int_equal(tgs_graph_write(g, "t_bad_no_such_folder/x.tg", NULL, &err), TGS_EIO);
    assert_int_equal(tgs_graph_write(g, "t_bad.unknown", NULL, &err), TGS_EINVAL);
    assert_int_equal(access("t_bad.unknown", F_OK), -1);
    assert_int_equal(tgs_graph_write(g, "t_bad.tg", "what", &err), TGS_ENOTFOUND);
    assert_int_equal(access("t_bad.tg", F_OK), -1);
    assert_int_equal(tgs_graph_write(g, "/dev/full", "tg", &err), TGS_EIO);
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_text),    cmocka_unit_test(cycles),
        cmocka_unit_test(formats_and_files), cmocka_unit_test(very_long_line),
        cmocka_unit_test(failed_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
