//! AEADs: every way to seal and to open, changed messages, and buffers of other lengths.

use crate::{Aead, Choices, FITS, Guarded, is_wrong_length, painted};
use keylane::Error;
use keylane::aead;

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
            match choices.any::<u8>() % 10 {
                0 => choices.flip(&mut changed.key),
                1 => choices.flip(&mut changed.nonce),
                2 => choices.flip(&mut changed.aad),
                3 => choices.flip(&mut changed.sealed),
                4 => {
                    let tag = changed.sealed.len().saturating_sub(16);
                    choices.flip(&mut changed.sealed[tag..]);
                }
                5 => changed.sealed.truncate(choices.up_to(self.sealed.len())),
                6 => changed.sealed.extend(choices.bytes(20)),
                7 => changed.aad.truncate(choices.up_to(self.aad.len())),
                8 => changed.aad.push(0),
                // The same bytes in a row, with the border elsewhere.
                _ => changed.aad.extend(changed.sealed.drain(..choices.up_to(changed.sealed.len()).min(16))),
            }
        }
        changed
    }
}

/// What every AEAD promises.
///
/// # Panics
/// If a promise is broken.
pub fn aead<A: Aead>(choices: &mut Choices<'_>) {
    let (key, nonce) = (choices.array(A::KEY_LEN), choices.array(A::NONCE_LEN));
    let (aad, text) = (choices.text(), choices.message());
    let (nonce_place, aad_place, place) =
        (choices.placed(&nonce), choices.placed(&aad), choices.placed(&text));
    let (aead, any) = (A::prepared(&choices.placed(&key)), A::any(&key));
    choices.shown(&aead, &key);
    choices.shown(&any, &key);
    let expected = A::EXPECTED(&key, &nonce, &aad, &text);
    let what = format!("{}: {} bytes, {} of AAD", A::NAME, text.len(), aad.len());

    let mut sealed = choices.placed(&vec![0xaa; text.len() + 16]);
    let pieces = choices.pieces(&place);
    choices.step();
    aead.seal_to(A::nonce(&nonce_place), &aad_place, &pieces, &mut sealed).expect(FITS);
    assert!(*sealed == expected, "{what}: not what others seal, in {} pieces", pieces.len());
    let mut in_place = choices.placed(&text);
    let clone = aead.clone();
    choices.step();
    let tag = clone.seal(A::nonce(&nonce_place), &aad_place, &mut in_place).expect(FITS);
    assert!([&*in_place, &tag].concat() == expected, "{what}: in place");
    let mut appended = if choices.any() { b"before".to_vec() } else { Vec::with_capacity(6000) };
    let before = appended.clone();
    any.seal_append(&nonce, &aad, &text, &mut appended).expect(FITS);
    assert!(appended.strip_prefix(&*before) == Some(&*expected), "{what}: appended");
    assert!(*place == text && *aad_place == aad, "{what}: an input was changed");

    let message = Message { key, nonce, aad, sealed: expected };
    let changed = message.tamper(choices);
    choices.step();
    let expected = if changed == message { Ok(&*text) } else { Err(Error::AuthenticationFailed) };
    opens::<A>(choices, &changed, expected);
    other_lengths::<A>(choices, &message, &pieces);
}

