/* Keylane for C: hashes, MACs, key derivation and ciphers. Needs C99 or C++11, or later.
 *
 * ERRORS. A function that can fail returns 0 or a negative KEYLANE_ERROR_*, which comments name without that
 * prefix. A call that fails has written nothing, unless its comment says otherwise. Besides what its comment
 * names, every function that can fail may return
 *   NULL            for a null pointer to a struct, or to bytes whose length is not 0 (with length 0, null is
 *                   allowed),
 *   OVERLAP         if an output or a struct overlaps another argument. Input and output may be the same
 *                   buffer (begin at the same address) where a comment says so; a digest or tag, except in a
 *                   batch, may begin where any input begins,
 *   INPUT_TOO_LONG  for a length that no object in memory has,
 *   SELF_TEST       if no implementation of the primitive passes its self-test on this CPU,
 *   INTERNAL        if the library has a defect,
 * and if it takes a struct that it does not initialise,
 *   UNINITIALISED   for one that was zeroed, wiped or finalized.
 * No function unwinds, or exits the process while there is memory. After a call, your compiler may drop your
 * own test for null of an argument marked KEYLANE_NONNULL.
 *
 * STRUCTS belong to the caller. They have a fixed size and hold no pointers to other memory; nothing is
 * allocated. An _init function, or another that says so, initialises one; _wipe wipes it, and accepts null.
 * Wipe those that hold secrets: all except keylane_hash. Copies, by assignment or memcpy, are independent.
 * Functions take a struct at any address, fastest if it is aligned. Your own assignment to an unaligned one,
 * or memcpy through a pointer to it, may fault, since compilers assume the alignment.
 *
 * THREADS. Any thread may call any function. Threads may use and copy the same struct at once in calls that
 * take it as const: these do not write to it.
 *
 * BATCHES. Functions with _many or _each take `count` messages that lie one after the other in a buffer, and
 * count + 1 offsets: message i is the bytes from offsets[i] up to but not including offsets[i + 1].
 * INVALID_PARAMETER if an offset is less than the one before it. With count 0, no offset is read. An AEAD's
 * `nonces` have the algorithm's length, `tags` 16 bytes, `opened` one. Messages are processed in parallel and
 * may differ in length. Results lie one after the other.
 *
 * Lengths are in bytes. A function's time depends on lengths, not on secrets. Every call takes less than
 * 32 KiB of stack, including keylane_startup and a primitive's first use, which test implementations. */
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

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. While the major version is 0, the minor one changes with the interface. */
#define KEYLANE_VERSION_MAJOR 0
#define KEYLANE_VERSION_MINOR 3
#define KEYLANE_VERSION_PATCH 0

/* A tag or a derived key is not the expected one. Says no more, on purpose. */
#define KEYLANE_ERROR_AUTHENTICATION_FAILED (-1)
/* More input or output than the algorithm allows. */
#define KEYLANE_ERROR_INPUT_TOO_LONG (-2)
/* A length that is not allowed. */
#define KEYLANE_ERROR_WRONG_LENGTH (-3)
/* A parameter has no valid meaning: no such algorithm, no iterations, a key state of another hash. */
#define KEYLANE_ERROR_INVALID_PARAMETER (-4)
/* The operating system supplied no random bytes. */
#define KEYLANE_ERROR_NO_RANDOMNESS (-5)
/* A pointer that must not be null is null. */
#define KEYLANE_ERROR_NULL (-100)
/* An output or a struct overlaps something else that the call uses, and is not the same buffer. */
#define KEYLANE_ERROR_OVERLAP (-101)
/* A struct was not initialised, or has been wiped or finalized since. */
#define KEYLANE_ERROR_UNINITIALISED (-102)
/* No implementation of a primitive passes its self-test: the CPU or the build is broken. */
#define KEYLANE_ERROR_SELF_TEST (-103)
/* A defect of the library. Outputs are undefined. */
#define KEYLANE_ERROR_INTERNAL (-104)

/* ---- The library ---- */

