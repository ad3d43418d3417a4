/* Poly1305 with the names of floodyberry's poly1305-opt: programs written for it compile unchanged and link
 * with -lkeylane, if that was built with the option poly1305-opt. New programs should use keylane.h, whose
 * functions return errors. The header needs C89 or C++98, or later.
 *
 * A key is for one message: the tags of two messages under one key reveal the key. Lengths are in bytes.
 * The state needs no alignment and may be copied. Any thread may call any function, without
 * poly1305_startup before it.
 *
 * These functions return no errors. If no tag can be computed (the state was not initialised, a pointer is
 * null although its length is not 0, a message or a key is inside the state, no implementation passes its
 * self-test), they write a random one, and every comparison fails.
 */
#ifndef POLY1305_H
#define POLY1305_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message in progress: 320 bytes. */
typedef struct poly1305_state {
    unsigned char opaque[320];
} poly1305_state;

/* A key: r and s of RFC 8439. */
typedef struct poly1305_key {
    unsigned char b[32];
} poly1305_key;

/* Begins a message. */
void poly1305_init(poly1305_state *S, const poly1305_key *key);

/* Begins a message of about `bytes_hint` bytes, or of unknown length if the hint is 0. The message may be
 * longer than the hint; it is then only slower (in poly1305-opt that is undefined). */
void poly1305_init_ext(poly1305_state *S, const poly1305_key *key, size_t bytes_hint);

/* Absorbs `inlen` bytes. How the bytes are divided among calls does not change the tag. */
void poly1305_update(poly1305_state *S, const unsigned char *in, size_t inlen);

/* Writes the tag, 16 bytes, and wipes the state. */
void poly1305_finish(poly1305_state *S, unsigned char *mac);

/* Writes the tag, 16 bytes, of a message in one call. */
void poly1305_auth(unsigned char *mac, const unsigned char *in, size_t inlen, const poly1305_key *key);

/* Tests the implementations that this CPU can run against known answers. Returns 0 if they work, 1 if not.
 * Optional: without this call, each is tested before its first use. */
int poly1305_startup(void);

#ifdef __cplusplus
}
#endif

#endif /* POLY1305_H */
