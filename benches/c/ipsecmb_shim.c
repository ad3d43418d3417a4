/* A flat C face over intel-ipsec-mb, whose own is macros over a table of functions and jobs whose layout only its
   header knows: the harness opens it. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

typedef struct {
    IMB_MGR *m;
    DECLARE_ALIGNED(uint8_t pad[2][64], 64); /* HMAC's key: the states after the inner and the outer pad */
    DECLARE_ALIGNED(struct gcm_key_data gcm, 64);
    DECLARE_ALIGNED(uint32_t enc[15 * 4], 64);
    DECLARE_ALIGNED(uint32_t dec[15 * 4], 64);
    uint8_t key[32];
    int bits; /* of the AES key; 0: ChaCha20 */
    IMB_JOB jobs[128];
} S;

static const size_t digest_len[4] = {20, 32, 48, 64};
static const IMB_HASH_ALG sha[4] = {IMB_AUTH_SHA_1, IMB_AUTH_SHA_256, IMB_AUTH_SHA_384, IMB_AUTH_SHA_512};
static const IMB_HASH_ALG hmac[4] = {IMB_AUTH_HMAC_SHA_1, IMB_AUTH_HMAC_SHA_256, IMB_AUTH_HMAC_SHA_384,
                                     IMB_AUTH_HMAC_SHA_512};

/* sse: the SSE manager, which on a CPU without GFNI is the one that uses SHA-NI (two lanes); the automatic
   choice there is AVX2 with 8 or 4 lanes and no SHA-NI. flags: alloc_mb_mgr's, 1 << 32 for the AVX2 manager
   where the choice would be AVX-512, and 1 << 33 to hide IFMA, which ChaCha20-Poly1305 asks for at each message. */
API S *mb_new(int sse, uint64_t flags) {
    S *s = aligned_alloc(64, (sizeof(S) + 63) / 64 * 64);
    memset(s, 0, sizeof(S));
    s->m = alloc_mb_mgr((uint32_t)flags);
    if (sse) init_mb_mgr_sse(s->m);
    else if (flags >> 32 & 1) init_mb_mgr_avx2(s->m);
    else init_mb_mgr_auto(s->m, NULL);
    if (flags >> 33) s->m->features &= ~IMB_FEATURE_AVX512_IFMA;
    return s;
}

static IMB_JOB *fill(IMB_JOB *j, IMB_HASH_ALG hash, const uint8_t *in, size_t len, uint8_t *tag, size_t tag_len) {
    j->cipher_mode = IMB_CIPHER_NULL;
    j->cipher_direction = IMB_DIR_ENCRYPT;
    j->chain_order = IMB_ORDER_HASH_CIPHER;
    j->hash_alg = hash;
    j->src = in;
    j->hash_start_src_offset_in_bytes = 0;
    j->msg_len_to_hash_in_bytes = len;
    j->auth_tag_output = tag;
    j->auth_tag_output_len_in_bytes = tag_len;
    return j;
}

static void cipher(IMB_JOB *j, IMB_CIPHER_MODE mode, int decrypt, const void *key, size_t key_len, uint8_t *out,
                   size_t len, const uint8_t *iv, size_t iv_len) {
    j->cipher_mode = mode;
    j->cipher_direction = decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    j->chain_order = decrypt ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    j->enc_keys = j->dec_keys = key;
    j->key_len_in_bytes = key_len;
    j->dst = out;
    j->cipher_start_src_offset_in_bytes = 0;
    j->msg_len_to_cipher_in_bytes = len;
    j->iv = iv;
    j->iv_len_in_bytes = iv_len;
}

