//! Every implementation of a primitive returns the same answers, and operations that compute the same agree.

use crate::Choices;
use keylane_subjects::{Case, Subject, Work, subjects};

/// Runs the subjects of a primitive on one call, on every implementation.
///
/// # Panics
/// If two differ.
pub fn agreement(primitive: &str, choices: &mut Choices<'_>) {
    let (key, data) = (choices.bytes(300), choices.message());
    let (cuts, offset) = (choices.cuts(63, data.len()), choices.up_to(63));
    let is_due = |subject: &&Subject| match subject.work {
        _ if subject.primitive != primitive => false,
        // The same work for any input is seldom worth its time.
        Work::Fixed { units } => choices.one_in(units.clamp(1, 256) as u16),
        Work::Message | Work::Batch => true,
    };
    let due: Vec<_> = subjects().iter().filter(is_due).collect();
    let case = Case { key, data, cuts, offset };
    keylane_subjects::agreement(primitive, due, &case).unwrap_or_else(|difference| panic!("{difference}"));
}
