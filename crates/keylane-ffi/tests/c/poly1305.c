/* Poly1305: RFC 8439. */
#include "check.h"
#include <keylane.h>

static void poly1305(const char *key_hex, bytes message, const char *tag_hex) {
    bytes key = hex(key_hex), tag = hex(tag_hex), found = room(16);
    keylane_poly1305 state, copy;
    size_t i, hint;
    CHECK(keylane_poly1305_mac(key.data, message.data, message.len, found.data) == 0);
    CHECK(same(found, tag));
    for (hint = 0; hint < 4096; hint = 4 * hint + 1) {
        CHECK(keylane_poly1305_init_with_hint(&state, key.data, hint) == 0);
        CHECK(keylane_poly1305_update(&state, message.data, message.len) == 0);
        memset(found.data, 0, found.len);
        CHECK(keylane_poly1305_finalize(&state, found.data) == 0);
        CHECK(same(found, tag));
    }
    CHECK(keylane_poly1305_init(&state, key.data) == 0);
    for (i = 0; i < message.len; i++) {
        CHECK(keylane_poly1305_update(&state, message.data + i, 1) == 0);
    }
    copy = state;
    CHECK(keylane_poly1305_verify(&state, tag.data) == 0);
    CHECK(keylane_poly1305_verify(&state, tag.data) == KEYLANE_ERROR_UNINITIALISED);
    tag.data[15] ^= 1;
    CHECK(keylane_poly1305_verify(&copy, tag.data) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(keylane_poly1305_finalize(&copy, found.data) == KEYLANE_ERROR_UNINITIALISED);
    FREE(key, message, tag, found);
}

/* Padding is as many zeros as are missing. */
static void padding(void) {
    const uint8_t key[32] = {7}, zeros[16] = {0};
    bytes message = repeat(9, 40);
    size_t len;
    for (len = 0; len <= message.len; len++) {
        keylane_poly1305 padded, zeroed;
        uint8_t tag[16];
        CHECK(keylane_poly1305_init(&padded, key) == 0 && keylane_poly1305_init(&zeroed, key) == 0);
        CHECK(keylane_poly1305_update(&padded, message.data, len) == 0);
        CHECK(keylane_poly1305_update(&zeroed, message.data, len) == 0);
        CHECK(keylane_poly1305_pad_to_block(&padded) == 0);
        CHECK(keylane_poly1305_update(&zeroed, zeros, (16 - len % 16) % 16) == 0);
        CHECK(keylane_poly1305_update(&padded, message.data, 5) == 0);
        CHECK(keylane_poly1305_update(&zeroed, message.data, 5) == 0);
        CHECK(keylane_poly1305_finalize(&zeroed, tag) == 0 && keylane_poly1305_verify(&padded, tag) == 0);
    }
    FREE(message);
}

int main(void) {
    poly1305("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
             text("Cryptographic Forum Research Group"), "a8061dc1305136c6c22b8baf0c0127a9");
    poly1305("0100000000000000000000000000000000000000000000000000000000000000", room(0),
             "00000000000000000000000000000000");
    padding();
    DONE();
}
