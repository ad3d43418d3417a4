//! A text in chunks: what was changed, left out, doubled, moved or cut off is noticed, and nothing else is
//! handed out.

use crate::{Choices, expected_sealed};
use keylane::Error;
use keylane::stream::{Chunk, ChunkCipher, Opener, Sealer};
use keylane_subjects::Aead;

const FITS: &str = "lengths within the limits";

#[derive(Clone, PartialEq)]
struct Sealed {
    aad: Vec<u8>,
    /// The text and the tag.
    bytes: Vec<u8>,
}

/// A sealer's chunks are a stream's, and messages of the AEAD; an opener takes them in their order, to the
/// last.
///
/// # Panics
/// If a promise is broken.
pub fn chunks<A: Aead<Nonce = [u8; 12]>>(choices: &mut Choices<'_>) {
    let (key, prefix) = (choices.array(A::KEY_LEN), choices.any::<[u8; 7]>());
    let aead = || A::from_slice(&key).expect("a key of the right length");
    let (texts, sealed) = sealed(choices, Sealer::new(ChunkCipher::new(aead(), &prefix)));
    let last = sealed.len() - 1;
    let stream = ChunkCipher::new(aead(), &prefix);
    for (number, (text, chunk)) in (0..).zip(texts.iter().zip(&sealed)) {
        let end = number as usize == last;
        let place = if end { Chunk::Last(number) } else { Chunk::Inner(number) };
        one_chunk::<A>(choices, &stream, &key, &prefix, place, chunk, text);
    }
    let place = Chunk::Inner(choices.any::<u32>().saturating_sub(1));
    let (aad, mut bytes) = (choices.bytes(20), choices.bytes(40));
    let text = bytes.clone();
    let tag = stream.seal(place, &aad, &mut bytes).expect(FITS);
    bytes.extend(tag);
    one_chunk::<A>(choices, &stream, &key, &prefix, place, &Sealed { aad, bytes }, &text);
    let (beyond, mut data) = (Chunk::Inner(u32::MAX), [7; 20]);
    let refused = |error| matches!(error, Err(Error::InvalidParameter { .. }));
    assert!(refused(stream.seal(beyond, b"", &mut data).map(drop)));
    assert!(refused(stream.open(beyond, b"", &mut data, &[0; 16])));
    assert!(refused(stream.seal_to(beyond, b"", &[&[7; 4]], &mut data)));
    assert!(refused(stream.open_to(beyond, b"", &[7; 20], &mut data[..4])));
    assert_eq!(data, [7; 20], "refused, and written to");
    assert!(format!("{stream:?}").contains(".."), "a key is shown");

    let received = on_the_way(choices, &sealed);
    let mut opener = Some(Opener::new(stream));
    for (number, chunk) in received.iter().enumerate() {
        let Some(mut next) = opener.take() else { return };
        choices.step();
        // A reader that does not know the end may ask for it anywhere.
        let asks_for_the_last = if choices.one_in(8) { choices.any() } else { number == last };
        let expected = sealed.get(number) == Some(chunk) && asks_for_the_last == (number == last);
        let Sealed { aad, bytes } = chunk;
        let mut text = vec![0xaa; bytes.len().saturating_sub(16)];
        let opened = if asks_for_the_last {
            next.open_last_to(aad, bytes, &mut text)
        } else {
            let opened = next.open_next_to(aad, bytes, &mut text);
            let mut in_place = bytes.clone();
            if opened.is_ok() {
                opener = Some(next);
            } else if let Some((data, tag)) = in_place.split_last_chunk_mut::<16>() {
                // A refusal does not count: this is the same place.
                assert_eq!(next.open_next(aad, data, tag), Err(Error::AuthenticationFailed));
                assert!(data.iter().all(|&byte| byte == 0), "chunk {number}: not wiped");
            }
            opened
        };
        assert_eq!(opened.is_ok(), expected, "chunk {number}");
        if expected {
            assert!(text == texts[number], "chunk {number}: another text");
        } else if bytes.len() >= 16 {
            assert!(text.iter().all(|&byte| byte == 0), "chunk {number}: not wiped");
        }
    }
}

