/* stash.c -- the weights of several steps in a row: versions as data of their own, since a pass
 * that is under way goes on with the weights that it began with.
 *
 * Turns.  Minibatch p has turn 4 p + 4.  After the last one of a wave its gradients are summed
 * (+1), and the next version is made (+2, after what sums over replicas); then come the weights
 * that the next minibatch alone reads (+3). */
#include <string.h>
#include "core.h"

typedef struct update { /* of a parameter */
    int32_t task, parameter, gradient;
    int32_t global, waves;         /* the last version, and of how many waves it is */
    int32_t local, base, included; /* the weights read last; their waves and own updates */
} update;

typedef struct stash {
    tgs_lowering *l;
    const tgs_i_stale *rule;
    int32_t wave, batches, updates;
    int64_t tasks;  /* before any was added */
    update *u;      /* [updates] */
    int32_t *of;    /* [data] the update that it is the parameter or gradient of, -1 */
    int32_t *grad;  /* [update * batches + p] */
    int32_t *reads; /* [update * batches + p] the weights */
    int32_t *made;  /* [update * (waves + 1) + c] the version */
} stash;

static int32_t turn_of(int32_t batch)
{
    return 4 * batch + 4;
}

/* ---- what is there ------------------------------------------------------------------------- */
static bool is_update(const tgs_low_task *t)
{
    return t->phase == TGS_PHASE_UPDATE && !t->dropped;
}

/* the parameter comes first and the gradient last (train.c) */
static void find_updates(stash *s)
{
    const tgs_lowering *l = s->l;
    int32_t n = 0;

    memset(s->of, -1, (size_t)l->data * sizeof *s->of);
    for (int32_t i = 0; i < s->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        if (!is_update(t))
            continue;
        s->u[n] = (update){.task = i,
                           .parameter = l->access[t->at].datum,
                           .gradient = l->access[t->at + t->accesses - 1].datum};
        s->u[n].global = s->u[n].local = s->u[n].parameter;
        s->of[s->u[n].parameter] = s->of[s->u[n].gradient] = n;
        n++;
    }
    memset(s->grad, -1, (size_t)n * (size_t)s->batches * sizeof *s->grad);
    for (int32_t d = 0; d < l->data; d++) {
        const int32_t copied = l->datum[d].copied - 1, of = s->of[copied >= 0 ? copied : d];

        if (of >= 0 && (copied >= 0 ? copied : d) == s->u[of].gradient)
            s->grad[of * s->batches + (l->datum[d].batch > 0 ? l->datum[d].batch : 0)] = d;
    }
}

/* ---- versions ------------------------------------------------------------------------------ */
static int32_t add_weights(stash *s, const update *u, const char *tail, int32_t number, bool shared)
{
    tgs_low_datum d = s->l->datum[u->parameter];

    d.name = shared ? tgs_low_text(s->l, "%s.%s%d", d.name, tail, (int)number)
                    : tgs_low_text(s->l, "%s.%s", d.name, tail);
    d.init = NULL;
    d.scale = NAN;
    d.persistent = false;
    d.shared = shared;
    d.replica = -1;
    d.batch = shared ? -1 : number;
    return tgs_low_add_datum(s->l, &d);
}

/* to = from */
static tgs_status add_copy(stash *s, const update *u, int32_t from, int32_t to, int32_t turn,
                           bool own)
{
    tgs_lowering *l = s->l;
    tgs_low_task t = l->task[u->task];

    t.name = tgs_low_text(l, "%s.copy", l->datum[to].name);
    t.codelet = "identity";
    t.attrs = "";
    t.flops = 0;
    t.dropped = false;
    t.turn = turn;
    t.own = own;
    t.batch = l->datum[to].batch;
    if (tgs_low_add_task(l, &t) < 0 || tgs_low_add_access(l, from, TGS_R)
        || tgs_low_add_access(l, to, TGS_W))
        return TGS_ENOMEM;
    return TGS_OK;
}

/* weights are updated by a gradient, as the step would */
static tgs_status add_update(stash *s, const update *u, int32_t weights, int32_t gradient,
                             const char *name, int32_t turn, bool own)
{
    tgs_lowering *l = s->l;
    tgs_low_task t = l->task[u->task];
    const int32_t at = t.at, last = t.at + t.accesses - 1;

    t.name = name;
    t.dropped = false;
    t.turn = turn;
    t.own = own;
    t.batch = own ? l->datum[weights].batch : -1;
    if (tgs_low_add_task(l, &t) < 0 || tgs_low_add_access(l, weights, TGS_RW))
        return TGS_ENOMEM;
    for (int32_t a = at + 1; a < last; a++) {
        const tgs_low_access x = l->access[a];

        if (tgs_low_add_access(l, x.datum, (tgs_mode)x.mode))
            return TGS_ENOMEM;
    }
    return tgs_low_add_access(l, gradient, TGS_R);
}

