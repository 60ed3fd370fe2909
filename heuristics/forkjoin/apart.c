/* apart.c -- source and sink on two machines, and of every other class as many machines as jobs.
 *
 * L is reached iff the jobs that take longer than L elsewhere can be divided among the two: those
 * with the source by largest q, those with the sink, in reversed time, by largest r.  That is
 * weakly NP-hard (Partition).  When q and r are in the same order of jobs one pass over them is
 * enough, keeping every load of the first machine that can be reached: O(n loads) for a test of L,
 * and with whole times there are at most L loads. */
#include "core.h"
#include "form.h"

enum { MOST_LOADS = 20000, MOST_STATES = 1000000 };

typedef struct state { /* after some jobs: what the first machine has */
    double load;
    int32_t before; /* state before the last job; */
    bool first;     /* which the first machine has */
} state;

typedef struct apart {
    const tgs_i_fj_form *f;
    int32_t source, sink; /* classes */
    int32_t *order;       /* largest q and r first */
    double *elsewhere;    /* [n] */
    int32_t *class_of;    /* [n] the quickest elsewhere */
    state *state;         /* of all steps; step k is at[k] .. at[k + 1] - 1 */
    int64_t state_room;
    int32_t *at, steps; /* [n + 2] */
    int32_t *job;       /* [n] that of each step */
    bool gave_up;
} apart;

static double value(const double *x, const tgs_i_fj_form *f, int32_t j, int32_t g)
{
    return x[(int64_t)j * f->classes + g];
}

/* the class of one machine where x is 0 for all jobs, other than `but`; -1: none */
static int32_t free_class(const tgs_i_fj_form *f, const double *x, int32_t but)
{
    for (int32_t g = 0; g < f->classes; g++) {
        bool zero = g != but && f->at[g + 1] - f->at[g] == 1;

        for (int32_t j = 0; j < f->n && zero; j++)
            zero = value(x, f, j, g) == 0 && value(f->p, f, j, g) < INFINITY;
        if (zero)
            return g;
    }
    return -1;
}

static bool fits(apart *x)
{
    const tgs_i_fj_form *f = x->f;

    x->source = free_class(f, f->r, -1);
    x->sink = x->source < 0 ? -1 : free_class(f, f->q, x->source);
    if (x->sink < 0 || f->classes < 3)
        return false;
    for (int32_t g = 0; g < f->classes; g++)
        if (g != x->source && g != x->sink && f->at[g + 1] - f->at[g] < f->n)
            return false;
    for (int32_t j = 0; j < f->n; j++)
        if (value(f->p, f, j, x->source) != value(f->p, f, j, x->sink))
            return false;
    return true;
}

static tgs_status open_apart(apart *x)
{
    const tgs_i_fj_form *f = x->f;
    const size_t n = (size_t)f->n;
    double *key = tgs_mem_alloc(n, sizeof *key);
    tgs_status status = TGS_ENOMEM;

    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->elsewhere = tgs_mem_alloc(n, sizeof *x->elsewhere);
    x->class_of = tgs_mem_alloc(n, sizeof *x->class_of);
    x->at = tgs_mem_alloc(n + 2, sizeof *x->at);
    x->job = tgs_mem_alloc(n, sizeof *x->job);
    if (key && x->order && x->elsewhere && x->class_of && x->at && x->job)
        status = TGS_OK;
    for (int32_t j = 0; j < f->n && !status; j++) {
        x->elsewhere[j] = INFINITY;
        for (int32_t g = 0; g < f->classes; g++)
            if (g != x->source && g != x->sink && tgs_i_fj_through(f, j, g) < x->elsewhere[j]) {
                x->elsewhere[j] = tgs_i_fj_through(f, j, g);
                x->class_of[j] = g;
            }
        key[j] = -value(f->q, f, j, x->source) - value(f->r, f, j, x->sink);
    }
    if (!status)
        status = tgs_i_fj_sort(key, f->n, x->order, NULL);
    tgs_mem_free(key);
    return status;
}

static void close_apart(apart *x)
{
    tgs_mem_free(x->order);
    tgs_mem_free(x->elsewhere);
    tgs_mem_free(x->class_of);
    tgs_mem_free(x->state);
    tgs_mem_free(x->at);
    tgs_mem_free(x->job);
}

/* q and r in the same order */
static bool agree(const apart *x)
{
    for (int32_t k = 1; k < x->f->n; k++) {
        const int32_t j = x->order[k], before = x->order[k - 1];

        if (value(x->f->q, x->f, j, x->source) > value(x->f->q, x->f, before, x->source)
            || value(x->f->r, x->f, j, x->sink) > value(x->f->r, x->f, before, x->sink))
            return false;
    }
    return true;
}

/* the states after job j: merges those where the second machine has it and those where the first
 * has; work: of all jobs so far */
