/* Hashes: the first examples of FIPS 180-4, whole, in pieces, in a copy, and many at once. */
#include "check.h"
#include <keylane.h>

typedef struct {
    int hash;
    const char *digest;
} vector;

static const vector vectors[] = {
    {KEYLANE_SHA1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {KEYLANE_SHA224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {KEYLANE_SHA256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {KEYLANE_SHA384, 
     "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc23"
     "58baeca134c825a7"},
    {KEYLANE_SHA512, 
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a8"
     "36ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {KEYLANE_SHA512_256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
};

static void published(const vector *v) {
    bytes message = text("abc"), digest = hex(v->digest), found = room(digest.len);
    keylane_hash state, copy;
    size_t i;

    CHECK(keylane_hash_output_len(v->hash) == digest.len);
    CHECK(keylane_hash_digest(v->hash, message.data, message.len, found.data, found.len) == 0);
    CHECK(same(found, digest));

    CHECK(keylane_hash_init(&state, v->hash) == 0);
    for (i = 0; i < message.len; i++) {
        CHECK(keylane_hash_update(&state, message.data + i, 1) == 0);
    }
    copy = state;
    CHECK(keylane_hash_update(&copy, (const uint8_t *)"x", 1) == 0);
    memset(found.data, 0, found.len);
    CHECK(keylane_hash_finalize(&state, found.data, found.len) == 0);
    CHECK(same(found, digest));
    CHECK(keylane_hash_finalize(&copy, found.data, found.len) == 0);
    CHECK(!same(found, digest));
    FREE(message, digest, found);
}

/* More messages than are processed together, of unequal lengths. */
static void many(int hash) {
    enum { COUNT = 150 };
    keylane_hash prefix;
    size_t offsets[COUNT + 1], i, len = keylane_hash_output_len(hash);
    bytes memory = room(5 + COUNT * COUNT), digests = room(COUNT * len), one = room(len);
    for (i = 0; i < memory.len; i++) {
        memory.data[i] = (uint8_t)(i * i >> 3);
    }
    offsets[0] = 5;
    for (i = 0; i < COUNT; i++) {
        offsets[i + 1] = offsets[i] + i;
    }
    CHECK(keylane_hash_digest_many(hash, memory.data, offsets, COUNT, digests.data, digests.len) == 0);
    for (i = 0; i < COUNT; i++) {
        CHECK(keylane_hash_digest(hash, memory.data + offsets[i], i, one.data, len) == 0);
        CHECK(memcmp(digests.data + i * len, one.data, len) == 0);
    }
    CHECK(keylane_hash_init(&prefix, hash) == 0 && keylane_hash_update(&prefix, memory.data, 100) == 0);
    CHECK(keylane_hash_finalize_many(&prefix, memory.data, offsets, COUNT, digests.data, digests.len) == 0);
    for (i = 0; i < COUNT; i++) {
        keylane_hash copy = prefix;
        CHECK(keylane_hash_update(&copy, memory.data + offsets[i], i) == 0);
        CHECK(keylane_hash_finalize(&copy, one.data, len) == 0);
        CHECK(memcmp(digests.data + i * len, one.data, len) == 0);
    }
    CHECK(keylane_hash_finalize_many(&prefix, NULL, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_hash_finalize_many(&prefix, memory.data, offsets, COUNT, digests.data, digests.len - 1) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hash_digest_many(hash, NULL, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_hash_digest_many(hash, memory.data, offsets, COUNT, digests.data, digests.len - 1) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_hash_digest_many(hash, memory.data, offsets, COUNT - 1, digests.data, digests.len) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    FREE(memory, digests, one);
}

static void implementations(void) {
    const char *name = keylane_implementation("chacha20-poly1305");
    CHECK(name != NULL && strlen(name) > 2 && name == keylane_implementation("chacha20-poly1305"));
    CHECK(keylane_implementation("sha") == NULL && keylane_implementation(NULL) == NULL);
}

int main(void) {
    size_t i;
    int hash;
    for (i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        published(&vectors[i]);
    }
    for (hash = KEYLANE_SHA1; hash <= KEYLANE_SHA512_256; hash++) {
        CHECK(keylane_hash_output_len(hash) <= KEYLANE_HASH_MAX_LEN);
        CHECK(keylane_hash_block_len(hash) == (hash <= KEYLANE_SHA256 ? 64u : 128u));
        many(hash);
    }
    CHECK(strcmp(keylane_hash_name(KEYLANE_SHA512_256), "sha512-256") == 0);
    CHECK(keylane_hash_name(0) == NULL && keylane_hash_output_len(7) == 0 && keylane_hash_block_len(-1) == 0);
    implementations();
    CHECK(keylane_startup() == 0);
    CHECK(strcmp(keylane_version(), "0.3.0") == 0);
    DONE();
}
