/* sequence.c -- tasks that follow each other on a processor: what the last of them ends at, and
 * what it would with one more.
 *
 * A treap by the places of the tasks.  For a sequence that begins when the processor is free, the
 * end is max(free + sum, forced): sum of all w, forced the max over its tasks of ready + all w from
 * that task on.  Both combine, so each node keeps them for what lies below it.  Priorities come
 * from the places, so the tree is the same on every machine. */
#include "core.h"

typedef struct span {
    double sum, forced;
} span;

static span then(span a, span b)
{
    const double late = a.forced + b.sum;

    return (span){a.sum + b.sum, late > b.forced ? late : b.forced};
}

static span below(const tgs_i_run *run, int32_t i)
{
    return i < 0 ? (span){0, 0} : (span){run[i].sum, run[i].forced};
}

static span own(const tgs_i_run *r)
{
    return (span){r->w, r->ready + r->w};
}

static void renew(tgs_i_run *run, int32_t i)
{
    tgs_i_run *r = &run[i];
    const span s = then(then(below(run, r->left), own(r)), below(run, r->right));

    r->sum = s.sum;
    r->forced = s.forced;
}

static uint32_t priority(int32_t i)
{
    uint32_t h = ((uint32_t)i + 1) * 2654435761u;

    h = (h ^ h >> 15) * 2246822519u;
    return h ^ h >> 13;
}

static int32_t insert(tgs_i_run *run, int32_t root, int32_t i)
{
    tgs_i_run *r;
    int32_t child;

    if (root < 0)
        return i;
    r = &run[root];
    if (i < root) {
        child = r->left = insert(run, r->left, i);
        if (priority(child) > priority(root)) { /* rotate right */
            r->left = run[child].right;
            run[child].right = root;
            renew(run, root);
            root = child;
        }
    } else {
        child = r->right = insert(run, r->right, i);
        if (priority(child) > priority(root)) { /* rotate left */
            r->right = run[child].left;
            run[child].left = root;
            renew(run, root);
            root = child;
        }
    }
    renew(run, root);
    return root;
}

int32_t tgs_i_run_insert(tgs_i_run *run, int32_t root, int32_t i)
{
    run[i].left = run[i].right = -1;
    renew(run, i);
    return insert(run, root, i);
}

/* all of a before all of b */
static int32_t join(tgs_i_run *run, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    if (priority(a) > priority(b)) {
        run[a].right = join(run, run[a].right, b);
        renew(run, a);
        return a;
    }
    run[b].left = join(run, a, run[b].left);
    renew(run, b);
    return b;
}

int32_t tgs_i_run_erase(tgs_i_run *run, int32_t root, int32_t i)
{
    if (root == i)
        return join(run, run[i].left, run[i].right);
    if (i < root)
        run[root].left = tgs_i_run_erase(run, run[root].left, i);
    else
        run[root].right = tgs_i_run_erase(run, run[root].right, i);
    renew(run, root);
    return root;
}

static double end_of(double free, span s)
{
    return free + s.sum > s.forced ? free + s.sum : s.forced;
}

double tgs_i_run_end(const tgs_i_run *run, int32_t root, double free)
{
    return end_of(free, below(run, root));
}

double tgs_i_run_end_with(const tgs_i_run *run, int32_t root, double free, int32_t i, tgs_i_run r)
{
    span before = {0, 0}, after = {0, 0};

    while (root >= 0) {
        const tgs_i_run *m = &run[root];

        if (i < root) {
            after = then(then(own(m), below(run, m->right)), after);
            root = m->left;
        } else {
            before = then(before, then(below(run, m->left), own(m)));
            root = m->right;
        }
    }
    return end_of(free, then(then(before, own(&r)), after));
}

int32_t tgs_i_run_next(const tgs_i_run *run, int32_t root, int32_t i)
{
    int32_t next = -1;

    while (root >= 0)
        if (root > i) {
            next = root;
            root = run[root].left;
        } else {
            root = run[root].right;
        }
    return next;
}
