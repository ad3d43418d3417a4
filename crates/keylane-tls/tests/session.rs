//! What the fuzzers run, over a few thousand inputs: a session and a record, against everything that may
//! come.

use keylane_tls::Alert;
use keylane_tls_testkit::fuzz::{Verdict, tls_record, tls_session};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::collections::HashMap;

/// Runs a target over random inputs, and checks that they have reached what they are for.
fn run(target: fn(&[u8]) -> Verdict, cases: u32, reached: &[Verdict]) {
    let config = ProptestConfig {
        cases,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let counts = std::cell::RefCell::new(HashMap::<String, u32>::new());
    // The same inputs each time, for what they reach is checked.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let checked = TestRunner::new_with_rng(config, random).run(&vec(any::<u8>(), 0..600), |input| {
        *counts.borrow_mut().entry(format!("{:?}", target(&input))).or_default() += 1;
        Ok(())
    });
    if let Err(failure) = checked {
        panic!("{failure}");
    }
    let counts = counts.into_inner();
    for verdict in reached {
        assert!(counts.contains_key(&format!("{verdict:?}")), "no input led to {verdict:?}: {counts:?}");
    }
}

#[test]
fn a_record_opens_as_the_standard_says_or_is_wiped() {
    use Verdict::{Open, Refused};
    let reached = [
        Open,
        Refused(Alert::BAD_RECORD_MAC),
        Refused(Alert::RECORD_OVERFLOW),
        Refused(Alert::UNEXPECTED_MESSAGE),
    ];
    run(tls_record, 2000, &reached);
}

#[test]
fn a_session_hands_out_what_was_sent_and_ends_once() {
    use Verdict::{Closed, Open, Refused, Truncated};
    let reached = [
        Open,
        Closed,
        Truncated,
        Refused(Alert::BAD_RECORD_MAC),
        Refused(Alert::ILLEGAL_PARAMETER),
        Refused(Alert::UNEXPECTED_MESSAGE),
    ];
    run(tls_session, 1000, &reached);
}