/// A chunk alone: a message whose nonce is prefix, number and a flag.
fn one_chunk<A: Aead<Nonce = [u8; 12]>>(
    choices: &mut Choices<'_>,
    stream: &ChunkCipher<A>,
    key: &[u8],
    prefix: &[u8],
    place: Chunk,
    Sealed { aad, bytes }: &Sealed,
    text: &[u8],
) {
    let (number, last) = match place {
        Chunk::Inner(number) => (number, false),
        Chunk::Last(number) => (number, true),
    };
    let nonce = [prefix, &number.to_be_bytes(), &[u8::from(last)]].concat();
    assert!(*bytes == expected_sealed::<A>(key, &nonce, aad, text), "{}: {place:?}", A::NAME);
    choices.step();
    let mut apart = vec![0; bytes.len()];
    stream.seal_to(place, aad, &choices.pieces(text), &mut apart).expect(FITS);
    assert!(apart == *bytes, "{}: {place:?} alone is another", A::NAME);
    let mut opened = vec![0; text.len()];
    assert_eq!(stream.open_to(place, aad, bytes, &mut opened), Ok(()));
    assert!(opened == text, "{}: {place:?} opens to another text", A::NAME);
    let elsewhere = match place {
        Chunk::Last(number) if number < u32::MAX => Chunk::Inner(number),
        _ => Chunk::Last(number ^ 1 << (choices.any::<u8>() % 32)),
    };
    assert_eq!(stream.open_to(elsewhere, aad, bytes, &mut opened), Err(Error::AuthenticationFailed));
    assert!(opened.iter().all(|&byte| byte == 0), "{}: {place:?} as {elsewhere:?}: not wiped", A::NAME);
}

/// The texts of some chunks, and what they become.
fn sealed<A: Aead<Nonce = [u8; 12]>>(
    choices: &mut Choices<'_>,
    mut sealer: Sealer<A>,
) -> (Vec<Vec<u8>>, Vec<Sealed>) {
    let (mut texts, mut chunks) = (Vec::new(), Vec::new());
    for _ in 0..choices.up_to(4) {
        let (aad, text) = (choices.bytes(40), choices.text());
        choices.step();
        let mut bytes = text.clone();
        if choices.any() {
            bytes.extend([0; 16]);
            let pieces = choices.pieces(&text);
            // What is refused has not counted.
            let short = sealer.seal_next_to(&aad, &pieces, &mut bytes[1..]);
            assert!(matches!(short, Err(Error::WrongLength { .. })), "{short:?}");
            sealer.seal_next_to(&aad, &pieces, &mut bytes).expect(FITS);
        } else {
            let tag = sealer.seal_next(&aad, &mut bytes).expect(FITS);
            bytes.extend(tag);
        }
        texts.push(text);
        chunks.push(Sealed { aad, bytes });
    }
    let (aad, text) = (choices.bytes(40), choices.message());
    let mut bytes = text.clone();
    let tag = sealer.seal_last(&aad, &mut bytes).expect(FITS);
    bytes.extend(tag);
    texts.push(text);
    chunks.push(Sealed { aad, bytes });
    (texts, chunks)
}

fn on_the_way(choices: &mut Choices<'_>, sealed: &[Sealed]) -> Vec<Sealed> {
    let mut chunks = sealed.to_vec();
    for _ in 0..choices.up_to(3) {
        let Some(last) = chunks.len().checked_sub(1) else { break };
        let at = choices.up_to(last);
        match choices.any::<u8>() % 7 {
            0 => chunks.swap(at, choices.up_to(last)),
            1 => drop(chunks.remove(at)),
            2 => chunks.insert(choices.up_to(last), chunks[at].clone()),
            3 => choices.flip(&mut chunks[at].bytes),
            4 => choices.flip(&mut chunks[at].aad),
            5 => {
                let len = choices.up_to(chunks[at].bytes.len());
                chunks[at].bytes.truncate(len);
            }
            _ => chunks.truncate(at),
        }
    }
    chunks
}
