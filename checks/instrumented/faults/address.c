/* A fault for AddressSanitizer to report in C: a byte too far. */
#include <stdlib.h>

int main(int argc, char **argv) {
    volatile char *bytes = malloc(64);
    (void)argv;
    if (bytes == NULL) {
        return 2;
    }
    bytes[63 + argc] = 1;
    free((void *)bytes);
    return 0;
}
