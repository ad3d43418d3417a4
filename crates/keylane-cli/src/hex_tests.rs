use crate::hex::{decode, encode};

#[test]
fn there_and_back() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(decode(encode(&all).as_bytes()), Some(all.clone()));
    assert_eq!(decode(encode(&all).to_uppercase().as_bytes()), Some(all));
    assert_eq!(decode(b""), Some(vec![]));
}

#[test]
fn what_is_not_hexadecimal_is_refused() {
    for bad in ["0", "0g", "+1", " 1", "0x", "12 ", "é"] {
        assert_eq!(decode(bad.as_bytes()), None, "{bad}");
    }
}
