/* nearest.c -- a strategy that does not fit in memory, and the nearest one that does.
 *
 * One change at a time, and of those that are possible the one that leaves the least bytes missing,
 * or, when some fit, the fastest: smaller micro-batches and more of them, recomputation, a higher
 * stage of sharding, offloading.  These train the same.  When they do not suffice, fewer samples in
 * a step.  How much is evaluated is bounded in tasks, so that the answer is the same everywhere. */
#include <stdlib.h>
#include <string.h>
#include "planner.h"

enum { TASKS = 200000, LEAST = 500 /* tasks that an evaluation counts for at least */ };

typedef struct setting { /* a strategy, and what becomes of it */
    char *text;          /* owned; a directive a line */
    double missing, step, peak;
    double room;            /* bytes: in memories that all have so much it would fit */
    int32_t fullest, tasks; /* that were simulated */
} setting;

typedef struct search {
    const tgs_planner_ctx *c;
    int64_t left; /* tasks */
} search;

/* ---- directives of a text ------------------------------------------------------------------- */
static const char *find(const char *text, const char *keyword)
{
    const size_t n = strlen(keyword);

    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, keyword, n) && (line[n] == ' ' || line[n] == '\n' || !line[n]))
            return line;
    return NULL;
}

/* its first word, a number; less where there is none */
static int64_t number(const char *text, const char *keyword, int64_t less)
{
    const char *line = find(text, keyword);
    const int64_t value = line ? strtoll(line + strlen(keyword), NULL, 10) : 0;

    return value > 0 ? value : less;
}

/* does the directive have this word? */
static const char *word(const char *text, const char *keyword, const char *what)
{
    const char *line = find(text, keyword);
    const char *found = line ? strstr(line, what) : NULL;

    return found && found < line + strcspn(line, "\n") ? found : NULL;
}

/* the text with the directive in place of that of the keyword, or after all; NULL: no memory */
static char *with(const char *text, const char *keyword, const char *directive)
{
    const char *line = find(text, keyword), *rest;
    const size_t size = strlen(text) + strlen(directive) + 3;
    char *out = tgs_mem_alloc(size, 1);

    if (!out)
        return NULL;
    if (!line)
        line = text + strlen(text);
    rest = line + strcspn(line, "\n");
    rest += *rest == '\n';
    snprintf(out, size, "%.*s%s%s\n%s", (int)(line - text), text,
             line > text && line[-1] != '\n' ? "\n" : "", directive, rest);
    return out;
}

/* a directive a line, without comments */
static char *lines(const char *text)
{
    char *out = tgs_mem_alloc(strlen(text) + 2, 1), *to = out;

    while (out && *text) {
        size_t n = strcspn(text, ";\n#"), kept;

        text += strspn(text, " \t");
        n = strcspn(text, ";\n#");
        for (kept = n; kept > 0 && (text[kept - 1] == ' ' || text[kept - 1] == '\t');)
            kept--;
        if (kept) {
            memcpy(to, text, kept);
            to += kept;
            *to++ = '\n';
        }
        text += n;
        if (*text == '#')
            text += strcspn(text, "\n");
        text += *text != 0;
    }
    if (out)
        *to = 0;
    return out;
}

/* ---- changes: *out is NULL where one is not possible ---------------------------------------- */
static int64_t smallest_factor(int64_t n)
{
    for (int64_t p = 2; p * p <= n && p < 1000; p++)
        if (n % p == 0)
            return p;
    return n;
}

static tgs_status set_number(char **out, const char *text, const char *keyword, int64_t value)
{
    char directive[64];

    snprintf(directive, sizeof directive, "%s %lld", keyword, (long long)value);
    *out = with(text, keyword, directive);
    return *out ? TGS_OK : TGS_ENOMEM;
}

/* count micro-batches of size samples */
static tgs_status set_pieces(char **out, const char *text, int64_t count, int64_t size)
{
    char *counted;
    tgs_status status = set_number(&counted, text, "micro-batches", count);

    if (!status)
        status = set_number(out, counted, "batch", size);
    tgs_mem_free(counted);
    return status;
}

static int64_t sum_of(const char *list)
{
    int64_t sum = 0;

    for (char *end; *list >= '0' && *list <= '9'; list = *end == ',' ? end + 1 : end)
        sum += strtoll(list, &end, 10);
    return sum;
}

