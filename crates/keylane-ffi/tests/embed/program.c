#include <stdint.h>
#include <stdio.h>

int yours(uint8_t digest[32]);
int another(void);

/* SHA-256 of nothing begins with e3 b0. */
int main(void) {
    uint8_t digest[32] = {0};
    return yours(digest) == 0 && digest[0] == 0xe3 && digest[1] == 0xb0 && another() == 1 ? 0 : 1;
}
