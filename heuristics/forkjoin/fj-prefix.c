/* fj-prefix.c -- the prefix rule for fork-join graphs on equal processors, at most 1 + m / (m - 1)
 * times the optimum.
 *
 * Inner tasks by c = a + w + b, largest first.  The first k stay where the source and the sink are,
 * the others are listed on the other processors by smallest input time a; L is the larger of both
 * sides.
 *
 * Let L* be the optimum over both cases, k* the number of tasks with c > L*, and
 * F = 1 + m / (m - 1).
 *
 * (1) For k <= k* the local work is at most 2 L* <= F L*: in either case those tasks are where the
 * source or the sink is.
 *
 * (2) For k >= k* the remote side ends by F L*: by smallest a all m - 1 processors are busy from
 * a_x at the latest until x starts, so C_x + b_x <= c_x + m L* / (m - 1).
 *
 * The local side grows with k.  Bisection finds a k with local(k) >= remote(k) and local(k - 1) <
 * remote(k - 1); one of the two is within F: if k <= k* then k by (1), else k - 1 by (2).  So
 * O(log n) values of k prove the factor; the others that are tried only make the result better.
 *
 * The remote side is also tried by largest output time first (Jackson's rule), and with source and
 * sink apart (case 2), where the prefix is divided between the two ends.  O((n log n) log n). */
#include <stdio.h>
#include <string.h>
#include "core.h"
#include "tgsched/heap.h"

typedef struct trial {
    double L;
    int32_t k; /* the prefix */
    bool apart, jackson;
} trial;

typedef struct prefix {
    const tgs_i_fj_case *c;      /* of the case at hand */
    int32_t n, remotes;          /* inner tasks, processors other than those of source and sink */
    int32_t local, far, remote;  /* classes: of the source, of the sink, of the others */
    int32_t *by_c, *by_a, *by_b; /* c and b: largest first */
    int32_t *place_in_c;         /* inverse of by_c */
    int32_t *side;               /* [n] machine of each task: 0 local, 1 far, 2.. remote */
    double *start;               /* [n] since the end of the source */
    tgs_heap machine, released;
} prefix;

static double p_of(const prefix *x, int32_t j, int32_t class)
{
    return x->c->p[(int64_t)j * x->c->classes + class];
}

static double r_of(const prefix *x, int32_t j, int32_t class)
{
    return x->c->r[(int64_t)j * x->c->classes + class];
}

static double q_of(const prefix *x, int32_t j, int32_t class)
{
    return x->c->q[(int64_t)j * x->c->classes + class];
}

static double put(prefix *x, int32_t j, int32_t class, int32_t machine, double free)
{
    const double r = r_of(x, j, class);

    x->start[j] = r > free ? r : free;
    x->side[j] = machine;
    return x->start[j] + p_of(x, j, class);
}

static void free_machines(prefix *x)
{
    x->machine.size = 0;
    for (int32_t i = 0; i < x->remotes; i++)
        tgs_heap_push(&x->machine, 0, 2 + i);
}

/* the tasks from place k of by_c on, by smallest a, each where it can start first */
static double remote_by_a(prefix *x, int32_t k)
{
    double L = 0;

    free_machines(x);
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t j = x->by_a[i];
        tgs_heap_item m;
        double end;

        if (x->place_in_c[j] < k)
            continue;
        m = tgs_heap_pop(&x->machine);
        end = put(x, j, x->remote, m.id, m.key);
        L = fmax(L, end + q_of(x, j, x->remote));
        tgs_heap_push(&x->machine, end, m.id);
    }
    return L;
}

/* the same tasks by Jackson's rule: of the released ones that with the largest b */
static double remote_by_jackson(prefix *x, int32_t k)
{
    double L = 0, now = 0;
    int32_t i = 0;

    free_machines(x);
    x->released.size = 0;
    for (int32_t left = x->n - k; left > 0; left--) {
        const tgs_heap_item m = tgs_heap_pop(&x->machine);
        double end;
        int32_t j;

        now = m.key > now ? m.key : now; /* one clock: a machine does not start in the past */
        for (; i < x->n; i++) {
            j = x->by_a[i];
            if (x->place_in_c[j] < k)
                continue;
            if (r_of(x, j, x->remote) > now) {
                if (x->released.size)
                    break;
                now = r_of(x, j, x->remote);
            }
            tgs_heap_push(&x->released, -q_of(x, j, x->remote), j);
        }
        j = tgs_heap_pop(&x->released).id;
        end = put(x, j, x->remote, m.id, now);
        L = fmax(L, end + q_of(x, j, x->remote));
        tgs_heap_push(&x->machine, end, m.id);
    }
    return L;
}

