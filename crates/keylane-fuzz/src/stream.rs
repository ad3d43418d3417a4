//! A text in chunks: what was changed, left out, doubled, moved or cut off is noticed, and nothing else is handed out.

use crate::agreement::on_any;
use crate::choices::Choices;
use keylane::Error;
use keylane::aead::Aead;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::stream::{Chunk, ChunkCipher, Opener, Sealer};

pub(crate) fn any(input: &[u8]) {
    let mut choices = Choices::new(input);
    match choices.any::<u8>() % 4 {
        0 => on_any("aes-gcm", &mut choices, |choices| stream(choices, || Aes128Gcm::new(&[1; 16]))),
        1 => on_any("aes-gcm", &mut choices, |choices| stream(choices, || Aes192Gcm::new(&[1; 24]))),
        2 => on_any("aes-gcm", &mut choices, |choices| stream(choices, || Aes256Gcm::new(&[1; 32]))),
        _ => on_any("chacha20-poly1305", &mut choices, |choices| {
            stream(choices, || ChaCha20Poly1305::new(&[1; 32]));
        }),
    }
}

#[derive(Clone, PartialEq)]
struct Sealed {
    aad: Vec<u8>,
    /// The text and the tag.
    bytes: Vec<u8>,
}

fn stream<A: Aead<Nonce = [u8; 12]>>(choices: &mut Choices<'_>, aead: impl Fn() -> A) {
    let prefix = choices.any();
    let (texts, sealed) = sealed(choices, Sealer::new(ChunkCipher::new(aead(), &prefix)));
    let last = sealed.len() - 1;
    for (number, (text, chunk)) in texts.iter().zip(&sealed).enumerate() {
        let place = if number == last { Chunk::Last(number as u32) } else { Chunk::Inner(number as u32) };
        let mut by_itself = vec![0; text.len() + 16];
        let chunks = ChunkCipher::new(aead(), &prefix);
        chunks.seal_to(place, &chunk.aad, &[text], &mut by_itself).expect("lengths within the limits");
        assert!(by_itself == chunk.bytes, "chunk {number} by itself is another");
    }
    let received = on_the_way(choices, &sealed);
    let mut opener = Opener::new(ChunkCipher::new(aead(), &prefix));
    for (number, chunk) in received.iter().enumerate() {
        let right = sealed.get(number) == Some(chunk);
        // Who does not know the end may ask for it anywhere.
        let asks_for_the_last = if choices.one_in(8) { choices.any() } else { number == last };
        let expected = right && asks_for_the_last == (number == last);
        let mut text = vec![0xaa; chunk.bytes.len().saturating_sub(16)];
        let opened = if asks_for_the_last {
            opener.open_last_to(&chunk.aad, &chunk.bytes, &mut text)
        } else {
            let mut in_place = chunk.bytes.clone();
            let opened = opener.open_next_to(&chunk.aad, &chunk.bytes, &mut text);
            // It has gone on only if it has opened: then this is the next chunk's place.
            if opened.is_err()
                && let Some((data, tag)) = in_place.split_last_chunk_mut::<16>()
            {
                assert_eq!(opener.open_next(&chunk.aad, data, tag), Err(Error::AuthenticationFailed));
                assert!(data.iter().all(|&byte| byte == 0), "chunk {number}: not wiped");
            }
            match opened {
                Ok(()) if expected => {
                    assert!(text == texts[number], "chunk {number}: another text");
                    continue;
                }
                opened => opened,
            }
        };
        assert_eq!(opened.is_ok(), expected, "chunk {number}");
        if expected {
            assert!(text == texts[number], "the last chunk: another text");
        } else if chunk.bytes.len() >= 16 {
            assert!(text.iter().all(|&byte| byte == 0), "chunk {number}: not wiped");
        }
        return;
    }
}

/// The texts of some chunks, and what they become.
fn sealed<A: Aead<Nonce = [u8; 12]>>(
    choices: &mut Choices<'_>,
    mut sealer: Sealer<A>,
) -> (Vec<Vec<u8>>, Vec<Sealed>) {
    let count = choices.up_to(6);
    let (mut texts, mut chunks) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (aad, text) = (choices.bytes(40), choices.text());
        let mut bytes = text.clone();
        if choices.any() {
            bytes.extend([0; 16]);
            let pieces = choices.pieces(&text);
            // What is refused has not counted.
            let short = sealer.seal_next_to(&aad, &pieces, &mut bytes[1..]);
            assert!(matches!(short, Err(Error::WrongLength { .. })), "{short:?}");
            sealer.seal_next_to(&aad, &pieces, &mut bytes).expect("lengths within the limits");
        } else {
            let tag = sealer.seal_next(&aad, &mut bytes).expect("lengths within the limits");
            bytes.extend(tag);
        }
        texts.push(text);
        chunks.push(Sealed { aad, bytes });
    }
    let (aad, text) = (choices.bytes(40), choices.text());
    let mut bytes = text.clone();
    let tag = sealer.seal_last(&aad, &mut bytes).expect("lengths within the limits");
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
