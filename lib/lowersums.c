/* lowersums.c -- gradients of replicas that have parameters and updates of their own: each gets the
 * sums, around a ring or as time alone. */
#include "modelimpl.h"

/* the last task that writes each datum, -1 none */
static int32_t *find_writers(const tgs_lowering *l)
{
    int32_t *made = tgs_mem_alloc((size_t)l->data, sizeof *made);

    for (int64_t d = 0; made && d < l->data; d++)
        made[d] = -1;
    for (int64_t i = 0; made && i < l->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++)
            if (l->access[a].mode != TGS_R && !l->task[i].dropped)
                made[l->access[a].datum] = (int32_t)i;
    return made;
}

/* the sum of the copies of datum d, for each copy of its own, into sum [n] */
static tgs_status sum_up(tgs_lowering *l, const tgs_i_copied *c, const int32_t *made, int32_t d,
                         int32_t *part, int32_t *sum)
{
    const int32_t last = made[c->of[d]];
    const tgs_i_sum x = {c->n, last < 0 ? 0 : l->task[last].stage, part, made, sum};

    for (int32_t k = 0; k < c->n; k++)
        part[k] = c->of[(int64_t)k * c->data + d];
    return c->how->ring ? tgs_i_low_ring(l, &x) : tgs_i_low_priced(l, c->how, &x);
}

/* which gradients the updates read: each copy has the sum for itself; sums that are modelled take
 * the place of every other one, too */
static tgs_status join_all(tgs_lowering *l, const tgs_i_copied *c, const int32_t *made,
                           int32_t *part, int32_t *sum)
{
    const int64_t tasks = l->tasks;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < tasks && !status; i++) {
        const tgs_low_task t = l->task[i];

        for (int32_t a = t.at; t.phase == TGS_PHASE_UPDATE && a < t.at + t.accesses && !status;
             a++) {
            const int32_t d = l->access[a].datum, copied = l->datum[d].copied;
            const int32_t from = copied ? copied - 1 : d;
            int32_t *all = &sum[(int64_t)from * c->n];

            if (from >= c->data || !l->datum[from].reduced || l->datum[from].shared)
                continue;
            if (!*all)
                status = sum_up(l, c, made, from, part, all);
            if (!status)
                l->access[a].datum = all[t.replica];
        }
    }
    for (int32_t d = 0; d < c->data && !status && c->how->modelled; d++)
        if (l->datum[d].reduced && !l->datum[d].shared && !sum[(int64_t)d * c->n])
            status = sum_up(l, c, made, d, part, &sum[(int64_t)d * c->n]);
    for (int32_t d = 0; d < c->data && !status; d++)
        for (int32_t k = 0; k < c->n && sum[(int64_t)d * c->n]; k++)
            l->datum[c->of[(int64_t)k * c->data + d]].reduced = false;
    return status;
}

tgs_status tgs_i_low_join_own(tgs_lowering *l, const tgs_i_copied *c, int32_t *part)
{
    int32_t *sum =
        tgs_mem_alloc((size_t)c->data * (size_t)c->n, sizeof *sum); /* [data * n]; 0 none */
    int32_t *made = find_writers(l);
    const tgs_status status = sum && made ? join_all(l, c, made, part, sum) : TGS_ENOMEM;

    tgs_mem_free(sum);
    tgs_mem_free(made);
    return status;
}