/* case 1: the prefix on the one processor of source and sink, in any order */
static double local_together(prefix *x, int32_t k)
{
    double end = 0;

    for (int32_t i = 0; i < k; i++)
        end = put(x, x->by_c[i], x->local, 0, end);
    return end;
}

/* case 2: each task of the prefix to the end of the two where L grows less; then each end in the
 * order that is best for it, since one has no input times and the other no output times */
static double local_apart(prefix *x, int32_t k)
{
    double end[2] = {0, 0}, L = 0;

    for (int32_t i = 0; i < k; i++) {
        const int32_t j = x->by_c[i];
        const double a = end[0] + p_of(x, j, x->local);
        const double b = fmax(end[1], r_of(x, j, x->far)) + p_of(x, j, x->far);

        x->side[j] = a + q_of(x, j, x->local) > b;
        end[x->side[j]] = x->side[j] ? b : a;
    }
    end[0] = end[1] = 0;
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t j = x->by_b[i];

        if (x->place_in_c[j] >= k || x->side[j])
            continue;
        end[0] = put(x, j, x->local, 0, end[0]);
        L = fmax(L, end[0] + q_of(x, j, x->local));
    }
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t j = x->by_a[i];

        if (x->place_in_c[j] < k && x->side[j])
            end[1] = put(x, j, x->far, 1, end[1]);
    }
    return fmax(L, end[1]);
}

static double local_side(prefix *x, const trial *t)
{
    return t->apart ? local_apart(x, t->k) : local_together(x, t->k);
}

static double remote_side(prefix *x, const trial *t)
{
    if (t->k == x->n)
        return 0;
    if (!x->remotes)
        return INFINITY;
    return t->jackson ? remote_by_jackson(x, t->k) : remote_by_a(x, t->k);
}

static double play(prefix *x, const trial *t)
{
    return fmax(local_side(x, t), remote_side(x, t));
}

/* most values of k are too large, which the cheaper side tells */
static void improve(prefix *x, trial t, trial *best)
{
    t.L = local_side(x, &t);
    if (t.L < best->L)
        t.L = fmax(t.L, remote_side(x, &t));
    if (t.L < best->L)
        *best = t;
}

/* a k with local(k) >= remote(k) whose predecessor has less, by smallest a; n at the latest */
static int32_t crossing(prefix *x, bool apart)
{
    int32_t low = -1, high = x->n;

    while (high - low > 1) {
        const trial t = {.k = low + (high - low) / 2, .apart = apart};

        if (local_side(x, &t) >= remote_side(x, &t))
            high = t.k;
        else
            low = t.k;
    }
    return high;
}

#define ALL    256 /* inner tasks up to which every k is tried */
#define SAMPLE 48  /* and how many values of k, evenly spaced, beyond that */

static void search(prefix *x, bool apart, trial *best)
{
    const int32_t steps = x->n <= ALL ? x->n : SAMPLE, k = crossing(x, apart);

    for (int32_t jackson = 0; jackson <= 1; jackson++) {
        for (int32_t d = -2; d <= 2; d++)
            if (k + d >= 0 && k + d <= x->n)
                improve(x, (trial){.k = k + d, .apart = apart, .jackson = jackson}, best);
        for (int32_t i = 0; i <= steps; i++)
            improve(x,
                    (trial){.k = (int32_t)((int64_t)x->n * i / steps),
                            .apart = apart,
                            .jackson = jackson},
                    best);
    }
}

static void close_prefix(prefix *x)
{
    tgs_mem_free(x->by_c);
    tgs_mem_free(x->by_a);
    tgs_mem_free(x->by_b);
    tgs_mem_free(x->place_in_c);
    tgs_mem_free(x->side);
    tgs_mem_free(x->start);
    tgs_mem_free(x->machine.item);
    tgs_mem_free(x->released.item);
}

static tgs_status open_prefix(prefix *x, const tgs_i_fj_equal *e, tgs_error *err)
{
    const size_t n = (size_t)e->n;
    double *key = tgs_mem_alloc(n, sizeof *key);
    tgs_status status = TGS_OK;

    *x = (prefix){.n = e->n};
    x->by_c = tgs_mem_alloc(n, sizeof *x->by_c);
    x->by_a = tgs_mem_alloc(n, sizeof *x->by_a);
    x->by_b = tgs_mem_alloc(n, sizeof *x->by_b);
    x->place_in_c = tgs_mem_alloc(n, sizeof *x->place_in_c);
    x->side = tgs_mem_alloc(n, sizeof *x->side);
    x->start = tgs_mem_alloc(n, sizeof *x->start);
    x->machine.item = tgs_mem_alloc((size_t)e->m, sizeof *x->machine.item);
    x->released.item = tgs_mem_alloc(n, sizeof *x->released.item);
    if (!key || !x->by_c || !x->by_a || !x->by_b || !x->place_in_c || !x->side || !x->start
        || !x->machine.item || !x->released.item)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", e->n);
    if (!status)
        status = tgs_i_fj_sort(e->a, e->n, x->by_a, err);
    for (int32_t j = 0; j < e->n && !status; j++)
        key[j] = -e->b[j];
    if (!status)
        status = tgs_i_fj_sort(key, e->n, x->by_b, err);
    for (int32_t j = 0; j < e->n && !status; j++)
        key[j] = -(e->a[j] + e->w[j] + e->b[j]);
    if (!status)
        status = tgs_i_fj_sort(key, e->n, x->by_c, err);
    for (int32_t i = 0; i < e->n && !status; i++)
        x->place_in_c[x->by_c[i]] = i;
    tgs_mem_free(key);
    if (status)
        close_prefix(x);
    return status;
}

