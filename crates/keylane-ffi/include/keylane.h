/* Keylane for C. Made by `cargo xtask header` from crates/keylane-ffi/src: do not edit.
 *
 * Every function that can fail returns 0 or one of the negative KEYLANE_ERROR_*, named below without that
 * prefix. A call that fails has written nothing, unless its comment says otherwise. Besides the errors that
 * its comment names, every function can return
 *   NULL        for a null pointer to a struct, or to bytes whose length is not 0 (with length 0, null is
 *               allowed),
 *   OVERLAP     if an output or a struct overlaps another argument. Input and output may be the same buffer
 *               (begin at the same address) where a comment says so; a digest or tag may begin where any
 *               input begins,
 *   INPUT_TOO_LONG  for lengths that no object in memory has,
 *   SELF_TEST   if no implementation of the primitive passes its self-test on this CPU,
 *   INTERNAL    if the library has a defect.
 *
 * The header needs C99 or C++11, or a later standard of either.
 *
 * Lengths are in bytes. The structs belong to the caller: their size is fixed, they hold no pointers to other
 * memory, nothing is allocated, nothing has to be freed. Structs that hold secrets have to be wiped. A struct
 * must be initialised by its _init function, or by another that says so, before any other function uses it.
 * For a struct that was zeroed, wiped or finalized, UNINITIALISED is returned. Structs work at any address,
 * and fastest at their alignment.
 *
 * A call takes less than 32 KiB of stack. The first use of a primitive, and keylane_startup, test
 * implementations and take less than 64 KiB. (Measured on x86-64, with every kind of implementation.)
 *
 * Any thread may call any function. Threads may use the same struct at once only in calls that take it as
 * const. No function exits the process or unwinds. How long a function takes depends on lengths, not on
 * secrets.
 */

#ifndef KEYLANE_H
#define KEYLANE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#ifndef KEYLANE_WARN_UNUSED_RESULT
#define KEYLANE_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#endif
#ifndef KEYLANE_NONNULL
#define KEYLANE_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#endif
#ifndef KEYLANE_ALIGNED
#define KEYLANE_ALIGNED(n) __attribute__((aligned(n)))
#endif
#elif defined(_MSC_VER)
#ifndef KEYLANE_ALIGNED
#define KEYLANE_ALIGNED(n) __declspec(align(n))
#endif
#endif
#ifndef KEYLANE_WARN_UNUSED_RESULT
#define KEYLANE_WARN_UNUSED_RESULT
#endif
#ifndef KEYLANE_NONNULL
#define KEYLANE_NONNULL(...)
#endif
#ifndef KEYLANE_ALIGNED
#define KEYLANE_ALIGNED(n)
#endif


/**
 * The major version of the headers.
 */
#define KEYLANE_VERSION_MAJOR 0

/**
 * The minor version of the headers. While the major version is 0, it changes with the interface.
 */
#define KEYLANE_VERSION_MINOR 2

/**
 * The patch version of the headers.
 */
#define KEYLANE_VERSION_PATCH 0

/**
 * A tag or a derived key is not the expected one. Deliberately says nothing more.
 */
#define KEYLANE_ERROR_AUTHENTICATION_FAILED (-1)

/**
 * More input or output than the algorithm allows.
 */
#define KEYLANE_ERROR_INPUT_TOO_LONG (-2)

/**
 * A length is not one that is allowed.
 */
#define KEYLANE_ERROR_WRONG_LENGTH (-3)

/**
 * A parameter has no valid meaning: no such hash, no iterations, a key state of another hash.
 */
#define KEYLANE_ERROR_INVALID_PARAMETER (-4)

/**
 * The operating system supplied no random bytes.
 */
#define KEYLANE_ERROR_NO_RANDOMNESS (-5)

/**
 * A pointer is null that must not be: to a struct, or to bytes whose length is not 0.
 */
#define KEYLANE_ERROR_NULL (-100)

/**
 * An output or a struct overlaps something else that the call reads or writes, and is not the same buffer.
 */
#define KEYLANE_ERROR_OVERLAP (-101)

/**
 * A struct was not initialised, or has been wiped or finalized since.
 */
#define KEYLANE_ERROR_UNINITIALISED (-102)

/**
 * No implementation of a primitive passes its self-test: the CPU or the build is broken.
 */
#define KEYLANE_ERROR_SELF_TEST (-103)

/**
 * A defect of the library. Outputs are undefined.
 */
#define KEYLANE_ERROR_INTERNAL (-104)

/**
 * SHA-1: 20 bytes. Broken where collisions matter; only for HMAC in old protocols.
 */
#define KEYLANE_SHA1 1

/**
 * SHA-224: 28 bytes.
 */
#define KEYLANE_SHA224 2

/**
 * SHA-256: 32 bytes.
 */
#define KEYLANE_SHA256 3

/**
 * SHA-384: 48 bytes.
 */
#define KEYLANE_SHA384 4

/**
 * SHA-512: 64 bytes.
 */
#define KEYLANE_SHA512 5

/**
 * SHA-512/256: 32 bytes.
 */
#define KEYLANE_SHA512_256 6

/**
 * The longest digest or tag of any hash, in bytes.
 */
#define KEYLANE_HASH_MAX_LEN 64

/**
 * Some bytes: an element of a list. `data` may be null if `len` is 0.
 */
typedef struct keylane_bytes {
    const uint8_t *data;
    size_t len;
} keylane_bytes;

/**
 * A running hash. May be copied by assignment; the copies are independent.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_hash {
    uint8_t opaque[256];
} keylane_hash;

/**
 * An HMAC key, prepared once: a short message then costs two compressions. Threads may share it. Secret:
 * wipe it. May be copied by assignment; the copy is as secret.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_hmac_key {
    uint8_t opaque[192];
} keylane_hmac_key;

/**
 * A MAC of a message that arrives in pieces. Secret: finalize or wipe it. May be copied by assignment; the
 * copies are independent.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_hmac {
    uint8_t opaque[448];
} keylane_hmac;

/**
 * A pseudorandom key of HKDF, prepared. Threads may share it. Secret: wipe it.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_hkdf {
    uint8_t opaque[192];
} keylane_hkdf;

/**
 * An AES key, expanded. Threads may share it. Secret: wipe it.
 *
 * This is the bare block cipher: equal blocks encrypt to equal blocks, and nothing is authenticated. For
 * messages, use keylane_aes_gcm.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_aes {
    uint8_t opaque[320];
} keylane_aes;

/**
 * An AES-CTR key stream, with a 128-bit big-endian counter that wraps. Secret: wipe it.
 *
 * Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts under one key
 * whose counters overlap reveal the XOR of the plaintexts. Prefer keylane_aes_gcm.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_aes_ctr {
    uint8_t opaque[384];
} keylane_aes_ctr;

/**
 * An AES-GCM key, prepared. Secret: wipe it. Threads may share it, but none may copy it while another uses
 * it: a message stores in it the powers of H that it is the first to need, although it takes it as `const`.
 *
 * Two messages under one key and one nonce reveal the XOR of the plaintexts and the authentication key, with
 * which anyone can forge messages. Use a counter as the nonce, or derive a key for each message; random
 * nonces of 12 bytes are safe for 2^32 messages under one key.
 */
