//! What the command reads from people: digits and lines of checksum lists.

use crate::choices::Choices;
use crate::entry::{self, Entry};
use crate::hex;

pub(crate) fn text(input: &[u8]) {
    let mut choices = Choices::new(input);
    let len = [20, 28, 32, 48, 64, 1 + choices.up_to(3)][choices.up_to(5)];
    let line = choices.bytes(400);
    if let Some(bytes) = hex::decode(&line) {
        assert!(hex::encode(&bytes).as_bytes().eq_ignore_ascii_case(&line), "other digits");
    }
    assert_eq!(hex::decode(hex::encode(&line).as_bytes()), Some(line.clone()));

    // A line that is understood says the same as the line that is written of it.
    if let Some(Entry { expected, name }) = Entry::parse(&line, len) {
        assert_eq!(expected.len(), len);
        assert_reads_back(&expected, name.as_encoded_bytes());
    }
    if !line.is_empty() && !line.contains(&0) {
        // No checksum is empty.
        assert_reads_back(&[&choices.bytes(63), &b"!"[..]].concat(), &line);
    }
}

fn assert_reads_back(checksum: &[u8], name: &[u8]) {
    // On other systems than Unix not every name is one.
    let Some(name) = entry::os_string(name.to_vec()) else { return };
    let mut written = Vec::new();
    entry::write_line(&mut written, checksum, &name).expect("room in memory");
    let line = written.strip_suffix(b"\n").expect("a line");
    assert!(!line.iter().any(|byte| matches!(byte, b'\n' | b'\r')), "several lines");
    let Entry { expected, name: read } = Entry::parse(line, checksum.len()).expect("a line of a list");
    assert!(expected == checksum && read == name, "another file or another checksum");
}
