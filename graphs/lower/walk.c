/* walk.c -- all tasks of a lowering in their order: some are split as a transform says, some follow
 * the pieces that they find, and the others run whole. */
#include <string.h>
#include "pieces.h"

typedef struct following { /* the datum that a task follows */
    const tgs_i_record *record;
    int32_t rank;
    int32_t label[TGS_MODEL_RANK]; /* of its axes that stay cut, else -1 */
} following;

static int32_t cell_of(const following *f, const int32_t *index)
{
    int32_t cell = 0;

    for (int32_t k = 0; k < f->rank; k++)
        if (f->record->axis[k].parts > 1)
            cell = cell * f->record->axis[k].parts
                   + (f->label[k] >= 0 && index[f->label[k]] > 0 ? index[f->label[k]] : 0);
    return cell;
}

static int32_t with_cell(const tgs_i_expansion *x, const int32_t *index)
{
    const following *f = x->user;

    return f->record->cell[cell_of(f, index)].shard;
}

static int32_t beside_cell(const tgs_i_expansion *x, int32_t a, const int32_t *index, int32_t group)
{
    const following *f = x->user;

    (void)a;
    return f->record
        ->cell[(group < f->record->groups ? group : 0) * f->record->cells + cell_of(f, index)]
        .shard;
}

/* boundaries of the label, when all dims of it can be cut there */
static bool cut_label(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x, int32_t label,
                      const tgs_i_cut *c, int64_t unit)
{
    int64_t *at = tgs_mem_alloc((size_t)c->parts + 1, sizeof *at);
    bool fits = at != NULL;

    for (int32_t i = 0; fits && i <= c->parts; i++)
        at[i] = c->at[i] * unit;
    for (int32_t a = 0; a < t->accesses; a++)
        for (int32_t k = 0; k < TGS_MODEL_RANK; k++)
            for (int32_t i = 0; fits && x->labels.of[a][k] == label && i <= c->parts; i++)
                fits = at[i] % x->labels.unit[a][k] == 0;
    if (fits) {
        x->cut[label] = (tgs_i_cut){c->parts, tgs_low_dims(s->l, c->parts + 1, at)};
        fits = x->cut[label].at != NULL;
    }
    s->failed |= !at || (x->cut[label].parts && !x->cut[label].at);
    tgs_mem_free(at);
    return fits;
}

/* what it works on in place decides, then what it reads first; -1: nothing is in pieces */
static int32_t choose(const tgs_i_split *s, const tgs_low_task *t, const tgs_i_labels *labels)
{
    const tgs_low_access *access = &s->l->access[t->at];
    int32_t choice = -1;

    for (int32_t a = 0; a < t->accesses; a++) {
        const tgs_i_record *r = &s->record[access[a].datum];

        if (access[a].mode == TGS_RW && r->cells)
            return a;
        if (access[a].mode == TGS_RW && !tgs_i_record_free(s, access[a].datum))
            return -1;
        if (access[a].mode == TGS_R && r->cells > 1 && choice < 0 && a != labels->addend)
            choice = a;
    }
    return choice;
}

/* false: it runs whole */
static bool follow(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x, following *f)
{
    int32_t a, cuts = 0;

    memset(x, 0, sizeof *x);
    if (!tgs_i_labels_of(&x->labels, s->l, t) || (a = choose(s, t, &x->labels)) < 0)
        return false;
    *f = (following){.record = &s->record[s->l->access[t->at + a].datum],
                     .rank = s->l->datum[s->l->access[t->at + a].datum].rank};
    for (int32_t k = 0; k < f->rank; k++) {
        const tgs_i_cut *c = &f->record->axis[k];
        const int32_t label = x->labels.of[a][k];

        f->label[k] = -1;
        if (c->parts < 2 || label < 0 || x->labels.fixed[label]
            || !cut_label(s, t, x, label, c, x->labels.unit[a][k]))
            continue;
        f->label[k] = label;
        cuts++;
    }
    x->shard = with_cell;
    x->home = beside_cell;
    x->groups = f->record->groups;
    x->user = f;
    return cuts > 0;
}

