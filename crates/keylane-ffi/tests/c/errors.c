/* Errors, and that nothing is written then: null, overlap, uninitialised structs, unknown numbers. */
#define KEYLANE_NONNULL(...) /* This file passes null on purpose. */
#include "check.h"
#include <keylane.h>

static const uint8_t *const NO_BYTES = NULL;

static void null_pointers(void) {
    uint8_t b[80] = {0};
    uint64_t n;
    keylane_bytes list[2] = {{b, 1}, {NULL, 1}};
    keylane_hash hash;
    keylane_hmac_key key;
    keylane_hmac mac;
    keylane_hkdf prk;
    keylane_aes aes;
    keylane_aes_ctr ctr;
    keylane_aes_gcm gcm;
    keylane_chacha20 stream;
    keylane_poly1305 poly1305;
    const int SHA256 = KEYLANE_SHA256, NULL_POINTER = KEYLANE_ERROR_NULL;

    /* With length 0, null is allowed. */
    CHECK(keylane_hash_digest(SHA256, NULL, 0, b, 32) == 0);
    CHECK(keylane_hash_init(&hash, SHA256) == 0 && keylane_hash_update(&hash, NULL, 0) == 0);
    CHECK(keylane_hmac_mac(SHA256, NULL, 0, NULL, 0, b, 32) == 0);
    CHECK(keylane_hmac_key_init(&key, SHA256, NULL, 0) == 0);
    CHECK(keylane_hmac_init(&mac, SHA256, NULL, 0) == 0 && keylane_hmac_update(&mac, NULL, 0) == 0);
    CHECK(keylane_hkdf_extract(&prk, SHA256, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_hkdf_expand(&prk, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_pbkdf2_derive(SHA256, NULL, 0, NULL, 0, 1, NULL, 0) == 0);
    CHECK(keylane_aes_init(&aes, b, 16) == 0 && keylane_aes_ctr_init(&ctr, &aes, b) == 0);
    CHECK(keylane_aes_ctr_xor_keystream(&ctr, NULL, 0) == 0);
    CHECK(keylane_aes_gcm_init(&gcm, b, 16) == 0);
    CHECK(keylane_chacha20_init(&stream, b, b) == 0 && keylane_chacha20_xor_keystream(&stream, NULL, 0) == 0);
    CHECK(keylane_poly1305_mac(b, NULL, 0, b + 32) == 0);
    CHECK(keylane_poly1305_init(&poly1305, b) == 0 && keylane_poly1305_update(&poly1305, NULL, 0) == 0);

    /* With another length, it is not. */
    CHECK(keylane_hash_digest(SHA256, NULL, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_hash_digest(SHA256, b, 1, NULL, 32) == NULL_POINTER);
    CHECK(keylane_hash_digest_many(SHA256, NULL, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_hash_digest_many(SHA256, list, 2, b, 64) == NULL_POINTER);
    CHECK(keylane_hash_update(&hash, NULL, 1) == NULL_POINTER);
    CHECK(keylane_hash_finalize(&hash, NULL, 32) == NULL_POINTER);
    CHECK(keylane_hmac_key_mac(&key, NULL, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_hmac_key_mac_parts(&key, list, 2, b, 32) == NULL_POINTER);
    CHECK(keylane_hmac_key_verify(&key, b, 1, NULL, 32) == NULL_POINTER);
    CHECK(keylane_hkdf_expand(&prk, NULL, 0, NULL, 1) == NULL_POINTER);
    CHECK(keylane_pbkdf2_derive(SHA256, NULL, 1, NULL, 0, 1, NULL, 0) == NULL_POINTER);
    CHECK(keylane_aes_encrypt_blocks(&aes, NULL, 16) == NULL_POINTER);
    CHECK(keylane_aes_ctr_xor_keystream_to(&ctr, b, 1, NULL, 1) == NULL_POINTER);
    CHECK(keylane_aes_gcm_seal(&gcm, b, NULL, 1, b, 1, b + 16) == NULL_POINTER);
    CHECK(keylane_chacha20_xor_keystream_to(&stream, NULL, 1, NULL, 1) == NULL_POINTER);

    /* Structs, arrays and numbers must not be null. */
    CHECK(keylane_hash_init(NULL, SHA256) == NULL_POINTER);
    CHECK(keylane_hash_update(NULL, b, 1) == NULL_POINTER);
    CHECK(keylane_hmac_start(&mac, NULL) == NULL_POINTER);
    CHECK(keylane_hmac_key_mac(NULL, b, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_aes_ctr_init(&ctr, &aes, NULL) == NULL_POINTER);
    CHECK(keylane_aes_ctr_position(&ctr, NULL) == NULL_POINTER);
    CHECK(keylane_aes_ctr_position(NULL, &n) == NULL_POINTER);
    CHECK(keylane_aes_gcm_seal(&gcm, NULL, NULL, 0, NULL, 0, b) == NULL_POINTER);
    CHECK(keylane_aes_gcm_seal(&gcm, b, NULL, 0, NULL, 0, NULL) == NULL_POINTER);
    CHECK(keylane_aes_gcm_open(&gcm, b, NULL, 0, NULL, 0, NULL) == NULL_POINTER);
    CHECK(keylane_chacha20_init(&stream, NULL, b) == NULL_POINTER);
    CHECK(keylane_poly1305_mac(NULL, b, 1, b) == NULL_POINTER);

    /* No object has such a length. */
    CHECK(keylane_hash_digest(SHA256, b, SIZE_MAX, b, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_hash_digest_many(SHA256, list, SIZE_MAX, b, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_pbkdf2_derive_many(SHA256, list, list, 1, 1, b, SIZE_MAX) == KEYLANE_ERROR_INPUT_TOO_LONG);

    keylane_hash_wipe(NULL);
    keylane_hmac_key_wipe(NULL);
    keylane_hmac_wipe(NULL);
    keylane_hkdf_wipe(NULL);
    keylane_aes_wipe(NULL);
    keylane_aes_ctr_wipe(NULL);
    keylane_aes_gcm_wipe(NULL);
    keylane_aes_gcm_siv_wipe(NULL);
    keylane_xaes_256_gcm_wipe(NULL);
    keylane_chacha20_wipe(NULL);
    keylane_xchacha20_wipe(NULL);
    keylane_chacha20poly1305_wipe(NULL);
    keylane_xchacha20poly1305_wipe(NULL);
    keylane_poly1305_wipe(NULL);
}

/* Parts whose total length exceeds SIZE_MAX and wraps to 10. The other arguments are before them in
 * memory, and do not overlap. */
static void too_long_together(void) {
    struct {
        keylane_aes_gcm gcm;
        keylane_hmac_key key;
        keylane_hkdf prk;
        uint8_t out[64], part[12];
    } *s = malloc(sizeof *s + 63), *memory = s;
    keylane_bytes parts[3];
    size_t i;
    s = (void *)(((uintptr_t)s + 63) / 64 * 64);
    memset(s, 0, sizeof *s);
    for (i = 0; i < 3; i++) {
        parts[i].data = s->part, parts[i].len = i < 2 ? SIZE_MAX / 2 : sizeof s->part;
    }
    CHECK(keylane_hmac_key_init(&s->key, KEYLANE_SHA256, NULL, 0) == 0);
    CHECK(keylane_hkdf_extract(&s->prk, KEYLANE_SHA256, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_aes_gcm_init(&s->gcm, s->out, 16) == 0);
    /* With 32 bits a hash can count so many bytes, and would read them. */
    if (sizeof(size_t) == 8) {
        CHECK(keylane_hmac_key_mac_parts(&s->key, parts, 3, s->out, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
        CHECK(keylane_hkdf_expand_parts(&s->prk, parts, 3, s->out, 64) == KEYLANE_ERROR_INPUT_TOO_LONG);
    }
    CHECK(keylane_aes_gcm_seal_parts_to(&s->gcm, s->out, NULL, 0, parts, 3, s->out + 12, 16) ==
          KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(all((bytes){s->out, sizeof s->out}, 0));
    free(memory);
}

/* `call` fails, and the memory around is unchanged. */
#define REFUSED(call)                                                                                        \
    do {                                                                                                     \
        memcpy(before.data, b.data, b.len);                                                                  \
        CHECK((call) == KEYLANE_ERROR_OVERLAP);                                                              \
        CHECK(same(before, b));                                                                              \
    } while (0)

static void overlap(void) {
    bytes b = room(400), before = room(400);
    uint8_t nonce[24] = {0};
    keylane_aes aes;
    keylane_aes_ctr ctr;
    keylane_aes_gcm gcm;
    keylane_chacha20 chacha20;
    keylane_xchacha20 xchacha20;
    keylane_chacha20poly1305 aead;
    keylane_xchacha20poly1305 x;
    keylane_hmac_key key;
    keylane_hkdf prk;
    keylane_bytes list[3];
    uint64_t position;
    /* By all but one byte, by half, by one byte; in both directions. */
    static const int SHIFTS[] = {1, 50, 99, -1, -50, -99};
    size_t i;

    CHECK(keylane_aes_init(&aes, nonce, 16) == 0 && keylane_aes_ctr_init(&ctr, &aes, nonce) == 0);
    CHECK(keylane_aes_gcm_init(&gcm, nonce, 16) == 0 && keylane_chacha20poly1305_init(&aead, b.data) == 0);
    CHECK(keylane_xchacha20poly1305_init(&x, b.data) == 0);
    CHECK(keylane_chacha20_init(&chacha20, b.data, nonce) == 0);
    CHECK(keylane_xchacha20_init(&xchacha20, b.data, nonce) == 0);
    CHECK(keylane_hmac_key_init(&key, KEYLANE_SHA256, nonce, 16) == 0);
    CHECK(keylane_hkdf_extract(&prk, KEYLANE_SHA256, NULL, 0, NULL, 0) == 0);
    for (i = 0; i < b.len; i++) {
        b.data[i] = (uint8_t)i;
    }
    for (i = 0; i < sizeof SHIFTS / sizeof *SHIFTS; i++) {
        uint8_t *in = b.data + 150, *out = in + SHIFTS[i];
        REFUSED(keylane_aes_ctr_xor_keystream_to(&ctr, in, 100, out, 100));
        REFUSED(keylane_chacha20_xor_keystream_to(&chacha20, in, 100, out, 100));
        REFUSED(keylane_xchacha20_xor_keystream_to(&xchacha20, in, 100, out, 100));
        REFUSED(keylane_aes_gcm_seal_to(&gcm, nonce, NULL, 0, in, 100, out, 116));
        REFUSED(keylane_aes_gcm_open_to(&gcm, nonce, NULL, 0, in, 116, out, 100));
        REFUSED(keylane_chacha20poly1305_seal_to(&aead, nonce, NULL, 0, in, 100, out, 116));
        REFUSED(keylane_chacha20poly1305_open_to(&aead, nonce, NULL, 0, in, 116, out, 100));
        REFUSED(keylane_xchacha20poly1305_seal_to(&x, nonce, NULL, 0, in, 100, out, 116));
        REFUSED(keylane_xchacha20poly1305_open_to(&x, nonce, NULL, 0, in, 116, out, 100));
        /* The additional data, the nonce, the tag. */
        REFUSED(keylane_aes_gcm_seal(&gcm, nonce, in, 100, out, 100, nonce));
        REFUSED(keylane_chacha20poly1305_open(&aead, nonce, in, 100, out, 100, nonce));
        REFUSED(keylane_hkdf_expand(&prk, in, 100, out, 100));
        REFUSED(keylane_pbkdf2_derive(KEYLANE_SHA256, in, 100, NULL, 0, 1, out, 100));
        REFUSED(keylane_pbkdf2_derive(KEYLANE_SHA256, NULL, 0, in, 100, 1, out, 100));
        list[0].data = NULL, list[0].len = 0;
        list[1].data = in, list[1].len = 100;
        list[2].data = NULL, list[2].len = 0;
        REFUSED(keylane_aes_gcm_seal_parts_to(&gcm, nonce, NULL, 0, list, 3, out, 116));
        REFUSED(keylane_hkdf_expand_parts(&prk, list, 3, out, 100));
        REFUSED(keylane_hash_digest_many(KEYLANE_SHA256, list, 3, out, 96 + (SHIFTS[i] < -90 ? 32 : 0)));
        REFUSED(keylane_hmac_key_mac_many(&key, list, 3, out, 96 + (SHIFTS[i] < -90 ? 32 : 0)));
    }
    /* Short results. */
    REFUSED(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data + 99, 32));
    REFUSED(keylane_hash_digest(KEYLANE_SHA256, b.data + 31, 100, b.data, 32));
    REFUSED(keylane_hmac_key_mac(&key, b.data + 1, 100, b.data, 32));
    REFUSED(keylane_hmac_mac(KEYLANE_SHA256, b.data, 2, NULL, 0, b.data + 1, 32));
    REFUSED(keylane_poly1305_mac(b.data, NULL, 0, b.data + 31));
    REFUSED(keylane_aes_gcm_seal(&gcm, b.data, NULL, 0, b.data + 11, 10, nonce));
    REFUSED(keylane_aes_gcm_seal(&gcm, nonce, NULL, 0, b.data, 100, b.data + 99));
    REFUSED(keylane_aes_gcm_seal(&gcm, nonce, NULL, 0, b.data, 100, b.data));
    REFUSED(keylane_aes_gcm_open(&gcm, nonce, NULL, 0, b.data, 100, b.data + 99));
    /* Structs. */
    CHECK(keylane_aes_encrypt_blocks(&aes, (uint8_t *)&aes, 16) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_hmac_key_export(&key, (uint8_t *)&key, 72) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_hmac_key_init(&key, KEYLANE_SHA256, (uint8_t *)&key + 1, 10) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_aes_ctr_position(&ctr, (uint64_t *)(void *)&ctr) == KEYLANE_ERROR_OVERLAP);
    list[0].data = b.data, list[0].len = 1;
    CHECK(keylane_hash_digest_many(KEYLANE_SHA256, list, 1, (uint8_t *)list, 32) == KEYLANE_ERROR_OVERLAP);

    /* Adjacent memory does not overlap. */
    CHECK(keylane_aes_ctr_xor_keystream_to(&ctr, b.data, 100, b.data + 100, 100) == 0);
    CHECK(keylane_aes_ctr_xor_keystream_to(&ctr, b.data + 100, 100, b.data, 100) == 0);
    CHECK(keylane_aes_gcm_seal(&gcm, nonce, b.data, 50, b.data + 50, 50, b.data + 100) == 0);
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data + 100, 32) == 0);
    /* Empty arguments do not overlap anything. */
    CHECK(keylane_aes_gcm_seal(&gcm, nonce, b.data + 50, 0, b.data, 100, b.data + 100) == 0);
    /* A short result may begin where an input begins. */
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, before.data, 32) == 0);
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data, 32) == 0);
    CHECK(memcmp(b.data, before.data, 32) == 0);
    /* The failed calls have not advanced the key stream. */
    CHECK(keylane_aes_ctr_position(&ctr, &position) == 0 && position == 200);
    CHECK(keylane_chacha20_position(&chacha20, &position) == 0 && position == 0);
    FREE(b);
    FREE(before);
}

/* Every function that takes a struct, on one that was zeroed, filled with other bytes, or wiped. */
#define HOLDS_NOTHING(struct_name, call)                                                                     \
    do {                                                                                                     \
        struct_name s;                                                                                       \
        memset(&s, 0, sizeof s);                                                                             \
        CHECK((call) == KEYLANE_ERROR_UNINITIALISED);                                                        \
        memset(&s, 0xff, sizeof s);                                                                          \
        CHECK((call) == KEYLANE_ERROR_UNINITIALISED);                                                        \
        struct_name##_wipe(&s);                                                                              \
        CHECK((call) == KEYLANE_ERROR_UNINITIALISED);                                                        \
    } while (0)

static void uninitialised(void) {
    uint8_t b[200] = {0}, *tag = b + 150;
    uint64_t n;
    keylane_hmac mac;
    keylane_aes_ctr ctr;
    HOLDS_NOTHING(keylane_hash, keylane_hash_update(&s, b, 1));
    HOLDS_NOTHING(keylane_hash, keylane_hash_finalize(&s, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_mac(&s, b, 1, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_mac_parts(&s, NULL, 0, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_mac_many(&s, NULL, 0, NULL, 0));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_verify(&s, b, 1, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_verify_truncated(&s, b, 1, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_verify_many(&s, NULL, 0, NULL, 0));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_export(&s, b, 72));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_start(&mac, &s));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_update(&s, b, 1));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_finalize(&s, b, 32));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_finalize_reset(&s, b, 32));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_reset(&s));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_verify(&s, b, 32));
    HOLDS_NOTHING(keylane_hkdf, keylane_hkdf_expand(&s, NULL, 0, b, 1));
    HOLDS_NOTHING(keylane_hkdf, keylane_hkdf_expand_parts(&s, NULL, 0, b, 1));
    HOLDS_NOTHING(keylane_aes, keylane_aes_encrypt_blocks(&s, b, 16));
    HOLDS_NOTHING(keylane_aes, keylane_aes_decrypt_blocks(&s, b, 16));
    HOLDS_NOTHING(keylane_aes, keylane_aes_ctr_init(&ctr, &s, b));
    HOLDS_NOTHING(keylane_aes_ctr, keylane_aes_ctr_xor_keystream(&s, b, 1));
    HOLDS_NOTHING(keylane_aes_ctr, keylane_aes_ctr_xor_keystream_to(&s, b, 1, b, 1));
    HOLDS_NOTHING(keylane_aes_ctr, keylane_aes_ctr_seek(&s, 0));
    HOLDS_NOTHING(keylane_aes_ctr, keylane_aes_ctr_position(&s, &n));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_seal(&s, b, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_open(&s, b, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_seal_to(&s, b, NULL, 0, NULL, 0, b + 12, 16));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_seal_parts_to(&s, b, NULL, 0, NULL, 0, b + 12, 16));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_open_to(&s, b, NULL, 0, b + 12, 16, NULL, 0));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_seal_any_nonce(&s, b, 1, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_aes_gcm, keylane_aes_gcm_open_any_nonce(&s, b, 1, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_aes_gcm,
                  keylane_aes_gcm_open_truncated_any_nonce(&s, b, 1, NULL, 0, b + 12, 1, tag, 12));
    HOLDS_NOTHING(keylane_aes_gcm_siv, keylane_aes_gcm_siv_seal(&s, b, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_xaes_256_gcm, keylane_xaes_256_gcm_open(&s, b, NULL, 0, b + 24, 1, tag));
    HOLDS_NOTHING(keylane_chacha20, keylane_chacha20_xor_keystream(&s, b, 1));
    HOLDS_NOTHING(keylane_chacha20, keylane_chacha20_xor_keystream_to(&s, b, 1, b, 1));
    HOLDS_NOTHING(keylane_chacha20, keylane_chacha20_seek(&s, 0));
    HOLDS_NOTHING(keylane_chacha20, keylane_chacha20_position(&s, &n));
    HOLDS_NOTHING(keylane_xchacha20, keylane_xchacha20_xor_keystream(&s, b, 1));
    HOLDS_NOTHING(keylane_chacha20poly1305, keylane_chacha20poly1305_seal(&s, b, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_xchacha20poly1305, keylane_xchacha20poly1305_open(&s, b, NULL, 0, b + 24, 1, tag));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_update(&s, b, 1));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_pad_to_block(&s));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_finalize(&s, b));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_verify(&s, b));
}

