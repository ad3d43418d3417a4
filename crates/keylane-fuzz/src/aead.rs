//! An AEAD: every way to seal and to open, and what was changed on the way.

use crate::agreement::on_any;
use crate::choices::Choices;
use keylane::Error;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, TruncatedTag};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane_testkit::{AES_GCM_NONCE_LENS, Aead, AesGcm, as_nonce};

pub(crate) fn any(input: &[u8]) {
    let mut choices = Choices::new(input);
    match choices.any::<u8>() % 8 {
        0 => on_any(Aes128Gcm::PRIMITIVE, &mut choices, aead::<Aes128Gcm>),
        1 => on_any(Aes192Gcm::PRIMITIVE, &mut choices, aead::<Aes192Gcm>),
        2 => on_any(Aes256Gcm::PRIMITIVE, &mut choices, aead::<Aes256Gcm>),
        3 => on_any(ChaCha20Poly1305::PRIMITIVE, &mut choices, aead::<ChaCha20Poly1305>),
        4 => on_any(XChaCha20Poly1305::PRIMITIVE, &mut choices, aead::<XChaCha20Poly1305>),
        5 => on_any(Aes128Gcm::PRIMITIVE, &mut choices, any_nonce::<Aes128Gcm>),
        6 => on_any(Aes192Gcm::PRIMITIVE, &mut choices, any_nonce::<Aes192Gcm>),
        _ => on_any(Aes256Gcm::PRIMITIVE, &mut choices, any_nonce::<Aes256Gcm>),
    }
}

/// Bytes of a message, all of which the tag covers. A part of them may be changed.
#[derive(Clone, PartialEq)]
struct Message {
    key: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    sealed: Vec<u8>,
}

impl Message {
    /// What somebody on the way makes of it; it may stay as it is.
    fn tamper(&self, choices: &mut Choices<'_>) -> Self {
        let mut changed = self.clone();
        for _ in 0..choices.up_to(3) {
            match choices.any::<u8>() % 8 {
                0 => choices.flip(&mut changed.key),
                1 => choices.flip(&mut changed.nonce),
                2 => choices.flip(&mut changed.aad),
                3 => choices.flip(&mut changed.sealed),
                4 => changed.sealed.truncate(choices.up_to(self.sealed.len())),
                5 => changed.sealed.extend(choices.bytes(20)),
                6 => changed.aad.truncate(choices.up_to(self.aad.len())),
                // The same bytes in a row, with the border elsewhere.
                _ => changed.aad.extend(changed.sealed.drain(..choices.up_to(changed.sealed.len()).min(16))),
            }
        }
        changed
    }
}

fn aead<A: Aead>(choices: &mut Choices<'_>) {
    let mut key = choices.bytes(A::KEY_LEN);
    key.resize(A::KEY_LEN, 7);
    let mut nonce = choices.bytes(A::NONCE_LEN);
    nonce.resize(A::NONCE_LEN, 0);
    let nonce = as_nonce::<A>(&nonce);
    let (aad, text) = (choices.text(), choices.text());
    let aead = A::from_slice(&key).expect("a key of the right length");

    let mut sealed = vec![0xaa; text.len() + 16];
    let pieces = choices.pieces(&text);
    aead.seal_to(nonce, &aad, &pieces, &mut sealed).expect("lengths within the limits");
    assert!(
        sealed == A::expected_sealed(&key, nonce.as_ref(), &aad, &text),
        "{}: not what others seal",
        A::NAME
    );
    let mut in_place = text.clone();
    let tag = aead.seal(nonce, &aad, &mut in_place).expect("lengths within the limits");
    in_place.extend_from_slice(&tag);
    assert!(in_place == sealed, "{}: in place it is another", A::NAME);
    let mut appended = b"before".to_vec();
    aead.seal_append(nonce, &aad, &text, &mut appended).expect("lengths within the limits");
    assert!(appended.strip_prefix(b"before") == Some(&sealed), "{}: appended it is another", A::NAME);

    let message = Message { key, nonce: nonce.as_ref().to_vec(), aad, sealed };
    let changed = message.tamper(choices);
    let expected = if changed == message { Ok(&*text) } else { Err(Error::AuthenticationFailed) };
    opens::<A>(&changed, expected);
    wrong_output::<A>(choices, &message, &pieces);
}

