//! What the fuzzer runs, over random inputs: every function is reached, and succeeds.

use keylane_fuzz_c::{calls_that_tell, functions};
use keylane_testkit::Random;
use std::collections::HashSet;

#[test]
fn every_function_succeeds_and_fails() {
    let mut random = Random::new(1);
    let (mut succeeded, mut failed) = (HashSet::new(), HashSet::new());
    for _ in 0..20_000 {
        let input = random.bytes(700);
        calls_that_tell(&input, &mut |function, code| {
            if code == 0 { &mut succeeded } else { &mut failed }.insert(function);
        });
    }
    let all: Vec<_> = functions().collect();
    assert!(all.len() > 60, "{} functions", all.len());
    let never =
        |seen: &HashSet<_>| all.iter().copied().filter(|name| !seen.contains(name)).collect::<Vec<_>>();
    assert_eq!(never(&succeeded), [""; 0]);
    // The whole library is all that it can fail of.
    assert_eq!(never(&failed), ["keylane_startup"]);
}
