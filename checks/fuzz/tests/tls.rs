//! Runs the targets for records and sessions with a few thousand inputs, and checks that these reach the code
//! that they are meant for.

use keylane_contracts::Choices;
use keylane_fuzz::{tls_record, tls_session};
use keylane_tls::session::Status;
use keylane_tls::{Alert, Error};
use std::collections::HashMap;

/// Runs a target with random inputs, the same each time, and checks that they reach the code that they are
/// meant for.
fn run(
    target: fn(&mut Choices<'_>) -> Result<Status, Error>,
    cases: usize,
    ends: &[Status],
    alerts: &[Alert],
) -> HashMap<String, u32> {
    let mut counts = HashMap::<String, u32>::new();
    for seed in 0..cases {
        println!("seed {seed}");
        Choices::random(seed, None, None, |choices| {
            let outcome = match target(choices) {
                Ok(status) => format!("{status:?}"),
                Err(error) => {
                    error.alert_sent().map_or_else(|| format!("{error:?}"), |alert| format!("{alert:?}"))
                }
            };
            *counts.entry(outcome).or_default() += 1;
        });
    }
    let ends = ends.iter().map(|status| format!("{status:?}"));
    for outcome in ends.chain(alerts.iter().map(|alert| format!("{alert:?}"))) {
        assert!(counts.contains_key(&outcome), "no input led to {outcome}: {counts:?}");
    }
    counts
}

#[test]
fn a_record_opens_as_the_standard_says_or_is_wiped() {
    let alerts = [Alert::BAD_RECORD_MAC, Alert::RECORD_OVERFLOW, Alert::UNEXPECTED_MESSAGE];
    run(tls_record, 2000, &[Status::Data], &alerts);
}

#[test]
fn a_session_hands_out_what_was_sent_and_ends_once() {
    let alerts = [Alert::BAD_RECORD_MAC, Alert::ILLEGAL_PARAMETER, Alert::UNEXPECTED_MESSAGE];
    let counts = run(tls_session, 1000, &[Status::NeedsInput, Status::Closed], &alerts);
    assert!(counts.contains_key("Truncated"), "{counts:?}");
}
