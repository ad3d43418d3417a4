/* Verifies that a webhook is authentic. Its sender signs the body by HMAC-SHA-256, with a secret that both
 * know, and sends the signature in a header, for instance X-Hub-Signature-256: "sha256=" and 64
 * hexadecimal digits.
 *
 *     WEBHOOK_SECRET=... webhook SIGNATURE < body
 *
 * Exit status: 0 if the signature is right, 1 if it is wrong, 2 if it could not be checked. */
#include <keylane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_LEN 32 /* SHA-256 */

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* Returns 1 if `signature` has the right form. A signature is public, so branches may depend on it. */
static int parse(const char *signature, uint8_t tag[TAG_LEN]) {
    static const char scheme[] = "sha256=";
    const char *digits = signature + sizeof scheme - 1;
    size_t i;

    if (strncmp(signature, scheme, sizeof scheme - 1) != 0 || strlen(digits) != 2 * TAG_LEN) {
        return 0;
    }
    for (i = 0; i < TAG_LEN; i++) {
        int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
        if (high < 0 || low < 0) {
            return 0;
        }
        tag[i] = (uint8_t)(high << 4 | low);
    }
    return 1;
}

/* Returns 0 or an error of Keylane. The body is read in pieces, so it may have any length. */
static int verify(const char *secret, const uint8_t tag[TAG_LEN]) {
    uint8_t piece[65536];
    size_t len;
    keylane_hmac mac;
    int error = keylane_hmac_init(&mac, KEYLANE_SHA256, (const uint8_t *)secret, strlen(secret));

    while (error == 0 && (len = fread(piece, 1, sizeof piece, stdin)) > 0) {
        error = keylane_hmac_update(&mac, piece, len);
    }
    if (error == 0) {
        error = keylane_hmac_verify(&mac, tag,
                                    TAG_LEN); /* not memcmp, whose time reveals where a guess is wrong */
    }
    keylane_hmac_wipe(&mac);
    return error;
}

int main(int argc, char **argv) {
    const char *secret = getenv("WEBHOOK_SECRET");
    uint8_t tag[TAG_LEN];
    int error;

    if (argc != 2 || secret == NULL || *secret == '\0') {
        fprintf(stderr, "use: WEBHOOK_SECRET=... %s SIGNATURE < body\n", argv[0]);
        return 2;
    }
    if (!parse(argv[1], tag)) {
        fprintf(stderr, "%s: not a signature: %s\n", argv[0], argv[1]);
        return 1;
    }
    error = verify(secret, tag);
    if (ferror(stdin)) {
        perror(argv[0]);
        return 2;
    }
    puts(error == 0 ? "accepted" : keylane_error_message(error));
    return error == 0 ? 0 : error == KEYLANE_ERROR_AUTHENTICATION_FAILED ? 1 : 2;
}
