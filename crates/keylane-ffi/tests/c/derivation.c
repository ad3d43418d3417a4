/* PBKDF2: RFC 6070, and RFC 7914 for SHA-256. HKDF: RFC 5869. */
#include "check.h"
#include <keylane.h>

static void pbkdf2(int hash, bytes password, bytes salt, uint32_t iterations, const char *expected) {
    bytes key = hex(expected), found = room(key.len);
    CHECK(keylane_pbkdf2_derive(hash, password.data, password.len, salt.data, salt.len, iterations,
                                found.data, found.len) == 0);
    CHECK(same(found, key));
    CHECK(keylane_pbkdf2_verify(hash, password.data, password.len, salt.data, salt.len, iterations, key.data,
                                key.len) == 0);
    key.data[0] ^= 1;
    CHECK(keylane_pbkdf2_verify(hash, password.data, password.len, salt.data, salt.len, iterations, key.data,
                                key.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED);
    FREE(password, salt, key, found);
}

/* More passwords than are processed together. */
static void pbkdf2_many(int hash) {
    enum { COUNT = 70, LEN = 45 };
    size_t passwords[COUNT + 1] = {0}, salts[COUNT + 1] = {0}, i;
    bytes memory = room(COUNT * COUNT), keys = room(COUNT * LEN), one = room(LEN);
    for (i = 0; i < memory.len; i++) {
        memory.data[i] = (uint8_t)(i * i >> 3);
    }
    for (i = 0; i < COUNT; i++) {
        passwords[i + 1] = passwords[i] + i;
        salts[i + 1] = salts[i] + COUNT - i;
    }
#define MANY(count, iterations, len)                                                                         \
    keylane_pbkdf2_derive_many(hash, memory.data, passwords, memory.data, salts, count, iterations,          \
                               len == 0 ? NULL : keys.data, len)
    CHECK(MANY(COUNT, 3, LEN) == 0);
    for (i = 0; i < COUNT; i++) {
        CHECK(keylane_pbkdf2_derive(hash, memory.data + passwords[i], i, memory.data + salts[i], COUNT - i, 3,
                                    one.data, LEN) == 0);
        CHECK(memcmp(keys.data + i * LEN, one.data, LEN) == 0);
    }
    CHECK(MANY(COUNT, 0, LEN) == KEYLANE_ERROR_INVALID_PARAMETER);
    CHECK(keylane_pbkdf2_derive_many(hash, NULL, NULL, NULL, NULL, 0, 1, NULL, LEN) == 0);
    CHECK(MANY(COUNT, 1, 0) == 0);
    FREE(memory, keys, one);
}

static void hkdf(int hash, const char *ikm_hex, const char *salt_hex, const char *info_hex,
                 const char *prk_hex, const char *okm_hex) {
    bytes ikm = hex(ikm_hex), salt = hex(salt_hex), info = hex(info_hex), prk = hex(prk_hex),
          okm = hex(okm_hex);
    bytes found = room(okm.len);
    keylane_hkdf extracted, given;
    CHECK(keylane_hkdf_extract(&extracted, hash, salt.data, salt.len, ikm.data, ikm.len) == 0);
    CHECK(keylane_hkdf_expand(&extracted, info.data, info.len, found.data, found.len) == 0);
    CHECK(same(found, okm));
    CHECK(keylane_hkdf_from_bytes(&given, hash, prk.data, prk.len) == 0);
    memset(found.data, 0, found.len);
    CHECK(keylane_hkdf_expand(&given, info.data, info.len, found.data, found.len) == 0);
    CHECK(same(found, okm));
    CHECK(keylane_hkdf_from_bytes(&given, hash, prk.data, prk.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    keylane_hkdf_wipe(&extracted);
    keylane_hkdf_wipe(&given);
    CHECK(keylane_hkdf_expand(&extracted, info.data, info.len, found.data, found.len) ==
          KEYLANE_ERROR_UNINITIALISED);
    FREE(ikm, salt, info, prk, okm, found);
}

static void limits(void) {
    keylane_hkdf prk;
    bytes out = room(255 * 32 + 1), long_key = room(1025);
    CHECK(keylane_hkdf_extract(&prk, KEYLANE_SHA256, NULL, 0, NULL, 0) == 0);
    CHECK(keylane_hkdf_expand(&prk, NULL, 0, out.data, out.len - 1) == 0);
    CHECK(keylane_hkdf_expand(&prk, NULL, 0, out.data, out.len) == KEYLANE_ERROR_INPUT_TOO_LONG);
    CHECK(keylane_pbkdf2_verify(KEYLANE_SHA256, NULL, 0, NULL, 0, 1, NULL, 0) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_pbkdf2_verify(KEYLANE_SHA256, NULL, 0, NULL, 0, 1, long_key.data, long_key.len) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    FREE(out, long_key);
}

int main(void) {
    int hash;
    bytes password = room(9), salt = room(5);
    pbkdf2(KEYLANE_SHA1, text("password"), text("salt"), 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
    memcpy(password.data, "pass\0word", 9);
    memcpy(salt.data, "sa\0lt", 5);
    pbkdf2(KEYLANE_SHA1, password, salt, 4096, "56fa6aa75548099dcc37d7f03425e0c3");
    pbkdf2(KEYLANE_SHA256, text("passwd"), text("salt"), 1,
           "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
           "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783");
    for (hash = KEYLANE_SHA1; hash <= KEYLANE_SHA512_256; hash++) {
        pbkdf2_many(hash);
    }
    hkdf(KEYLANE_SHA256, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c",
         "f0f1f2f3f4f5f6f7f8f9", "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
         "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
    hkdf(KEYLANE_SHA1, "0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
         "9b6c18c432a7bf8f0e71c8eb88f4b30baa2ba243",
         "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896");
    limits();
    DONE();
}
