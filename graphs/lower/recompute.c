/* recompute.c -- activations that are cheap to make again are not kept for the backward pass: the
 * forward pass is cut into segments, only what passes between them is kept, and before the backward
 * pass of a segment its tasks run again (all but those of the last segment, whose backward pass
 * follows at once).  With as many segments as the square root of the layers, a chain keeps about
 * twice that root.
 *
 * The mathematics stays what it was: the same tasks compute the same numbers. */
#include <string.h>
#include "tgsched/model.h"

typedef struct pass {
    tgs_lowering *l;
    int64_t tasks, data; /* before any was added */
    int32_t segments;
    int32_t *segment; /* [tasks] of forward tasks of operators, -1 */
    int32_t *made;    /* [data] the segment whose task writes it, -1 */
    bool *kept;       /* [data] something outside its segment reads it in the forward pass */
    bool *needed;     /* [data] a backward task reads it, or a task that runs again */
    int32_t *again;   /* [data] its second copy, -1 */
    bool *done;       /* [segments] it has run again */
} pass;

static bool lost(const pass *p, int32_t datum)
{
    return p->made[datum] >= 0 && p->made[datum] < p->segments - 1 && !p->kept[datum];
}

/* operators in order, as many in each segment */
static void cut(pass *p)
{
    const tgs_lowering *l = p->l;
    int32_t operators = 0, seen = 0, last = -1;

    for (int64_t i = 0; i < p->tasks; i++)
        if (l->task[i].op >= 0 && l->task[i].phase == TGS_PHASE_FORWARD && l->task[i].op != last) {
            last = l->task[i].op;
            operators++;
        }
    if (!p->segments)
        p->segments = (int32_t)ceil(sqrt(operators));
    if (p->segments > operators)
        p->segments = operators;
    last = -1;
    for (int64_t i = 0; i < p->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        p->segment[i] = -1;
        if (t->op < 0 || t->phase != TGS_PHASE_FORWARD || t->dropped)
            continue;
        seen += t->op != last;
        last = t->op;
        p->segment[i] = (int32_t)((int64_t)(seen - 1) * p->segments / operators);
    }
}

/* which data stay, and which of the others the backward pass asks for */
static void look(pass *p)
{
    const tgs_lowering *l = p->l;

    for (int64_t i = 0; i < p->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++) {
            const int32_t d = l->access[a].datum;

            if (l->access[a].mode != TGS_R)
                p->made[d] = p->segment[i];
            else if (l->task[i].phase == TGS_PHASE_FORWARD && p->made[d] != p->segment[i])
                p->kept[d] = true;
            else
                p->needed[d] |= l->task[i].phase == TGS_PHASE_BACKWARD && !l->task[i].dropped;
        }
    for (int64_t i = p->tasks - 1; i >= 0; i--) {
        bool runs = false;

        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++)
            runs |= p->segment[i] >= 0 && l->access[a].mode != TGS_R && lost(p, l->access[a].datum)
                    && p->needed[l->access[a].datum];
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses && runs; a++)
            p->needed[l->access[a].datum] = true;
    }
}

/* the copy of a datum that is made again, or the datum */
static int32_t copy_of(pass *p, int32_t datum)
{
    tgs_low_datum d;

    if (!lost(p, datum))
        return datum;
    if (p->again[datum] < 0) {
        d = p->l->datum[datum];
        d.name = tgs_low_text(p->l, "%s.again", d.name);
        p->again[datum] = tgs_low_add_datum(p->l, &d);
    }
    return p->again[datum];
}