static tgs_status more_pieces(char **out, const char *text, int64_t bound)
{
    const int64_t count = number(text, "micro-batches", 1), size = number(text, "batch", bound);
    const char *sizes = word(text, "micro-batches", " sizes=");

    if (sizes) {
        const int64_t all = sum_of(sizes + strlen(" sizes="));
        int64_t more = 2 * count;

        while (more < all && all % more)
            more++;
        return more <= all ? set_pieces(out, text, more, all / more) : TGS_OK;
    }
    if (word(text, "replicas", " shares=")) /* which are split among the micro-batches */
        return set_number(out, text, "micro-batches", 2 * count);
    return size > 1
               ? set_pieces(out, text, count * smallest_factor(size), size / smallest_factor(size))
               : TGS_OK;
}

static tgs_status recompute(char **out, const char *text, int64_t bound)
{
    (void)bound;
    if (find(text, "recompute"))
        return TGS_OK;
    *out = with(text, "recompute", "recompute");
    return *out ? TGS_OK : TGS_ENOMEM;
}

/* at once, since what a stage gathers may take more than it saves */
static tgs_status shard_to(char **out, const char *text, int wanted)
{
    const int64_t stage = number(text, "shard", 0);
    const char *line = find(text, "shard");
    const char *rest = line && stage ? line + strlen("shard 1") : "";
    char directive[512];

    if (number(text, "replicas", 1) < 2 || stage >= wanted
        || (line && (!stage || find(rest, "shard"))))
        return TGS_OK; /* of one, of all, or of some operators each */
    snprintf(directive, sizeof directive, "shard %d%.*s", wanted, (int)strcspn(rest, "\n"), rest);
    *out = with(text, "shard", directive);
    return *out ? TGS_OK : TGS_ENOMEM;
}

static tgs_status shard_1(char **out, const char *text, int64_t bound)
{
    (void)bound;
    return shard_to(out, text, 1);
}

static tgs_status shard_2(char **out, const char *text, int64_t bound)
{
    (void)bound;
    return shard_to(out, text, 2);
}

static tgs_status shard_3(char **out, const char *text, int64_t bound)
{
    (void)bound;
    return shard_to(out, text, 3);
}

static tgs_status offload(char **out, const char *text, const char *directive)
{
    if (find(text, directive))
        return TGS_OK;
    *out = with(text, directive, directive);
    return *out ? TGS_OK : TGS_ENOMEM;
}

static tgs_status offload_state(char **out, const char *text, int64_t bound)
{
    (void)bound;
    return offload(out, text, "offload optimizer");
}

static tgs_status offload_activations(char **out, const char *text, int64_t bound)
{
    (void)bound;
    return offload(out, text, "offload activations");
}

/* this one trains with fewer samples in a step */
static tgs_status fewer_samples(char **out, const char *text, int64_t bound)
{
    const int64_t count = number(text, "micro-batches", 1), size = number(text, "batch", bound);

    if (word(text, "micro-batches", " sizes=") || word(text, "replicas", " shares="))
        return TGS_OK;
    if (size > 1)
        return set_number(out, text, "batch", size / smallest_factor(size));
    return count > 1 ? set_number(out, text, "micro-batches", count / smallest_factor(count))
                     : TGS_OK;
}

typedef tgs_status change(char **out, const char *text, int64_t bound);
static change *const changes[] = {more_pieces,   recompute,          shard_1, shard_2, shard_3,
                                  offload_state, offload_activations};

/* ---- the search ------------------------------------------------------------------------------ */
static void measure(setting *x, const tgs_evaluation *e, const tgs_platform_view *p)
{
    double fullest = -1;

    x->missing = e->missing;
    x->step = e->step;
    x->tasks = e->simulated;
    x->room = 0;
    for (int32_t i = 0; i < p->memories; i++) {
        if (p->memory[i].capacity < INFINITY)
            x->room = fmax(x->room, e->peak[i]);
        if (e->peak[i] / p->memory[i].capacity > fullest) { /* 0 where there is no limit */
            fullest = e->peak[i] / p->memory[i].capacity;
            x->fullest = i;
            x->peak = e->peak[i];
        }
    }
}

static bool better(const setting *a, const setting *b)
{
    return a->missing < b->missing || (a->missing == b->missing && a->step < b->step);
}

