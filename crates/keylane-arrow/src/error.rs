//! The error type.

use arrow_schema::{ArrowError, DataType};
use std::fmt;

/// The reason why a column could not be hashed, sealed or opened. Holds no key and no value of the column.
#[non_exhaustive]
#[derive(Debug)]
pub enum Error {
    /// The column's type is not one that the function takes.
    Type {
        /// The column, if the caller said its name.
        column: Option<String>,
        /// Its type.
        data_type: DataType,
    },
    /// The column holds a value that the type or the notation that it becomes does not have.
    Values {
        /// The column, if the caller said its name.
        column: Option<String>,
        /// The type that the values had to have.
        wanted: String,
    },
    /// A row was not sealed under this key, this column's name and a type of this kind, or has been changed.
    Rejected {
        /// The column.
        column: String,
        /// The number of the row in the array, from 0.
        row: usize,
    },
    /// The result has more bytes than the offsets of its type can count: use smaller batches or a `Large`
    /// type.
    TooLong {
        /// The column, if the caller said its name.
        column: Option<String>,
    },
    /// The key ring has no key of this name.
    NoKey {
        /// The name that was asked for.
        name: String,
    },
    /// A key could not be read.
    Key {
        /// Where it should be: a file or a variable of the environment.
        place: String,
        /// The reason why it is refused.
        reason: String,
    },
    /// A parameter has a value that is not allowed.
    Parameter(String),
    /// An error of the library.
    Keylane(keylane::Error),
    /// An error of Arrow.
    Arrow(ArrowError),
}

impl Error {
    /// Adds the column's name, where it is not known yet.
    #[must_use]
    pub fn in_column(mut self, name: &str) -> Self {
        if let Self::Type { column, .. } | Self::Values { column, .. } | Self::TooLong { column } = &mut self
        {
            column.get_or_insert_with(|| name.to_owned());
        }
        self
    }
}

/// "column `email`", or "a column".
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
