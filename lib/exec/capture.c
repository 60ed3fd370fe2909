/* capture.c -- what can be asked of a captured run. */
#include <string.h>
#include "capture.h"

int32_t tgs_capture_tasks(const tgs_capture *c)
{
    return c->task.count;
}

int32_t tgs_capture_data(const tgs_capture *c)
{
    return c->datum.count;
}

int32_t tgs_capture_workers(const tgs_capture *c, const char *arch)
{
    int32_t n = 0;

    for (int32_t i = 0; i < c->worker.count; i++)
        n += !strcmp(tgs_i_arch_name[c->worker.at[i].arch], arch);
    return n;
}

const char *tgs_capture_note(const tgs_capture *c, int32_t i)
{
    return i >= 0 && i < c->note.count ? cap_text(c, c->note.at[i]) : NULL;
}

int32_t tgs_i_cap_processor(const tgs_capture *c, const tgs_platform_view *p, int32_t worker)
{
    for (int32_t i = 0; i < c->worker.count; i++) {
        int32_t nth = c->worker.at[i].nth;

        if (c->worker.at[i].id != worker)
            continue;
        for (int32_t q = 0; q < p->procs; q++)
            if (!strcmp(p->kind[p->proc[q].kind].arch, tgs_i_arch_name[c->worker.at[i].arch])
                && nth-- == 0)
                return q;
    }
    return -1;
}
