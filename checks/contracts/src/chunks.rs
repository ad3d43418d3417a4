//! A text in chunks: what was changed, left out, doubled, moved or cut off is noticed, and nothing else is
//! handed out.

use crate::{Choices, FITS, expected_sealed};
use keylane::Error;
use keylane::stream::{Chunk, ChunkCipher, Opener, Sealer};
use keylane_subjects::Aead;

#[derive(Clone, PartialEq)]
struct Sealed {
    place: Chunk,
    aad: Vec<u8>,
    text: Vec<u8>,
    /// The ciphertext and the tag.
    bytes: Vec<u8>,
}

/// A sealer's chunks are a stream's, and messages of the AEAD; an opener takes them in their order, to the
/// last.
///
/// # Panics
/// If a promise is broken.
pub fn chunks<A: Aead<Nonce = [u8; 12]>>(choices: &mut Choices<'_>) {
    let (key, prefix) = (choices.array(A::KEY_LEN), choices.any::<[u8; 7]>());
    let stream = || ChunkCipher::new(A::from_slice(&key).expect("a key of the right length"), &prefix);
    let sealed = sealed(choices, Sealer::new(stream()));
    for chunk in &sealed {
        alone(choices, &stream(), &key, &prefix, chunk);
    }
    let place = Chunk::Inner(choices.any::<u32>().saturating_sub(1));
    let (aad, text) = (choices.bytes(20), choices.bytes(40));
    let mut bytes = text.clone();
    let tag = stream().seal(place, &aad, &mut bytes).expect(FITS);
    bytes.extend(tag);
    alone(choices, &stream(), &key, &prefix, &Sealed { place, aad, text, bytes });

    let (stream, beyond, mut data) = (stream(), Chunk::Inner(u32::MAX), [7; 20]);
    let refused = |error| matches!(error, Err(Error::InvalidParameter { .. }));
    assert!(refused(stream.seal(beyond, b"", &mut data).map(drop)));
    assert!(refused(stream.open(beyond, b"", &mut data, &[0; 16])));
    assert!(refused(stream.seal_to(beyond, b"", &[&[7; 4]], &mut data)));
    assert!(refused(stream.open_to(beyond, b"", &[7; 20], &mut data[..4])));
    assert_eq!(data, [7; 20], "refused, and written to");
    assert!(format!("{stream:?}").contains(".."), "a key is shown");
    opens(choices, Opener::new(stream), &sealed);
}

/// A chunk by its place: a message whose nonce is the prefix, the number and a flag.
fn alone<A: Aead<Nonce = [u8; 12]>>(
    choices: &mut Choices<'_>,
    stream: &ChunkCipher<A>,
    key: &[u8],
    prefix: &[u8],
    Sealed { place, aad, text, bytes }: &Sealed,
) {
    let (number, flag) = match *place {
        Chunk::Inner(number) => (number, 0),
        Chunk::Last(number) => (number, 1),
    };
    let nonce = [prefix, &number.to_be_bytes(), &[flag]].concat();
    assert!(*bytes == expected_sealed::<A>(key, &nonce, aad, text), "{}: {place:?}", A::NAME);
    choices.step();
    let mut apart = vec![0; bytes.len()];
    stream.seal_to(*place, aad, &choices.pieces(text), &mut apart).expect(FITS);
    assert!(apart == *bytes, "{}: {place:?} alone is another", A::NAME);
    let mut opened = vec![0; text.len()];
    assert_eq!(stream.open_to(*place, aad, bytes, &mut opened), Ok(()));
    assert!(opened == *text, "{}: {place:?} opens to another text", A::NAME);
    let elsewhere = match place {
        Chunk::Last(number) if *number < u32::MAX => Chunk::Inner(*number),
        _ => Chunk::Last(number ^ 1 << (choices.any::<u8>() % 32)),
    };
    assert_eq!(stream.open_to(elsewhere, aad, bytes, &mut opened), Err(Error::AuthenticationFailed));
    assert!(opened.iter().all(|&byte| byte == 0), "{}: {place:?} as {elsewhere:?}: not wiped", A::NAME);
}

/// Some chunks of a sealer.
fn sealed<A: Aead<Nonce = [u8; 12]>>(choices: &mut Choices<'_>, mut sealer: Sealer<A>) -> Vec<Sealed> {
    let last = choices.up_to(4) as u32;
    let inner = |number| {
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
        Sealed { place: Chunk::Inner(number), aad, text, bytes }
    };
    let mut chunks: Vec<_> = (0..last).map(inner).collect();
    let (aad, text) = (choices.bytes(40), choices.message());
    let mut bytes = text.clone();
    let tag = sealer.seal_last(&aad, &mut bytes).expect(FITS);
    bytes.extend(tag);
    chunks.push(Sealed { place: Chunk::Last(last), aad, text, bytes });
    chunks
}

/// Opens them as they come in, to the first that is refused or the last.
fn opens<A: Aead<Nonce = [u8; 12]>>(choices: &mut Choices<'_>, mut opener: Opener<A>, sealed: &[Sealed]) {
    let last = sealed.len() - 1;
    for (number, chunk) in on_the_way(choices, sealed).iter().enumerate() {
        choices.step();
        // A reader that does not know the end may ask for it anywhere.
        let asks_for_the_last = if choices.one_in(8) { choices.any() } else { number == last };
        let right = sealed.get(number) == Some(chunk) && asks_for_the_last == (number == last);
        let Sealed { aad, text, bytes, .. } = chunk;
        let mut opened = vec![0xaa; bytes.len().saturating_sub(16)];
        let check = |result: Result<(), Error>, opened: &[u8]| {
            assert_eq!(result.is_ok(), right, "chunk {number}");
            let wiped = bytes.len() < 16 || opened.iter().all(|&byte| byte == 0);
            assert!(if right { opened == text } else { wiped }, "chunk {number}: another text, or not wiped");
        };
        if asks_for_the_last {
            let result = opener.open_last_to(aad, bytes, &mut opened);
            return check(result, &opened);
        }
        let result = opener.open_next_to(aad, bytes, &mut opened);
        check(result, &opened);
        if !right {
            // A refusal does not count: this is the same place.
            if let Some((data, tag)) = bytes.clone().split_last_chunk_mut::<16>() {
                check(opener.open_next(aad, data, tag), data);
            }
            return;
        }
    }
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
