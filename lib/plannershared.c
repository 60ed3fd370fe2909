/* plannershared.c -- what planners on one input share: layers of a model, what became of
 * strategies, and what planners answered.
 *
 * All of it is a function of the input: who finds it first, and in which thread, changes nothing.
 * Two threads may find the same thing at the same time; then one of them keeps it.  Nothing is held
 * locked while it is found. */
#include <string.h>
#include "planner.h"

typedef struct tgs_i_fate { /* of a strategy */
    struct tgs_i_fate *next;
    char *text;
    double *peak; /* [memories] */
    tgs_evaluation e;
    tgs_error why; /* its status is the evaluation's */
} fate;

typedef struct tgs_i_answer { /* of a planner */
    struct tgs_i_answer *next;
    char *spec;
    tgs_proposal *p;
    tgs_error why;
} answer;

tgs_status tgs_i_shared_new(tgs_i_shared **out, tgs_error *err)
{
    *out = tgs_mem_alloc(1, sizeof **out);
    if (!*out)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    pthread_mutex_init(&(*out)->lock, NULL);
    return TGS_OK;
}

static void free_fate(fate *f)
{
    if (!f)
        return;
    tgs_mem_free(f->text);
    tgs_mem_free(f->peak);
    tgs_mem_free(f);
}

static void free_answer(answer *a)
{
    if (!a)
        return;
    tgs_mem_free(a->spec);
    tgs_proposal_free(a->p);
    tgs_mem_free(a);
}

void tgs_i_shared_free(tgs_i_shared *s)
{
    if (!s)
        return;
    tgs_i_layers_free(s->layers);
    for (fate *f = s->fate, *next; f; f = next) {
        next = f->next;
        free_fate(f);
    }
    for (answer *a = s->answer, *next; a; a = next) {
        next = a->next;
        free_answer(a);
    }
    pthread_mutex_destroy(&s->lock);
    tgs_mem_free(s);
}

/* ---- layers ---------------------------------------------------------------------------------- */
void tgs_i_layers_free(tgs_i_layers *l)
{
    while (l) {
        tgs_i_layers *next = l->next;

        tgs_mem_free(l->layer);
        tgs_mem_free(l->edge);
        tgs_mem_free(l->forward);
        tgs_mem_free(l->backward);
        tgs_mem_free(l->update);
        tgs_i_pool_free(l->names);
        tgs_mem_free(l);
        l = next;
    }
}

