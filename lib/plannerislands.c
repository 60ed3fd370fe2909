/* plannerislands.c -- replicas that are alike are simulated once.
 *
 * Where the sums of gradients are modelled (replicas reduce=alpha-beta), nothing else passes
 * between replicas: they meet at the start of each sum, and each goes its own way from its end. Two
 * of them slow each other down only where they share something that is used up: a memory, a link or
 * a bus. So replicas that share one, directly or through others, are an island, and what happens in
 * an island depends on nothing outside but when the last replica of all is ready for a sum. Islands
 * that are alike, replica by replica in their order - the same samples, processors and memories,
 * and the same routes among them, with what is shared shared alike - therefore do the same at the
 * same time, and of each class of them the first one is simulated for all.  The step and the
 * peaks of the replicas' memories are those of the whole, for the same order of tasks in each
 * replica, which the scheduler is given the means of the whole for.
 *
 * O(R P^2 H + I C) for R replicas with P memories each, routes of H links, I islands in C classes.
 */
#include <string.h>
#include "modelimpl.h"
#include "planner.h"

typedef enum thing { MEMORY, LINK, BUS, THINGS } thing; /* that replicas may share */

typedef struct folding {
    tgs_i_fold *f;
    const tgs_platform_view *p;
    const int64_t *share;    /* [replicas]; NULL: all have as many */
    int32_t *parent;         /* [replicas] union-find */
    int32_t *owner[THINGS];  /* a replica that uses it, -1 */
    int32_t *number[THINGS]; /* within the island at hand, in the order of their first use */
    int32_t *island[THINGS]; /* that the number is of, -1 */
    int32_t count[THINGS], at;
    uint64_t *sign; /* [replicas] of the island that begins there */
    uint64_t hash;
} folding;

static int32_t find(folding *x, int32_t r)
{
    while (x->parent[r] != r)
        r = x->parent[r] = x->parent[x->parent[r]];
    return r;
}

/* the smaller one is the root */
static void unite(folding *x, int32_t a, int32_t b)
{
    a = find(x, a);
    b = find(x, b);
    x->parent[a > b ? a : b] = a > b ? b : a;
}

static void claim(folding *x, int32_t replica, thing what, int32_t i)
{
    if (x->owner[what][i] < 0)
        x->owner[what][i] = replica;
    else
        unite(x, x->owner[what][i], replica);
}

static void add(folding *x, double value)
{
    x->hash = tgs_i_hash_real(x->hash, value);
}

static void sign_memory(folding *x, int32_t m)
{
    const tgs_platform_view *p = x->p;

    x->hash = tgs_i_hash_text(x->hash, p->memory[m].trust);
    add(x, p->memory[m].capacity);
    for (int32_t i = 0; i < p->procs; i++)
        if (p->proc[i].memory == m) {
            add(x, p->proc[i].kind);
            add(x, p->proc[i].speed);
        }
}

/* which one of the island it is, and when it is new, what it is like */
static void sign(folding *x, int32_t replica, thing what, int32_t i)
{
    const tgs_platform_view *p = x->p;
    const bool known = x->island[what][i] == x->at;

    (void)replica;
    if (!known) {
        x->island[what][i] = x->at;
        x->number[what][i] = x->count[what]++;
    }
    add(x, what);
    add(x, x->number[what][i]);
    if (known)
        return;
    if (what == MEMORY)
        sign_memory(x, i);
    else if (what == BUS)
        add(x, p->bus[i].bandwidth);
    else {
        add(x, p->link[i].latency);
        add(x, p->link[i].bandwidth);
        add(x, p->link[i].energy);
    }
}

typedef void visitor(folding *x, int32_t replica, thing what, int32_t i);

static void visit_route(folding *x, int32_t replica, int32_t from, int32_t to, visitor *visit)
{
    const tgs_platform_view *p = x->p;
    const int64_t at = (int64_t)from * p->memories + to;

    add(x, p->route_at[at + 1] - p->route_at[at]); /* where it ends */
    for (int32_t i = p->route_at[at]; i < p->route_at[at + 1]; i++) {
        const tgs_link *l = &p->link[p->route[i]];

        visit(x, replica, LINK, p->route[i]);
        if (l->bus >= 0)
            visit(x, replica, BUS, l->bus);
        if (l->to != to && p->memory[l->to].capacity < INFINITY)
            visit(x, replica, MEMORY, l->to);
    }
}

