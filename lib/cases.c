/* cases.c -- the cases that a heuristic told apart, and what it proved of each. */
#include <string.h>
#include "internal.h"

struct tgs_plan_cases {
    tgs_case *item; /* what: a block with all three texts */
    int64_t count, room;
};

static const char *append(char **to, const char *text)
{
    char *const at = *to;
    const size_t size = strlen(text) + 1;

    memcpy(at, text, size);
    *to += size;
    return at;
}

static tgs_status add(struct tgs_plan_cases *c, const tgs_case *k)
{
    const char *bound = k->bound ? k->bound : "", *theorem = k->theorem ? k->theorem : "";
    tgs_case x = *k;
    char *text;

    if (c->count == INT32_MAX || tgs_mem_grow(&c->item, &c->room, c->count + 1, sizeof *c->item))
        return TGS_ENOMEM;
    text = tgs_mem_alloc(strlen(k->what) + strlen(bound) + strlen(theorem) + 3, 1);
    if (!text)
        return TGS_ENOMEM;
    x.what = append(&text, k->what);
    x.bound = append(&text, bound);
    x.theorem = append(&text, theorem);
    c->item[c->count++] = x;
    return TGS_OK;
}

tgs_status tgs_plan_case(tgs_plan *plan, const tgs_case *k)
{
    if (!plan->cases)
        plan->cases = tgs_mem_alloc(1, sizeof *plan->cases);
    return plan->cases ? add(plan->cases, k) : TGS_ENOMEM;
}

void tgs_i_cases_free(struct tgs_plan_cases *c)
{
    for (int64_t i = 0; c && i < c->count; i++)
        tgs_mem_free((void *)c->item[i].what);
    if (c)
        tgs_mem_free(c->item);
    tgs_mem_free(c);
}

tgs_status tgs_i_cases_copy(struct tgs_plan_cases **out, const struct tgs_plan_cases *from)
{
    struct tgs_plan_cases *c;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!from)
        return TGS_OK;
    c = tgs_mem_alloc(1, sizeof *c);
    if (!c)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < from->count && !status; i++)
        status = add(c, &from->item[i]);
    if (status)
        tgs_i_cases_free(c);
    else
        *out = c;
    return status;
}

int32_t tgs_schedule_cases(const tgs_schedule *s)
{
    return s->cases ? (int32_t)s->cases->count : 0;
}

void tgs_schedule_case(const tgs_schedule *s, int32_t i, tgs_case *out)
{
    *out = i >= 0 && i < tgs_schedule_cases(s) ? s->cases->item[i]
                                               : (tgs_case){"", NAN, NAN, "", "", 0};
}
