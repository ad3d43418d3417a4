//! What the fuzzer runs, over random inputs: every function is reached, and most succeed.

use keylane_fuzz_c::{calls_that_tell, functions};
use keylane_testkit::Random;
use std::collections::HashSet;

#[test]
fn every_function_is_reached() {
    let mut random = Random::new(1);
    let (mut succeeded, mut failed) = (HashSet::new(), HashSet::new());
    for _ in 0..5_000 {
        let input = random.bytes(700);
        calls_that_tell(&input, &mut |function, code| {
            if code == 0 { &mut succeeded } else { &mut failed }.insert(function);
        });
    }
    let all: Vec<_> = functions().collect();
    assert!(all.len() > 60, "{} functions", all.len());
    let never: Vec<_> = all.iter().filter(|name| !succeeded.contains(*name)).collect();
    // What opens or verifies needs what was sealed before: the fuzzer finds that, chance seldom.
    assert!(never.len() < 20, "{never:?}");
    assert!(
        all.iter().all(|name| succeeded.contains(name) || failed.contains(name)),
        "some are never called"
    );
}
