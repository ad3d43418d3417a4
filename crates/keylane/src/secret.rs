//! Reads keys and passphrases from files, pipes and devices.
//!
//! ```no_run
//! use keylane::hmac::HmacKey;
//! use keylane::{secret, sha2::Sha256};
//! use std::fs::File;
//!
//! let file = File::open("webhooks.key")?;
//! if let Some(mode) = secret::open_mode(&file) {
//!     eprintln!("warning: webhooks.key (mode {mode:03o}) is readable by others");
//! }
//! let key = HmacKey::<Sha256>::new(&secret::read_key(file)?);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use zeroize::Zeroizing;

/// The maximum length of a secret in bytes, far longer than any key: a longer file is the wrong one.
const MAX_LEN: usize = 1 << 20;

/// Reads a key, which consists of all bytes of the source. The result is empty if the source is.
///
/// # Errors
/// The source's errors; [`ErrorKind::FileTooLarge`] after 1 MiB; [`ErrorKind::InvalidData`] for ASCII text
/// after a byte order mark, as Windows PowerShell's `>` writes it: another program would write the same text
/// as other bytes. Fewer than one in 2^63 random keys of 32 bytes is refused.
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

/// Reads a passphrase or another secret that is text. Decodes it with [`utf8`] and removes a final newline
/// (`\n` or `\r\n`), which editors add. The result may be empty.
///
/// # Errors
/// The source's errors and those of [`utf8`]; [`ErrorKind::FileTooLarge`] after 1 MiB.
pub fn read_text(source: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut text = utf8(read(source)?)?;
    if text.pop_if(|byte| *byte == b'\n').is_some() {
        text.pop_if(|byte| *byte == b'\r');
    }
    Ok(text)
}

/// Returns the text without its byte order mark, converted to UTF-8 if the mark says UTF-16. A text without a
/// mark is returned unchanged, in any encoding.
///
/// # Errors
/// [`ErrorKind::InvalidData`] for malformed UTF-16, or for a NUL in it, which indicates UTF-32.
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
    let mut encoded = Zeroizing::new([0; 4]);
    for character in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
        let character = character.ok().filter(|&it| it != '\0').ok_or_else(malformed)?;
        decoded.extend_from_slice(character.encode_utf8(&mut encoded[..]).as_bytes());
    }
    Ok(decoded)
}

/// Returns a file's mode if its group or others can read it, for a warning; `None` otherwise, and always on
/// Windows.
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

/// Reads everything into memory that is reserved first: a growing buffer would leave copies behind.
fn read(mut source: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut buffer = Zeroizing::new(vec![0; MAX_LEN + 1]);
    let mut len = 0;
    while len < buffer.len() {
        match source.read(&mut buffer[len..]) {
            Ok(0) => return Ok(Zeroizing::new(buffer[..len].to_vec())),
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let reason = format!("longer than {MAX_LEN} bytes");
    Err(io::Error::new(ErrorKind::FileTooLarge, reason))
}

fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason)
}
