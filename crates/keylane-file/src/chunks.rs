//! Sealing and opening one chunk of a file: `docs/format.md`, "Chunks".

use crate::key::{FileKey, PREFIX_LEN};
use crate::{CHUNK_LEN, Error, HEADER_LEN, Header, TAG_LEN};
use keylane::any::AnyAead;

/// Whether chunks are sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Seal,
    Open,
}

impl Direction {
    /// Returns the number of bytes that an incoming chunk has besides its text.
    pub(crate) const fn input_tag_len(self) -> usize {
        match self {
            Self::Seal => 0,
            Self::Open => TAG_LEN,
        }
    }

    /// Returns the number of bytes that an outgoing chunk has besides its text.
    pub(crate) const fn output_tag_len(self) -> usize {
        TAG_LEN - self.input_tag_len()
    }
}

/// Seals and opens the chunks of one file, in any order.
pub(crate) struct Chunks {
    /// Boxed, since its alignment would leave unwiped bytes behind the last field.
    aead: Box<AnyAead>,
    prefix: [u8; PREFIX_LEN],
    header: [u8; HEADER_LEN],
}

impl Chunks {
    pub(crate) fn new(header: &Header, key: &FileKey) -> Self {
        let aead =
            AnyAead::from_slice(header.algorithm().kind(), key.key()).expect("the keys have one length");
        Self { aead: Box::new(aead), prefix: *key.prefix(), header: *header.as_bytes() }
    }

    /// Seals or opens chunk `number` into `output`, which has the result's length.
    pub(crate) fn convert(
        &self,
        direction: Direction,
        number: u64,
        last: bool,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        match direction {
            Direction::Seal => {
                let nonce = self.nonce(number, last)?;
                self.aead.seal_to(&nonce, &self.header, &[input], output).expect("the lengths fit");
                Ok(())
            }
            Direction::Open => self.open(number, last, input, output),
        }
    }

    fn open(&self, chunk: u64, last: bool, sealed: &[u8], text: &mut [u8]) -> Result<(), Error> {
        let from = chunk.saturating_mul(CHUNK_LEN as u64);
        if self.opens(chunk, last, sealed, text)? {
            // An empty chunk after others would be a second encoding of the same text.
            return if text.is_empty() && chunk > 0 {
                Err(Error::DamagedEnd { chunk, from })
            } else {
                Ok(())
            };
        }
        // If the chunk opens with the other value of `last`, the error can say how the file was changed.
        let elsewhere =
            (!last || text.len() == CHUNK_LEN) && matches!(self.opens(chunk, !last, sealed, text), Ok(true));
        Err(match (last, elsewhere) {
            (true, true) => Error::Truncated,
            (true, false) => Error::DamagedEnd { chunk, from },
            (false, true) => Error::TrailingData,
            (false, false) => Error::Damaged { chunk, from },
        })
    }

    fn opens(&self, chunk: u64, last: bool, sealed: &[u8], text: &mut [u8]) -> Result<bool, Error> {
        Ok(self.aead.open_to(&self.nonce(chunk, last)?, &self.header, sealed, text).is_ok())
    }

    fn nonce(&self, chunk: u64, last: bool) -> Result<[u8; 12], Error> {
        // The highest number is left for the last chunk.
        let number = u32::try_from(chunk).ok().filter(|&number| last || number < u32::MAX);
        let mut nonce = [last.into(); 12];
        nonce[..PREFIX_LEN].copy_from_slice(&self.prefix);
        nonce[PREFIX_LEN..11].copy_from_slice(&number.ok_or(Error::TooLong)?.to_be_bytes());
        Ok(nonce)
    }
}