/* Tests the implementations that this CPU can run against known answers, and chooses the best of each
 * primitive. Optional on x86-64 and aarch64: without this call, each is tested before its first use. Other
 * CPUs have one implementation, which only this call tests. It takes a few milliseconds; any thread may call
 * it, any number of times, while others compute. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_startup(void);

/* Returns the name of the implementation that runs on this CPU for one message at a time, such as "sha-ni",
 * "avx2" or "portable"; static. The primitives are "sha1", "sha256" (and SHA-224), "sha512" (and SHA-384,
 * SHA-512/256), "aes", "aes-ctr", "aes-gcm" (and XAES-256-GCM), "aes-gcm-siv", "poly1305", "chacha20" and
 * "chacha20-poly1305" (and XChaCha20-Poly1305). The first call for a primitive runs its self-test. Returns
 * null for any other name, for null, and if no implementation passes its self-test. */
const char *keylane_implementation(const char *primitive);

/* Returns the version of the library that is loaded, such as "0.3.0"; static. */
const char *keylane_version(void);

/* Returns the message, in English, for an error code or for 0; static, never null. */
const char *keylane_error_message(int error);

/* ---- Hashes ---- */

#define KEYLANE_SHA1 1 /* 20 bytes. Broken where collisions matter; only for HMAC in old protocols. */
#define KEYLANE_SHA224 2
#define KEYLANE_SHA256 3
#define KEYLANE_SHA384 4
#define KEYLANE_SHA512 5
#define KEYLANE_SHA512_256 6
/* The longest digest or tag of any hash. In all that follows,
 *   `hash` is one of these: INVALID_PARAMETER for another number;
 *   `digest_len` and `tag_len` must be the hash's length, `digests_len` and `tags_len` `count` times that:
 *   WRONG_LENGTH otherwise. */
#define KEYLANE_HASH_MAX_LEN 64

/* Return the length of a digest, which is that of an HMAC tag; the length of a block; and the name in lower
 * case, such as "sha512-256", static. 0 or null for an unknown hash. */
size_t keylane_hash_output_len(int hash);
size_t keylane_hash_block_len(int hash);
const char *keylane_hash_name(int hash);

/* A running hash. */
typedef struct KEYLANE_ALIGNED(16) keylane_hash {
    uint8_t opaque[256];
} keylane_hash;

/* Computes the digest of `data`. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_digest(int hash, const uint8_t *data, size_t data_len, uint8_t *digest, size_t digest_len);

/* Computes the digests of many messages. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_digest_many(int hash, const uint8_t *messages, const size_t *offsets, size_t count,
                             uint8_t *digests, size_t digests_len);

/* Begins a hash. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_init(keylane_hash *state, int hash) KEYLANE_NONNULL(1);

/* Absorbs `data`. How the bytes are divided among calls does not change the digest. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_update(keylane_hash *state, const uint8_t *data, size_t data_len) KEYLANE_NONNULL(1);

/* Computes the digests of everything absorbed, followed by each of many suffixes. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_finalize_many(const keylane_hash *state, const uint8_t *suffixes, const size_t *offsets,
                               size_t count, uint8_t *digests, size_t digests_len) KEYLANE_NONNULL(1);

/* Writes the digest of everything absorbed, and wipes the struct unless it fails. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hash_finalize(keylane_hash *state, uint8_t *digest, size_t digest_len) KEYLANE_NONNULL(1);

void keylane_hash_wipe(keylane_hash *state);

/* ---- HMAC ---- */

/* A prepared key: a short message then costs two compressions. */
typedef struct KEYLANE_ALIGNED(16) keylane_hmac_key {
    uint8_t opaque[192];
} keylane_hmac_key;

/* The MAC of a message that arrives in pieces. */
typedef struct KEYLANE_ALIGNED(16) keylane_hmac {
    uint8_t opaque[448];
} keylane_hmac;