/// Every way to open returns the text, or nothing.
fn opens<A: Aead>(choices: &mut Choices<'_>, message: &Message, expected: Result<&[u8], Error>) {
    let Message { key, nonce, aad, sealed } = message;
    let (aead, any) = (A::prepared(key), A::any(key));
    let mut appended = choices.bytes(9);
    let before = appended.clone();
    let opened = any.open_append(nonce, aad, sealed, &mut appended);
    assert_eq!(opened.is_ok(), expected.is_ok(), "{}: appended", A::NAME);
    assert!(appended == [&*before, expected.unwrap_or_default()].concat(), "{}: appended", A::NAME);
    let place = choices.placed(sealed);
    let Some((text, tag)) = sealed.split_last_chunk::<16>() else {
        let mut output = choices.bytes(20);
        let untouched = output.clone();
        let opened = aead.open_to(A::nonce(nonce), aad, &place, &mut output);
        let short = matches!(opened, Err(Error::WrongLength { min: 16, max: usize::MAX, actual, .. })
            if actual == sealed.len());
        return assert!(short && output == untouched, "{}: less than a tag: {opened:?}", A::NAME);
    };
    let (mut in_place, mut output) = (choices.placed(text), choices.placed(&vec![0xaa; text.len()]));
    let opened = aead.open(A::nonce(nonce), aad, &mut in_place, tag);
    assert_eq!(opened.map(|()| &*in_place), expected, "{}: in place", A::NAME);
    let opened = aead.open_to(A::nonce(nonce), aad, &place, &mut output);
    assert_eq!(opened.map(|()| &*output), expected, "{}: into another buffer", A::NAME);
    if expected.is_err() {
        assert!(in_place.iter().chain(&*output).all(|&byte| byte == 0), "{}: not wiped", A::NAME);
    }
}

/// Many messages in one call: what one by one has, and nothing of a message whose tag is wrong.
///
/// # Panics
/// If a promise is broken.
pub fn many<A: Aead>(choices: &mut Choices<'_>) {
    let key = choices.array(A::KEY_LEN);
    let (aead, any) = (A::prepared(&key), A::any(&key));
    let count = match choices.any::<u8>() % 8 {
        0 => 1000,
        kind => choices.up_to([1, 3, 5, 17, 33, 70][usize::from(kind) % 6]),
    };
    let longest = if count < 100 { [20, 80, 300, 1500][choices.up_to(3)] } else { 100 };
    let (kind, longest_aad) =
        (choices.up_to(3), if count < 100 { [20, 80, 600, 2100][choices.up_to(3)] } else { 20 });
    let (aads, aad_len, nonce_at) =
        (painted(251 + longest_aad), choices.up_to(longest_aad), choices.up_to(A::NONCE_LEN - 4));
    let messages = (0..count).map(|i| {
        // Of one length, or any; few choices for many.
        let len = if kind == 0 || count > 100 { (i * kind * 37) % 100 } else { choices.up_to(longest) };
        let text = choices.placed(&vec![i as u8; if kind == 0 { longest } else { len }]);
        let mut nonce = vec![0; A::NONCE_LEN];
        // Some nonces are the same.
        nonce[nonce_at..][..4].copy_from_slice(&(i as u32 / 2 * 3).to_be_bytes());
        (nonce, &aads[i % 251..][..if kind < 2 { aad_len } else { i * 89 % (longest_aad + 1) }], text)
    });
    let mut messages: Vec<_> = messages.collect();
    let sealed = messages.iter().map(|(nonce, aad, text)| {
        let mut sealed = text.to_vec();
        let tag = aead.seal(A::nonce(nonce), aad, &mut sealed).expect(FITS);
        (sealed, tag)
    });
    let (sealed, mut received): (Vec<_>, Vec<_>) = sealed.unzip();
    let texts: Vec<_> = messages.iter().map(|(_, _, text)| text.to_vec()).collect();
    let mut tags = vec![[0xaa; 16]; count];

    choices.step();
    if choices.any() {
        aead.seal_many(&mut batch(&mut messages, &mut tags)).expect(FITS);
    } else {
        any.seal_many(&mut batch(&mut messages, &mut tags)).expect(FITS);
    }
    for (i, ((_, aad, text), sealed)) in messages.iter().zip(&sealed).enumerate() {
        let what = format!("{}: {i} of {count}, {} bytes, {} of AAD", A::NAME, text.len(), aad.len());
        assert!(**text == *sealed && tags[i] == received[i], "{what}: not as one by one");
    }

    let mut right = vec![true; count];
    for _ in 0..choices.up_to(3).min(count) {
        let i = choices.up_to(count - 1);
        choices.flip(&mut received[i]);
        right[i] = received[i] == tags[i];
    }
    let mut opened = vec![choices.any(); count];
    let before = received.clone();
    choices.step();
    let done = if choices.any() {
        aead.open_many(&mut batch(&mut messages, &mut received), &mut opened)
    } else {
        any.open_many(&mut batch(&mut messages, &mut received), &mut opened)
    };
    let all = right.iter().all(|&right| right);
    assert_eq!(done, if all { Ok(()) } else { Err(Error::AuthenticationFailed) }, "{}", A::NAME);
    assert!(opened == right && received == before, "{}: which opened", A::NAME);
    for (i, (_, _, text)) in messages.iter().enumerate() {
        let expected = if right[i] { texts[i].clone() } else { vec![0; texts[i].len()] };
        assert!(**text == *expected, "{}: {i} of {count}: not the text, or not wiped", A::NAME);
    }

    opened.push(true);
    let before = opened.clone();
    let refused = aead.open_many(&mut batch(&mut messages, &mut received), &mut opened);
    let refused = is_wrong_length(&refused, count, count + 1);
    assert!(refused && opened == before, "{}: results for more messages", A::NAME);
}

