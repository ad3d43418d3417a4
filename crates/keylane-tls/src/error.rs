//! Errors that end a connection.

use crate::alert::Alert;
use std::{error, fmt, io};

/// A connection's failure. Streams return it inside an [`io::Error`], whose kind says how the connection
/// ended:
///
/// | kind | error |
/// |---|---|
/// | `UnexpectedEof` | [`Truncated`](Self::Truncated) |
/// | `ConnectionAborted` | [`AlertReceived`](Self::AlertReceived) |
/// | `BrokenPipe` | [`Closed`](Self::Closed), [`KeysExhausted`](Self::KeysExhausted) |
/// | `InvalidData` | [`Protocol`](Self::Protocol), [`Handshake`](Self::Handshake) |
/// | `InvalidInput` | [`Unsupported`](Self::Unsupported), [`Primitive`](Self::Primitive) |
///
/// ```
/// use keylane_tls::Error;
/// use std::io;
///
/// /// Whether what was received up to `error` is all that the peer had to say.
/// fn was_cut_off(error: &io::Error) -> bool {
///     matches!(Error::of(error), Some(Error::Truncated))
/// }
/// assert!(was_cut_off(&Error::Truncated.into()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The peer broke the protocol, or a record was changed on the way. The alert was sent if the transport
    /// accepted it and this end had not closed before.
    Protocol {
        /// The alert for the peer.
        alert: Alert,
        /// The peer's violation of the protocol.
        what: &'static str,
    },
    /// The peer ended the connection with an alert other than `close_notify`.
    AlertReceived(Alert),
    /// The transport ended without `close_notify`: the end of the data may be missing.
    Truncated,
    /// This direction was closed, or the connection failed, before the call.
    Closed,
    /// A TLS 1.2 connection's keys have sealed the maximum number of records, and `close_notify` was sent.
    /// Connect anew to continue.
    KeysExhausted,
    /// The operation does not exist in this version of TLS, or not in this state.
    Unsupported(&'static str),
    /// The handshake failed.
    Handshake(rustls::Error),
    /// A key or a buffer has the wrong length, or there are too many slices.
    Primitive(keylane::Error),
}

impl Error {
    pub(crate) const fn protocol(alert: Alert, what: &'static str) -> Self {
        Self::Protocol { alert, what }
    }

    /// Returns the alert for the peer: see [`Protocol`](Self::Protocol).
    #[must_use]
    pub const fn alert_sent(&self) -> Option<Alert> {
        match self {
            Self::Protocol { alert, .. } => Some(*alert),
            _ => None,
        }
    }

    /// Returns the TLS error inside an error that a stream returned; `None` if the transport failed.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol { alert, what } => write!(f, "{what} ({alert})"),
            Self::AlertReceived(alert) => write!(f, "the peer ended the connection with the alert {alert}"),
            Self::Truncated => {
                f.write_str("the connection was cut off: its transport ended without a close_notify")
            }
            Self::Closed => f.write_str("the connection is closed in this direction"),
            Self::KeysExhausted => {
                f.write_str("the keys have sealed their last record, and TLS 1.2 cannot renew them")
            }
            Self::Unsupported(what) => f.write_str(what),
            Self::Handshake(error) => write!(f, "the handshake failed: {error}"),
            Self::Primitive(error) => error.fmt(f),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Handshake(error) => Some(error),
            Self::Primitive(error) => Some(error),
            _ => None,
        }
    }
}

impl From<keylane::Error> for Error {
    fn from(error: keylane::Error) -> Self {
        Self::Primitive(error)
    }
}

impl From<rustls::Error> for Error {
    fn from(error: rustls::Error) -> Self {
        Self::Handshake(error)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Truncated => io::ErrorKind::UnexpectedEof,
            Error::AlertReceived(_) => io::ErrorKind::ConnectionAborted,
            Error::Closed | Error::KeysExhausted => io::ErrorKind::BrokenPipe,
            Error::Protocol { .. } | Error::Handshake(_) => io::ErrorKind::InvalidData,
            Error::Unsupported(_) | Error::Primitive(_) => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}

#[cfg(test)]
mod tests;
