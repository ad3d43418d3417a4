use super::{Entry, Kind};
use std::ffi::OsString;

const SHA1: Kind = Kind { tags: &["SHA1"], len: 20, keyed: false };
const CHECKSUM: [u8; 20] = [0x0a; 20];
const HEX: &str = "0a0A0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";

/// Parses the first line of a list, with `HEX` for a checksum.
fn parse(line: &str) -> Option<(Vec<u8>, OsString)> {
    let line = line.replace("HEX", HEX);
    Entry::parse(line.as_bytes(), SHA1, &mut None).map(|entry| (entry.expected, entry.name))
}

#[test]
fn lines_that_are_accepted() {
    for (line, name) in [
        ("HEX  name", "name"),
        ("HEX *name", "name"),
        ("  HEX  name", "name"),
        ("HEX name", "name"),
        ("HEX\tname", "name"),
        ("HEX\t name", "name"),
        ("HEX  ", " "),
        ("\\HEX a\\nb", "a\nb"),
        ("HEX   two spaces ", " two spaces "),
        ("\\HEX  a\\nb\\\\c\\r", "a\nb\\c\r"),
        ("HEX  a\\nb", "a\\nb"),
        ("SHA1 (name) = HEX", "name"),
        ("SHA1(name)= HEX", "name"),
        ("SHA1(name) =\tHEX", "name"),
        (" \\SHA1 (a\\nb) = HEX", "a\nb"),
        ("SHA1 (a\\nb) = HEX", "a\\nb"),
        ("SHA1 ( (a) = b) ) = HEX", " (a) = b) "),
    ] {
        assert_eq!(parse(line), Some((CHECKSUM.into(), name.into())), "{line}");
    }
}

#[test]
fn lines_that_are_refused() {
    for line in [
        "HEX",
        "HEX ",
        "0a0a  name",
        "HEX0  name",
        "0g0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a  name",
        "\\HEX  a\\b",
        "\\HEX  a\\",
        "HEX\x0bname",
        "HEX  a\0b",
        "é",
        "SHA1 (name) = ",
        "SHA1 (name) = 0a0a",
        "SHA1 (name) = HEX0a",
        "SHA1 (name) = HEX ",
        "SHA1 (name) HEX",
        "SHA1 (name = HEX",
        "SHA1 name) = HEX",
        "SHA1 () = HEX",
        "SHA1  (name) = HEX",
        "sha1 (name) = HEX",
        "SHA11 (name) = HEX",
        "HMAC-SHA1 (name) = HEX",
        "SHA2-256(name)= HEX",
    ] {
        assert_eq!(parse(line), None, "{line}");
    }
}
