//! A line of a list of checksums: `HEX  name` as `sha256sum` writes it, `HEX name` with one space or tab as
//! others do, or `SHA256 (name) = HEX` as `sha256sum --tag`, the BSDs and `openssl dgst` do.
//!
//! A name with a backslash, a newline or a carriage return is written with `\\`, `\n` or `\r` for them, and
//! the line begins with a backslash.

use crate::hex;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

/// The kind of checksum in a list.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// The hash function's names in lists of the BSD format; the first is the one to write.
    pub(crate) tags: &'static [&'static str],
    /// The checksum's length in bytes.
    pub(crate) len: usize,
    /// Whether the checksums are HMAC tags, not digests.
    pub(crate) keyed: bool,
}

/// The format of a written list.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Whether to use the BSD format.
    pub(crate) tag: bool,
    /// Whether a NUL ends each line and names are not escaped.
    pub(crate) zero: bool,
}

/// A line of a list.
pub(crate) struct Entry {
    pub(crate) expected: Vec<u8>,
    pub(crate) name: OsString,
}

impl AsRef<OsStr> for Entry {
    fn as_ref(&self) -> &OsStr {
        &self.name
    }
}

impl Kind {
    fn prefix(self) -> &'static str {
        if self.keyed { "HMAC-" } else { "" }
    }
}

/// Whether one blank separates checksum and name in a list. The first line decides for all: otherwise a
/// renamed file could turn `HEX  name` into the checksum of ` name`.
pub(crate) type OneBlank = Option<bool>;

impl Entry {
    /// Returns a line's entry, `None` unless it is a checksum of this kind and a file's name.
    pub(crate) fn parse(line: &[u8], kind: Kind, one_blank: &mut OneBlank) -> Option<Self> {
        let line = line.trim_ascii_start();
        let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |line| (true, line));
        let (expected, name) = split_tagged(line, kind).or_else(|| split(line, kind, one_blank))?;
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        // A file's name cannot be empty or contain a NUL.
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        let expected = hex::decode(expected).filter(|bytes| bytes.len() == kind.len)?;
        Some(Self { expected, name: os_string(name)? })
    }
}

/// Splits `HEX  name`, `HEX *name` or, with one blank, `HEX name`; each first blank may be a tab.
fn split<'a>(line: &'a [u8], kind: Kind, one_blank: &mut OneBlank) -> Option<(&'a [u8], &'a [u8])> {
    let (expected, rest) = line.split_at_checked(2 * kind.len)?;
    let (b' ' | b'\t', name) = rest.split_first()? else { return None };
    if !expected.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let marked = name.strip_prefix(b" ").or_else(|| name.strip_prefix(b"*")).filter(|rest| !rest.is_empty());
    if *one_blank.get_or_insert(marked.is_none()) {
        Some((expected, name))
    } else {
        Some((expected, marked?))
    }
}

/// Splits `SHA256 (name) = HEX`, with or without the spaces outside the parentheses. A name may contain any
/// of these characters: the last parenthesis ends it.
fn split_tagged(line: &[u8], kind: Kind) -> Option<(&[u8], &[u8])> {
    let line = line.strip_prefix(kind.prefix().as_bytes())?;
    let rest = kind.tags.iter().find_map(|tag| {
        let rest = line.strip_prefix(tag.as_bytes())?;
        rest.strip_prefix(b" (").or_else(|| rest.strip_prefix(b"("))
    })?;
    let (name, rest) = rest.split_at(rest.iter().rposition(|&byte| byte == b')')?);
    let expected = rest[1..].trim_ascii_start().strip_prefix(b"=")?;
    Some((expected.trim_ascii_start(), name))
}

pub(crate) fn write_line(
    out: &mut dyn Write,
    checksum: &[u8],
    name: &OsStr,
    kind: Kind,
    format: Format,
) -> io::Result<()> {
    let mut name = name.as_encoded_bytes().to_vec();
    if cfg!(windows) {
        // `\` would be escaped, and no other system would find the file.
        name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    let (escaped, name) = if format.zero { (false, name) } else { escape(&name) };
    let (mark, hex) = (if escaped { "\\" } else { "" }, hex::encode(checksum));
    if format.tag {
        write!(out, "{mark}{}{} (", kind.prefix(), kind.tags[0])?;
        out.write_all(&name)?;
        write!(out, ") = {hex}")?;
    } else {
        write!(out, "{mark}{hex}  ")?;
        out.write_all(&name)?;
    }
    out.write_all(if format.zero { b"\0" } else { b"\n" })
}

/// Returns whether a name needs escaping, and the name as it is written.
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

/// Inverts [`escape`]; `None` for a backslash before any other character.
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

/// Converts a name; on Unix, names are any bytes.
#[cfg(unix)]
pub(crate) fn os_string(name: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(name))
}

#[cfg(not(unix))]
pub(crate) fn os_string(name: Vec<u8>) -> Option<OsString> {
    String::from_utf8(name).ok().map(OsString::from)
}

#[cfg(test)]
#[path = "entry/tests.rs"]
mod tests;
