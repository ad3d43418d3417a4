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

/* The example of RFC 8439 section 2.5.2. */
int main(void) {
    bytes key = hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    bytes message = text("Cryptographic Forum Research Group"), tag = hex("a8061dc1305136c6c22b8baf0c0127a9");
    keylane_poly1305 state;
    uint8_t mac[16];
    CHECK(keylane_startup() == 0);
    CHECK(keylane_poly1305_mac(key.data, message.data, message.len, mac) == 0);
    CHECK(memcmp(mac, tag.data, 16) == 0);
    CHECK(keylane_poly1305_init(&state, key.data) == 0);
    CHECK(keylane_poly1305_update(&state, message.data, message.len) == 0);
    CHECK(keylane_poly1305_verify(&state, tag.data) == 0);
    CHECK(calls == 0);
    poly1305_init();
    poly1305_init_ext();
    poly1305_update();
    poly1305_finish();
    poly1305_auth();
    poly1305_startup();
    CHECK(calls == 6);
    FREE(key);
    FREE(message);
    FREE(tag);
    DONE();
}
