//! Every implementation of a primitive gives the same answers, and operations that compute the same agree.

use crate::{Choices, exclusively};
use keylane_subjects::{Subject, Work, of, usable};

/// A call's key and data, and where the data is cut.
struct Case {
    key: Vec<u8>,
    data: Vec<u8>,
    cuts: Vec<usize>,
    /// How far after an aligned address the data begins.
    offset: usize,
}

/// Runs all subjects of a primitive on one call, on every implementation.
///
/// # Panics
/// If two differ.
pub fn agreement(primitive: &str, choices: &mut Choices<'_>) {
    let (key, data) = (choices.bytes(300), choices.message());
    let (cuts, offset) = (choices.cuts(63, data.len()), choices.up_to(63));
    let case = Case { key, data, cuts, offset };
    exclusively(primitive, |primitive| {
        // The last one is portable code: the reference.
        let mut usable = usable(primitive);
        usable.reverse();
        let mut classes: Vec<(&Subject, Ending)> = Vec::new();
        for subject in of(primitive) {
            if !is_due(subject, choices) {
                continue;
            }
            let mut endings = usable.iter().map(|name| {
                primitive.select(name).unwrap_or_else(|error| panic!("{name}: {error}"));
                (name, case.run(subject))
            });
            let (_, expected) = endings.next().expect("there is a portable one");
            for (name, ending) in endings {
                assert!(ending == expected, "{} on {name} differs", subject.name);
            }
            // One works in place and another does not: between subjects only the answers count.
            let same = classes.iter().find(|(other, _)| other.class == subject.class);
            if let Some((other, ending)) = same {
                assert_eq!(ending.answer, expected.answer, "{} and {}", other.name, subject.name);
            } else {
                classes.push((subject, expected));
            }
        }
    });
}

/// A subject that does the same work for any input is seldom worth its time.
fn is_due(subject: &Subject, choices: &mut Choices<'_>) -> bool {
    match subject.work {
        Work::Fixed { units, .. } => choices.one_in(units.clamp(1, 256) as u16),
        Work::Message | Work::Batch => true,
    }
}

#[derive(PartialEq)]
struct Ending {
    answer: [u8; 64],
    data: Vec<u8>,
}

impl Case {
    fn run(&self, subject: &Subject) -> Ending {
        // A block of its own that ends with the data: AddressSanitizer sees a step too far.
        let mut data = vec![0; self.offset + self.data.len()];
        data[self.offset..].copy_from_slice(&self.data);
        let answer = subject.run(&self.key, &mut data[self.offset..], &self.cuts);
        Ending { answer, data }
    }
}
