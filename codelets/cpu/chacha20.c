/* chacha20.c -- the stream cipher ChaCha20 (Y. Nir, A. Langley, RFC 8439), byte by byte the same on
 * every machine. */
#include "chacha20.h"

static uint32_t load(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16
           | (uint32_t)from[3] << 24;
}

static uint32_t rotated(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void quarter(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b];
    s[d] = rotated(s[d] ^ s[a], 16);
    s[c] += s[d];
    s[b] = rotated(s[b] ^ s[c], 12);
    s[a] += s[b];
    s[d] = rotated(s[d] ^ s[a], 8);
    s[c] += s[d];
    s[b] = rotated(s[b] ^ s[c], 7);
}

void tgs_i_chacha20_block(const uint32_t state[16], uint8_t out[64])
{
    uint32_t s[16];

    for (int i = 0; i < 16; i++)
        s[i] = state[i];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++)
            quarter(s, i, i + 4, i + 8, i + 12);
        for (int i = 0; i < 4; i++)
            quarter(s, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
    }
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = (uint8_t)((s[i] + state[i]) >> 8 * k);
}

void tgs_i_chacha20_state(uint32_t state[16], const uint8_t key[32], const uint8_t nonce[12],
                          uint32_t counter)
{
    static const uint8_t sigma[] = "expand 32-byte k";

    for (int i = 0; i < 4; i++)
        state[i] = load(sigma + 4 * i);
    for (int i = 0; i < 8; i++)
        state[4 + i] = load(key + 4 * i);
    state[12] = counter;
    for (int i = 0; i < 3; i++)
        state[13 + i] = load(nonce + 4 * i);
}

void tgs_i_chacha20(const uint8_t key[32], const uint8_t nonce[12], uint32_t counter,
                    const uint8_t *from, uint8_t *to, size_t n)
{
    uint32_t state[16];
    uint8_t stream[64];

    tgs_i_chacha20_state(state, key, nonce, counter);
    for (size_t i = 0; i < n; i++) {
        if (i % sizeof stream == 0) {
            tgs_i_chacha20_block(state, stream);
            state[12]++;
        }
        to[i] = from[i] ^ stream[i % sizeof stream];
    }
}

/* The key is here for all to read: what is encrypted with it costs what encryption costs and is no
 * secret.  The nonce is the number of the version, which no other datum of the graph has. */
tgs_status tgs_i_chacha20_call(const tgs_call *c)
{
    static const uint8_t key[32] = {0x74, 0x67, 0x73, 0x63, 0x68, 0x65, 0x64};
    const uint64_t number = (uint64_t)tgs_attr_real(c->attrs, "nonce", 0);
    uint8_t nonce[12] = {0};

    for (int i = 0; i < 8; i++)
        nonce[4 + i] = (uint8_t)(number >> 8 * i);
    tgs_i_chacha20(key, nonce, 1, c->buffer[0].data, c->buffer[1].data, (size_t)c->buffer[0].bytes);
    return TGS_OK;
}

tgs_status tgs_i_chacha20_check(const tgs_call *c, tgs_error *err)
{
    const double number = tgs_attr_real(c->attrs, "nonce", 0);

    if (!(number >= 0 && number <= 0x1p53) || number != floor(number))
        return tgs_fail(err, TGS_EINVAL, "nonce is no whole number from 0 on");
    return tgs_i_check_copy(c, err);
}
