/* poly1305.h as programs for poly1305-opt use it. This file includes no other header of Keylane. */
#include "check.h"
#include <poly1305.h>

static const poly1305_key key = {{0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
                                  0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
                                  0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b}};
static const char *const MESSAGE = "Cryptographic Forum Research Group";
static const char *const TAG = "a8061dc1305136c6c22b8baf0c0127a9";

static void byte_by_byte(void) {
    bytes message = text(MESSAGE), tag = hex(TAG);
    unsigned char mac[16];
    poly1305_state state;
    size_t i;
    poly1305_init(&state, &key);
    for (i = 0; i < message.len; i++) {
        poly1305_update(&state, message.data + i, 1);
    }
    poly1305_finish(&state, mac);
    CHECK(memcmp(mac, tag.data, 16) == 0);
    CHECK(all((bytes){state.opaque, sizeof state.opaque}, 0));
    FREE(message, tag);
}

/* Any hint, and any alignment of the state, which is moved between the pieces. */
static void hints_and_places(void) {
    enum { LEN = 1000 };
    bytes message = room(LEN);
    unsigned char expected[16], mac[16];
    unsigned char *memory = malloc(2 * sizeof(poly1305_state) + 64);
    size_t i, hint, offset;
    for (i = 0; i < LEN; i++) {
        message.data[i] = (unsigned char)i;
    }
    poly1305_auth(expected, message.data, LEN, &key);
    for (hint = 0; hint <= 2 * LEN; hint += 50) {
        for (offset = 0; offset < 16; offset++) {
            poly1305_state *state = (poly1305_state *)(void *)(memory + offset), *moved;
            moved = (poly1305_state *)(void *)(memory + sizeof *state + 2 * offset + 1);
            poly1305_init_ext(state, &key, hint);
            poly1305_update(state, message.data, 77);
            poly1305_update(state, message.data + 77, 0);
            memmove(moved, state, sizeof *state);
            poly1305_update(moved, message.data + 77, LEN - 77);
            poly1305_finish(moved, mac);
            CHECK(memcmp(mac, expected, 16) == 0);
        }
    }
    FREE(message);
    free(memory);
}

/* If poly1305-opt would compute something meaningless, the tag differs from those of all other calls. */
static void misuse(void) {
    poly1305_state state;
    unsigned char mac[16], again[16];
    memset(&state, 0, sizeof state);
    poly1305_update(&state, (const unsigned char *)"x", 1);
    poly1305_finish(&state, mac);
    poly1305_finish(&state, again);
    CHECK(memcmp(mac, again, 16) != 0);
    poly1305_init(&state, &key);
    poly1305_update(&state, NULL, 1);
    poly1305_finish(&state, again);
    CHECK(memcmp(mac, again, 16) != 0);
    poly1305_auth(mac, NULL, 1, &key);
    CHECK(memcmp(mac, again, 16) != 0);
    poly1305_init(NULL, &key);
    poly1305_finish(NULL, mac);
    poly1305_finish(&state, NULL);
}

/* The tag may be written over what was hashed. */
static void over_the_message(void) {
    bytes message = text(MESSAGE), tag = hex(TAG);
    poly1305_auth(message.data + 3, message.data, message.len, &key);
    CHECK(memcmp(message.data + 3, tag.data, 16) == 0);
    FREE(message, tag);
}

int main(void) {
    CHECK(sizeof(poly1305_state) == 320 && sizeof(poly1305_key) == 32);
    byte_by_byte();
    CHECK(poly1305_startup() == 0);
    hints_and_places();
    misuse();
    over_the_message();
    DONE();
}
