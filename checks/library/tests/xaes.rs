//! XAES-256-GCM against the specification's answers.

mod published;

use keylane::xaes::Xaes256Gcm;
use keylane_contracts::{every_implementation, hex};
use published::seals;
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update, XofReader};

/// The first bit of the encryption of zero is 0 under the first key and 1 under the second.
#[test]
fn c2sp() {
    for (key, aad, sealed) in [
        ([1; 32], "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        ([3; 32], "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ] {
        every_implementation("aes-gcm", |name| {
            let aead = Xaes256Gcm::new(&key);
            let (nonce, aad) = (b"ABCDEFGHIJKLMNOPQRSTUVWX", aad.as_bytes());
            seals(&aead, nonce, aad, b"XAES-256-GCM", &hex(sealed), name);
        });
    }
}

/// The specification's accumulated test: messages from a stream of SHAKE-128, and SHAKE-128 of what they
/// become.
#[test]
fn c2sp_accumulated() {
    every_implementation("aes-gcm", |name| {
        let (mut stream, mut sealed) = (Shake128::default().finalize_xof(), Shake128::default());
        let mut read = |len: usize| stream.read_boxed(len);
        for _ in 0..10_000 {
            let (key, nonce) = (read(32), read(24));
            let len = read(1)[0];
            let text = read(len.into());
            let len = read(1)[0];
            let aad = read(len.into());
            let (aead, nonce) = (Xaes256Gcm::from_slice(&key).unwrap(), nonce[..].try_into().unwrap());
            let mut message = Vec::new();
            aead.seal_append(nonce, &aad, &text, &mut message).unwrap();
            sealed.update(&message);
            let mut opened = Vec::new();
            aead.open_append(nonce, &aad, &message, &mut opened).unwrap();
            assert_eq!(opened, &*text, "{name}");
        }
        let expected = "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939";
        assert_eq!(*sealed.finalize_boxed(32), *hex(expected), "{name}");
    });
}
