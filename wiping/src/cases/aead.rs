//! The AEADs, and streams over them.

use crate::watch::{Boxes, Case, Secret, boxed};
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::stream::{Chunk, ChunkCipher, Opener, Sealer};
use keylane_testkit::{Aead, as_nonce};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        of::<Aes128Gcm>(&["keylane::aes_gcm::Aes128Gcm", "keylane::aes_gcm::AesGcm"], aead::<Aes128Gcm>),
        of::<Aes192Gcm>(&["keylane::aes_gcm::Aes192Gcm"], aead::<Aes192Gcm>),
        of::<Aes256Gcm>(&["keylane::aes_gcm::Aes256Gcm"], aead::<Aes256Gcm>),
        of::<ChaCha20Poly1305>(&["keylane::chacha20poly1305::ChaCha20Poly1305"], aead::<ChaCha20Poly1305>),
        of::<XChaCha20Poly1305>(&["keylane::chacha20poly1305::XChaCha20Poly1305"], aead::<XChaCha20Poly1305>),
    ];
    cases.extend(streams::<Aes128Gcm>());
    cases.extend(streams::<Aes192Gcm>());
    cases.extend(streams::<Aes256Gcm>());
    cases.extend(streams::<ChaCha20Poly1305>());
    cases
}

fn of<A: Aead>(types: &'static [&'static str], run: fn(&mut Secret)) -> Case {
    Case { types, with: A::NAME, primitive: Some(A::PRIMITIVE), boxes: Boxes::OfCase, run }
}

fn streams<A: Aead + keylane::aead::Aead<Nonce = [u8; 12]>>() -> [Case; 3] {
    [
        of::<A>(&["keylane::stream::ChunkCipher"], many_chunks::<A>),
        of::<A>(&["keylane::stream::Sealer"], sealer::<A>),
        of::<A>(&["keylane::stream::Opener"], opener::<A>),
    ]
}

/// Text, refused text, text apart from its output, and on a heap.
fn aead<A: Aead>(secret: &mut Secret) {
    let aead = boxed(|| key::<A>(secret));
    let nonce = as_nonce::<A>(&[9; 24][..A::NONCE_LEN]);
    let mut text = secret.bytes::<1200>();
    let mut sealed = [0; 1216];
    aead.seal_to(nonce, b"header", &[&text[..500], &text[500..]], &mut sealed).expect("a short text");
    aead.open_to(nonce, b"header", &sealed, &mut text).expect("just sealed");
    let tag = aead.seal(nonce, b"header", &mut text).expect("a short text");
    boxed(|| (*aead).clone()).open(nonce, b"header", &mut text, &tag).expect("just sealed");
    // Nobody may learn what was decrypted before the tag was found to be wrong.
    sealed[7] ^= 1;
    let mut output = vec![0; 1200];
    assert!(aead.open_to(nonce, b"header", &sealed, &mut output).is_err());
    output.copy_from_slice(&sealed[..1200]);
    assert!(aead.open(nonce, b"header", &mut output, &tag).is_err());
    secret.lives();
}

fn key<A: Aead>(secret: &mut Secret) -> A {
    A::from_slice(&secret.bytes::<32>()[..A::KEY_LEN]).expect("a key of the right length")
}

fn many_chunks<A: Aead + keylane::aead::Aead<Nonce = [u8; 12]>>(secret: &mut Secret) {
    let chunks = boxed(|| ChunkCipher::new(key::<A>(secret), &[0; 7]));
    let mut text = secret.bytes::<500>();
    let tag = chunks.seal(Chunk::Inner(3), b"", &mut text).expect("a short chunk");
    chunks.open(Chunk::Inner(3), b"", &mut text, &tag).expect("just sealed");
    secret.lives();
}

fn sealer<A: Aead + keylane::aead::Aead<Nonce = [u8; 12]>>(secret: &mut Secret) {
    let mut sealer = boxed(|| Sealer::new(ChunkCipher::new(key::<A>(secret), &[0; 7])));
    let mut sealed = [0; 316];
    sealer.seal_next_to(b"", &[&secret.bytes::<300>()], &mut sealed).expect("a short chunk");
    secret.lives();
}

fn opener<A: Aead + keylane::aead::Aead<Nonce = [u8; 12]>>(secret: &mut Secret) {
    let key = key::<A>(secret);
    let mut text = secret.bytes::<300>();
    let mut sealer = boxed(|| Sealer::new(ChunkCipher::new(key.clone(), &[0; 7])));
    let tag = sealer.seal_next(b"", &mut text).expect("a short chunk");
    let mut opener = boxed(|| Opener::new(ChunkCipher::new(key, &[0; 7])));
    opener.open_next(b"", &mut text, &tag).expect("just sealed");
    secret.lives();
}
