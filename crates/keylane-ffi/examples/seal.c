/* Seals a message with AES-256-GCM: without the key, no one can read it or change it unnoticed.
 *
 *     head -c 32 /dev/urandom > key
 *     seal seal key < message > sealed
 *     seal open key < sealed > message
 *
 * Exit status: 0; 1 if the message was not sealed with this key or was changed, and then nothing is
 * written; 2 for any other error.
 *
 * A sealed message is a nonce of 12 bytes, the text, and a tag of 16. The nonces are random, so a key is
 * for at most 2^32 messages. */
#define _DEFAULT_SOURCE /* for explicit_bzero */
#include <keylane.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define KEY_LEN 32
#define NONCE_LEN 12
#define TAG_LEN 16
#define TEXT_MAX_LEN (1 << 20)

/* The tag covers it, so a message that was sealed for another purpose, or by another version, does not
 * open. */
static const uint8_t purpose[] = "seal, version 1";

static uint8_t message[NONCE_LEN + TEXT_MAX_LEN + TAG_LEN];

static int complain(const char *about) {
    fprintf(stderr, "seal: %s\n", about);
    return 2;
}

static int read_key(const char *path, uint8_t key[KEY_LEN]) {
    FILE *file = fopen(path, "rb");
    /* Unbuffered: a buffer would keep a copy of the key. */
    int whole = file != NULL && setvbuf(file, NULL, _IONBF, 0) == 0 &&
                fread(key, 1, KEY_LEN, file) == KEY_LEN && fgetc(file) == EOF;

    if (file != NULL) {
        fclose(file);
    }
    return whole;
}

static int seal(const keylane_aead *key) {
    uint8_t *nonce = message, *text = message + NONCE_LEN;
    size_t len = fread(text, 1, TEXT_MAX_LEN, stdin);
    int error;

    if (ferror(stdin) || fgetc(stdin) != EOF) {
        return complain("cannot read the message, or it is longer than 1 MiB");
    }
    if (getentropy(nonce, NONCE_LEN) != 0) {
        return complain("no random numbers");
    }
    error =
        keylane_aead_seal_to(key, nonce, NONCE_LEN, purpose, sizeof purpose, text, len, text, len + TAG_LEN);
    if (error != 0) {
        return complain(keylane_error_message(error));
    }
    len += NONCE_LEN + TAG_LEN;
    return fwrite(message, 1, len, stdout) == len && fflush(stdout) == 0 ? 0 : complain("cannot write");
}

static int open_sealed(const keylane_aead *key) {
    const uint8_t *nonce = message;
    uint8_t *text = message + NONCE_LEN;
    size_t len = fread(message, 1, sizeof message, stdin);
    int error;

    if (ferror(stdin) || fgetc(stdin) != EOF) {
        return complain("cannot read the message, or it is longer than 1 MiB");
    }
    if (len < NONCE_LEN + TAG_LEN) {
        complain("not a sealed message");
        return 1;
    }
    len -= NONCE_LEN + TAG_LEN;
    error =
        keylane_aead_open_to(key, nonce, NONCE_LEN, purpose, sizeof purpose, text, len + TAG_LEN, text, len);
    if (error != 0) {
        complain(keylane_error_message(error));
        return error == KEYLANE_ERROR_AUTHENTICATION_FAILED ? 1 : 2;
    }
    return fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0 ? 0 : complain("cannot write");
}

int main(int argc, char **argv) {
    uint8_t key[KEY_LEN];
    keylane_aead aead;
    int sealing = argc == 3 && strcmp(argv[1], "seal") == 0, error, status;

    if (argc != 3 || (!sealing && strcmp(argv[1], "open") != 0)) {
        return complain("use: seal (seal | open) KEYFILE < message > message");
    }
    if (!read_key(argv[2], key)) {
        explicit_bzero(key, sizeof key);
        return complain("the key file must hold 32 bytes");
    }
    error = keylane_aead_init(&aead, KEYLANE_AES_256_GCM, key, sizeof key);
    explicit_bzero(key, sizeof key);
    if (error != 0) {
        return complain(keylane_error_message(error));
    }
    status = sealing ? seal(&aead) : open_sealed(&aead);
    keylane_aead_wipe(&aead);
    return status;
}