/* Computes the tag of one message under a key of any length. For several messages, prepare the key once. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_mac(int hash, const uint8_t *key, size_t key_len, const uint8_t *message, size_t message_len,
                     uint8_t *tag, size_t tag_len);

/* Prepares a key of any length. Keys shorter than the digest weaken HMAC. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_init(keylane_hmac_key *prepared, int hash, const uint8_t *key, size_t key_len)
    KEYLANE_NONNULL(1);

/* Computes the tag of a message. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac(const keylane_hmac_key *key, const uint8_t *message, size_t message_len,
                         uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1);

/* Computes the tags of many messages. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac_many(const keylane_hmac_key *key, const uint8_t *messages, const size_t *offsets,
                              size_t count, uint8_t *tags, size_t tags_len) KEYLANE_NONNULL(1);

/* Computes the tags of many messages, message i under keys[which[i]] of an array of `keys_count` keys. The
 * array must be aligned, and the keys that are used must be of one hash: INVALID_PARAMETER if not, or if
 * there is no such key. Keys that are not used are not read. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_mac_each(const keylane_hmac_key *keys, size_t keys_count, const size_t *which,
                              const uint8_t *messages, const size_t *offsets, size_t count, uint8_t *tags,
                              size_t tags_len);

/* Checks the whole tag of a message. AUTHENTICATION_FAILED if it is wrong. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_verify(const keylane_hmac_key *key, const uint8_t *message, size_t message_len,
                            const uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1);

/* Does keylane_hmac_key_verify for a tag truncated to its first bytes: WRONG_LENGTH for less than 10, or more
 * than a tag has. Each byte less makes a guess 256 times as likely to be right, so `tag_len` must be the
 * length that the protocol specifies, not the length that the sender chose. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_verify_truncated(const keylane_hmac_key *key, const uint8_t *message, size_t message_len,
                                      const uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1);

/* Checks the tags of many messages. AUTHENTICATION_FAILED if any is wrong, without saying which. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_verify_many(const keylane_hmac_key *key, const uint8_t *messages, const size_t *offsets,
                                 size_t count, const uint8_t *tags, size_t tags_len) KEYLANE_NONNULL(1);

/* Finds which of several keys made one of several tags for a message: for secrets that are being replaced,
 * and for senders that sign with several secrets. Writes to `which` the index of the first such key
 * in an array of `keys_count` keys, which must be aligned and of one hash. The tags lie one after the other.
 * AUTHENTICATION_FAILED if no key made any of them; WRONG_LENGTH unless `tags_len` is a multiple of the
 * hash's length; INVALID_PARAMETER for keys that are not aligned or of several hashes. The time reveals which
 * key made which tag. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_verify_any(const keylane_hmac_key *keys, size_t keys_count, const uint8_t *message,
                            size_t message_len, const uint8_t *tags, size_t tags_len, size_t *which)
    KEYLANE_NONNULL(7);

/* Returns the length of an exported key: 48 for SHA-1, 72 for SHA-256, 136 for SHA-512; 0 for an unknown
 * hash. */
size_t keylane_hmac_key_state_len(int hash);

/* Exports the prepared key as bytes, as secret as the key, to be stored or sent. WRONG_LENGTH unless
 * `state_len` is keylane_hmac_key_state_len. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_export(const keylane_hmac_key *key, uint8_t *state, size_t state_len) KEYLANE_NONNULL(1);

/* Initialises the key with what keylane_hmac_key_export exported. WRONG_LENGTH; INVALID_PARAMETER for bytes
 * that are of another hash or not an exported key. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_key_import(keylane_hmac_key *key, int hash, const uint8_t *state, size_t state_len)
    KEYLANE_NONNULL(1);

void keylane_hmac_key_wipe(keylane_hmac_key *key);

/* Begins a MAC under a key of any length. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_init(keylane_hmac *mac, int hash, const uint8_t *key, size_t key_len) KEYLANE_NONNULL(1);

/* Begins a MAC under a prepared key, which is copied. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_start(keylane_hmac *mac, const keylane_hmac_key *key) KEYLANE_NONNULL(1, 2);

/* Absorbs `data`. How the bytes are divided among calls does not change the tag. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_update(keylane_hmac *mac, const uint8_t *data, size_t data_len) KEYLANE_NONNULL(1);

/* Writes the tag of everything absorbed. The first wipes the struct unless it fails; the second starts over
 * with the same key. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_finalize(keylane_hmac *mac, uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1);
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_finalize_reset(keylane_hmac *mac, uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1);

/* Discards everything absorbed and starts over with the same key. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_reset(keylane_hmac *mac) KEYLANE_NONNULL(1);

/* Checks the whole tag of everything absorbed: 0 or AUTHENTICATION_FAILED, and the struct is wiped. After
 * WRONG_LENGTH it is unchanged. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hmac_verify(keylane_hmac *mac, const uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1);

void keylane_hmac_wipe(keylane_hmac *mac);

/* ---- PBKDF2 with HMAC (RFC 8018 section 5.2) ---- */