/* *best is replaced by what the change makes of from, where that is possible and better */
static tgs_status attempt(search *s, const setting *from, change *make, setting *best)
{
    setting x = {.text = NULL};
    tgs_evaluation e;
    tgs_status status;

    if (s->left < from->tasks || (s->c->stop && s->c->stop(s->c->user)))
        return TGS_OK;
    status = make(&x.text, from->text, s->c->bound);
    if (status || !x.text)
        return status;
    status = tgs_planner_evaluate(s->c, x.text, &e, NULL);
    s->left -= e.simulated > LEAST ? e.simulated : LEAST;
    if (!status)
        measure(&x, &e, s->c->planning->p);
    if (!status && better(&x, best)) {
        tgs_mem_free(best->text);
        *best = x;
    } else
        tgs_mem_free(x.text);
    return status == TGS_ENOMEM ? status : TGS_OK; /* else it cannot be lowered, or placed */
}

/* from becomes what is left of it after as many changes as it takes, or as help */
static tgs_status descend(search *s, setting *from, change *const *make, size_t n)
{
    bool better_found = true;
    tgs_status status = TGS_OK;

    while (!status && from->missing > 0 && better_found) {
        setting best = {.missing = from->missing};

        for (size_t i = 0; i < n && !status; i++)
            status = attempt(s, from, make[i], &best);
        better_found = best.text != NULL;
        if (better_found) {
            tgs_mem_free(from->text);
            *from = best;
        }
    }
    return status;
}

/* the directives of text that old has not, as "a; b" */
static void differences(const char *text, const char *old, char *to, size_t size)
{
    size_t used = 0;

    *to = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const int n = (int)strcspn(line, "\n");
        bool there = false;

        for (const char *o = old; *o && !there; o += strcspn(o, "\n"), o += *o == '\n')
            there = (int)strcspn(o, "\n") == n && !strncmp(o, line, (size_t)n);
        if (!there && used < size)
            used += (size_t)snprintf(to + used, size - used, "%s%.*s", used ? "; " : "", n, line);
    }
}

/* TGS_EINFEASIBLE, and what is said of it */
static tgs_status tell(const tgs_platform_view *p, const char *who, const tgs_evaluation *refused,
                       double had, const setting *x, const char *old, bool fewer, tgs_error *err)
{
    const tgs_memory *full = &p->memory[refused->memory], *now = &p->memory[x->fullest];
    char what[200];

    differences(x->text, old, what, sizeof what);
    if (x->missing > 0)
        return tgs_fail(
            err, TGS_EINFEASIBLE,
            "%.60s: %.0f bytes are missing in memory '%.60s' (%.0f of %.0f); no setting "
            "near it fits: %.0f bytes are missing at least%s%s%s; memories of %.0f bytes suffice",
            who, refused->missing, full->name, had, full->capacity, x->missing,
            *what ? ", with '" : "", what, *what ? "'" : "", ceil(x->room));
    return tgs_fail(
        err, TGS_EINFEASIBLE,
        "%.60s: %.0f bytes are missing in memory '%.60s' (%.0f of %.0f); with '%s'%s it "
        "fits (%.0f of %.0f in '%.60s')",
        who, refused->missing, full->name, had, full->capacity, what,
        fewer ? ", fewer samples in a step," : "", x->peak, now->capacity, now->name);
}

tgs_status tgs_i_planning_refuse(const tgs_planner_ctx *c, const char *who, const char *strategy,
                                 const tgs_evaluation *e, tgs_error *err)
{
    static change *const last[] = {fewer_samples};
    const tgs_platform_view *p = c->planning->p;
    const tgs_evaluation refused = *e;
    const double had = e->peak[e->memory]; /* which the next evaluation writes */
    search s = {c, TASKS};
    char *old = lines(strategy);
    setting x = {.text = lines(strategy)};
    tgs_status status = old && x.text ? TGS_OK : TGS_ENOMEM;
    bool fewer;

    measure(&x, e, p);
    if (!status)
        status = descend(&s, &x, changes, sizeof changes / sizeof *changes);
    fewer = x.missing > 0;
    if (!status)
        status = descend(&s, &x, last, 1);
    if (status)
        tgs_fail(err, status, "out of memory");
    else
        status = tell(p, who, &refused, had, &x, old, fewer, err);
    tgs_mem_free(old);
    tgs_mem_free(x.text);
    return status;
}
