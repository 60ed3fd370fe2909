/* t_osdp.c -- what each operator of a replicated model shares out (SYSTEMS.md T10): costs by hand,
 * and choices against all choices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../heuristics/plan/replicas/osdp.h"
#include "../fixture.h"

enum { LAYERS = 4, CHOICES = TGS_I_OSDP_CHOICES };

typedef struct instance {
    tgs_platform *p;
    tgs_planner_ctx c;
    tgs_layer layer[LAYERS];
    double forward[2 * LAYERS], backward[2 * LAYERS], update[2 * LAYERS];
    tgs_layers l;
    tgs_i_osdp x;
    int32_t memory[2], proc[2], type[2], at[LAYERS + 1], choice[LAYERS];
    double lat[4], inv[4], capacity[2], time[4 * LAYERS], bytes[4 * LAYERS], price[4 * LAYERS];
    int64_t weight[4 * LAYERS];
} instance;

/* two devices, the second one half as fast and with less memory */
static void open_instance(instance *i, int32_t layers, int64_t count)
{
    const double lat[] = {0, 2, 2, 0}, inv[] = {0, .5, .5, 0};

    memset(i, 0, sizeof *i);
    i->p = fixture_platform("gpu:1@8/own gpu:1x0.5@4/own link:1,0");
    i->c.p = &i->p->v;
    i->l = (tgs_layers){.n = layers,
                        .kinds = 1,
                        .layer = i->layer,
                        .forward = i->forward,
                        .backward = i->backward,
                        .update = i->update};
    memcpy(i->lat, lat, sizeof lat);
    memcpy(i->inv, inv, sizeof inv);
    i->proc[1] = i->memory[1] = 1;
    i->capacity[0] = 800;
    i->capacity[1] = 400;
    i->x = (tgs_i_osdp){.c = &i->c,
                        .l = &i->l,
                        .n = 2,
                        .count = count,
                        .at = i->at,
                        .choice = i->choice,
                        .time = i->time,
                        .bytes = i->bytes,
                        .price = i->price,
                        .weight = i->weight};
    i->x.d = (tgs_i_devices){.n = 2,
                             .memory = i->memory,
                             .proc = i->proc,
                             .type = i->type,
                             .lat = i->lat,
                             .inv = i->inv,
                             .capacity = i->capacity};
    tgs_i_osdp_links(&i->x);
}

static void costs(void **state)
{
    instance i;

    (void)state;
    open_instance(&i, 2, 3);
    assert_real(i.x.alpha, 2);
    assert_real(i.x.beta, .5);
    assert_real(i.x.room, 400);
    i.layer[0] = (tgs_layer){.parameters = 8, .state = 16, .saved = 5};
    i.forward[0] = 1;
    i.backward[0] = 2;
    i.update[0] = .5;
    i.layer[1] = (tgs_layer){.saved = 7};
    i.forward[1] = 1;
    tgs_i_osdp_price(&i.x);
    /* a gather or a scatter of 8 bytes on two: 2 + 4 * .5 = 4 s; the slower device takes twice as
     * long, and there are three micro-batches */
    assert_real(i.time[0], 3 * 6 + 1 + 8);
    assert_real(i.time[1], 3 * 6 + .5 + 4 + 4);
    assert_real(i.time[2], 3 * 6 + .5 + 3 * 4 + 4);
    assert_real(i.time[3], 3 * 6 + .5 + 3 * 12);
    assert_real(i.bytes[0], 16 + 16 + 5);
    assert_real(i.bytes[1], 16 + 8 + 5);
    assert_real(i.bytes[2], 8 + 12 + 5);
    assert_real(i.bytes[3], 16 + 5);
    assert_real(i.time[4], 6);
    assert_true(isinf(i.time[5]) && isinf(i.time[7])); /* nothing to share out */
    assert_real(i.bytes[4], 7);
    tgs_platform_free(i.p);
}

/* the least time of all choices up to last within so much room */
static double all_choices(const instance *i, int32_t layer, double room, int32_t last)
{
    double best = layer == i->l.n && room >= 0 ? 0 : INFINITY;

    for (int32_t c = 0; c <= last && layer < i->l.n; c++)
        best =
            fmin(best, i->time[layer * CHOICES + c]
                           + all_choices(i, layer + 1, room - i->bytes[layer * CHOICES + c], last));
    return best;
}

static double optimum(const instance *i, double room)
{
    double most = 0;

    for (int32_t k = 0; k < i->l.n; k++)
        most = fmax(most, i->layer[k].parameters);
    return fmin(all_choices(i, 0, room, 1), all_choices(i, 0, room - 2 * most, 3));
}

/* bytes that the lightest choices take */
static double lightest(instance *i)
{
    double least = INFINITY;

    for (int gather = 0; gather < 2; gather++) {
        double held = 0, most = 0;

        tgs_i_osdp_lightest(&i->x, gather);
        for (int32_t j = 0; j < LAYERS; j++) {
            held += i->bytes[j * CHOICES + i->choice[j]];
            most = fmax(most, i->layer[j].parameters);
        }
        least = fmin(least, held + (gather ? 2 * most : 0));
    }
    return least;
}

static void choices(void **state)
{
    int32_t nothing = 0, tight = 0;
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 21);
    for (int32_t k = 0; k < 200; k++) {
        const double room = (double)tgs_rng_int(&r, 50, 400);
        double value, held = 0, sum = 0, gathered = 0, most = 0;
        instance i;

        open_instance(&i, LAYERS, tgs_rng_int(&r, 1, 3));
        for (int32_t j = 0; j < LAYERS; j++) {
            i.layer[j] = (tgs_layer){.parameters = (double)tgs_rng_int(&r, 0, 30),
                                     .state = (double)tgs_rng_int(&r, 0, 60),
                                     .saved = (double)tgs_rng_int(&r, 0, 10)};
            i.forward[j] = i.update[j] = (double)tgs_rng_int(&r, 1, 9);
        }
        tgs_i_osdp_price(&i.x);
        assert_int_equal(tgs_i_osdp_choose(&i.x, room, &value), TGS_OK);
        if (isinf(value)) {
            const double enough = lightest(&i);

            assert_true(isinf(optimum(&i, room)) && enough > room);
            assert_true(optimum(&i, enough) < INFINITY);
            assert_true(isinf(optimum(&i, enough - 1)));
            nothing++;
        } else {
            for (int32_t j = 0; j < LAYERS; j++) {
                held += i.bytes[j * CHOICES + i.choice[j]];
                sum += i.time[j * CHOICES + i.choice[j]];
                gathered += i.choice[j] > 1;
                most = fmax(most, i.layer[j].parameters);
            }
            assert_true(held + (gathered > 0 ? 2 * most : 0) <= room * (1 + 1e-12));
            assert_true(fabs(sum - value) < 1e-9);
            assert_true(value >= optimum(&i, room) - 1e-9);
            assert_true(value <= optimum(&i, room * .96) + 1e-9); /* cells are coarse */
            tight += value <= optimum(&i, room) + 1e-9;
        }
        tgs_platform_free(i.p);
    }
    assert_in_range(nothing, 10, 150);
    assert_true(tight > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs), cmocka_unit_test(choices)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
