//! One record: forged, or authentic with anything in it.

use keylane_contracts::Choices;
use keylane_tls::record::{Cipher, HEADER_LEN, MAX_PLAINTEXT_LEN, MAX_RECORD_LEN, RecordOpener, Version};
use keylane_tls::session::{Side, Status};
use keylane_tls::{Alert, Error};
use keylane_tls_checks::fuzz::{known_key, known_keys, rustls_encrypter, rustls_record};
use keylane_tls_checks::terms::CIPHERS;

pub(crate) const VERSIONS: [Version; 2] = [Version::Tls13, Version::Tls12];

/// A record opens to what was sealed, or is refused as the standards say and wiped.
///
/// # Errors
/// The opener's.
///
/// # Panics
/// If a promise is broken.
pub fn tls_record(choices: &mut Choices<'_>) -> Result<Status, Error> {
    let version = *choices.one_of(&VERSIONS);
    if choices.any() {
        let (cipher, kind) = (*choices.one_of(&CIPHERS), 20 + choices.up_to(4) as u8);
        let mut record = if choices.any() { vec![kind, 3, 3, 0, 0] } else { Vec::new() };
        let framed = !record.is_empty();
        record.extend_from_slice(choices.rest());
        if framed {
            let len = (record.len() - HEADER_LEN).min(MAX_RECORD_LEN);
            record[3..HEADER_LEN].copy_from_slice(&(len as u16).to_be_bytes());
        }
        let opener = RecordOpener::new(version, &known_keys(cipher, Side::Client, 0), 0);
        if let Some(Ok(len)) = record.first_chunk().map(|&header| opener.record_len(header)) {
            assert!((HEADER_LEN..=MAX_RECORD_LEN).contains(&len));
        }
        return open(opener, record, None);
    }
    let cipher = *choices.one_of(&[Cipher::Aes256Gcm, Cipher::ChaCha20Poly1305]);
    let (sequence, kind) = (choices.any::<u64>() >> 1, choices.any());
    let kind = *choices.one_of(&[0, 21, 22, 23, kind]);
    let payload = payload(choices);
    let (key, iv) = known_key(Side::Client, 0);
    let record = rustls_record(&mut *rustls_encrypter(version, cipher, key, iv), kind, &payload, sequence);
    let opener = RecordOpener::new(version, &known_keys(cipher, Side::Client, 0), sequence);
    open(opener, record, Some(read_plainly(version, kind, &payload)))
}

/// Bytes as they come, and then enough of one kind to reach the lengths that matter.
pub(crate) fn payload(choices: &mut Choices<'_>) -> Vec<u8> {
    let (fill, len) = match (choices.any(), choices.up_to(7)) {
        (fill, 0) => (fill, MAX_PLAINTEXT_LEN - 2 + choices.up_to(3)),
        (fill, 1) => (fill, choices.up_to(MAX_PLAINTEXT_LEN + 300)),
        (fill, _) => (fill, 0),
    };
    let mut payload = choices.bytes(64);
    payload.resize(len.max(payload.len()), fill);
    payload
}

/// Opens a record. `expected` is what it holds or how it is refused, or `None` if it is forged.
fn open(
    mut opener: RecordOpener,
    mut record: Vec<u8>,
    expected: Option<Result<(u8, &[u8]), Alert>>,
) -> Result<Status, Error> {
    match opener.open(&mut record) {
        Ok((content, text)) => {
            assert_eq!(expected, Some(Ok((content as u8, &record[text]))));
            Ok(Status::Data)
        }
        Err(error) => {
            let alert = error.alert_sent().expect("the peer is told");
            assert!(expected.is_none_or(|expected| expected == Err(alert)), "another alert");
            let wiped = record.iter().skip(HEADER_LEN).all(|&byte| byte == 0);
            assert!(wiped, "what failed to open is still there");
            Err(error)
        }
    }
}

/// Reads the type and the content of a record that was sealed as `kind`, as the standards say.
pub(crate) fn read_plainly(version: Version, kind: u8, payload: &[u8]) -> Result<(u8, &[u8]), Alert> {
    let (content, inner) = match version {
        // Type 0 is padding: the type is before it.
        Version::Tls13 if kind == 0 => {
            let end = payload.iter().rposition(|&byte| byte != 0);
            (&payload[..end.unwrap_or(0)], end.map_or(0, |end| payload[end]))
        }
        _ => (payload, kind),
    };
    let known = (21..=23).contains(&inner);
    if payload.len() > MAX_PLAINTEXT_LEN && (known || version == Version::Tls13) {
        Err(Alert::RECORD_OVERFLOW)
    } else if known {
        Ok((inner, content))
    } else {
        Err(Alert::UNEXPECTED_MESSAGE)
    }
}
