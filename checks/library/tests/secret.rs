//! Keys and passphrases from files.

use keylane::secret::{read_key, read_text};
use std::io::{self, ErrorKind, Read};

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn text_is_what_would_be_typed() {
    for (file, text) in [
        ("p", "p"),
        ("p\n", "p"),
        ("p\r\n", "p"),
        ("p\n\n", "p\n"),
        ("p\r", "p\r"),
        ("p ", "p "),
        ("\r", "\r"),
        ("\r\n", ""),
        ("", ""),
        ("gr\u{fc}n \u{20ac} \u{1f511}\r\n", "gr\u{fc}n \u{20ac} \u{1f511}"),
    ] {
        for file in [
            file.as_bytes().to_vec(),
            format!("\u{feff}{file}").into_bytes(),
            utf16(file, u16::to_le_bytes),
            utf16(file, u16::to_be_bytes),
        ] {
            assert_eq!(*read_text(&file[..]).unwrap(), text.as_bytes(), "{file:x?}");
        }
    }
    // Without a mark, bytes in any encoding.
    assert_eq!(*read_text(&b"gr\xfcn\n"[..]).unwrap(), b"gr\xfcn");
    for file in [
        // Half a character, half a pair of surrogates, UTF-32.
        &b"\xff\xfep"[..],
        b"\xff\xfe\x3d\xd8",
        b"\xff\xfe\0\0p\0\0\0",
    ] {
        assert_eq!(read_text(file).unwrap_err().kind(), ErrorKind::InvalidData, "{file:x?}");
    }
}

#[test]
fn a_key_is_bytes() {
    let digits = "000102030405060708090a0b0c0d0e0f\r\n";
    for text in [
        format!("\u{feff}{digits}").into_bytes(),
        utf16(digits, u16::to_le_bytes),
        utf16(digits, u16::to_be_bytes),
    ] {
        assert_eq!(read_key(&text[..]).unwrap_err().kind(), ErrorKind::InvalidData, "{text:x?}");
    }
    let random: [u8; 32] = std::array::from_fn(|i| (i as u8).wrapping_mul(151) ^ 0x5a);
    for mark in [&b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"] {
        let key = [mark, &random].concat();
        assert_eq!(*read_key(&key[..]).unwrap(), key);
    }
    assert_eq!(*read_key(digits.as_bytes()).unwrap(), digits.as_bytes());
}

#[test]
fn no_source_is_read_without_end() {
    assert_eq!(read_key(io::repeat(7).take(1 << 20)).unwrap().len(), 1 << 20);
    for error in [read_key(io::repeat(7)), read_text(io::repeat(7))] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
