// The headers in C++, in any order and twice: guards, linkage, alignment.
#include <poly1305.h>
#include <keylane.h>
#include <poly1305.h>
#include <keylane.h>

#include <cstdio>
#include <cstring>

static_assert(sizeof(keylane_aead) == 1536 && alignof(keylane_aead) == 64, "as in C and Rust");
static_assert(sizeof(keylane_hash) == 256 && alignof(keylane_hash) == 16, "as in C and Rust");
static_assert(sizeof(poly1305_state) == 320 && alignof(poly1305_state) == 1, "as in C and Rust");

int main() {
    const poly1305_key key = {{7}};
    const unsigned char message[] = {1, 2, 3};
    unsigned char mac[16];
    poly1305_auth(mac, message, sizeof message, &key);
    keylane_poly1305 state;
    const bool good = keylane_poly1305_init(&state, key.b) == 0 &&
                      keylane_poly1305_update(&state, message, sizeof message) == 0 &&
                      keylane_poly1305_verify(&state, mac) == 0 && keylane_startup() == 0 &&
                      poly1305_startup() == 0;
    std::puts("1 checks");
    return good ? 0 : 1;
}
