/* A flat C face over intel-ipsec-mb, so that the Rust harness can dlopen it. */
#include <intel-ipsec-mb.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

typedef struct {
    IMB_MGR *m;
    DECLARE_ALIGNED(uint8_t ipad[64], 64);
    DECLARE_ALIGNED(uint8_t opad[64], 64);
    DECLARE_ALIGNED(struct gcm_key_data gcm, 64);
    DECLARE_ALIGNED(uint32_t enc[15 * 4], 64);
    DECLARE_ALIGNED(uint32_t dec[15 * 4], 64);
    uint8_t key[32];
    int hash, bits;
    IMB_JOB jobs[128];
} S;

static const int tag_len[4] = {20, 32, 48, 64};
static const int block_len[4] = {64, 64, 128, 128};
static const IMB_HASH_ALG hmac_alg[4] = {IMB_AUTH_HMAC_SHA_1, IMB_AUTH_HMAC_SHA_256, IMB_AUTH_HMAC_SHA_384,
                                         IMB_AUTH_HMAC_SHA_512};

/* sse = 1: the SSE manager, which on a CPU without GFNI is the one that uses SHA-NI (two lanes);
   the automatic choice there is AVX2 with 8 or 4 lanes and no SHA-NI. */
API S *pk_new(int sse) {
    S *s = NULL;
    if (posix_memalign((void **)&s, 64, sizeof(S))) return NULL;
    memset(s, 0, sizeof(S));
    s->m = alloc_mb_mgr(0);
    if (!s->m) return NULL;
    if (sse) init_mb_mgr_sse(s->m);
    else init_mb_mgr_auto(s->m, NULL);
    return s;
}

API const char *pk_version(void) { return imb_get_version_str(); }
API int pk_arch(S *s) { return (int)s->m->used_arch; }
API uint64_t pk_features(S *s) { return s->m->features; }

static void one_block(S *s, int h, const void *in, void *out) {
    switch (h) {
    case 0: IMB_SHA1_ONE_BLOCK(s->m, in, out); break;
    case 1: IMB_SHA256_ONE_BLOCK(s->m, in, out); break;
    case 2: IMB_SHA384_ONE_BLOCK(s->m, in, out); break;
    default: IMB_SHA512_ONE_BLOCK(s->m, in, out); break;
    }
}

API void pk_hmac_key(S *s, int h, const uint8_t *key, size_t len) {
    uint8_t b[128];
    int n = block_len[h];
    s->hash = h;
    memset(b, 0x36, n);
    for (size_t i = 0; i < len; i++) b[i] ^= key[i];
    one_block(s, h, b, s->ipad);
    memset(b, 0x5c, n);
    for (size_t i = 0; i < len; i++) b[i] ^= key[i];
    one_block(s, h, b, s->opad);
}

static void fill_hmac(S *s, IMB_JOB *j, const uint8_t *msg, size_t len, uint8_t *tag) {
    j->cipher_mode = IMB_CIPHER_NULL;
    j->cipher_direction = IMB_DIR_ENCRYPT;
    j->chain_order = IMB_ORDER_HASH_CIPHER;
    j->hash_alg = hmac_alg[s->hash];
    j->src = msg;
    j->hash_start_src_offset_in_bytes = 0;
    j->msg_len_to_hash_in_bytes = len;
    j->msg_len_to_cipher_in_bytes = 0;
    j->auth_tag_output = tag;
    j->auth_tag_output_len_in_bytes = tag_len[s->hash];
    j->u.HMAC._hashed_auth_key_xor_ipad = s->ipad;
    j->u.HMAC._hashed_auth_key_xor_opad = s->opad;
}

