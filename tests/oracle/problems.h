/* problems.h -- small random graphs with everything that a problem may have, and the examples.
 * Include after fixture.h. */
#ifndef TESTS_ORACLE_PROBLEMS_H
#define TESTS_ORACLE_PROBLEMS_H

static inline bool chance(tgs_rng *r, int64_t percent)
{
    return tgs_rng_int(r, 1, 100) <= percent;
}

static inline void limit(tgs_builder *b, tgs_rng *r, const tgs_platform_view *p, int32_t task)
{
    const tgs_proc *proc = &p->proc[tgs_rng_int(r, 0, p->procs - 1)];
    char text[8];

    switch (tgs_rng_int(r, 0, 4)) {
    case 0:
        tgs_builder_task_constrain(b, task, "processor", proc->name);
        break;
    case 1:
        tgs_builder_task_constrain(b, task, "memory", p->memory[proc->memory].name);
        break;
    case 2:
        tgs_builder_task_constrain(b, task, "kinds", p->kind[proc->kind].name);
        break;
    case 3:
        snprintf(text, sizeof text, "%d", (int)tgs_rng_int(r, 0, 12));
        tgs_builder_task_constrain(b, task, "release", text);
        break;
    case 4:
        tgs_builder_task_constrain(b, task, "group", chance(r, 50) ? "1" : "2");
        break;
    }
}

static inline tgs_graph *random_graph(tgs_rng *r, const tgs_platform_view *p, int32_t most,
                                      bool whole)
{
    const int32_t n = (int32_t)tgs_rng_int(r, 1, most), data = 3;
    const bool limits = chance(r, 50);
    tgs_builder *b;
    tgs_graph *g;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t d = 0; d < data; d++)
        tgs_builder_datum(b, NULL, whole ? (double)tgs_rng_int(r, 0, 6) : 6 * tgs_rng_real(r));
    for (int32_t j = 0; j < n; j++) {
        const double work = chance(r, 10) ? 0
                            : whole       ? (double)tgs_rng_int(r, 1, 9)
                                          : tgs_rng_real(r);

        tgs_builder_task(b, NULL, NULL, work);
        for (int32_t k = 0; k < p->kinds && p->kinds > 1; k++)
            tgs_builder_task_time(b, j, p->kind[k].name,
                                  whole ? (double)tgs_rng_int(r, 0, 9) : 5 * tgs_rng_real(r));
        if (limits && chance(r, 50))
            limit(b, r, p, j);
        for (int32_t d = 0; d < data; d++)
            if (chance(r, 20))
                tgs_builder_access(b, j, d, (tgs_mode)tgs_rng_int(r, 1, 3));
        for (int32_t i = 0; i < j; i++)
            if (chance(r, 25))
                tgs_builder_edge(b, i, j, whole ? (double)tgs_rng_int(r, 0, 9) : tgs_rng_real(r));
            else if (chance(r, 5))
                tgs_builder_after(b, i, j);
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), 0);
    return g;
}

/* a file of examples/ on a platform there, or a spec */
static inline tgs_problem *example(fixture *f, const char *graph, const char *platform)
{
    const char *top = getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";
    char path[1024];
    tgs_error err;

    snprintf(path, sizeof path, "%s/examples/%s", top, graph);
    if (tgs_graph_read(&f->g, path, NULL, &err))
        fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/examples/%s", top, platform);
    if (tgs_platform_open(&f->p, strchr(platform, ':') ? platform : path, &err))
        fail_msg("%s", err.text);
    f->pb = fixture_problem(f->g, f->p, "latbw");
    return f->pb;
}
#endif
