/* Every AEAD by every function on published messages. AES-GCM: the test cases of McGrew and Viega's paper.
 * AES-GCM-SIV: RFC 8452 appendix C. XAES-256-GCM: C2SP. ChaCha20-Poly1305: RFC 8439. XChaCha20-Poly1305:
 * draft-irtf-cfrg-xchacha-03. */
#define _GNU_SOURCE /* mmap */
#include "check.h"
#include <keylane.h>
#include <sys/mman.h>

#define GCM_KEY "feffe9928665731c6d6a8f9467308308"
#define GCM_TEXT                                                                                             \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"                                       \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define GCM_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define GCM_NONCE "cafebabefacedbaddecaf888"
#define SIV_TEXT                                                                                             \
    "02000000000000000000000000000000030000000000000000000000000000000400000000000000"                       \
    "000000000000000005000000000000000000000000000000"
#define CHACHA_KEY "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
#define CHACHA_AAD "50515253c0c1c2c3c4c5c6c7"
#define SUNSCREEN                                                                                            \
    "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a20496620492063"       \
    "6f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"       \
    "637265656e20776f756c642062652069742e"

static const struct {
    int algorithm;
    const char *key, *nonce, *aad, *text, *ciphertext, *tag;
} VECTORS[] = {
    {KEYLANE_AES_128_GCM, GCM_KEY, GCM_NONCE, GCM_AAD, GCM_TEXT,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {KEYLANE_AES_192_GCM, GCM_KEY "feffe9928665731c", GCM_NONCE, GCM_AAD, GCM_TEXT,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
     "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {KEYLANE_AES_256_GCM, GCM_KEY GCM_KEY, GCM_NONCE, GCM_AAD, GCM_TEXT,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {KEYLANE_AES_128_GCM_SIV, "01000000000000000000000000000000", "030000000000000000000000", "01", SIV_TEXT,
     "2f5c64059db55ee0fb847ed513003746aca4e61c711b5de2e7a77ffd02da42fe"
     "ec601910d3467bb8b36ebbaebce5fba30d36c95f48a3e7980f0e7ac299332a80",
     "cdc46ae475563de037001ef84ae21744"},
    {KEYLANE_AES_256_GCM_SIV, "0100000000000000000000000000000000000000000000000000000000000000",
     "030000000000000000000000", "01", SIV_TEXT,
     "67fd45e126bfb9a79930c43aad2d36967d3f0e4d217c1e551f59727870beefc9"
     "8cb933a8fce9de887b1e40799988db1fc3f91880ed405b2dd298318858467c89",
     "5bde0285037c5de81e5b570a049b62a0"},
    {KEYLANE_CHACHA20_POLY1305, CHACHA_KEY, "070000004041424344454647", CHACHA_AAD, SUNSCREEN,
     "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
     "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
     "3ff4def08e4b7a9de576d26586cec64b6116",
     "1ae10b594f09e26a7e902ecbd0600691"},
    {KEYLANE_XCHACHA20_POLY1305, CHACHA_KEY, "404142434445464748494a4b4c4d4e4f5051525354555657", CHACHA_AAD,
     SUNSCREEN,
     "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
     "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
     "21f9664c97637da9768812f615c68b13b52e",
     "c0875924c1c7987947deafd8780acf49"},
    /* "ABCDEFGHIJKLMNOPQRSTUVWX", "c2sp.org/XAES-256-GCM" and "XAES-256-GCM". */
    {KEYLANE_XAES_256_GCM, "0303030303030303030303030303030303030303030303030303030303030303",
     "4142434445464748494a4b4c4d4e4f505152535455565758", "633273702e6f72672f584145532d3235362d47434d",
     "584145532d3235362d47434d", "986ec1832593df5443a17943", "7fd083bf3fdb41abd740a21f71eb769d"},
};
enum { COUNT = sizeof VECTORS / sizeof *VECTORS };

static int nonces_may_be_random(int algorithm) {
    return algorithm == KEYLANE_AES_128_GCM_SIV || algorithm == KEYLANE_AES_256_GCM_SIV ||
           algorithm == KEYLANE_XCHACHA20_POLY1305 || algorithm == KEYLANE_XAES_256_GCM;
}

#define NONCE nonce.data, nonce.len
#define AAD aad.data, aad.len

static void published(const keylane_aead *key, size_t vector) {
    bytes nonce = hex(VECTORS[vector].nonce), aad = hex(VECTORS[vector].aad);
    bytes plaintext = hex(VECTORS[vector].text), ciphertext = hex(VECTORS[vector].ciphertext);
    bytes tag = hex(VECTORS[vector].tag), sealed = joined(ciphertext, tag);
    bytes data = room(plaintext.len), output = room(sealed.len), found = room(16);
    size_t i;

    /* In place, with a separate tag. */
    memcpy(data.data, plaintext.data, data.len);
    CHECK(keylane_aead_seal(key, NONCE, AAD, data.data, data.len, found.data) == 0);
    CHECK(same(data, ciphertext) && same(found, tag));
    CHECK(keylane_aead_open(key, NONCE, AAD, data.data, data.len, tag.data) == 0);
    CHECK(same(data, plaintext));

    /* Out of place. */
    CHECK(keylane_aead_seal_to(key, NONCE, AAD, plaintext.data, plaintext.len, output.data, output.len) == 0);
    CHECK(same(output, sealed));
    memset(data.data, 0, data.len);
    CHECK(keylane_aead_open_to(key, NONCE, AAD, output.data, output.len, data.data, data.len) == 0);
    CHECK(same(data, plaintext));

    /* In the same buffer. */
    memset(output.data, 0, output.len);
    memcpy(output.data, plaintext.data, plaintext.len);
    CHECK(keylane_aead_seal_to(key, NONCE, AAD, output.data, plaintext.len, output.data, output.len) == 0);
    CHECK(same(output, sealed));
    CHECK(keylane_aead_open_to(key, NONCE, AAD, output.data, output.len, output.data, plaintext.len) == 0);
    CHECK(memcmp(output.data, plaintext.data, plaintext.len) == 0);

    /* An empty message. */
    CHECK(keylane_aead_seal(key, NONCE, NULL, 0, NULL, 0, found.data) == 0);
    CHECK(keylane_aead_open(key, NONCE, NULL, 0, NULL, 0, found.data) == 0);
    CHECK(keylane_aead_seal_to(key, NONCE, NULL, 0, NULL, 0, output.data, 16) == 0);
    CHECK(memcmp(output.data, found.data, 16) == 0);
    CHECK(keylane_aead_open_to(key, NONCE, NULL, 0, found.data, 16, NULL, 0) == 0);

    /* Forgeries of the tag, the nonce, the additional data and the text. The decrypted text is wiped. */
    for (i = 0; i < 4; i++) {
        bytes forged = i == 0 ? tag : i == 1 ? nonce : i == 2 ? aad : ciphertext;
        bytes message;
        forged.data[forged.len / 2] ^= 0x10;
        message = joined(ciphertext, tag);
        memcpy(data.data, ciphertext.data, data.len);
        CHECK(keylane_aead_open(key, NONCE, AAD, data.data, data.len, tag.data) ==
              KEYLANE_ERROR_AUTHENTICATION_FAILED);
        CHECK(all(data, 0));
        memset(data.data, 1, data.len);
        CHECK(keylane_aead_open_to(key, NONCE, AAD, message.data, message.len, data.data, data.len) ==
              KEYLANE_ERROR_AUTHENTICATION_FAILED);
        CHECK(all(data, 0));
        CHECK(keylane_aead_open_to(key, NONCE, AAD, message.data, message.len, message.data, data.len) ==
              KEYLANE_ERROR_AUTHENTICATION_FAILED);
        message.len = data.len;
        CHECK(all(message, 0));
        forged.data[forged.len / 2] ^= 0x10;
        FREE(message);
    }

    FREE(nonce, aad, plaintext, ciphertext, tag, sealed, data, output, found);
}

/* Tags of 4 to 16 bytes, of AES-GCM alone. What is refused writes nothing. */
static void tag_lengths(const keylane_aead *key, size_t vector) {
    const int is_gcm = VECTORS[vector].algorithm <= KEYLANE_AES_256_GCM;
    bytes nonce = hex(VECTORS[vector].nonce), aad = hex(VECTORS[vector].aad), tag = hex(VECTORS[vector].tag);
    bytes plaintext = hex(VECTORS[vector].text), ciphertext = hex(VECTORS[vector].ciphertext);
    bytes data = hex(VECTORS[vector].text);
    size_t len;
#define TAG_LEN(verb, nonce_len)                                                                             \
    keylane_aead_##verb##_tag_len(key, nonce.data, nonce_len, AAD, data.data, data.len, cut.data, cut.len)
    for (len = 0; len <= 17; len++) {
        const int right = len < 4 || len > 16 ? KEYLANE_ERROR_WRONG_LENGTH : 0;
        const int expected = is_gcm ? right : KEYLANE_ERROR_INVALID_PARAMETER;
        bytes cut = room(len);
        CHECK(TAG_LEN(seal, nonce.len) == expected);
        CHECK(same(data, expected == 0 ? ciphertext : plaintext));
        CHECK(expected == 0 ? memcmp(cut.data, tag.data, len) == 0 : all(cut, 0xa5));
        CHECK(TAG_LEN(open, nonce.len) == expected && same(data, plaintext));
        if (expected == 0) {
            CHECK(TAG_LEN(seal, nonce.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
            CHECK(TAG_LEN(open, nonce.len + 1) == KEYLANE_ERROR_WRONG_LENGTH && same(data, plaintext));
            cut.data[len - 1] ^= 1;
            memcpy(data.data, ciphertext.data, data.len);
            CHECK(TAG_LEN(open, nonce.len) == KEYLANE_ERROR_AUTHENTICATION_FAILED && all(data, 0));
            memcpy(data.data, plaintext.data, data.len);
        }
        FREE(cut);
    }
    FREE(nonce, aad, tag, plaintext, ciphertext, data);
}

/* Many messages are sealed as each alone, and opened but for those that were changed. They and their
 * additional data do not begin at the beginning of their buffers. */
static void many(const keylane_aead *key, size_t nonce_len, size_t count, size_t len) {
    size_t *offsets = malloc((count + 1) * sizeof *offsets),
           *aad_offsets = malloc((count + 1) * sizeof *offsets);
    bytes nonces = room(count * nonce_len), tags = room(count * 16), opened = room(count);
    bytes text, each, aad;
    size_t i, with_aad;
    int expected = 0;
    CHECK(offsets != NULL && aad_offsets != NULL);
    offsets[0] = 5, aad_offsets[0] = 3;
    for (i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + (i < 6 ? len : i % 11 * len / 7);
        aad_offsets[i + 1] = aad_offsets[i] + i % 40;
        memset(nonces.data + i * nonce_len, (int)i, nonce_len);
    }
    text = repeat(7, offsets[count]), each = repeat(7, offsets[count]), aad = repeat(9, aad_offsets[count]);
    for (with_aad = 0; with_aad < 2; with_aad++) {
        const uint8_t *these = with_aad ? aad.data : NULL;
        const size_t *their = with_aad ? aad_offsets : NULL;
        CHECK(keylane_aead_seal_many(key, nonces.data, these, their, text.data, offsets, tags.data, count) ==
              0);
        for (i = 0; i < count; i++) {
            uint8_t tag[16];
            CHECK(keylane_aead_seal(key, nonces.data + i * nonce_len, nonce_len,
                                    with_aad ? aad.data + aad_offsets[i] : NULL,
                                    with_aad ? aad_offsets[i + 1] - aad_offsets[i] : 0,
                                    each.data + offsets[i], offsets[i + 1] - offsets[i], tag) == 0);
            CHECK(memcmp(tag, tags.data + 16 * i, 16) == 0);
        }
        CHECK(same(text, each));
        for (i = 4; i < count; i += 70) {
            tags.data[16 * i + 3] ^= 1;
            expected = KEYLANE_ERROR_AUTHENTICATION_FAILED;
        }
        CHECK(keylane_aead_open_many(key, nonces.data, these, their, text.data, offsets, tags.data,
                                     opened.data, count) == expected);
        for (i = 0; i < count; i++) {
            const int changed = i >= 4 && (i - 4) % 70 == 0;
            bytes one;
            one.data = text.data + offsets[i], one.len = offsets[i + 1] - offsets[i];
            CHECK(opened.data[i] == !changed);
            CHECK(all(one, changed ? 0 : 7));
        }
        memset(text.data, 7, text.len);
        memset(each.data, 7, each.len);
    }
    CHECK(keylane_aead_seal_many(key, nonces.data, aad.data, NULL, text.data, offsets, tags.data, count) ==
          (count == 0 ? 0 : KEYLANE_ERROR_NULL));
    free(offsets);
    free(aad_offsets);
    FREE(nonces, tags, opened, text, each, aad);
}

/* Nonces that the library makes: two are not the same. */
static void random_nonces(const keylane_aead *key, int algorithm) {
    const size_t nonce_len = keylane_aead_nonce_len(algorithm), len = nonce_len + 10 + 16;
    uint8_t b[32] = {0}, sealed[2][24 + 10 + 16], opened[10];
    size_t i;
    if (!nonces_may_be_random(algorithm)) {
        CHECK(keylane_aead_seal_random(key, b, 5, b, 10, sealed[0], len) == KEYLANE_ERROR_INVALID_PARAMETER);
        CHECK(keylane_aead_open_random(key, b, 5, b, 32, opened, 4) == KEYLANE_ERROR_INVALID_PARAMETER);
        return;
    }
    for (i = 0; i < 2; i++) {
        CHECK(keylane_aead_seal_random(key, b, 5, b, 10, sealed[i], len) == 0);
        CHECK(keylane_aead_open_random(key, b, 5, sealed[i], len, opened, 10) == 0);
        CHECK(memcmp(opened, b, 10) == 0);
        CHECK(keylane_aead_open_to(key, sealed[i], nonce_len, b, 5, sealed[i] + nonce_len, 26, opened, 10) ==
              0);
        CHECK(memcmp(opened, b, 10) == 0);
    }
    CHECK(memcmp(sealed[0], sealed[1], nonce_len) != 0);
    sealed[0][0] ^= 1;
    memset(opened, 1, sizeof opened);
    CHECK(keylane_aead_open_random(key, b, 5, sealed[0], len, opened, 10) ==
          KEYLANE_ERROR_AUTHENTICATION_FAILED);
    CHECK(memcmp(opened, b, 10) == 0);
    CHECK(keylane_aead_seal_random(key, b, 5, b, 10, sealed[0], len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_aead_open_random(key, b, 5, sealed[0], nonce_len + 15, opened, 0) ==
          KEYLANE_ERROR_WRONG_LENGTH);
    CHECK(keylane_aead_open_random(key, b, 5, sealed[0], len, sealed[0], 10) == KEYLANE_ERROR_OVERLAP);
}

static void every_function(const keylane_aead *key, size_t vector) {
    const size_t nonce_len = keylane_aead_nonce_len(VECTORS[vector].algorithm);
    size_t count;
    published(key, vector);
    tag_lengths(key, vector);
    for (count = 0; count < 200; count = 3 * count + 1) {
        many(key, nonce_len, count, 48);
        many(key, nonce_len, count, 600);
    }
    random_nonces(key, VECTORS[vector].algorithm);
}

/* A const key may be read-only and may be copied: no function writes to it, however long the messages are. */
static void read_only(const keylane_aead *key, size_t vector) {
    keylane_aead *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), copy;
    bytes text = repeat(1, 20000), tag = room(16), nonce = hex(VECTORS[vector].nonce);
    CHECK((void *)page != MAP_FAILED);
    memcpy(page, key, sizeof *key);
    CHECK(mprotect(page, 4096, PROT_READ) == 0);
    every_function(page, vector);
    CHECK(keylane_aead_seal(page, NONCE, text.data, text.len, text.data, 0, tag.data) == 0);
    CHECK(keylane_aead_seal(page, NONCE, NULL, 0, text.data, text.len, tag.data) == 0);
    copy = *page;
    CHECK(keylane_aead_open(&copy, NONCE, NULL, 0, text.data, text.len, tag.data) == 0);
    munmap(page, 4096);
    FREE(text, tag, nonce);
}

int main(void) {
    const size_t size = sizeof(keylane_aead);
    size_t i, offset;
    for (i = 0; i < COUNT; i++) {
        const int algorithm = VECTORS[i].algorithm;
        bytes key = hex(VECTORS[i].key);
        uint8_t *memory = malloc(size + 64);
        keylane_aead aead;
        CHECK(keylane_aead_key_len(algorithm) == key.len);
        CHECK(2 * keylane_aead_nonce_len(algorithm) == strlen(VECTORS[i].nonce));
        CHECK(keylane_aead_nonce_len(algorithm) <= KEYLANE_AEAD_NONCE_MAX_LEN);
        CHECK(keylane_aead_init(&aead, algorithm, key.data, key.len) == 0);
        read_only(&aead, i); /* First, while no message has been processed. */
        every_function(&aead, i);
        /* At any address. */
        for (offset = 0; offset < 64; offset += 9) {
            keylane_aead *unaligned = (keylane_aead *)(void *)(memory + offset);
            memcpy(memory + offset, &aead, size);
            published(unaligned, i);
            keylane_aead_wipe(unaligned);
            CHECK(all((bytes){memory + offset, size}, 0));
            CHECK(keylane_aead_init(unaligned, algorithm, key.data, key.len) == 0);
            published(unaligned, i);
            many(unaligned, keylane_aead_nonce_len(algorithm), 70, 48);
        }
        CHECK(keylane_aead_init(&aead, algorithm, key.data, key.len - 1) == KEYLANE_ERROR_WRONG_LENGTH);
        keylane_aead_wipe(&aead);
        free(memory);
        FREE(key);
    }
    CHECK(keylane_aead_key_len(0) == 0 && keylane_aead_key_len(9) == 0);
    CHECK(keylane_aead_nonce_len(-1) == 0 && keylane_aead_nonce_len(9) == 0);
    DONE();
}
