/* A flat C face over intel-ipsec-mb, whose own is macros over a table of functions: the harness opens it. */
#include <intel-ipsec-mb.h>
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
    int bits; /* of the AES key; 0: ChaCha20 */
    IMB_JOB jobs[128];
} S;

static const int tag_len[4] = {20, 32, 48, 64};
static const IMB_HASH_ALG sha[4] = {IMB_AUTH_SHA_1, IMB_AUTH_SHA_256, IMB_AUTH_SHA_384, IMB_AUTH_SHA_512};
static const IMB_HASH_ALG hmac[4] = {IMB_AUTH_HMAC_SHA_1, IMB_AUTH_HMAC_SHA_256, IMB_AUTH_HMAC_SHA_384,
                                     IMB_AUTH_HMAC_SHA_512};

/* sse: the SSE manager, which on a CPU without GFNI is the one that uses SHA-NI (two lanes); the automatic
   choice there is AVX2 with 8 or 4 lanes and no SHA-NI. */
API S *pk_new(int sse) {
    S *s = NULL;
    if (posix_memalign((void **)&s, 64, sizeof(S))) return NULL;
    memset(s, 0, sizeof(S));
    if (!(s->m = alloc_mb_mgr(0))) return NULL;
    if (sse) init_mb_mgr_sse(s->m);
    else init_mb_mgr_auto(s->m, NULL);
    return s;
}

API const char *pk_version(void) { return imb_get_version_str(); }

static inline IMB_JOB *fill(IMB_JOB *j, IMB_CIPHER_MODE cipher, IMB_CIPHER_DIRECTION direction,
                            IMB_HASH_ALG hash, const uint8_t *in, uint8_t *out, size_t len, uint8_t *tag,
                            size_t tag_len) {
    int hash_first = cipher == IMB_CIPHER_NULL || direction == IMB_DIR_DECRYPT;
    j->cipher_mode = cipher;
    j->cipher_direction = direction;
    j->chain_order = hash_first ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    j->hash_alg = hash;
    j->src = in;
    j->dst = out;
    j->cipher_start_src_offset_in_bytes = 0;
    j->msg_len_to_cipher_in_bytes = cipher == IMB_CIPHER_NULL ? 0 : len;
    j->hash_start_src_offset_in_bytes = 0;
    j->msg_len_to_hash_in_bytes = len;
    j->auth_tag_output = tag;
    j->auth_tag_output_len_in_bytes = tag_len;
    return j;
}

static inline void keyed(IMB_JOB *j, const void *enc, const void *dec, size_t len, const uint8_t *iv,
                         size_t iv_len) {
    j->enc_keys = enc;
    j->dec_keys = dec;
    j->key_len_in_bytes = len;
    j->iv = iv;
    j->iv_len_in_bytes = iv_len;
}

