/* plannerfold.c -- a strategy of many replicas as one of those that are simulated: the same
 * directives, but for how many replicas there are, their shares and where they are placed. */
#include <stdlib.h>
#include <string.h>
#include "modelimpl.h"
#include "planner.h"

typedef struct folding {
    tgs_i_fold *f;
    const tgs_platform_view *p;
    const char *const *name; /* [replicas * places] as the strategy has them */
    const int64_t *share;    /* [replicas]; NULL: all have as many */
    bool whole;              /* each replica is simulated */
} folding;

static tgs_i_directive *directive(const tgs_strategy *s, const char *keyword)
{
    for (int64_t i = 0; s && i < s->directives; i++)
        if (!strcmp(s->directive[i].transform->base.name, keyword))
            return &s->directive[i];
    return NULL;
}

/* replicas are copies of a step, so that what edits the step before them edits each alike, but for
 * stages that one of them has elsewhere (recut) */
static bool only_copies(const tgs_strategy *s, const tgs_i_directive *replicas)
{
    for (int64_t i = 0; i < s->directives; i++) {
        const tgs_transform *t = s->directive[i].transform;

        if ((t->stage > replicas->transform->stage && strcmp(t->base.name, "place") != 0)
            || !strcmp(t->base.name, "recut"))
            return false;
    }
    return true;
}

/* the items of a comma list, cut in place: how many; item may be NULL, then nothing is cut */
static int32_t cut(char *list, const char **item)
{
    int32_t n = 0;

    for (char *s = list; *s;) {
        char *end = s + strcspn(s, ",");

        if (item)
            item[n] = s;
        n++;
        s = end + (*end == ',');
        if (item)
            *end = 0;
    }
    return n;
}

static int32_t memory_named(const tgs_platform_view *p, const char *encoded)
{
    char *name = tgs_mem_text(encoded);
    int32_t found = -1;

    if (!name)
        return TGS_ENOMEM;
    if (tgs_name_take(name))
        for (int32_t m = 0; m < p->memories && found < 0; m++)
            if (!strcmp(p->memory[m].name, name))
                found = m;
    tgs_mem_free(name);
    return found;
}

/* the directives of the replicas that are kept */
static tgs_status rewrite(const folding *x, tgs_i_directive *replicas, tgs_i_directive *place,
                          tgs_error *err)
{
    const tgs_i_fold *f = x->f;
    const char *shares = tgs_arg_text(replicas->args, "shares");
    const size_t size = strlen(tgs_arg_text(place->args, "memories")) + strlen(shares) + 200;
    char *text = tgs_mem_alloc(size, 1);
    tgs_args *copies = NULL, *places = NULL;
    size_t used = 0;
    tgs_status status;

    if (!text)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    used += (size_t)snprintf(text, size, "memories");
    for (int32_t r = 0, k = 0; r < f->replicas; r++)
        for (int32_t i = 0; i < f->places && f->stands[r]; i++)
            used += (size_t)snprintf(text + used, size - used, "%c%s", k++ ? ',' : '=',
                                     x->name[(int64_t)r * f->places + i]);
    status = tgs_i_args_new(&places, &place->transform->base, text, err);
    used = (size_t)snprintf(text, size, "count=%d:reduce=alpha-beta:alpha=%.17g:beta=%.17g",
                            (int)f->kept, tgs_arg_real(replicas->args, "alpha"),
                            tgs_arg_real(replicas->args, "beta"));
    used += (size_t)snprintf(text + used, size - used, "%s", x->share ? ":shares" : "");
    for (int32_t r = 0, k = 0; r < f->replicas && x->share; r++)
        if (f->stands[r])
            used += (size_t)snprintf(text + used, size - used, "%c%lld", k++ ? ',' : '=',
                                     (long long)x->share[r]);
    if (!status)
        status = tgs_i_args_new(&copies, &replicas->transform->base, text, err);
    tgs_mem_free(text);
    if (status) {
        tgs_i_args_free(places);
        return status;
    }
    tgs_i_args_free(place->args);
    tgs_i_args_free(replicas->args);
    place->args = places;
    replicas->args = copies;
    return TGS_OK;
}