const tgs_layers *tgs_i_layers_known(tgs_i_shared *s, int32_t model, int64_t batch,
                                     tgs_i_layers *made)
{
    tgs_i_layers *l;

    pthread_mutex_lock(&s->lock);
    for (l = s->layers; l && (l->model != model || l->v.batch != batch);)
        l = l->next;
    if (!l && made) {
        made->next = s->layers;
        s->layers = l = made;
        made = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    tgs_i_layers_free(made);
    return l ? &l->v : NULL;
}

/* ---- strategies ------------------------------------------------------------------------------ */
/* the next directive from *s on, of *size bytes, without what is around it */
static const char *next_directive(const char **s, size_t *size)
{
    const char *from = *s + strspn(*s, " \t;\n");

    *size = strcspn(from, ";\n");
    *s = from + *size;
    while (*size && (from[*size - 1] == ' ' || from[*size - 1] == '\t'))
        --*size;
    return from;
}

/* the same directives in the same order, however they are set apart */
static bool same(const char *a, const char *b)
{
    const char *x, *y;
    size_t n, k;

    do {
        x = next_directive(&a, &n);
        y = next_directive(&b, &k);
        if (n != k || strncmp(x, y, n) != 0)
            return false;
    } while (n);
    return true;
}

static const fate *find_fate(const tgs_i_shared *s, const char *strategy)
{
    const fate *f = s->fate;

    while (f && !same(f->text, strategy))
        f = f->next;
    return f;
}

bool tgs_i_fate_known(tgs_planning *pl, const char *strategy, tgs_evaluation *out,
                      tgs_status *status, tgs_error *err)
{
    const fate *f;

    pthread_mutex_lock(&pl->shared->lock);
    f = find_fate(pl->shared, strategy);
    pthread_mutex_unlock(&pl->shared->lock); /* what is there stays as it is */
    if (!f)
        return false;
    *status = f->why.status;
    if (*status) {
        tgs_fail(err, *status, "%s", f->why.text);
        return true;
    }
    *out = f->e;
    memcpy(pl->peak, f->peak, (size_t)pl->p->memories * sizeof *pl->peak);
    out->peak = pl->peak;
    return true;
}

tgs_status tgs_i_fate_keep(tgs_planning *pl, const char *strategy, const tgs_evaluation *e,
                           tgs_status status, tgs_error *err)
{
    const size_t memories = (size_t)pl->p->memories;
    fate *f;

    if (status == TGS_ENOMEM) /* which may not be so the next time */
        return status;
    f = tgs_mem_alloc(1, sizeof *f);
    if (f)
        f->text = tgs_mem_text(strategy);
    if (f && !status)
        f->peak = tgs_mem_alloc(memories, sizeof *f->peak);
    if (!f || !f->text || (!status && !f->peak)) {
        free_fate(f);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    f->why.status = status;
    if (status)
        snprintf(f->why.text, sizeof f->why.text, "%s", err->text);
    else {
        f->e = *e;
        memcpy(f->peak, pl->peak, memories * sizeof *f->peak);
    }
    pthread_mutex_lock(&pl->shared->lock);
    if (!find_fate(pl->shared, strategy)) {
        f->next = pl->shared->fate;
        pl->shared->fate = f;
        f = NULL;
    }
    pthread_mutex_unlock(&pl->shared->lock);
    free_fate(f);
    return status;
}

/* ---- planners -------------------------------------------------------------------------------- */
static const answer *find_answer(const tgs_i_shared *s, const char *spec)
{
    const answer *a = s->answer;

    while (a && strcmp(a->spec, spec) != 0)
        a = a->next;
    return a;
}

/* a proposal of its own that says the same */
static tgs_status copy(tgs_proposal **out, const tgs_proposal *p, tgs_error *err)
{
    tgs_status status = tgs_i_proposal_new(out, p->planner, p->training, p->model, p->tasks, err);

    if (!status && tgs_proposal_adopt(*out, p)) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        tgs_proposal_free(*out);
        *out = NULL;
    }
    return status;
}

bool tgs_i_answer_known(tgs_planning *pl, const char *spec, tgs_proposal **out, tgs_status *status,
                        tgs_error *err)
{
    const answer *a;

    *out = NULL;
    pthread_mutex_lock(&pl->shared->lock);
    a = find_answer(pl->shared, spec);
    pthread_mutex_unlock(&pl->shared->lock);
    if (!a)
        return false;
    *status =
        a->why.status ? tgs_fail(err, a->why.status, "%s", a->why.text) : copy(out, a->p, err);
    return true;
}

tgs_status tgs_i_answer_keep(tgs_planning *pl, const char *spec, const tgs_proposal *p,
                             tgs_status status, tgs_error *err)
{
    answer *a;

    if (status == TGS_ENOMEM)
        return status;
    a = tgs_mem_alloc(1, sizeof *a);
    if (a)
        a->spec = tgs_mem_text(spec);
    if (!a || !a->spec || (!status && copy(&a->p, p, err))) {
        free_answer(a);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    a->why.status = status;
    if (status)
        snprintf(a->why.text, sizeof a->why.text, "%s", err->text);
    pthread_mutex_lock(&pl->shared->lock);
    if (!find_answer(pl->shared, spec)) {
        a->next = pl->shared->answer;
        pl->shared->answer = a;
        a = NULL;
    }
    pthread_mutex_unlock(&pl->shared->lock);
    free_answer(a);
    return TGS_OK;
}
