/* Errors, and that nothing is written then: null, overlap, unknown numbers. */
#define KEYLANE_NONNULL(...) /* This file passes null on purpose. */
#include "check.h"
#include <keylane.h>

/* One of each kind: `checks/c` calls every function at random with null, with what overlaps, with lengths
 * that no memory has, and with structs that were wiped. */
static void null_pointers(void) {
    uint8_t b[80] = {0};
    const size_t offsets[3] = {0, 1, 1};
    keylane_hash hash;
    keylane_aead aead;
    const int SHA256 = KEYLANE_SHA256, NULL_POINTER = KEYLANE_ERROR_NULL;

    /* With length 0, null is allowed. */
    CHECK(keylane_hash_digest(SHA256, NULL, 0, b, 32) == 0);
    CHECK(keylane_hash_init(&hash, SHA256) == 0 && keylane_hash_update(&hash, NULL, 0) == 0);
    CHECK(keylane_pbkdf2_derive(SHA256, NULL, 0, NULL, 0, 1, NULL, 0) == 0);
    CHECK(keylane_aead_init(&aead, KEYLANE_AES_128_GCM, b, 16) == 0);
    /* Messages that are all empty. */
    CHECK(keylane_hash_digest_many(SHA256, NULL, offsets + 1, 1, b, 32) == 0);
    CHECK(keylane_aead_seal_many(&aead, b, NULL, NULL, b + 60, offsets + 1, b + 20, 1) == 0);

    CHECK(keylane_hash_digest(SHA256, NULL, 1, b, 32) == NULL_POINTER);
    CHECK(keylane_hash_digest_many(SHA256, b + 70, NULL, 2, b, 64) == NULL_POINTER);
    CHECK(keylane_hash_update(&hash, NULL, 1) == NULL_POINTER);
    CHECK(keylane_aead_seal_many(&aead, b + 32, NULL, offsets, b + 60, offsets, b, 2) == NULL_POINTER);
    CHECK(keylane_aead_seal_many(&aead, b + 32, b + 70, NULL, b + 60, offsets, b, 2) == NULL_POINTER);
    CHECK(keylane_hash_init(NULL, SHA256) == NULL_POINTER);
    CHECK(keylane_aead_seal(&aead, b, 12, NULL, 0, NULL, 0, NULL) == NULL_POINTER);

    /* No object has such a length. */
    CHECK(keylane_hash_digest(SHA256, b, SIZE_MAX, b, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_hash_digest_many(SHA256, b, offsets, SIZE_MAX, b, 32) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_aead_seal_many(&aead, b, NULL, NULL, b, offsets, b, SIZE_MAX) ==
          KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_pbkdf2_derive_many(SHA256, b, offsets, b, offsets, 2, 1, b, SIZE_MAX) ==
          KEYLANE_ERROR_INPUT_TOO_LONG);

    keylane_hash_wipe(NULL);
    keylane_aead_wipe(NULL);
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

static void overlap(void) {
    bytes b = room(400), before = room(400);
    uint8_t nonce[12] = {0}, tags[48];
    const size_t offsets[4] = {0, 0, 100, 100};
    keylane_aead aead;
    keylane_keystream stream;
    uint64_t position;
    /* By all but one byte, by half, by one byte; in both directions. */
    static const int SHIFTS[] = {1, 50, 99, -1, -50, -99};
    size_t i;

    CHECK(keylane_keystream_init(&stream, KEYLANE_AES_CTR, b.data, 16, b.data, 16) == 0);
    CHECK(keylane_aead_init(&aead, KEYLANE_AES_128_GCM, b.data, 16) == 0);
    memcpy(before.data, b.data, b.len);
    for (i = 0; i < sizeof SHIFTS / sizeof *SHIFTS; i++) {
        uint8_t *in = b.data + 150, *out = in + SHIFTS[i];
        const int overlaps = KEYLANE_ERROR_OVERLAP;
        CHECK(keylane_aead_seal_to(&aead, nonce, 12, NULL, 0, in, 100, out, 116) == overlaps);
        CHECK(keylane_aead_open(&aead, nonce, 12, in, 100, out, 100, tags) == overlaps);
        CHECK(keylane_aead_seal_many(&aead, b.data, in, offsets, out, offsets, tags, 3) == overlaps);
        CHECK(keylane_keystream_xor_to(&stream, in, out, 100) == overlaps);
    }
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data + 31, 100, b.data, 32) == KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_aead_seal(&aead, nonce, 12, NULL, 0, (uint8_t *)&aead, 16, tags) == KEYLANE_ERROR_OVERLAP);
    CHECK(same(before, b));

    /* Adjacent memory does not overlap. */
    CHECK(keylane_keystream_xor_to(&stream, b.data, b.data + 100, 100) == 0);
    CHECK(keylane_keystream_xor_to(&stream, b.data + 100, b.data, 100) == 0);
    CHECK(keylane_aead_seal(&aead, nonce, 12, b.data, 50, b.data + 50, 50, b.data + 100) == 0);
    /* Empty arguments do not overlap anything. */
    CHECK(keylane_aead_seal(&aead, nonce, 12, b.data + 50, 0, b.data, 100, b.data + 100) == 0);
    /* A short result may begin where an input begins. */
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, before.data, 32) == 0);
    CHECK(keylane_hash_digest(KEYLANE_SHA256, b.data, 100, b.data, 32) == 0);
    CHECK(memcmp(b.data, before.data, 32) == 0);
    /* The failed calls have not advanced the key stream. */
    CHECK(keylane_keystream_position(&stream, &position) == 0 && position == 200);
    FREE(b, before);
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
        CHECK(keylane_hash_digest(n, b + 40, 0, b, 32) == invalid);
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
    CHECK(strcmp(keylane_error_message(0), "no error") == 0);
    CHECK(strcmp(keylane_error_message(KEYLANE_ERROR_OVERLAP),
                 "an output or a struct overlaps another argument") == 0);
    CHECK(strcmp(keylane_error_message(12345), "unknown error") == 0);
}

int main(void) {
    null_pointers();
    wrong_offsets();
    one_too_long();
    overlap();
    no_such_algorithm();
    wrong_lengths();
    messages();
    DONE();
}
