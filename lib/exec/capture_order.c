/* capture_order.c -- what comes before what in a captured run, apart from what the accesses to data
 * say: explicit dependencies, tags, and waits.
 *
 * What a thread does after a call that waits comes after that call.  A task submitted from the
 * callback of another comes after it.  A tag without a task of its own stands for what it waits
 * for. O(items + dependencies), with a heap only where a dependency goes to an earlier submission.
 */
#include "capture.h"
#include "tgsched/heap.h"

enum { THREADS = 256 };

typedef struct building {
    cap_edges *e;
    const tgs_capture *c;
    int32_t *tag_at, *tag_on; /* CSR: what a tag waits for */
    int32_t *latest;          /* [tags] item of the latest task so far, -1 */
    int32_t *mark, *stack;    /* [tags], of a search */
    int32_t round;
    bool short_of_memory;
} building;

static void add(building *b, int32_t before, int32_t after)
{
    cap_pair *p;

    if (before < 0 || after < 0 || before == after || before > b->e->last || after > b->e->last)
        return;
    p = cap_more(b->e->edge);
    if (p)
        *p = (cap_pair){before, after};
    b->short_of_memory |= !p;
}

static int32_t item_of_id(const building *b, int32_t id)
{
    const int32_t task = id < b->c->task_of.count ? b->c->task_of.at[id] : -1;

    return task < 0 ? -1 : b->e->item_of[task];
}

/* ---- tags ---- */
static tgs_status index_tags(building *b)
{
    const tgs_capture *c = b->c;
    const size_t tags = (size_t)c->tagged.count;
    int32_t *at;

    at = b->tag_at = tgs_mem_alloc(tags + 2, sizeof *at);
    b->tag_on = tgs_mem_alloc((size_t)c->tag.count, sizeof *b->tag_on);
    b->latest = tgs_mem_alloc(tags, sizeof *b->latest);
    b->mark = tgs_mem_alloc(tags, sizeof *b->mark);
    b->stack = tgs_mem_alloc(tags, sizeof *b->stack);
    if (!at || !b->tag_on || !b->latest || !b->mark || !b->stack)
        return TGS_ENOMEM;
    for (size_t i = 0; i < tags; i++)
        b->latest[i] = -1;
    for (int32_t i = 0; i < c->tag.count; i++)
        at[c->tag.at[i].after + 2]++;
    for (size_t i = 0; i < tags; i++)
        at[i + 2] += at[i + 1];
    for (int32_t i = 0; i < c->tag.count; i++)
        b->tag_on[at[c->tag.at[i].after + 1]++] = c->tag.at[i].before;
    return TGS_OK;
}

/* the tasks that tag waits for, each before item; with own: the tag's own task stands for them */
static void after_tag(building *b, int32_t tag, int32_t item, bool own)
{
    const tgs_capture *c = b->c;
    int32_t depth = 0;

    b->round++;
    b->mark[tag] = b->round;
    b->stack[depth++] = tag;
    while (depth > 0) {
        const int32_t t = b->stack[--depth];

        if (c->tagged.at[t] >= 0 && (own || t != tag)) {
            /* of several submissions the latest; one that is still to come is the first */
            add(b, b->latest[t] >= 0 ? b->latest[t] : b->e->item_of[c->tagged.at[t]], item);
            continue;
        }
        for (int32_t k = b->tag_at[t]; k < b->tag_at[t + 1]; k++)
            if (b->mark[b->tag_on[k]] != b->round) {
                b->mark[b->tag_on[k]] = b->round;
                b->stack[depth++] = b->tag_on[k];
            }
    }
}

/* ---- waits ---- */
static bool waits(const cap_item *i)
{
    return i->what != CAP_TASK && (i->what != CAP_COPY || i->count);
}

