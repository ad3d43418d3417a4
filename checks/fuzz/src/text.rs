//! The command's text inputs: digits, and lines of checksum lists.

use crate::entry::{self, Entry, Format, Kind};
use crate::hex;
use keylane_contracts::Choices;

pub(crate) fn text(choices: &mut Choices<'_>) {
    let kind = Kind {
        tags: [&["SHA1"] as &[_], &["SHA512/256", "SHA2-512/256"]][choices.up_to(1)],
        len: [20, 28, 32, 48, 64, 1 + choices.up_to(3)][choices.up_to(5)],
        keyed: choices.up_to(1) == 1,
    };
    let line = choices.bytes(400);
    if let Some(bytes) = hex::decode(&line) {
        assert!(hex::encode(&bytes).as_bytes().eq_ignore_ascii_case(&line), "other digits");
    }
    assert_eq!(hex::decode(hex::encode(&line).as_bytes()), Some(line.clone()));

    // A line that is understood says the same as the line that is written of it.
    let mut one_blank = [None, Some(false), Some(true)][choices.up_to(2)];
    if let Some(Entry { expected, name }) = Entry::parse(&line, kind, &mut one_blank) {
        assert_eq!(expected.len(), kind.len);
        assert_reads_back(&expected, name.as_encoded_bytes(), kind);
    }
    if !line.is_empty() && !line.contains(&0) {
        // No checksum is empty.
        let checksum = [&choices.bytes(63), &b"!"[..]].concat();
        assert_reads_back(&checksum, &line, Kind { len: checksum.len(), ..kind });
    }
}

fn assert_reads_back(checksum: &[u8], name: &[u8], kind: Kind) {
    // On other systems than Unix not every name is one.
    let Some(name) = entry::os_string(name.to_vec()) else { return };
    for tag in [false, true] {
        let (mut written, format) = (Vec::new(), Format { tag, zero: false });
        entry::write_line(&mut written, checksum, &name, kind, format).expect("room in memory");
        let line = written.strip_suffix(b"\n").expect("a line");
        assert!(!line.iter().any(|byte| matches!(byte, b'\n' | b'\r')), "several lines");
        let Entry { expected, name: read } = Entry::parse(line, kind, &mut None).expect("a line of a list");
        assert!(expected == checksum && read == name, "another file or another checksum");
    }
}
