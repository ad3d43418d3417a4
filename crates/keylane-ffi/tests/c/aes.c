/* AES: FIPS 197. AES-CTR: NIST SP 800-38A section F.5. AES-GCM: the test cases of McGrew and Viega's
 * paper. AES-GCM-SIV: RFC 8452 appendix C. XAES-256-GCM: C2SP. */
#include "check.h"
#include <keylane.h>

#define GCM_KEY "feffe9928665731c6d6a8f9467308308"
#define GCM_TEXT                                                                                             \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"                                       \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define GCM_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define GCM_NONCE "cafebabefacedbaddecaf888"

#define AEAD(verb) keylane_aes_gcm_siv_##verb
#define AEAD_STRUCT keylane_aes_gcm_siv
#define AEAD_TEST every_function_of_siv
#include "aead.h"

#define AEAD(verb) keylane_xaes_256_gcm_##verb
#define AEAD_STRUCT keylane_xaes_256_gcm
#define AEAD_TEST every_function_of_xaes
#include "aead.h"

static void block(const char *key_hex, const char *ciphertext_hex) {
    bytes key = hex(key_hex), plaintext = hex("00112233445566778899aabbccddeeff"),
          ciphertext = hex(ciphertext_hex);
    bytes blocks = room(32);
    keylane_aes aes;
    memcpy(blocks.data, plaintext.data, 16);
    memcpy(blocks.data + 16, plaintext.data, 16);
    CHECK(keylane_aes_init(&aes, key.data, key.len) == 0);
    CHECK(keylane_aes_encrypt_blocks(&aes, blocks.data, 32) == 0);
    CHECK(memcmp(blocks.data, ciphertext.data, 16) == 0 &&
          memcmp(blocks.data + 16, ciphertext.data, 16) == 0);
    CHECK(keylane_aes_decrypt_blocks(&aes, blocks.data, 32) == 0);
    CHECK(memcmp(blocks.data, plaintext.data, 16) == 0 && memcmp(blocks.data + 16, plaintext.data, 16) == 0);
    CHECK(keylane_aes_encrypt_blocks(&aes, NULL, 0) == 0);
    CHECK(keylane_aes_encrypt_blocks(&aes, blocks.data, 31) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_aes_decrypt_blocks(&aes, blocks.data, 17) == KEYLANE_ERROR_WRONG_LENGTH);
    keylane_aes_wipe(&aes);
    CHECK(keylane_aes_encrypt_blocks(&aes, blocks.data, 32) == KEYLANE_ERROR_UNINITIALISED);
    CHECK(keylane_aes_init(&aes, key.data, key.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    FREE(key);
    FREE(plaintext);
    FREE(ciphertext);
    FREE(blocks);
}

static void ctr(const char *key_hex, const char *ciphertext_hex) {
    bytes key = hex(key_hex), counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
          ciphertext = hex(ciphertext_hex);
    bytes plaintext = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                          "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    bytes data = room(plaintext.len);
    keylane_aes aes;
    keylane_aes_ctr stream, begun;
    uint64_t position = 99;
    size_t i;
    CHECK(keylane_aes_init(&aes, key.data, key.len) == 0);
    CHECK(keylane_aes_ctr_init(&stream, &aes, counter.data) == 0);
    keylane_aes_wipe(&aes);
    begun = stream;

    CHECK(keylane_aes_ctr_xor_keystream_to(&stream, plaintext.data, plaintext.len, data.data, data.len) == 0);
    CHECK(same(data, ciphertext));
    CHECK(keylane_aes_ctr_position(&stream, &position) == 0 && position == 64);

    for (i = 0; i < 64; i++) {
        CHECK(keylane_aes_ctr_xor_keystream(&begun, data.data + i, 1) == 0);
    }
    CHECK(same(data, plaintext));

    CHECK(keylane_aes_ctr_seek(&stream, 21) == 0);
    CHECK(keylane_aes_ctr_xor_keystream_to(&stream, data.data + 21, 43, data.data + 21, 43) == 0);
    CHECK(memcmp(data.data, plaintext.data, 21) == 0 &&
          memcmp(data.data + 21, ciphertext.data + 21, 43) == 0);

    CHECK(keylane_aes_ctr_seek(&stream, UINT64_MAX) == 0);
    CHECK(keylane_aes_ctr_position(&stream, &position) == 0 && position == UINT64_MAX);
    CHECK(keylane_aes_ctr_xor_keystream(&stream, data.data, 1) == 0);
    CHECK(keylane_aes_ctr_position(&stream, &position) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_aes_ctr_xor_keystream_to(&stream, plaintext.data, 5, data.data, 4) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_aes_ctr_xor_keystream_to(&stream, NULL, 0, NULL, 0) == 0);
    keylane_aes_ctr_wipe(&stream);
    CHECK(keylane_aes_ctr_seek(&stream, 0) == KEYLANE_ERROR_UNINITIALISED);
    FREE(key);
    FREE(counter);
    FREE(ciphertext);
    FREE(plaintext);
    FREE(data);
}

static void gcm(const char *key_hex, const char *nonce_hex, const char *ciphertext_hex, const char *tag_hex) {
    bytes key = hex(key_hex), nonce = hex(nonce_hex), aad = hex(GCM_AAD), plaintext = hex(GCM_TEXT);
    bytes ciphertext = hex(ciphertext_hex), tag = hex(tag_hex), found = room(16), data = room(plaintext.len);
    keylane_aes_gcm gcm;
    CHECK(keylane_aes_gcm_init(&gcm, key.data, key.len) == 0);

    memcpy(data.data, plaintext.data, data.len);
    CHECK(keylane_aes_gcm_seal_any_nonce(&gcm, nonce.data, nonce.len, aad.data, aad.len, data.data, data.len,
                                         found.data) == 0);
    CHECK(same(data, ciphertext) && same(found, tag));
    CHECK(keylane_aes_gcm_open_any_nonce(&gcm, nonce.data, nonce.len, aad.data, aad.len, data.data, data.len,
                                         tag.data) == 0);
    CHECK(same(data, plaintext));
    memcpy(data.data, ciphertext.data, data.len);
    CHECK(keylane_aes_gcm_open_truncated_any_nonce(&gcm, nonce.data, nonce.len, aad.data, aad.len, data.data,
                                                   data.len, tag.data, 11) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_aes_gcm_open_truncated_any_nonce(&gcm, nonce.data, nonce.len, aad.data, aad.len, data.data,
                                                   data.len, tag.data, 12) == 0);
    CHECK(same(data, plaintext));
    tag.data[11] ^= 1;
    CHECK(keylane_aes_gcm_open_truncated_any_nonce(&gcm, nonce.data, nonce.len, aad.data, aad.len, data.data,
                                                   data.len, tag.data,
                                                   12) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(all(data, 0));
    memcpy(data.data, ciphertext.data, data.len);
    CHECK(keylane_aes_gcm_open_any_nonce(&gcm, nonce.data, nonce.len, aad.data, aad.len, data.data, data.len,
                                         tag.data) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(all(data, 0));
    CHECK(keylane_aes_gcm_seal_any_nonce(&gcm, NULL, 0, NULL, 0, data.data, data.len, found.data) ==
          KEYLANE_ERROR_INVALID_PARAMETER);
    keylane_aes_gcm_wipe(&gcm);
    FREE(key);
    FREE(nonce);
    FREE(aad);
    FREE(plaintext);
    FREE(ciphertext);
    FREE(tag);
    FREE(found);
    FREE(data);
}

#define AEAD(verb) keylane_aes_gcm_##verb
#define AEAD_STRUCT keylane_aes_gcm
#define AEAD_TEST every_function
#include "aead.h"

static void gcm_by_all_functions(const char *key_hex, const char *ciphertext_hex, const char *tag_hex) {
    bytes key = hex(key_hex);
    keylane_aes_gcm gcm, *unaligned;
    uint8_t *memory = malloc(sizeof gcm + 64);
    size_t offset;
    CHECK(keylane_aes_gcm_init(&gcm, key.data, key.len) == 0);
    every_function(&gcm, GCM_NONCE, GCM_AAD, GCM_TEXT, ciphertext_hex, tag_hex);
    for (offset = 0; offset < 64; offset += 9) {
        unaligned = (keylane_aes_gcm *)(void *)(memory + offset);
        memcpy(memory + offset, &gcm, sizeof gcm);
        every_function(unaligned, GCM_NONCE, GCM_AAD, GCM_TEXT, ciphertext_hex, tag_hex);
        keylane_aes_gcm_wipe(unaligned);
        CHECK(keylane_aes_gcm_init(unaligned, key.data, key.len) == 0);
        every_function(unaligned, GCM_NONCE, GCM_AAD, GCM_TEXT, ciphertext_hex, tag_hex);
    }
    CHECK(keylane_aes_gcm_init(&gcm, key.data, 15) == KEYLANE_ERROR_WRONG_LENGTH);
    keylane_aes_gcm_wipe(&gcm);
    free(memory);
    FREE(key);
}

static void gcm_siv(const char *key_hex, const char *ciphertext_hex, const char *tag_hex) {
    bytes key = hex(key_hex);
    keylane_aes_gcm_siv siv;
    CHECK(keylane_aes_gcm_siv_init(&siv, key.data, key.len) == 0);
    every_function_of_siv(&siv, "030000000000000000000000", "01",
                          "02000000000000000000000000000000030000000000000000000000000000000400000000000000"
                          "000000000000000005000000000000000000000000000000",
                          ciphertext_hex, tag_hex);
    keylane_aes_gcm_siv_wipe(&siv);
    CHECK(keylane_aes_gcm_siv_init(&siv, key.data, key.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    FREE(key);
}

static void xaes(void) {
    keylane_xaes_256_gcm aead;
    uint8_t key[32];
    memset(key, 3, sizeof key);
    CHECK(keylane_xaes_256_gcm_init(&aead, key) == 0);
    /* "ABCDEFGHIJKLMNOPQRSTUVWX", "c2sp.org/XAES-256-GCM" and "XAES-256-GCM". */
    every_function_of_xaes(&aead, "4142434445464748494a4b4c4d4e4f505152535455565758",
                           "633273702e6f72672f584145532d3235362d47434d", "584145532d3235362d47434d",
                           "986ec1832593df5443a17943", "7fd083bf3fdb41abd740a21f71eb769d");
    keylane_xaes_256_gcm_wipe(&aead);
}

/* Nonces that the library makes. */
#define RANDOM_NONCES(name, NONCE, init)                                                                     \
    static void name##_random(void) {                                                                        \
        name key;                                                                                            \
        uint8_t b[32] = {0}, sealed[2][NONCE + 10 + 16], opened[10];                                         \
        size_t i;                                                                                            \
        CHECK(init == 0);                                                                                    \
        for (i = 0; i < 2; i++) {                                                                            \
            CHECK(name##_seal_random(&key, b, 5, b, 10, sealed[i], NONCE + 10 + 16) == 0);                   \
            CHECK(name##_open_random(&key, b, 5, sealed[i], NONCE + 10 + 16, opened, 10) == 0);              \
            CHECK(memcmp(opened, b, 10) == 0);                                                               \
            CHECK(name##_open_to(&key, sealed[i], b, 5, sealed[i] + NONCE, 10 + 16, opened, 10) == 0);       \
            CHECK(memcmp(opened, b, 10) == 0);                                                               \
        }                                                                                                    \
        CHECK(memcmp(sealed[0], sealed[1], NONCE) != 0);                                                     \
        sealed[0][0] ^= 1;                                                                                   \
        memset(opened, 1, sizeof opened);                                                                    \
        CHECK(name##_open_random(&key, b, 5, sealed[0], NONCE + 10 + 16, opened, 10) ==                      \
              KEYLANE_ERROR_AUTHENTICATION_FAILED);                                                          \
        CHECK(memcmp(opened, b, 10) == 0);                                                                   \
        CHECK(name##_seal_random(&key, b, 5, b, 10, sealed[0], NONCE + 10 + 15) ==                           \
              KEYLANE_ERROR_WRONG_LENGTH);                                                                   \
        CHECK(name##_open_random(&key, b, 5, sealed[0], NONCE + 15, opened, 0) ==                            \
              KEYLANE_ERROR_WRONG_LENGTH);                                                                   \
        CHECK(name##_open_random(&key, b, 5, sealed[0], sizeof sealed[0], sealed[0], 10) ==                  \
              KEYLANE_ERROR_OVERLAP);                                                                        \
        name##_wipe(&key);                                                                                   \
        CHECK(name##_seal_random(&key, b, 5, b, 10, sealed[0], NONCE + 10 + 16) ==                           \
              KEYLANE_ERROR_UNINITIALISED);                                                                  \
    }
RANDOM_NONCES(keylane_aes_gcm_siv, 12, keylane_aes_gcm_siv_init(&key, b, 16))
RANDOM_NONCES(keylane_xaes_256_gcm, 24, keylane_xaes_256_gcm_init(&key, b))
RANDOM_NONCES(keylane_xchacha20poly1305, 24, keylane_xchacha20poly1305_init(&key, b))

int main(void) {
    static const char *c128 = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                              "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
    static const char *c192 = "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
                              "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710";
    static const char *c256 = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                              "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662";
    block("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a");
    block("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191");
    block("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
          "8ea2b7ca516745bfeafc49904b496089");
    ctr("2b7e151628aed2a6abf7158809cf4f3c",
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee");
    ctr("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
        "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050");
    ctr("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
    gcm(GCM_KEY, GCM_NONCE, c128, "5bc94fbc3221a5db94fae95ae7121a47");
    gcm(GCM_KEY, "cafebabefacedbad",
        "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
        "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
        "3612d2e79e3b0785561be14aaca2fccb");
    gcm_by_all_functions(GCM_KEY, c128, "5bc94fbc3221a5db94fae95ae7121a47");
    gcm_by_all_functions(GCM_KEY "feffe9928665731c", c192, "2519498e80f1478f37ba55bd6d27618c");
    gcm_by_all_functions(GCM_KEY GCM_KEY, c256, "76fc6ece0f4e1768cddf8853bb2d551b");
    gcm_siv("01000000000000000000000000000000",
            "2f5c64059db55ee0fb847ed513003746aca4e61c711b5de2e7a77ffd02da42fe"
            "ec601910d3467bb8b36ebbaebce5fba30d36c95f48a3e7980f0e7ac299332a80",
            "cdc46ae475563de037001ef84ae21744");
    gcm_siv("0100000000000000000000000000000000000000000000000000000000000000",
            "67fd45e126bfb9a79930c43aad2d36967d3f0e4d217c1e551f59727870beefc9"
            "8cb933a8fce9de887b1e40799988db1fc3f91880ed405b2dd298318858467c89",
            "5bde0285037c5de81e5b570a049b62a0");
    xaes();
    keylane_aes_gcm_siv_random();
    keylane_xaes_256_gcm_random();
    keylane_xchacha20poly1305_random();
    DONE();
}
