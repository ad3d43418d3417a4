/* Threads that load the library and use it at the same time, without keylane_startup. The argument is the
 * library's path. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <keylane.h>

#include <dlfcn.h>
#include <pthread.h>

enum { THREADS = 16, ROUNDS = 20 };

static const char *path;
static pthread_barrier_t all_are_here;

/* The computations of the threads, each with another primitive. */
typedef struct {
    uint8_t sha256[32], sha512[64], hmac_sha1[20], gcm[16], sealed[16 + 100], poly1305[16];
    uint8_t ctr[100];
    int failed;
} results;

/* In POSIX, unlike in C, a pointer to data can be converted to one to a function. */
#define LOAD(name)                                                                                           \
    do {                                                                                                     \
        *(void **)(&name##_) = dlsym(library, #name);                                                        \
        if (name##_ == NULL) {                                                                               \
            return NULL;                                                                                     \
        }                                                                                                    \
    } while (0)

static void *compute(void *argument) {
    results *r = argument;
    int (*keylane_hash_digest_)(int, const uint8_t *, size_t, uint8_t *, size_t);
    int (*keylane_hmac_mac_)(int, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t *, size_t);
    int (*keylane_aead_init_)(keylane_aead *, int, const uint8_t *, size_t);
    int (*keylane_aead_seal_)(const keylane_aead *, const uint8_t *, size_t, const uint8_t *, size_t,
                              uint8_t *, size_t, uint8_t *);
    int (*keylane_aead_seal_to_)(const keylane_aead *, const uint8_t *, size_t, const uint8_t *, size_t,
                                 const uint8_t *, size_t, uint8_t *, size_t);
    int (*keylane_poly1305_mac_)(const uint8_t *, const uint8_t *, size_t, uint8_t *);
    int (*keylane_keystream_init_)(keylane_keystream *, int, const uint8_t *, size_t, const uint8_t *,
                                   size_t);
    int (*keylane_keystream_xor_)(keylane_keystream *, uint8_t *, size_t);
    keylane_aead gcm, chacha20;
    keylane_keystream ctr;
    uint8_t input[1000];
    void *library;
    size_t i;

    memset(r, 0, sizeof *r);
    r->failed = 1;
    for (i = 0; i < sizeof input; i++) {
        input[i] = (uint8_t)(7 * i);
    }
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    pthread_barrier_wait(&all_are_here);
    if (library == NULL) {
        return NULL;
    }
    LOAD(keylane_hash_digest);
    LOAD(keylane_hmac_mac);
    LOAD(keylane_aead_init);
    LOAD(keylane_aead_seal);
    LOAD(keylane_aead_seal_to);
    LOAD(keylane_poly1305_mac);
    LOAD(keylane_keystream_init);
    LOAD(keylane_keystream_xor);
    r->failed = 0;
    r->failed |= keylane_hash_digest_(KEYLANE_SHA256, input, sizeof input, r->sha256, sizeof r->sha256);
    r->failed |= keylane_hash_digest_(KEYLANE_SHA512, input, sizeof input, r->sha512, sizeof r->sha512);
    r->failed |=
        keylane_hmac_mac_(KEYLANE_SHA1, input, 20, input, sizeof input, r->hmac_sha1, sizeof r->hmac_sha1);
    r->failed |= keylane_aead_init_(&gcm, KEYLANE_AES_128_GCM, input, 16);
    r->failed |= keylane_aead_seal_(&gcm, input, 12, input, sizeof input, NULL, 0, r->gcm);
    r->failed |= keylane_aead_init_(&chacha20, KEYLANE_CHACHA20_POLY1305, input, 32);
    r->failed |=
        keylane_aead_seal_to_(&chacha20, input, 12, NULL, 0, input, 100, r->sealed, sizeof r->sealed);
    r->failed |= keylane_poly1305_mac_(input, input, sizeof input, r->poly1305);
    r->failed |= keylane_keystream_init_(&ctr, KEYLANE_AES_CTR, input, 32, input, 16);
    r->failed |= keylane_keystream_xor_(&ctr, r->ctr, sizeof r->ctr);
    dlclose(library);
    return NULL;
}

int main(int argc, char **argv) {
    static results found[THREADS];
    /* SHA-256 of the input, computed elsewhere: all must agree with it. */
    bytes expected = hex("89f4ff56a25dd1db06a4ce6033603775d705fb96f30f8693733fef602a1ca532");
    pthread_t threads[THREADS];
    size_t round, i;
    if (argc != 2) {
        return EXIT_FAILURE;
    }
    path = argv[1];
    for (round = 0; round < ROUNDS; round++) {
        if (pthread_barrier_init(&all_are_here, NULL, THREADS) != 0) {
            return EXIT_FAILURE;
        }
        for (i = 0; i < THREADS; i++) {
            if (pthread_create(&threads[i], NULL, compute, &found[i]) != 0) {
                return EXIT_FAILURE;
            }
        }
        for (i = 0; i < THREADS; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
            CHECK(!found[i].failed);
            CHECK(memcmp(&found[i], &found[0], sizeof found[0]) == 0);
        }
        CHECK(memcmp(found[0].sha256, expected.data, 32) == 0);
        pthread_barrier_destroy(&all_are_here);
    }
    FREE(expected);
    DONE();
}
