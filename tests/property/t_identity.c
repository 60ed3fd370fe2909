/* t_identity.c -- machines and measured costs with names of any bytes and the extremes of every
 * number: what is written reads back equal, and is written again as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "costs.h"
#include "identity.h"

/* ---- machines ---- */

static void same_kinds_and_memories(const tgs_platform_view *x, const tgs_platform_view *y)
{
    assert_int_equal(x->kinds, y->kinds);
    assert_int_equal(x->memories, y->memories);
    for (int32_t i = 0; i < x->kinds; i++) {
        const tgs_kind *k = &x->kind[i], *l = &y->kind[i];

        assert_string_equal(k->name, l->name);
        assert_string_equal(k->arch, l->arch);
        same_real(k->flops, l->flops);
        same_real(k->bandwidth, l->bandwidth);
        same_real(k->overhead, l->overhead);
        same_real(k->least, l->least);
        same_real(k->power_idle, l->power_idle);
        same_real(k->power_busy, l->power_busy);
    }
    for (int32_t i = 0; i < x->memories; i++) {
        assert_string_equal(x->memory[i].name, y->memory[i].name);
        assert_string_equal(x->memory[i].trust, y->memory[i].trust);
        same_real(x->memory[i].capacity, y->memory[i].capacity);
        assert_int_equal(x->memory[i].node, y->memory[i].node);
    }
}

static void same_processors_and_links(const tgs_platform_view *x, const tgs_platform_view *y)
{
    assert_int_equal(x->procs, y->procs);
    assert_int_equal(x->buses, y->buses);
    assert_int_equal(x->links, y->links);
    for (int32_t i = 0; i < x->procs; i++) {
        assert_string_equal(x->proc[i].name, y->proc[i].name);
        assert_int_equal(x->proc[i].kind, y->proc[i].kind);
        assert_int_equal(x->proc[i].memory, y->proc[i].memory);
        same_real(x->proc[i].speed, y->proc[i].speed);
    }
    for (int32_t i = 0; i < x->buses; i++) {
        assert_string_equal(x->bus[i].name, y->bus[i].name);
        same_real(x->bus[i].bandwidth, y->bus[i].bandwidth);
    }
    for (int32_t i = 0; i < x->links; i++) {
        assert_int_equal(x->link[i].from, y->link[i].from);
        assert_int_equal(x->link[i].to, y->link[i].to);
        assert_int_equal(x->link[i].bus, y->link[i].bus);
        same_real(x->link[i].latency, y->link[i].latency);
        same_real(x->link[i].bandwidth, y->link[i].bandwidth);
        same_real(x->link[i].energy, y->link[i].energy);
    }
}

static void machines(void **state)
{
    (void)state;
    tgs_rng_seed(&rng, 31);
    for (int32_t i = 0; i < ROUNDS; i++) {
        tgs_platform *p = random_platform(true), *back;
        two_files f = files_open();
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_platform_write(p, f.first, &err), TGS_OK);
        if (tgs_platform_read(&back, f.first, &err))
            fail_msg("machine %d: %s", (int)i, err.text);
        same_kinds_and_memories(&p->v, &back->v);
        same_processors_and_links(&p->v, &back->v);
        assert_true(tgs_platform_fingerprint(p) == tgs_platform_fingerprint(back));
        assert_int_equal(tgs_platform_write(back, f.again, &err), TGS_OK);
        files_close(&f);
        tgs_platform_free(back);
        tgs_platform_free(p);
    }
}

/* ---- measured costs ---------------------------------------------------------------------------
 */

static tgs_costs *random_costs(void)
{
    tgs_costs *c;

    assert_int_equal(tgs_i_costs_new(&c, NULL), TGS_OK);
    for (int32_t i = 1 + below(MOST); i > 0; i--) {
        const tgs_link_sample l = {text(),    text(),    natural(),      positive(),
                                   natural(), natural(), 1 + below(999), below(3)};
        const tgs_overhead o = {text(),    natural(), natural(),
                                natural(), natural(), chance(0.1) ? INT32_MAX : 1};
        tgs_sample s = {text(),
                        chance(0.3) ? "" : text(),
                        text(),
                        (tgs_dtype)(TGS_BYTES + below(TGS_BOOL - TGS_BYTES + 1)),
                        unknown_or(natural()),
                        unknown_or(natural()),
                        natural(),
                        natural(),
                        natural(),
                        1 + below(999),
                        below(3)};

        s.min = fmin(s.min, s.median);
        if (chance(0.7))
            assert_int_equal(tgs_costs_add_link(c, &l), TGS_OK);
        if (chance(0.7))
            assert_int_equal(tgs_costs_add_overhead(c, &o), TGS_OK);
        assert_int_equal(tgs_costs_add(c, &s), TGS_OK);
    }
    return c;
}

static void same_costs(const tgs_costs_view *x, const tgs_costs_view *y)
{
    assert_int_equal(x->samples, y->samples);
    assert_int_equal(x->links, y->links);
    assert_int_equal(x->overheads, y->overheads);
    for (int32_t i = 0; i < x->samples; i++) {
        const tgs_sample *a = &x->sample[i], *b = &y->sample[i];
        const double number[][2] = {{a->flops, b->flops},   {a->bytes, b->bytes},
                                    {a->min, b->min},       {a->median, b->median},
                                    {a->spread, b->spread}, {a->count, b->count},
                                    {a->dtype, b->dtype},   {a->rejected, b->rejected}};

        assert_string_equal(a->codelet, b->codelet);
        assert_string_equal(a->attrs, b->attrs);
        assert_string_equal(a->kind, b->kind);
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            same_real(number[k][0], number[k][1]);
    }
    for (int32_t i = 0; i < x->links; i++) {
        const tgs_link_sample *a = &x->link[i], *b = &y->link[i];
        const double number[][2] = {{a->latency, b->latency}, {a->bandwidth, b->bandwidth},
                                    {a->spread, b->spread},   {a->misfit, b->misfit},
                                    {a->count, b->count},     {a->rejected, b->rejected}};

        assert_string_equal(a->from, b->from);
        assert_string_equal(a->to, b->to);
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            same_real(number[k][0], number[k][1]);
    }
    for (int32_t i = 0; i < x->overheads; i++) {
        const tgs_overhead *a = &x->overhead[i], *b = &y->overhead[i];
        const double number[][2] = {{a->task, b->task},
                                    {a->access, b->access},
                                    {a->handover, b->handover},
                                    {a->start, b->start},
                                    {a->count, b->count}};

        assert_string_equal(a->kind, b->kind);
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            same_real(number[k][0], number[k][1]);
    }
}

static void costs(void **state)
{
    (void)state;
    tgs_rng_seed(&rng, 32);
    for (int32_t i = 0; i < ROUNDS; i++) {
        tgs_costs *c = random_costs(), *back;
        two_files f = files_open();
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_costs_write(c, f.first, &err), TGS_OK);
        if (tgs_costs_open(&back, f.first, &err))
            fail_msg("costs %d: %s", (int)i, err.text);
        same_costs(&c->v, &back->v);
        assert_int_equal(tgs_costs_write(back, f.again, &err), TGS_OK);
        files_close(&f);
        tgs_costs_free(back);
        tgs_costs_free(c);
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines),
        cmocka_unit_test(costs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
