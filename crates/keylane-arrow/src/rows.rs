//! A column's rows as slices, whatever its type.

use crate::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, Date32Type, Date64Type, Int64Type,
    LargeBinaryType, LargeUtf8Type, StringViewType, UInt64Type, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray, Int64Array,
};
use arrow_buffer::Buffer;
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::take::take;
use std::ops::Range;
use std::sync::Arc;

/// A column whose rows are slices of bytes.
pub(crate) trait Rows: Array {
    /// Returns the bytes of row `i`.
    fn row(&self, i: usize) -> &[u8];

    /// Returns a range of rows, `None` for nulls. One dynamic call covers many rows.
    fn rows(&self, range: Range<usize>) -> Vec<Option<&[u8]>> {
        match self.nulls() {
            None => range.map(|i| Some(self.row(i))).collect(),
            Some(nulls) => range.map(|i| nulls.is_valid(i).then(|| self.row(i))).collect(),
        }
    }
}

impl<T: ByteArrayType> Rows for GenericByteArray<T> {
    fn row(&self, i: usize) -> &[u8] {
        self.value(i).as_ref()
    }
}

impl<T: ByteViewType + ?Sized> Rows for GenericByteViewArray<T> {
    fn row(&self, i: usize) -> &[u8] {
        self.value(i).as_ref()
    }
}

impl Rows for FixedSizeBinaryArray {
    fn row(&self, i: usize) -> &[u8] {
        self.value(i)
    }
}

/// The number of milliseconds in a day, for `Date64`.
pub(crate) const DAY: i64 = 86_400_000;

/// Returns the rows of a column of strings or bytes, without a copy.
///
/// # Errors
/// [`Error::Type`] for another type.
pub(crate) fn slices(column: &dyn Array) -> Result<&dyn Rows, Error> {
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_bytes::<Utf8Type>(),
        DataType::LargeUtf8 => column.as_bytes::<LargeUtf8Type>(),
        DataType::Utf8View => column.as_byte_view::<StringViewType>(),
        DataType::Binary => column.as_bytes::<BinaryType>(),
        DataType::LargeBinary => column.as_bytes::<LargeBinaryType>(),
        DataType::BinaryView => column.as_byte_view::<BinaryViewType>(),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary(),
        other => return Err(Error::Type { column: None, data_type: other.clone() }),
    })
}

/// Returns whether the type's values are sealed as numbers and hashed as text.
pub(crate) fn is_number(data_type: &DataType) -> bool {
    data_type.is_integer() || matches!(data_type, DataType::Date32 | DataType::Date64)
}

/// Returns a column of numbers, dates or untyped nulls as text, `None` for other types.
pub(crate) fn text_of_numbers(column: &dyn Array) -> Result<Option<ArrayRef>, Error> {
    if !is_number(column.data_type()) && !column.data_type().is_null() {
        return Ok(None);
    }
    let days = days(column)?;
    let text = cast(days.as_deref().unwrap_or(column), &DataType::LargeUtf8);
    // This fails for a date with too large a year.
    Ok(Some(text.map_err(|_| Error::Values { column: None, wanted: "dates of the calendar".to_owned() })?))
}

/// Returns a column of numbers or dates as eight big-endian bytes per row, `None` for other types.
pub(crate) fn bytes_of_numbers(column: &dyn Array) -> Result<Option<FixedSizeBinaryArray>, Error> {
    if !is_number(column.data_type()) {
        return Ok(None);
    }
    let days = days(column)?;
    let numbers: Int64Array = match column.data_type() {
        DataType::UInt64 => column.as_primitive::<UInt64Type>().unary(u64::cast_signed),
        _ => cast(days.as_deref().unwrap_or(column), &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
    };
    let bytes: Vec<_> = numbers.values().iter().map(|number| number.to_be_bytes()).collect();
    let (bytes, nulls) = (Buffer::from_vec(bytes.into_flattened()), numbers.nulls().cloned());
    Ok(Some(FixedSizeBinaryArray::try_new_with_len(8, bytes, nulls, numbers.len())?))
}

/// Returns a column of `Date64` as `Date32`, `None` for other types.
fn days(column: &dyn Array) -> Result<Option<ArrayRef>, Error> {
    let Some(dates) = column.as_primitive_opt::<Date64Type>() else { return Ok(None) };
    let wanted = || Error::Values { column: None, wanted: "whole days".to_owned() };
    let days = dates.try_unary::<_, Date32Type, _>(|milliseconds| {
        if milliseconds % DAY != 0 {
            return Err(wanted());
        }
        i32::try_from(milliseconds / DAY).map_err(|_| wanted())
    });
    Ok(Some(Arc::new(days?)))
}

/// Computes a column from a column's values. Each value of a dictionary with fewer values than rows is
/// computed once. If one fails, all rows are computed instead: the error has to name a row, and perhaps no
/// row has that value.
pub(crate) fn of_values(
    column: &dyn Array,
    compute: &dyn Fn(&dyn Array) -> Result<ArrayRef, Error>,
) -> Result<ArrayRef, Error> {
    match column.as_any_dictionary_opt() {
        Some(dictionary) if dictionary.values().len() < dictionary.len() => {
            match compute(dictionary.values()) {
                Ok(values) => Ok(take(&values, dictionary.keys(), None)?),
                Err(_) => compute(&*plain(column)?),
            }
        }
        Some(_) => compute(&*plain(column)?),
        None => compute(column),
    }
}

/// Returns the rows of a dictionary as a column of its values' type.
pub(crate) fn plain(dictionary: &dyn Array) -> Result<ArrayRef, Error> {
    let dictionary = dictionary.as_any_dictionary();
    Ok(take(dictionary.values(), dictionary.keys(), None)?)
}

/// Runs the jobs, on all cores with the feature `parallel`. Returns the error of the first job that fails.
pub(crate) fn each<J: Send>(
    jobs: impl Iterator<Item = J> + Send,
    run: impl Fn(J) -> Result<(), Error> + Send + Sync,
) -> Result<(), Error> {
    #[cfg(feature = "parallel")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        // `try_for_each` would return the error that is found first in time.
        jobs.collect::<Vec<_>>().into_par_iter().map(run).find_first(Result::is_err).unwrap_or(Ok(()))
    }
    #[cfg(not(feature = "parallel"))]
    {
        let mut jobs = jobs;
        jobs.try_for_each(run)
    }
}