typedef struct KEYLANE_ALIGNED(64) keylane_aes_gcm {
    uint8_t opaque[2048];
} keylane_aes_gcm;

/**
 * One of many messages of an AEAD. `nonce` has the AEAD's nonce length, `tag` 16 bytes. `aad` and `text` may
 * be null if their length is 0. `text` is encrypted or decrypted in place; `tag` is written when encrypting,
 * read when decrypting.
 */
typedef struct keylane_message {
    const uint8_t *nonce;
    const uint8_t *aad;
    size_t aad_len;
    uint8_t *text;
    size_t text_len;
    uint8_t *tag;
} keylane_message;

/**
 * An AES-GCM-SIV key, prepared, with nonces of 12 bytes, which may be random and may repeat. Threads may
 * share it. Secret: wipe it.
 *
 * Two messages under one key and one nonce reveal whether they are equal, and nothing else.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_aes_gcm_siv {
    uint8_t opaque[320];
} keylane_aes_gcm_siv;

/**
 * A ChaCha20 key stream, with a nonce of 12 bytes and a counter of 32 bits that begins with 0. Secret: wipe
 * it. May be copied by assignment; the copies are independent.
 *
 * Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts encrypted with
 * one key and one nonce reveal the XOR of the plaintexts. Prefer keylane_chacha20poly1305.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_chacha20 {
    uint8_t opaque[192];
} keylane_chacha20;

/**
 * An XChaCha20 key stream, with a nonce of 24 bytes. Secret: wipe it. May be copied by assignment; the
 * copies are independent.
 *
 * Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts encrypted with
 * one key and one nonce reveal the XOR of the plaintexts. Prefer keylane_xchacha20poly1305.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_xchacha20 {
    uint8_t opaque[192];
} keylane_xchacha20;

/**
 * A key of ChaCha20-Poly1305, with nonces of 12 bytes. Threads may share it. Secret: wipe it.
 *
 * Two messages under one key and one nonce reveal the XOR of the plaintexts, and let anyone forge messages
 * with that nonce. Use a counter as the nonce: 12 random bytes are too few for many messages under one key;
 * for random nonces, use keylane_xchacha20poly1305.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_chacha20poly1305 {
    uint8_t opaque[64];
} keylane_chacha20poly1305;

/**
 * A key of XChaCha20-Poly1305, with nonces of 24 bytes, which may be random. Threads may share it. Secret:
 * wipe it.
 *
 * Two messages under one key and one nonce reveal the XOR of the plaintexts, and let anyone forge messages
 * with that nonce.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_xchacha20poly1305 {
    uint8_t opaque[64];
} keylane_xchacha20poly1305;

/**
 * A running Poly1305. Secret: finalize or wipe it. May be copied by assignment; the copies are independent.
 *
 * A key is for one message: the tags of two messages under one key reveal the key.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_poly1305 {
    uint8_t opaque[320];
} keylane_poly1305;

/**
 * A key of XAES-256-GCM, prepared, with nonces of 24 bytes, which may be random. Threads may share it.
 * Secret: wipe it.
 *
 * Two messages under one key and one nonce reveal the XOR of the plaintexts and the key that authenticates
 * them.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_xaes_256_gcm {
    uint8_t opaque[320];
} keylane_xaes_256_gcm;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Tests the implementations that this CPU can run against known answers, and chooses the best of each
 * primitive.
 *
 * Optional: without this call, each implementation is tested before its first use. The call lets you choose
 * when those few milliseconds are spent. Any thread may call it, any number of times, while others compute.
 *
 * @return 0, or KEYLANE_ERROR_SELF_TEST if no implementation of some primitive passes.
 */
KEYLANE_WARN_UNUSED_RESULT int keylane_startup(void);

/**
 * Returns the name of the implementation that runs on this CPU for one message at a time, such as "sha-ni",
 * "avx2" or "portable"; static. The primitives are "sha1", "sha256" (and SHA-224), "sha512" (and SHA-384,
 * SHA-512/256), "aes", "aes-ctr", "aes-gcm" (and XAES-256-GCM), "aes-gcm-siv", "poly1305", "chacha20" and
 * "chacha20-poly1305" (and XChaCha20-Poly1305). For several messages at once another implementation may run.
 * The first call for a primitive runs the implementation's self-test, as keylane_startup does.
 *
 * Returns null for any other name, for null, and if no implementation passes its self-test.
 */
const char *keylane_implementation(const char *primitive);

/**
 * Returns the version of the library that is loaded, such as "0.2.0"; static.
 */
const char *keylane_version(void);

/**
 * Returns the message, in English, for an error code or for 0: a static string, never null. For any other
 * number it is "unknown error".
 */
const char *keylane_error_message(int error);

/**
 * Returns the length in bytes of a digest, and so of an HMAC tag; 0 for an unknown hash.
 */
size_t keylane_hash_output_len(int hash);

/**
 * Returns the length of a block in bytes; 0 for an unknown hash.
 */
size_t keylane_hash_block_len(int hash);

/**
 * Returns the name in lower case, such as "sha512-256"; static; null for an unknown hash.
 */
const char *keylane_hash_name(int hash);

/**
 * Computes the digest of `data`. `digest_len` must be the hash's length. `digest` may be `data`.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_digest(int hash,
                        const uint8_t *data,
                        size_t data_len,
                        uint8_t *digest,
                        size_t digest_len);

/**
 * Computes the digests of `count` messages and writes them to `digests`, one after the other. Messages are
 * hashed several at a time, in the lanes of vector registers; their lengths may differ. `digests_len` must
 * be `count` times the hash's length.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_digest_many(int hash,
                             const struct keylane_bytes *messages,
                             size_t count,
                             uint8_t *digests,
                             size_t digests_len);

/**
 * Begins a hash.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash.
 */
KEYLANE_WARN_UNUSED_RESULT int keylane_hash_init(struct keylane_hash *state, int hash) KEYLANE_NONNULL(1);

