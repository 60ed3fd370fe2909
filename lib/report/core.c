/* core.c -- what the reports share. */
#include <string.h>
#include "core.h"

/* ---- one step: the arrays are sorted by step */
static int32_t first_at(const void *array, size_t size, int32_t count, size_t step_at, int32_t step)
{
    int32_t low = 0, high = count;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        int32_t at;

        memcpy(&at, (const char *)array + (size_t)middle * size + step_at, sizeof at);
        if (at < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tgs_i_step_of(tgs_i_step *out, const tgs_trace_view *t, int32_t index)
{
#define FIRST(array, count, type, step) \
    first_at(t->array, sizeof(type), t->count, offsetof(type, step), index)
#define LAST(array, count, type, step) \
    first_at(t->array, sizeof(type), t->count, offsetof(type, step), index + 1)
    *out = (tgs_i_step){
        .t = t,
        .index = index,
        .start = index >= 0 && index < t->steps ? t->step_start[index] : 0,
        .end = index >= 0 && index < t->steps ? t->step_end[index] : 0,
        .ran_at = FIRST(ran, rans, tgs_ran, step),
        .ran_end = LAST(ran, rans, tgs_ran, step),
        .moved_at = FIRST(moved, moveds, tgs_moved, step),
        .moved_end = LAST(moved, moveds, tgs_moved, step),
        .used_at = FIRST(used, useds, tgs_used, step),
        .used_end = LAST(used, useds, tgs_used, step),
    };
#undef FIRST
#undef LAST
}

void tgs_i_step_last(tgs_i_step *out, const tgs_trace_view *t)
{
    tgs_i_step_of(out, t, t->steps - 1);
}

tgs_status tgs_i_comparable(const tgs_trace_view *t, const tgs_trace_view *other, tgs_error *err)
{
    if (!other
        || (other->procs == t->procs && other->memories == t->memories && other->tasks == t->tasks
            && other->data == t->data))
        return TGS_OK;
    return tgs_fail(err, TGS_EINVAL,
                    "the two traces are of different graphs or platforms (%d tasks on %d "
                    "processors, %d on %d)",
                    (int)t->tasks, (int)t->procs, (int)other->tasks, (int)other->procs);
}

/* ---- sums */
tgs_status tgs_i_sums_of(tgs_i_sums *out, const tgs_i_step *s, tgs_error *err)
{
    const tgs_trace_view *t = s->t;
    const size_t links = (size_t)t->memories * (size_t)t->memories;

    *out = (tgs_i_sums){
        .busy = tgs_mem_alloc((size_t)t->procs, sizeof(double)),
        .tasks = tgs_mem_alloc((size_t)t->procs, sizeof(int32_t)),
        .link_bytes = tgs_mem_alloc(links, sizeof(double)),
        .link_time = tgs_mem_alloc(links, sizeof(double)),
        .link_count = tgs_mem_alloc(links, sizeof(int32_t)),
        .datum_bytes = tgs_mem_alloc((size_t)t->data, sizeof(double)),
        .peak = tgs_mem_alloc((size_t)t->memories, sizeof(double)),
    };
    if (!out->busy || !out->tasks || !out->link_bytes || !out->link_time || !out->link_count
        || !out->datum_bytes || !out->peak) {
        tgs_i_sums_free(out);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t i = s->ran_at; i < s->ran_end; i++) {
        out->busy[t->ran[i].proc] += t->ran[i].end - t->ran[i].start;
        out->tasks[t->ran[i].proc]++;
        out->synthetic += (t->ran[i].flags & TGS_RAN_SYNTHETIC) != 0;
    }
    for (int32_t i = s->moved_at; i < s->moved_end; i++) {
        const tgs_moved *m = &t->moved[i];
        const int32_t link = m->from * t->memories + m->to;

        out->link_bytes[link] += m->bytes;
        out->link_time[link] += m->end - m->start;
        out->link_count[link]++;
        out->datum_bytes[m->datum] += m->bytes;
        out->bytes += m->bytes;
    }
    for (int32_t i = s->used_at; i < s->used_end; i++)
        out->peak[t->used[i].memory] = fmax(out->peak[t->used[i].memory], t->used[i].bytes);
    return TGS_OK;
}

void tgs_i_sums_free(tgs_i_sums *s)
{
    tgs_mem_free(s->busy);
    tgs_mem_free(s->tasks);
    tgs_mem_free(s->link_bytes);
    tgs_mem_free(s->link_time);
    tgs_mem_free(s->link_count);
    tgs_mem_free(s->datum_bytes);
    tgs_mem_free(s->peak);
    memset(s, 0, sizeof *s);
}

int32_t tgs_i_largest(const double *bytes, int32_t count, int32_t *out, int32_t n)
{
    int32_t found = 0;

    for (int32_t i = 0; i < count; i++) {
        int32_t at = found;

        if (!(bytes[i] > 0))
            continue;
        while (at > 0 && bytes[i] > bytes[out[at - 1]])
            at--;
        if (at == n)
            continue;
        found += found < n;
        for (int32_t j = found - 1; j > at; j--)
            out[j] = out[j - 1];
        out[at] = i;
    }
    return found;
}

/* ---- the critical chain */
typedef struct chain_index {
    int32_t *of_task;        /* [tasks] the first execution of a task in this step; -1 none */
    int32_t *before;         /* [executions] the one before it on its processor; -1 none */
    int32_t *last;           /* [procs] */
    int32_t *pred_at, *pred; /* the reverse of t->edge */
} chain_index;

static void free_index(chain_index *x)
{
    tgs_mem_free(x->of_task);
    tgs_mem_free(x->before);
    tgs_mem_free(x->last);
    tgs_mem_free(x->pred_at);
    tgs_mem_free(x->pred);
}

static tgs_status make_index(chain_index *x, const tgs_i_step *s)
{
    const tgs_trace_view *t = s->t;
    const int32_t edges = t->edge_at ? t->edge_at[t->tasks] : 0;

    *x = (chain_index){
        .of_task = tgs_mem_alloc((size_t)t->tasks, sizeof(int32_t)),
        .before = tgs_mem_alloc((size_t)(s->ran_end - s->ran_at), sizeof(int32_t)),
        .last = tgs_mem_alloc((size_t)t->procs, sizeof(int32_t)),
        .pred_at = tgs_mem_alloc((size_t)t->tasks + 2, sizeof(int32_t)),
        .pred = tgs_mem_alloc((size_t)edges, sizeof(int32_t)),
    };
    if (!x->of_task || !x->before || !x->last || !x->pred_at || !x->pred)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < t->tasks; i++)
        x->of_task[i] = -1;
    for (int32_t p = 0; p < t->procs; p++)
        x->last[p] = -1;
    for (int32_t i = s->ran_at; i < s->ran_end; i++) {
        const tgs_ran *r = &t->ran[i];

        x->before[i - s->ran_at] = x->last[r->proc];
        x->last[r->proc] = i;
        if (x->of_task[r->task] < 0)
            x->of_task[r->task] = i;
    }
    for (int32_t e = 0; e < edges; e++)
        x->pred_at[t->edge[e] + 2]++;
    for (int32_t i = 0; i < t->tasks; i++)
        x->pred_at[i + 2] += x->pred_at[i + 1];
    for (int32_t u = 0; edges && u < t->tasks; u++)
        for (int32_t e = t->edge_at[u]; e < t->edge_at[u + 1]; e++)
            x->pred[x->pred_at[t->edge[e] + 1]++] = u;
    return TGS_OK;
}

/* When what u made was in the memory of execution i: the end of the last transfer that went that
 * way between the two, or the end of u. */
static double arrival(const tgs_i_step *s, int32_t u, int32_t i, double near)
{
    const tgs_trace_view *t = s->t;
    const int32_t from = t->proc_memory[t->ran[u].proc], to = t->proc_memory[t->ran[i].proc];
    const double start = t->ran[u].end - near, end = t->ran[i].start + near;
    int32_t low = s->moved_at, high = s->moved_end;
    double last = t->ran[u].end;

    if (from == to)
        return last;
    while (low < high) { /* the first that starts after u has ended: they are sorted */
        const int32_t middle = low + (high - low) / 2;

        if (t->moved[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < s->moved_end && t->moved[low].start <= end; low++)
        if (t->moved[low].from == from && t->moved[low].to == to && t->moved[low].end <= end)
            last = fmax(last, t->moved[low].end);
    return last;
}

/* what held up execution i, or -1 */
static int32_t held_by(const chain_index *x, const tgs_i_step *s, int32_t i)
{
    const tgs_ran *ran = s->t->ran;
    const double near = 1e-6 * (s->end - s->start); /* measured times have gaps */
    const int32_t before = x->before[i - s->ran_at];
    double latest = -INFINITY;
    int32_t best = -1;

    if (before >= 0 && ran[i].start - ran[before].end <= near)
        return before;
    for (int32_t e = x->pred_at[ran[i].task]; e < x->pred_at[ran[i].task + 1]; e++) {
        const int32_t u = x->of_task[x->pred[e]];

        if (u >= 0 && ran[u].end <= ran[i].start + near) {
            const double there = arrival(s, u, i, near);

            /* the same transfer may fit two: it was of the one that ended later */
            if (there > latest || (there == latest && ran[u].end > ran[best].end)) {
                latest = there;
                best = u;
            }
        }
    }
    return before >= 0 && ran[before].end > latest ? before : best;
}

tgs_status tgs_i_chain_of(int32_t **out, int32_t *count, const tgs_i_step *s, tgs_error *err)
{
    const int32_t rans = s->ran_end - s->ran_at;
    const tgs_ran *ran = s->t->ran;
    int32_t *chain = tgs_mem_alloc((size_t)rans, sizeof *chain);
    int32_t last = -1;
    chain_index x;
    tgs_status status = make_index(&x, s);

    *out = NULL;
    *count = 0;
    if (!chain)
        status = TGS_ENOMEM;
    for (int32_t i = s->ran_at; i < s->ran_end; i++)
        if (last < 0 || ran[i].end > ran[last].end)
            last = i;
    for (int32_t i = last; !status && i >= 0 && *count < rans; i = held_by(&x, s, i))
        chain[(*count)++] = i;
    free_index(&x);
    if (status) {
        tgs_mem_free(chain);
        return tgs_fail(err, status, "out of memory");
    }
    for (int32_t i = 0; i < *count / 2; i++) {
        const int32_t swap = chain[i];

        chain[i] = chain[*count - 1 - i];
        chain[*count - 1 - i] = swap;
    }
    *out = chain;
    return TGS_OK;
}
