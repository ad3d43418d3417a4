//! Runs a check at every length and on every implementation of a primitive.

use crate::implementations::{every_implementation, exclusively, usable};
use crate::{Choices, LENGTHS, Random};

/// Checks on every implementation: messages of every length up to 300, of many up to 1100 and of [`LENGTHS`];
/// some that are cut everywhere; some of this run alone; and messages of which implementations take turns.
/// One in `n` of them with `KEYLANE_EVERY=n`; without, one in three.
///
/// # Panics
/// If a check fails, with the implementation's name.
pub fn check(primitive: &str, check: fn(&mut Choices<'_>)) {
    let lengths = (0..300).chain((300..1100).step_by(7)).chain(LENGTHS.iter().copied());
    let mut random = Random::of_this_run();
    let every = std::env::var("KEYLANE_EVERY").map_or(3, |n| n.parse().expect("a number"));
    let first = random.below(every);
    let samples: Vec<_> = (0..30 / every).map(|_| (random.below(usize::MAX), random.below(3000))).collect();
    every_implementation(primitive, |_| {
        for &(seed, len) in &samples {
            Choices::random(seed, Some(len), None, check);
        }
        for (seed, len) in lengths.clone().enumerate().skip(first).step_by(every) {
            Choices::random(seed, Some(len), None, check);
        }
        for len in [33, 64, 129, 300] {
            for cut in (first..=len).step_by(every) {
                Choices::random(len + cut, Some(len), Some(cut), check);
            }
        }
    });
    exclusively(primitive, |primitive| {
        let names = usable(primitive);
        for seed in (0..if names.len() > 1 { 100 * names.len() } else { 0 }).step_by(every) {
            Choices::random(10_000 + seed, None, None, |choices| {
                choices.hand_over(primitive, names.clone());
                choices.step();
                check(choices);
            });
        }
    });
}

/// Runs a fuzzer's check on one implementation, whichever is chosen.
///
/// # Panics
/// If the check fails.
pub fn on_any(primitive: &str, choices: &mut Choices<'_>, check: impl FnOnce(&mut Choices<'_>)) {
    exclusively(primitive, |primitive| {
        let names = usable(primitive);
        let name = names[choices.up_to(names.len() - 1)];
        primitive.select(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        if choices.one_in(4) {
            choices.hand_over(primitive, names);
        }
        check(choices);
    });
}