/**
 * Absorbs `data`. How the bytes are divided among calls does not change the digest.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_update(struct keylane_hash *state,
                        const uint8_t *data,
                        size_t data_len)
KEYLANE_NONNULL(1);

/**
 * Computes the digests of everything absorbed, followed by each of `count` suffixes, and writes them to
 * `digests`, one after the other. The struct is unchanged. Suffixes are hashed several at a time, in the
 * lanes of vector registers; their lengths may differ. `digests_len` must be `count` times the hash's
 * length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_finalize_many(const struct keylane_hash *state,
                               const struct keylane_bytes *suffixes,
                               size_t count,
                               uint8_t *digests,
                               size_t digests_len)
KEYLANE_NONNULL(1);

/**
 * Writes the digest of everything absorbed. The struct is wiped; to hash again, initialise it again.
 * `digest_len` must be the hash's length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_finalize(struct keylane_hash *state,
                          uint8_t *digest,
                          size_t digest_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct, for a hash that is abandoned. Null is accepted.
 */
void keylane_hash_wipe(struct keylane_hash *state);

/**
 * Computes the tag of one message under a key of any length. `tag_len` must be the hash's length. For
 * several messages, prepare the key once.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_mac(int hash,
                     const uint8_t *key,
                     size_t key_len,
                     const uint8_t *message,
                     size_t message_len,
                     uint8_t *tag,
                     size_t tag_len);

/**
 * Prepares a key of any length. Keys shorter than the digest weaken HMAC.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_init(struct keylane_hmac_key *prepared,
                          int hash,
                          const uint8_t *key,
                          size_t key_len)
KEYLANE_NONNULL(1);

/**
 * Computes the tag of a message. `tag_len` must be the hash's length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac(const struct keylane_hmac_key *key,
                         const uint8_t *message,
                         size_t message_len,
                         uint8_t *tag,
                         size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Computes the tag of one message that is in several parts. `tag_len` must be the hash's length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH; INPUT_TOO_LONG if the parts (which may be the same memory) are
 * together 2^61 - 64 bytes or longer (with SHA-384, SHA-512 and SHA-512/256: 2^64 - 128).
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac_parts(const struct keylane_hmac_key *key,
                               const struct keylane_bytes *parts,
                               size_t count,
                               uint8_t *tag,
                               size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Computes the tags of `count` messages and writes them to `tags`, one after the other. Messages are hashed
 * several at a time, in the lanes of vector registers; their lengths may differ. `tags_len` must be `count`
 * times the hash's length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac_many(const struct keylane_hmac_key *key,
                              const struct keylane_bytes *messages,
                              size_t count,
                              uint8_t *tags,
                              size_t tags_len)
KEYLANE_NONNULL(1);

/**
 * Computes the tags of `count` messages, each under its own key, and writes them to `tags`, one after the
 * other. All keys must be of one hash; the same key may be there repeatedly. Messages are hashed several at
 * a time, in the lanes of vector registers; their lengths may differ. `tags_len` must be `count` times the
 * hash's length.
 *
 * @return 0; INVALID_PARAMETER for keys of more than one hash; UNINITIALISED; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac_each(const struct keylane_hmac_key *const *keys,
                              const struct keylane_bytes *messages,
                              size_t count,
                              uint8_t *tags,
                              size_t tags_len);

/**
 * Checks the tag of a message, all of it. The time does not depend on where a wrong tag differs.
 *
 * @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless `tag_len` is the hash's length.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_verify(const struct keylane_hmac_key *key,
                            const uint8_t *message,
                            size_t message_len,
                            const uint8_t *tag,
                            size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Does keylane_hmac_key_verify for a tag truncated to its first bytes, at least 10. Each byte less makes a
 * guess 256 times as likely to be right, so `tag_len` must be the length that the protocol specifies, not
 * the length that the sender chose.
 *
 * @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH for less than 10 bytes, or more than the
 * whole tag.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_verify_truncated(const struct keylane_hmac_key *key,
                                      const uint8_t *message,
                                      size_t message_len,
                                      const uint8_t *tag,
                                      size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Checks the tags of `count` messages; `tags` holds them one after the other. If any tag is wrong, the whole
 * call fails without saying which, and the time does not depend on which. `tags_len` must be `count` times
 * the hash's length.
 *
 * @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_verify_many(const struct keylane_hmac_key *key,
                                 const struct keylane_bytes *messages,
                                 size_t count,
                                 const uint8_t *tags,
                                 size_t tags_len)
KEYLANE_NONNULL(1);

/**
 * Returns the length in bytes of an exported key of this hash: 48 for SHA-1, 72 for SHA-256, 136 for
 * SHA-512; 0 for an unknown hash.
 */
size_t keylane_hmac_key_state_len(int hash);

/**
 * Exports the prepared key as bytes, to be stored or sent. They are as secret as the key: guard and wipe
 * them like it. `state_len` must be keylane_hmac_key_state_len of the hash.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_export(const struct keylane_hmac_key *key,
                            uint8_t *state,
                            size_t state_len)
KEYLANE_NONNULL(1);

/**
 * Imports a prepared key that keylane_hmac_key_export exported for the same hash.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash, or if the bytes are of another hash or not an exported
 * key; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_import(struct keylane_hmac_key *key,
                            int hash,
                            const uint8_t *state,
                            size_t state_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_hmac_key_wipe(struct keylane_hmac_key *key);

/**
 * Begins a MAC under a key of any length.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_init(struct keylane_hmac *mac,
                      int hash,
                      const uint8_t *key,
                      size_t key_len)
KEYLANE_NONNULL(1);

/**
 * Begins a MAC under a prepared key, which is copied and may be wiped afterwards.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_start(struct keylane_hmac *mac,
                       const struct keylane_hmac_key *key)
KEYLANE_NONNULL(1, 2);

/**
 * Absorbs `data`. How the bytes are divided among calls does not change the tag.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_update(struct keylane_hmac *mac,
                        const uint8_t *data,
                        size_t data_len)
KEYLANE_NONNULL(1);

/**
 * Writes the tag of everything absorbed. The struct is wiped. `tag_len` must be the hash's length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_finalize(struct keylane_hmac *mac,
                          uint8_t *tag,
                          size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Writes the tag of everything absorbed and starts over with the same key. `tag_len` must be the hash's
 * length.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_finalize_reset(struct keylane_hmac *mac,
                                uint8_t *tag,
                                size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Discards everything absorbed and starts over with the same key.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT int keylane_hmac_reset(struct keylane_hmac *mac) KEYLANE_NONNULL(1);

/**
 * Checks the tag of everything absorbed, all of it. The struct is wiped, whether the tag is right or not.
 *
 * @return 0; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH: then the struct is unchanged.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_verify(struct keylane_hmac *mac,
                        const uint8_t *tag,
                        size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct, for a MAC that is abandoned. Null is accepted.
 */
