/* HMAC: the vectors of RFC 4231, with every function that computes or verifies a tag. */
#include "check.h"
#include <keylane.h>

typedef struct {
    int hash;
    const char *key, *message, *tag;
} vector;

static const vector vectors[] = {
    {KEYLANE_SHA224, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
     "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"},
    {KEYLANE_SHA256, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {KEYLANE_SHA384, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
     "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2"
     "fa9cb6"},
    {KEYLANE_SHA512, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
     "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eae"
     "a3f4e4be9d914eeb61f1702e696c203a126854"},
    {KEYLANE_SHA224, "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"},
    {KEYLANE_SHA256, "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {KEYLANE_SHA384, "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfa"
     "b21649"},
    {KEYLANE_SHA512, "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8"
     "f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
    {KEYLANE_SHA224, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
     "dddddddddd",
     "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea"},
    {KEYLANE_SHA256, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
     "dddddddddd",
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {KEYLANE_SHA384, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
     "dddddddddd",
     "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101"
     "a34f27"},
    {KEYLANE_SHA512, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
     "dddddddddd",
     "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e"
     "67c807b946a337bee8942674278859e13292fb"},
    {KEYLANE_SHA224, "0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
     "cdcdcdcdcd",
     "6c11506874013cac6a2abc1bb382627cec6a90d86efc012de7afec5a"},
    {KEYLANE_SHA256, "0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
     "cdcdcdcdcd",
     "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
    {KEYLANE_SHA384, "0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
     "cdcdcdcdcd",
     "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c6"
     "74cffb"},
    {KEYLANE_SHA512, "0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
     "cdcdcdcdcd",
     "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5"
     "788063a5f19741120c4f2de2adebeb10a298dd"},
    {KEYLANE_SHA224,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d204861736820"
     "4b6579204669727374",
     "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"},
    {KEYLANE_SHA256,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d204861736820"
     "4b6579204669727374",
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    {KEYLANE_SHA384,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d204861736820"
     "4b6579204669727374",
     "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163"
     "f44952"},
    {KEYLANE_SHA512,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d204861736820"
     "4b6579204669727374",
     "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d"
     "6a1e5295e64f73f63f0aec8b915a985d786598"},
    {KEYLANE_SHA224,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65"
     "206b657920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865206b"
     "6579206e6565647320746f20626520686173686564206265666f7265206265696e672075736564206279207468"
     "6520484d414320616c676f726974686d2e",
     "3a854166ac5d9f023f54d517d0b39dbd946770db9c2b95c9f6f565d1"},
    {KEYLANE_SHA256,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65"
     "206b657920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865206b"
     "6579206e6565647320746f20626520686173686564206265666f7265206265696e672075736564206279207468"
     "6520484d414320616c676f726974686d2e",
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    {KEYLANE_SHA384,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65"
     "206b657920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865206b"
     "6579206e6565647320746f20626520686173686564206265666f7265206265696e672075736564206279207468"
     "6520484d414320616c676f726974686d2e",
     "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c"
     "46523e"},
    {KEYLANE_SHA512,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65"
     "206b657920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865206b"
     "6579206e6565647320746f20626520686173686564206265666f7265206265696e672075736564206279207468"
     "6520484d414320616c676f726974686d2e",
     "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3"
     "e4de15134676fb6de0446065c97440fa8c6a58"},
};

static void published(const vector *v) {
    bytes key = hex(v->key), message = hex(v->message), tag = hex(v->tag), found = room(tag.len);
    bytes state = room(keylane_hmac_key_state_len(v->hash));
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
    FREE(key);
    FREE(message);
    FREE(tag);
    FREE(found);
    FREE(state);
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
    FREE(memory);
    FREE(tags);
    FREE(one);
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
