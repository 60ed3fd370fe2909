/* t_lowmem.c -- what lowering a large step takes, by the account of its allocations, and what its
 * tasks and data are called.  This program takes the place of lib/mem.c; arrays grow by what they
 * need, so that the account is of what is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "internal.h"
#include "modelimpl.h"

static struct {
    size_t now, most; /* bytes */
    double all;       /* bytes that were asked for, over time */
    int64_t count;    /* calls */
} used;

static void *count_in(void *p, size_t size)
{
    if (p) {
        used.now += malloc_usable_size(p);
        used.most = used.now > used.most ? used.now : used.most;
        used.all += (double)size;
        used.count++;
    }
    return p;
}

void *tgs_mem_alloc(size_t count, size_t size)
{
    return count_in(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *tgs_mem_resize(void *p, size_t count, size_t size)
{
    const size_t before = malloc_usable_size(p); /* of NULL it is 0 */
    void *grown = realloc(p, count && size ? count * size : 1);

    used.now -= grown ? before : 0;
    return count_in(grown, count * size > before ? count * size - before : 0);
}

char *tgs_mem_text(const char *s)
{
    char *copy = tgs_mem_alloc(strlen(s) + 1, 1);

    return copy ? strcpy(copy, s) : NULL;
}

void tgs_mem_free(void *p)
{
    used.now -= malloc_usable_size(p);
    free(p);
}

tgs_status tgs_mem_grow(void *p, int64_t *room, int64_t need, size_t size)
{
    void *old, *grown;

    if (need <= *room)
        return TGS_OK;
    memcpy(&old, p, sizeof old);
    grown = tgs_mem_resize(old, (size_t)need, size);
    if (!grown)
        return TGS_ENOMEM;
    memcpy(p, &grown, sizeof grown);
    *room = need;
    return TGS_OK;
}

typedef struct account {
    double tasks, most, all, count, kept; /* bytes and calls while it was lowered */
} account;

static tgs_graph *lowered(const char *model, const char *strategy, account *a)
{
    const size_t before = used.now;
    tgs_strategy *s = NULL;
    tgs_model *m;
    tgs_graph *g;
    tgs_error err;

    if (tgs_model_read(&m, model, NULL, NULL, &err) || tgs_strategy_parse(&s, strategy, &err))
        fail_msg("%s", err.text);
    used.most = used.now;
    used.all = 0;
    used.count = 0;
    *a = (account){.most = -(double)used.now, .kept = -(double)used.now};
    if (tgs_model_lower(&g, m, s, &err))
        fail_msg("%s", err.text);
    a->tasks = tgs_graph_tasks(g);
    a->most += (double)used.most;
    a->kept += (double)used.now;
    a->all = used.all;
    a->count = (double)used.count;
    tgs_strategy_free(s);
    tgs_model_free(m);
    assert_true((double)(used.now - before) == a->kept); /* nothing else is left */
    return g;
}

/* what the case lower-gpt2 of the bench measures at half a million tasks: 400 bytes are its target,
 * and what does not grow with the tasks counts more here */
static void a_large_step_takes_few_bytes_a_task(void **state)
{
    static const struct {
        const char *strategy;
        double most;
    } cases[] = {
        {"train adam; micro-batches 16; pipeline 4; replicas 4; shard 1", 370},
        {"train adam; micro-batches 16; pipeline 4; replicas 4", 350},
        {"train sgd; micro-batches 16; replicas 4; accumulate tree", 350},
        /* most of its tasks have parts of gradients of their own */
        {"train adam; micro-batches 16; pipeline 4; replicas 4; shard 2", 440},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        account a;
        tgs_graph *g = lowered("zoo:gpt2:batch=1:seq=64", cases[i].strategy, &a);

        print_message("%s: %.0f tasks, %.0f bytes each at most, %.0f kept\n", cases[i].strategy,
                      a.tasks, a.most / a.tasks, a.kept / a.tasks);
        assert_true(a.tasks > 50000);
        assert_true(a.most < cases[i].most * a.tasks);
        assert_true(a.kept < 205 * a.tasks);
        tgs_graph_free(g);
    }
}

/* as often as a task is copied, and no more often */
static void and_as_many_however_many_there_are(void **state)
{
    account a[3];
    char strategy[100];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(strategy, sizeof strategy,
                 "train adam; micro-batches %d; pipeline 2; replicas 2; shard 1", 6 << 2 * i);
        tgs_graph_free(lowered("zoo:gpt2:batch=1:seq=64:layers=4", strategy, &a[i]));
        if (!i)
            continue;
        print_message("%.0f tasks: %.1f bytes each at most, %.1f over time, %.2f calls\n",
                      a[i].tasks, a[i].most / a[i].tasks, a[i].all / a[i].tasks,
                      a[i].count / a[i].tasks);
        assert_true(a[i].tasks > 2.5 * a[i - 1].tasks);
        assert_true(a[i].most / a[i].tasks < a[i - 1].most / a[i - 1].tasks);
        assert_true(a[i].all / a[i].tasks < a[i - 1].all / a[i - 1].tasks);
        assert_true(a[i].count / a[i].tasks < a[i - 1].count / a[i - 1].tasks);
    }
}

/* planners lower thousands of them: tables are of the size of the step */
static void a_small_step_takes_little(void **state)
{
    account a;

    (void)state;
    tgs_graph_free(lowered("zoo:mlp:batch=8", "train sgd", &a));
    print_message("%.0f tasks: %.0f bytes at most\n", a.tasks, a.most);
    assert_true(a.most < 250000);
}

/* ---- names -------------------------------------------------------------------------------------
 */
/* the names of the tasks, or the data, of a written graph are those it gives one by one, and it
 * finds them */
static int32_t check_names(const tgs_graph *g, const char *path, const char *record,
                           const char *(*name)(const tgs_graph *, int32_t),
                           int32_t (*find)(const tgs_graph *, const char *))
{
    FILE *f = fopen(path, "r");
    const size_t size = strlen(record);
    int32_t count = 0;
    char *line = NULL;
    size_t room = 0;

    assert_non_null(f);
    while (getline(&line, &room, f) >= 0) {
        char *word = line + size;

        if (strncmp(line, record, size))
            continue;
        word[strcspn(word, " \n")] = 0;
        assert_string_equal(name(g, count), word);
        if (count % 1009 == 0) /* it looks through all that are before */
            assert_int_equal(find(g, word), count);
        count++;
    }
    free(line);
    fclose(f);
    return count;
}

static void names_are_made_as_they_are_written(void **state)
{
    char path[] = "/tmp/tgs_lowmemXXXXXX.tg";
    const int fd = mkstemps(path, 3);
    account a;
    tgs_graph *g = lowered("zoo:gpt2:batch=1:seq=64:layers=4",
                           "train adam; micro-batches 8; pipeline 2; replicas 4; shard 1", &a);
    tgs_graph *again;
    tgs_error err;

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    if (tgs_graph_write(g, path, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(check_names(g, path, "task ", tgs_graph_task_name, tgs_graph_find_task),
                     tgs_graph_tasks(g));
    assert_int_equal(check_names(g, path, "data ", tgs_graph_datum_name, tgs_graph_find_datum),
                     tgs_graph_data(g));
    if (tgs_graph_read(&again, path, NULL, &err))
        fail_msg("%s", err.text);
    for (int32_t t = 0; t < tgs_graph_tasks(g); t++)
        assert_string_equal(tgs_graph_task_name(g, t), tgs_graph_task_name(again, t));
    assert_true(tgs_graph_fingerprint(g) == tgs_graph_fingerprint(again));
    unlink(path);
    tgs_graph_free(g);
    tgs_graph_free(again);
}

#if defined(__SANITIZE_ADDRESS__)
#define OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_ALLOCATOR 1
#endif
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_step_takes_few_bytes_a_task),
        cmocka_unit_test(and_as_many_however_many_there_are),
        cmocka_unit_test(a_small_step_takes_little),
        cmocka_unit_test(names_are_made_as_they_are_written),
    };

#ifdef OWN_ALLOCATOR
    print_message(
        "AddressSanitizer copies whatever grows: the account is of the C library's allocator\n");
    return 77;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
