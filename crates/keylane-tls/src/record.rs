//! TLS records (RFC 8446 §5, RFC 5246 §6.2, RFC 5288, RFC 7905): each type handles one direction, without
//! I/O.
//!
//! A [`RecordSealer`] gathers the caller's slices into a sealed record, in one pass over the data. A
//! [`RecordOpener`] opens a record in place. Neither stores bytes, sends alerts or renews keys:
//! [`session`](crate::session) does.
//!
//! ```
//! # fn main() -> Result<(), keylane_tls::Error> {
//! use keylane_tls::record::{Cipher, ContentType, HEADER_LEN, TrafficKeys, Version};
//! use keylane_tls::record::{RecordOpener, RecordSealer};
//!
//! let keys = TrafficKeys::new(Cipher::Aes128Gcm, &[7; 16], &[9; 12])?; // from the key schedule
//! let mut sealer = RecordSealer::new(Version::Tls13, &keys, 0);
//! let mut record = [0; 64];
//! let len = sealer.seal(ContentType::ApplicationData, &[b"attack ", b"at dawn"], &mut record)?;
//!
//! let mut opener = RecordOpener::new(Version::Tls13, &keys, 0);
//! assert_eq!(opener.record_len(*record.first_chunk::<HEADER_LEN>().unwrap())?, len);
//! let (content, place) = opener.open(&mut record[..len])?;
//! assert_eq!((content, &record[place]), (ContentType::ApplicationData, &b"attack at dawn"[..]));
//! # Ok(())
//! # }
//! ```

mod cipher;
mod header;
mod opener;
mod sealer;
mod sequence;

pub(crate) use cipher::Key;
pub use cipher::{Cipher, TrafficKeys};
pub use header::{ContentType, HEADER_LEN, Version};
pub use opener::RecordOpener;
pub use sealer::RecordSealer;
pub(crate) use sequence::NonceBase;

/// The maximum length of a record's plaintext: 2^14 bytes (RFC 8446 §5.1).
pub const MAX_PLAINTEXT_LEN: usize = 1 << 14;

/// The maximum length of a TLS 1.2 record from a peer, in bytes, header included: RFC 5246 §6.2.3 allows 2048
/// bytes of expansion. TLS 1.3's are shorter.
pub const MAX_RECORD_LEN: usize = HEADER_LEN + MAX_PLAINTEXT_LEN + 2048;

/// The length of an AEAD's tag, in bytes.
pub(crate) const TAG_LEN: usize = 16;
