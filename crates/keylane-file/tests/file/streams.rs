//! Unusual readers and writers, and readers and writers that fail.

use crate::{ALGORITHMS, CHUNK_LEN, HEADER_LEN, KEY, SEALED_LEN, sealed, text, with};
use keylane::secret;
use keylane_file::{Algorithm, Decryption, Error};
use std::error;
use std::io::{self, ErrorKind, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Reads and writes a few bytes at a time, is interrupted now and then, and fails or panics after `left`
/// bytes.
struct Fickle<T> {
    inner: T,
    left: usize,
    fails_by: Failure,
    turn: usize,
    flushed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Failure {
    Error,
    Panic,
}

impl<T> Fickle<T> {
    const fn new(inner: T, left: usize, fails_by: Failure) -> Self {
        Self { inner, left, fails_by, turn: 0, flushed: false }
    }

    /// Returns how many of `len` bytes are processed this time.
    fn progress(&mut self, len: usize) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.left == 0 {
            assert_ne!(self.fails_by, Failure::Panic, "a reader or writer that panics");
            return Err(io::Error::other("broken"));
        }
        // From 1 byte to more than a batch.
        let some = len.min(self.left).min((self.turn * 7919) % 700_000 + 1);
        self.left -= some;
        Ok(some)
    }
}

impl<T: Read> Read for Fickle<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = self.progress(buffer.len())?;
        let len = self.inner.read(&mut buffer[..some])?;
        self.left += some - len;
        Ok(len)
    }
}

impl<T: Write> Write for Fickle<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let some = self.progress(bytes.len())?;
        self.inner.write(&bytes[..some])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed = true;
        self.inner.flush()
    }
}

const THREADS: [usize; 4] = [1, 2, 3, 8];

fn encrypt(input: impl Read + Send, output: impl Write + Send, threads: usize) -> Result<u64, Error> {
    with(Algorithm::Aes256Gcm, threads).run(input, output)
}

fn decrypt(input: impl Read + Send, output: impl Write + Send, threads: usize) -> Result<u64, Error> {
    Decryption::new(KEY).threads(threads).run(input, output)
}

fn file(text: &[u8]) -> Vec<u8> {
    sealed(text, with(Algorithm::Aes256Gcm, 1))
}

#[test]
fn a_few_bytes_at_a_time() {
    let text = text(20 * CHUNK_LEN + 77);
    for algorithm in ALGORITHMS {
        for threads in THREADS {
            let (mut file, mut output) = (Vec::new(), Vec::new());
            let mut writer = Fickle::new(&mut file, usize::MAX, Failure::Error);
            let reader = Fickle::new(&text[..], usize::MAX, Failure::Error);
            with(algorithm, threads).run(reader, &mut writer).unwrap();
            assert!(writer.flushed);
            let mut writer = Fickle::new(&mut output, usize::MAX, Failure::Error);
            decrypt(Fickle::new(&file[..], usize::MAX, Failure::Error), &mut writer, threads).unwrap();
            assert!(writer.flushed);
            assert!(output == text, "{threads} threads");
        }
    }
}

#[test]
fn a_reader_that_fails() {
    let text = text(20 * CHUNK_LEN);
    let file = file(&text);
    for left in [0, 8, 80, 100, HEADER_LEN + 9 * SEALED_LEN, file.len() - 1, file.len()] {
        let mut lens = Vec::new();
        for threads in THREADS {
            let (reader, mut output) = (Fickle::new(&file[..], left, Failure::Error), Vec::new());
            let error = decrypt(reader, &mut output, threads).unwrap_err();
            assert!(matches!(&error, Error::Read(error) if error.to_string() == "broken"), "{error:?}");
            assert_eq!(error::Error::source(&error).map(ToString::to_string).as_deref(), Some("broken"));
            assert!(!error.is_verification_failure());
            assert!(text.starts_with(&output) && output.len() % CHUNK_LEN == 0);
            lens.push(output.len());

            let reader = Fickle::new(&text[..], left.min(text.len()), Failure::Error);
            let error = encrypt(reader, Vec::new(), threads).unwrap_err();
            assert!(matches!(error, Error::Read(_)), "{error:?}");
        }
        assert!(lens.iter().all(|&len| len == lens[0]), "whatever the number of threads: {lens:?}");
    }
}

/// A secret is read whole or not at all, also of the longest length.
#[test]
fn a_secret_in_pieces() {
    let bytes = text(1 << 20);
    let reader = |left| Fickle::new(&bytes[..], left, Failure::Error);
    for read in [secret::read_key, secret::read_text] {
        assert!(*read(reader(usize::MAX)).unwrap() == bytes);
        for left in [0, 1, 300_000, bytes.len() - 1] {
            assert_eq!(read(reader(left)).unwrap_err().to_string(), "broken", "after {left} bytes");
        }
    }
}

