/* ChaCha20, Poly1305 and ChaCha20-Poly1305: RFC 8439. XChaCha20: draft-irtf-cfrg-xchacha-03. */
#include "check.h"
#include <keylane.h>

#define SUNSCREEN                                                                                            \
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen " \
    "would be "                                                                                              \
    "it."
#define SUNSCREEN_HEX                                                                                        \
    "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a20496620492063"       \
    "6f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"       \
    "637265656e20776f756c642062652069742e"
#define AEAD_KEY "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
#define AEAD_AAD "50515253c0c1c2c3c4c5c6c7"
#define CHACHA_NONCE "070000004041424344454647"
#define CHACHA_TEXT                                                                                          \
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"       \
    "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"       \
    "3ff4def08e4b7a9de576d26586cec64b6116"
#define XCHACHA_NONCE "404142434445464748494a4b4c4d4e4f5051525354555657"
#define XCHACHA_TEXT                                                                                         \
    "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"       \
    "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"       \
    "21f9664c97637da9768812f615c68b13b52e"

#define AEAD(verb) keylane_chacha20poly1305_##verb
#define AEAD_STRUCT keylane_chacha20poly1305
#define AEAD_TEST every_function
#include "aead.h"

#define AEAD(verb) keylane_xchacha20poly1305_##verb
#define AEAD_STRUCT keylane_xchacha20poly1305
#define AEAD_TEST every_function_x
#include "aead.h"

/* A key stream of either kind on one published text, which begins with its block 1. */
#define STREAM_TEST(name, struct_name)                                                                       \
    static void name(const char *key_hex, const char *nonce_hex, const char *ciphertext_hex) {               \
        bytes key = hex(key_hex), nonce = hex(nonce_hex);                                                    \
        bytes plaintext = text(SUNSCREEN), ciphertext = hex(ciphertext_hex);                                 \
        bytes data = room(plaintext.len);                                                                    \
        struct_name stream, begun;                                                                           \
        uint64_t position = 99;                                                                              \
        size_t i;                                                                                            \
        CHECK(struct_name##_init(&stream, key.data, nonce.data) == 0);                                       \
        CHECK(struct_name##_position(&stream, &position) == 0 && position == 0);                             \
        CHECK(struct_name##_seek(&stream, 64) == 0);                                                         \
        begun = stream;                                                                                      \
        CHECK(struct_name##_xor_keystream_to(&stream, plaintext.data, plaintext.len, data.data, data.len) == \
              0);                                                                                            \
        CHECK(same(data, ciphertext));                                                                       \
        CHECK(struct_name##_position(&stream, &position) == 0 && position == 64 + data.len);                 \
        for (i = 0; i < data.len; i++) {                                                                     \
            CHECK(struct_name##_xor_keystream(&begun, data.data + i, 1) == 0);                               \
        }                                                                                                    \
        CHECK(same(data, plaintext));                                                                        \
        CHECK(struct_name##_seek(&stream, 64 + 21) == 0);                                                    \
        CHECK(struct_name##_xor_keystream_to(&stream, data.data + 21, data.len - 21, data.data + 21,         \
                                             data.len - 21) == 0);                                           \
        CHECK(memcmp(data.data + 21, ciphertext.data + 21, data.len - 21) == 0);                             \
        CHECK(struct_name##_xor_keystream_to(&stream, plaintext.data, 5, data.data, 4) ==                    \
              KEYLANE_ERROR_WRONG_LENGTH);                                                                   \
        CHECK(struct_name##_xor_keystream(&stream, NULL, 0) == 0);                                           \
        /* The end of the key stream. */                                                                     \
        CHECK(struct_name##_seek(&stream, ((uint64_t)1 << 38) + 1) == KEYLANE_ERROR_INPUT_TOO_LONG);         \
        CHECK(struct_name##_seek(&stream, ((uint64_t)1 << 38) - 3) == 0);                                    \
        memset(data.data, 0xa5, data.len);                                                                   \
        CHECK(struct_name##_xor_keystream(&stream, data.data, 4) == KEYLANE_ERROR_INPUT_TOO_LONG);           \
        CHECK(all(data, 0xa5));                                                                              \
        CHECK(struct_name##_xor_keystream(&stream, data.data, 3) == 0);                                      \
        CHECK(struct_name##_position(&stream, &position) == 0 && position == (uint64_t)1 << 38);             \
        struct_name##_wipe(&stream);                                                                         \
        CHECK(struct_name##_position(&stream, &position) == KEYLANE_ERROR_UNINITIALISED);                    \
        FREE(key);                                                                                           \
        FREE(nonce);                                                                                         \
        FREE(plaintext);                                                                                     \
        FREE(ciphertext);                                                                                    \
        FREE(data);                                                                                          \
    }
STREAM_TEST(chacha20, keylane_chacha20)
STREAM_TEST(xchacha20, keylane_xchacha20)

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
    keylane_chacha20 stream;
    keylane_poly1305 state;
    CHECK(keylane_chacha20_init(&stream, key.data, nonce.data) == 0);
    CHECK(keylane_chacha20_xor_keystream(&stream, one_time_key.data, 32) == 0);
    CHECK(keylane_poly1305_init(&state, one_time_key.data) == 0);
    CHECK(keylane_poly1305_update(&state, aad.data, aad.len) == 0);
    CHECK(keylane_poly1305_pad_to_block(&state) == 0);
    CHECK(keylane_poly1305_update(&state, ciphertext.data, ciphertext.len) == 0);
    CHECK(keylane_poly1305_pad_to_block(&state) == 0);
    CHECK(keylane_poly1305_update(&state, lengths.data, lengths.len) == 0);
    CHECK(keylane_poly1305_verify(&state, tag.data) == 0);
    CHECK(keylane_poly1305_pad_to_block(&state) == KEYLANE_ERROR_UNINITIALISED);
    keylane_poly1305_wipe(&state);
    keylane_chacha20_wipe(&stream);
    FREE(key);
    FREE(nonce);
    FREE(aad);
    FREE(ciphertext);
    FREE(tag);
    FREE(one_time_key);
    FREE(lengths);
}

int main(void) {
    bytes key = hex(AEAD_KEY);
    keylane_chacha20poly1305 aead;
    keylane_xchacha20poly1305 x;
    chacha20(
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000000000000004a00000000",
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357"
        "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
        "5af90bbf74a35be6b40b8eedf2785e42874d");
    xchacha20(AEAD_KEY, XCHACHA_NONCE, XCHACHA_TEXT);
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
    CHECK(keylane_chacha20poly1305_init(&aead, key.data) == 0);
    every_function(&aead, CHACHA_NONCE, AEAD_AAD, SUNSCREEN_HEX, CHACHA_TEXT,
                   "1ae10b594f09e26a7e902ecbd0600691");
    keylane_chacha20poly1305_wipe(&aead);
    CHECK(keylane_xchacha20poly1305_init(&x, key.data) == 0);
    every_function_x(&x, XCHACHA_NONCE, AEAD_AAD, SUNSCREEN_HEX, XCHACHA_TEXT,
                     "c0875924c1c7987947deafd8780acf49");
    keylane_xchacha20poly1305_wipe(&x);
    FREE(key);
    DONE();
}
