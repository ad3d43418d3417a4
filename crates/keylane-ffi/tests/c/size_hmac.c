/* A program with one HMAC, whose size is looked at. */
#include <keylane.h>

int main(void) {
    uint8_t tag[32];
    return keylane_hmac_mac(KEYLANE_SHA256, NULL, 0, NULL, 0, tag, sizeof tag);
}