static void add_item(building *b, int32_t at, int32_t *barrier, int32_t *since)
{
    const cap_item *i = &b->c->item.at[at];
    const int32_t thread = i->thread < THREADS ? i->thread : THREADS - 1;

    add(b, barrier[thread], at);
    switch (i->what) {
    case CAP_TASK:
        if (b->c->task.at[i->at].parent >= 0)
            add(b, b->e->item_of[b->c->task.at[i->at].parent], at);
        if (b->c->task.at[i->at].tag >= 0) {
            after_tag(b, b->c->task.at[i->at].tag, at, false);
            b->latest[b->c->task.at[i->at].tag] = at;
        }
        break;
    case CAP_WAIT_TASK:
        add(b, item_of_id(b, i->at), at);
        break;
    case CAP_WAIT_TAG:
        after_tag(b, i->at, at, true);
        break;
    case CAP_WAIT_ALL:
    case CAP_SESSION:
        for (int32_t k = *since; k < at; k++)
            add(b, k, at);
        *since = at;
        break;
    default:
        break;
    }
    if (waits(i))
        barrier[thread] = at;
    for (int32_t k = 0; k < THREADS && i->what == CAP_SESSION; k++)
        barrier[k] = at;
}

static void add_all(building *b)
{
    const tgs_capture *c = b->c;
    int32_t barrier[THREADS], since = 0;

    for (int32_t k = 0; k < THREADS; k++)
        barrier[k] = -1;
    for (int32_t i = 0; i <= b->e->last; i++)
        add_item(b, i, barrier, &since);
    for (int32_t i = 0; i < c->dep.count; i++)
        add(b, item_of_id(b, c->dep.at[i].before), item_of_id(b, c->dep.at[i].after));
}

/* ---- an order ---- */
int32_t tgs_i_cap_accesses(const tgs_capture *c, int32_t item)
{
    const cap_item *i = &c->item.at[item];

    switch (i->what) {
    case CAP_TASK:
        return c->task.at[i->at].accesses;
    case CAP_HOST:
        return 1;
    case CAP_COPY:
        return 2;
    case CAP_SPLIT:
    case CAP_JOIN:
        return 1 + i->count;
    default:
        return 0;
    }
}

cap_access tgs_i_cap_access(const tgs_capture *c, int32_t item, int32_t k)
{
    const cap_item *i = &c->item.at[item];

    if (i->what == CAP_TASK)
        return c->access.at[c->task.at[i->at].access_at + k];
    if (i->what == CAP_HOST)
        return (cap_access){.datum = i->at, .how = (uint8_t)i->access};
    if (i->what == CAP_COPY)
        return (cap_access){.datum = k ? i->first : i->at, .how = k ? CAP_W : CAP_R};
    if (k == 0) /* the whole comes after whoever reads it */
        return (cap_access){.datum = i->at, .how = i->what == CAP_SPLIT ? CAP_RW : CAP_W};
    return (cap_access){.datum = c->piece.at[i->first + k - 1],
                        .how = i->what == CAP_SPLIT ? CAP_W : CAP_RW};
}

/* what StarPU's sequential consistency adds, in the order of submission */
static void add_implicit(building *b, cap_edges *all, int32_t *writer, int32_t *reader)
{
    const tgs_capture *c = b->c;
    CAP_LIST(cap_pair) read = {0}; /* before: the item; after: the reader before it, an index */

    for (int32_t d = 0; d < c->datum.count; d++)
        writer[d] = reader[d] = -1;
    b->e = all;
    for (int32_t i = 0; i <= all->last; i++)
        for (int32_t k = 0; k < tgs_i_cap_accesses(c, i); k++) {
            const cap_access a = tgs_i_cap_access(c, i, k);
            cap_pair *more;

            if (a.free || a.how & CAP_SCRATCH)
                continue;
            add(b, writer[a.datum], i);
            if (a.how & CAP_W) {
                for (int32_t r = reader[a.datum]; r >= 0; r = read.at[r].after)
                    add(b, read.at[r].before, i);
                writer[a.datum] = i;
                reader[a.datum] = -1;
                continue;
            }
            more = cap_more(read);
            b->short_of_memory |= !more;
            if (more) {
                *more = (cap_pair){i, reader[a.datum]};
                reader[a.datum] = read.count - 1;
            }
        }
    tgs_mem_free(read.at);
}

