//! The messages of FIPS 180-4's examples, for every hash and every way to hash them.

use crate::{Oracle, every_backend, hex};

/// The digests of the messages, in hexadecimal digits.
#[derive(Debug)]
pub struct Fips180 {
    /// Of the empty message.
    pub empty: &'static str,
    /// Of `abc`.
    pub abc: &'static str,
    /// Of the message of 448 bits: a block of SHA-256 does not hold it and its padding.
    pub alphabet_448: &'static str,
    /// Of the message of 896 bits: a block of SHA-512 does not hold it and its padding.
    pub alphabet_896: &'static str,
    /// Of a million times `a`.
    pub million_a: &'static str,
}

/// Checks `H` in one call, in pieces and side by side, on every implementation.
///
/// # Panics
/// If a digest is another.
pub fn fips180<H: Oracle>(answers: &Fips180) {
    let million = vec![b'a'; 1_000_000];
    let cases: [(&[u8], &str); 5] = [
        (b"", answers.empty),
        (b"abc", answers.abc),
        (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", answers.alphabet_448),
        (
            b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs\
              mnopqrstnopqrstu",
            answers.alphabet_896,
        ),
        (&million, answers.million_a),
    ];
    let answers = cases.map(|(_, answer)| hex(answer));
    let ran = every_backend(H::PRIMITIVE, |_| {
        for ((message, _), answer) in cases.iter().zip(&answers) {
            assert_eq!(H::digest(message).as_ref(), answer, "{} bytes", message.len());
            for piece in [1000, 64, 7] {
                let mut hash = H::new();
                for piece in message.chunks(piece) {
                    hash.update(piece);
                }
                assert_eq!(hash.finalize().as_ref(), answer, "{} bytes by {piece}", message.len());
            }
        }
        // Three times over: each message in several lanes.
        let messages: Vec<&[u8]> = cases.iter().cycle().take(15).map(|(message, _)| *message).collect();
        let mut digests = [H::digest(b"not yet"); 15];
        H::digest_many(&messages, &mut digests).unwrap();
        for (digest, answer) in digests.iter().zip(answers.iter().cycle()) {
            assert_eq!(digest.as_ref(), answer);
        }
    });
    assert!(ran > 0, "no implementation ran");
}
