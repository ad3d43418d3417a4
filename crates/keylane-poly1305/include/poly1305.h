/* Poly1305 by the names of floodyberry's poly1305-opt: programs written for it compile unchanged and link with
 * -lkeylane_poly1305. New programs take keylane.h and -lkeylane, whose functions return errors.
 * The header needs C89 or C++98, or a later standard of either.
 *
 * A key is for one message and no other: tags of two messages under one key give the key away. Lengths are in bytes.
 * The state needs no alignment and may be copied. Any thread may call any function; none needs poly1305_startup first.
 *
 * These functions return no errors. Where there is no tag to be had (the state was not initialised, a pointer is null
 * although its length is not 0, a message or a key lies inside the state, no implementation passes its self-test) they
 * write a random one, and every comparison fails.
 */
#ifndef POLY1305_H
#define POLY1305_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message under way: 320 bytes. */
typedef struct poly1305_state {
    unsigned char opaque[320];
} poly1305_state;

/* A key: r and s of RFC 8439. */
typedef struct poly1305_key {
    unsigned char b[32];
} poly1305_key;

/* Begins a message. */
void poly1305_init(poly1305_state *S, const poly1305_key *key);

/* Begins a message of about `bytes_hint` bytes; 0 says that its length is unknown. The message may be longer than the
 * hint: it is only slower then (in poly1305-opt that is undefined). */
void poly1305_init_ext(poly1305_state *S, const poly1305_key *key, size_t bytes_hint);

/* Absorbs `inlen` bytes. Any chunking of the same bytes gives the same tag. */
void poly1305_update(poly1305_state *S, const unsigned char *in, size_t inlen);

/* Writes the tag, 16 bytes, and wipes the state. */
void poly1305_finish(poly1305_state *S, unsigned char *mac);

/* Writes the tag of a message that is all there, 16 bytes. */
void poly1305_auth(unsigned char *mac, const unsigned char *in, size_t inlen, const poly1305_key *key);

/* Tests what runs here against known answers: 0 if it works, 1 if not. Optional: what is used is tested before its
 * first use. */
int poly1305_startup(void);

#ifdef __cplusplus
}
#endif

#endif /* POLY1305_H */
