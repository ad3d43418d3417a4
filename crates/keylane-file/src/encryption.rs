//! Encryption and decryption of a whole input.

use crate::chunks::{Chunks, Direction};
use crate::key::FileKey;
use crate::pipeline::Run;
use crate::source::{Places, Source, Stream};
use crate::{Algorithm, Error, Header, Kdf, Key, KeySource, SALT_LEN};
use std::fs::File;
use std::io::{self, Read, Write};

/// An encryption with a key. [`run`](Self::run) encrypts; the other methods replace a default.
///
/// ```
/// # fn main() -> Result<(), keylane_file::Error> {
/// use keylane_file::{Algorithm, Encryption, Key};
///
/// let encryption = Encryption::new(Key::File(&[7; 32])).algorithm(Algorithm::ChaCha20Poly1305).threads(4);
/// let mut file = Vec::new();
/// assert_eq!(encryption.run(&b"attack at dawn"[..], &mut file)?, 14);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Encryption<'a> {
    key: Key<'a>,
    algorithm: Algorithm,
    kdf: Kdf,
    run: Run<'a>,
}

impl<'a> Encryption<'a> {
    /// Returns an encryption with AES-256-GCM, Argon2id with 64 MiB, and one thread per core.
    pub fn new(key: Key<'a>) -> Self {
        Self { key, algorithm: Algorithm::Aes256Gcm, kdf: Kdf::default(), run: Run::default() }
    }

    /// Sets the algorithm that seals the chunks.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Sets the function that derives the key from a passphrase. It is not used with a key file.
    pub fn kdf(self, kdf: Kdf) -> Self {
        Self { kdf, ..self }
    }

    /// Sets the maximum number of threads, each with half a MiB of memory. At most 256 are used. 0, the
    /// default, means one per core.
    pub fn threads(self, threads: usize) -> Self {
        Self { run: Run { threads, ..self.run }, ..self }
    }

    /// Sets a function that is called after every 256 KiB, from any thread, with the number of text bytes
    /// processed so far.
    pub fn progress(self, progress: impl FnMut(u64) + Send + 'a) -> Self {
        Self { run: Run { progress: Box::new(progress), ..self.run }, ..self }
    }

    /// Encrypts all of `input` and returns the text's length in bytes.
    ///
    /// # Errors
    /// [`Error::KeyFileLength`], [`Error::EmptyPassphrase`], [`Error::PassphraseTooLong`],
    /// [`Error::Argon2id`], [`Error::Iterations`], [`Error::NoMemory`], [`Error::Random`] before anything is
    /// read or written. After [`Error::Read`], [`Error::Write`] or [`Error::TooLong`], the output is
    /// incomplete.
    pub fn run(self, input: impl Read + Send, output: impl Write + Send) -> Result<u64, Error> {
        self.seal(&new_salt()?, &Stream::new(input), output)
    }

    /// Encrypts a file from its current position on, like [`run`](Self::run). On Unix, all threads read a
    /// regular file at once, each at its own position, which is faster than a single reader. The file's
    /// position afterwards is unspecified.
    ///
    /// # Errors
    /// Those of [`run`](Self::run). The file must not change meanwhile: if it does, each part is encrypted as
    /// it was when it was read.
    pub fn run_file(self, input: &File, output: impl Write + Send) -> Result<u64, Error> {
        match Places::of(input) {
            Some(places) => self.seal(&new_salt()?, &places, output),
            None => self.run(input, output),
        }
    }

    pub(crate) fn seal(
        self,
        salt: &[u8; SALT_LEN],
        source: &dyn Source,
        mut output: impl Write + Send,
    ) -> Result<u64, Error> {
        let key_source = match self.key {
            Key::File(_) => KeySource::KeyFile,
            Key::Passphrase(_) => KeySource::Passphrase(self.kdf),
        };
        let mut header = Header::new(self.algorithm, key_source, salt)?;
        let key = FileKey::derive(self.key, &header)?;
        header.commit(key.commitment());
        output.write_all(header.as_bytes()).map_err(Error::Write)?;
        self.run.convert(Direction::Seal, &Chunks::new(&header, &key), source, &mut output)
    }
}