static tgs_status sort(cap_edges *e, const cap_edges *all, const tgs_capture *c, tgs_error *err)
{
    const int32_t n = e->last + 1;
    int32_t *at = tgs_mem_alloc((size_t)n + 2, sizeof *at), done = 0;
    int32_t *to = tgs_mem_alloc((size_t)all->edge.count, sizeof *to);
    int32_t *left = tgs_mem_alloc((size_t)n, sizeof *left);
    tgs_heap ready = {tgs_mem_alloc((size_t)n, sizeof(tgs_heap_item)), 0};
    tgs_status status = TGS_OK;

    if (!at || !to || !left || !ready.item) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        goto done;
    }
    for (int32_t i = 0; i < all->edge.count; i++) {
        at[all->edge.at[i].before + 2]++;
        left[all->edge.at[i].after]++;
    }
    for (int32_t i = 0; i < n; i++)
        at[i + 2] += at[i + 1];
    for (int32_t i = 0; i < all->edge.count; i++)
        to[at[all->edge.at[i].before + 1]++] = all->edge.at[i].after;
    for (int32_t i = 0; i < n; i++)
        if (!left[i])
            tgs_heap_push(&ready, i, i);
    while (ready.size) {
        const int32_t i = tgs_heap_pop(&ready).id;

        e->order[done++] = i;
        for (int32_t k = at[i]; k < at[i + 1]; k++)
            if (--left[to[k]] == 0)
                tgs_heap_push(&ready, to[k], to[k]);
    }
    for (int32_t i = 0; i < n && done < n; i++)
        if (left[i] && c->item.at[i].what == CAP_TASK) {
            status = tgs_fail(err, TGS_ECYCLE, "the dependencies of task %s go in a circle",
                              cap_text(c, c->task.at[c->item.at[i].at].name));
            break;
        }
done:
    tgs_mem_free(at);
    tgs_mem_free(to);
    tgs_mem_free(left);
    tgs_mem_free(ready.item);
    return status;
}

static tgs_status find_order(building *b, tgs_error *err)
{
    cap_edges *e = b->e, all = *e;
    int32_t *writer, *reader;
    bool forward = true;
    tgs_status status;

    for (int32_t i = 0; i <= e->last; i++)
        e->order[i] = i;
    for (int32_t i = 0; i < e->edge.count; i++)
        forward &= e->edge.at[i].before < e->edge.at[i].after;
    if (forward)
        return TGS_OK;
    writer = tgs_mem_alloc((size_t)b->c->datum.count, sizeof *writer);
    reader = tgs_mem_alloc((size_t)b->c->datum.count, sizeof *reader);
    all.edge.at = tgs_mem_alloc((size_t)e->edge.count, sizeof *all.edge.at);
    all.edge.room = e->edge.count;
    if (writer && reader && all.edge.at) {
        memcpy(all.edge.at, e->edge.at, (size_t)e->edge.count * sizeof *e->edge.at);
        add_implicit(b, &all, writer, reader);
        b->e = e;
    } else {
        b->short_of_memory = true;
    }
    status =
        b->short_of_memory ? tgs_fail(err, TGS_ENOMEM, "out of memory") : sort(e, &all, b->c, err);
    tgs_mem_free(writer);
    tgs_mem_free(reader);
    tgs_mem_free(all.edge.at);
    return status;
}

tgs_status tgs_i_cap_edges(cap_edges *e, const tgs_capture *c, tgs_error *err)
{
    building b = {.e = e, .c = c};
    tgs_status status = TGS_ENOMEM;

    *e = (cap_edges){.last = -1};
    e->item_of = tgs_mem_alloc((size_t)c->task.count, sizeof *e->item_of);
    e->order = tgs_mem_alloc((size_t)c->item.count, sizeof *e->order);
    for (int32_t i = 0; i < c->item.count && e->item_of; i++)
        if (c->item.at[i].what == CAP_TASK)
            e->item_of[c->item.at[i].at] = e->last = i;
    if (e->item_of && e->order)
        status = index_tags(&b);
    if (!status) {
        add_all(&b);
        status = b.short_of_memory ? TGS_ENOMEM : TGS_OK;
    }
    if (status)
        tgs_fail(err, status, "out of memory");
    else
        status = find_order(&b, err);
    tgs_mem_free(b.tag_at);
    tgs_mem_free(b.tag_on);
    tgs_mem_free(b.latest);
    tgs_mem_free(b.mark);
    tgs_mem_free(b.stack);
    if (status)
        tgs_i_cap_edges_free(e);
    return status;
}

void tgs_i_cap_edges_free(cap_edges *e)
{
    tgs_mem_free(e->edge.at);
    tgs_mem_free(e->item_of);
    tgs_mem_free(e->order);
    *e = (cap_edges){.last = -1};
}
