//! The memory of Argon2id. Separate from `memory.rs`, which measures the whole program.

use allocation_counter::measure;
use keylane_file::{Decryption, Encryption, Error, Key};
use std::io;

/// A header above the limits costs no memory; an allowed header costs what it says.
#[test]
fn argon2id_has_the_memory_of_its_header() {
    let (mut file, key) = (Vec::new(), Key::Passphrase(b"passphrase"));
    let most = measure(|| {
        Encryption::new(key).threads(1).run(&b"text"[..], &mut file).unwrap();
    });
    let mib = most.bytes_max >> 20;
    assert!((64..66).contains(&mib), "{mib} MiB");
    for parameters in [[0xff; 4], [0x04, 0x01, 3, 4], [0, 64, 11, 4]] {
        file[12..16].copy_from_slice(&parameters);
        let refused = measure(|| {
            let error = Decryption::new(key).run(&file[..], io::sink()).unwrap_err();
            assert!(matches!(error, Error::Argon2id { .. }), "{error:?}");
        });
        assert_eq!(refused.bytes_total, 0, "{parameters:?}");
    }
}
