//! C2SP's chunked encryption: Project Wycheproof's cases, the contract, and readers that fail.

use keylane::chunked::{CHUNK_LEN, ChunkCipher, HEADER_LEN, MAX_CHUNKS, Reader, Writer};
use keylane::chunked::{message_len, open_to, seal_to, text_len};
use keylane::{Error, sha2::Sha512};
use keylane_contracts::{Choices, chunked, every_implementation, painted};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use wycheproof::chunked_encryption::{Test, TestFlag, TestName, TestSet};

#[test]
fn contract() {
    every_implementation("aes-gcm", |_| {
        for seed in 0..40 {
            Choices::random(seed, None, None, chunked);
        }
    });
}

/// Returns the message with the key, the salt and the context of most tests.
fn sealed(text: &[u8]) -> Vec<u8> {
    let mut message = vec![0; message_len(text.len() as u64).unwrap() as usize];
    seal_to(&[7; 32], &[9; 24], b"", text, &mut message).unwrap();
    message
}

/// A reader's text, and its error.
fn read(mut reader: impl Read) -> (Vec<u8>, io::Result<usize>) {
    let mut text = Vec::new();
    let done = reader.read_to_end(&mut text);
    if done.is_err() {
        reader.read(&mut [0]).expect_err("an error is the last that is read");
    }
    (text, done)
}

fn wycheproof(test: &Test, message: &[u8]) {
    let (what, flag) = (format!("test {}", test.tc_id), |flag| test.flags.contains(&flag));
    let is_the_text = |text: &[u8]| {
        assert_eq!(Some(text.len()), test.msg_length, "{what}");
        assert_eq!(
            Some(Sha512::digest(text).as_ref()),
            test.msg_sha512.as_ref().map(|hash| &hash[..]),
            "{what}"
        );
    };
    let mut text = vec![1; text_len(message.len() as u64).unwrap_or(40) as usize];
    let opened = open_to(&test.key, &test.ctx, message, &mut text);
    let reader = || Reader::new(Cursor::new(message), &test.key, &test.ctx);
    assert_eq!(reader().is_err(), flag(TestFlag::HeaderFailure), "{what}");
    if test.result.must_fail() {
        assert!(!matches!(opened, Ok(())), "{what}");
        assert!(opened != Err(Error::AuthenticationFailed) || text.iter().all(|&byte| byte == 0), "{what}");
    } else {
        assert_eq!(opened, Ok(()), "{what}");
        is_the_text(&text);
        let mut sealed = vec![0; message_len(text.len() as u64).unwrap() as usize];
        seal_to(&test.key, message.first_chunk().unwrap(), &test.ctx, &text, &mut sealed).unwrap();
        assert!(sealed == message, "{what}");
    }
    let Ok(mut reader) = reader() else { return };
    let (text, done) = read(&mut reader);
    assert_eq!(done.is_err(), test.result.must_fail(), "{what}: {done:?}");
    if test.msg_length.is_some() {
        is_the_text(&text)
    } else {
        assert!(text.is_empty(), "{what}")
    }
    let end = reader.seek(SeekFrom::End(0));
    assert_eq!(end.is_err(), test.result.must_fail() && !flag(TestFlag::ValidFinalChunk), "{what}: {end:?}");
}

#[test]
fn project_wycheproof() {
    for name in [TestName::Cobblestone128, TestName::Cobblestone256] {
        let set = TestSet::load(name).unwrap();
        let tests: Vec<_> = set.test_groups.iter().flat_map(|group| &group.tests).collect();
        let valid = tests.iter().filter(|test| !test.result.must_fail()).count();
        assert_eq!((tests.len(), valid), (35, 10));
        for test in tests {
            let message = miniz_oxide::inflate::decompress_to_vec_zlib(&test.ct).unwrap();
            // What is so long is about the counter.
            if message.len() > 1 << 20 {
                wycheproof(test, &message);
            } else {
                every_implementation("aes-gcm", |_| wycheproof(test, &message));
            }
        }
    }
}

