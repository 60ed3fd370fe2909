/* cut.c -- the operators of a model in parts that follow one another: where names say, or so that
 * the largest part is as small as possible. */
#include <ctype.h>
#include <string.h>
#include "core.h"

void tgs_i_cut_weigh(const tgs_lowering *l, double *weight)
{
    const tgs_model_view *m = l->m;
    bool measured = false;

    memset(weight, 0, (size_t)m->ops * sizeof *weight);
    for (int32_t i = 0; i < m->times; i++)
        if (!isnan(m->time[i].forward + m->time[i].backward)) {
            weight[m->time[i].op] = m->time[i].forward + m->time[i].backward;
            measured = true;
        }
    for (int64_t i = 0; i < l->tasks && !measured; i++) {
        const tgs_low_task *t = &l->task[i];

        if (t->op >= 0 && t->phase == TGS_PHASE_FORWARD && t->batch <= 0 && t->replica <= 0)
            weight[t->op] += t->flops;
    }
}

/* nothing is known of any operator: then each counts as one */
static void weigh(const tgs_lowering *l, double *weight)
{
    double all = 0;

    tgs_i_cut_weigh(l, weight);
    for (int32_t i = 0; i < l->m->ops; i++)
        all += weight[i];
    for (int32_t i = 0; i < l->m->ops && !(all > 0); i++)
        weight[i] = !l->m->op[i].folded;
}

/* ---- by names ------------------------------------------------------------------------------ */
/* the position of the operator that a name means, -1 none */
static int32_t find(const tgs_model_view *m, const char *name)
{
    const size_t size = strlen(name);
    int32_t found = -1;

    for (int32_t i = 0; i < m->ops; i++) {
        const char *op = m->op[m->order[i]].name;

        if (strncmp(op, name, size))
            continue;
        if (!op[size])
            return i;
        if (!isalnum((unsigned char)op[size]))
            found = i;
    }
    return found;
}

static tgs_status cut_at(const tgs_model_view *m, int32_t parts, char *names, const char *who,
                         int32_t *part, tgs_error *err)
{
    int32_t before = -1;

    for (int32_t own = 1; own < parts; own++) {
        char *name = names, *end = names + strcspn(names, ",");
        int32_t last;

        names = end + (*end == ',');
        *end = 0;
        last = tgs_name_take(name) ? find(m, name) : -1;
        if (last < 0)
            return tgs_fail(err, TGS_EINVAL, "%s: no operator '%s'", who, name);
        if (last <= before)
            return tgs_fail(err, TGS_EINVAL, "%s: '%s' does not come after the cut before it", who,
                            name);
        if (last == m->ops - 1)
            return tgs_fail(err, TGS_EINVAL, "%s: nothing comes after '%s'", who, name);
        while (before < last)
            part[m->order[++before]] = own;
    }
    while (++before < m->ops)
        part[m->order[before]] = parts;
    return TGS_OK;
}

static tgs_status by_names(const tgs_model_view *m, int32_t parts, const char *names,
                           const char *who, int32_t *part, tgs_error *err)
{
    int32_t cuts = 1;
    char *copy;
    tgs_status status;

    for (const char *s = names; *s; s++)
        cuts += *s == ',';
    if (cuts != parts - 1)
        return tgs_fail(err, TGS_EINVAL, "%s: %d cuts make %d parts, not %d", who, (int)cuts,
                        (int)cuts + 1, (int)parts);
    copy = tgs_mem_text(names);
    status =
        copy ? cut_at(m, parts, copy, who, part, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(copy);
    return status;
}

/* ---- by weight ----------------------------------------------------------------------------- */
typedef struct chain {
    int32_t n, parts;
    double *sum;   /* [n + 1] of what comes before, in the model's order */
    double *least; /* [n + 1] the largest part that i operators in the parts so far must have */
    double *next;  /* [n + 1] */
    int32_t *need; /* [parts + 1] with so many parts left, the first operator they can hold */
} chain;

/* least of one part more: min over j of max(least[j], sum[i] - sum[j]); the first grows with j and
 * the second falls, and the best j grows with i */
static void add_part(chain *c)
{
    int32_t j = 0;

    for (int32_t i = 0; i <= c->n; i++) {
        while (j < i && c->least[j + 1] <= c->sum[i] - c->sum[j + 1])
            j++;
        c->next[i] = fmax(c->least[j], c->sum[i] - c->sum[j]);
        if (j < i)
            c->next[i] = fmin(c->next[i], fmax(c->least[j + 1], c->sum[i] - c->sum[j + 1]));
    }
    memcpy(c->least, c->next, ((size_t)c->n + 1) * sizeof *c->next);
}

/* how far back parts of at most this weight reach from the end */
static void reach_back(chain *c, double most)
{
    int32_t i = c->n;

    c->need[0] = i;
    for (int32_t k = 1; k <= c->parts; k++) {
        const int32_t end = i;

        while (i > 0 && c->sum[end] - c->sum[i - 1] <= most)
            i--;
        c->need[k] = i;
    }
}

/* each part ends nearest to an equal share of what is left, not past most, and leaves an operator
 * for each part after it, and no more than these can hold */
static void fill(const chain *c, double most, const int32_t *order, int32_t *part)
{
    int32_t from = 0;

    for (int32_t k = 1; k <= c->parts; k++) {
        const int32_t left = c->parts - k;
        const double share = (c->sum[c->n] - c->sum[from]) / (left + 1);
        int32_t end = from < c->n ? from + 1 : from;

        end = end > c->need[left] ? end : c->need[left];
        for (; end < c->n - left; end++) {
            const double now = c->sum[end] - c->sum[from], more = c->sum[end + 1] - c->sum[from];

            if (more > most || more - share >= share - now)
                break;
        }
        while (from < end)
            part[order[from++]] = k;
    }
}

static tgs_status by_weight(const tgs_lowering *l, int32_t parts, int32_t *part, tgs_error *err)
{
    const int32_t n = l->m->ops;
    double *weight = tgs_mem_alloc((size_t)n, sizeof *weight);
    chain c = {.n = n, .parts = parts};
    tgs_status status = TGS_ENOMEM;

    c.sum = tgs_mem_alloc((size_t)n + 1, sizeof *c.sum);
    c.least = tgs_mem_alloc((size_t)n + 1, sizeof *c.least);
    c.next = tgs_mem_alloc((size_t)n + 1, sizeof *c.next);
    c.need = tgs_mem_alloc((size_t)parts + 1, sizeof *c.need);
    if (weight && c.sum && c.least && c.next && c.need) {
        weigh(l, weight);
        for (int32_t i = 0; i < n; i++)
            c.sum[i + 1] = c.sum[i] + weight[l->m->order[i]];
        memcpy(c.least, c.sum, ((size_t)n + 1) * sizeof *c.sum);
        for (int32_t k = 1; k < parts; k++)
            add_part(&c);
        reach_back(&c, c.least[n]);
        fill(&c, c.least[n], l->m->order, part);
        status = TGS_OK;
    }
    tgs_mem_free(weight);
    tgs_mem_free(c.sum);
    tgs_mem_free(c.least);
    tgs_mem_free(c.next);
    tgs_mem_free(c.need);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

tgs_status tgs_i_cut(const tgs_lowering *l, int32_t parts, const char *names, const char *who,
                     int32_t *part, tgs_error *err)
{
    return *names ? by_names(l->m, parts, names, who, part, err) : by_weight(l, parts, part, err);
}
