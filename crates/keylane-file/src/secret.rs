//! Secrets from files, pipes and devices: keys, and passphrases that a program wrote.
//!
//! ```no_run
//! use keylane_file::{Key, secret};
//! use std::fs::File;
//!
//! let file = File::open("backup.key")?;
//! if let Some(mode) = secret::open_mode(&file) {
//!     eprintln!("warning: backup.key (mode {mode:03o}) is readable by others");
//! }
//! let secret = secret::read_key(file)?;
//! let key = Key::File(&secret);
//! # Ok::<(), std::io::Error>(())
//! ```

use crate::MAX_KEY_FILE_LEN;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use zeroize::Zeroizing;

/// Reads a key, of which every byte counts. The result is empty if the source is.
///
/// # Errors
/// Those of the source; [`ErrorKind::FileTooLarge`] after 1 MiB; [`ErrorKind::InvalidData`] for ASCII text
/// behind a byte order mark, as Windows PowerShell's `>` writes it: these are hardly the bytes that were meant.
/// Of random keys of 32 bytes, fewer than one in 2^63 is refused.
pub fn read_key(source: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let key = read(source)?;
    let is_printed = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match utf8(key.clone()) {
        Ok(text) if text.len() < key.len() && text.iter().all(is_printed) => {
            Err(invalid("text with a byte order mark, as PowerShell writes it: save it without the mark"))
        }
        _ => Ok(key),
    }
}

/// Reads a passphrase, or another secret that is text, by [`utf8`] and without a newline (`\n` or `\r\n`) at
/// its end, which editors add. The result is empty if the source is.
///
/// # Errors
/// Those of the source and of [`utf8`]; [`ErrorKind::FileTooLarge`] after 1 MiB; [`ErrorKind::InvalidData`] if
/// there is nothing but a newline.
pub fn read_text(source: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut text = utf8(read(source)?)?;
    if text.pop_if(|byte| *byte == b'\n').is_some() {
        text.pop_if(|byte| *byte == b'\r');
        if text.is_empty() {
            return Err(invalid("nothing but a newline"));
        }
    }
    Ok(text)
}

/// Returns the text without its byte order mark, and in UTF-8 where the mark says UTF-16. A text without a mark
/// stays as it is, in any encoding.
///
/// # Errors
/// [`ErrorKind::InvalidData`] for malformed UTF-16, and for a NUL in it, as UTF-32 has.
pub fn utf8(mut text: Zeroizing<Vec<u8>>) -> io::Result<Zeroizing<Vec<u8>>> {
    let (unit, bytes): (fn([u8; 2]) -> u16, _) = match &text[..] {
        [0xef, 0xbb, 0xbf, ..] => {
            text.drain(..3);
            return Ok(text);
        }
        [0xff, 0xfe, bytes @ ..] => (u16::from_le_bytes, bytes),
        [0xfe, 0xff, bytes @ ..] => (u16::from_be_bytes, bytes),
        _ => return Ok(text),
    };
    let malformed = || invalid("malformed UTF-16 after a byte order mark");
    let (units, []) = bytes.as_chunks() else { return Err(malformed()) };
    // Reserved first, as in `read`: a unit becomes three bytes at most.
    let mut decoded = Zeroizing::new(Vec::with_capacity(3 * units.len()));
    for character in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
        let character = character.ok().filter(|&it| it != '\0').ok_or_else(malformed)?;
        decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(decoded)
}

/// Returns the mode of a file that its group or others can read, for a warning. On Windows there are no modes.
#[must_use]
pub fn open_mode(file: &File) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = file.metadata().ok()?;
        (metadata.is_file() && metadata.mode() & 0o044 != 0).then(|| metadata.mode() & 0o7777)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Reads all of it, into memory that is reserved first: a buffer that grew would leave copies behind.
fn read(mut source: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut buffer = Zeroizing::new(vec![0; MAX_KEY_FILE_LEN + 1]);
    let mut len = 0;
    while len < buffer.len() {
        match source.read(&mut buffer[len..]) {
            Ok(0) => return Ok(Zeroizing::new(buffer[..len].to_vec())),
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let reason = format!("longer than {MAX_KEY_FILE_LEN} bytes");
    Err(io::Error::new(ErrorKind::FileTooLarge, reason))
}

fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            &b"\n"[..],
            b"\r\n",
            b"\xef\xbb\xbf\r\n",
            b"\xff\xfe\n\0",
            // Half a character, half a pair of surrogates, UTF-32.
            b"\xff\xfep",
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
}