/* where each replica is; false: the strategy names something else, which lowering tells about */
static bool take_places(folding *x, const tgs_platform_view *p, int32_t names, tgs_status *status)
{
    tgs_i_fold *f = x->f;

    for (int32_t i = 0; i < names; i++) {
        f->memory[i] = memory_named(p, x->name[i]);
        if (f->memory[i] == TGS_ENOMEM)
            *status = TGS_ENOMEM;
        if (f->memory[i] < 0)
            return false;
    }
    return names > 0 && names % f->replicas == 0;
}

static tgs_status open(folding *x, tgs_strategy *s, char *names, char *shares, tgs_error *err)
{
    tgs_i_directive *replicas = directive(s, "replicas"), *place = directive(s, "place");
    tgs_i_fold *f = x->f;
    const int32_t count = cut(names, NULL), given = cut(shares, NULL);
    const char **item = tgs_mem_alloc((size_t)(count + given), sizeof *item);
    int64_t *share = tgs_mem_alloc((size_t)given, sizeof *share);
    tgs_status status = TGS_OK;

    f->memory = tgs_mem_alloc((size_t)count, sizeof *f->memory);
    f->like = tgs_mem_alloc((size_t)f->replicas, sizeof *f->like);
    f->stands = tgs_mem_alloc((size_t)f->replicas, sizeof *f->stands);
    if (!item || !share || !f->memory || !f->like || !f->stands) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        goto done;
    }
    cut(names, item);
    cut(shares, item + count);
    for (int32_t i = 0; i < given; i++)
        share[i] = strtoll(item[count + i], NULL, 10);
    x->name = item;
    x->share = given == f->replicas ? share : NULL;
    if (!take_places(x, x->p, count, &status) || (given && given != f->replicas)) {
        if (status)
            tgs_fail(err, status, "out of memory");
        tgs_i_fold_close(f);
        goto done;
    }
    f->places = count / f->replicas;
    f->kept = f->replicas;
    for (int32_t r = 0; r < f->replicas; r++) {
        f->like[r] = r;
        f->stands[r] = 1;
    }
    if (f->modelled && !x->whole && only_copies(s, replicas)
        && tgs_i_fold_islands(f, x->p, x->share))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status && f->kept < f->replicas)
        status = rewrite(x, replicas, place, err);
done:
    tgs_mem_free(item);
    tgs_mem_free(share);
    return status;
}

void tgs_i_fold_close(tgs_i_fold *f)
{
    tgs_mem_free(f->memory);
    tgs_mem_free(f->like);
    tgs_mem_free(f->stands);
    *f = (tgs_i_fold){.replicas = f->replicas, .modelled = f->modelled};
}

tgs_status tgs_i_fold_open(tgs_i_fold *f, const tgs_platform_view *p, tgs_strategy *s, bool whole,
                           tgs_error *err)
{
    const tgs_i_directive *replicas = directive(s, "replicas"), *place = directive(s, "place");
    folding x = {.f = f, .p = p, .whole = whole};
    char *names, *shares;
    tgs_status status;

    *f = (tgs_i_fold){.replicas = 1};
    if (replicas) {
        f->replicas = (int32_t)tgs_arg_int(replicas->args, "count");
        f->modelled =
            !strcmp(tgs_arg_text(replicas->args, "reduce"), "alpha-beta")
            && (tgs_arg_given(replicas->args, "alpha") || tgs_arg_given(replicas->args, "beta"));
    }
    if (!place)
        return TGS_OK;
    names = tgs_mem_text(tgs_arg_text(place->args, "memories"));
    shares = tgs_mem_text(replicas ? tgs_arg_text(replicas->args, "shares") : "");
    status = names && shares ? open(&x, s, names, shares, err)
                             : tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(names);
    tgs_mem_free(shares);
    if (status)
        tgs_i_fold_close(f);
    return status;
}
