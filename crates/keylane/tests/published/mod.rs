//! Published messages of AEADs, by every call.

use keylane::Error;
use keylane_subjects::Aead;

/// A published message: every way to seal and to open it.
///
/// # Panics
/// If one has another result.
pub(crate) fn seals<A: Aead>(aead: &A, nonce: &[u8], aad: &[u8], text: &[u8], sealed: &[u8], what: &str) {
    let (cipher, tag) = sealed.split_last_chunk::<16>().expect("a tag");
    let mut data = text.to_vec();
    assert_eq!(aead.seal(A::nonce(nonce), aad, &mut data), Ok(*tag), "{what}");
    assert_eq!(data, cipher, "{what}");
    assert_eq!(aead.open(A::nonce(nonce), aad, &mut data, tag), Ok(()), "{what}");
    assert_eq!(data, text, "{what}");
    let mut output = vec![0; sealed.len()];
    let (head, tail) = text.split_at(text.len() / 2);
    assert_eq!(aead.seal_to(A::nonce(nonce), aad, &[head, tail], &mut output), Ok(()), "{what}");
    assert_eq!(output, sealed, "{what}");
    data.fill(0);
    assert_eq!(aead.open_to(A::nonce(nonce), aad, sealed, &mut data), Ok(()), "{what}");
    assert_eq!(data, text, "{what}");
}

/// A published forgery: it does not open, and leaves no trace of a text.
///
/// # Panics
/// If it does.
pub(crate) fn refuses<A: Aead>(aead: &A, nonce: &[u8], aad: &[u8], sealed: &[u8], what: &str) {
    let (cipher, tag) = sealed.split_last_chunk::<16>().expect("a tag");
    let (mut data, failed) = (cipher.to_vec(), Err(Error::AuthenticationFailed));
    assert_eq!(aead.open(A::nonce(nonce), aad, &mut data, tag), failed, "{what}");
    assert_eq!(data, vec![0; cipher.len()], "{what}");
    data.fill(0xa5);
    assert_eq!(aead.open_to(A::nonce(nonce), aad, sealed, &mut data), failed, "{what}");
    assert_eq!(data, vec![0; cipher.len()], "{what}");
}