/* Fills `out` with the key derived from a password. `iterations` sets the cost of a guess; OWASP recommends
 * 600000 with SHA-256 and 210000 with SHA-512 (2023). The salt should be at least 16 random bytes and never
 * be used twice. INVALID_PARAMETER for 0 iterations; INPUT_TOO_LONG above 2^32 - 1 digests. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_pbkdf2_derive(int hash, const uint8_t *password, size_t password_len, const uint8_t *salt,
                          size_t salt_len, uint32_t iterations, uint8_t *out, size_t out_len);

/* Derives the keys of many passwords, each with its own salt. `out` has room for `count` keys of `key_len`
 * bytes. Errors as keylane_pbkdf2_derive. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_pbkdf2_derive_many(int hash, const uint8_t *passwords, const size_t *password_offsets,
                               const uint8_t *salts, const size_t *salt_offsets, size_t count,
                               uint32_t iterations, uint8_t *out, size_t key_len);

/* Checks that `expected`, 1 to 1024 bytes, is the key derived from a password. AUTHENTICATION_FAILED;
 * WRONG_LENGTH; otherwise errors as keylane_pbkdf2_derive. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_pbkdf2_verify(int hash, const uint8_t *password, size_t password_len, const uint8_t *salt,
                          size_t salt_len, uint32_t iterations, const uint8_t *expected, size_t expected_len);

/* ---- HKDF (RFC 5869) ---- */

/* A pseudorandom key of HKDF, prepared. */
typedef struct KEYLANE_ALIGNED(16) keylane_hkdf {
    uint8_t opaque[192];
} keylane_hkdf;

/* Initialises `prk` with the key extracted from input keying material of any length and quality. If there is
 * no salt, pass an empty one. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_extract(keylane_hkdf *prk, int hash, const uint8_t *salt, size_t salt_len,
                         const uint8_t *ikm, size_t ikm_len) KEYLANE_NONNULL(1);

/* Initialises `prk` with a pseudorandom key. WRONG_LENGTH if that is shorter than a digest. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_from_bytes(keylane_hkdf *prk, int hash, const uint8_t *key, size_t key_len)
    KEYLANE_NONNULL(1);

/* Fills `out` with the key derived for `info`. INPUT_TOO_LONG above 255 digests. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_hkdf_expand(const keylane_hkdf *prk, const uint8_t *info, size_t info_len, uint8_t *out,
                        size_t out_len) KEYLANE_NONNULL(1);

void keylane_hkdf_wipe(keylane_hkdf *prk);

/* ---- Authenticated encryption ---- */

/* Two messages under one key and one nonce reveal the XOR of the plaintexts, and with AES-GCM and
 * ChaCha20-Poly1305 let anyone forge messages (AES-GCM-SIV reveals only whether they are equal). Use a
 * counter as the nonce, or an algorithm whose nonces may be random: its nonces are long, or may repeat. */
#define KEYLANE_AES_128_GCM 1
#define KEYLANE_AES_192_GCM 2
#define KEYLANE_AES_256_GCM 3
#define KEYLANE_AES_128_GCM_SIV 4 /* Nonces may be random and may repeat. */
#define KEYLANE_AES_256_GCM_SIV 5 /* Nonces may be random and may repeat. */
#define KEYLANE_CHACHA20_POLY1305 6
#define KEYLANE_XCHACHA20_POLY1305 7 /* Nonces may be random. */
#define KEYLANE_XAES_256_GCM 8       /* Nonces may be random. */
#define KEYLANE_AEAD_TAG_LEN 16
#define KEYLANE_AEAD_NONCE_MAX_LEN 24

/* Return the length of a key: 16, 24 or 32, by the name; and of a nonce: 24 for XChaCha20-Poly1305 and
 * XAES-256-GCM, else 12. 0 for an unknown algorithm. */
size_t keylane_aead_key_len(int algorithm);
size_t keylane_aead_nonce_len(int algorithm);

/* A key of any of these, prepared. In what follows, WRONG_LENGTH is also for a nonce of another length, and
 * INPUT_TOO_LONG for more than 2^36 - 32 bytes of text with AES-GCM and XAES-256-GCM, 2^36 with AES-GCM-SIV,
 * 2^38 - 64 with ChaCha20; for more than 2^61 - 1 bytes of `aad`, with AES-GCM-SIV 2^36. */
typedef struct KEYLANE_ALIGNED(64) keylane_aead {
    uint8_t opaque[1536];
} keylane_aead;