/// The numbers of the specification: 16 KiB chunks, at most 2^38 of them, the last one shorter.
#[test]
fn lengths_and_limits() {
    let full = CHUNK_LEN as u64 + 16;
    for (text, message) in [
        (0, Some(72)),
        (1, Some(73)),
        (16_383, Some(56 + full - 1)),
        (16_384, Some(56 + full + 16)),
        (20_480, Some(56 + full + 4096 + 16)),
        ((1 << 52) - 1, Some(56 + (1 << 38) * full - 1)),
        (1 << 52, None),
        (u64::MAX, None),
    ] {
        assert_eq!(message_len(text), message, "{text}");
        assert!(message.is_none_or(|message| text_len(message) == Some(text)), "{text}");
    }
    let none = [0, 55, 56, 71, 56 + full, 56 + full + 15, 56 + (1 << 38) * full + 16, u64::MAX];
    assert!(none.iter().all(|&len| text_len(len).is_none()));

    let cipher = ChunkCipher::new(&[7; 16], &[9; 24], b"").unwrap();
    let (text, mut sealed, mut opened) = ([1; CHUNK_LEN], [0; CHUNK_LEN + 16], [0; CHUNK_LEN]);
    for (number, len, allowed) in [
        (MAX_CHUNKS - 2, CHUNK_LEN, true),
        (MAX_CHUNKS - 1, CHUNK_LEN - 1, true),
        (MAX_CHUNKS - 1, CHUNK_LEN, false),
        (MAX_CHUNKS, 0, false),
        (u64::MAX, CHUNK_LEN, false),
    ] {
        let before = (sealed, opened);
        let done = cipher.seal(number, &text[..len], &mut sealed[..len + 16]);
        let reopened = cipher.open(number, &sealed[..len + 16], &mut opened[..len]);
        assert_eq!((done, reopened), if allowed { (Ok(()), Ok(())) } else { (done, done) }, "{number}");
        assert_eq!(matches!(done, Err(Error::InvalidParameter { .. })), !allowed, "{number}");
        assert_eq!((sealed, opened) != before, allowed, "{number}");
    }
    // The last chunk has only a part of a tag, or there is none.
    for (full, last) in [(0, 0), (0, 15), (1, 1), (1, 15)] {
        let (sealed, mut output) = (vec![0; full * (CHUNK_LEN + 16) + last], vec![1; full * CHUNK_LEN]);
        let too_short = |done, before| {
            matches!(done, Err(Error::WrongLength { min, actual, .. })
                if (min, actual) == (before + 16, before + last))
        };
        assert!(too_short(cipher.open(0, &sealed, &mut output), 0), "{full} chunks, {last} bytes");
        let message = [&[0; 56][..], &sealed].concat();
        let opened = open_to(&[7; 16], b"", &message, &mut output);
        assert!(too_short(opened, message.len() - last), "{full} chunks, {last} bytes: {opened:?}");
        assert!(output.iter().all(|&byte| byte == 1), "an error changed the output");
    }
    for len in [0, 15, 17, 24, 31, 33] {
        let key = vec![7; len];
        let refused = ChunkCipher::new(&key, &[9; 24], b"");
        assert!(matches!(refused, Err(Error::InvalidParameter { .. })), "{len}");
        let (written, read) =
            (Writer::new(Vec::new(), &key, &[9; 24], b""), Reader::new(&[0; 99][..], &key, b""));
        assert_eq!(written.map(drop).unwrap_err().kind(), ErrorKind::InvalidInput, "{len}");
        assert_eq!(read.map(drop).unwrap_err().kind(), ErrorKind::InvalidInput, "{len}");
    }
}

/// Each bit of a chunk's number counts in its nonce, and each byte of a context in the key.
#[test]
fn numbers_and_contexts_that_differ_late() {
    for key in [&[7; 16][..], &[7; 32]] {
        let sealed = |context: &[u8], number| {
            let mut sealed = [0; 116];
            let cipher = ChunkCipher::new(key, &[9; 24], context).unwrap();
            cipher.seal(number, &[1; 100], &mut sealed).unwrap();
            (*cipher.header(), sealed)
        };
        let numbers = [0].into_iter().chain((0..38).map(|bit| 1 << bit));
        assert_eq!(numbers.map(|number| sealed(b"", number).1).collect::<BTreeSet<_>>().len(), 39);
        for len in [1, 30, 64, 65, 128, 300] {
            let context = painted(len);
            let contexts = (0..len).map(|at| {
                let mut other = context.clone();
                other[at] ^= 1;
                other
            });
            let others: BTreeSet<_> =
                contexts.chain([context.clone()]).map(|context| sealed(&context, 0).0).collect();
            assert_eq!(others.len(), len + 1, "contexts of {len} bytes");
        }
    }
}

