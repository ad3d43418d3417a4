//! The error type.

use arrow_schema::{ArrowError, DataType};
use std::fmt;

/// The reason why a column could not be hashed, sealed or opened. It contains no key and no value of the
/// column.
#[non_exhaustive]
#[derive(Debug)]
pub enum Error {
    /// The function does not accept the column's type.
    Type {
        /// The column's name, if it is known.
        column: Option<String>,
        /// The column's type.
        data_type: DataType,
    },
    /// The column has a value that the requested type or notation cannot represent.
    Values {
        /// The column's name, if it is known.
        column: Option<String>,
        /// The requested type or notation.
        wanted: String,
    },
    /// A row was not sealed under this key, this column's name and a type of this kind, or has been changed.
    Rejected {
        /// The column.
        column: String,
        /// The row's number in the array, counted from 0.
        row: usize,
    },
    /// The result is too long for its type's offsets, which end at 2 GiB: use smaller batches or a `Large`
    /// type.
    TooLong {
        /// The column's name, if it is known.
        column: Option<String>,
    },
    /// The key ring has no key of this name.
    NoKey {
        /// The requested name.
        name: String,
    },
    /// A key could not be read.
    Key {
        /// The key's source: a file or an environment variable.
        place: String,
        /// The reason.
        reason: String,
    },
    /// A parameter has a value that is not allowed.
    Parameter(String),
    /// An error of the crate `keylane`.
    Keylane(keylane::Error),
    /// An error of Arrow.
    Arrow(ArrowError),
}

impl Error {
    /// Adds the column's name, unless it is known already.
    #[must_use]
    pub fn in_column(mut self, name: &str) -> Self {
        if let Self::Type { column, .. } | Self::Values { column, .. } | Self::TooLong { column } = &mut self
        {
            column.get_or_insert_with(|| name.to_owned());
        }
        self
    }
}

/// Returns "column `email`", or "a column" without a name.
fn of(column: Option<&String>) -> String {
    column.map_or_else(|| "a column".to_owned(), |name| format!("column `{name}`"))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { column, data_type } => write!(
                f,
                "{} has the type {data_type}, which has no bytes of its own: cast it to a string, bytes, an \
                 integer or a date",
                of(column.as_ref())
            ),
            Self::Values { column, wanted } => {
                write!(f, "{} holds values that are not {wanted}", of(column.as_ref()))
            }
            Self::Rejected { column, row } => write!(
                f,
                "column `{column}`, row {row}: not sealed under this key, name and kind of type, or changed"
            ),
            Self::TooLong { column } => write!(
                f,
                "{}: the result has more than 2 GiB: use smaller batches, or cast it to a large type",
                of(column.as_ref())
            ),
            Self::NoKey { name } => write!(f, "the key ring has no key named `{name}`"),
            Self::Key { place, reason } => write!(f, "no key in {place}: {reason}"),
            Self::Parameter(what) => f.write_str(what),
            Self::Keylane(error) => error.fmt(f),
            Self::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Keylane(error) => Some(error),
            Self::Arrow(error) => Some(error),
            _ => None,
        }
    }
}

impl From<keylane::Error> for Error {
    fn from(error: keylane::Error) -> Self {
        Self::Keylane(error)
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::OffsetOverflowError(_) => Self::TooLong { column: None },
            error => Self::Arrow(error),
        }
    }
}
