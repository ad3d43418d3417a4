//! Seals and opens a column's values one by one.

use crate::Error;
use crate::rows::{DAY, Rows, bytes_of_numbers, each, is_number, of_values, plain, slices};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, ByteArrayType, Date32Type, Date64Type, LargeBinaryType, LargeUtf8Type, UInt64Type, Utf8Type,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, Int64Array, OffsetSizeTrait, new_null_array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_cast::display::FormatOptions;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;
use keylane::aead::Message;
use keylane::any::{AeadKind, AnyAead};
use std::sync::Arc;
use zeroize::Zeroize;

/// The number of rows that one call of the AEAD takes.
const CHUNK: usize = 256;
const TAG_LEN: usize = AnyAead::TAG_LEN;
/// The nonce of deterministic encryption. With a repeated nonce, AES-GCM-SIV reveals only which messages are
/// equal (RFC 8452 §9).
const NO_NONCE: [u8; 12] = [0; 12];
/// A value that the type cannot hold is an error, not a null.
const STRICT: CastOptions<'static> = CastOptions { safe: false, format_options: FormatOptions::new() };

/// A key that seals columns' values. Wiped when dropped.
///
/// A sealed value is a ciphertext and a tag of 16 bytes, for [`random`](Self::random) keys after a nonce of
/// 24 bytes. The kind of value and the column's name are authenticated with it, as `text:`, `integer:` or
/// `date:` and the name. A value that was moved to another column does not open, nor does a number as a
/// string. A value that was moved to another row of its column does open.
#[derive(Clone, Debug)]
pub struct SealingKey(AnyAead);

impl SealingKey {
    /// Returns a key that seals equal values of a column to equal bytes, with AES-256-GCM-SIV (RFC 8452) and
    /// a nonce of zeros. The sealed column can be joined, grouped and compared.
    ///
    /// # Security
    /// The sealed column reveals lengths, which rows are equal and how often each value occurs. If a column
    /// has few values or a known distribution, that can reveal the values themselves. Seal at most 2^48
    /// blocks of 16 bytes under one key, such as 2^40 values of up to 4 KiB: two different values then have
    /// the same tag with a probability below 2^-32.
    #[must_use]
    pub fn deterministic(key: &[u8; 32]) -> Self {
        Self::new(AeadKind::Aes256GcmSiv, key)
    }

    /// Returns a key that seals every row under its own random nonce, with XAES-256-GCM (C2SP).
    ///
    /// # Security
    /// The sealed column reveals only lengths.
    #[must_use]
    pub fn random(key: &[u8; 32]) -> Self {
        Self::new(AeadKind::Xaes256Gcm, key)
    }

    fn new(aead: AeadKind, key: &[u8; 32]) -> Self {
        Self(AnyAead::from_slice(aead, key).expect("both have keys of 32 bytes"))
    }

    /// Returns the length of the nonce at the beginning of sealed values, 0 for deterministic keys.
    fn front(&self) -> usize {
        match self.0.algorithm() {
            AeadKind::Xaes256Gcm => AeadKind::Xaes256Gcm.nonce_len(),
            _ => 0,
        }
    }
}

/// Returns the type of a sealed column of `data_type`.
pub(crate) fn sealed_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => sealed_type(values),
        DataType::LargeUtf8 | DataType::LargeBinary => DataType::LargeBinary,
        _ => DataType::Binary,
    }
}

/// Seals every row of the column `name`, as `LargeBinary` if the column's type is a large one, otherwise as
/// `Binary`. Nulls stay null.
///
/// # Errors
/// [`Error::Type`] if the column's type is not [supported](crate#columns), [`Error::TooLong`] if a `Binary`
/// result would have more than 2 GiB, [`Error::Keylane`] if the operating system provides no random bytes.
pub fn seal(key: &SealingKey, name: &str, column: &dyn Array) -> Result<ArrayRef, Error> {
    let seal = |column: &dyn Array| {
        let aad = aad(column.data_type(), name);
        if let Some(numbers) = bytes_of_numbers(column)? {
            return seal_rows::<BinaryType>(key, &aad, &numbers);
        }
        match sealed_type(column.data_type()) {
            DataType::LargeBinary => seal_rows::<LargeBinaryType>(key, &aad, slices(column)?),
            _ if column.data_type().is_null() => Ok(new_null_array(&DataType::Binary, column.len())),
            _ => seal_rows::<BinaryType>(key, &aad, slices(column)?),
        }
    };
    let sealed = match column.as_any_dictionary_opt() {
        // With random nonces, equal rows of a dictionary must not become equal.
        Some(_) if key.front() > 0 => seal(&*plain(column)?),
        _ => of_values(column, &seal),
    };
    sealed.map_err(|error| error.in_column(name))
}