static tgs_status stay_whole(tgs_i_split *s, const tgs_low_task *t, tgs_error *err)
{
    tgs_lowering *l = s->l;
    int32_t *datum = tgs_mem_alloc((size_t)t->accesses, sizeof *datum);
    tgs_status status = datum ? TGS_OK : TGS_ENOMEM;

    s->task = t;
    for (int32_t a = 0; a < t->accesses && !status; a++) {
        const tgs_low_access x = l->access[t->at + a];
        const tgs_i_box all = tgs_i_box_of(&l->datum[x.datum]);

        datum[a] = x.datum;
        if (x.mode == TGS_RW && s->record[x.datum].cells) {
            tgs_mem_free(datum);
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "task %s (%s) works in place on '%s', which is in pieces", t->name,
                            t->codelet, l->datum[x.datum].name);
        }
        if (x.mode == TGS_R)
            datum[a] = tgs_i_piece_get(s, x.datum, &all, (tgs_i_want){0, 0});
        status = datum[a] < 0 ? (tgs_status)datum[a] : TGS_OK;
    }
    if (!status && tgs_low_add_task(l, t) < 0)
        status = TGS_ENOMEM;
    for (int32_t a = 0; a < t->accesses && !status; a++) {
        const tgs_low_access x = l->access[t->at + a];

        if (x.mode == TGS_W)
            tgs_i_record_set(s, x.datum, NULL, NULL, 0, 1);
        else if (x.mode == TGS_RW)
            tgs_i_record_forget(s, x.datum);
        status = tgs_low_add_access(l, datum[a], (tgs_mode)x.mode);
    }
    tgs_mem_free(datum);
    return status ? tgs_fail(err, status, "%s: out of memory", t->name) : TGS_OK;
}

typedef struct walking { /* the tasks as they were */
    tgs_low_task *task;
    int64_t tasks;
    int32_t *first; /* [tasks + 1] of those that took its place */
} walking;

static tgs_status every_task(tgs_i_split *s, const walking *w, const tgs_i_walker *walker,
                             tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < w->tasks && !status; i++) {
        const tgs_low_task *t = &w->task[i];
        tgs_i_expansion x;
        following f;
        bool split;

        w->first[i] = (int32_t)s->l->tasks;
        s->walked++;
        if (t->dropped)
            continue;
        split = (walker->plan && walker->plan(s, t, &x, walker->user)) || follow(s, t, &x, &f);
        if (s->failed)
            status = tgs_fail(err, TGS_ENOMEM, "%s: out of memory", t->name);
        else
            status = split ? tgs_i_cells_make(s, t, &x, err) : stay_whole(s, t, err);
    }
    w->first[w->tasks] = (int32_t)s->l->tasks;
    return status;
}

tgs_status tgs_i_keep_orders(tgs_lowering *l, const int32_t *first)
{
    const int64_t orders = l->orders;
    tgs_low_order *order = l->order;
    tgs_status status = TGS_OK;

    l->order = NULL;
    l->orders = l->order_room = 0;
    for (int64_t i = 0; i < orders; i++)
        for (int32_t u = first[order[i].before]; u < first[order[i].before + 1]; u++)
            for (int32_t v = first[order[i].after]; v < first[order[i].after + 1] && !status; v++)
                status = tgs_low_add_after(l, u, v);
    tgs_mem_free(order);
    return status;
}

tgs_status tgs_i_walk_tasks(tgs_lowering *l, const tgs_i_walker *walker, tgs_error *err)
{
    walking w = {.task = l->task, .tasks = l->tasks};
    tgs_i_split s = {.l = l, .data = (int32_t)l->data, .per_group = walker->per_group};
    tgs_status status = TGS_ENOMEM;

    s.record = tgs_mem_alloc((size_t)s.data, sizeof *s.record);
    s.role = tgs_mem_alloc((size_t)s.data, sizeof *s.role);
    s.named = tgs_mem_alloc((size_t)walker->shards + 1, sizeof *s.named);
    w.first = tgs_mem_alloc((size_t)l->tasks + 1, sizeof *w.first);
    if (s.record && s.role && s.named && w.first) {
        for (int32_t d = 0; d < s.data; d++)
            s.record[d] = (tgs_i_record){.groups = 1, .other = -1};
        l->task = NULL;
        l->tasks = l->task_room = 0;
        status = every_task(&s, &w, walker, err);
        if (!status && tgs_i_keep_orders(l, w.first))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        tgs_mem_free(w.task);
    } else
        tgs_fail(err, status, "out of memory");
    if (walker->shards > l->shards)
        l->shards = walker->shards;
    for (int32_t d = 0; s.record && d < s.data; d++)
        tgs_mem_free(s.record[d].cell);
    tgs_mem_free(s.record);
    tgs_mem_free(s.piece);
    tgs_mem_free(s.named);
    tgs_mem_free(s.role);
    tgs_mem_free(w.first);
    return status;
}
