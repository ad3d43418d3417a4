//! Hashes, MACs and tokens of columns.

use crate::Error;
use crate::rows::{Rows, each, of_values, slices, text_of_numbers};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, Int64Array, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use keylane::hash::{Hash, Hasher};
use keylane::hmac::HmacKey;
use std::sync::Arc;

/// The number of rows whose slices and digests are in memory beside the result.
const CHUNK: usize = 1024;

/// The minimum length of a token in bytes: of 2^32 values, two have the same token with a probability of
/// 39 %.
const MIN_TOKEN_LEN: usize = 8;

/// How a token is written. It is the first bytes of an HMAC: at least 8, at most all.
///
/// Of *n* different values, two have the same token of *b* bytes with a probability of about
/// *n*² / 2^(8*b* + 1): of 10⁹ values, 3 % for 8 bytes, and 10⁻²¹ for 16.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Lower-case hexadecimal digits: a column of `Utf8`.
    Hex {
        /// The number of bytes. The token has twice as many characters.
        bytes: usize,
    },
    /// Base64 for URLs, without padding (RFC 4648 §5): a column of `Utf8`.
    Base64Url {
        /// The number of bytes.
        bytes: usize,
    },
    /// The first eight bytes as a number, the most significant byte first: a column of `Int64`.
    Int64,
}

/// Computes HMAC (RFC 2104) of every row: a column of `FixedSizeBinary`.
///
/// # Errors
/// [`Error::Type`] if the column has a type that is not [taken](crate#columns).
pub fn hmac<H: Hash>(key: &HmacKey<H>, column: &dyn Array) -> Result<FixedSizeBinaryArray, Error> {
    hashes::<H>(column, &|rows, tags| key.mac_many(rows, tags))
}

/// Hashes every row: a column of `FixedSizeBinary`.
///
/// # Security
/// Whoever can list the values that a column may have, such as e-mail addresses or telephone numbers, finds
/// the value of a digest by trying them all. Use [`hmac`] or [`token`] to pseudonymise.
///
/// # Errors
/// As [`hmac`].
pub fn digest<H: Hash>(column: &dyn Array) -> Result<FixedSizeBinaryArray, Error> {
    hashes::<H>(column, &|rows, digests| Hasher::<H::Function>::digest_many(rows, digests))
}

/// Computes a token of every row: the first bytes of its HMAC, as text or as a number.
///
/// # Errors
/// As [`hmac`]; [`Error::Parameter`] if the form has fewer than 8 bytes or more than the HMAC,
/// [`Error::TooLong`] if the tokens of one array have more than 2 GiB.
pub fn token<H: Hash>(key: &HmacKey<H>, column: &dyn Array, form: Form) -> Result<ArrayRef, Error> {
    let bytes = match form {
        Form::Hex { bytes } | Form::Base64Url { bytes } => bytes,
        Form::Int64 => 8,
    };
    if !(MIN_TOKEN_LEN..=H::OUTPUT_LEN).contains(&bytes) {
        let max = H::OUTPUT_LEN;
        return Err(Error::Parameter(format!("a token has {MIN_TOKEN_LEN} to {max} bytes, not {bytes}")));
    }
    of_values(column, &|column| {
        let macs = hmac(key, column)?;
        let macs = macs.iter().map(|mac| mac.map(|mac| &mac[..bytes]));
        match form {
            Form::Int64 => Ok(Arc::new(
                macs.map(|mac| mac.map(|mac| i64::from_be_bytes(mac.try_into().expect("8 bytes"))))
                    .collect::<Int64Array>(),
            )),
            Form::Hex { .. } => strings(macs, 2 * bytes, &|mac, text| {
                for (byte, digits) in mac.iter().zip(text.as_chunks_mut().0) {
                    *digits = DIGITS[usize::from(*byte)];
                }
            }),
            Form::Base64Url { .. } => strings(macs, (4 * bytes).div_ceil(3), &|mac, text| {
                URL_SAFE_NO_PAD.encode_slice(mac, text).expect("the length was computed");
            }),
        }
    })
}

/// The hexadecimal digits of every byte. Tokens are no secrets, so a table may be used.
const DIGITS: [[u8; 2]; 256] = {
    let (mut table, mut byte) = ([[0; 2]; 256], 0);
    while byte < 256 {
        table[byte] = [b"0123456789abcdef"[byte >> 4], b"0123456789abcdef"[byte & 15]];
        byte += 1;
    }
    table
};

/// Writes every row as a text of `len` characters.
fn strings<'a>(
    rows: impl ExactSizeIterator<Item = Option<&'a [u8]>>,
    len: usize,
    write: &dyn Fn(&[u8], &mut [u8]),
) -> Result<ArrayRef, Error> {
    let mut valid = Vec::with_capacity(rows.len());
    let mut text = vec![0; rows.len() * len];
    let mut places = text.chunks_exact_mut(len);
    for row in rows {
        valid.push(row.is_some());
        if let Some(row) = row {
            write(row, places.next().expect("a place for each row"));
        }
    }
    text.truncate(valid.iter().filter(|valid| **valid).count() * len);
    if i32::try_from(text.len()).is_err() {
        return Err(Error::TooLong { column: None });
    }
    let offsets = OffsetBuffer::from_lengths(valid.iter().map(|&valid| if valid { len } else { 0 }));
    Ok(Arc::new(StringArray::try_new(offsets, Buffer::from_vec(text), Some(valid.into()))?))
}

/// Computes the hashes of messages.
type Compute<'a, H> = &'a (dyn Fn(&[&[u8]], &mut [<H as Hash>::Output]) -> Result<(), keylane::Error> + Sync);

fn hashes<H: Hash>(column: &dyn Array, compute: Compute<'_, H>) -> Result<FixedSizeBinaryArray, Error> {
    let hashes = of_values(column, &|column| {
        let text = text_of_numbers(column)?;
        Ok(Arc::new(hashes_of_rows::<H>(slices(text.as_deref().unwrap_or(column))?, compute)?))
    })?;
    Ok(hashes.as_fixed_size_binary().clone())
}

fn hashes_of_rows<H: Hash>(rows: &dyn Rows, compute: Compute<'_, H>) -> Result<FixedSizeBinaryArray, Error> {
    let len = H::OUTPUT_LEN;
    let mut bytes = vec![0; rows.count() * len];
    each(bytes.chunks_mut(CHUNK * len).enumerate(), |(chunk, out)| {
        let first = chunk * CHUNK;
        let out = out.chunks_exact_mut(len);
        let rows = rows.rows(first..first + out.len());
        let messages: Vec<&[u8]> = rows.iter().copied().flatten().collect();
        let mut hashes = vec![Hasher::<H::Function>::digest(&[]); messages.len()];
        compute(&messages, &mut hashes)?;
        let places = out.zip(rows).filter_map(|(place, row)| row.is_some().then_some(place));
        places.zip(hashes).for_each(|(place, hash)| place.copy_from_slice(hash.as_ref()));
        Ok(())
    })?;
    let len = i32::try_from(len).expect("at most 64");
    let nulls = rows.null_buffer().cloned();
    Ok(FixedSizeBinaryArray::try_new_with_len(len, Buffer::from_vec(bytes), nulls, rows.count())?)
}
