/* Hashes: the examples of FIPS 180-4, whole, in pieces, in a copy, and many at once. */
#include "check.h"
#include <keylane.h>

typedef struct {
    int hash;
    const char *message, *digest;
} vector;

static const vector vectors[] = {
    {KEYLANE_SHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {KEYLANE_SHA1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {KEYLANE_SHA1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    {KEYLANE_SHA224, "abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {KEYLANE_SHA224, "", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"},
    {KEYLANE_SHA224, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"},
    {KEYLANE_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {KEYLANE_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {KEYLANE_SHA256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {KEYLANE_SHA384, "abc",
     "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc23"
     "58baeca134c825a7"},
    {KEYLANE_SHA384, "",
     "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fb"
     "d51ad2f14898b95b"},
    {KEYLANE_SHA384, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6b0455a8520bc4e6f"
     "5fe95b1fe3c8452b"},
    {KEYLANE_SHA512, "abc",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a8"
     "36ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {KEYLANE_SHA512, "",
     "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0"
     "ff8318d2877eec2f63b931bd47417a81a538327af927da3e"},
    {KEYLANE_SHA512, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9"
     "aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"},
    {KEYLANE_SHA512_256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
    {KEYLANE_SHA512_256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"},
    {KEYLANE_SHA512_256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "bde8e1f9f19bb9fd3406c90ec6bc47bd36d8ada9f11880dbc8a22a7078b6a461"},
};

static void published(const vector *v) {
    bytes message = text(v->message), digest = hex(v->digest), found = room(digest.len);
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
    FREE(message);
    FREE(digest);
    FREE(found);
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
    FREE(memory);
    FREE(digests);
    FREE(one);
}

/* Every primitive has one, and returns the same string each time. */
static void implementations(void) {
    static const char *const PRIMITIVES[] = {"sha1",     "sha256",           "sha512",      "aes",
                                             "aes-ctr",  "aes-gcm",          "aes-gcm-siv", "poly1305",
                                             "chacha20", "chacha20-poly1305"};
    size_t i;
    for (i = 0; i < sizeof PRIMITIVES / sizeof *PRIMITIVES; i++) {
        const char *name = keylane_implementation(PRIMITIVES[i]);
        CHECK(name != NULL && strlen(name) > 2);
        CHECK(name == keylane_implementation(PRIMITIVES[i]));
    }
    CHECK(keylane_implementation("sha") == NULL && keylane_implementation("") == NULL);
    CHECK(keylane_implementation(NULL) == NULL);
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
    CHECK(strcmp(keylane_version(), "0.2.0") == 0);
    DONE();
}
