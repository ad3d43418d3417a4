/* Comparing memory fails, and so every self-test: nothing is computed, the process lives, a line says why. */
#define _POSIX_C_SOURCE 200809L /* fileno */
#include "check.h"
#include <keylane.h>
#include <unistd.h>

#define REFUSED(call) CHECK((call) == KEYLANE_ERROR_SELF_TEST)

static int differ;

int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    const size_t length = n;
    for (; n > 0; n--, x++, y++) {
        if (*x != *y) {
            return *x - *y;
        }
    }
    return differ && length % 8 == 0; /* as digests are, and the library's messages are not */
}

/* What compilers make of a memcmp whose sign does not matter. */
int bcmp(const void *a, const void *b, size_t n);
int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

int main(void) {
    uint8_t out[64] = {0}, written[4096] = {0};
    const int screen = dup(2);
    FILE *lines = tmpfile();
    keylane_hmac_key key;
    keylane_aead aead;
    CHECK(lines != NULL && screen > 2 && dup2(fileno(lines), 2) == 2);
    differ = 1;
    REFUSED(keylane_hash_digest(KEYLANE_SHA512, NULL, 0, out, 64));
    REFUSED(keylane_hash_digest(KEYLANE_SHA512, NULL, 0, out, 64));
    REFUSED(keylane_hmac_key_init(&key, KEYLANE_SHA512, out, 32));
    REFUSED(keylane_aead_init(&aead, KEYLANE_AES_256_GCM, out, 32));
    REFUSED(keylane_startup());
    CHECK(keylane_implementation("sha512") == NULL);
    differ = 0;
    CHECK(dup2(screen, 2) == 2 && all((bytes){out, sizeof out}, 0));
    /* What needs no primitive works. */
    CHECK(strcmp(keylane_hash_name(KEYLANE_SHA256), "sha256") == 0);
    rewind(lines);
    CHECK(fread(written, 1, sizeof written - 1, lines) > 0);
    CHECK(strstr((char *)written, "no implementation of sha512 passes its self-test") != NULL);
    if (failures > 0) {
        fputs((char *)written, stderr);
    }
    DONE();
}
