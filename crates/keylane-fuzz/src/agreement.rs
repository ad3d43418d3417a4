//! Every implementation of a primitive gives the same answers, and operations that compute the same agree.

use crate::choices::Choices;
use keylane::operations::{Call, Operation, Work};
use keylane_testkit::exclusively;

/// A call's key and data, and where the data is cut.
struct Case {
    key: Vec<u8>,
    data: Vec<u8>,
    cuts: Vec<usize>,
    /// How far behind an aligned address the data begins.
    offset: usize,
}

pub(crate) fn check(primitive: &str, input: &[u8]) {
    let mut choices = Choices::new(input);
    let key = choices.bytes(300);
    let data = choices.text();
    let (cuts, offset) = (choices.cuts(63, data.len()), choices.up_to(63));
    let case = Case { key, data, cuts, offset };
    exclusively(primitive, |primitive| {
        // The last one is portable code: the reference.
        let mut usable: Vec<_> =
            primitive.implementations().filter(|found| found.usable).map(|found| found.name).collect();
        usable.reverse();
        let mut answers: Vec<(&Operation, Ending)> = Vec::new();
        for operation in primitive.operations() {
            if !is_due(operation, &mut choices) {
                continue;
            }
            let mut endings = usable.iter().map(|name| {
                primitive.select(name).unwrap_or_else(|error| panic!("{name}: {error}"));
                (name, case.run(operation))
            });
            let (_, expected) = endings.next().expect("there is a portable one");
            for (name, ending) in endings {
                assert!(ending == expected, "{} on {name} differs", operation.name);
            }
            // One operation works in place and another does not: between them only the answers count.
            let same = answers.iter().find(|(other, _)| other.answer == operation.answer);
            if let Some((other, ending)) = same {
                assert_eq!(ending.answer, expected.answer, "{} and {}", other.name, operation.name);
            } else {
                answers.push((operation, expected));
            }
        }
    });
}

/// Runs `body` on one implementation of the primitive, whichever is chosen.
pub(crate) fn on_any(primitive: &str, choices: &mut Choices<'_>, body: impl FnOnce(&mut Choices<'_>)) {
    exclusively(primitive, |primitive| {
        let usable: Vec<_> =
            primitive.implementations().filter(|found| found.usable).map(|found| found.name).collect();
        let name = usable[choices.up_to(usable.len() - 1)];
        primitive.select(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        body(choices);
    });
}

/// What does the same work for any input is seldom worth its time.
fn is_due(operation: &Operation, choices: &mut Choices<'_>) -> bool {
    match operation.work {
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
    fn run(&self, operation: &Operation) -> Ending {
        // A block of its own that ends with the data: AddressSanitizer sees a step too far.
        let mut data = vec![0; self.offset + self.data.len()];
        data[self.offset..].copy_from_slice(&self.data);
        let mut answer = [0; 64];
        (operation.prepare)(&self.key, &mut |run| {
            run(&mut Call { data: &mut data[self.offset..], cuts: &self.cuts, answer: &mut answer });
        });
        Ending { answer, data }
    }
}
