//! A connection's options.

use crate::record::MAX_PLAINTEXT_LEN;

/// A connection's options, in addition to its rustls configuration.
///
/// ```
/// use keylane_tls::{Options, session::RecordSizing};
///
/// let mut options = Options::default();
/// options.record_sizing = RecordSizing::Fixed; // for transfers that are long from the start
/// options.records_per_key = 1 << 20;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The length of the records that are sent.
    pub record_sizing: RecordSizing,
    /// The maximum length of a sent record's plaintext, in bytes: 1 to 2^14, the default. Larger values count
    /// as 2^14, 0 counts as 1.
    pub max_fragment_len: usize,
    /// The number of records after which the keys are renewed: at least 2, at most
    /// [`Cipher::records_per_key`](crate::record::Cipher::records_per_key) (2^24 with AES-GCM), the default.
    /// A TLS 1.2 connection, whose keys cannot be renewed, ends there.
    pub records_per_key: u64,
    /// Whether the transport's end counts as the data's end even without the peer's `close_notify`, as some
    /// old HTTP servers require.
    ///
    /// # Security
    /// Anyone who can interrupt the transport can then truncate the data unnoticed. Use this only for
    /// protocols that mark the end of their data themselves.
    pub allow_truncation: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            record_sizing: RecordSizing::Dynamic,
            max_fragment_len: MAX_PLAINTEXT_LEN,
            records_per_key: u64::MAX,
            allow_truncation: false,
        }
    }
}

/// The length of the records that are sent.
///
/// ```
/// use keylane_tls::{Options, session::RecordSizing};
///
/// assert_eq!(Options::default().record_sizing, RecordSizing::Dynamic);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordSizing {
    /// The first record fits into one TCP segment, so that the peer can open it as it arrives. Each later
    /// record may be one segment longer, until the fourteenth, which may have full size. This begins again
    /// after a second in which every record fitted into a segment.
    Dynamic,
    /// Records as long as the data and [`Options::max_fragment_len`] allow.
    Fixed,
}
