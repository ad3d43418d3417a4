/* A function of a library that the static library becomes a part of. */
#include <keylane.h>

int yours(uint8_t digest[32]) { return keylane_hash_digest(KEYLANE_SHA256, NULL, 0, digest, 32); }
