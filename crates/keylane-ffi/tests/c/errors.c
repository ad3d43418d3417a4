/* Errors, and that nothing is written then: null, overlap, uninitialised structs, unknown numbers. */
#define KEYLANE_NONNULL(...) /* This file passes null on purpose. */
#include "check.h"
#include <keylane.h>

static const uint8_t *const NO_BYTES = NULL;

static void null_pointers(void) {
    uint8_t b[80] = {0};
    const size_t offsets[3] = {0, 1, 1};
    uint64_t n;
    keylane_hash hash;
    keylane_hmac_key key;
    keylane_hmac mac;
    keylane_hkdf prk;
    keylane_aead aead;
    keylane_keystream stream;
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
    CHECK(keylane_aead_init(&aead, KEYLANE_AES_128_GCM, b, 16) == 0);
    CHECK(keylane_keystream_init(&stream, KEYLANE_CHACHA20, b, 32, b, 12) == 0);
    CHECK(keylane_keystream_xor(&stream, NULL, 0) == 0);
    CHECK(keylane_poly1305_mac(b, NULL, 0, b + 32) == 0);
    CHECK(keylane_poly1305_init(&poly1305, b) == 0 && keylane_poly1305_update(&poly1305, NULL, 0) == 0);
    /* Messages that are all empty. */
    CHECK(keylane_hash_digest_many(SHA256, NULL, offsets + 1, 1, b, 32) == 0);
    CHECK(keylane_aead_seal_many(&aead, b, NULL, NULL, b + 60, offsets + 1, b + 20, 1) == 0);

    /* With another length, it is not. */
    CHECK(keylane_hash_digest(SHA256, NULL, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_hash_digest(SHA256, b, 1, NULL, 32) == NULL_POINTER);
    CHECK(keylane_hash_digest_many(SHA256, NULL, offsets, 2, b, 64) == NULL_POINTER);
    CHECK(keylane_hash_digest_many(SHA256, b + 70, NULL, 2, b, 64) == NULL_POINTER);
    CHECK(keylane_hash_digest_many(SHA256, b + 70, offsets, 2, NULL, 64) == NULL_POINTER);
    CHECK(keylane_hash_update(&hash, NULL, 1) == NULL_POINTER);
    CHECK(keylane_hash_finalize(&hash, NULL, 32) == NULL_POINTER);
    CHECK(keylane_hmac_key_mac(&key, NULL, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_hmac_key_verify(&key, b, 1, NULL, 32) == NULL_POINTER);
    CHECK(keylane_hkdf_expand(&prk, NULL, 0, NULL, 1) == NULL_POINTER);
    CHECK(keylane_pbkdf2_derive(SHA256, NULL, 1, NULL, 0, 1, NULL, 0) == NULL_POINTER);
    CHECK(keylane_aead_init(&aead, KEYLANE_AES_128_GCM, NULL, 16) == NULL_POINTER);
    CHECK(keylane_aead_seal(&aead, b, 12, NULL, 1, b + 32, 1, b + 16) == NULL_POINTER);
    CHECK(keylane_aead_seal_many(&aead, NULL, NULL, NULL, b + 60, offsets, b, 2) == NULL_POINTER);
    CHECK(keylane_aead_seal_many(&aead, b + 32, NULL, offsets, b + 60, offsets, b, 2) == NULL_POINTER);
    CHECK(keylane_aead_seal_many(&aead, b + 32, b + 70, NULL, b + 60, offsets, b, 2) == NULL_POINTER);
    CHECK(keylane_aead_seal_many(&aead, b + 32, NULL, NULL, NULL, offsets, b, 2) == NULL_POINTER);
    CHECK(keylane_aead_open_many(&aead, b + 32, NULL, NULL, b + 60, offsets, b, NULL, 2) == NULL_POINTER);
    CHECK(keylane_keystream_init(&stream, KEYLANE_CHACHA20, b, 32, NULL, 12) == NULL_POINTER);
    CHECK(keylane_keystream_xor_to(&stream, b, NULL, 1) == NULL_POINTER);
    CHECK(keylane_keystream_xor_to(&stream, NULL, NULL, 1) == NULL_POINTER);

    /* Structs, arrays and numbers must not be null. */
    CHECK(keylane_hash_init(NULL, SHA256) == NULL_POINTER);
    CHECK(keylane_hash_update(NULL, b, 1) == NULL_POINTER);
    CHECK(keylane_hmac_start(&mac, NULL) == NULL_POINTER);
    CHECK(keylane_hmac_key_mac(NULL, b, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_aead_init(NULL, KEYLANE_AES_128_GCM, b, 16) == NULL_POINTER);
    CHECK(keylane_aead_seal(NULL, b, 12, NULL, 0, NULL, 0, b) == NULL_POINTER);
    CHECK(keylane_aead_seal(&aead, NULL, 12, NULL, 0, NULL, 0, b) == NULL_POINTER);
    CHECK(keylane_aead_seal(&aead, b, 12, NULL, 0, NULL, 0, NULL) == NULL_POINTER);
    CHECK(keylane_aead_open(&aead, b, 12, NULL, 0, NULL, 0, NULL) == NULL_POINTER);
    CHECK(keylane_keystream_position(&stream, NULL) == NULL_POINTER);
    CHECK(keylane_keystream_position(NULL, &n) == NULL_POINTER);
    CHECK(keylane_hmac_verify_any(&key, 1, b, 1, b, 32, NULL) == NULL_POINTER);
    CHECK(keylane_aead_seal_tag_len(&aead, b, 12, NULL, 0, NULL, 0, NULL, 4) == NULL_POINTER);
    CHECK(keylane_aead_open_tag_len(&aead, b, 12, NULL, 0, NULL, 0, NULL, 4) == NULL_POINTER);
    CHECK(keylane_poly1305_mac(NULL, b, 1, b) == NULL_POINTER);

    /* No object has such a length. */
    CHECK(keylane_hash_digest(SHA256, b, SIZE_MAX, b, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_hash_digest_many(SHA256, b, offsets, SIZE_MAX, b, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_aead_seal_many(&aead, b, NULL, NULL, b, offsets, b, SIZE_MAX) ==
          KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_pbkdf2_derive_many(SHA256, b, offsets, b, offsets, 2, 1, b, SIZE_MAX) ==
          KEYLANE_ERROR_INPUT_TOO_LONG);

    keylane_hash_wipe(NULL);
    keylane_hmac_key_wipe(NULL);
    keylane_hmac_wipe(NULL);
    keylane_hkdf_wipe(NULL);
    keylane_aead_wipe(NULL);
    keylane_keystream_wipe(NULL);
    keylane_poly1305_wipe(NULL);
}

/* Offsets that decrease, or that no buffer has; a count whose arrays no memory has. */
static void wrong_offsets(void) {
    uint8_t b[100] = {0}, tags[48], opened[3] = {9, 9, 9};
    static const size_t WRONG[][4] = {
        {0, 2, 1, 3}, {3, 2, 1, 0}, {0, 0, 0, SIZE_MAX}, {0, SIZE_MAX, SIZE_MAX, SIZE_MAX},
        /* Not to before the buffer. */
        {SIZE_MAX - 7, SIZE_MAX - 5, SIZE_MAX - 4, SIZE_MAX - 3}};
    const size_t good[4] = {0, 1, 2, 3};
    keylane_aead aead;
    size_t i;
    CHECK(keylane_aead_init(&aead, KEYLANE_CHACHA20_POLY1305, b, 32) == 0);
    memset(tags, 9, sizeof tags);
    for (i = 0; i < 5; i++) {
        const int expected = i < 2 ? KEYLANE_ERROR_INVALID_PARAMETER : KEYLANE_ERROR_INPUT_TOO_LONG;
        const size_t *wrong = WRONG[i];
        CHECK(keylane_hash_digest_many(KEYLANE_SHA1, b, wrong, 3, b + 20, 60) == expected);
        CHECK(keylane_aead_seal_many(&aead, b, NULL, NULL, b + 50, wrong, tags, 3) == expected);
        CHECK(keylane_aead_seal_many(&aead, b, b + 60, wrong, b + 50, good, tags, 3) == expected);
        CHECK(keylane_aead_open_many(&aead, b, b + 60, wrong, b + 50, good, tags, opened, 3) == expected);
        CHECK(keylane_pbkdf2_derive_many(KEYLANE_SHA1, b, good, b, wrong, 3, 1, tags, 2) == expected);
        CHECK(all((bytes){b, sizeof b}, 0) && all((bytes){tags, sizeof tags}, 9) &&
              all((bytes){opened, 3}, 9));
    }
}

/* The last of more messages than are processed together is longer than AES-GCM allows: no message is written,
 * and none is looked at. */
static void one_too_long(void) {
    enum { COUNT = 65 };
    /* The texts are last: as long as they claim to be, they would overlap what comes after them. */
    static struct {
        keylane_aead aead;
        size_t offsets[COUNT + 1];
        uint8_t nonces[12 * COUNT], tags[16 * COUNT], text[COUNT];
    } m;
    size_t i;
    if (sizeof(size_t) < 8) {
        return; /* No text is too long. */
    }
    CHECK(keylane_aead_init(&m.aead, KEYLANE_AES_256_GCM, m.nonces, 32) == 0);
    for (i = 0; i < COUNT; i++) {
        m.offsets[i] = i;
    }
    /* NIST SP 800-38D: 2^39 - 256 bits. */
    m.offsets[COUNT] = COUNT - 1 + (size_t)(((uint64_t)1 << 36) - 31);
    CHECK(keylane_aead_seal_many(&m.aead, m.nonces, NULL, NULL, m.text, m.offsets, m.tags, COUNT) ==
          KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(all((bytes){m.text, COUNT}, 0) && all((bytes){m.tags, sizeof m.tags}, 0));
    keylane_aead_wipe(&m.aead);
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
    uint8_t nonce[24] = {0}, tags[48], opened[3];
    keylane_aead aead;
    keylane_keystream stream;
    keylane_hmac_key key;
    keylane_hkdf prk;
    size_t offsets[4] = {0, 0, 100, 100};
    uint64_t position;
    /* By all but one byte, by half, by one byte; in both directions. */
    static const int SHIFTS[] = {1, 50, 99, -1, -50, -99};
    size_t i;
    int algorithm;

    CHECK(keylane_keystream_init(&stream, KEYLANE_AES_CTR, nonce, 16, nonce, 16) == 0);
    CHECK(keylane_hmac_key_init(&key, KEYLANE_SHA256, nonce, 16) == 0);
    CHECK(keylane_hkdf_extract(&prk, KEYLANE_SHA256, NULL, 0, NULL, 0) == 0);
    for (i = 0; i < b.len; i++) {
        b.data[i] = (uint8_t)i;
    }
    for (algorithm = KEYLANE_AES_128_GCM; algorithm <= KEYLANE_XAES_256_GCM; algorithm++) {
        const size_t len = keylane_aead_nonce_len(algorithm);
        CHECK(keylane_aead_init(&aead, algorithm, b.data, keylane_aead_key_len(algorithm)) == 0);
        for (i = 0; i < sizeof SHIFTS / sizeof *SHIFTS; i++) {
            uint8_t *in = b.data + 150, *out = in + SHIFTS[i];
            REFUSED(keylane_aead_seal_to(&aead, nonce, len, NULL, 0, in, 100, out, 116));
            REFUSED(keylane_aead_open_to(&aead, nonce, len, NULL, 0, in, 116, out, 100));
            REFUSED(keylane_aead_seal(&aead, nonce, len, in, 100, out, 100, tags));
            REFUSED(keylane_aead_open(&aead, nonce, len, in, 100, out, 100, tags));
            REFUSED(keylane_aead_seal_random(&aead, NULL, 0, in, 100, out, 100));
            REFUSED(keylane_aead_seal_many(&aead, b.data, in, offsets, out, offsets, tags, 3));
            REFUSED(keylane_aead_open_many(&aead, b.data, in, offsets, out, offsets, tags, opened, 3));
            REFUSED(keylane_aead_seal_many(&aead, in, NULL, NULL, in + 3 * len - 1, offsets, tags, 3));
            REFUSED(keylane_aead_seal_many(&aead, b.data, NULL, NULL, in, offsets, in + 99, 3));
        }
        REFUSED(keylane_aead_seal(&aead, b.data, len, NULL, 0, b.data + len - 1, 10, tags));
        REFUSED(keylane_aead_seal(&aead, nonce, len, NULL, 0, b.data, 100, b.data + 99));
        REFUSED(keylane_aead_seal(&aead, nonce, len, NULL, 0, b.data, 100, b.data));
        REFUSED(keylane_aead_open(&aead, nonce, len, NULL, 0, b.data, 100, b.data + 99));
        CHECK(keylane_aead_seal_many(&aead, nonce, NULL, NULL, b.data, offsets, (uint8_t *)(offsets + 3) + 7,
                                     3) == KEYLANE_ERROR_OVERLAP);
    }
    CHECK(keylane_aead_init(&aead, KEYLANE_AES_128_GCM, nonce, 16) == 0);
    for (i = 0; i < sizeof SHIFTS / sizeof *SHIFTS; i++) {
        uint8_t *in = b.data + 150, *out = in + SHIFTS[i];
        const size_t digests = 96 + (SHIFTS[i] < -90 ? 32 : 0);
        REFUSED(keylane_keystream_xor_to(&stream, in, out, 100));
        REFUSED(keylane_hkdf_expand(&prk, in, 100, out, 100));
        REFUSED(keylane_pbkdf2_derive(KEYLANE_SHA256, in, 100, NULL, 0, 1, out, 100));
        REFUSED(keylane_pbkdf2_derive(KEYLANE_SHA256, NULL, 0, in, 100, 1, out, 100));
        REFUSED(keylane_pbkdf2_derive_many(KEYLANE_SHA256, in, offsets, in, offsets, 3, 1, out, digests / 3));
        REFUSED(keylane_hash_digest_many(KEYLANE_SHA256, in, offsets, 3, out, digests));
        REFUSED(keylane_hmac_key_mac_many(&key, in, offsets, 3, out, digests));
    }
    /* Short results. */
    REFUSED(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data + 99, 32));
    REFUSED(keylane_hash_digest(KEYLANE_SHA256, b.data + 31, 100, b.data, 32));
    REFUSED(keylane_hmac_key_mac(&key, b.data + 1, 100, b.data, 32));
    REFUSED(keylane_hmac_mac(KEYLANE_SHA256, b.data, 2, NULL, 0, b.data + 1, 32));
    REFUSED(keylane_poly1305_mac(b.data, NULL, 0, b.data + 31));
    /* Structs. */
    CHECK(keylane_aead_seal(&aead, nonce, 12, NULL, 0, (uint8_t *)&aead, 16, tags) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_aead_seal(&aead, nonce, 12, (uint8_t *)&aead, 16, NULL, 0, tags) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_hmac_key_export(&key, (uint8_t *)&key, 72) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_hmac_key_init(&key, KEYLANE_SHA256, (uint8_t *)&key + 1, 10) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_keystream_position(&stream, (uint64_t *)(void *)&stream) == KEYLANE_ERROR_OVERLAP);
    REFUSED(keylane_hmac_verify_any(&key, 1, b.data, 32, nonce, 0, (size_t *)(void *)b.data));
    REFUSED(keylane_hmac_verify_any(&key, 1, nonce, 24, b.data, 32, (size_t *)(void *)b.data));
    REFUSED(keylane_hmac_verify_any(&key, 1, b.data, 32, b.data, 32, (size_t *)(void *)&key));

    /* Adjacent memory does not overlap. */
    CHECK(keylane_keystream_xor_to(&stream, b.data, b.data + 100, 100) == 0);
    CHECK(keylane_keystream_xor_to(&stream, b.data + 100, b.data, 100) == 0);
    CHECK(keylane_aead_seal(&aead, nonce, 12, b.data, 50, b.data + 50, 50, b.data + 100) == 0);
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data + 100, 32) == 0);
    /* Empty arguments do not overlap anything. */
    CHECK(keylane_aead_seal(&aead, nonce, 12, b.data + 50, 0, b.data, 100, b.data + 100) == 0);
    /* A short result may begin where an input begins. */
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, before.data, 32) == 0);
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data, 32) == 0);
    CHECK(memcmp(b.data, before.data, 32) == 0);
    /* The failed calls have not advanced the key stream. */
    CHECK(keylane_keystream_position(&stream, &position) == 0 && position == 200);
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
    const size_t offsets[2] = {0, 1};
    uint64_t n;
    keylane_hmac mac;
    HOLDS_NOTHING(keylane_hash, keylane_hash_update(&s, b, 1));
    HOLDS_NOTHING(keylane_hash, keylane_hash_finalize(&s, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_mac(&s, b, 1, b, 32));
    HOLDS_NOTHING(keylane_hash, keylane_hash_finalize_many(&s, NULL, NULL, 0, NULL, 0));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_mac_many(&s, NULL, NULL, 0, NULL, 0));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_verify(&s, b, 1, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_verify_truncated(&s, b, 1, b, 32));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_verify_many(&s, NULL, NULL, 0, NULL, 0));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_verify_any(&s, 1, b, 1, b, 32, (size_t *)(void *)tag));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_key_export(&s, b, 72));
    HOLDS_NOTHING(keylane_hmac_key, keylane_hmac_start(&mac, &s));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_update(&s, b, 1));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_finalize(&s, b, 32));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_finalize_reset(&s, b, 32));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_reset(&s));
    HOLDS_NOTHING(keylane_hmac, keylane_hmac_verify(&s, b, 32));
    HOLDS_NOTHING(keylane_hkdf, keylane_hkdf_expand(&s, NULL, 0, b, 1));
    HOLDS_NOTHING(keylane_aead, keylane_aead_seal(&s, b, 12, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_aead, keylane_aead_open(&s, b, 12, NULL, 0, b + 12, 1, tag));
    HOLDS_NOTHING(keylane_aead, keylane_aead_seal_to(&s, b, 12, NULL, 0, NULL, 0, b + 12, 16));
    HOLDS_NOTHING(keylane_aead, keylane_aead_open_to(&s, b, 12, NULL, 0, b + 12, 16, NULL, 0));
    HOLDS_NOTHING(keylane_aead, keylane_aead_seal_many(&s, b, NULL, NULL, b + 24, offsets, tag, 1));
    HOLDS_NOTHING(keylane_aead, keylane_aead_open_many(&s, b, NULL, NULL, b + 24, offsets, tag, b + 30, 1));
    HOLDS_NOTHING(keylane_aead, keylane_aead_seal_tag_len(&s, b, 12, NULL, 0, b + 12, 1, tag, 4));
    HOLDS_NOTHING(keylane_aead, keylane_aead_open_tag_len(&s, b, 12, NULL, 0, b + 12, 1, tag, 4));
    HOLDS_NOTHING(keylane_aead, keylane_aead_seal_random(&s, NULL, 0, NULL, 0, b, 28));
    HOLDS_NOTHING(keylane_aead, keylane_aead_open_random(&s, NULL, 0, b, 28, NULL, 0));
    HOLDS_NOTHING(keylane_keystream, keylane_keystream_xor(&s, b, 1));
    HOLDS_NOTHING(keylane_keystream, keylane_keystream_xor_to(&s, b, b, 1));
    HOLDS_NOTHING(keylane_keystream, keylane_keystream_seek(&s, 0));
    HOLDS_NOTHING(keylane_keystream, keylane_keystream_position(&s, &n));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_update(&s, b, 1));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_pad_to_block(&s));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_finalize(&s, b));
    HOLDS_NOTHING(keylane_poly1305, keylane_poly1305_verify(&s, b));
}

