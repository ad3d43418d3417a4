/* Shared by the test programs: a check that is counted and reports its place, and bytes from hexadecimal
 * digits. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long checks, failures;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        checks++;                                                                                            \
        if (!(condition)) {                                                                                  \
            failures++;                                                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
        }                                                                                                    \
    } while (0)

/* The end of main: prints the number of checks, which `cargo xtask c` adds up. */
#define DONE()                                                                                               \
    do {                                                                                                     \
        printf("%lu checks\n", checks);                                                                      \
        return failures == 0 && checks != 0 ? EXIT_SUCCESS : EXIT_FAILURE;                                   \
    } while (0)

/* Bytes at the end of their allocation, for AddressSanitizer. */
typedef struct {
    uint8_t *data;
    size_t len;
} bytes;

static inline bytes room(size_t len) {
    bytes result;
    result.data = malloc(len == 0 ? 1 : len);
    result.len = len;
    if (result.data == NULL) {
        abort();
    }
    memset(result.data, 0xa5, len == 0 ? 1 : len);
    return result;
}

static inline unsigned digit(char c) {
    const char *digits = "0123456789abcdef";
    const char *found = memchr(digits, c, 16);
    if (found == NULL) {
        fprintf(stderr, "not a hexadecimal digit: %c\n", c);
        abort();
    }
    return (unsigned)(found - digits);
}

static inline bytes hex(const char *digits) {
    size_t i;
    bytes result = room(strlen(digits) / 2);
    for (i = 0; i < result.len; i++) {
        result.data[i] = (uint8_t)(16 * digit(digits[2 * i]) + digit(digits[2 * i + 1]));
    }
    return result;
}

static inline bytes text(const char *string) {
    bytes result = room(strlen(string));
    memcpy(result.data, string, result.len);
    return result;
}

static inline bytes repeat(uint8_t byte, size_t len) {
    bytes result = room(len);
    memset(result.data, byte, len);
    return result;
}

static inline int same(bytes a, bytes b) { return a.len == b.len && memcmp(a.data, b.data, a.len) == 0; }

static inline int all(bytes a, uint8_t byte) {
    size_t i;
    for (i = 0; i < a.len; i++) {
        if (a.data[i] != byte) {
            return 0;
        }
    }
    return 1;
}

/* The text followed by its tag. */
static inline bytes joined(bytes data, bytes tag) {
    bytes result = room(data.len + tag.len);
    memcpy(result.data, data.data, data.len);
    memcpy(result.data + data.len, tag.data, tag.len);
    return result;
}

#define FREE(...)                                                                                            \
    do {                                                                                                     \
        const bytes all_of_them[] = {__VA_ARGS__};                                                           \
        size_t which_of_them;                                                                                \
        for (which_of_them = 0; which_of_them < sizeof all_of_them / sizeof *all_of_them; which_of_them++) { \
            free(all_of_them[which_of_them].data);                                                           \
        }                                                                                                    \
    } while (0)

#endif
