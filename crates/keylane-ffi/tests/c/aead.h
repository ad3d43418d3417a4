/* Every function of an AEAD on one published message. Each inclusion defines the test AEAD_TEST for
 * another AEAD, whose functions are AEAD(verb) and whose key's struct is AEAD_STRUCT. */
#include "check.h"

static void AEAD_TEST(const AEAD_STRUCT *key, const char *nonce_hex, const char *aad_hex,
                      const char *text_hex, const char *ciphertext_hex, const char *tag_hex) {
    bytes nonce = hex(nonce_hex), aad = hex(aad_hex), plaintext = hex(text_hex);
    bytes ciphertext = hex(ciphertext_hex), tag = hex(tag_hex), sealed = joined(ciphertext, tag);
    bytes data = room(plaintext.len), output = room(sealed.len), found = room(16);
    bytes many = room(96 * 9), each = room(96 * 9);
    keylane_message messages[9];
    keylane_bytes parts[65];
    uint8_t opened[9];
    size_t i;

    /* In place, with a separate tag. */
    memcpy(data.data, plaintext.data, data.len);
    CHECK(AEAD(seal)(key, nonce.data, aad.data, aad.len, data.data, data.len, found.data) == 0);
    CHECK(same(data, ciphertext) && same(found, tag));
    CHECK(AEAD(open)(key, nonce.data, aad.data, aad.len, data.data, data.len, tag.data) == 0);
    CHECK(same(data, plaintext));

    /* Out of place. */
    CHECK(AEAD(seal_to)(key, nonce.data, aad.data, aad.len, plaintext.data, plaintext.len, output.data,
                        output.len) == 0);
    CHECK(same(output, sealed));
    memset(data.data, 0, data.len);
    CHECK(AEAD(open_to)(key, nonce.data, aad.data, aad.len, output.data, output.len, data.data, data.len) ==
          0);
    CHECK(same(data, plaintext));

    /* In the same buffer. */
    memset(output.data, 0, output.len);
    memcpy(output.data, plaintext.data, plaintext.len);
    CHECK(AEAD(seal_to)(key, nonce.data, aad.data, aad.len, output.data, plaintext.len, output.data,
                        output.len) == 0);
    CHECK(same(output, sealed));
    CHECK(AEAD(open_to)(key, nonce.data, aad.data, aad.len, output.data, output.len, output.data,
                        plaintext.len) == 0);
    CHECK(memcmp(output.data, plaintext.data, plaintext.len) == 0);

    /* In several parts. */
    memset(parts, 0, sizeof parts);
    for (i = 0; i < 63; i++) {
        parts[i].data = i < plaintext.len ? plaintext.data + i : NULL;
        parts[i].len = i < plaintext.len;
    }
    if (plaintext.len > 63) {
        parts[63].data = plaintext.data + 63;
        parts[63].len = plaintext.len - 63;
    }
    memset(output.data, 0, output.len);
    CHECK(AEAD(seal_parts_to)(key, nonce.data, aad.data, aad.len, parts, 64, output.data, output.len) == 0);
    CHECK(same(output, sealed));
    CHECK(AEAD(seal_parts_to)(key, nonce.data, aad.data, aad.len, parts, 65, output.data, output.len) ==
          KEYLANE_ERROR_INVALID_PARAMETER);

    /* Many messages are sealed as each alone, and opened but for the one that was changed. */
    for (i = 0; i < 9; i++) {
        keylane_message message = {nonce.data, aad.data, i % 2 ? aad.len : 0, many.data + 80 * i,
                                   i < 6 ? 48 : 10 * i, many.data + 80 * 9 + 16 * i};
        messages[i] = message;
        memset(message.text, (int)i, 80);
        memset(each.data + 80 * i, (int)i, 80);
        CHECK(AEAD(seal)(key, nonce.data, message.aad, message.aad_len, each.data + 80 * i, message.text_len,
                         each.data + 80 * 9 + 16 * i) == 0);
    }
    CHECK(AEAD(seal_many)(key, messages, 9) == 0);
    CHECK(same(many, each));
    messages[4].tag[3] ^= 1;
    CHECK(AEAD(open_many)(key, messages, 9, opened, 9) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
    for (i = 0; i < 9; i++) {
        bytes text = {messages[i].text, messages[i].text_len};
        CHECK(opened[i] == (i != 4));
        CHECK(all(text, i == 4 ? 0 : (int)i));
    }

    /* An empty message. */
    CHECK(AEAD(seal)(key, nonce.data, NULL, 0, NULL, 0, found.data) == 0);
    CHECK(AEAD(open)(key, nonce.data, NULL, 0, NULL, 0, found.data) == 0);
    CHECK(AEAD(seal_to)(key, nonce.data, NULL, 0, NULL, 0, output.data, 16) == 0);
    CHECK(memcmp(output.data, found.data, 16) == 0);
    CHECK(AEAD(open_to)(key, nonce.data, NULL, 0, found.data, 16, NULL, 0) == 0);
    CHECK(AEAD(seal_parts_to)(key, nonce.data, NULL, 0, NULL, 0, output.data, 16) == 0);

    /* Forgeries of the tag, the nonce, the additional data and the text. The decrypted text is wiped. */
    for (i = 0; i < 4; i++) {
        bytes forged = i == 0 ? tag : i == 1 ? nonce : i == 2 ? aad : ciphertext;
        bytes message;
        forged.data[forged.len / 2] ^= 0x10;
        message = joined(ciphertext, tag);
        memcpy(data.data, ciphertext.data, data.len);
        CHECK(AEAD(open)(key, nonce.data, aad.data, aad.len, data.data, data.len, tag.data) ==
              KEYLANE_ERROR_AUTHENTICATION_FAILED);
        CHECK(all(data, 0));
        memset(data.data, 1, data.len);
        CHECK(AEAD(open_to)(key, nonce.data, aad.data, aad.len, message.data, message.len, data.data,
                            data.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
        CHECK(all(data, 0));
        CHECK(AEAD(open_to)(key, nonce.data, aad.data, aad.len, message.data, message.len, message.data,
                            data.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
        message.len = data.len;
        CHECK(all(message, 0));
        forged.data[forged.len / 2] ^= 0x10;
        FREE(message);
    }

    /* Wrong lengths; nothing is written. */
    memset(output.data, 0xa5, output.len);
    CHECK(AEAD(seal_to)(key, nonce.data, aad.data, aad.len, plaintext.data, plaintext.len, output.data,
                        output.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(AEAD(seal_parts_to)(key, nonce.data, aad.data, aad.len, parts, 10, output.data, output.len) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(AEAD(open_to)(key, nonce.data, aad.data, aad.len, sealed.data, sealed.len, output.data,
                        data.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(AEAD(open_to)(key, nonce.data, aad.data, aad.len, sealed.data, 15, output.data, 0) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(all(output, 0xa5));
    FREE(nonce);
    FREE(aad);
    FREE(plaintext);
    FREE(ciphertext);
    FREE(tag);
    FREE(sealed);
    FREE(data);
    FREE(output);
    FREE(found);
    FREE(many);
    FREE(each);
}

#undef AEAD
#undef AEAD_STRUCT
#undef AEAD_TEST
