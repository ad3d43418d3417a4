//! Deliberate leaks. A run in which the tool does not report each of them proves nothing.

use crate::tool;
use crate::watch::Secret;
use keylane::Primitive;
use keylane::sha2::Sha256;
use keylane_contracts::{Key, of};
use std::hint::black_box;

pub(crate) const LEAKS: [(&str, fn()); 4] = [
    ("a table looked up by a secret", || {
        let table: [u8; 256] = core::array::from_fn(|i| i as u8 ^ 0x5c);
        black_box(look_up(black_box(&table), &Secret::All.text(16)));
    }),
    ("a comparison that stops early", || {
        black_box(compare(&Secret::All.text(16), black_box(&[7; 16])));
    }),
    ("a branch on a bit of a secret", || {
        black_box(count_ones(&Secret::All.text(16)));
    }),
    ("a branch on a digest of a secret", || {
        black_box(count_ones(&Sha256::digest(&Secret::All.text(100))));
    }),
];

#[inline(never)]
fn look_up(table: &[u8; 256], secret: &[u8]) -> u32 {
    secret.iter().map(|&byte| u32::from(table[usize::from(byte)])).sum()
}

#[inline(never)]
fn compare(secret: &[u8], guess: &[u8; 16]) -> usize {
    for (i, (a, b)) in secret.iter().zip(guess).enumerate() {
        if a != b {
            return i;
        }
    }
    16
}

#[inline(never)]
fn count_ones(secret: &[u8]) -> u32 {
    let mut count = 0;
    for byte in secret {
        if byte & 1 == 1 {
            // An optimiser makes no addition without a branch of this.
            count = black_box(count + 1);
        }
    }
    count
}

/// What the first subject of a primitive makes of a secret key, or of a secret message if it takes no key,
/// and of public data; and a branch on it. The tool reports it only if it has followed the secret through the
/// implementation.
pub(crate) fn output(primitive: &Primitive) {
    let subject = of(primitive).next().expect("a primitive has subjects");
    let secret = if subject.key == Key::None { Secret::Text } else { Secret::Key };
    let answer = subject.run(&secret.key(subject.key, 61), &mut secret.text(128), &[]);
    // One byte, so that there is one report.
    black_box(count_ones(&answer[..1]));
}

/// Whether the tool reports what `leak` does.
pub(crate) fn is_reported(leak: impl FnOnce()) -> bool {
    let before = tool::reports();
    leak();
    tool::reports() > before
}
