/* How much of a thread's stack the functions take: the stack is painted, and bytes that have changed were
 * used. And that the copies of structs there are wiped. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include <keylane.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The limit that keylane.h and docs/c.md state. */
#define LIMIT (32 * 1024)

enum { STACK = 1 << 20, PAINT = 0xa5, COUNT = 70, LEN = 5000 };

/* None of these is on the stack. Structs at an odd address are copied for each call, which is the worst
 * case. */
static unsigned char structs[8][4096];
#define AT(type, i) ((type *)(void *)(structs[i] + 1))
static uint8_t data[COUNT * 64 + LEN], out[2 * LEN], tag[64];
static size_t offsets[COUNT + 1], text_offsets[COUNT + 1], which[COUNT];
static uint8_t texts[COUNT * 64 + LEN], tags[COUNT * 16], opened[COUNT];
static keylane_hmac_key keys[1];
static int hash, algorithm;

static void nothing(void) {}

static void startup(void) { CHECK(keylane_startup() == 0 && keylane_implementation("aes-gcm") != NULL); }

/* In the next three, the call that takes most comes first, since the first use tests the implementations. */
static void hashes(void) {
    keylane_hash *state = AT(keylane_hash, 0);
    const size_t len = keylane_hash_output_len(hash);
    CHECK(keylane_hash_digest_many(hash, data, offsets, COUNT, out, COUNT * len) == 0);
    CHECK(keylane_hash_digest(hash, data, LEN, tag, len) == 0);
    CHECK(keylane_hash_init(state, hash) == 0 && keylane_hash_update(state, data, LEN) == 0);
    CHECK(keylane_hash_finalize_many(state, data, offsets, COUNT, out, COUNT * len) == 0);
    CHECK(keylane_hash_finalize(state, tag, len) == 0);
}

static void hmac(void) {
    keylane_hmac_key *key = AT(keylane_hmac_key, 0);
    keylane_hmac *mac = AT(keylane_hmac, 1);
    const size_t len = keylane_hash_output_len(hash), state_len = keylane_hmac_key_state_len(hash);
    CHECK(keylane_hmac_key_init(key, hash, data, LEN) == 0);
    CHECK(keylane_hmac_key_verify_many(key, data, offsets, COUNT, data, COUNT * len) < 0);
    CHECK(keylane_hmac_mac(hash, data, LEN, data, LEN, tag, len) == 0);
    CHECK(keylane_hmac_key_mac(key, data, LEN, tag, len) == 0);
    CHECK(keylane_hmac_key_verify(key, data, LEN, tag, len) == 0);
    CHECK(keylane_hmac_key_verify_truncated(key, data, LEN, tag, 10) == 0);
    CHECK(keylane_hmac_key_mac_many(key, data, offsets, COUNT, out, COUNT * len) == 0);
    CHECK(keylane_hmac_key_verify_many(key, data, offsets, COUNT, out, COUNT * len) == 0);
    CHECK(keylane_hmac_key_init(keys, hash, data, LEN) == 0);
    CHECK(keylane_hmac_key_mac_each(keys, 1, which, data, offsets, COUNT, out, COUNT * len) == 0);
    CHECK(keylane_hmac_verify_any(keys, 1, data, LEN, tag, len, which) == 0);
    CHECK(keylane_hmac_key_export(key, out, state_len) == 0);
    CHECK(keylane_hmac_key_import(key, hash, out, state_len) == 0);
    CHECK(keylane_hmac_start(mac, key) == 0 && keylane_hmac_update(mac, data, LEN) == 0);
    CHECK(keylane_hmac_finalize_reset(mac, tag, len) == 0 && keylane_hmac_update(mac, data, LEN) == 0);
    CHECK(keylane_hmac_verify(mac, tag, len) == 0);
    CHECK(keylane_hmac_init(mac, hash, data, LEN) == 0 && keylane_hmac_finalize(mac, tag, len) == 0);
}

