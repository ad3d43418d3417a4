use super::entry::{Entry, write_line};
use std::ffi::{OsStr, OsString};

fn parse(line: &str) -> Option<(Vec<u8>, OsString)> {
    Entry::parse(line.as_bytes(), 2).map(|entry| (entry.expected, entry.name))
}

#[test]
fn lines_that_are_accepted() {
    for (line, name) in [
        ("0aFf  name", "name"),
        ("0aff *name", "name"),
        ("  0aff  name", "name"),
        ("0aff   two spaces ", " two spaces "),
        ("\\0aff  a\\nb\\\\c\\r", "a\nb\\c\r"),
        ("0aff  a\\nb", "a\\nb"),
    ] {
        assert_eq!(parse(line), Some((vec![0x0a, 0xff], name.into())), "{line}");
    }
}

#[test]
fn lines_that_are_refused() {
    for line in [
        "0aff",
        "0aff ",
        "0aff  ",
        "0aff name",
        "0af  name",
        "0aff0  name",
        "0agf  name",
        "\\0aff  a\\b",
        "\\0aff  a\\",
        "0aff\tname",
        "0aff  a\0b",
        "é",
    ] {
        assert_eq!(parse(line), None, "{line}");
    }
}

#[test]
fn a_written_line_is_read_back() {
    for name in ["plain", "with space", "back\\slash", "new\nline", "\r", "*star", " lead", "\\"] {
        let mut line = Vec::new();
        write_line(&mut line, &[1, 2], OsStr::new(name)).unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        assert!(!line.contains(&b'\n'));
        assert_eq!(Entry::parse(line, 2).unwrap().name, OsStr::new(name));
    }
}