/* the sum of a wave's gradients, which replicas sum once more; its own gradient when it is alone */
static int32_t add_wave(stash *s, const update *u, int32_t wave)
{
    tgs_lowering *l = s->l;
    const int32_t *grad = s->grad + (u - s->u) * s->batches + wave * s->wave;
    tgs_low_task t = l->task[u->task];
    tgs_low_datum d = l->datum[grad[0]];
    int32_t datum;

    l->datum[grad[0]].reduced = s->wave == 1;
    if (s->wave == 1)
        return grad[0];
    d.name = tgs_low_text(l, "%s.wave%d", d.name, (int)wave);
    d.reduced = true;
    d.batch = -1;
    datum = tgs_low_add_datum(l, &d);
    if (datum < 0)
        return datum;
    t.name = d.name;
    t.codelet = "sum";
    t.attrs = "";
    t.flops = (s->wave - 1) * tgs_i_elements(&d);
    t.phase = TGS_PHASE_BACKWARD;
    t.dropped = false;
    t.turn = turn_of(wave * s->wave + s->wave - 1) + 1;
    if (tgs_low_add_task(l, &t) < 0)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < s->wave; i++) {
        l->datum[grad[i]].reduced = false;
        if (tgs_low_add_access(l, grad[i], TGS_R))
            return TGS_ENOMEM;
    }
    return tgs_low_add_access(l, datum, TGS_W) ? TGS_ENOMEM : datum;
}

/* G(c + 1) out of G(c); the last one is the parameter */
static tgs_status push(stash *s, update *u, int32_t wave)
{
    const int32_t turn = turn_of(wave * s->wave + s->wave - 1) + 2;
    const bool last = (wave + 1) * s->wave == s->batches;
    const int32_t sum = add_wave(s, u, wave);
    int32_t next;
    const char *name;
    tgs_status status = TGS_OK;

    if (sum < 0)
        return (tgs_status)sum;
    next = last ? u->parameter : add_weights(s, u, "wave", wave + 1, true);
    if (next < 0)
        return (tgs_status)next;
    name = last ? s->l->task[u->task].name
                : tgs_low_text(s->l, "%s.%d", s->l->task[u->task].name, (int)wave);
    if (next != u->global)
        status = add_copy(s, u, u->global, next, turn, false);
    if (!status)
        status = add_update(s, u, next, sum, name, turn, false);
    u->global = next;
    u->waves = wave + 1;
    s->made[(u - s->u) * (s->batches / s->wave + 1) + u->waves] = next;
    return status;
}

/* how many waves of all, and how many updates of its own, minibatch p knows of */
static void knows(const stash *s, int32_t late, int32_t p, int32_t *waves, int32_t *own)
{
    const int32_t wave = p / s->wave, c = wave - late - (p % s->wave != s->wave - 1);

    *waves = c > 0 ? c : 0;
    *own = *waves * s->wave;
    if (s->rule->own && p - s->wave + 1 > *own)
        *own = p - s->wave + 1;
}

/* the weights of minibatch p: a version, or one with own updates added */
static tgs_status read_weights(stash *s, update *u, int32_t p)
{
    tgs_lowering *l = s->l;
    const int64_t row = u - s->u;
    const int32_t late = s->rule->late[l->task[u->task].stage > 0 ? l->task[u->task].stage : 0];
    int32_t waves, own, from;
    tgs_status status = TGS_OK;

    knows(s, late, p, &waves, &own);
    from = s->made[row * (s->batches / s->wave + 1) + waves];
    if (waves == u->base && u->included > waves * s->wave)
        from = u->local; /* goes on from the weights before */
    else
        u->included = waves * s->wave;
    u->local = from;
    u->base = waves;
    if (own > u->included) {
        u->local = add_weights(s, u, "own", p, false);
        if (u->local < 0)
            return (tgs_status)u->local;
        status = add_copy(s, u, from, u->local, turn_of(p) - 1, true);
    }
    for (; u->included < own && !status; u->included++)
        status = add_update(s, u, u->local, s->grad[row * s->batches + u->included],
                            tgs_low_text(l, "%s.%d", l->task[u->task].name, (int)u->included),
                            turn_of(p) - 1, true);
    s->reads[row * s->batches + p] = u->local;
    return status;
}

