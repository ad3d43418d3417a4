//! Why a connection failed, in one line, with advice.

use crate::status::{Failure, reason};
use keylane_tls::{Alert, Error};
use rustls::{CertificateError, OtherError};
use std::{error, io};

/// How the handshake with `peer` failed. A certificate that is not accepted is a failed verification.
pub(crate) fn handshake_failure(peer: &str, error: &io::Error) -> Failure {
    match Error::of(error) {
        Some(Error::Handshake(rustls::Error::InvalidCertificate(why))) => {
            Failure::VerificationFailed(format!("{peer}: {}", certificate(why)))
        }
        _ => Failure::input(format_args!("{peer}: {}", explain_handshake(error))),
    }
}

/// What went wrong in a handshake.
pub(crate) fn explain_handshake(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        "the peer hung up in the handshake".to_owned()
    } else {
        explain(error)
    }
}

/// What went wrong, without the peer's name.
pub(crate) fn explain(error: &io::Error) -> String {
    match Error::of(error) {
        Some(Error::Truncated) => "truncated: the peer went away without close_notify".to_owned(),
        Some(Error::AlertReceived(alert)) => format!("the peer sent the alert {alert}"),
        Some(Error::Handshake(rustls::Error::AlertReceived(alert))) => {
            format!("the peer sent the alert {}", Alert(u8::from(*alert)))
        }
        Some(Error::Handshake(rustls::Error::InvalidMessage(why))) => {
            format!("the peer does not speak TLS ({why:?})")
        }
        Some(Error::Handshake(error)) => format!("no TLS connection: {error}"),
        Some(error) => error.to_string(),
        None if error.kind() == io::ErrorKind::UnexpectedEof => "the peer hung up".to_owned(),
        None => reason(error),
    }
}

/// What went wrong in hyper, which wraps what its transport says.
pub(crate) fn explain_http(error: &(dyn error::Error + 'static)) -> String {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref() {
            return explain(error);
        }
        cause = error.source();
    }
    error.to_string()
}

fn certificate(why: &CertificateError) -> String {
    match why {
        // The signature is also wrong if the issuer has the name of a trusted one but another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => "the peer's certificate is not \
            trusted: no trusted authority has issued it (--ca FILE names a certificate to trust)"
            .to_owned(),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            // The names come from the peer, and may hold a terminal's control sequences.
            let why = escape(&why.to_string());
            format!("the peer's certificate has another name: {why} (--name NAME expects another)")
        }
        CertificateError::Other(OtherError(why)) if is_authority(&**why) => {
            "the peer's certificate is an authority's (CA:TRUE), which cannot be a server's too, \
             even if --ca trusts it: give the server one with CA:FALSE (`openssl req -x509` makes it with \
             `-addext basicConstraints=critical,CA:FALSE`)"
                .to_owned()
        }
        CertificateError::Other(OtherError(why)) => {
            format!("the peer's certificate is not accepted: {}", escape(&why.to_string()))
        }
        _ => format!("the peer's certificate is not accepted: {}", escape(&why.to_string())),
    }
}

/// Without what a terminal would obey, or show in another order.
fn escape(text: &str) -> String {
    let escape =
        |c: char| if matches!(c, ' '..='~') { c.to_string() } else { c.escape_default().to_string() };
    text.chars().map(escape).collect()
}

/// rustls has no specific error for this one.
fn is_authority(why: &(dyn error::Error + 'static)) -> bool {
    why.downcast_ref() == Some(&webpki::Error::CaUsedAsEndEntity)
}