static inline void finish(S *s) {
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

static inline void run(S *s) {
    IMB_SUBMIT_JOB_NOCHECK(s->m);
    finish(s);
}

API void pk_hmac_key(S *s, int h, const uint8_t *key, size_t len) {
    uint8_t pad[2][128];
    int block = h < 2 ? 64 : 128;
    memset(pad[0], 0x36, block);
    memset(pad[1], 0x5c, block);
    for (size_t i = 0; i < len; i++) pad[0][i] ^= key[i], pad[1][i] ^= key[i];
    for (int i = 0; i < 2; i++) {
        void *out = i ? s->opad : s->ipad;
        switch (h) {
        case 0: IMB_SHA1_ONE_BLOCK(s->m, pad[i], out); break;
        case 1: IMB_SHA256_ONE_BLOCK(s->m, pad[i], out); break;
        case 2: IMB_SHA384_ONE_BLOCK(s->m, pad[i], out); break;
        default: IMB_SHA512_ONE_BLOCK(s->m, pad[i], out); break;
        }
    }
}

/* n <= 128 messages, back to back in memory: one by the interface for jobs, more by that for bursts. Returns
   how many are done. */
API int pk_hmac(S *s, int h, const uint8_t *in, size_t n, size_t len, uint8_t *tags) {
    for (size_t i = 0; i < n; i++) {
        IMB_JOB *j = n == 1 ? IMB_GET_NEXT_JOB(s->m) : &s->jobs[i];
        fill(j, IMB_CIPHER_NULL, IMB_DIR_ENCRYPT, hmac[h], in + i * len, NULL, len, tags + i * tag_len[h],
             tag_len[h]);
        j->u.HMAC._hashed_auth_key_xor_ipad = s->ipad;
        j->u.HMAC._hashed_auth_key_xor_opad = s->opad;
    }
    if (n > 1) return (int)IMB_SUBMIT_HASH_BURST_NOCHECK(s->m, s->jobs, n, hmac[h]);
    run(s);
    return 1;
}

/* One message by its own function, more as jobs, side by side in the library's lanes. */
API void pk_digest(S *s, int h, const uint8_t *in, size_t n, size_t len, uint8_t *out) {
    for (size_t i = 0; n > 1 && i < n; i++) {
        fill(IMB_GET_NEXT_JOB(s->m), IMB_CIPHER_NULL, IMB_DIR_ENCRYPT, sha[h], in + i * len, NULL, len,
             out + i * tag_len[h], tag_len[h]);
        IMB_SUBMIT_JOB_NOCHECK(s->m);
    }
    if (n > 1) finish(s);
    else if (h == 0) IMB_SHA1(s->m, in, len, out);
    else if (h == 1) IMB_SHA256(s->m, in, len, out);
    else if (h == 2) IMB_SHA384(s->m, in, len, out);
    else IMB_SHA512(s->m, in, len, out);
}

API void pk_stream_key(S *s, int bits, const uint8_t *key) {
    s->bits = bits;
    if (bits == 128) IMB_AES_KEYEXP_128(s->m, key, s->enc, s->dec);
    else if (bits == 256) IMB_AES_KEYEXP_256(s->m, key, s->enc, s->dec);
    else memcpy(s->key, key, 32);
}

API void pk_stream(S *s, uint8_t *buf, size_t len, const uint8_t *iv) {
    IMB_CIPHER_MODE mode = s->bits ? IMB_CIPHER_CNTR : IMB_CIPHER_CHACHA20;
    IMB_JOB *j = fill(IMB_GET_NEXT_JOB(s->m), mode, IMB_DIR_ENCRYPT, IMB_AUTH_NULL, buf, buf, len, NULL, 0);
    if (s->bits) keyed(j, s->enc, NULL, s->bits / 8, iv, 16);
    else keyed(j, s->key, NULL, 32, iv, 12);
    run(s);
}

API void pk_aead_key(S *s, int bits, const uint8_t *key) {
    s->bits = bits;
    if (bits == 128) IMB_AES128_GCM_PRE(s->m, key, &s->gcm);
    else if (bits == 256) IMB_AES256_GCM_PRE(s->m, key, &s->gcm);
    else memcpy(s->key, key, 32);
}

API void pk_aead(S *s, int enc, const uint8_t *in, uint8_t *out, size_t len, const uint8_t *iv,
                 const uint8_t *aad, size_t aad_len, uint8_t *tag) {
    struct gcm_context_data c;
    if (s->bits) {
        aes_gcm_enc_dec_t gcm = s->bits == 128 ? (enc ? s->m->gcm128_enc : s->m->gcm128_dec)
                                               : (enc ? s->m->gcm256_enc : s->m->gcm256_dec);
        gcm(&s->gcm, &c, out, in, len, iv, aad, aad_len, tag, 16);
        return;
    }
    IMB_CIPHER_DIRECTION direction = enc ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    IMB_JOB *j = fill(IMB_GET_NEXT_JOB(s->m), IMB_CIPHER_CHACHA20_POLY1305, direction,
                      IMB_AUTH_CHACHA20_POLY1305, in, out, len, tag, 16);
    keyed(j, s->key, s->key, 32, iv, 12);
    j->u.CHACHA20_POLY1305.aad = aad;
    j->u.CHACHA20_POLY1305.aad_len_in_bytes = aad_len;
    run(s);
}

API void pk_poly1305(S *s, const uint8_t *key, const uint8_t *in, size_t len, uint8_t *tag) {
    IMB_JOB *j = fill(IMB_GET_NEXT_JOB(s->m), IMB_CIPHER_NULL, IMB_DIR_ENCRYPT, IMB_AUTH_POLY1305, in, NULL, len,
                      tag, 16);
    j->u.POLY1305._key = key;
    run(s);
}
