//! What every hash and every MAC promises, whatever it computes. That it computes the right thing is for others to
//! test: here a one-shot call is the measure of everything else.

mod hash;
mod mac;

pub use hash::{hash, hash_handed_over};
pub use mac::{mac, mac_handed_over};

use crate::Random;
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