static void derivation(void) {
    keylane_hkdf *prk = AT(keylane_hkdf, 0);
    CHECK(keylane_pbkdf2_derive_many(hash, data, offsets, data, offsets, COUNT, 3, out, 100) == 0);
    CHECK(keylane_pbkdf2_derive(hash, data, LEN, data, LEN, 3, out, 1000) == 0);
    CHECK(keylane_pbkdf2_verify(hash, data, LEN, data, LEN, 3, out, 1000) == 0);
    CHECK(keylane_hkdf_extract(prk, hash, data, LEN, data, LEN) == 0);
    CHECK(keylane_hkdf_expand(prk, data, LEN, out, 255) == 0);
    CHECK(keylane_hkdf_from_bytes(prk, hash, data, LEN) == 0);
}

/* Some messages go side by side, and one alone. */
static void aead(void) {
    keylane_aead *key = AT(keylane_aead, 0);
    const size_t nonce_len = keylane_aead_nonce_len(algorithm);
    CHECK(keylane_aead_init(key, algorithm, data, keylane_aead_key_len(algorithm)) == 0);
    CHECK(keylane_aead_seal_many(key, data, data, offsets, texts, text_offsets, tags, COUNT) == 0);
    CHECK(keylane_aead_open_many(key, data, data, offsets, texts, text_offsets, tags, opened, COUNT) == 0);
    CHECK(opened[COUNT - 1] == 1);
    CHECK(keylane_aead_seal(key, data, nonce_len, data, LEN, out, LEN, tag) == 0);
    CHECK(keylane_aead_open(key, data, nonce_len, data, LEN, out, LEN, tag) == 0);
    if (algorithm <= KEYLANE_AES_256_GCM) {
        CHECK(keylane_aead_seal_tag_len(key, data, nonce_len, data, LEN, out, LEN, tag, 8) == 0);
        CHECK(keylane_aead_open_tag_len(key, data, nonce_len, data, LEN, out, LEN, tag, 8) == 0);
    }
    CHECK(keylane_aead_seal_to(key, data, nonce_len, data, LEN, data, LEN, out, LEN + 16) == 0);
    CHECK(keylane_aead_open_to(key, data, nonce_len, data, LEN, out, LEN + 16, out, LEN) == 0);
}

static void keystream(void) {
    static const size_t NONCE_LEN[] = {16, 12, 24};
    keylane_keystream *stream = AT(keylane_keystream, 0);
    int i;
    for (i = KEYLANE_AES_CTR; i <= KEYLANE_XCHACHA20; i++) {
        CHECK(keylane_keystream_init(stream, i, data, 32, data, NONCE_LEN[i - 1]) == 0);
        CHECK(keylane_keystream_xor(stream, out, LEN) == 0);
        CHECK(keylane_keystream_xor_to(stream, data, out, LEN) == 0);
        CHECK(keylane_keystream_seek(stream, 5) == 0 && keylane_keystream_xor(stream, out, 3) == 0);
    }
}

static void poly1305(void) {
    keylane_poly1305 *state = AT(keylane_poly1305, 0);
    CHECK(keylane_poly1305_mac(data, data, LEN, tag) == 0 && keylane_poly1305_init(state, data) == 0);
    CHECK(keylane_poly1305_update(state, data, 77) == 0 &&
          keylane_poly1305_update(state, data + 77, LEN - 77) == 0);
    CHECK(keylane_poly1305_verify(state, tag) == 0);
    CHECK(keylane_poly1305_init_with_hint(state, data, LEN) == 0 &&
          keylane_poly1305_update(state, data, LEN) == 0);
    CHECK(keylane_poly1305_pad_to_block(state) == 0 && keylane_poly1305_finalize(state, tag) == 0);
}

static void with_hmac_key(void) {
    CHECK(keylane_hmac_key_mac(AT(keylane_hmac_key, 0), data, LEN, out, 64) == 0);
}

static void with_aead(void) {
    CHECK(keylane_aead_seal(AT(keylane_aead, 1), data, 12, data, LEN, out, LEN, tag) == 0);
}

static void with_keystream(void) { CHECK(keylane_keystream_xor(AT(keylane_keystream, 2), out, LEN) == 0); }

