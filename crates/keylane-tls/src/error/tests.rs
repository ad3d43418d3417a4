//! Unit tests of errors.

use super::*;
use std::error::Error as _;

#[test]
fn an_error_says_what_happened_and_what_it_comes_from() {
    let protocol = Error::protocol(Alert::DECODE_ERROR, "a message that cannot be read");
    let handshake = Error::Handshake(rustls::Error::HandshakeNotComplete);
    let primitive = Error::Primitive(keylane::Error::AuthenticationFailed);
    for (error, says, has_source) in [
        (&protocol, "a message that cannot be read (decode_error)", false),
        (&Error::AlertReceived(Alert(99)), "the peer ended the connection with the alert 99", false),
        (&Error::Truncated, "the connection was cut off: its transport ended without a close_notify", false),
        (&Error::Closed, "the connection is closed in this direction", false),
        (&Error::Unsupported("no such suite"), "no such suite", false),
        (&handshake, "the handshake failed: handshake not complete", true),
        (&primitive, "authentication failed", true),
    ] {
        assert_eq!(error.to_string(), says);
        assert_eq!(error.source().is_some(), has_source, "{says}");
    }
    assert!(Error::KeysExhausted.to_string().contains("TLS 1.2"));
}