void keylane_hmac_wipe(struct keylane_hmac *mac);

/**
 * Fills `out` with the key derived from a password. `iterations` sets the cost of a guess; OWASP recommends
 * 600000 with SHA-256 and 210000 with SHA-512 (2023). The salt should be at least 16 random bytes and never
 * be used twice.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash or 0 iterations; INPUT_TOO_LONG if `out_len` is above
 * 2^32 - 1 digests.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_pbkdf2_derive(int hash,
                          const uint8_t *password,
                          size_t password_len,
                          const uint8_t *salt,
                          size_t salt_len,
                          uint32_t iterations,
                          uint8_t *out,
                          size_t out_len);

/**
 * Derives the keys of `count` passwords, each with its own salt, several at a time in the lanes of vector
 * registers: faster than one after the other. `out` receives the keys one after the other, `key_len` bytes
 * each.
 *
 * @return as keylane_pbkdf2_derive.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_pbkdf2_derive_many(int hash,
                               const struct keylane_bytes *passwords,
                               const struct keylane_bytes *salts,
                               size_t count,
                               uint32_t iterations,
                               uint8_t *out,
                               size_t key_len);

/**
 * Checks that `expected` is the key derived from a password. The comparison takes constant time.
 *
 * @return 0; AUTHENTICATION_FAILED; INVALID_PARAMETER as keylane_pbkdf2_derive; WRONG_LENGTH unless
 * `expected_len` is 1 to 1024.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_pbkdf2_verify(int hash,
                          const uint8_t *password,
                          size_t password_len,
                          const uint8_t *salt,
                          size_t salt_len,
                          uint32_t iterations,
                          const uint8_t *expected,
                          size_t expected_len);

/**
 * Extracts a key from input keying material of any length and quality (RFC 5869 section 2.2). If there is no
 * salt, pass an empty one.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_extract(struct keylane_hkdf *prk,
                         int hash,
                         const uint8_t *salt,
                         size_t salt_len,
                         const uint8_t *ikm,
                         size_t ikm_len)
KEYLANE_NONNULL(1);

/**
 * Prepares a key that is already pseudorandom.
 *
 * @return 0; INVALID_PARAMETER for an unknown hash; WRONG_LENGTH if the key is shorter than a digest.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_from_bytes(struct keylane_hkdf *prk,
                            int hash,
                            const uint8_t *key,
                            size_t key_len)
KEYLANE_NONNULL(1);

/**
 * Fills `out` with the key derived for `info` (RFC 5869 section 2.3).
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG if `out_len` is above 255 digests.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_expand(const struct keylane_hkdf *prk,
                        const uint8_t *info,
                        size_t info_len,
                        uint8_t *out,
                        size_t out_len)
KEYLANE_NONNULL(1);

/**
 * Does keylane_hkdf_expand with the info in at most 64 parts, which are read as one.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG if `out_len` is above 255 digests, or if the parts (which may be
 * the same memory) are together longer than the hash can count; INVALID_PARAMETER for more than 64 parts.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_expand_parts(const struct keylane_hkdf *prk,
                              const struct keylane_bytes *info,
                              size_t count,
                              uint8_t *out,
                              size_t out_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_hkdf_wipe(struct keylane_hkdf *prk);

/**
 * Expands a key of 16, 24 or 32 bytes: AES-128, AES-192, AES-256.
 *
 * @return 0; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_init(struct keylane_aes *aes,
                     const uint8_t *key,
                     size_t key_len)
KEYLANE_NONNULL(1);

/**
 * Encrypts each block of 16 bytes independently, in place.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `blocks_len`, in bytes, is a multiple of 16.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_encrypt_blocks(const struct keylane_aes *aes,
                               uint8_t *blocks,
                               size_t blocks_len)
KEYLANE_NONNULL(1);

/**
 * Decrypts each block of 16 bytes independently, in place.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `blocks_len`, in bytes, is a multiple of 16.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_decrypt_blocks(const struct keylane_aes *aes,
                               uint8_t *blocks,
                               size_t blocks_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_aes_wipe(struct keylane_aes *aes);

/**
 * Begins a key stream whose first block is the encryption of `counter_block`. The key is copied and may be
 * wiped afterwards.
 *
 * @return 0; UNINITIALISED, if `aes` is.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_ctr_init(struct keylane_aes_ctr *stream,
                         const struct keylane_aes *aes,
                         const uint8_t counter_block[16])
KEYLANE_NONNULL(1, 2, 3);

/**
 * XORs the next bytes of the key stream into `data`, which encrypts or decrypts it. How the bytes are
 * divided among calls does not change the output.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_ctr_xor_keystream(struct keylane_aes_ctr *stream,
                                  uint8_t *data,
                                  size_t data_len)
KEYLANE_NONNULL(1);

/**
 * Does keylane_aes_ctr_xor_keystream from `input` to `output`, which may be the same buffer.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless the lengths are equal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_ctr_xor_keystream_to(struct keylane_aes_ctr *stream,
                                     const uint8_t *input,
                                     size_t input_len,
                                     uint8_t *output,
                                     size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Moves to a position in the key stream, in bytes from its beginning.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_ctr_seek(struct keylane_aes_ctr *stream,
                         uint64_t position)
KEYLANE_NONNULL(1);

/**
 * Writes the position in the key stream, in bytes.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG if it is 2^64 or more.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_ctr_position(const struct keylane_aes_ctr *stream,
                             uint64_t *position)
KEYLANE_NONNULL(1, 2);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_aes_ctr_wipe(struct keylane_aes_ctr *stream);

/**
 * Prepares a key of 16, 24 or 32 bytes: AES-128, AES-192, AES-256.
 *
 * @return 0; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_init(struct keylane_aes_gcm *gcm,
                         const uint8_t *key,
                         size_t key_len)
KEYLANE_NONNULL(1);

/**
 * Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^36 - 32 bytes of text or 2^61 - 1 of `aad`.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_seal(const struct keylane_aes_gcm *key,
                         const uint8_t nonce[12],
                         const uint8_t *aad,
                         size_t aad_len,
                         uint8_t *data,
                         size_t data_len,
                         uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
 *
 * @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
 * keylane_aes_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_open(const struct keylane_aes_gcm *key,
                         const uint8_t nonce[12],
                         const uint8_t *aad,
                         size_t aad_len,
                         uint8_t *data,
                         size_t data_len,
                         const uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the
 * same buffer.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16;
 * INPUT_TOO_LONG as keylane_aes_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_seal_to(const struct keylane_aes_gcm *key,
                            const uint8_t nonce[12],
                            const uint8_t *aad,
                            size_t aad_len,
                            const uint8_t *plaintext,
                            size_t plaintext_len,
                            uint8_t *output,
                            size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Does keylane_aes_gcm_seal_to for a plaintext in at most 64 parts, none of which may
 * overlap `output`.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16;
 * INVALID_PARAMETER for more than 64 parts; INPUT_TOO_LONG as keylane_aes_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_seal_parts_to(const struct keylane_aes_gcm *key,
                                  const uint8_t nonce[12],
                                  const uint8_t *aad,
                                  size_t aad_len,
                                  const struct keylane_bytes *parts,
                                  size_t count,
                                  uint8_t *output,
                                  size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same
 * buffer.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 16; INPUT_TOO_LONG as keylane_aes_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_open_to(const struct keylane_aes_gcm *key,
                            const uint8_t nonce[12],
                            const uint8_t *aad,
                            size_t aad_len,
                            const uint8_t *sealed,
                            size_t sealed_len,
                            uint8_t *output,
                            size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts the texts of `count` messages in place and writes their tags: several at a time,
 * where that is faster than keylane_aes_gcm_seal one by one. Their lengths may differ.
 * Nothing that is written may overlap another range of any message. More than 1024 messages must
 * lie in ascending order of their addresses, where that of an empty text is its tag's.
 *
 * @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG
 * as keylane_aes_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_seal_many(const struct keylane_aes_gcm *key,
                              const struct keylane_message *messages,
                              size_t count)
KEYLANE_NONNULL(1);

/**
 * Decrypts the texts of `count` messages in place, as keylane_aes_gcm_open does one.
 * Writes to `opened` for each message 1 if its tag is right, or 0 if it is wrong: then its text
 * is wiped. As when sealing, no two tags may overlap.
 *
 * @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless
 * `opened_len` is `count`; INVALID_PARAMETER and INPUT_TOO_LONG as keylane_aes_gcm_seal_many.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_open_many(const struct keylane_aes_gcm *key,
                              const struct keylane_message *messages,
                              size_t count,
                              uint8_t *opened,
                              size_t opened_len)
KEYLANE_NONNULL(1);

/**
 * Does keylane_aes_gcm_seal with a nonce of 1 byte or more. A nonce of 12 bytes is used as in
 * keylane_aes_gcm_seal; others are hashed (SP 800-38D section 7.1), which is slower. Hashed nonces may
 * collide by chance: use one length for all nonces of a key.
 *
 * @return as keylane_aes_gcm_seal; INVALID_PARAMETER for an empty nonce.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_seal_any_nonce(const struct keylane_aes_gcm *key,
                                   const uint8_t *nonce,
                                   size_t nonce_len,
                                   const uint8_t *aad,
                                   size_t aad_len,
                                   uint8_t *data,
                                   size_t data_len,
                                   uint8_t tag[16])
KEYLANE_NONNULL(1, 8);

/**
 * Does keylane_aes_gcm_open with a nonce of 1 byte or more.
 *
 * @return as keylane_aes_gcm_open; INVALID_PARAMETER for an empty nonce.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_open_any_nonce(const struct keylane_aes_gcm *key,
                                   const uint8_t *nonce,
                                   size_t nonce_len,
                                   const uint8_t *aad,
                                   size_t aad_len,
                                   uint8_t *data,
                                   size_t data_len,
                                   const uint8_t tag[16])
KEYLANE_NONNULL(1, 8);

/**
 * Does keylane_aes_gcm_open_any_nonce with a tag that the sender truncated to its first 12 to 16 bytes. A
 * shorter tag is easier to forge, and each forgery makes the next one easier (SP 800-38D appendix C).
 *
 * @return as keylane_aes_gcm_open_any_nonce; WRONG_LENGTH unless `tag_len` is 12 to 16.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_open_truncated_any_nonce(const struct keylane_aes_gcm *key,
                                             const uint8_t *nonce,
                                             size_t nonce_len,
                                             const uint8_t *aad,
                                             size_t aad_len,
                                             uint8_t *data,
                                             size_t data_len,
                                             const uint8_t *tag,
                                             size_t tag_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_aes_gcm_wipe(struct keylane_aes_gcm *key);

/**
 * Prepares a key of 16 or 32 bytes: AES-128 or AES-256.
 *
 * @return 0; WRONG_LENGTH.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_init(struct keylane_aes_gcm_siv *aead,
                             const uint8_t *key,
                             size_t key_len)
KEYLANE_NONNULL(1);

/**
 * Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^36 bytes of text or of `aad`.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_seal(const struct keylane_aes_gcm_siv *key,
                             const uint8_t nonce[12],
                             const uint8_t *aad,
                             size_t aad_len,
                             uint8_t *data,
                             size_t data_len,
                             uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
 *
 * @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
 * keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_open(const struct keylane_aes_gcm_siv *key,
                             const uint8_t nonce[12],
                             const uint8_t *aad,
                             size_t aad_len,
                             uint8_t *data,
                             size_t data_len,
                             const uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the
 * same buffer.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16;
 * INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_seal_to(const struct keylane_aes_gcm_siv *key,
                                const uint8_t nonce[12],
                                const uint8_t *aad,
                                size_t aad_len,
                                const uint8_t *plaintext,
                                size_t plaintext_len,
                                uint8_t *output,
                                size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Does keylane_aes_gcm_siv_seal_to for a plaintext in at most 64 parts, none of which may
 * overlap `output`.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16;
 * INVALID_PARAMETER for more than 64 parts; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_seal_parts_to(const struct keylane_aes_gcm_siv *key,
                                      const uint8_t nonce[12],
                                      const uint8_t *aad,
                                      size_t aad_len,
                                      const struct keylane_bytes *parts,
                                      size_t count,
                                      uint8_t *output,
                                      size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same
 * buffer.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 16; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_open_to(const struct keylane_aes_gcm_siv *key,
                                const uint8_t nonce[12],
                                const uint8_t *aad,
                                size_t aad_len,
                                const uint8_t *sealed,
                                size_t sealed_len,
                                uint8_t *output,
                                size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts the texts of `count` messages in place and writes their tags: several at a time,
 * where that is faster than keylane_aes_gcm_siv_seal one by one. Their lengths may differ.
 * Nothing that is written may overlap another range of any message. More than 1024 messages must
 * lie in ascending order of their addresses, where that of an empty text is its tag's.
 *
 * @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG
 * as keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_seal_many(const struct keylane_aes_gcm_siv *key,
                                  const struct keylane_message *messages,
                                  size_t count)
KEYLANE_NONNULL(1);

/**
 * Decrypts the texts of `count` messages in place, as keylane_aes_gcm_siv_open does one.
 * Writes to `opened` for each message 1 if its tag is right, or 0 if it is wrong: then its text
 * is wiped. As when sealing, no two tags may overlap.
 *
 * @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless
 * `opened_len` is `count`; INVALID_PARAMETER and INPUT_TOO_LONG as keylane_aes_gcm_siv_seal_many.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_open_many(const struct keylane_aes_gcm_siv *key,
                                  const struct keylane_message *messages,
                                  size_t count,
                                  uint8_t *opened,
                                  size_t opened_len)
KEYLANE_NONNULL(1);

/**
 * Encrypts `plaintext` under a random nonce from the operating system into `output`: the nonce
 * of 12 bytes, the ciphertext, then the tag of 16 bytes.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 28;
 * NO_RANDOMNESS; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_seal_random(const struct keylane_aes_gcm_siv *key,
                                    const uint8_t *aad,
                                    size_t aad_len,
                                    const uint8_t *plaintext,
                                    size_t plaintext_len,
                                    uint8_t *output,
                                    size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Decrypts `sealed`, what keylane_aes_gcm_siv_seal_random wrote, into `output`.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 28; INPUT_TOO_LONG as keylane_aes_gcm_siv_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aes_gcm_siv_open_random(const struct keylane_aes_gcm_siv *key,
                                    const uint8_t *aad,
                                    size_t aad_len,
                                    const uint8_t *sealed,
                                    size_t sealed_len,
                                    uint8_t *output,
                                    size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_aes_gcm_siv_wipe(struct keylane_aes_gcm_siv *key);

/**
 * Begins a key stream.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20_init(struct keylane_chacha20 *stream,
                          const uint8_t key[32],
                          const uint8_t nonce[12])
KEYLANE_NONNULL(1, 2, 3);

/**
 * XORs the next bytes of the key stream into `data`, which encrypts or decrypts it. How the bytes are
 * divided among calls does not change the output.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes of key stream: then nothing is encrypted.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20_xor_keystream(struct keylane_chacha20 *stream,
                                   uint8_t *data,
                                   size_t data_len)
KEYLANE_NONNULL(1);

/**
 * Does keylane_chacha20_xor_keystream from `input` to `output`, which may be the same buffer.
 *
 * @return as keylane_chacha20_xor_keystream; WRONG_LENGTH unless the lengths are equal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20_xor_keystream_to(struct keylane_chacha20 *stream,
                                      const uint8_t *input,
                                      size_t input_len,
                                      uint8_t *output,
                                      size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Moves to a position in the key stream, in bytes from its beginning. The RFC's examples that begin with the
 * counter 1 start at byte 64.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes: then the position is unchanged.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20_seek(struct keylane_chacha20 *stream,
                          uint64_t position)
KEYLANE_NONNULL(1);

/**
 * Writes the position in the key stream, in bytes.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20_position(const struct keylane_chacha20 *stream,
                              uint64_t *position)
KEYLANE_NONNULL(1, 2);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_chacha20_wipe(struct keylane_chacha20 *stream);

/**
 * Begins a key stream.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20_init(struct keylane_xchacha20 *stream,
                           const uint8_t key[32],
                           const uint8_t nonce[24])
KEYLANE_NONNULL(1, 2, 3);

/**
 * XORs the next bytes of the key stream into `data`, which encrypts or decrypts it. How the bytes are
 * divided among calls does not change the output.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes of key stream: then nothing is encrypted.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20_xor_keystream(struct keylane_xchacha20 *stream,
                                    uint8_t *data,
                                    size_t data_len)
KEYLANE_NONNULL(1);

/**
 * Does keylane_xchacha20_xor_keystream from `input` to `output`, which may be the same buffer.
 *
 * @return as keylane_xchacha20_xor_keystream; WRONG_LENGTH unless the lengths are equal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20_xor_keystream_to(struct keylane_xchacha20 *stream,
                                       const uint8_t *input,
                                       size_t input_len,
                                       uint8_t *output,
                                       size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Moves to a position in the key stream, in bytes from its beginning. The RFC's examples that begin with the
 * counter 1 start at byte 64.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes: then the position is unchanged.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20_seek(struct keylane_xchacha20 *stream,
                           uint64_t position)
KEYLANE_NONNULL(1);

/**
 * Writes the position in the key stream, in bytes.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20_position(const struct keylane_xchacha20 *stream,
                               uint64_t *position)
KEYLANE_NONNULL(1, 2);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_xchacha20_wipe(struct keylane_xchacha20 *stream);

/**
 * Copies a key into the struct.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_init(struct keylane_chacha20poly1305 *aead,
                                  const uint8_t key[32])
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^38 - 64 bytes of text.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_seal(const struct keylane_chacha20poly1305 *key,
                                  const uint8_t nonce[12],
                                  const uint8_t *aad,
                                  size_t aad_len,
                                  uint8_t *data,
                                  size_t data_len,
                                  uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
 *
 * @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
 * keylane_chacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_open(const struct keylane_chacha20poly1305 *key,
                                  const uint8_t nonce[12],
                                  const uint8_t *aad,
                                  size_t aad_len,
                                  uint8_t *data,
                                  size_t data_len,
                                  const uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the
 * same buffer.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16;
 * INPUT_TOO_LONG as keylane_chacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_seal_to(const struct keylane_chacha20poly1305 *key,
                                     const uint8_t nonce[12],
                                     const uint8_t *aad,
                                     size_t aad_len,
                                     const uint8_t *plaintext,
                                     size_t plaintext_len,
                                     uint8_t *output,
                                     size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Does keylane_chacha20poly1305_seal_to for a plaintext in at most 64 parts, none of which may
 * overlap `output`.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16;
 * INVALID_PARAMETER for more than 64 parts; INPUT_TOO_LONG as keylane_chacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_seal_parts_to(const struct keylane_chacha20poly1305 *key,
                                           const uint8_t nonce[12],
                                           const uint8_t *aad,
                                           size_t aad_len,
                                           const struct keylane_bytes *parts,
                                           size_t count,
                                           uint8_t *output,
                                           size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same
 * buffer.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 16; INPUT_TOO_LONG as keylane_chacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_open_to(const struct keylane_chacha20poly1305 *key,
                                     const uint8_t nonce[12],
                                     const uint8_t *aad,
                                     size_t aad_len,
                                     const uint8_t *sealed,
                                     size_t sealed_len,
                                     uint8_t *output,
                                     size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts the texts of `count` messages in place and writes their tags: several at a time,
 * where that is faster than keylane_chacha20poly1305_seal one by one. Their lengths may differ.
 * Nothing that is written may overlap another range of any message. More than 1024 messages must
 * lie in ascending order of their addresses, where that of an empty text is its tag's.
 *
 * @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG
 * as keylane_chacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_seal_many(const struct keylane_chacha20poly1305 *key,
                                       const struct keylane_message *messages,
                                       size_t count)
KEYLANE_NONNULL(1);

/**
 * Decrypts the texts of `count` messages in place, as keylane_chacha20poly1305_open does one.
 * Writes to `opened` for each message 1 if its tag is right, or 0 if it is wrong: then its text
 * is wiped. As when sealing, no two tags may overlap.
 *
 * @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless
 * `opened_len` is `count`; INVALID_PARAMETER and INPUT_TOO_LONG as keylane_chacha20poly1305_seal_many.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_chacha20poly1305_open_many(const struct keylane_chacha20poly1305 *key,
                                       const struct keylane_message *messages,
                                       size_t count,
                                       uint8_t *opened,
                                       size_t opened_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_chacha20poly1305_wipe(struct keylane_chacha20poly1305 *key);

/**
 * Copies a key into the struct.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_init(struct keylane_xchacha20poly1305 *aead,
                                   const uint8_t key[32])
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^38 - 64 bytes of text.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_seal(const struct keylane_xchacha20poly1305 *key,
                                   const uint8_t nonce[24],
                                   const uint8_t *aad,
                                   size_t aad_len,
                                   uint8_t *data,
                                   size_t data_len,
                                   uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
 *
 * @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
 * keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_open(const struct keylane_xchacha20poly1305 *key,
                                   const uint8_t nonce[24],
                                   const uint8_t *aad,
                                   size_t aad_len,
                                   uint8_t *data,
                                   size_t data_len,
                                   const uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the
 * same buffer.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16;
 * INPUT_TOO_LONG as keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_seal_to(const struct keylane_xchacha20poly1305 *key,
                                      const uint8_t nonce[24],
                                      const uint8_t *aad,
                                      size_t aad_len,
                                      const uint8_t *plaintext,
                                      size_t plaintext_len,
                                      uint8_t *output,
                                      size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Does keylane_xchacha20poly1305_seal_to for a plaintext in at most 64 parts, none of which may
 * overlap `output`.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16;
 * INVALID_PARAMETER for more than 64 parts; INPUT_TOO_LONG as keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_seal_parts_to(const struct keylane_xchacha20poly1305 *key,
                                            const uint8_t nonce[24],
                                            const uint8_t *aad,
                                            size_t aad_len,
                                            const struct keylane_bytes *parts,
                                            size_t count,
                                            uint8_t *output,
                                            size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same
 * buffer.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 16; INPUT_TOO_LONG as keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_open_to(const struct keylane_xchacha20poly1305 *key,
                                      const uint8_t nonce[24],
                                      const uint8_t *aad,
                                      size_t aad_len,
                                      const uint8_t *sealed,
                                      size_t sealed_len,
                                      uint8_t *output,
                                      size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts the texts of `count` messages in place and writes their tags: several at a time,
 * where that is faster than keylane_xchacha20poly1305_seal one by one. Their lengths may differ.
 * Nothing that is written may overlap another range of any message. More than 1024 messages must
 * lie in ascending order of their addresses, where that of an empty text is its tag's.
 *
 * @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG
 * as keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_seal_many(const struct keylane_xchacha20poly1305 *key,
                                        const struct keylane_message *messages,
                                        size_t count)
KEYLANE_NONNULL(1);

/**
 * Decrypts the texts of `count` messages in place, as keylane_xchacha20poly1305_open does one.
 * Writes to `opened` for each message 1 if its tag is right, or 0 if it is wrong: then its text
 * is wiped. As when sealing, no two tags may overlap.
 *
 * @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless
 * `opened_len` is `count`; INVALID_PARAMETER and INPUT_TOO_LONG as keylane_xchacha20poly1305_seal_many.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_open_many(const struct keylane_xchacha20poly1305 *key,
                                        const struct keylane_message *messages,
                                        size_t count,
                                        uint8_t *opened,
                                        size_t opened_len)
KEYLANE_NONNULL(1);

/**
 * Encrypts `plaintext` under a random nonce from the operating system into `output`: the nonce
 * of 24 bytes, the ciphertext, then the tag of 16 bytes.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 40;
 * NO_RANDOMNESS; INPUT_TOO_LONG as keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_seal_random(const struct keylane_xchacha20poly1305 *key,
                                          const uint8_t *aad,
                                          size_t aad_len,
                                          const uint8_t *plaintext,
                                          size_t plaintext_len,
                                          uint8_t *output,
                                          size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Decrypts `sealed`, what keylane_xchacha20poly1305_seal_random wrote, into `output`.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 40; INPUT_TOO_LONG as keylane_xchacha20poly1305_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xchacha20poly1305_open_random(const struct keylane_xchacha20poly1305 *key,
                                          const uint8_t *aad,
                                          size_t aad_len,
                                          const uint8_t *sealed,
                                          size_t sealed_len,
                                          uint8_t *output,
                                          size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_xchacha20poly1305_wipe(struct keylane_xchacha20poly1305 *key);

/**
 * Computes the tag of a message. The key must be used for this message only.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_mac(const uint8_t key[32],
                         const uint8_t *message,
                         size_t message_len,
                         uint8_t tag[16])
KEYLANE_NONNULL(1, 4);

/**
 * Begins a message.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_init(struct keylane_poly1305 *poly1305,
                          const uint8_t key[32])
KEYLANE_NONNULL(1, 2);

/**
 * Begins a message of about `bytes_hint` bytes. For a short one, the preparation that speeds up long
 * messages is skipped. A message may be longer than the hint; it is then only slower.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_init_with_hint(struct keylane_poly1305 *poly1305,
                                    const uint8_t key[32],
                                    size_t bytes_hint)
KEYLANE_NONNULL(1, 2);

/**
 * Absorbs `data`. How the bytes are divided among calls does not change the tag.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_update(struct keylane_poly1305 *poly1305,
                            const uint8_t *data,
                            size_t data_len)
KEYLANE_NONNULL(1);

/**
 * Pads a partial last block with zeros to 16 bytes, as AEADs do between additional data and text (RFC 8439
 * section 2.8).
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_pad_to_block(struct keylane_poly1305 *poly1305)
KEYLANE_NONNULL(1);

/**
 * Writes the tag of everything absorbed. The struct is wiped.
 *
 * @return 0; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_finalize(struct keylane_poly1305 *poly1305,
                              uint8_t tag[16])
KEYLANE_NONNULL(1, 2);

/**
 * Checks the tag of everything absorbed. The comparison takes constant time. The struct is wiped, whether
 * the tag is right or not.
 *
 * @return 0; AUTHENTICATION_FAILED; UNINITIALISED.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_verify(struct keylane_poly1305 *poly1305,
                            const uint8_t tag[16])
KEYLANE_NONNULL(1, 2);

/**
 * Wipes the struct, for a message that is abandoned. Null is accepted.
 */
