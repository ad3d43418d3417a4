//! The same generic code computes the same with RustCrypto's types and with Keylane's.

use aead::{AeadInOut, inout::InOutBuf};
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyIvInit, StreamCipher, StreamCipherSeek};
use cipher::{BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherEncBackend, BlockCipherEncClosure};
use digest::{FixedOutputReset, HashMarker, KeyInit, Mac, Reset, Update};
use keylane::rustcrypto::{self, Ctr128BE};
use keylane::{aes, aes_ctr, aes_gcm, chacha20, chacha20poly1305, hmac, poly1305, sha1, sha2};
use keylane_contracts::{LENGTHS, Random, every_implementation, painted};
use universal_hash::array::{Array, ArraySize};
use universal_hash::common::BlockSizeUser;
use universal_hash::{UhfBackend, UhfClosure, UniversalHash};

/// Returns bytes that depend on the length: keys, nonces.
fn random(len: usize, seed: usize) -> Vec<u8> {
    Random::new(seed as u64).bytes(len)
}

fn mac<M: Mac + KeyInit + FixedOutputReset>(len: usize) -> Vec<u8> {
    let (key, message) = (random(len % 300, len), painted(len));
    let mut mac = M::new_from_slice(&key).unwrap();
    message.chunks(77).for_each(|piece| Mac::update(&mut mac, piece));
    let first = Mac::finalize_reset(&mut mac).into_bytes();
    Mac::update(&mut mac, &message);
    let tag = mac.finalize().into_bytes();
    assert_eq!(first, tag, "{len} bytes");
    tag.to_vec()
}

fn hash<D: FixedOutputReset + HashMarker + Default>(len: usize) -> Vec<u8> {
    let mut hash = D::default();
    Update::update(&mut hash, b"forgotten");
    Reset::reset(&mut hash);
    painted(len).chunks(77).for_each(|piece| Update::update(&mut hash, piece));
    let first = hash.finalize_fixed_reset();
    Update::update(&mut hash, &painted(len));
    assert_eq!(hash.finalize_fixed(), first, "{len} bytes");
    first.to_vec()
}

/// In place and out of place.
fn aead<A: AeadInOut + KeyInit>(len: usize) -> Vec<u8> {
    let cipher = A::new_from_slice(&random(A::key_size(), len)).unwrap();
    let nonce = random(aead::Nonce::<A>::default().len(), len + 1);
    let nonce = nonce[..].try_into().unwrap();
    let (aad, text) = (painted(len % 61), painted(len));
    let mut sealed = text.clone();
    let tag = cipher.encrypt_inout_detached(nonce, &aad, sealed[..].as_mut().into()).unwrap();
    let mut apart = vec![0xa5; len];
    let text_to = InOutBuf::new(&text, &mut apart).unwrap();
    assert_eq!(cipher.encrypt_inout_detached(nonce, &aad, text_to), Ok(tag.clone()), "{len} bytes");
    assert_eq!(apart, sealed, "{len} bytes");
    let mut opened = vec![0xa5; len];
    let sealed_to = InOutBuf::new(&sealed, &mut opened).unwrap();
    assert_eq!(cipher.decrypt_inout_detached(nonce, &aad, sealed_to, &tag), Ok(()), "{len} bytes");
    assert_eq!(opened, text, "{len} bytes");
    sealed.extend_from_slice(&tag);
    sealed
}

/// In place, out of place, as key stream alone, and from various positions.
fn stream<C: KeyIvInit + StreamCipher + StreamCipherSeek>(len: usize) -> Vec<u8> {
    let (key, iv) = (random(C::key_size(), len), random(C::iv_size(), len + 1));
    let mut cipher = C::new_from_slices(&key, &iv).unwrap();
    let text = painted(len);
    let mut apart = vec![0xa5; len];
    for (input, output) in text.chunks(97).zip(apart.chunks_mut(97)) {
        cipher.apply_keystream_b2b(input, output);
    }
    assert_eq!(cipher.current_pos::<u64>(), len as u64);
    let mut data = text.clone();
    cipher.seek(0);
    cipher.apply_keystream(&mut data);
    assert_eq!(data, apart, "{len} bytes");
    let from = len - len / 3;
    cipher.seek(from as u128);
    cipher.write_keystream(&mut apart[from..]);
    for i in from..len {
        assert_eq!(apart[i] ^ text[i], data[i], "byte {i} of {len}");
    }
    data
}

