//! Reads handshake messages for facts that rustls does not report. Malformed messages are ignored here:
//! rustls refuses them.

use crate::record::HEADER_LEN;
use core::iter;

/// The length of the random bytes of a ClientHello and of a ServerHello.
pub(super) const RANDOM_LEN: usize = 32;

/// Splits bytes into records, as far as they are complete.
pub(super) fn records(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    iter::from_fn(move || {
        let &[_, _, _, high, low] = bytes.first_chunk()?;
        let len = HEADER_LEN + usize::from(u16::from_be_bytes([high, low]));
        let (record, rest) = bytes.split_at_checked(len)?;
        bytes = rest;
        Some(record)
    })
}

/// The received part of a message, which may span any number of records.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// Adds a record's contents. When the message is complete, passes its body to `read` and forgets it.
    pub(super) fn add<R>(&mut self, part: &[u8], read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.0.extend(part);
        let mut message = &self.0[..];
        take(&mut message, 1)?;
        let read = read(take_vector(&mut message, 3)?);
        self.0 = Vec::new();
        Some(read)
    }
}

/// Returns the random bytes of a ServerHello (RFC 8446 §4.1.3), after its version.
pub(super) fn server_random(body: &[u8]) -> Option<[u8; RANDOM_LEN]> {
    body.get(2..)?.first_chunk().copied()
}

/// Returns the extensions of a ClientHello (RFC 8446 §4.1.2).
pub(super) fn of_client_hello(mut body: &[u8]) -> Option<&[u8]> {
    take(&mut body, 2 + RANDOM_LEN)?; // version, random bytes
    take_vector(&mut body, 1)?; // session
    take_vector(&mut body, 2)?; // cipher suites
    take_vector(&mut body, 1)?; // compression
    take_vector(&mut body, 2)
}

/// Returns the contents of an extension.
pub(super) fn extension(mut extensions: &[u8], kind: u8) -> Option<&[u8]> {
    loop {
        let found = take(&mut extensions, 2)? == [0, kind];
        let contents = take_vector(&mut extensions, 2)?;
        if found {
            return Some(contents);
        }
    }
}

/// Returns the extensions of EncryptedExtensions (RFC 8446 §4.3.1).
pub(super) fn of_encrypted(mut body: &[u8]) -> Option<&[u8]> {
    take_vector(&mut body, 2)
}

/// Takes the first `len` bytes.
fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// Takes as many bytes as the first `len_bytes` of them say.
fn take_vector<'a>(bytes: &mut &'a [u8], len_bytes: usize) -> Option<&'a [u8]> {
    let len = take(bytes, len_bytes)?.iter().fold(0, |len, &byte| len << 8 | usize::from(byte));
    take(bytes, len)
}
