/* libkeylane in a program with its own functions of poly1305-opt's names: neither calls the other's. */
#include "check.h"
#include <keylane.h>

static unsigned calls;

#define OWN(name)                                                                                            \
    void name(void);                                                                                         \
    void name(void) { calls++; }

OWN(poly1305_init)
OWN(poly1305_init_ext)
OWN(poly1305_update)
OWN(poly1305_finish)
OWN(poly1305_auth)
OWN(poly1305_startup)

int main(void) {
    void (*const OWN_ONES[])(void) = {poly1305_init,   poly1305_init_ext, poly1305_update,
                                      poly1305_finish, poly1305_auth,     poly1305_startup};
    const uint8_t key[32] = {7};
    uint8_t mac[16];
    size_t i;
    CHECK(keylane_startup() == 0 && keylane_poly1305_mac(key, key, sizeof key, mac) == 0);
    CHECK(calls == 0);
    for (i = 0; i < sizeof OWN_ONES / sizeof *OWN_ONES; i++) {
        OWN_ONES[i]();
    }
    CHECK(calls == 6);
    DONE();
}