/// Opens a column that [`seal`] made from the column `name`, as a column of `data_type`: the sealed type or
/// another of its kind. Strings and bytes can be opened as any string or bytes type, integers as any type
/// that can hold them, and dates as either type. Open `UInt64` only as `UInt64`: from 2^63 on, its bytes are
/// those of negative numbers.
///
/// # Errors
/// [`Error::Rejected`] if a row was changed, or was not sealed under this key, this name and a type of this
/// kind: no row is returned. [`Error::Values`] if `data_type` cannot hold a value. [`Error::Type`] if the
/// column is not one of bytes, or `data_type` is not [supported](crate#columns).
pub fn open(
    key: &SealingKey,
    name: &str,
    column: &dyn Array,
    data_type: &DataType,
) -> Result<ArrayRef, Error> {
    let plain = match data_type {
        DataType::Dictionary(_, values) => Some(&**values),
        DataType::Utf8View => Some(&DataType::Utf8),
        DataType::BinaryView | DataType::FixedSizeBinary(_) => Some(&DataType::Binary),
        _ => None,
    };
    if let Some(plain) = plain {
        let opened = open(key, name, column, plain)?;
        return cast_with_options(&opened, data_type, &STRICT)
            .map_err(|_| other_type(data_type).in_column(name));
    }
    if column.data_type().is_null() {
        return Ok(new_null_array(data_type, column.len()));
    }
    let aad = aad(data_type, name);
    let opened = of_values(column, &|column| match data_type {
        DataType::Utf8 => open_rows::<Utf8Type>(key, name, &aad, column),
        DataType::LargeUtf8 => open_rows::<LargeUtf8Type>(key, name, &aad, column),
        DataType::Binary => open_rows::<BinaryType>(key, name, &aad, column),
        DataType::LargeBinary => open_rows::<LargeBinaryType>(key, name, &aad, column),
        number if is_number(number) => {
            open_numbers(&*open_rows::<BinaryType>(key, name, &aad, column)?, data_type)
        }
        other => Err(Error::Type { column: None, data_type: other.clone() }),
    });
    opened.map_err(|error| error.in_column(name))
}

/// Returns the data that is authenticated with each value.
fn aad(data_type: &DataType, name: &str) -> Vec<u8> {
    let kind = match data_type {
        DataType::Date32 | DataType::Date64 => "date:",
        data_type if data_type.is_integer() => "integer:",
        _ => "text:",
    };
    [kind, name].concat().into_bytes()
}

/// Returns the error for values that the type cannot hold: Arrow's own error would contain a value.
fn other_type(data_type: &DataType) -> Error {
    Error::Values { column: None, wanted: format!("of the type {data_type}") }
}

fn open_numbers(rows: &dyn Array, data_type: &DataType) -> Result<ArrayRef, Error> {
    let other = || other_type(data_type);
    let numbers = rows.as_binary::<i32>().iter().map(|row| match row {
        Some(row) => row.try_into().map(|row| Some(i64::from_be_bytes(row))).map_err(|_| other()),
        None => Ok(None),
    });
    let numbers = numbers.collect::<Result<Int64Array, _>>()?;
    Ok(match data_type {
        DataType::UInt64 => Arc::new(numbers.unary::<_, UInt64Type>(i64::cast_unsigned)),
        // There is no cast from 64 bits to days.
        DataType::Date32 => {
            Arc::new(numbers.try_unary::<_, Date32Type, _>(|days| i32::try_from(days).map_err(|_| other()))?)
        }
        DataType::Date64 => {
            Arc::new(numbers.try_unary::<_, Date64Type, _>(|days| days.checked_mul(DAY).ok_or_else(other))?)
        }
        _ => cast_with_options(&numbers, data_type, &STRICT).map_err(|_| other())?,
    })
}

/// Returns an array's offsets from its rows' lengths.
fn offsets<T: ByteArrayType>(lengths: &[usize]) -> Result<OffsetBuffer<T::Offset>, Error> {
    let max = if T::Offset::IS_LARGE { i64::MAX as usize } else { i32::MAX as usize };
    if lengths.iter().sum::<usize>() > max {
        return Err(Error::TooLong { column: None });
    }
    Ok(OffsetBuffer::from_lengths(lengths.iter().copied()))
}