/// A message of which only the header and two chunks are in memory; all others would be between them.
struct Sparse {
    parts: Vec<(u64, Vec<u8>)>,
    end: u64,
    position: u64,
}

impl Read for Sparse {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let part = self.parts.iter().find_map(|(start, bytes)| {
            bytes.get(usize::try_from(self.position.checked_sub(*start)?).ok()?..)
        });
        let mut part = part.unwrap_or_else(|| panic!("nothing is at {}", self.position));
        let len = part.read(output)?;
        self.position += len as u64;
        Ok(len)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(place) => place,
            SeekFrom::End(by) => self.end.checked_add_signed(by).unwrap(),
            SeekFrom::Current(by) => self.position.checked_add_signed(by).unwrap(),
        };
        Ok(self.position)
    }
}

/// A seek to places above 1 GiB, up to the last one that a message can have.
#[test]
fn far_places() {
    let cipher = ChunkCipher::new(&[7; 32], &[9; 24], b"").unwrap();
    let (text, last) = (painted(CHUNK_LEN), MAX_CHUNKS - 1);
    let place = |number| HEADER_LEN as u64 + number * (CHUNK_LEN as u64 + 16);
    for number in [1 << 16, (1 << 17) + 1, (1 << 18) - 1, 1 << 18, 1 << 32, last - 1] {
        let (mut chunk, mut end) = (vec![0; CHUNK_LEN + 16], vec![0; 100 + 16]);
        cipher.seal(number, &text, &mut chunk).unwrap();
        cipher.seal(last, &text[..100], &mut end).unwrap();
        let end = (place(last), end);
        let inner = Sparse {
            end: end.0 + 116,
            parts: vec![end, (place(number), chunk), (0, cipher.header().to_vec())],
            position: 0,
        };
        let mut reader = Reader::new(inner, &[7; 32], b"").unwrap();
        let from = number * CHUNK_LEN as u64 + 5;
        assert_eq!(reader.seek(SeekFrom::Start(from)).unwrap(), from);
        let mut read = [0; 50];
        reader.read_exact(&mut read).unwrap();
        assert!(read == text[5..55], "chunk {number}");
        assert_eq!(reader.stream_position().unwrap(), from + 50);
        assert_eq!(reader.seek(SeekFrom::End(-9)).unwrap(), last * CHUNK_LEN as u64 + 91);
        assert_eq!(reader.read(&mut read).unwrap(), 9);
        assert!(read[..9] == text[91..100], "the end");
    }
}

/// Another length of the output or of the key is refused before anything is written.
#[test]
fn what_is_refused_is_left_alone() {
    let (text, cipher) = (painted(CHUNK_LEN + 5), ChunkCipher::new(&[7; 32], &[9; 24], b"").unwrap());
    let message = sealed(&text);
    let chunks = &message[HEADER_LEN..];
    for (key_len, off) in [(32, -1), (32, 1), (31, 0)] {
        let key = vec![7; key_len];
        let room = |len: usize| vec![1; len.saturating_add_signed(off)];
        let (mut sealed, mut opened) = (room(message.len()), room(text.len()));
        assert!(seal_to(&key, &[9; 24], b"", &text, &mut sealed).is_err(), "{key_len}, {off}");
        assert!(open_to(&key, b"", &message, &mut opened).is_err(), "{key_len}, {off}");
        if off != 0 {
            let mut chunks_sealed = room(chunks.len());
            assert!(cipher.seal(0, &text, &mut chunks_sealed).is_err(), "{off}");
            assert!(cipher.open(0, chunks, &mut opened).is_err(), "{off}");
            sealed.append(&mut chunks_sealed);
        }
        assert!(sealed.iter().chain(&opened).all(|&byte| byte == 1), "{key_len}, {off}: written to");
    }
}

