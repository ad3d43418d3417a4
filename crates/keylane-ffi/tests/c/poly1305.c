/* Poly1305: RFC 8439. */
#include "check.h"
#include <keylane.h>

#define AEAD_KEY "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
#define AEAD_AAD "50515253c0c1c2c3c4c5c6c7"
#define CHACHA_NONCE "070000004041424344454647"
#define CHACHA_TEXT                                                                                          \
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"       \
    "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"       \
    "3ff4def08e4b7a9de576d26586cec64b6116"

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
    FREE(key);
    FREE(message);
    FREE(tag);
    FREE(found);
}

/* The tag of RFC 8439 section 2.8.2, composed by hand. */
static void padding(void) {
    bytes key = hex(AEAD_KEY), nonce = hex(CHACHA_NONCE), aad = hex(AEAD_AAD), ciphertext = hex(CHACHA_TEXT);
    bytes tag = hex("1ae10b594f09e26a7e902ecbd0600691"), one_time_key = repeat(0, 32);
    bytes lengths = hex("0c000000000000007200000000000000");
    keylane_keystream stream;
    keylane_poly1305 state;
    CHECK(keylane_keystream_init(&stream, KEYLANE_CHACHA20, key.data, key.len, nonce.data, nonce.len) == 0);
    CHECK(keylane_keystream_xor(&stream, one_time_key.data, 32) == 0);
    CHECK(keylane_poly1305_init(&state, one_time_key.data) == 0);
    CHECK(keylane_poly1305_update(&state, aad.data, aad.len) == 0);
    CHECK(keylane_poly1305_pad_to_block(&state) == 0);
    CHECK(keylane_poly1305_update(&state, ciphertext.data, ciphertext.len) == 0);
    CHECK(keylane_poly1305_pad_to_block(&state) == 0);
    CHECK(keylane_poly1305_update(&state, lengths.data, lengths.len) == 0);
    CHECK(keylane_poly1305_verify(&state, tag.data) == 0);
    CHECK(keylane_poly1305_pad_to_block(&state) == KEYLANE_ERROR_UNINITIALISED);
    keylane_poly1305_wipe(&state);
    keylane_keystream_wipe(&stream);
    FREE(key);
    FREE(nonce);
    FREE(aad);
    FREE(ciphertext);
    FREE(tag);
    FREE(one_time_key);
    FREE(lengths);
}

int main(void) {
    poly1305("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
             text("Cryptographic Forum Research Group"), "a8061dc1305136c6c22b8baf0c0127a9");
    /* RFC 8439 section A.3, vectors 7 to 9: the final reduction. */
    poly1305("0100000000000000000000000000000000000000000000000000000000000000",
             hex("fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff110000000000000000000000000"
                 "00000"),
             "05000000000000000000000000000000");
    poly1305("0100000000000000000000000000000000000000000000000000000000000000",
             hex("fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe010101010101010101010101010"
                 "10101"),
             "00000000000000000000000000000000");
    poly1305("0200000000000000000000000000000000000000000000000000000000000000",
             hex("fdffffffffffffffffffffffffffffff"), "faffffffffffffffffffffffffffffff");
    poly1305("0100000000000000000000000000000000000000000000000000000000000000", room(0),
             "00000000000000000000000000000000");
    padding();
    DONE();
}
