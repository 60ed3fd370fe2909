/* chacha20.h -- the stream cipher ChaCha20, and a codelet's call of it. */
#ifndef TGS_CPU_CHACHA20_H
#define TGS_CPU_CHACHA20_H
#include "core.h"

void tgs_i_chacha20_state(uint32_t state[16], const uint8_t key[32], const uint8_t nonce[12],
                          uint32_t counter);
void tgs_i_chacha20_block(const uint32_t state[16], uint8_t out[64]);
/* encrypts and decrypts; counter: of the first block of 64 bytes */
void tgs_i_chacha20(const uint8_t key[32], const uint8_t nonce[12], uint32_t counter,
                    const uint8_t *from, uint8_t *to, size_t n);
/* buffer 0 into buffer 1, with the number `nonce` of the attributes */
tgs_status tgs_i_chacha20_call(const tgs_call *c);
tgs_status tgs_i_chacha20_check(const tgs_call *c, tgs_error *err);
#endif