/// Reads a thousand bytes at a time, and fails once: after so many calls.
struct Unsteady<'a, T>(T, &'a Cell<usize>);

impl<T> Unsteady<'_, T> {
    fn fails(&self) -> io::Result<()> {
        let calls = self.1.get();
        self.1.set(calls.wrapping_sub(1));
        if calls == 0 { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }
}

impl<R: Read> Read for Unsteady<'_, R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.fails()?;
        let len = output.len().min(1000);
        self.0.read(&mut output[..len])
    }
}

impl<S: Seek> Seek for Unsteady<'_, S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.fails()?;
        self.0.seek(to)
    }
}

/// A read that failed is tried again, and a seek that failed leaves nothing at a wrong place. The message
/// does not begin where the inner reader does.
#[test]
fn readers_that_fail() {
    let (key, text) = ([7; 32], painted(3 * CHUNK_LEN + 5));
    let mut writer = Writer::new(vec![0xaa; 100], &key, &[9; 24], b"context").unwrap();
    writer.write_all(&text).unwrap();
    let file = writer.finish().unwrap();
    let (calls, mut piece) = (Cell::new(usize::MAX), [0; 3000]);
    let reader = || {
        calls.set(usize::MAX);
        let mut inner = Cursor::new(&file);
        inner.set_position(100);
        Reader::new(Unsteady(inner, &calls), &key, b"context").unwrap()
    };

    let (mut all, mut failures, mut stubborn) = (Vec::new(), 0, reader());
    loop {
        calls.set(5);
        match stubborn.read(&mut piece) {
            Ok(0) => break,
            Ok(len) => all.extend_from_slice(&piece[..len]),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                failures += 1;
            }
        }
    }
    assert!(all == text && failures >= 9, "{failures}");

    let mut failures = 0;
    for steps in 0..40 {
        let mut reader = reader();
        reader.read_exact(&mut piece).unwrap();
        calls.set(steps);
        let sought = reader.seek(SeekFrom::Start(40_000));
        calls.set(usize::MAX);
        if sought.is_err() {
            failures += 1;
            let mut more = [0; 20_000];
            assert!(reader.read_exact(&mut more).is_err() || more == text[3000..23_000], "{steps}");
            assert_eq!(reader.seek(SeekFrom::Start(40_000)).unwrap(), 40_000);
        }
        reader.read_exact(&mut piece).unwrap();
        assert!(piece == text[40_000..43_000], "{steps}");
        assert_eq!(reader.text_len().unwrap(), text.len() as u64);
        assert_eq!(reader.stream_position().unwrap(), 43_000);
        reader.seek(SeekFrom::Current(-43_001)).expect_err("a position before the start");
        for (beyond, place) in
            [(SeekFrom::End(100), text.len() as u64 + 100), (SeekFrom::Start(u64::MAX), u64::MAX)]
        {
            assert_eq!(reader.seek(beyond).unwrap(), place);
            assert_eq!(reader.read(&mut piece).unwrap(), 0);
        }
    }
    assert!((4..40).contains(&failures), "{failures}");
}

/// A writer that fails once.
struct FailsAt(usize, Vec<u8>);