/* Job API: n messages, back to back in memory. */
API void pk_hmac_jobs(S *s, const uint8_t *msgs, size_t n, size_t len, uint8_t *tags) {
    for (size_t i = 0; i < n; i++) {
        IMB_JOB *j = IMB_GET_NEXT_JOB(s->m);
        fill_hmac(s, j, msgs + i * len, len, tags + i * tag_len[s->hash]);
        IMB_SUBMIT_JOB_NOCHECK(s->m);
    }
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

/* Hash burst API; n <= 128. Returns the number of completed jobs. */
API int pk_hmac_burst(S *s, const uint8_t *msgs, size_t n, size_t len, uint8_t *tags) {
    for (size_t i = 0; i < n; i++) fill_hmac(s, &s->jobs[i], msgs + i * len, len, tags + i * tag_len[s->hash]);
    return (int)IMB_SUBMIT_HASH_BURST_NOCHECK(s->m, s->jobs, n, hmac_alg[s->hash]);
}

API void pk_digest(S *s, int h, const uint8_t *msg, size_t len, uint8_t *out) {
    switch (h) {
    case 0: IMB_SHA1(s->m, msg, len, out); break;
    case 1: IMB_SHA256(s->m, msg, len, out); break;
    case 2: IMB_SHA384(s->m, msg, len, out); break;
    default: IMB_SHA512(s->m, msg, len, out); break;
    }
}

/* Job API: n messages, back to back in memory, side by side in the library's lanes. */
API void pk_digest_jobs(S *s, int h, const uint8_t *msgs, size_t n, size_t len, uint8_t *out) {
    static const IMB_HASH_ALG alg[4] = {IMB_AUTH_SHA_1, IMB_AUTH_SHA_256, IMB_AUTH_SHA_384, IMB_AUTH_SHA_512};
    for (size_t i = 0; i < n; i++) {
        IMB_JOB *j = IMB_GET_NEXT_JOB(s->m);
        j->cipher_mode = IMB_CIPHER_NULL;
        j->cipher_direction = IMB_DIR_ENCRYPT;
        j->chain_order = IMB_ORDER_HASH_CIPHER;
        j->hash_alg = alg[h];
        j->src = msgs + i * len;
        j->hash_start_src_offset_in_bytes = 0;
        j->msg_len_to_hash_in_bytes = len;
        j->msg_len_to_cipher_in_bytes = 0;
        j->auth_tag_output = out + i * tag_len[h];
        j->auth_tag_output_len_in_bytes = tag_len[h];
        IMB_SUBMIT_JOB_NOCHECK(s->m);
    }
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

API void pk_aes_key(S *s, int bits, const uint8_t *key) {
    s->bits = bits;
    if (bits == 128) IMB_AES_KEYEXP_128(s->m, key, s->enc, s->dec);
    else IMB_AES_KEYEXP_256(s->m, key, s->enc, s->dec);
}

API void pk_ctr(S *s, uint8_t *buf, size_t len, const uint8_t *iv16) {
    IMB_JOB *j = IMB_GET_NEXT_JOB(s->m);
    j->cipher_mode = IMB_CIPHER_CNTR;
    j->cipher_direction = IMB_DIR_ENCRYPT;
    j->chain_order = IMB_ORDER_CIPHER_HASH;
    j->hash_alg = IMB_AUTH_NULL;
    j->enc_keys = s->enc;
    j->key_len_in_bytes = s->bits / 8;
    j->src = buf;
    j->dst = buf;
    j->iv = iv16;
    j->iv_len_in_bytes = 16;
    j->cipher_start_src_offset_in_bytes = 0;
    j->msg_len_to_cipher_in_bytes = len;
    IMB_SUBMIT_JOB_NOCHECK(s->m);
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

API void pk_gcm_key(S *s, int bits, const uint8_t *key) {
    s->bits = bits;
    if (bits == 128) IMB_AES128_GCM_PRE(s->m, key, &s->gcm);
    else IMB_AES256_GCM_PRE(s->m, key, &s->gcm);
}

API void pk_gcm_run(S *s, int enc, const uint8_t *in, uint8_t *out, size_t len, const uint8_t *iv,
                    const uint8_t *aad, size_t aadl, uint8_t *tag) {
    struct gcm_context_data c;
    if (s->bits == 128) {
        if (enc) IMB_AES128_GCM_ENC(s->m, &s->gcm, &c, out, in, len, iv, aad, aadl, tag, 16);
        else IMB_AES128_GCM_DEC(s->m, &s->gcm, &c, out, in, len, iv, aad, aadl, tag, 16);
    } else {
        if (enc) IMB_AES256_GCM_ENC(s->m, &s->gcm, &c, out, in, len, iv, aad, aadl, tag, 16);
        else IMB_AES256_GCM_DEC(s->m, &s->gcm, &c, out, in, len, iv, aad, aadl, tag, 16);
    }
}

API void pk_chacha_key(S *s, const uint8_t *key) { memcpy(s->key, key, 32); }

API void pk_chacha_stream(S *s, uint8_t *buf, size_t len, const uint8_t *iv) {
    IMB_JOB *j = IMB_GET_NEXT_JOB(s->m);
    j->cipher_mode = IMB_CIPHER_CHACHA20;
    j->cipher_direction = IMB_DIR_ENCRYPT;
    j->chain_order = IMB_ORDER_CIPHER_HASH;
    j->hash_alg = IMB_AUTH_NULL;
    j->enc_keys = s->key;
    j->key_len_in_bytes = 32;
    j->src = buf;
    j->dst = buf;
    j->iv = iv;
    j->iv_len_in_bytes = 12;
    j->cipher_start_src_offset_in_bytes = 0;
    j->msg_len_to_cipher_in_bytes = len;
    IMB_SUBMIT_JOB_NOCHECK(s->m);
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

API void pk_chacha_run(S *s, int enc, const uint8_t *in, uint8_t *out, size_t len, const uint8_t *iv,
                       const uint8_t *aad, size_t aadl, uint8_t *tag) {
    IMB_JOB *j = IMB_GET_NEXT_JOB(s->m);
    j->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    j->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    j->cipher_direction = enc ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    j->chain_order = enc ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    j->enc_keys = s->key;
    j->dec_keys = s->key;
    j->key_len_in_bytes = 32;
    j->u.CHACHA20_POLY1305.aad = aad;
    j->u.CHACHA20_POLY1305.aad_len_in_bytes = aadl;
    j->src = in;
    j->dst = out;
    j->iv = iv;
    j->iv_len_in_bytes = 12;
    j->cipher_start_src_offset_in_bytes = 0;
    j->msg_len_to_cipher_in_bytes = len;
    j->hash_start_src_offset_in_bytes = 0;
    j->msg_len_to_hash_in_bytes = len;
    j->auth_tag_output = tag;
    j->auth_tag_output_len_in_bytes = 16;
    IMB_SUBMIT_JOB_NOCHECK(s->m);
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

API void pk_poly1305(S *s, const uint8_t *key, const uint8_t *msg, size_t len, uint8_t *tag) {
    IMB_JOB *j = IMB_GET_NEXT_JOB(s->m);
    j->cipher_mode = IMB_CIPHER_NULL;
    j->hash_alg = IMB_AUTH_POLY1305;
    j->chain_order = IMB_ORDER_HASH_CIPHER;
    j->cipher_direction = IMB_DIR_ENCRYPT;
    j->u.POLY1305._key = key;
    j->src = msg;
    j->hash_start_src_offset_in_bytes = 0;
    j->msg_len_to_hash_in_bytes = len;
    j->auth_tag_output = tag;
    j->auth_tag_output_len_in_bytes = 16;
    IMB_SUBMIT_JOB_NOCHECK(s->m);
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}