/// `len / 16` blocks, together and one by one, in place and out of place.
fn blocks<C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit>(len: usize) -> Vec<u8> {
    let cipher = C::new_from_slice(&random(C::key_size(), len)).unwrap();
    let text = painted(len);
    let plain: Vec<Block<C>> = text.chunks_exact(16).map(|block| block.try_into().unwrap()).collect();
    let mut sealed = plain.clone();
    cipher.encrypt_blocks(&mut sealed);
    let mut apart = vec![Block::<C>::default(); plain.len()];
    cipher.encrypt_blocks_b2b(&plain, &mut apart).unwrap();
    assert_eq!(apart, sealed, "{len} bytes");
    apart.fill(Block::<C>::default());
    cipher.encrypt_blocks_inout(InOutBuf::new(&plain, &mut apart).unwrap());
    assert_eq!(apart, sealed, "{len} bytes");
    for (plain, apart) in plain.iter().zip(&mut apart) {
        cipher.encrypt_block_b2b(plain, apart);
    }
    assert_eq!(apart, sealed, "{len} bytes");
    cipher.decrypt_blocks(&mut apart);
    assert_eq!(apart, plain, "{len} bytes");
    cipher.decrypt_blocks_b2b(&sealed, &mut apart).unwrap();
    assert_eq!(apart, plain, "{len} bytes");
    apart.fill(Block::<C>::default());
    cipher.decrypt_blocks_inout(InOutBuf::new(&sealed, &mut apart).unwrap());
    assert_eq!(apart, plain, "{len} bytes");
    cipher.encrypt_with_backend(InPlaceByBackend(&mut apart));
    assert_eq!(apart, sealed, "{len} bytes");
    cipher.decrypt_with_backend(InPlaceByBackend(&mut apart));
    assert_eq!(apart, plain, "{len} bytes");
    sealed.concat()
}

/// Processes blocks with the cipher's backend, as a mode of operation does.
struct InPlaceByBackend<'a, N: ArraySize>(&'a mut [Array<u8, N>]);

impl<N: ArraySize> BlockSizeUser for InPlaceByBackend<'_, N> {
    type BlockSize = N;
}

impl<N: ArraySize> BlockCipherEncClosure for InPlaceByBackend<'_, N> {
    fn call<B: BlockCipherEncBackend<BlockSize = N>>(self, backend: &B) {
        let (groups, rest) = Array::slice_as_chunks_mut(self.0);
        groups.iter_mut().for_each(|group| backend.encrypt_par_blocks(group.into()));
        let (one, tail) = rest.split_at_mut(rest.len().min(1));
        one.iter_mut().for_each(|block| backend.encrypt_block(block.into()));
        backend.encrypt_tail_blocks(tail.into());
    }
}

impl<N: ArraySize> BlockCipherDecClosure for InPlaceByBackend<'_, N> {
    fn call<B: BlockCipherDecBackend<BlockSize = N>>(self, backend: &B) {
        let (groups, rest) = Array::slice_as_chunks_mut(self.0);
        groups.iter_mut().for_each(|group| backend.decrypt_par_blocks(group.into()));
        let (one, tail) = rest.split_at_mut(rest.len().min(1));
        one.iter_mut().for_each(|block| backend.decrypt_block(block.into()));
        backend.decrypt_tail_blocks(tail.into());
    }
}

/// Processes blocks with the hash's backend, as a mode of operation does.
struct ByBackend<'a, N: ArraySize>(&'a [Array<u8, N>]);

impl<N: ArraySize> BlockSizeUser for ByBackend<'_, N> {
    type BlockSize = N;
}