static void (*calls)(void);
/* What a stack is searched for, and how often it was found. */
static const unsigned char *secret;
static size_t found;
enum { SECRET = 96 };

/* Leaves it on the stack, far enough from what ends a thread. */
static void forgetful(void) {
    volatile unsigned char copy[8192];
    size_t i;
    for (i = 0; i < SECRET; i++) {
        copy[i] = secret[i];
    }
    CHECK(copy[0] == secret[0]);
}

static void *thread(void *unused) {
    calls();
    return unused;
}

/* Returns how much stack a thread that makes the calls has used. */
static size_t used(void (*these)(void)) {
    unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t id;
    size_t untouched = 0, i;
    CHECK(stack != MAP_FAILED);
    memset(stack, PAINT, STACK);
    calls = these;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0);
    CHECK(pthread_create(&id, &attributes, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
    while (untouched < STACK && stack[untouched] == PAINT) {
        untouched++;
    }
    for (i = untouched; secret != NULL && i + SECRET <= STACK; i++) {
        found += memcmp(stack + i, secret, SECRET) == 0;
    }
    pthread_attr_destroy(&attributes);
    munmap(stack, STACK);
    return STACK - untouched;
}

static const struct {
    const char *name;
    void (*calls)(void);
} CASES[] = {
    {"startup", startup},     {"hash", hashes},       {"hmac", hmac}, {"derivation", derivation},
    {"keystream", keystream}, {"poly1305", poly1305}, {"aead", aead},
};

/* Runs the calls of a case in a separate process, where no implementation was tested before. */
static void first_calls(size_t number) {
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
        const size_t without = used(nothing), at_first = used(CASES[number].calls) - without;
        startup();
        {
            const size_t later = used(CASES[number].calls) - without;
            const int good = at_first > 300 && at_first < LIMIT && later > 300 && later < LIMIT;
            if (!good || getenv("KEYLANE_SHOW_STACK") != NULL) {
                fprintf(stderr, "%s, hash %d, AEAD %d: %zu bytes of stack at first, %zu later\n",
                        CASES[number].name, hash, algorithm, at_first, later);
            }
            _exit(good && failures == 0 ? 0 : 1);
        }
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* A struct at an odd address is copied to the stack for each call. The copy is wiped. */
static void no_copy_stays(void) {
    void (*const CALLS[])(void) = {with_hmac_key, with_aead, with_keystream};
    uint8_t key[32];
    size_t i;
    for (i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)(37 * i + 1);
    }
    CHECK(keylane_hmac_key_init(AT(keylane_hmac_key, 0), KEYLANE_SHA512, key, 32) == 0);
    CHECK(keylane_aead_init(AT(keylane_aead, 1), KEYLANE_AES_256_GCM, key, 32) == 0);
    CHECK(keylane_keystream_init(AT(keylane_keystream, 2), KEYLANE_AES_CTR, key, 32, key, 16) == 0);
    for (i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        secret = structs[i] + 1;
        found = 0;
        used(CALLS[i]);
        CHECK(found == 0);
        used(forgetful);
        CHECK(found == 1);
    }
    secret = NULL;
}

int main(void) {
    size_t i;
    for (i = 0; i < COUNT; i++) {
        offsets[i + 1] = offsets[i] + i;
        text_offsets[i + 1] = text_offsets[i] + (i == 7 ? LEN : 64);
    }
    for (hash = KEYLANE_SHA1; hash <= KEYLANE_SHA512_256; hash++) {
        for (i = 0; i < sizeof CASES / sizeof *CASES; i++) {
            if (CASES[i].calls != aead) {
                first_calls(i);
            }
        }
    }
    for (algorithm = KEYLANE_AES_128_GCM; algorithm <= KEYLANE_XAES_256_GCM; algorithm++) {
        first_calls(sizeof CASES / sizeof *CASES - 1);
    }
    /* Last, since these calls run the self-tests, and `first_calls` needs a process in which none has run. */
    no_copy_stays();
    DONE();
}