fn new_salt() -> Result<[u8; SALT_LEN], Error> {
    let mut salt = [0; _];
    getrandom::fill(&mut salt).map_err(|error| Error::Random(io::Error::other(error)))?;
    Ok(salt)
}

/// A decryption with a key. [`run`](Self::run) decrypts; the other methods replace a default.
///
/// ```
/// # fn main() -> Result<(), keylane_file::Error> {
/// # use keylane_file::Encryption;
/// use keylane_file::{Decryption, Key};
///
/// let key = Key::Passphrase(b"correct horse");
/// # let mut file = Vec::new();
/// # Encryption::new(key).run(&b"attack at dawn"[..], &mut file)?;
/// let mut text = Vec::new();
/// let decryption = Decryption::new(key).progress(|done| println!("{done} bytes"));
/// assert_eq!(decryption.run(&file[..], &mut text)?, 14);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Decryption<'a> {
    key: Key<'a>,
    header: Option<Header>,
    run: Run<'a>,
}

impl<'a> Decryption<'a> {
    /// Returns a decryption of inputs that begin with their header, with one thread per core.
    pub fn new(key: Key<'a>) -> Self {
        Self { key, header: None, run: Run::default() }
    }

    /// Sets the header, if it was already read: the input then begins just after it.
    pub fn header(self, header: Header) -> Self {
        Self { header: Some(header), ..self }
    }

    /// Sets the maximum number of threads, like [`Encryption::threads`].
    pub fn threads(self, threads: usize) -> Self {
        Self { run: Run { threads, ..self.run }, ..self }
    }

    /// Sets a function that reports progress, like [`Encryption::progress`].
    pub fn progress(self, progress: impl FnMut(u64) + Send + 'a) -> Self {
        Self { run: Run { progress: Box::new(progress), ..self.run }, ..self }
    }

    /// Decrypts all of `input` and returns the text's length in bytes. Only authentic, whole chunks are
    /// written, in order.
    ///
    /// # Errors
    /// Those of [`Header::read`], if the header was not set. Then [`Error::WrongKeySource`],
    /// [`Error::KeyFileLength`], [`Error::EmptyPassphrase`], [`Error::PassphraseTooLong`],
    /// [`Error::NoMemory`], [`Error::WrongKey`], [`Error::WrongPassphrase`] before anything else is read or
    /// written.
    ///
    /// [`Error::Damaged`], [`Error::DamagedEnd`], [`Error::Truncated`], [`Error::TrailingData`],
    /// [`Error::TooLong`], [`Error::Read`], [`Error::Write`]: the chunks before the failing one have been
    /// written, whatever the number of threads, and nothing after them. With several threads, the error may
    /// be returned only after a read that is under way, which may block on a pipe.
    pub fn run(mut self, mut input: impl Read + Send, output: impl Write + Send) -> Result<u64, Error> {
        let header = self.take_header(&mut input)?;
        self.open(&header, &Stream::new(input), output)
    }

    /// Decrypts a file from its current position on, like [`run`](Self::run). On Unix, all threads read a
    /// regular file at once. The file's position afterwards is unspecified.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn run_file(mut self, mut input: &File, output: impl Write + Send) -> Result<u64, Error> {
        let header = self.take_header(&mut input)?;
        match Places::of(input) {
            Some(places) => self.open(&header, &places, output),
            None => self.open(&header, &Stream::new(input), output),
        }
    }

    fn take_header(&mut self, input: &mut impl Read) -> Result<Header, Error> {
        self.header.take().map_or_else(|| Header::read(input), Ok)
    }

    fn open(self, header: &Header, source: &dyn Source, mut output: impl Write + Send) -> Result<u64, Error> {
        let key = FileKey::derive(self.key, header)?;
        key.verify(header)?;
        self.run.convert(Direction::Open, &Chunks::new(header, &key), source, &mut output)
    }
}
