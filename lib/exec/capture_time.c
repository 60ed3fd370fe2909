/* capture_time.c -- how long the tasks of a captured run took: samples of one codelet and footprint
 * on one kind together; O(tasks log tasks). */
#include <math.h>
#include <stdlib.h>
#include "capture.h"

static int compare_key(const cap_sample *a, int32_t codelet, uint32_t footprint, int32_t kind)
{
    if (a->codelet != codelet)
        return a->codelet < codelet ? -1 : 1;
    if (a->footprint != footprint)
        return a->footprint < footprint ? -1 : 1;
    return (a->kind > kind) - (a->kind < kind);
}

static int by_key(const void *pa, const void *pb)
{
    const cap_sample *a = pa, *b = pb;
    const int order = compare_key(a, b->codelet, b->footprint, b->kind);

    return order ? order : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

tgs_status tgs_i_cap_times(cap_times *t, const tgs_capture *c, const tgs_platform_view *p)
{
    *t = (cap_times){tgs_mem_alloc((size_t)c->task.count, sizeof *t->sample), 0};
    if (!t->sample)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < c->task.count; i++) {
        const cap_task *task = &c->task.at[i];
        const int32_t proc = task->end > 0 ? tgs_i_cap_processor(c, p, task->ran_on) : -1;

        if (proc >= 0)
            t->sample[t->samples++] =
                (cap_sample){task->codelet, task->footprint, p->proc[proc].kind,
                             (task->end - task->start) * 1e-6 * p->proc[proc].speed};
    }
    qsort(t->sample, (size_t)t->samples, sizeof *t->sample, by_key);
    return TGS_OK;
}

void tgs_i_cap_times_free(cap_times *t)
{
    tgs_mem_free(t->sample);
}

/* the first sample whose key is not before */
static int32_t lower(const cap_times *t, int32_t codelet, uint32_t footprint, int32_t kind)
{
    int32_t low = 0, high = t->samples;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (compare_key(&t->sample[middle], codelet, footprint, kind) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t tgs_i_cap_find(const cap_times *t, const cap_task *task, int32_t kind, int32_t *first)
{
    *first = lower(t, task->codelet, task->footprint, kind);
    return lower(t, task->codelet, task->footprint, kind + 1) - *first;
}

double tgs_i_cap_seconds(const cap_times *t, const tgs_capture *c, const tgs_platform_view *p,
                         const cap_task *task, int32_t kind)
{
    int32_t first;
    const int32_t n = tgs_i_cap_find(t, task, kind, &first);

    if (n > 0)
        return (t->sample[first + (n - 1) / 2].seconds + t->sample[first + n / 2].seconds) / 2;
    for (int32_t i = 0; i < c->expected.count; i++) {
        const cap_expected *e = &c->expected.at[i];

        if (e->codelet == task->codelet && e->footprint == task->footprint
            && !strcmp(p->kind[kind].arch, tgs_i_arch_name[e->arch]))
            return e->us * 1e-6;
    }
    return NAN;
}
