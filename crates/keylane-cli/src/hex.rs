//! Bytes as hexadecimal digits.

use std::fmt::Write;

/// Returns lower-case digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Decodes digits in either case; `None` unless they are pairs of digits.
pub(crate) fn decode(hex: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = hex.as_chunks::<2>() else { return None };
    // A secret leaves no copies behind: digits are checked first, and the buffer never grows.
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut bytes = Vec::with_capacity(pairs.len());
    for &[high, low] in pairs {
        bytes.push(digit(high)? << 4 | digit(low)?);
    }
    Some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    (character as char).to_digit(16).map(|digit| digit as u8)
}
