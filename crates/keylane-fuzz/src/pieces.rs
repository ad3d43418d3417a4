//! In pieces, or at once: hashes, tags and key streams are the same, and what others compute.

use crate::choices::Choices;
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane::hmac::HmacKey;
use keylane::poly1305::Poly1305;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane_testkit::{Aes128Ctr, Aes192Ctr, Aes256Ctr, Oracle, Stream, expected_poly1305};

pub(crate) fn any(input: &[u8]) {
    let mut choices = Choices::new(input);
    match choices.any::<u8>() % 12 {
        0 => hash::<Sha1>(&mut choices),
        1 => hash::<Sha224>(&mut choices),
        2 => hash::<Sha256>(&mut choices),
        3 => hash::<Sha384>(&mut choices),
        4 => hash::<Sha512>(&mut choices),
        5 => hash::<Sha512_256>(&mut choices),
        6 => poly1305(&mut choices),
        7 => key_stream::<Aes128Ctr>(&mut choices),
        8 => key_stream::<Aes192Ctr>(&mut choices),
        9 => key_stream::<Aes256Ctr>(&mut choices),
        10 => key_stream::<ChaCha20>(&mut choices),
        _ => key_stream::<XChaCha20>(&mut choices),
    }
}

fn hash<H: Oracle>(choices: &mut Choices<'_>) {
    let (key, text) = (choices.bytes(200), choices.text());
    let pieces = choices.pieces(&text);
    let (mut running, prepared) = (H::new(), HmacKey::<H>::new(&key));
    let mut mac = prepared.start();
    for piece in &pieces {
        // A copy goes its own way.
        if choices.any() {
            let mut copy = running.clone();
            copy.update(b"elsewhere");
        }
        // What was begun is forgotten.
        if choices.one_in(16) {
            let mut begun = prepared.start();
            begun.update(piece);
            begun.reset();
            assert_eq!(begun.finalize().as_ref(), prepared.mac(b"").as_ref());
        }
        running.update(piece);
        mac.update(piece);
    }
    let (digest, tag) = (H::expected_digest(&text), H::expected_mac(&key, &text));
    assert_eq!(running.finalize().as_ref(), digest.as_ref());
    assert_eq!(H::digest(&text).as_ref(), digest.as_ref());
    assert_eq!(mac.finalize_reset().as_ref(), tag.as_ref());
    mac.update(&text);
    assert!(mac.verify(tag.as_ref()).is_ok());
    assert_eq!(prepared.mac_parts(&pieces).as_ref(), tag.as_ref());

    let mut digests: Vec<_> = pieces.iter().map(|_| H::digest(b"")).collect();
    H::digest_many(&pieces, &mut digests).expect("as many digests as messages");
    let mut tags = digests.clone();
    prepared.mac_many(&pieces, &mut tags).expect("as many tags as messages");
    for ((piece, digest), tag) in pieces.iter().zip(&digests).zip(&tags) {
        assert_eq!(digest.as_ref(), H::expected_digest(piece).as_ref());
        assert_eq!(tag.as_ref(), H::expected_mac(&key, piece).as_ref());
    }
    let all: Vec<&[u8]> = tags.iter().map(AsRef::as_ref).collect();
    assert!(prepared.verify_many(&pieces, &all).is_ok());
}

fn poly1305(choices: &mut Choices<'_>) {
    let (key, text) = (choices.any(), choices.text());
    let mut running = Poly1305::with_hint(&key, choices.up_to(2 * text.len()));
    let mut expected = Vec::new();
    for piece in choices.pieces(&text) {
        running.update(piece);
        expected.extend_from_slice(piece);
        if choices.one_in(8) {
            running.pad_to_block();
            expected.resize(expected.len().next_multiple_of(16), 0);
        }
    }
    let tag = expected_poly1305(&key, &expected);
    assert_eq!(running.clone().finalize(), tag);
    assert!(running.verify(&tag).is_ok());
    assert_eq!(Poly1305::mac(&key, &expected), tag);
}

fn key_stream<S: Stream>(choices: &mut Choices<'_>) {
    let mut key = choices.bytes(S::KEY_LEN);
    key.resize(S::KEY_LEN, 3);
    let mut nonce = choices.bytes(S::NONCE_LEN);
    nonce.resize(S::NONCE_LEN, 0xff);
    let text = choices.text();
    let expected: Vec<_> =
        S::expected_keystream(&key, &nonce, text.len()).iter().zip(&text).map(|(a, b)| a ^ b).collect();
    let mut stream = S::new(&key, &nonce);
    for _ in 0..=choices.up_to(5) {
        let (start, mut at) = (choices.up_to(text.len()), 0);
        stream.seek(start as u64).expect("far from the end");
        assert_eq!(stream.position(), start as u128);
        let mut found = text[start..].to_vec();
        for piece in choices.pieces(&text[start..]) {
            let out = &mut found[at..at + piece.len()];
            if choices.any() { stream.xor_keystream_to(piece, out) } else { stream.xor_keystream(out) }
                .expect("far from the end");
            at += piece.len();
        }
        assert!(found == expected[start..], "{} from {start}", S::NAME);
    }
    near_the_end(choices, stream);
}

/// A key stream that ends gives nothing behind its end, and keeps what it has.
fn near_the_end<S: Stream>(choices: &mut Choices<'_>, mut stream: S) {
    let Some(end) = S::MAX_LEN else { return };
    let start = end.saturating_add_signed(i64::from(choices.any::<i16>()));
    let left = end.checked_sub(start);
    assert_eq!(stream.seek(start).is_ok(), left.is_some(), "{}: position {start}", S::NAME);
    let Some(left) = left else { return };
    let mut data = vec![0; choices.up_to(700)];
    let fits = data.len() as u64 <= left;
    assert_eq!(stream.xor_keystream(&mut data).is_ok(), fits, "{}: {left} bytes left", S::NAME);
    let position = if fits { start + data.len() as u64 } else { start };
    assert_eq!(stream.position(), u128::from(position));
    assert!(fits || data.iter().all(|&byte| byte == 0), "{}: refused, and changed", S::NAME);
}