/* Prepares a key. INVALID_PARAMETER for an unknown algorithm; WRONG_LENGTH. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_init(keylane_aead *aead, int algorithm, const uint8_t *key, size_t key_len)
    KEYLANE_NONNULL(1);

/* Encrypts `text` in place and writes the tag, which also covers `aad` and the nonce. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_seal(const keylane_aead *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                      size_t aad_len, uint8_t *text, size_t text_len, uint8_t tag[16]) KEYLANE_NONNULL(1, 8);

/* Decrypts `text` in place if `tag` is that of `text`, `aad` and the nonce. AUTHENTICATION_FAILED if not, and
 * `text` is wiped. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_open(const keylane_aead *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                      size_t aad_len, uint8_t *text, size_t text_len, const uint8_t tag[16])
    KEYLANE_NONNULL(1, 8);

/* Encrypts `text` into `output`, which may be the same buffer: the ciphertext, then the tag. WRONG_LENGTH
 * unless `output_len` is `text_len` + 16. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_seal_to(const keylane_aead *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                         size_t aad_len, const uint8_t *text, size_t text_len, uint8_t *output,
                         size_t output_len) KEYLANE_NONNULL(1);

/* Decrypts `sealed`, a ciphertext and its tag, into `output`, which may be the same buffer.
 * AUTHENTICATION_FAILED, and `output` is wiped; WRONG_LENGTH unless `output_len` is `sealed_len` - 16. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_open_to(const keylane_aead *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                         size_t aad_len, const uint8_t *sealed, size_t sealed_len, uint8_t *output,
                         size_t output_len) KEYLANE_NONNULL(1);

/* Encrypts the texts of many messages in place and writes their tags, each with the next of the nonces, which
 * lie one after the other. `aad` and `aad_offsets` are both null if no message has additional data. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_seal_many(const keylane_aead *key, const uint8_t *nonces, const uint8_t *aad,
                           const size_t *aad_offsets, uint8_t *text, const size_t *text_offsets,
                           uint8_t *tags, size_t count) KEYLANE_NONNULL(1);

/* Decrypts the texts of many messages in place. Writes to `opened` for each message 1 if its tag is right, or
 * 0 if it is wrong: then its text is wiped. AUTHENTICATION_FAILED unless every tag is right. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_open_many(const keylane_aead *key, const uint8_t *nonces, const uint8_t *aad,
                           const size_t *aad_offsets, uint8_t *text, const size_t *text_offsets,
                           const uint8_t *tags, uint8_t *opened, size_t count) KEYLANE_NONNULL(1);

/* Encrypts `text` under a random nonce from the operating system into `output`: the nonce, the ciphertext,
 * the tag. WRONG_LENGTH unless `output_len` is that of these three: `text_len` + keylane_aead_nonce_len + 16;
 * NO_RANDOMNESS; INVALID_PARAMETER if the algorithm's nonces must not be random. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_seal_random(const keylane_aead *key, const uint8_t *aad, size_t aad_len, const uint8_t *text,
                             size_t text_len, uint8_t *output, size_t output_len) KEYLANE_NONNULL(1);

/* Decrypts `sealed`, what keylane_aead_seal_random wrote, into `output`. AUTHENTICATION_FAILED, and `output`
 * is wiped; WRONG_LENGTH and INVALID_PARAMETER as there. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_open_random(const keylane_aead *key, const uint8_t *aad, size_t aad_len,
                             const uint8_t *sealed, size_t sealed_len, uint8_t *output, size_t output_len)
    KEYLANE_NONNULL(1);

/* Do keylane_aead_seal and keylane_aead_open with AES-GCM and a tag of `tag_len` bytes, 4 to 16: the first
 * bytes of the whole tag. They are for protocols that specify such tags, as some of IPsec's suites do, and
 * `tag_len` must be the length that the protocol specifies, not the length that the sender chose. Each byte
 * less makes a guess 256 times as likely to be right, and with AES-GCM each forgery makes the next one
 * easier: tags of 4 or 8 bytes need the limits of SP 800-38D appendix C. WRONG_LENGTH for any other length;
 * INVALID_PARAMETER for a key of another algorithm. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_seal_tag_len(const keylane_aead *key, const uint8_t *nonce, size_t nonce_len,
                              const uint8_t *aad, size_t aad_len, uint8_t *text, size_t text_len,
                              uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1, 8);
KEYLANE_WARN_UNUSED_RESULT
int keylane_aead_open_tag_len(const keylane_aead *key, const uint8_t *nonce, size_t nonce_len,
                              const uint8_t *aad, size_t aad_len, uint8_t *text, size_t text_len,
                              const uint8_t *tag, size_t tag_len) KEYLANE_NONNULL(1, 8);

void keylane_aead_wipe(keylane_aead *key);

/* ---- Key streams ---- */

/* Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts under one key
 * and nonce, or with AES-CTR under counters that overlap, reveal the XOR of the plaintexts. Prefer
 * keylane_aead. */
#define KEYLANE_AES_CTR 1   /* A key of 16, 24 or 32 bytes; as nonce the first counter block, of 16. */
#define KEYLANE_CHACHA20 2  /* A key of 32 bytes, a nonce of 12; at most 2^38 bytes of key stream. */
#define KEYLANE_XCHACHA20 3 /* A key of 32 bytes, a nonce of 24; at most 2^38 bytes of key stream. */

typedef struct KEYLANE_ALIGNED(16) keylane_keystream {
    uint8_t opaque[384];
} keylane_keystream;

/* Begins a key stream. AES-CTR's counter has 128 bits, big-endian, and wraps; that of ChaCha20 begins with 0.
 * INVALID_PARAMETER for an unknown algorithm; WRONG_LENGTH. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_keystream_init(keylane_keystream *stream, int algorithm, const uint8_t *key, size_t key_len,
                           const uint8_t *nonce, size_t nonce_len) KEYLANE_NONNULL(1);

/* XORs the next bytes of the key stream into `text`, which encrypts or decrypts it. How the bytes are divided
 * among calls does not change the output. INPUT_TOO_LONG beyond the end of the key stream. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_keystream_xor(keylane_keystream *stream, uint8_t *text, size_t text_len) KEYLANE_NONNULL(1);

/* Does the same from `input` to `output`, which may be the same buffer. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_keystream_xor_to(keylane_keystream *stream, const uint8_t *input, uint8_t *output, size_t len)
    KEYLANE_NONNULL(1);

/* Moves to a position, in bytes from the beginning; writes the position. INPUT_TOO_LONG beyond the end, or if
 * the position is 2^64 or more. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_keystream_seek(keylane_keystream *stream, uint64_t position) KEYLANE_NONNULL(1);
KEYLANE_WARN_UNUSED_RESULT
int keylane_keystream_position(const keylane_keystream *stream, uint64_t *position) KEYLANE_NONNULL(1, 2);

void keylane_keystream_wipe(keylane_keystream *stream);

/* ---- Poly1305 (RFC 8439 section 2.5) ---- */

/* A running Poly1305. A key is for one message: the tags of two messages under one key reveal the key. */
typedef struct KEYLANE_ALIGNED(16) keylane_poly1305 {
    uint8_t opaque[320];
} keylane_poly1305;

/* Computes the tag of a message. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_mac(const uint8_t key[32], const uint8_t *message, size_t message_len, uint8_t tag[16])
    KEYLANE_NONNULL(1, 4);

/* Begins a message. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_init(keylane_poly1305 *poly1305, const uint8_t key[32]) KEYLANE_NONNULL(1, 2);

/* Begins a message of about `bytes_hint` bytes. For a short one, the preparation that speeds up long messages
 * is skipped. A message may be longer than the hint; it is then only slower. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_init_with_hint(keylane_poly1305 *poly1305, const uint8_t key[32], size_t bytes_hint)
    KEYLANE_NONNULL(1, 2);

/* Absorbs `data`. How the bytes are divided among calls does not change the tag. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_update(keylane_poly1305 *poly1305, const uint8_t *data, size_t data_len)
    KEYLANE_NONNULL(1);

/* Pads a partial last block with zeros to 16 bytes, as AEADs do between additional data and text. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_pad_to_block(keylane_poly1305 *poly1305) KEYLANE_NONNULL(1);

/* Writes the tag of everything absorbed, and wipes the struct. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_finalize(keylane_poly1305 *poly1305, uint8_t tag[16]) KEYLANE_NONNULL(1, 2);

/* Checks the tag of everything absorbed: 0 or AUTHENTICATION_FAILED. The struct is wiped. */
KEYLANE_WARN_UNUSED_RESULT
int keylane_poly1305_verify(keylane_poly1305 *poly1305, const uint8_t tag[16]) KEYLANE_NONNULL(1, 2);

void keylane_poly1305_wipe(keylane_poly1305 *poly1305);

#ifdef __cplusplus
}
#endif

#endif