/// The messages as a batch.
fn batch<'a>(
    messages: &'a mut [(Vec<u8>, &[u8], Guarded)],
    tags: &'a mut [[u8; 16]],
) -> Vec<aead::Message<'a>> {
    let mut batch = Vec::new();
    for ((nonce, aad, text), tag) in messages.iter_mut().zip(tags) {
        batch.push(aead::Message { nonce, aad, text, tag });
    }
    batch
}

/// An output or a key of another length is refused, and the output left alone.
fn other_lengths<A: Aead>(choices: &mut Choices<'_>, message: &Message, pieces: &[&[u8]]) {
    let Message { key, nonce, aad, sealed } = message;
    let (aead, any) = (A::prepared(key), A::any(key));
    let (room, actual) = (sealed.len(), choices.up_to(sealed.len() + 20));
    let mut output = vec![0xaa; actual];
    if actual != room {
        let sealed = aead.seal_to(A::nonce(nonce), aad, pieces, &mut output);
        assert!(is_wrong_length(&sealed, room, actual), "{}: room to seal", A::NAME);
        assert!(output.iter().all(|&byte| byte == 0xaa), "{}: refused, and written to", A::NAME);
    }
    if actual + 16 != room {
        let opened = aead.open_to(A::nonce(nonce), aad, sealed, &mut output);
        assert!(is_wrong_length(&opened, room - 16, actual), "{}: room to open", A::NAME);
        assert!(output.iter().all(|&byte| byte == 0xaa), "{}: refused, and written to", A::NAME);
    }
    let other_nonce = vec![7; choices.up_to(40)];
    if other_nonce.len() != A::NONCE_LEN {
        let (nonce, tag) = (&other_nonce[..], [7; 16]);
        let (mut text, mut room) = (vec![0xaa; 20], vec![0xaa; 36]);
        let refused = [
            any.seal(nonce, aad, &mut text).map(drop),
            any.open(nonce, aad, &mut text, &tag),
            any.seal_to(nonce, aad, &[&[7; 20]], &mut room),
            any.open_to(nonce, aad, &[7; 36], &mut text),
        ];
        let len = nonce.len();
        let right = |done: &_| matches!(*done, Err(Error::WrongLength { actual, .. }) if actual == len);
        assert!(refused.iter().all(right), "{}: a nonce of {len} bytes: {refused:?}", A::NAME);
        assert!(text.iter().chain(&room).all(|&byte| byte == 0xaa), "{}: refused, and written to", A::NAME);
    }
    let key_len = choices.up_to(70);
    let made = aead::Aead::<A>::from_slice(&vec![7; key_len]);
    let refused = is_wrong_length(&made, A::KEY_LEN, key_len);
    assert_eq!(refused, key_len != A::KEY_LEN, "{}: a key of {key_len} bytes: {made:?}", A::NAME);
}
