/* t_schedcsv.c -- schedules as tables of any tool: columns in any order, names or indices, and what
 * is said about a bad line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

static const char graph[] = "task a work=1\ntask 1 work=2\ntask x%2Cy work=3\n"
                            "edge a 1 10\nedge a x%2Cy 10\n";

static tgs_status read_table(const char *text, const fixture *f, tgs_schedule **s, tgs_error *err)
{
    char *path = fixture_file(text), table[64];
    tgs_status status;

    snprintf(table, sizeof table, "%s.Csv", path);
    assert_int_equal(rename(path, table), 0);
    status = tgs_schedule_read(s, table, f->pb, err);
    unlink(table);
    free(path);
    return status;
}

static void good(const char *text)
{
    fixture f = fixture_open(graph, "cpu:2/own link:10,1", "latbw");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;

    if (read_table(text, &f, &s, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tgs_schedule_check(s, f.pb, NULL), TGS_OK);
    assert_int_equal(tgs_schedule_processor(s, 0), 0);
    assert_int_equal(tgs_schedule_processor(s, 1), 1);
    assert_int_equal(tgs_schedule_processor(s, 2), 0);
    assert_real(tgs_schedule_end(s, 1), 5);
    assert_real(tgs_schedule_makespan(s), 5);
    assert_text(tgs_schedule_heuristic(s), "tgsched-test.*.Csv");
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_good(void **state)
{
    (void)state;
    good("task,processor,start\na,cpu0,0\n1,cpu1,3\n\"x,y\",cpu0,1\n");
    good("task,processor,start_s,end_s\na,cpu0,0,1\n1,cpu1,3,5\n\"x,y\",cpu0,1,4\n");
    good("End; note ;START;Processor;Task\r\n1;\"a \"\"b\"\" ; \";0;0;0\r\n5;;3;1;1\r\n\r\n"
         "4;;1;@0;x,y\r\n");
    good("\xEF\xBB\xBFstart\ttask\tprocessor\tcolour\n0\ta\tcpu0\t\n3\t1\tcpu1\tred\n"
         "1\t@2\tcpu0\tdark blue"); /* the name 1 comes before the index 1 */
}

static void test_copies(void **state)
{
    fixture f = fixture_open(graph, "cpu:2/own link:10,1", "latbw");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;

    (void)state;
    assert_int_equal(
        read_table("task,processor,start\na,0,0\n1,1,1\n\"x,y\",0,1\na,1,0\n", &f, &s, &err),
        TGS_OK);
    assert_int_equal(s->v.places, 4);
    assert_int_equal(tgs_schedule_check(s, f.pb, NULL), TGS_OK);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void bad(const char *text, const char *said)
{
    fixture f = fixture_open(graph, "cpu:2/own link:10,1", "latbw");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;

    assert_int_equal(read_table(text, &f, &s, &err), TGS_EPARSE);
    assert_null(s);
    assert_text(err.text, said);
    fixture_close(&f);
}

static void test_bad(void **state)
{
    (void)state;
    bad("", "*Csv: the file is empty");
    bad("task,processor\n", "*Csv:1: no column 'start'*");
    bad("task,processor,start,start_s\n", "*:1: two columns 'start'");
    bad("task,processor,start\na,cpu0,0\n1,cpu1\n", "*:3: 2 fields, but the first line names 3");
    bad("task,processor,start\na,cpu9,0\n", "*:2: there is no processor 'cpu9'");
    bad("task,processor,start\na,2,0\n", "*:2: there is no processor '2'");
    bad("task,processor,start\nb,cpu0,0\n", "*:2: there is no task 'b'");
    bad("task,processor,start\n-1,cpu0,0\n", "*:2: there is no task '-1'");
    bad("task,processor,start\n,cpu0,0\n", "*:2: the task is missing");
    bad("task,processor,start\na,cpu0,\n", "*:2: the start is missing");
    bad("task,processor,start\na,cpu0,nan\n", "*:2: the start 'nan' is not a finite number");
    bad("task,processor,start,end\na,cpu0,0,2\n",
        "*:2: task 'a' takes 1 on 'cpu0' but runs from 0 to 2");
    bad("task,processor,start\n\"a,cpu0,0\n", "*:2: a quoted field does not end on its line");
    bad("task,processor,start\n\"a\"b,cpu0,0\n", "*:2: 'b*' after a quoted field");
    bad("task,processor,start\na,cpu0,0\n1,cpu1,3\n", "*:3: task number 2 ('x,y') has no row");
}

/* what the checker finds is the checker's to say */
static void test_invalid(void **state)
{
    fixture f = fixture_open(graph, "cpu:2/own link:10,1", "latbw");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;

    (void)state;
    assert_int_equal(read_table("task,processor,start\na,0,0\n1,1,2\n\"x,y\",0,1\n", &f, &s, &err),
                     TGS_OK);
    assert_int_equal(tgs_schedule_check(s, f.pb, &err), TGS_ECHECK);
    assert_text(err.text, "*task '1'*");
    tgs_schedule_free(s);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_bad), cmocka_unit_test(test_invalid)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