impl Write for FailsAt {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.wrapping_sub(1);
        if self.0 == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.1.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_message_without_one_of_its_chunks_is_not_completed() {
    let text = vec![7; 2 * CHUNK_LEN];
    for failing in 2..5 {
        let inner = FailsAt(failing, Vec::new());
        let mut writer = Writer::new(inner, &[7; 32], &[9; 24], b"").unwrap();
        let written = writer.write_all(&text);
        assert_eq!(written.is_err(), failing < 4);
        if written.is_err() {
            writer.write_all(&text).expect_err("the chunks after it");
        }
        assert!(writer.finish().is_err(), "write {failing} failed");
    }
}

/// A flush reaches it at any time, and at the message's end.
#[test]
fn a_flush_reaches_the_inner_writer() {
    let writer = || {
        let inner = BufWriter::new(FailsAt(1, Vec::new()));
        Writer::new(inner, &[7; 32], &[9; 24], b"").unwrap()
    };
    assert_eq!(writer().flush().unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(writer().finish().map(drop).unwrap_err().kind(), ErrorKind::StorageFull);
}

/// The last chunk alone is short, wherever the writer is flushed.
#[test]
fn a_flush_ends_no_chunk() {
    let text = painted(CHUNK_LEN + 5);
    let mut writer = Writer::new(Vec::new(), &[7; 32], &[9; 24], b"").unwrap();
    for piece in [&text[..10], &text[10..]] {
        writer.write_all(piece).unwrap();
        writer.flush().unwrap();
    }
    let mut opened = vec![0; text.len()];
    open_to(&[7; 32], b"", &writer.finish().unwrap(), &mut opened).unwrap();
    assert!(opened == text);
}

/// A seek that is refused, the first or a later one, leaves the reader where it was, and so does a question
/// for the length of the text, for which its end is read.
#[test]
fn a_refused_seek_and_a_question_for_the_length_move_nothing() {
    let text = painted(3 * CHUNK_LEN + 5);
    let message = sealed(&text);
    let lens = [0, 10, CHUNK_LEN, CHUNK_LEN + 1, text.len()];
    for (read_before, asked) in lens.into_iter().flat_map(|len| [(len, false), (len, true)]) {
        let mut reader = Reader::new(Cursor::new(&message), &[7; 32], b"").unwrap();
        let mut all = vec![0; read_before];
        reader.read_exact(&mut all).unwrap();
        if asked {
            assert_eq!(reader.text_len().unwrap(), text.len() as u64);
        } else {
            for refused in [SeekFrom::Current(-(read_before as i64) - 1), SeekFrom::End(i64::MIN)] {
                assert_eq!(reader.seek(refused).unwrap_err().kind(), ErrorKind::InvalidInput);
                assert_eq!(reader.stream_position().unwrap(), read_before as u64);
            }
        }
        reader.read_to_end(&mut all).unwrap();
        assert!(all == text, "{read_before}");
    }
}

/// Chunks that were opened before one that is forged are wiped as well.
#[test]
fn a_forged_chunk_leaves_no_text_of_those_before_it() {
    let cipher = ChunkCipher::new(&[7; 32], &[9; 24], b"").unwrap();
    let text = vec![1; 3 * CHUNK_LEN + 5];
    let mut sealed = vec![0; text.len() + 4 * 16];
    cipher.seal(0, &text, &mut sealed).unwrap();
    for forged in 0..4 {
        let (mut changed, mut output) = (sealed.clone(), vec![1; text.len()]);
        changed[forged * (CHUNK_LEN + 16)] ^= 1;
        assert_eq!(cipher.open(0, &changed, &mut output), Err(Error::AuthenticationFailed));
        assert!(output.iter().all(|&byte| byte == 0), "chunk {forged}");
    }
}

/// The chunk before one that is forged is read again, not what has taken its place in the reader's buffer.
#[test]
fn a_seek_back_from_a_forged_chunk_reads_the_text() {
    let text = painted(3 * CHUNK_LEN + 5);
    let mut message = sealed(&text);
    message[HEADER_LEN + CHUNK_LEN + 16] ^= 1;
    let mut reader = Reader::new(Cursor::new(&message), &[7; 32], b"").unwrap();
    for _ in 0..3 {
        reader.rewind().unwrap();
        let mut first = vec![0; CHUNK_LEN];
        reader.read_exact(&mut first).unwrap();
        assert!(first == text[..CHUNK_LEN]);
        assert_eq!(reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

/// Is interrupted before each read, which then reads at most a thousand bytes.
struct Interrupted<R>(R, bool);

impl<R: Read> Read for Interrupted<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = output.len().min(1000);
        self.0.read(&mut output[..len])
    }
}

/// Each call of the reader returns text, whatever interrupts the inner one.
#[test]
fn a_reader_that_is_interrupted() {
    let text = painted(CHUNK_LEN + 5);
    let message = sealed(&text);
    let mut reader = Reader::new(Interrupted(&message[..], false), &[7; 32], b"").unwrap();
    let (mut all, mut piece) = (Vec::new(), [0; 3000]);
    while let len @ 1.. = reader.read(&mut piece).unwrap() {
        all.extend_from_slice(&piece[..len]);
    }
    assert!(all == text);
}
