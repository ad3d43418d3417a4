//! What the fuzzer runs, over random inputs: every function succeeds.

use keylane_contracts::Random;
use keylane_fuzz_c::{calls, functions};
use std::collections::HashSet;

#[test]
fn every_function_succeeds() {
    let mut random = Random::new(1);
    let mut succeeded = HashSet::new();
    for _ in 0..8_000 {
        calls(&random.bytes(3000), |function, success| {
            if success {
                succeeded.insert(function);
            }
        });
    }
    let all: Vec<_> = functions().collect();
    assert!(all.len() > 90, "{} functions", all.len());
    let never: Vec<_> = all.iter().filter(|name| !succeeded.contains(*name)).collect();
    assert!(never.is_empty(), "{never:?}");
}
