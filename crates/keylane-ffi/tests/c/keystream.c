/* Key streams. AES-CTR: NIST SP 800-38A section F.5. ChaCha20: RFC 8439 section 2.4.2. XChaCha20:
 * draft-irtf-cfrg-xchacha-03. */
#include "check.h"
#include <keylane.h>

#define SUNSCREEN                                                                                            \
    "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a20496620492063"       \
    "6f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"       \
    "637265656e20776f756c642062652069742e"
#define BLOCKS                                                                                               \
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"                                       \
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define COUNTER "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"

/* `start` is where the published key stream begins; `end` where it ends, or 0. */
static void stream(int algorithm, const char *key_hex, const char *nonce_hex, const char *text_hex,
                   const char *ciphertext_hex, uint64_t start, uint64_t end) {
    bytes key = hex(key_hex), nonce = hex(nonce_hex), plaintext = hex(text_hex);
    bytes ciphertext = hex(ciphertext_hex), data = room(plaintext.len);
    keylane_keystream stream, begun;
    uint64_t position = 99;
    size_t i;
    CHECK(keylane_keystream_init(&stream, algorithm, key.data, key.len, nonce.data, nonce.len) == 0);
    CHECK(keylane_keystream_position(&stream, &position) == 0 && position == 0);
    CHECK(keylane_keystream_seek(&stream, start) == 0);
    begun = stream;
    CHECK(keylane_keystream_xor_to(&stream, plaintext.data, data.data, data.len) == 0);
    CHECK(same(data, ciphertext));
    CHECK(keylane_keystream_position(&stream, &position) == 0 && position == start + data.len);
    for (i = 0; i < data.len; i++) {
        CHECK(keylane_keystream_xor(&begun, data.data + i, 1) == 0);
    }
    CHECK(same(data, plaintext));
    /* In the same buffer. */
    CHECK(keylane_keystream_seek(&stream, start + 21) == 0);
    CHECK(keylane_keystream_xor_to(&stream, data.data + 21, data.data + 21, data.len - 21) == 0);
    CHECK(memcmp(data.data, plaintext.data, 21) == 0);
    CHECK(memcmp(data.data + 21, ciphertext.data + 21, data.len - 21) == 0);
    CHECK(keylane_keystream_xor(&stream, NULL, 0) == 0);
    CHECK(keylane_keystream_xor_to(&stream, NULL, NULL, 0) == 0);
    if (end == 0) {
        CHECK(keylane_keystream_seek(&stream, UINT64_MAX) == 0);
        CHECK(keylane_keystream_position(&stream, &position) == 0 && position == UINT64_MAX);
        CHECK(keylane_keystream_xor(&stream, data.data, 1) == 0);
        CHECK(keylane_keystream_position(&stream, &position) == KEYLANE_ERROR_INPUT_TOO_LONG);
    } else {
        CHECK(keylane_keystream_seek(&stream, end + 1) == KEYLANE_ERROR_INPUT_TOO_LONG);
        CHECK(keylane_keystream_seek(&stream, end - 3) == 0);
        memset(data.data, 0xa5, data.len);
        CHECK(keylane_keystream_xor(&stream, data.data, 4) == KEYLANE_ERROR_INPUT_TOO_LONG);
        CHECK(all(data, 0xa5));
        CHECK(keylane_keystream_xor(&stream, data.data, 3) == 0);
        CHECK(keylane_keystream_position(&stream, &position) == 0 && position == end);
    }
    keylane_keystream_wipe(&stream);
    CHECK(keylane_keystream_position(&stream, &position) == KEYLANE_ERROR_UNINITIALISED);
    CHECK(keylane_keystream_init(&stream, algorithm, key.data, key.len - 1, nonce.data, nonce.len) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_keystream_init(&stream, algorithm, key.data, key.len, nonce.data, nonce.len - 1) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    FREE(key, nonce, plaintext, ciphertext, data);
}

int main(void) {
    const uint64_t end = (uint64_t)1 << 38;
    stream(KEYLANE_AES_CTR, "2b7e151628aed2a6abf7158809cf4f3c", COUNTER, BLOCKS,
           "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
           "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
           0, 0);
    stream(KEYLANE_CHACHA20, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
           "000000000000004a00000000", SUNSCREEN,
           "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357"
           "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
           "5af90bbf74a35be6b40b8eedf2785e42874d",
           64, end);
    stream(KEYLANE_XCHACHA20, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
           "404142434445464748494a4b4c4d4e4f5051525354555657", SUNSCREEN,
           "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
           "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
           "21f9664c97637da9768812f615c68b13b52e",
           64, end);
    DONE();
}
