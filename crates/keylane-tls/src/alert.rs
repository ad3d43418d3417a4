//! Alerts, the messages with which one end tells the other why it ends the connection.

use core::fmt;

/// An alert's description (RFC 8446 §6, RFC 5246 §7.2): its number in the protocol.
///
/// ```
/// use keylane_tls::Alert;
///
/// assert_eq!(Alert(20), Alert::BAD_RECORD_MAC);
/// assert_eq!(Alert(20).name(), Some("bad_record_mac"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alert(pub u8);

/// Defines numbers and names from one list.
macro_rules! alerts {
    ($($number:literal $constant:ident $name:literal)*) => {
        impl Alert {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: Self = Self($number);)*

            /// Returns the alert's name in the standards, `None` for a number without one.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($name),)*
                    _ => None,
                }
            }
        }
    };
}

alerts! {
    0 CLOSE_NOTIFY "close_notify"
    10 UNEXPECTED_MESSAGE "unexpected_message"
    20 BAD_RECORD_MAC "bad_record_mac"
    22 RECORD_OVERFLOW "record_overflow"
    40 HANDSHAKE_FAILURE "handshake_failure"
    42 BAD_CERTIFICATE "bad_certificate"
    43 UNSUPPORTED_CERTIFICATE "unsupported_certificate"
    44 CERTIFICATE_REVOKED "certificate_revoked"
    45 CERTIFICATE_EXPIRED "certificate_expired"
    46 CERTIFICATE_UNKNOWN "certificate_unknown"
    47 ILLEGAL_PARAMETER "illegal_parameter"
    48 UNKNOWN_CA "unknown_ca"
    49 ACCESS_DENIED "access_denied"
    50 DECODE_ERROR "decode_error"
    51 DECRYPT_ERROR "decrypt_error"
    70 PROTOCOL_VERSION "protocol_version"
    71 INSUFFICIENT_SECURITY "insufficient_security"
    80 INTERNAL_ERROR "internal_error"
    86 INAPPROPRIATE_FALLBACK "inappropriate_fallback"
    90 USER_CANCELED "user_canceled"
    100 NO_RENEGOTIATION "no_renegotiation"
    109 MISSING_EXTENSION "missing_extension"
    110 UNSUPPORTED_EXTENSION "unsupported_extension"
    112 UNRECOGNIZED_NAME "unrecognized_name"
    113 BAD_CERTIFICATE_STATUS_RESPONSE "bad_certificate_status_response"
    115 UNKNOWN_PSK_IDENTITY "unknown_psk_identity"
    116 CERTIFICATE_REQUIRED "certificate_required"
    120 NO_APPLICATION_PROTOCOL "no_application_protocol"
}

impl fmt::Display for Alert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => self.0.fmt(f),
        }
    }
}

/// An alert's severity, which TLS 1.3 ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Warning = 1,
    Fatal = 2,
}