/* all that a replica uses, in an order that is the same for replicas that are alike */
static void visit_replica(folding *x, int32_t replica, visitor *visit)
{
    const tgs_i_fold *f = x->f;
    const int32_t *memory = f->memory + (int64_t)replica * f->places;

    for (int32_t i = 0; i < f->places; i++)
        visit(x, replica, MEMORY, memory[i]);
    for (int32_t i = 0; i < f->places; i++) {
        const int32_t home = tgs_i_planning_home(x->p, memory[i]);

        for (int32_t j = 0; j < f->places; j++)
            visit_route(x, replica, memory[i], memory[j], visit);
        visit_route(x, replica, home, memory[i], visit);
        if (x->p->memory[home].capacity < INFINITY)
            visit(x, replica, MEMORY, home);
    }
}

/* the islands, and what each is like: in sign, by its first replica */
static void find_islands(folding *x)
{
    const int32_t n = x->f->replicas;

    for (int32_t r = 0; r < n; r++)
        x->parent[r] = r;
    for (int32_t r = 0; r < n; r++)
        visit_replica(x, r, claim);
    for (int32_t root = 0; root < n; root++) {
        if (find(x, root) != root)
            continue;
        x->at = root;
        x->hash = TGS_I_HASH_START;
        memset(x->count, 0, sizeof x->count);
        for (int32_t r = root; r < n; r++)
            if (find(x, r) == root) {
                add(x, x->share ? (double)x->share[r] : 1);
                visit_replica(x, r, sign);
            }
        x->sign[root] = x->hash;
    }
}

/* the first island of each class stands for those that are like it */
static void fold(folding *x)
{
    tgs_i_fold *f = x->f;
    int32_t *next = x->number[MEMORY]; /* [replicas] of an island, the last one that was paired */

    for (int32_t r = 0; r < f->replicas; r++) {
        const int32_t root = find(x, r);
        int32_t first = 0;

        while (find(x, first) != first || x->sign[first] != x->sign[root])
            first++;
        if (first == root) {
            f->like[r] = r;
        } else {
            int32_t twin = r == root ? first : next[root] + 1;

            while (find(x, twin) != first)
                twin++;
            next[root] = twin;
            f->like[r] = twin;
        }
        f->stands[f->like[r]]++;
    }
    f->kept = 0;
    for (int32_t r = 0; r < f->replicas; r++)
        f->kept += f->stands[r] > 0;
}

static tgs_status work(folding *x)
{
    const size_t n = (size_t)x->f->replicas;
    const size_t size[THINGS] = {(size_t)x->p->memories, (size_t)x->p->links, (size_t)x->p->buses};
    tgs_status status = TGS_OK;

    x->parent = tgs_mem_alloc(n, sizeof *x->parent);
    x->sign = tgs_mem_alloc(n, sizeof *x->sign);
    for (int i = 0; i < THINGS; i++) {
        const size_t room = size[i] > n ? size[i] : n; /* for fold */

        x->owner[i] = tgs_mem_alloc(room, sizeof *x->owner[i]);
        x->number[i] = tgs_mem_alloc(room, sizeof *x->number[i]);
        x->island[i] = tgs_mem_alloc(room, sizeof *x->island[i]);
        if (!x->owner[i] || !x->number[i] || !x->island[i])
            status = TGS_ENOMEM;
        else {
            memset(x->owner[i], -1, room * sizeof *x->owner[i]);
            memset(x->island[i], -1, room * sizeof *x->island[i]);
        }
    }
    if (!x->parent || !x->sign)
        status = TGS_ENOMEM;
    if (!status) {
        find_islands(x);
        fold(x);
    }
    tgs_mem_free(x->parent);
    tgs_mem_free(x->sign);
    for (int i = 0; i < THINGS; i++) {
        tgs_mem_free(x->owner[i]);
        tgs_mem_free(x->number[i]);
        tgs_mem_free(x->island[i]);
    }
    return status;
}

tgs_status tgs_i_fold_islands(tgs_i_fold *f, const tgs_platform_view *p, const int64_t *share)
{
    folding x = {.f = f, .p = p, .share = share};

    memset(f->stands, 0, (size_t)f->replicas * sizeof *f->stands);
    return work(&x);
}