static void no_such_hash(void) {
    static const int NUMBERS[] = {INT32_MIN, -1, 0, 7, 256 + 3, INT32_MAX};
    uint8_t b[64] = {0};
    keylane_hash hash;
    keylane_hmac_key key;
    keylane_hmac mac;
    keylane_hkdf prk;
    size_t i;
    for (i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        const int n = NUMBERS[i], invalid = KEYLANE_ERROR_INVALID_PARAMETER;
        CHECK(keylane_hash_digest(n, NO_BYTES, 0, b, 32) == invalid);
        CHECK(keylane_hash_digest_many(n, NULL, 0, NULL, 0) == invalid);
        CHECK(keylane_hash_init(&hash, n) == invalid);
        CHECK(keylane_hmac_mac(n, b, 1, b, 1, b, 32) == invalid);
        CHECK(keylane_hmac_key_init(&key, n, b, 1) == invalid);
        CHECK(keylane_hmac_key_import(&key, n, b, 48) == invalid);
        CHECK(keylane_hmac_init(&mac, n, b, 1) == invalid);
        CHECK(keylane_hkdf_extract(&prk, n, b, 1, b, 1) == invalid);
        CHECK(keylane_hkdf_from_bytes(&prk, n, b, 64) == invalid);
        CHECK(keylane_pbkdf2_derive(n, b, 1, b, 1, 1, b + 1, 1) == invalid);
        CHECK(keylane_pbkdf2_derive_many(n, NULL, NULL, 0, 1, NULL, 1) == invalid);
        CHECK(keylane_pbkdf2_verify(n, b, 1, b, 1, 1, b, 1) == invalid);
    }
    CHECK(keylane_pbkdf2_derive(KEYLANE_SHA1, b, 1, b, 1, 0, b + 1, 1) == KEYLANE_ERROR_INVALID_PARAMETER);
}

