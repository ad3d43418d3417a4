//! Running times with a fixed secret and with random ones, over every implementation, compared as dudect does (Reparaz, Balasch,
//! Verbauwhede 2017). `cargo xtask timing` runs it.
//!
//! Prints a line with the bound, `bound` and it, then one for each case, with tabs between: name, implementation (`planted` for what is
//! known to leak), samples, the largest |t|. Above the bound the times differ beyond doubt; below, nothing was seen. What else runs on the machine makes noise, so a case above is measured
//! again, with more samples, before it is believed.

mod cases;
mod statistics;

use cases::Case;
use keylane_testkit::{Random, every_backend};
use statistics::largest_t;
use std::hint::black_box;
use std::time::Instant;

/// Of a case at first, and of one that is measured again.
const SAMPLES: [usize; 3] = [20_000, 60_000, 200_000];
/// Above this times differ beyond doubt, and a case is measured again.
const BOUND: f64 = 10.0;
/// How many inputs are made at once.
const BATCH: usize = 500;

fn main() {
    println!("bound\t{BOUND}");
    for mut case in cases::planted() {
        report(&mut case, "planted");
    }
    for primitive in keylane::primitives().iter().map(keylane::Primitive::name) {
        every_backend(primitive, |implementation| {
            for mut case in cases::of(primitive) {
                report(&mut case, implementation);
            }
        });
    }
}

fn report(case: &mut Case, implementation: &str) {
    let (mut samples, mut t) = (0, 0.0);
    for count in SAMPLES {
        (samples, t) = (count, largest_t(&measure(case, count)));
        if t <= BOUND {
            break;
        }
    }
    println!("{}\t{implementation}\t{samples}\t{t:.1}", case.name);
}

/// How long each call took, in nanoseconds, and whether its secret was a random one. In random order, so that whatever else the machine
/// does meets both kinds.
fn measure(case: &mut Case, count: usize) -> Vec<(bool, u64)> {
    let mut random = Random::new(count as u64);
    let mut times = Vec::with_capacity(count);
    // One place in memory for all.
    let mut secret = case.fixed.clone();
    while times.len() < count {
        let batch: Vec<_> = (0..BATCH)
            .map(|_| {
                let is_random = random.next() >> 63 == 1;
                (is_random, if is_random { random.bytes(secret.len()) } else { case.fixed.clone() })
            })
            .collect();
        // The first calls fetch the code.
        for _ in 0..3 {
            (case.run)(&secret);
        }
        for (is_random, bytes) in &batch {
            secret.copy_from_slice(bytes);
            let start = Instant::now();
            (case.run)(black_box(&secret));
            times.push((*is_random, start.elapsed().as_nanos() as u64));
        }
    }
    times
}