static void run(S *s) {
    IMB_SUBMIT_JOB_NOCHECK(s->m);
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

API void mb_hmac_key(S *s, int h, const uint8_t *key, size_t len) {
    hash_one_block_t one_block[4] = {s->m->sha1_one_block, s->m->sha256_one_block, s->m->sha384_one_block,
                                     s->m->sha512_one_block};
    for (int i = 0; i < 2; i++) {
        uint8_t block[128];
        memset(block, i ? 0x5c : 0x36, sizeof(block));
        for (size_t k = 0; k < len; k++) block[k] ^= key[k];
        one_block[h](block, s->pad[i]);
    }
}

/* n <= 128 messages, back to back in memory: one by the interface for jobs, more by that for bursts. Returns
   how many are done. */
API int mb_hmac(S *s, int h, const uint8_t *in, size_t n, size_t len, uint8_t *tags) {
    size_t tag_len = digest_len[h];
    for (size_t i = 0; i < n; i++) {
        IMB_JOB *j = n == 1 ? IMB_GET_NEXT_JOB(s->m) : &s->jobs[i];
        fill(j, hmac[h], in + i * len, len, tags + i * tag_len, tag_len);
        j->u.HMAC._hashed_auth_key_xor_ipad = s->pad[0];
        j->u.HMAC._hashed_auth_key_xor_opad = s->pad[1];
    }
    if (n > 1) return (int)IMB_SUBMIT_HASH_BURST_NOCHECK(s->m, s->jobs, n, hmac[h]);
    run(s);
    return 1;
}

/* One message by its own function, more as jobs, side by side in the library's lanes. */
API void mb_digest(S *s, int h, const uint8_t *in, size_t n, size_t len, uint8_t *out) {
    hash_fn_t hash[4] = {s->m->sha1, s->m->sha256, s->m->sha384, s->m->sha512};
    if (n == 1) {
        hash[h](in, len, out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        fill(IMB_GET_NEXT_JOB(s->m), sha[h], in + i * len, len, out + i * digest_len[h], digest_len[h]);
        IMB_SUBMIT_JOB_NOCHECK(s->m);
    }
    while (IMB_FLUSH_JOB(s->m) != NULL) {}
}

API void mb_key(S *s, int gcm, int bits, const uint8_t *key) {
    s->bits = bits;
    if (bits == 0) memcpy(s->key, key, 32);
    else if (gcm) (bits == 128 ? s->m->gcm128_pre : s->m->gcm256_pre)(key, &s->gcm);
    else (bits == 128 ? s->m->keyexp_128 : s->m->keyexp_256)(key, s->enc, s->dec);
}

API void mb_stream(S *s, uint8_t *buf, size_t len, const uint8_t *iv) {
    IMB_JOB *j = fill(IMB_GET_NEXT_JOB(s->m), IMB_AUTH_NULL, buf, len, NULL, 0);
    if (s->bits) cipher(j, IMB_CIPHER_CNTR, 0, s->enc, s->bits / 8, buf, len, iv, 16);
    else cipher(j, IMB_CIPHER_CHACHA20, 0, s->key, 32, buf, len, iv, 12);
    run(s);
}

API void mb_aead(S *s, int decrypt, const uint8_t *in, uint8_t *out, size_t len, const uint8_t *iv,
                 const uint8_t *aad, size_t aad_len, uint8_t *tag) {
    if (s->bits) {
        struct gcm_context_data c;
        aes_gcm_enc_dec_t gcm = s->bits == 128 ? (decrypt ? s->m->gcm128_dec : s->m->gcm128_enc)
                                               : (decrypt ? s->m->gcm256_dec : s->m->gcm256_enc);
        gcm(&s->gcm, &c, out, in, len, iv, aad, aad_len, tag, 16);
        return;
    }
    IMB_JOB *j = fill(IMB_GET_NEXT_JOB(s->m), IMB_AUTH_CHACHA20_POLY1305, in, len, tag, 16);
    cipher(j, IMB_CIPHER_CHACHA20_POLY1305, decrypt, s->key, 32, out, len, iv, 12);
    j->u.CHACHA20_POLY1305.aad = aad;
    j->u.CHACHA20_POLY1305.aad_len_in_bytes = aad_len;
    run(s);
}

API void mb_poly1305(S *s, const uint8_t *key, const uint8_t *in, size_t len, uint8_t *tag) {
    fill(IMB_GET_NEXT_JOB(s->m), IMB_AUTH_POLY1305, in, len, tag, 16)->u.POLY1305._key = key;
    run(s);
}
