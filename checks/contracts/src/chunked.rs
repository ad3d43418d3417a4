//! C2SP's chunked encryption: the same message from every method, reads from any position, changed messages.

use crate::{Choices, FITS, painted};
use keylane::Error;
use keylane::chunked::{CHUNK_LEN, ChunkCipher, HEADER_LEN, Reader, Writer, message_len, open_to, seal_to};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

const SEALED_LEN: usize = CHUNK_LEN + 16;

/// A message at once, by a writer and by chunks; a reader that seeks; what was changed.
///
/// # Panics
/// If a promise is broken.
pub fn chunked(choices: &mut Choices<'_>) {
    let len = if choices.any() { 16 } else { 32 };
    let (key, salt, context) = (choices.array(len), choices.any::<[u8; 24]>(), choices.bytes(300));
    // Around the ends of chunks.
    let len = (CHUNK_LEN * choices.up_to(3) + choices.up_to(40)).saturating_sub(20);
    let mut text = choices.bytes(300);
    text.extend(painted(len));
    text.truncate(len);
    let (mut message, mut opened) = (vec![0; message_len(len as u64).expect(FITS) as usize], vec![0; len]);
    seal_to(&key, &salt, &context, &text, &mut message).expect(FITS);
    let mut writer = Writer::new(Vec::new(), &key, &salt, &context).expect(FITS);
    for piece in choices.pieces(&text) {
        choices.step();
        writer.write_all(piece).expect(FITS);
    }
    assert!(writer.finish().expect(FITS) == message, "written as another message");
    assert_eq!(open_to(&key, &context, &message, &mut opened), Ok(()));
    assert!(opened == text, "opened as another text");

    let cipher = ChunkCipher::new(&key, &salt, &context).expect(FITS);
    let (number, chunks) = (choices.up_to(len / CHUNK_LEN), &message[HEADER_LEN..]);
    let (from, at) = (number * CHUNK_LEN, number * SEALED_LEN);
    // From a chunk on: what is left, or with a chunk fewer if the last is empty.
    let (text_left, sealed_left) = match &text[from..] {
        left if left.len() % CHUNK_LEN == 0 && !left.is_empty() => (left, &chunks[at..chunks.len() - 16]),
        left => (left, &chunks[at..]),
    };
    let mut apart = vec![0; sealed_left.len()];
    cipher.seal(number as u64, text_left, &mut apart).expect(FITS);
    assert!(apart == sealed_left, "other chunks from {number} on");
    cipher.open(number as u64, &apart, &mut opened[from..]).expect(FITS);
    assert!(opened == text, "other text from chunk {number} on");
    let elsewhere = number as u64 ^ 1 << choices.up_to(37);
    assert_eq!(cipher.open(elsewhere, &apart, &mut opened[from..]), Err(Error::AuthenticationFailed));
    assert!(opened[from..].iter().all(|&byte| byte == 0), "chunks from {number} on: not wiped");
    choices.shown(&cipher, &key);

    from_any_place(choices, &key, &context, &message, &text, true);
    changed(choices, key, context, &message, &text);
}

/// Reads from some places. Every read that succeeds returns the text.
fn from_any_place(
    choices: &mut Choices<'_>,
    key: &[u8],
    context: &[u8],
    message: &[u8],
    text: &[u8],
    whole: bool,
) {
    let Ok(mut reader) = Reader::new(Cursor::new(message), key, context) else { return assert!(!whole) };
    for _ in 0..choices.up_to(6) {
        let place = choices.up_to(text.len() + 20);
        let from = match choices.any::<u8>() % 3 {
            0 => SeekFrom::Start(place as u64),
            1 => SeekFrom::End(place as i64 - text.len() as i64),
            _ => SeekFrom::Current(place as i64 - reader.stream_position().expect(FITS) as i64),
        };
        let mut piece = vec![0; choices.up_to(20_000)];
        let expected = text.get(place..).unwrap_or_default();
        let done = reader.seek(from).and_then(|place| {
            let len = reader.read(&mut piece)?;
            Ok((place, len))
        });
        assert!(!whole || done.is_ok(), "{done:?}");
        let Ok((sought, len)) = done else { continue };
        assert_eq!(sought, place as u64);
        assert!(piece[..len] == expected[..len], "another text at {place}");
        assert!(len > 0 || piece.is_empty() || expected.is_empty(), "no text at {place}");
    }
    // From here to the end.
    if reader.seek(SeekFrom::Start(0)).is_err() {
        return assert!(!whole);
    }
    let mut read = Vec::new();
    let done = reader.read_to_end(&mut read);
    assert_eq!(done.is_ok(), whole, "{done:?}");
    assert!(text.starts_with(&read) && (!whole || read == text), "{} bytes of another text", read.len());
}

/// Nothing is handed out but the chunks before the change.
fn changed(choices: &mut Choices<'_>, mut key: Vec<u8>, mut context: Vec<u8>, message: &[u8], text: &[u8]) {
    let mut bytes = message.to_vec();
    let chunk = HEADER_LEN + SEALED_LEN * choices.up_to(2);
    match choices.any::<u8>() % 8 {
        0 => bytes.truncate(choices.up_to(message.len() - 1)),
        // At the end of a chunk.
        1 => bytes.truncate(chunk),
        2 => bytes.extend(choices.bytes(40)),
        3 => choices.flip(&mut key),
        4 if choices.any() => choices.flip(&mut context),
        4 => context.push(choices.any()),
        // A chunk is doubled, moved or left out.
        5 if bytes.len() >= chunk + SEALED_LEN => bytes.extend_from_within(chunk..chunk + SEALED_LEN),
        6 if bytes.len() >= chunk + 2 * SEALED_LEN => {
            bytes[chunk..][..2 * SEALED_LEN].rotate_left(SEALED_LEN)
        }
        7 if bytes.len() >= chunk + SEALED_LEN => drop(bytes.drain(chunk..chunk + SEALED_LEN)),
        _ => choices.flip(&mut bytes),
    }
    let same_secret = open_to(&key, &context, message, &mut vec![0; text.len()]).is_ok();
    if bytes == message && same_secret {
        return;
    }
    let mut opened = vec![1; text.len()];
    let done = open_to(&key, &context, &bytes, &mut opened);
    assert!(matches!(done, Err(Error::AuthenticationFailed | Error::WrongLength { .. })), "{done:?}");
    assert!(done != Err(Error::AuthenticationFailed) || opened.iter().all(|&byte| byte == 0), "not wiped");
    let mut read = Vec::new();
    let done = Reader::new(&bytes[..], &key, &context).and_then(|mut reader| reader.read_to_end(&mut read));
    assert!(done.is_err() && text.starts_with(&read) && read.len() % CHUNK_LEN == 0, "{done:?}");
    from_any_place(choices, &key, &context, &bytes, text, false);
}