#[test]
fn a_writer_that_fails() {
    let text = text(20 * CHUNK_LEN);
    let file = file(&text);
    for left in [0, 1, 80, 100, 9 * CHUNK_LEN, text.len() - 1] {
        for threads in THREADS {
            let mut output = Vec::new();
            let writer = Fickle::new(&mut output, left, Failure::Error);
            let written = |done| assert!(done <= left as u64, "{done} bytes are done, of {left}");
            let decryption = Decryption::new(KEY).threads(threads).progress(written);
            let error = decryption.run(&file[..], writer).unwrap_err();
            assert!(matches!(&error, Error::Write(error) if error.to_string() == "broken"), "{error:?}");
            assert!(output == text[..left], "nothing after the failure");

            let mut output = Vec::new();
            let writer = Fickle::new(&mut output, left, Failure::Error);
            let error = encrypt(&text[..], writer, threads).unwrap_err();
            assert!(matches!(error, Error::Write(_)), "{error:?}");
            assert_eq!(output.len(), left);
        }
    }
}

/// A writer that keeps everything, and then cannot store it.
struct Full(Vec<u8>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::Error::other("full"))
    }
}

#[test]
fn a_flush_that_fails() {
    let text = text(5 * CHUNK_LEN);
    let file = file(&text);
    for threads in THREADS {
        for error in [
            decrypt(&file[..], Full(Vec::new()), threads).unwrap_err(),
            encrypt(&text[..], Full(Vec::new()), threads).unwrap_err(),
        ] {
            assert!(matches!(&error, Error::Write(error) if error.to_string() == "full"), "{error:?}");
        }
    }
}

/// A failed write comes before a damaged chunk, a failed flush after it.
#[test]
fn the_first_error_is_returned() {
    let text = text(20 * CHUNK_LEN);
    let mut file = file(&text);
    file[HEADER_LEN + 10 * SEALED_LEN] ^= 1;
    for threads in THREADS {
        for (left, is_write) in [(10 * CHUNK_LEN - 1, true), (10 * CHUNK_LEN, false)] {
            let writer = Fickle::new(Vec::new(), left, Failure::Error);
            let error = decrypt(&file[..], writer, threads).unwrap_err();
            assert_eq!(matches!(error, Error::Write(_)), is_write, "{error:?}");
            assert_eq!(matches!(error, Error::Damaged { chunk: 10, .. }), !is_write, "{error:?}");
        }
        let error = decrypt(&file[..], Full(Vec::new()), threads).unwrap_err();
        assert!(matches!(error, Error::Damaged { chunk: 10, .. }), "{error:?}");
    }
}

/// No thread waits for a batch that will never come.
#[test]
fn a_panic_is_propagated() {
    let text = text(40 * CHUNK_LEN);
    for threads in THREADS {
        for left in [0, 100, 9 * CHUNK_LEN, 30 * CHUNK_LEN] {
            let panics = |run: &mut dyn FnMut()| assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            panics(&mut || {
                drop(encrypt(Fickle::new(&text[..], left, Failure::Panic), io::sink(), threads));
            });
            panics(&mut || drop(encrypt(&text[..], Fickle::new(io::sink(), left, Failure::Panic), threads)));
            panics(&mut || {
                let progress = |done| assert!(done <= left as u64);
                let encryption = with(Algorithm::ChaCha20Poly1305, threads).progress(progress);
                drop(encryption.run(&text[..], io::sink()));
            });
        }
    }
}

/// Only a bounded amount is read after a damaged chunk.
#[test]
fn a_bad_chunk_ends_an_endless_input() {
    let mut file = file(&text(CHUNK_LEN + 1));
    file.truncate(HEADER_LEN + SEALED_LEN);
    for threads in THREADS {
        let (endless, mut output) = (file[..].chain(io::repeat(0)), Vec::new());
        let error = decrypt(endless, &mut output, threads).unwrap_err();
        assert!(matches!(error, Error::Damaged { chunk: 1, .. }), "{error:?}");
        assert!(output == text(CHUNK_LEN));
    }
}

/// Tells which thread reads.
struct Told<'a>(&'a [u8], Sender<ThreadId>);

impl Read for Told<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        _ = self.1.send(thread::current().id());
        self.0.read(buffer)
    }
}

#[test]
fn another_thread_reads_while_one_writes() {
    let text = text(40 * CHUNK_LEN);
    let (told, readers) = channel();
    let mut waited = false;
    let wait = move |_| {
        let me = thread::current().id();
        // As long as it takes: the first batch keeps all others from being written.
        let reader = || readers.recv_timeout(Duration::from_secs(300)).expect("another thread");
        while !waited && reader() == me {}
        waited = true;
    };
    with(Algorithm::Aes256Gcm, 2).progress(wait).run(Told(&text, told), io::sink()).unwrap();
}