/// Divides `bytes` into the rows of [`CHUNK`] lengths each.
fn chunks<'a>(
    mut bytes: &'a mut [u8],
    lengths: &'a [usize],
) -> impl Iterator<Item = (usize, &'a [usize], &'a mut [u8])> + Send {
    lengths.chunks(CHUNK).enumerate().map(move |(chunk, lengths)| {
        let rows = bytes.split_off_mut(..lengths.iter().sum()).expect("the sum of the lengths");
        (chunk * CHUNK, lengths, rows)
    })
}

fn seal_rows<T: ByteArrayType>(key: &SealingKey, aad: &[u8], rows: &dyn Rows) -> Result<ArrayRef, Error> {
    let front = key.front();
    let length = |i| if rows.is_null(i) { 0 } else { front + rows.row(i).len() + TAG_LEN };
    let lengths: Vec<usize> = (0..rows.len()).map(length).collect();
    let offsets = offsets::<T>(&lengths)?;
    let mut bytes = vec![0; lengths.iter().sum()];
    each(chunks(&mut bytes, &lengths), |(first, lengths, mut out)| {
        let mut nonces = vec![0; front * lengths.len()];
        getrandom::fill(&mut nonces).map_err(|_| keylane::Error::NoRandomness)?;
        let mut messages = Vec::with_capacity(lengths.len());
        for (i, &len) in lengths.iter().enumerate().filter(|(_, len)| **len > 0) {
            let (sealed, rest) = out.split_at_mut(len);
            out = rest;
            let (nonce, sealed) = sealed.split_at_mut(front);
            nonce.copy_from_slice(&nonces[i * front..][..front]);
            let (text, tag) = sealed.split_last_chunk_mut().expect("a tag");
            text.copy_from_slice(rows.row(first + i));
            let nonce = if front > 0 { &*nonce } else { &NO_NONCE };
            messages.push(Message { nonce, aad, text, tag });
        }
        Ok(key.0.seal_many(&mut messages)?)
    })?;
    array::<T>(offsets, bytes, rows.nulls())
}

fn open_rows<T: ByteArrayType>(
    key: &SealingKey,
    name: &str,
    aad: &[u8],
    column: &dyn Array,
) -> Result<ArrayRef, Error> {
    let rows = match column.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            return Err(Error::Type { column: None, data_type: column.data_type().clone() });
        }
        _ => slices(column)?,
    };
    let front = key.front();
    let rejected = |row| Error::Rejected { column: name.to_owned(), row };
    let length = |i| match rows.is_null(i) {
        true => Ok(0),
        false => rows.row(i).len().checked_sub(front + TAG_LEN).ok_or_else(|| rejected(i)),
    };
    let lengths = (0..rows.len()).map(length).collect::<Result<Vec<usize>, _>>()?;
    let offsets = offsets::<T>(&lengths)?;
    let mut bytes = vec![0; lengths.iter().sum()];
    let opened = each(chunks(&mut bytes, &lengths), |(first, lengths, mut out)| {
        let mut tags = vec![[0; TAG_LEN]; lengths.len()];
        let mut messages = Vec::with_capacity(lengths.len());
        let mut numbers = Vec::with_capacity(lengths.len());
        for ((i, &len), tag) in lengths.iter().enumerate().zip(&mut tags) {
            if rows.is_null(first + i) {
                continue;
            }
            let (text, rest) = out.split_at_mut(len);
            out = rest;
            let (nonce, sealed) = rows.row(first + i).split_at(front);
            let (ciphertext, sealed_tag) = sealed.split_last_chunk().expect("a tag");
            text.copy_from_slice(ciphertext);
            *tag = *sealed_tag;
            let nonce = if front > 0 { nonce } else { &NO_NONCE };
            messages.push(Message { nonce, aad, text, tag });
            numbers.push(first + i);
        }
        let mut opened = vec![false; messages.len()];
        match key.0.open_many(&mut messages, &mut opened) {
            Err(keylane::Error::AuthenticationFailed) => {
                let row = opened.iter().position(|opened| !opened).expect("one was rejected");
                Err(rejected(numbers[row]))
            }
            result => Ok(result?),
        }
    });
    if let Err(error) = opened {
        bytes.zeroize(); // what other rows hold
        return Err(error);
    }
    array::<T>(offsets, bytes, rows.nulls())
}

fn array<T: ByteArrayType>(
    offsets: OffsetBuffer<T::Offset>,
    bytes: Vec<u8>,
    nulls: Option<&NullBuffer>,
) -> Result<ArrayRef, Error> {
    // Sealed bytes may not be valid strings.
    let other = |_| other_type(&T::DATA_TYPE);
    let array = GenericByteArray::<T>::try_new(offsets, Buffer::from_vec(bytes), nulls.cloned());
    Ok(Arc::new(array.map_err(other)?))
}
