//! A line of a list of checksums in the format of `sha256sum`: `HEX  name`.
//!
//! A name with a backslash, a newline or a carriage return is written with `\\`, `\n` or `\r` for them, and
//! the line begins with a backslash.

use crate::hex;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

/// A line of a list.
pub(crate) struct Entry {
    pub(crate) expected: Vec<u8>,
    pub(crate) name: OsString,
}

impl Entry {
    /// `None` if the line is not a checksum of `len` bytes, a space, a space or an asterisk, and a name.
    pub(crate) fn parse(line: &[u8], len: usize) -> Option<Self> {
        let line = line.trim_ascii_start();
        let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |line| (true, line));
        let (expected, rest) = line.split_at_checked(2 * len)?;
        let name = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b" *"))?;
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        // No file's name is empty or holds a NUL.
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        Some(Self { expected: hex::decode(expected)?, name: os_string(name)? })
    }
}

pub(crate) fn write_line(out: &mut dyn Write, checksum: &[u8], name: &OsStr) -> io::Result<()> {
    let (escaped, name) = escape(name.as_encoded_bytes());
    write!(out, "{}{}  ", if escaped { "\\" } else { "" }, hex::encode(checksum))?;
    out.write_all(&name)?;
    out.write_all(b"\n")
}

/// The name as it is written, and whether that differs.
pub(crate) fn escape(name: &[u8]) -> (bool, Vec<u8>) {
    let mut written = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\\' => written.extend(b"\\\\"),
            b'\n' => written.extend(b"\\n"),
            b'\r' => written.extend(b"\\r"),
            byte => written.push(byte),
        }
    }
    (written.len() != name.len(), written)
}

/// The inverse of [`escape`]; `None` for a backslash before anything else.
fn unescape(written: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(written.len());
    let mut bytes = written.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(name)
}

/// On Unix a name is any bytes.
#[cfg(unix)]
pub(crate) fn os_string(name: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(name))
}

#[cfg(not(unix))]
pub(crate) fn os_string(name: Vec<u8>) -> Option<OsString> {
    String::from_utf8(name).ok().map(OsString::from)
}