static tgs_status step(apart *x, int32_t j, double work, double L)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t from = x->at[x->steps], to = x->at[x->steps + 1];
    const double p = value(f->p, f, j, x->source), most = L * (1 + 1e-12);
    const double here = most - value(f->q, f, j, x->source);
    const double there = work - (most - value(f->r, f, j, x->sink));
    int32_t a = from, b = from, used = to;
    tgs_status status = tgs_mem_grow(&x->state, &x->state_room, (int64_t)to + 2 * (to - from) + 1,
                                     sizeof *x->state);

    while (!status && (a < to || b < to)) {
        const bool first = a == to || (b < to && x->state[b].load + p < x->state[a].load);
        const int32_t before = first ? b++ : a++;
        const double load = x->state[before].load + (first ? p : 0);

        /* the first machine has load at most `here` with j, the second work - load without */
        if ((first ? load > here : load < there) || (used > to && load == x->state[used - 1].load))
            continue;
        x->state[used++] = (state){load, before, first};
    }
    x->job[x->steps++] = j;
    x->at[x->steps + 1] = used;
    x->gave_up = used - to > MOST_LOADS || used > MOST_STATES;
    return status;
}

static tgs_status test(apart *x, double L, bool *feasible)
{
    double work = 0;
    tgs_status status = tgs_mem_grow(&x->state, &x->state_room, 1, sizeof *x->state);

    if (status)
        return status;
    x->state[0] = (state){0, -1, false};
    x->steps = 0;
    x->at[0] = 0;
    x->at[1] = 1;
    for (int32_t k = 0; k < x->f->n && !status && !x->gave_up; k++) {
        const int32_t j = x->order[k];

        if (x->elsewhere[j] <= L * (1 + 1e-12))
            continue;
        work += value(x->f->p, x->f, j, x->source);
        status = step(x, j, work, L);
        if (x->at[x->steps + 1] == x->at[x->steps])
            break;
    }
    *feasible = !status && !x->gave_up && x->at[x->steps + 1] > x->at[x->steps];
    return status;
}

/* from the last test, which was feasible */
static void realise(const apart *x, double L, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    int32_t s = x->at[x->steps];
    double end = 0, begin = L;

    for (int32_t j = 0, i = 0; j < f->n; j++) { /* each on a machine of its own */
        const int32_t g = x->class_of[j];

        a->machine[j] = -1;
        if (x->elsewhere[j] > L * (1 + 1e-12))
            continue;
        a->machine[j] = f->at[g] + i++; /* i < n machines of each class */
        a->start[j] = value(f->r, f, j, g);
    }
    for (int32_t k = x->steps - 1; k >= 0; k--) {
        a->machine[x->job[k]] = f->at[x->state[s].first ? x->source : x->sink];
        s = x->state[s].before;
    }
    for (int32_t k = 0; k < x->steps; k++) {
        const int32_t j = x->job[k];
        const double p = value(f->p, f, j, x->source);

        if (a->machine[j] == f->at[x->source]) {
            a->start[j] = end;
            end += p;
        } else
            a->start[j] = fmax(0, begin -= p); /* rounding */
    }
    a->L = 0;
    for (int32_t j = 0; j < f->n; j++) {
        const int32_t g = a->machine[j] == f->at[x->source] ? x->source
                          : a->machine[j] == f->at[x->sink] ? x->sink
                                                            : x->class_of[j];

        a->L = fmax(a->L, a->start[j] + value(f->p, f, j, g) + value(f->q, f, j, g));
    }
}

/* the least L; the last test was of it */
static tgs_status least(apart *x, double *L)
{
    double low, high;
    bool feasible = false;
    tgs_status status = tgs_i_fj_quick_bound(x->f, &low);

    for (high = low; !status && !x->gave_up; high *= 1.25) {
        status = test(x, high, &feasible);
        if (feasible)
            break;
        low = high;
    }
    while (!status && !x->gave_up && high - low > 1e-13 * high) {
        const double mid = low + (high - low) / 2;

        status = test(x, mid, &feasible);
        if (feasible)
            high = mid;
        else
            low = mid;
    }
    *L = high;
    return status || x->gave_up || feasible ? status : test(x, high, &feasible);
}

tgs_status tgs_i_fj_apart(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known)
{
    apart x = {.f = f};
    double L;
    tgs_status status;

    *known = false;
    if (!fits(&x))
        return TGS_OK;
    status = open_apart(&x);
    if (!status && agree(&x))
        status = least(&x, &L);
    else
        x.gave_up = true;
    if (!status && !x.gave_up) {
        realise(&x, L, a);
        a->lower = a->L;
        a->theorem = "as many processors as jobs beside those of source and sink";
        *known = true;
    }
    close_apart(&x);
    return status;
}
