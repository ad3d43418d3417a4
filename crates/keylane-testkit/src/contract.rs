//! What every hash, MAC, stream cipher and AEAD promises, whatever it computes. That it computes the right thing is for
//! others to test: here a one-shot call is the measure of everything else.

mod aead;
mod hash;
mod mac;
mod poly1305;
mod stream;

pub use aead::{aead, aead_handed_over};
pub use hash::{hash, hash_handed_over};
pub use mac::{mac, mac_handed_over};
pub use poly1305::{poly1305, poly1305_handed_over};
pub use stream::{stream, stream_handed_over};

use crate::{LENGTHS, Random};
use core::fmt::Debug;
use keylane::Primitive;

/// A batch of messages cut from `data`, of unequal lengths: most of them short, `long` of them up to all of `data`.
fn batch<'a>(random: &mut Random, data: &'a [u8], count: usize, long: usize) -> Vec<&'a [u8]> {
    let lengths: Vec<usize> = (0..count)
        .map(|i| if i < long { random.below(data.len() + 1) } else { random.length(260) })
        .collect();
    let mut messages: Vec<&[u8]> = lengths
        .into_iter()
        .map(|len| {
            let from = random.below(data.len() - len + 1);
            &data[from..from + len]
        })
        .collect();
    for i in (1..messages.len()).rev() {
        messages.swap(i, random.below(i + 1));
    }
    messages
}

/// The names of the implementations that can run here.
fn usable(primitive: &Primitive) -> Vec<&'static str> {
    primitive.implementations().filter(|i| i.usable && i.passes_self_test).map(|i| i.name).collect()
}

/// Lengths at which ciphers are run beside guard pages: short ones, and those around the groups of their kernels.
fn guarded_lengths() -> impl Iterator<Item = usize> {
    let around = |group: usize| group - 17..=group + 17;
    (0..=300).chain(around(512)).chain(around(1024)).chain(LENGTHS.iter().copied().filter(|&len| len > 1041))
}

/// Fails if the text that `value` is printed as shows `secret`, in hexadecimal digits or in numbers.
pub fn tells_nothing(value: &impl Debug, secret: &[u8]) {
    let text = format!("{value:?} {value:#?} {value:x?} {value:X?}").to_lowercase();
    let text: String = text.split_whitespace().collect();
    for bytes in secret.windows(2) {
        let [first, second] = bytes else { unreachable!("windows of two") };
        for shown in
            [format!("{first},{second}"), format!("{first:x},{second:x}"), format!("{first:02x}{second:02x}")]
        {
            assert!(!text.contains(&shown), "{text} shows {shown}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tells_nothing;
    use std::panic::catch_unwind;

    #[test]
    fn a_secret_that_is_shown_is_seen() {
        tells_nothing(&"Aes { .. }", &[0xa7, 0x5c]);
        assert!(catch_unwind(|| tells_nothing(&[1, 0xa7, 0x5c], &[0xa7, 0x5c])).is_err());
        assert!(catch_unwind(|| tells_nothing(&"key: a75C", &[0xa7, 0x5c])).is_err());
    }
}