/* A digest that is shorter or longer than the hash's. The struct can be used again. */
static void wrong_lengths(void) {
    uint8_t b[64] = {0};
    keylane_hash hash;
    keylane_hmac_key key;
    keylane_hmac mac;
    size_t len;
    CHECK(keylane_hash_init(&hash, KEYLANE_SHA256) == 0);
    CHECK(keylane_hmac_key_init(&key, KEYLANE_SHA256, b, 1) == 0);
    CHECK(keylane_hmac_start(&mac, &key) == 0);
    for (len = 0; len <= 64; len++) {
        const int expected = len == 32 ? 0 : KEYLANE_ERROR_WRONG_LENGTH;
        CHECK(keylane_hash_digest(KEYLANE_SHA256, b, 1, b, len) == expected);
        CHECK(keylane_hmac_mac(KEYLANE_SHA256, b, 1, b, 1, b, len) == expected);
        CHECK(keylane_hmac_key_mac(&key, b, 1, b, len) == expected);
        CHECK(keylane_hmac_key_mac_parts(&key, NULL, 0, b, len) == expected);
        CHECK(keylane_hmac_finalize_reset(&mac, b, len) == expected);
        CHECK((keylane_hmac_key_verify(&key, b, 1, b, len) == KEYLANE_ERROR_WRONG_LENGTH) == (len != 32));
        CHECK((keylane_hmac_key_verify_truncated(&key, b, 1, b, len) == KEYLANE_ERROR_WRONG_LENGTH) ==
              (len < 10 || len > 32));
        CHECK(keylane_hmac_key_export(&key, b, len) == KEYLANE_ERROR_WRONG_LENGTH);
        CHECK(keylane_hmac_key_import(&key, KEYLANE_SHA256, b, len) == KEYLANE_ERROR_WRONG_LENGTH);
        if (len != 32) {
            CHECK(keylane_hash_finalize(&hash, b, len) == KEYLANE_ERROR_WRONG_LENGTH);
        }
    }
    CHECK(keylane_hash_finalize(&hash, b, 32) == 0);
}

static void messages(void) {
    static const int CODES[] = {
        KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_WRONG_LENGTH,
        KEYLANE_ERROR_INVALID_PARAMETER,     KEYLANE_ERROR_NULL,           KEYLANE_ERROR_OVERLAP,
        KEYLANE_ERROR_UNINITIALISED,         KEYLANE_ERROR_SELF_TEST,      KEYLANE_ERROR_INTERNAL};
    const char *unknown = keylane_error_message(12345);
    size_t i;
    for (i = 0; i < sizeof CODES / sizeof *CODES; i++) {
        CHECK(CODES[i] < 0 && strcmp(keylane_error_message(CODES[i]), unknown) != 0);
    }
    CHECK(strcmp(keylane_error_message(0), unknown) != 0);
}

int main(void) {
    null_pointers();
    too_long_together();
    overlap();
    uninitialised();
    no_such_hash();
    wrong_lengths();
    messages();
    DONE();
}