impl<N: ArraySize> UhfClosure for ByBackend<'_, N> {
    fn call<B: UhfBackend<BlockSize = N>>(self, backend: &mut B) {
        let (groups, rest) = Array::slice_as_chunks(self.0);
        groups.iter().for_each(|group| backend.proc_par_blocks(group));
        rest.iter().for_each(|block| backend.proc_block(block));
    }
}

/// Blocks, by the hash's loop and by its backend, then two parts that end with a partial block.
fn universal_hash<U: UniversalHash + KeyInit>(len: usize) -> Vec<u8> {
    let mut hash = U::new_from_slice(&random(U::key_size(), len)).unwrap();
    let text = painted(len);
    let blocks: Vec<_> = text.chunks_exact(16).map(|block| block.try_into().unwrap()).collect();
    hash.update(&blocks);
    hash.update_with_backend(ByBackend(&blocks));
    hash.update_padded(&text);
    hash.update_padded(&text[len / 3..]);
    hash.finalize().to_vec()
}

/// Compares on every implementation of the primitive.
fn agree(primitive: &str, theirs: fn(usize) -> Vec<u8>, ours: &[fn(usize) -> Vec<u8>]) {
    let expected: Vec<_> = LENGTHS.iter().map(|&len| theirs(len)).collect();
    every_implementation(primitive, |_| {
        for (&len, expected) in LENGTHS.iter().zip(&expected) {
            for ours in ours {
                assert_eq!(ours(len), *expected, "{len} bytes");
            }
        }
    });
}

#[test]
fn hashes() {
    agree("sha1", hash::<::sha1::Sha1>, &[hash::<sha1::Sha1>, hash::<rustcrypto::Sha1>]);
    agree("sha256", hash::<::sha2::Sha224>, &[hash::<sha2::Sha224>]);
    agree("sha256", hash::<::sha2::Sha256>, &[hash::<sha2::Sha256>]);
    agree("sha512", hash::<::sha2::Sha384>, &[hash::<sha2::Sha384>]);
    agree("sha512", hash::<::sha2::Sha512>, &[hash::<sha2::Sha512>, hash::<rustcrypto::Sha512>]);
    agree("sha512", hash::<::sha2::Sha512_256>, &[hash::<sha2::Sha512_256>]);
}

type Theirs<D> = ::hmac::HmacReset<D>;

/// HMAC, and each library's HMAC over the other's hash.
#[test]
fn hmacs() {
    agree("sha1", mac::<Theirs<::sha1::Sha1>>, &[mac::<hmac::Hmac<sha1::Sha1>>, mac::<Theirs<sha1::Sha1>>]);
    let ours = [
        mac::<hmac::Hmac<sha2::Sha256>>,
        mac::<rustcrypto::Hmac<sha2::Sha256>>,
        mac::<rustcrypto::Hmac<rustcrypto::Sha256>>,
        mac::<Theirs<sha2::Sha256>>,
        mac::<Theirs<rustcrypto::Sha256>>,
        mac::<::hmac::SimpleHmacReset<sha2::Sha256>>,
    ];
    agree("sha256", mac::<Theirs<::sha2::Sha256>>, &ours);
    agree("sha256", mac::<Theirs<::sha2::Sha224>>, &[mac::<hmac::Hmac<sha2::Sha224>>]);
    agree("sha512", mac::<Theirs<::sha2::Sha384>>, &[mac::<hmac::Hmac<sha2::Sha384>>]);
    let ours = [mac::<hmac::Hmac<sha2::Sha512>>, mac::<Theirs<sha2::Sha512>>];
    agree("sha512", mac::<Theirs<::sha2::Sha512>>, &ours);
    agree("sha512", mac::<Theirs<::sha2::Sha512_256>>, &[mac::<hmac::Hmac<sha2::Sha512_256>>]);
}

