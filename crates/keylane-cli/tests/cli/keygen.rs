//! `keylane keygen`.

use super::workplace::Workplace;

#[test]
fn a_key_is_32_new_bytes_that_encrypt() {
    let place = Workplace::with(&[("text", b"text")]);
    for name in ["one", "two"] {
        assert_eq!(place.keylane(&format!("keygen -o {name}")).done(), "");
        assert_eq!(place.read(name).len(), 32);
    }
    assert_ne!(place.read("one"), place.read("two"));
    let piped = [(); 20].map(|()| {
        let key = place.bytes("keygen", b"");
        <[u8; 32]>::try_from(key).unwrap()
    });
    // Every byte of a key is random: all twenty are equal with a probability of 2^-152.
    assert!((0..32).all(|at| piped.iter().any(|key| key[at] != piped[0][at])), "{piped:?}");
    place.keylane("encrypt --key-file one text -o file").done();
    assert_eq!(place.keylane("decrypt -c --key-file one file").done(), "text");
    place.keylane("decrypt -c --key-file two file").fails_with(1, "file: wrong key");
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_it() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let place = Workplace::new();
    place.shell("umask 0; $K keygen -o new").done();
    // A file that all could read is replaced.
    place.write("old", b"");
    set_permissions(place.path("old"), Permissions::from_mode(0o644)).unwrap();
    let ours = metadata(place.path("old")).unwrap().uid();
    if ours == 0 {
        chown(place.path("old"), Some(12345), None).unwrap();
    }
    place.keylane("keygen -o old --force").done();
    // The old file's owner does not get the key.
    assert_eq!(metadata(place.path("old")).unwrap().uid(), ours);
    for name in ["new", "old"] {
        assert_eq!(metadata(place.path(name)).unwrap().permissions().mode() & 0o7777, 0o600, "{name}");
    }
}
