/* t_cipher.c -- ChaCha20 against the vectors of RFC 8439, and a training step whose data are
 * encrypted where they leave a trust domain: the weights are those of the plain step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "../../codelets/cpu/chacha20.h"
#include "fixture.h"
#include "nets.h"
#include "parts.h"

static void counting(uint8_t key[32])
{
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
}

static void assert_bytes(const uint8_t *got, const char *hex)
{
    for (size_t i = 0; hex[2 * i]; i++) {
        unsigned byte;

        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        if (got[i] != byte)
            fail_msg("byte %zu is %02x, not %02x", i, got[i], byte);
    }
}

/* 2.3.2 */
static void a_block(void **state)
{
    static const uint8_t nonce[12] = {0, 0, 0, 9, 0, 0, 0, 0x4a};
    uint8_t key[32], out[64];
    uint32_t s[16];

    (void)state;
    counting(key);
    tgs_i_chacha20_state(s, key, nonce, 1);
    tgs_i_chacha20_block(s, out);
    assert_bytes(out, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                      "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

/* 2.4.2, which is longer than a block and no multiple of one */
static void a_text(void **state)
{
    static const char text[] = "Ladies and Gentlemen of the class of '99: If I could offer you "
                               "only one tip for the future, sunscreen would be it.";
    static const uint8_t nonce[12] = {0, 0, 0, 0, 0, 0, 0, 0x4a};
    uint8_t key[32], out[sizeof text], back[sizeof text];

    (void)state;
    counting(key);
    tgs_i_chacha20(key, nonce, 1, (const uint8_t *)text, out, sizeof text);
    assert_bytes(out, "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
                      "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
                      "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
                      "5af90bbf74a35be6b40b8eedf2785e42874d");
    tgs_i_chacha20(key, nonce, 1, out, back, sizeof text);
    assert_memory_equal(back, text, sizeof text);
}

static tgs_model *chain(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(4, 6));
    net_stored(&n, "w", DIMS(6, 5));
    net_stored(&n, "v", DIMS(5, 3));
    net_op(&n, "Gemm", "x w", "h", NULL);
    net_op(&n, "Tanh", "h", "t", NULL);
    net_op(&n, "Gemm", "t v", "y", NULL);
    return net_model(&n, "y");
}

static int32_t count(const tgs_graph *g, const char *codelet)
{
    int32_t n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += !strcmp(tgs_graph_task_codelet(g, t), codelet);
    return n;
}

static void weights_are_those_of_the_plain_step(void **state)
{
    static const char plain[] = "train sgd lr=0.1; loss mse; trust a ops=h,t; trust b ops=y";
    static const char secret[] = "train sgd lr=0.1; loss mse; trust a ops=h,t; trust b ops=y; "
                                 "secure-edge public=1";
    double wanted[64], got[64];
    tgs_model *m = chain();
    tgs_platform *p =
        fixture_platform("kind cpu flops=1e9 bandwidth=1e9\nmemory A trust=a\nmemory B trust=b\n"
                         "processor p kind=cpu memory=A\n"
                         "processor q kind=cpu memory=B\n"
                         "link A B latency=0 bandwidth=1e9\n"
                         "link B A latency=0 bandwidth=1e9\n");
    tgs_graph *g = lowered(m, secret);
    double difference = 0, norm = 0;
    const int64_t n = part_weights_on(m, plain, p, wanted);

    (void)state;
    assert_true(count(g, "encrypt") >= 2); /* t, and its gradient on the way back */
    assert_int_equal(count(g, "encrypt"), count(g, "decrypt"));
    assert_int_equal(part_weights_on(m, secret, p, got), n);
    for (int64_t i = 0; i < n; i++) {
        difference += (got[i] - wanted[i]) * (got[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    assert_true(norm > 0 && sqrt(difference) <= 1e-10 * sqrt(norm));
    tgs_graph_free(g);
    tgs_platform_free(p);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block),
        cmocka_unit_test(a_text),
        cmocka_unit_test(weights_are_those_of_the_plain_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
