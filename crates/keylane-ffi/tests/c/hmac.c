/* HMAC: the second cases of RFC 2202 and RFC 4231, with every function that computes or verifies a tag. */
#include "check.h"
#include <keylane.h>

typedef struct {
    int hash;
    const char *tag;
} vector;

static const vector vectors[] = {
    {KEYLANE_SHA1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
    {KEYLANE_SHA224, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"},
    {KEYLANE_SHA256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {KEYLANE_SHA384,
     "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfa"
     "b21649"},
    {KEYLANE_SHA512,
     "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8"
     "f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
};

static void published(const vector *v) {
    bytes key = text("Jefe"), message = text("what do ya want for nothing?"), tag = hex(v->tag);
    bytes found = room(tag.len), state = room(keylane_hmac_key_state_len(v->hash));
    keylane_hmac_key prepared, imported;
    keylane_hmac mac;
    int other;
    size_t i;

    CHECK(keylane_hmac_mac(v->hash, key.data, key.len, message.data, message.len, found.data, found.len) ==
          0);
    CHECK(same(found, tag));

    CHECK(keylane_hmac_key_init(&prepared, v->hash, key.data, key.len) == 0);
    memset(found.data, 0, found.len);
    CHECK(keylane_hmac_key_mac(&prepared, message.data, message.len, found.data, found.len) == 0);
    CHECK(same(found, tag));
    CHECK(keylane_hmac_key_verify(&prepared, message.data, message.len, tag.data, tag.len) == 0);
    CHECK(keylane_hmac_key_verify_truncated(&prepared, message.data, message.len, tag.data, 10) == 0);

    CHECK(keylane_hmac_key_export(&prepared, state.data, state.len) == 0);
    CHECK(keylane_hmac_key_import(&imported, v->hash, state.data, state.len) == 0);
    memset(found.data, 0, found.len);
    CHECK(keylane_hmac_key_mac(&imported, message.data, message.len, found.data, found.len) == 0);
    CHECK(same(found, tag));
    other = v->hash == KEYLANE_SHA256 ? KEYLANE_SHA224 : KEYLANE_SHA512_256;
    CHECK(keylane_hmac_key_import(&imported, other, state.data, state.len) < 0);

    CHECK(keylane_hmac_init(&mac, v->hash, key.data, key.len) == 0);
    for (i = 0; i < message.len; i++) {
        CHECK(keylane_hmac_update(&mac, message.data + i, 1) == 0);
    }
    memset(found.data, 0, found.len);
    CHECK(keylane_hmac_finalize_reset(&mac, found.data, found.len) == 0);
    CHECK(same(found, tag));
    CHECK(keylane_hmac_update(&mac, message.data, message.len) == 0);
    memset(found.data, 0, found.len);
    CHECK(keylane_hmac_finalize_reset(&mac, found.data, found.len) == 0);
    CHECK(same(found, tag));
    CHECK(keylane_hmac_update(&mac, message.data, 1) == 0);
    CHECK(keylane_hmac_reset(&mac) == 0);
    CHECK(keylane_hmac_update(&mac, message.data, message.len) == 0);
    memset(found.data, 0, found.len);
    CHECK(keylane_hmac_finalize(&mac, found.data, found.len) == 0);
    CHECK(same(found, tag));

    CHECK(keylane_hmac_start(&mac, &prepared) == 0);
    CHECK(keylane_hmac_update(&mac, message.data, message.len) == 0);
    CHECK(keylane_hmac_verify(&mac, tag.data, tag.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hmac_verify(&mac, tag.data, tag.len) == 0);
    CHECK(keylane_hmac_verify(&mac, tag.data, tag.len) == KEYLANE_ERROR_UNINITIALISED);

    /* Forgeries. */
    tag.data[tag.len - 1] ^= 1;
    CHECK(keylane_hmac_key_verify(&prepared, message.data, message.len, tag.data, tag.len) ==
          KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(keylane_hmac_key_verify_truncated(&prepared, message.data, message.len, tag.data, tag.len) ==
          KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(keylane_hmac_start(&mac, &prepared) == 0);
    CHECK(keylane_hmac_update(&mac, message.data, message.len) == 0);
    CHECK(keylane_hmac_verify(&mac, tag.data, tag.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(keylane_hmac_update(&mac, message.data, 1) == KEYLANE_ERROR_UNINITIALISED);

    keylane_hmac_key_wipe(&prepared);
    keylane_hmac_key_wipe(&imported);
    CHECK(keylane_hmac_key_mac(&prepared, message.data, message.len, found.data, found.len) ==
          KEYLANE_ERROR_UNINITIALISED);
    FREE(key, message, tag, found, state);
}

/* More messages than are processed together. */
static void many(int hash) {
    enum { COUNT = 150 };
    keylane_hmac_key keys[3];
    const keylane_hmac_key *key = &keys[0];
    size_t offsets[COUNT + 1], which[COUNT], found, i, len = keylane_hash_output_len(hash);
    bytes memory = room(5 + COUNT * COUNT), tags = room(COUNT * len), one = room(len);
    CHECK(keylane_hmac_key_init(&keys[0], hash, (const uint8_t *)"key", 3) == 0);
    for (i = 0; i < memory.len; i++) {
        memory.data[i] = (uint8_t)(i * i >> 3);
    }
    offsets[0] = 5;
    for (i = 0; i < COUNT; i++) {
        offsets[i + 1] = offsets[i] + i;
    }
    CHECK(keylane_hmac_key_mac_many(key, memory.data, offsets, COUNT, tags.data, tags.len) == 0);
    for (i = 0; i < COUNT; i++) {
        CHECK(keylane_hmac_key_mac(key, memory.data + offsets[i], i, one.data, len) == 0);
        CHECK(memcmp(tags.data + i * len, one.data, len) == 0);
    }
    CHECK(keylane_hmac_key_verify_many(key, memory.data, offsets, COUNT, tags.data, tags.len) == 0);
    for (i = 0; i < COUNT; i += i < 70 ? 1 : 37) {
        tags.data[i * len] ^= 0x80;
        CHECK(keylane_hmac_key_verify_many(key, memory.data, offsets, COUNT, tags.data, tags.len) ==
              KEYLANE_ERROR_AUTHENTICATION_FAILED);
        tags.data[i * len] ^= 0x80;
    }
    CHECK(keylane_hmac_key_verify_many(key, memory.data, offsets, COUNT, tags.data, tags.len - 1) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hmac_key_mac_many(key, memory.data, offsets, COUNT - 1, tags.data, tags.len) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hmac_key_mac_many(key, NULL, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_hmac_key_verify_many(key, NULL, NULL, 0, NULL, 0) == 0);
    offsets[70]++, offsets[71] = offsets[70] - 1;
    CHECK(keylane_hmac_key_mac_many(key, memory.data, offsets, COUNT, tags.data, tags.len) ==
          KEYLANE_ERROR_INVALID_PARAMETER);
    offsets[70]--, offsets[71] = offsets[70] + 70;

    /* Under a key each, in any order. */
    CHECK(keylane_hmac_key_init(&keys[1], hash, (const uint8_t *)"another", 7) == 0);
    CHECK(keylane_hmac_key_init(&keys[2], hash, (const uint8_t *)"third", 5) == 0);
    for (i = 0; i < COUNT; i++) {
        which[i] = (7 * i + i / 5) % 3;
    }
#define EACH(keys_count, count, tags_len)                                                                    \
    keylane_hmac_key_mac_each(keys, keys_count, which, memory.data, offsets, count, tags.data, tags_len)
    CHECK(EACH(3, COUNT, tags.len) == 0);
    for (i = 0; i < COUNT; i++) {
        CHECK(keylane_hmac_key_mac(&keys[which[i]], memory.data + offsets[i], i, one.data, len) == 0);
        CHECK(memcmp(tags.data + i * len, one.data, len) == 0);
    }
    CHECK(EACH(3, COUNT - 1, tags.len) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(EACH(2, COUNT, tags.len) == KEYLANE_ERROR_INVALID_PARAMETER);
    CHECK(EACH(3, 0, 0) == 0 && EACH(3, 0, len) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hmac_key_mac_each(NULL, 0, NULL, NULL, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_hmac_key_mac_each(NULL, 3, which, memory.data, offsets, COUNT, tags.data, tags.len) ==
          KEYLANE_ERROR_NULL);
    CHECK(keylane_hmac_key_mac_each(keys, 3, which, memory.data, offsets, 1, (uint8_t *)&keys[2] + 1, len) ==
          KEYLANE_ERROR_OVERLAP);
    CHECK(keylane_hmac_key_mac_each(keys, 3, which, memory.data, offsets, 1, (uint8_t *)which, len) ==
          KEYLANE_ERROR_OVERLAP);

    /* Which key made one of the tags, in whatever place that is; the others are those of other messages. */
#define ANY(keys_count, tags_len)                                                                            \
    keylane_hmac_verify_any(keys, keys_count, memory.data, 100, tags.data, tags_len, &found)
    for (i = 0; i < COUNT; i++) {
        found = 9;
        CHECK(ANY(3, tags.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED && found == 9);
        CHECK(keylane_hmac_key_mac(&keys[i % 3], memory.data, 100, tags.data + i * len, len) == 0);
        CHECK(ANY(3, tags.len) == 0 && found == i % 3);
        CHECK(ANY(i % 3, tags.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
        CHECK(ANY(3, i * len) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
        tags.data[(i + 1) * len - 1] ^= 1;
    }
    CHECK(keylane_hmac_key_mac(&keys[2], memory.data, 100, tags.data, len) == 0 && ANY(3, len) == 0);
    CHECK(keylane_hmac_key_mac(&keys[1], memory.data, 100, tags.data + len, len) == 0);
    CHECK(found == 2 && ANY(3, 2 * len) == 0 && found == 1);
    CHECK(ANY(3, 2 * len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hmac_verify_any(NULL, 0, NULL, 0, NULL, 0, &found) == KEYLANE_ERROR_AUTHENTICATION_FAILED);

    CHECK(keylane_hmac_key_init(&keys[1], hash % 6 + 1, (const uint8_t *)"another", 7) == 0);
    CHECK(EACH(3, COUNT, tags.len) == KEYLANE_ERROR_INVALID_PARAMETER);
    CHECK(ANY(3, len) == KEYLANE_ERROR_INVALID_PARAMETER);
    keylane_hmac_key_wipe(&keys[1]);
    CHECK(EACH(3, COUNT, tags.len) == KEYLANE_ERROR_UNINITIALISED);
    CHECK(ANY(3, len) == KEYLANE_ERROR_UNINITIALISED && found == 1);
    keylane_hmac_key_wipe(&keys[0]);
    keylane_hmac_key_wipe(&keys[2]);
    FREE(memory, tags, one);
}

int main(void) {
    size_t i;
    int hash;
    for (i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        published(&vectors[i]);
    }
    for (hash = KEYLANE_SHA1; hash <= KEYLANE_SHA512_256; hash++) {
        many(hash);
    }
    CHECK(keylane_hmac_key_state_len(KEYLANE_SHA1) == 48);
    CHECK(keylane_hmac_key_state_len(KEYLANE_SHA256) == 72);
    CHECK(keylane_hmac_key_state_len(KEYLANE_SHA512) == 136);
    CHECK(keylane_hmac_key_state_len(99) == 0);
    DONE();
}