static void use_case(prefix *x, const tgs_i_fj_case *c)
{
    x->c = c;
    x->local = 0;
    x->far = c->sigma == c->kappa ? 0 : 1;
    x->remote = c->classes - 1;
    x->remotes = c->classes > x->far + 1 ? c->at[c->classes] - c->at[x->remote] : 0;
}

/* the best trial becomes the plan */
static void fill_plan(prefix *x, const tgs_i_fj *f, const trial *best, double zero, tgs_plan *plan)
{
    const tgs_i_fj_case *c = x->c;

    play(x, best);
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t side = x->side[i];

        plan->proc[f->task[i]] = side == 0   ? c->sigma
                                 : side == 1 ? c->kappa
                                             : c->proc[c->at[x->remote] + side - 2];
        plan->start[f->task[i]] = zero + x->start[i];
    }
    if (f->sink >= 0) {
        plan->proc[f->sink] = c->kappa;
        plan->start[f->sink] = zero + best->L;
    }
}

static tgs_status prove(const tgs_i_fj_equal *e, double head, const trial *best, tgs_plan *plan,
                        tgs_error *err)
{
    double area, forced, longest = 0;
    tgs_status status = tgs_i_fj_bound(e, tgs_i_fj_idle_area, &area, err);

    if (!status)
        status = tgs_i_fj_bound(e, tgs_i_fj_forced_work, &forced, err);
    if (status)
        return status;
    for (int32_t j = 0; j < e->n; j++)
        longest = fmax(longest, e->w[j]);
    plan->lower_bound = head + fmax(fmax(area, forced), e->head + longest + e->tail);
    snprintf(plan->note, sizeof plan->note,
             "prefix of %d of %d tasks %s, the rest by %s; at most %.4g times the optimum", best->k,
             e->n, best->apart ? "at source and sink apart" : "beside source and sink",
             best->jackson ? "output time" : "input time",
             e->m > 1 ? 1 + e->m / (e->m - 1.0) : 1.0);
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *ctx, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = ctx->v;
    tgs_i_fj f = {.task = NULL};
    tgs_i_fj_equal e = {.w = NULL};
    tgs_i_fj_case one = {.f = NULL}, two = {.f = NULL};
    prefix x = {.n = 0};
    trial best = {.L = INFINITY};
    int32_t sigma, kappa;
    double head = 0;
    tgs_status status = tgs_i_fj_equal_open(&e, v, err);

    if (!status)
        status = tgs_i_fj_open(&f, v, err);
    if (!status)
        status = tgs_i_fj_unconstrained(&f, err);
    if (!status)
        status = open_prefix(&x, &e, err);
    if (status)
        goto done;
    sigma = tgs_i_fj_source_processor(&f, &head);
    kappa = sigma ? 0 : v->m > 1;
    status = tgs_i_fj_case_open(&one, &f, sigma, sigma, true, err);
    if (!status && v->m > 1)
        status = tgs_i_fj_case_open(&two, &f, sigma, kappa, true, err);
    if (status)
        goto done;
    use_case(&x, &one);
    search(&x, false, &best);
    if (v->m > 1) {
        use_case(&x, &two);
        search(&x, true, &best);
    }
    use_case(&x, best.apart ? &two : &one);
    if (f.source >= 0) {
        plan->proc[f.source] = sigma;
        plan->start[f.source] = head;
    }
    fill_plan(&x, &f, &best, head + e.head, plan);
    status = prove(&e, head, &best, plan, err);
done:
    tgs_i_fj_equal_close(&e);
    tgs_i_fj_close(&f);
    tgs_i_fj_case_close(&one);
    tgs_i_fj_case_close(&two);
    close_prefix(&x);
    return status;
}

const tgs_heuristic tgs_heuristic_fj_prefix = {
    .base = {TGS_PLUGIN_ABI, "fj-prefix",
             "fork-join on equal processors: longest tasks at source and sink; factor 1 + m/(m-1)",
             NULL, NULL},
    .run = run,
};
