//! The handshake messages that may follow a handshake.

use super::Side;
use crate::alert::Alert;
use crate::error::Error;
use crate::record::Version;
use keylane_cpu::constant_time::declassify;

/// The length of a message's type and length fields.
pub(super) const HEADER_LEN: usize = 4;
/// The longest message that is put together from several records.
const MAX_LEN: usize = 0xffff;

const HELLO_REQUEST: u8 = 0;
const CLIENT_HELLO: u8 = 1;
const NEW_SESSION_TICKET: u8 = 4;
const KEY_UPDATE: u8 = 24;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Message<'a> {
    KeyUpdate(KeyUpdate),
    /// A ticket message's body.
    NewSessionTicket(&'a [u8]),
    /// TLS 1.2: a client's ClientHello, or a server's HelloRequest.
    RenegotiationRequest,
}

/// The kinds of KeyUpdate (RFC 8446 §4.6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyUpdate {
    NotRequested = 0,
    /// Asks the other end to renew its keys as well.
    Requested = 1,
}

impl KeyUpdate {
    pub(super) const fn message(self) -> [u8; HEADER_LEN + 1] {
        [KEY_UPDATE, 0, 0, 1, self as u8]
    }
}

/// Returns the first message of `bytes` and the bytes after it, or `None` if more bytes are needed. A type
/// that `side` does not accept and an impossible length are refused before the body arrives.
pub(super) fn first(
    bytes: &[u8],
    version: Version,
    side: Side,
) -> Result<Option<(Message<'_>, &[u8])>, Error> {
    let Some(&kind) = bytes.first() else { return Ok(None) };
    let kind = declassify(kind);
    let allowed = match (version, side) {
        (Version::Tls13, Side::Client) => kind == KEY_UPDATE || kind == NEW_SESSION_TICKET,
        (Version::Tls13, Side::Server) => kind == KEY_UPDATE,
        (Version::Tls12, Side::Client) => kind == HELLO_REQUEST,
        (Version::Tls12, Side::Server) => kind == CLIENT_HELLO,
    };
    if !allowed {
        let what = "a handshake message that is not allowed after the handshake";
        return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, what));
    }
    let Some(&[_, high, mid, low]) = bytes.first_chunk() else { return Ok(None) };
    let len = declassify(u32::from_be_bytes([0, high, mid, low])) as usize;
    let possible = match kind {
        KEY_UPDATE => len == 1,
        HELLO_REQUEST => len == 0,
        _ => len <= MAX_LEN,
    };
    if !possible {
        return Err(Error::protocol(Alert::DECODE_ERROR, "a handshake message of an impossible length"));
    }
    let Some((body, rest)) = bytes[HEADER_LEN..].split_at_checked(len) else { return Ok(None) };
    let message = match (kind, body) {
        (KEY_UPDATE, &[request]) => Message::KeyUpdate(match declassify(request) {
            0 => KeyUpdate::NotRequested,
            1 => KeyUpdate::Requested,
            _ => return Err(Error::protocol(Alert::ILLEGAL_PARAMETER, "a key update of an unknown kind")),
        }),
        (NEW_SESSION_TICKET, body) => Message::NewSessionTicket(body),
        _ => Message::RenegotiationRequest,
    };
    Ok(Some((message, rest)))
}