#[test]
fn aeads() {
    let ours = [aead::<aes_gcm::Aes128Gcm>, aead::<rustcrypto::Aes128Gcm>];
    agree("aes-gcm", aead::<::aes_gcm::Aes128Gcm>, &ours);
    type Aes192Gcm = ::aes_gcm::AesGcm<::aes::Aes192, cipher::consts::U12>;
    agree("aes-gcm", aead::<Aes192Gcm>, &[aead::<aes_gcm::Aes192Gcm>]);
    agree("aes-gcm", aead::<::aes_gcm::Aes256Gcm>, &[aead::<aes_gcm::Aes256Gcm>]);
    let ours = [aead::<chacha20poly1305::ChaCha20Poly1305>, aead::<rustcrypto::ChaCha20Poly1305>];
    agree("chacha20-poly1305", aead::<::chacha20poly1305::ChaCha20Poly1305>, &ours);
    agree("aes-gcm-siv", aead::<::aes_gcm_siv::Aes128GcmSiv>, &[aead::<rustcrypto::Aes128GcmSiv>]);
    agree("aes-gcm-siv", aead::<::aes_gcm_siv::Aes256GcmSiv>, &[aead::<rustcrypto::Aes256GcmSiv>]);
    agree("aes-gcm", aead::<::xaes_256_gcm::Xaes256Gcm>, &[aead::<rustcrypto::Xaes256Gcm>]);
    type Theirs = ::chacha20poly1305::XChaCha20Poly1305;
    agree("chacha20-poly1305", aead::<Theirs>, &[aead::<chacha20poly1305::XChaCha20Poly1305>]);
}

#[test]
fn streams() {
    agree("aes-ctr", stream::<ctr::Ctr128BE<::aes::Aes128>>, &[stream::<Ctr128BE<rustcrypto::Aes128>>]);
    agree("aes-ctr", stream::<ctr::Ctr128BE<::aes::Aes192>>, &[stream::<Ctr128BE<rustcrypto::Aes192>>]);
    agree("aes-ctr", stream::<ctr::Ctr128BE<::aes::Aes256>>, &[stream::<Ctr128BE<rustcrypto::Aes256>>]);
    let ours = [stream::<chacha20::ChaCha20>, stream::<rustcrypto::ChaCha20>];
    agree("chacha20", stream::<::chacha20::ChaCha20>, &ours);
    agree("chacha20", stream::<::chacha20::XChaCha20>, &[stream::<chacha20::XChaCha20>]);
}

/// RustCrypto's modes of operation use the backend of Keylane's cipher.
#[test]
fn block_ciphers() {
    agree("aes", blocks::<::aes::Aes128>, &[blocks::<rustcrypto::Aes128>]);
    agree("aes", blocks::<::aes::Aes192>, &[blocks::<rustcrypto::Aes192>]);
    agree("aes", blocks::<::aes::Aes256>, &[blocks::<rustcrypto::Aes256>]);
    agree("aes", stream::<ctr::Ctr32LE<::aes::Aes128>>, &[stream::<ctr::Ctr32LE<rustcrypto::Aes128>>]);
}

#[test]
fn universal_hashes() {
    let ours = [universal_hash::<aes_gcm::Ghash>, universal_hash::<rustcrypto::GHash>];
    agree("aes-gcm", universal_hash::<ghash::GHash>, &ours);
    let ours = [universal_hash::<poly1305::Poly1305>, universal_hash::<rustcrypto::Poly1305>];
    agree("poly1305", universal_hash::<::poly1305::Poly1305>, &ours);
}

/// An `Aes` with a key of any length, for modes of operation and streams that take a cipher.
#[test]
fn an_existing_aes() {
    use cipher::InnerIvInit;
    let (cipher, iv) = (aes::Aes::new_192(&[7; 24]), [9; 16]);
    let (mut expected, mut data) = (painted(1000), painted(1000));
    ctr::Ctr128BE::<::aes::Aes192>::new(&[7; 24].into(), &iv.into()).apply_keystream(&mut expected);
    aes_ctr::AesCtr::inner_iv_init(cipher.clone(), &iv.into()).apply_keystream(&mut data);
    assert_eq!(data, expected);
    let mut data = painted(1000);
    Ctr128BE::inner_iv_init(cipher, &iv.into()).apply_keystream(&mut data);
    assert_eq!(data, expected);
}
