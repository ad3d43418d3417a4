//! The chunks of a file: `docs/format.md`, "Chunks".

use crate::key::FileKey;
use crate::{Algorithm, CHUNK_LEN, Error, HEADER_LEN, Header, TAG_LEN};
use keylane::aes_gcm::Aes256Gcm;
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::stream::{Chunk, Stream};

/// Whether chunks are sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Seal,
    Open,
}

impl Direction {
    /// How many bytes a chunk has besides its text, as it comes in.
    pub(crate) const fn input_tag_len(self) -> usize {
        match self {
            Self::Seal => 0,
            Self::Open => TAG_LEN,
        }
    }

    /// How many, as it goes out.
    pub(crate) const fn output_tag_len(self) -> usize {
        TAG_LEN - self.input_tag_len()
    }
}

/// A file's chunks, sealed and opened with its key, in any order.
pub(crate) struct Sealed {
    stream: Cipher,
    header: [u8; HEADER_LEN],
}

/// ChaCha20-Poly1305's in a box of its own. Not AES-GCM's: its tables are aligned to 64 bytes, and the move
/// into a box would take a run of 14 bytes of what the stack held between them, which nobody wipes. It stays
/// on the stack of who holds it, where its own destructor wipes the keys, and where `cargo xtask wiping` does
/// not look.
#[expect(clippy::large_enum_variant, reason = "there is one for a file")]
enum Cipher {
    Aes256Gcm(Stream<Aes256Gcm>),
    ChaCha20Poly1305(Box<Stream<ChaCha20Poly1305>>),
}

impl Sealed {
    pub(crate) fn new(header: &Header, key: &FileKey) -> Self {
        let (bytes, prefix) = (key.key(), key.prefix());
        let stream = match header.algorithm() {
            Algorithm::Aes256Gcm => Cipher::Aes256Gcm(Stream::new(Aes256Gcm::new(bytes), prefix)),
            Algorithm::ChaCha20Poly1305 => {
                Cipher::ChaCha20Poly1305(Box::new(Stream::new(ChaCha20Poly1305::new(bytes), prefix)))
            }
        };
        Self { stream, header: *header.as_bytes() }
    }

    /// Seals or opens chunk `number` into `output`, which has just the length that the chunk will have.
    pub(crate) fn convert(
        &self,
        direction: Direction,
        number: u64,
        last: bool,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        // The last number of all is the last chunk's.
        let number = u32::try_from(number).ok().filter(|&number| last || number < u32::MAX);
        let number = number.ok_or(Error::TooLong)?;
        match direction {
            Direction::Seal => self.seal(number, last, input, output),
            Direction::Open => self.open(number, last, input, output),
        }
    }

    fn seal(&self, number: u32, last: bool, text: &[u8], sealed: &mut [u8]) -> Result<(), Error> {
        let (chunk, aad) = (place(number, last), &self.header);
        let result = match &self.stream {
            Cipher::Aes256Gcm(stream) => stream.seal_to(chunk, aad, &[text], sealed),
            Cipher::ChaCha20Poly1305(stream) => stream.seal_to(chunk, aad, &[text], sealed),
        };
        result.expect("the lengths fit");
        Ok(())
    }

    fn open(&self, number: u32, last: bool, sealed: &[u8], text: &mut [u8]) -> Result<(), Error> {
        let chunk = u64::from(number);
        if self.opens(place(number, last), sealed, text) {
            // An empty chunk after others: another encoding of the same text, which no writer produces.
            return if text.is_empty() && number > 0 { Err(Error::DamagedEnd { chunk }) } else { Ok(()) };
        }
        // If only its position is wrong, the error can say what happened to the file.
        let elsewhere = (!last || text.len() == CHUNK_LEN) && number < u32::MAX;
        let elsewhere = elsewhere && self.opens(place(number, !last), sealed, text);
        Err(match (last, elsewhere) {
            (true, true) => Error::Truncated,
            (true, false) => Error::DamagedEnd { chunk },
            (false, true) => Error::TrailingData,
            (false, false) => Error::Damaged { chunk },
        })
    }

    fn opens(&self, chunk: Chunk, sealed: &[u8], text: &mut [u8]) -> bool {
        let aad = &self.header;
        match &self.stream {
            Cipher::Aes256Gcm(stream) => stream.open_to(chunk, aad, sealed, text).is_ok(),
            Cipher::ChaCha20Poly1305(stream) => stream.open_to(chunk, aad, sealed, text).is_ok(),
        }
    }
}

fn place(number: u32, last: bool) -> Chunk {
    if last { Chunk::Last(number) } else { Chunk::Inner(number) }
}
