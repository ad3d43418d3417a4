//! Hashes, MACs and tokens of columns.

use crate::Error;
use crate::rows::{Rows, each, of_values, slices, text_of_numbers};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, Int64Array, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use keylane::any::{AnyHmacKey, HashKind};
use std::sync::Arc;

/// The number of rows whose slices and digests are in memory beside the result.
const CHUNK: usize = 1024;

/// The minimum length of a token in bytes. Among 2^32 values, two have the same token with a probability of
/// 39 %.
const MIN_TOKEN_LEN: usize = 8;

/// A token's notation and length. A token is the first bytes of an HMAC: at least 8, at most all.
///
/// Among *n* different values, two have the same token of *b* bytes with a probability of about *n*² /
/// 2^(8*b* + 1): among 10⁹ values, 3 % with 8 bytes and 10⁻²¹ with 16.
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

/// Returns the HMAC (RFC 2104) of every row, as `FixedSizeBinary`. Nulls stay null.
///
/// # Errors
/// [`Error::Type`] if the column's type is not [supported](crate#columns).
pub fn hmac(key: &AnyHmacKey, column: &dyn Array) -> Result<FixedSizeBinaryArray, Error> {
    hashes(key.algorithm(), column, &|rows, tags| key.mac_many(rows, tags))
}

/// Returns the hash of every row, as `FixedSizeBinary`. Nulls stay null.
///
/// # Security
/// Anyone who can list a column's possible values, such as e-mail addresses or telephone numbers, finds the
/// value behind a digest by trying them all. Use [`hmac`] or [`token`] to pseudonymise.
///
/// # Errors
/// Those of [`hmac`].
pub fn digest(hash: HashKind, column: &dyn Array) -> Result<FixedSizeBinaryArray, Error> {
    hashes(hash, column, &|rows, digests| hash.digest_many(rows, digests))
}

/// Returns a token for every row: the first bytes of its HMAC, as text or as a number. Nulls stay null.
///
/// # Errors
/// Those of [`hmac`]; [`Error::Parameter`] if the form has fewer than 8 bytes or more than the HMAC,
/// [`Error::TooLong`] if the tokens of one array have more than 2 GiB.
pub fn token(key: &AnyHmacKey, column: &dyn Array, form: Form) -> Result<ArrayRef, Error> {
    let bytes = match form {
        Form::Hex { bytes } | Form::Base64Url { bytes } => bytes,
        Form::Int64 => 8,
    };
    let max = key.algorithm().output_len();
    if !(MIN_TOKEN_LEN..=max).contains(&bytes) {
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

impl Form {
    /// Returns the form with this name: `hex`, `base64url`, or `int64`, which ignores `bytes`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another name.
    pub fn from_name(name: &str, bytes: usize) -> Result<Self, Error> {
        match name {
            "hex" => Ok(Self::Hex { bytes }),
            "base64url" => Ok(Self::Base64Url { bytes }),
            "int64" => Ok(Self::Int64),
            _ => Err(Error::Parameter(format!("unknown form `{name}`: use hex, base64url or int64"))),
        }
    }
}

/// The hexadecimal digits of every byte. Tokens are public, so table look-ups are allowed.
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

/// A function that writes the hashes of messages, one after the other.
type Compute<'a> = &'a (dyn Fn(&[&[u8]], &mut [u8]) -> Result<(), keylane::Error> + Sync);

fn hashes(hash: HashKind, column: &dyn Array, compute: Compute<'_>) -> Result<FixedSizeBinaryArray, Error> {
    let hashes = of_values(column, &|column| {
        let text = text_of_numbers(column)?;
        Ok(Arc::new(hashes_of_rows(hash.output_len(), slices(text.as_deref().unwrap_or(column))?, compute)?))
    })?;
    Ok(hashes.as_fixed_size_binary().clone())
}

fn hashes_of_rows(len: usize, rows: &dyn Rows, compute: Compute<'_>) -> Result<FixedSizeBinaryArray, Error> {
    let mut bytes = vec![0; rows.len() * len];
    each(bytes.chunks_mut(CHUNK * len).enumerate(), |(chunk, out)| {
        let (first, count) = (chunk * CHUNK, out.len() / len);
        let rows = rows.rows(first..first + count);
        let messages: Vec<&[u8]> = rows.iter().copied().flatten().collect();
        if messages.len() == count {
            return Ok(compute(&messages, out)?);
        }
        let mut hashes = vec![0; messages.len() * len];
        compute(&messages, &mut hashes)?;
        let places = out.chunks_exact_mut(len).zip(rows);
        let places = places.filter_map(|(place, row)| row.is_some().then_some(place));
        places.zip(hashes.chunks_exact(len)).for_each(|(place, hash)| place.copy_from_slice(hash));
        Ok(())
    })?;
    let len = i32::try_from(len).expect("at most 64");
    let nulls = rows.nulls().cloned();
    Ok(FixedSizeBinaryArray::try_new_with_len(len, Buffer::from_vec(bytes), nulls, rows.len())?)
}