void keylane_poly1305_wipe(struct keylane_poly1305 *poly1305);

/**
 * Prepares a key.
 *
 * @return 0.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_init(struct keylane_xaes_256_gcm *aead,
                              const uint8_t key[32])
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts `data` in place and writes the tag, which also covers `aad` and the nonce.
 *
 * @return 0; UNINITIALISED; INPUT_TOO_LONG above 2^36 - 32 bytes of text or 2^61 - 1 of `aad`.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_seal(const struct keylane_xaes_256_gcm *key,
                              const uint8_t nonce[24],
                              const uint8_t *aad,
                              size_t aad_len,
                              uint8_t *data,
                              size_t data_len,
                              uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Decrypts `data` in place if `tag` is the tag of `data`, `aad` and the nonce.
 *
 * @return 0; AUTHENTICATION_FAILED, with `data` wiped; UNINITIALISED; INPUT_TOO_LONG as
 * keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_open(const struct keylane_xaes_256_gcm *key,
                              const uint8_t nonce[24],
                              const uint8_t *aad,
                              size_t aad_len,
                              uint8_t *data,
                              size_t data_len,
                              const uint8_t tag[16])
KEYLANE_NONNULL(1, 2, 7);

/**
 * Encrypts `plaintext` into `output`: the ciphertext, then the tag of 16 bytes. They may be the
 * same buffer.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 16;
 * INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_seal_to(const struct keylane_xaes_256_gcm *key,
                                 const uint8_t nonce[24],
                                 const uint8_t *aad,
                                 size_t aad_len,
                                 const uint8_t *plaintext,
                                 size_t plaintext_len,
                                 uint8_t *output,
                                 size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Does keylane_xaes_256_gcm_seal_to for a plaintext in at most 64 parts, none of which may
 * overlap `output`.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is the text's length + 16;
 * INVALID_PARAMETER for more than 64 parts; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_seal_parts_to(const struct keylane_xaes_256_gcm *key,
                                       const uint8_t nonce[24],
                                       const uint8_t *aad,
                                       size_t aad_len,
                                       const struct keylane_bytes *parts,
                                       size_t count,
                                       uint8_t *output,
                                       size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Decrypts `sealed`, a ciphertext and its tag of 16 bytes, into `output`. They may be the same
 * buffer.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 16; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_open_to(const struct keylane_xaes_256_gcm *key,
                                 const uint8_t nonce[24],
                                 const uint8_t *aad,
                                 size_t aad_len,
                                 const uint8_t *sealed,
                                 size_t sealed_len,
                                 uint8_t *output,
                                 size_t output_len)
KEYLANE_NONNULL(1, 2);

/**
 * Encrypts the texts of `count` messages in place and writes their tags: several at a time,
 * where that is faster than keylane_xaes_256_gcm_seal one by one. Their lengths may differ.
 * Nothing that is written may overlap another range of any message. More than 1024 messages must
 * lie in ascending order of their addresses, where that of an empty text is its tag's.
 *
 * @return 0; UNINITIALISED; INVALID_PARAMETER for more messages in another order; INPUT_TOO_LONG
 * as keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_seal_many(const struct keylane_xaes_256_gcm *key,
                                   const struct keylane_message *messages,
                                   size_t count)
KEYLANE_NONNULL(1);

/**
 * Decrypts the texts of `count` messages in place, as keylane_xaes_256_gcm_open does one.
 * Writes to `opened` for each message 1 if its tag is right, or 0 if it is wrong: then its text
 * is wiped. As when sealing, no two tags may overlap.
 *
 * @return 0 if every tag is right; AUTHENTICATION_FAILED; UNINITIALISED; WRONG_LENGTH unless
 * `opened_len` is `count`; INVALID_PARAMETER and INPUT_TOO_LONG as keylane_xaes_256_gcm_seal_many.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_open_many(const struct keylane_xaes_256_gcm *key,
                                   const struct keylane_message *messages,
                                   size_t count,
                                   uint8_t *opened,
                                   size_t opened_len)
KEYLANE_NONNULL(1);

/**
 * Encrypts `plaintext` under a random nonce from the operating system into `output`: the nonce
 * of 24 bytes, the ciphertext, then the tag of 16 bytes.
 *
 * @return 0; UNINITIALISED; WRONG_LENGTH unless `output_len` is `plaintext_len` + 40;
 * NO_RANDOMNESS; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_seal_random(const struct keylane_xaes_256_gcm *key,
                                     const uint8_t *aad,
                                     size_t aad_len,
                                     const uint8_t *plaintext,
                                     size_t plaintext_len,
                                     uint8_t *output,
                                     size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Decrypts `sealed`, what keylane_xaes_256_gcm_seal_random wrote, into `output`.
 *
 * @return 0; AUTHENTICATION_FAILED, with `output` wiped; UNINITIALISED; WRONG_LENGTH unless
 * `output_len` is `sealed_len` - 40; INPUT_TOO_LONG as keylane_xaes_256_gcm_seal.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_xaes_256_gcm_open_random(const struct keylane_xaes_256_gcm *key,
                                     const uint8_t *aad,
                                     size_t aad_len,
                                     const uint8_t *sealed,
                                     size_t sealed_len,
                                     uint8_t *output,
                                     size_t output_len)
KEYLANE_NONNULL(1);

/**
 * Wipes the struct. Null is accepted.
 */
void keylane_xaes_256_gcm_wipe(struct keylane_xaes_256_gcm *key);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KEYLANE_H */