/// Both ways to open give the text, or nothing.
fn opens<A: Aead>(message: &Message, expected: Result<&[u8], Error>) {
    let Message { key, nonce, aad, sealed } = message;
    let (aead, nonce) = (A::from_slice(key).expect("a key of the right length"), as_nonce::<A>(nonce));
    let Some((text, tag)) = sealed.split_last_chunk::<16>() else {
        let opened = aead.open_to(nonce, aad, sealed, &mut []);
        return assert!(matches!(opened, Err(Error::WrongLength { .. })), "{}: less than a tag", A::NAME);
    };
    let mut in_place = text.to_vec();
    let opened = aead.open(nonce, aad, &mut in_place, tag);
    assert_eq!(opened.map(|()| &*in_place), expected, "{}: in place", A::NAME);
    let mut output = vec![0xaa; text.len()];
    let opened = aead.open_to(nonce, aad, sealed, &mut output);
    assert_eq!(opened.map(|()| &*output), expected, "{}: into another buffer", A::NAME);
    if expected.is_err() {
        assert!(in_place.iter().chain(&output).all(|&byte| byte == 0), "{}: not wiped", A::NAME);
    }
}

/// An output of another length is refused and left alone.
fn wrong_output<A: Aead>(choices: &mut Choices<'_>, message: &Message, pieces: &[&[u8]]) {
    let Message { key, nonce, aad, sealed } = message;
    let (aead, nonce) = (A::from_slice(key).expect("a key of the right length"), as_nonce::<A>(nonce));
    let mut output = vec![0xaa; choices.up_to(sealed.len() + 20)];
    let refused = |done| matches!(done, Err(Error::WrongLength { .. }));
    if output.len() != sealed.len() {
        assert!(refused(aead.seal_to(nonce, aad, pieces, &mut output)), "{}: wrong room to seal", A::NAME);
    }
    if output.len() + 16 != sealed.len() {
        assert!(refused(aead.open_to(nonce, aad, sealed, &mut output)), "{}: wrong room to open", A::NAME);
    }
    if output.len() != sealed.len() && output.len() + 16 != sealed.len() {
        assert!(output.iter().all(|&byte| byte == 0xaa), "{}: refused, and written to", A::NAME);
    }
}

/// Nonces of any length, and tags that were cut.
fn any_nonce<A: AesGcm>(choices: &mut Choices<'_>) {
    let mut key = choices.bytes(A::KEY_LEN);
    key.resize(A::KEY_LEN, 7);
    let mut nonce = choices.bytes(300);
    let (aad, text) = (choices.text(), choices.text());
    if choices.any() {
        // A length that others can be asked for.
        let len = AES_GCM_NONCE_LENS[choices.up_to(AES_GCM_NONCE_LENS.len() - 1)];
        nonce.resize(len, 0xee);
    }
    let gcm = A::from_slice(&key).expect("a key of the right length");
    let mut sealed = text.clone();
    let tag = match gcm.seal_any_nonce(&nonce, &aad, &mut sealed) {
        Ok(tag) => tag,
        Err(error) => {
            assert!(matches!(error, Error::InvalidParameter { .. }) && nonce.is_empty(), "{error}");
            return assert!(sealed == text, "refused, and written to");
        }
    };
    if AES_GCM_NONCE_LENS.contains(&nonce.len()) {
        let expected = A::expected_sealed(&key, &nonce, &aad, &text);
        assert!([&*sealed, &tag].concat() == expected, "{}: not what others seal", A::NAME);
    }
    let received = tag[..choices.up_to(16)].to_vec();
    let Ok(mut cut) = TruncatedTag::new(&received) else {
        return assert!(
            received.len() < TruncatedTag::MIN_LEN,
            "a tag of {} bytes is refused",
            received.len()
        );
    };
    assert_eq!(cut.as_bytes(), received);
    let (mut changed, mut changed_tag, mut changed_nonce) = (sealed.clone(), tag, nonce.clone());
    match choices.any::<u8>() % 4 {
        0 => choices.flip(&mut changed),
        1 => {
            choices.flip(&mut changed_tag);
            cut = TruncatedTag::new(&changed_tag[..received.len()]).expect("as long as before");
        }
        2 => choices.flip(&mut changed_nonce),
        _ => {}
    }
    let same = changed == sealed && changed_nonce == nonce;
    let expected = |same| if same { Ok(&*text) } else { Err(Error::AuthenticationFailed) };
    let mut whole = changed.clone();
    let opened = gcm.open_any_nonce(&changed_nonce, &aad, &mut whole, &changed_tag);
    assert_eq!(opened.map(|()| &*whole), expected(same && changed_tag == tag), "{}", A::NAME);
    let opened = gcm.open_truncated_any_nonce(&changed_nonce, &aad, &mut changed, &cut);
    assert_eq!(opened.map(|()| &*changed), expected(same && cut.as_bytes() == received), "{}", A::NAME);
    for (opened, is_there) in [(whole, same && changed_tag == tag), (changed, opened.is_ok())] {
        assert!(is_there || opened.iter().all(|&byte| byte == 0), "{}: not wiped", A::NAME);
    }
}
