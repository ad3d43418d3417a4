//! What can be chosen for a connection.

use crate::record::MAX_PLAINTEXT_LEN;

/// What can be chosen for a connection beside what its rustls configuration says.
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
    /// How long the records are that are sent.
    pub record_sizing: RecordSizing,
    /// The longest plaintext of a record that is sent, in bytes: 1 to 2^14, the default. More counts as 2^14, 0 as 1.
    pub max_fragment_len: usize,
    /// Renews the keys after so many records: at least 2, at most the standard's limit (2^24 under AES-GCM), which is
    /// the default. A TLS 1.2 connection, whose keys cannot be renewed, ends there.
    pub records_per_key: u64,
    /// Takes the end of the transport for the end of the data even without the peer's `close_notify`, as some old HTTP
    /// servers need it.
    ///
    /// # Security
    /// Whoever can cut the transport can then cut the data, and nobody notices. Only for protocols that say by themselves
    /// where their data end.
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

/// How long the records are that are sent.
///
/// ```
/// use keylane_tls::{Options, session::RecordSizing};
///
/// assert_eq!(Options::default().record_sizing, RecordSizing::Dynamic);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordSizing {
    /// The first records fit into one segment of TCP, so that the peer can open them as they come; later ones grow. Full
    /// size comes after 128 KiB or 1000 records, and the first size again after a second in which nothing longer was sent.
    Dynamic,
    /// As long as the data and [`Options::max_fragment_len`] allow.
    Fixed,
}