static void no_such_algorithm(void) {
    static const int NUMBERS[] = {INT32_MIN, -1, 0, 9, 256 + 3, INT32_MAX};
    uint8_t b[64] = {0};
    keylane_hash hash;
    keylane_hmac_key key;
    keylane_hmac mac;
    keylane_hkdf prk;
    keylane_aead aead;
    keylane_keystream stream;
    size_t i;
    for (i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        const int n = NUMBERS[i], invalid = KEYLANE_ERROR_INVALID_PARAMETER;
        CHECK(keylane_hash_digest(n, NO_BYTES, 0, b, 32) == invalid);
        CHECK(keylane_hash_digest_many(n, NULL, NULL, 0, NULL, 0) == invalid);
        CHECK(keylane_hash_init(&hash, n) == invalid);
        CHECK(keylane_hmac_mac(n, b, 1, b, 1, b, 32) == invalid);
        CHECK(keylane_hmac_key_init(&key, n, b, 1) == invalid);
        CHECK(keylane_hmac_key_import(&key, n, b, 48) == invalid);
        CHECK(keylane_hmac_init(&mac, n, b, 1) == invalid);
        CHECK(keylane_hkdf_extract(&prk, n, b, 1, b, 1) == invalid);
        CHECK(keylane_hkdf_from_bytes(&prk, n, b, 64) == invalid);
        CHECK(keylane_pbkdf2_derive(n, b, 1, b, 1, 1, b + 1, 1) == invalid);
        CHECK(keylane_pbkdf2_derive_many(n, NULL, NULL, NULL, NULL, 0, 1, NULL, 1) == invalid);
        CHECK(keylane_pbkdf2_verify(n, b, 1, b, 1, 1, b, 1) == invalid);
        CHECK(keylane_aead_init(&aead, n, b, 32) == invalid);
        CHECK(keylane_keystream_init(&stream, n, b, 32, b + 32, 12) == invalid);
    }
    CHECK(keylane_pbkdf2_derive(KEYLANE_SHA1, b, 1, b, 1, 0, b + 1, 1) == KEYLANE_ERROR_INVALID_PARAMETER);
    CHECK(keylane_pbkdf2_verify(KEYLANE_SHA1, b, 1, b, 1, 0, b, 20) == KEYLANE_ERROR_INVALID_PARAMETER);
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
    /* A word of each. */
    static const char *const WORDS[] = {"authentication", "longer",      "length",    "parameter", "null",
                                        "overlaps",       "initialised", "self-test", "internal"};
    const char *unknown = keylane_error_message(12345);
    size_t i;
    for (i = 0; i < sizeof CODES / sizeof *CODES; i++) {
        CHECK(CODES[i] < 0 && strcmp(keylane_error_message(CODES[i]), unknown) != 0);
        CHECK(strstr(keylane_error_message(CODES[i]), WORDS[i]) != NULL);
    }
    CHECK(strcmp(keylane_error_message(0), unknown) != 0);
}

int main(void) {
    null_pointers();
    wrong_offsets();
    one_too_long();
    overlap();
    uninitialised();
    no_such_algorithm();
    wrong_lengths();
    messages();
    DONE();
}