static tgs_status make_versions(stash *s)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < s->updates && !status; i++) {
        update *u = &s->u[i];

        s->made[(int64_t)i * (s->batches / s->wave + 1)] = u->parameter;
        for (int32_t p = 0; p < s->batches && !status; p++) {
            status = read_weights(s, u, p);
            if (!status && p % s->wave == s->wave - 1)
                status = push(s, u, p / s->wave);
        }
        s->l->task[u->task].dropped = true;
    }
    return status;
}

/* each pass gets its turn, and its weights in the place of the parameters */
static void give(stash *s)
{
    tgs_lowering *l = s->l;

    for (int64_t i = 0; i < s->tasks; i++) {
        tgs_low_task *t = &l->task[i];
        const int32_t p = t->batch > 0 ? t->batch : 0;

        if (t->phase == TGS_PHASE_UPDATE)
            continue;
        t->turn = turn_of(p);
        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            tgs_low_access *x = &l->access[a];
            const int32_t of = s->of[x->datum];

            if (of >= 0 && x->datum == s->u[of].parameter)
                x->datum = s->reads[of * s->batches + p];
        }
    }
}

/* ---- what can go wrong --------------------------------------------------------------------- */
static tgs_status check(const stash *s, tgs_error *err)
{
    const int32_t first = s->rule->late[s->l->stages > 0 ? 1 : 0];
    /* minibatches that may pass before one whose update they know must have ended */
    const int32_t ahead = s->rule->own ? s->wave - 1 : first;

    if (!s->updates)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: there are no updates: it needs train",
                        s->rule->who);
    if (s->batches % s->wave)
        return tgs_fail(err, TGS_EINVAL, "%s: %d micro-batches are no multiple of %d a wave",
                        s->rule->who, (int)s->batches, (int)s->wave);
    if (s->l->warm > ahead && s->batches > ahead + 1)
        return tgs_fail(err, TGS_EINVAL,
                        "%s: the pipeline begins with %d forward passes, and the next one after %d "
                        "waits for an update; cap=%d, or the order message, would do",
                        s->rule->who, (int)s->l->warm + 1, (int)ahead + 1, (int)ahead + 1);
    for (int32_t i = 0; i < s->updates && s->rule->own && s->wave + first > 1; i++)
        if (strcmp(s->l->task[s->u[i].task].codelet, "sgd"))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "%s: updates of a wave are added to weights twice, own ones before "
                            "those of all, which %s does not allow: train sgd",
                            s->rule->who, s->l->task[s->u[i].task].codelet);
    return TGS_OK;
}

static tgs_status work(stash *s, tgs_error *err)
{
    tgs_status status;

    find_updates(s);
    status = check(s, err);
    if (status)
        return status;
    status = make_versions(s);
    if (!status)
        give(s);
    return status ? tgs_fail(err, status, "%s: out of memory", s->rule->who) : TGS_OK;
}

tgs_status tgs_i_stash(tgs_lowering *l, const tgs_i_stale *rule, tgs_error *err)
{
    stash s = {.l = l, .rule = rule, .wave = rule->wave, .batches = 1, .tasks = l->tasks};
    size_t cells;
    tgs_status status = TGS_ENOMEM;

    for (int64_t i = 0; i < l->tasks; i++) {
        s.batches = l->task[i].batch >= s.batches ? l->task[i].batch + 1 : s.batches;
        s.updates += is_update(&l->task[i]);
        if (l->task[i].turn)
            return tgs_fail(err, TGS_EINVAL, "%s: versions and waves exclude each other",
                            rule->who);
    }
    if ((double)s.updates * s.batches * s.batches > 0x1p40)
        return tgs_fail(err, TGS_EINVAL, "%s: too many minibatches", rule->who);
    cells = (size_t)s.updates * (size_t)s.batches;
    s.u = tgs_mem_alloc((size_t)s.updates, sizeof *s.u);
    s.of = tgs_mem_alloc((size_t)l->data, sizeof *s.of);
    s.grad = tgs_mem_alloc(cells, sizeof *s.grad);
    s.reads = tgs_mem_alloc(cells, sizeof *s.reads);
    s.made = tgs_mem_alloc(cells + (size_t)s.updates, sizeof *s.made);
    if (s.u && s.of && s.grad && s.reads && s.made)
        status = work(&s, err);
    else
        tgs_fail(err, status, "%s: out of memory", rule->who);
    tgs_mem_free(s.u);
    tgs_mem_free(s.of);
    tgs_mem_free(s.grad);
    tgs_mem_free(s.reads);
    tgs_mem_free(s.made);
    return status;
}