/* task i once more, with the copies of what is lost; suffix NULL: it takes the task's place */
static tgs_status repeat(pass *p, int64_t i, const char *suffix)
{
    tgs_low_task t = p->l->task[i];
    const int32_t at = t.at, accesses = t.accesses;

    if (suffix) {
        t.name = tgs_low_text(p->l, "%s%s", t.name, suffix);
        t.phase = TGS_PHASE_BACKWARD;
        t.again = true;
    } else
        p->l->task[i].dropped = true;
    if (tgs_low_add_task(p->l, &t) < 0)
        return TGS_ENOMEM;
    for (int32_t a = at; a < at + accesses; a++) {
        const tgs_low_access x = p->l->access[a];

        if (tgs_low_add_access(p->l, copy_of(p, x.datum), (tgs_mode)x.mode))
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

/* the tasks of a segment that the backward pass needs, after a task of it that has come as far */
static tgs_status run_again(pass *p, int32_t segment, int32_t before)
{
    p->done[segment] = true;
    for (int64_t i = 0; i < p->tasks; i++) {
        bool runs = false;
        tgs_status status;

        for (int32_t a = p->l->task[i].at; a < p->l->task[i].at + p->l->task[i].accesses; a++)
            runs |= p->segment[i] == segment && p->l->access[a].mode != TGS_R
                    && lost(p, p->l->access[a].datum) && p->needed[p->l->access[a].datum];
        status = runs ? repeat(p, i, ".again") : TGS_OK;
        if (!status && runs && before >= 0)
            status = tgs_low_add_after(p->l, before, (int32_t)p->l->tasks - 1);
        if (status)
            return status;
    }
    return TGS_OK;
}

/* the backward pass is written again, each segment's repetition before the first task that needs it
 */
static tgs_status rewrite(pass *p)
{
    int32_t before = -1;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < p->tasks && !status; i++) {
        if (p->l->task[i].phase != TGS_PHASE_BACKWARD || p->l->task[i].dropped)
            continue;
        for (int32_t a = p->l->task[i].at; a < p->l->task[i].at + p->l->task[i].accesses && !status;
             a++) {
            const int32_t d = p->l->access[a].datum;

            if (d < p->data && lost(p, d) && !p->done[p->made[d]])
                status = run_again(p, p->made[d], before);
        }
        if (!status)
            status = repeat(p, i, NULL);
        before = (int32_t)p->l->tasks - 1;
    }
    return status;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    pass p = {.l = l,
              .tasks = l->tasks,
              .data = l->data,
              .segments = (int32_t)tgs_arg_int(a, "segments")};
    tgs_status status = TGS_ENOMEM;

    p.segment = tgs_mem_alloc((size_t)p.tasks, sizeof *p.segment);
    p.made = tgs_mem_alloc((size_t)p.data, sizeof *p.made);
    p.kept = tgs_mem_alloc((size_t)p.data, sizeof *p.kept);
    p.needed = tgs_mem_alloc((size_t)p.data, sizeof *p.needed);
    p.again = tgs_mem_alloc((size_t)p.data, sizeof *p.again);
    p.done = tgs_mem_alloc((size_t)p.tasks + 1, sizeof *p.done);
    if (p.segment && p.made && p.kept && p.needed && p.again && p.done) {
        memset(p.made, -1, (size_t)p.data * sizeof *p.made);
        memset(p.again, -1, (size_t)p.data * sizeof *p.again);
        cut(&p);
        look(&p);
        status = rewrite(&p);
    }
    tgs_mem_free(p.segment);
    tgs_mem_free(p.made);
    tgs_mem_free(p.kept);
    tgs_mem_free(p.needed);
    tgs_mem_free(p.again);
    tgs_mem_free(p.done);
    return status ? tgs_fail(err, status, "recompute: out of memory") : TGS_OK;
}

static const tgs_param params[] = {
    {"segments", "0", TGS_PARAM_INT, 0, 1e6,
     "of the forward pass; 0: the square root of its layers"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_recompute = {
    .base = {TGS_PLUGIN_ABI, "recompute",
             "activations made again for the backward pass instead of being kept",
             "Chen, Xu, Zhang, Guestrin, Training deep nets with sublinear memory cost, 2016",
             params},
    .stage = 35,
    .needs = "train",
    .apply = apply,
};
