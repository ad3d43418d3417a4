/* A program with one AEAD, whose size is looked at. */
#include <keylane.h>

int main(void) {
    static const uint8_t key[32], nonce[12];
    uint8_t tag[16];
    keylane_aead aead;
    const int error = keylane_aead_init(&aead, KEYLANE_AES_256_GCM, key, sizeof key);
    return error != 0 ? error : keylane_aead_seal(&aead, nonce, sizeof nonce, NULL, 0, NULL, 0, tag);
}
