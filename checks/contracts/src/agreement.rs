//! Calls every subject on every implementation: all must have the same outcome.

use crate::Choices;
use crate::implementations::{exclusively, usable};
use crate::subjects::{Subject, Work, subjects};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The inputs of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Case {
    /// The key.
    pub key: Vec<u8>,
    /// The data.
    pub data: Vec<u8>,
    /// Where the data is cut.
    pub cuts: Vec<usize>,
    /// How far after an aligned address the data begins.
    pub offset: usize,
}

/// The answer and the data after a call; `None` if it panicked.
type Ending = Option<([u8; 64], Vec<u8>)>;

/// The name of a run, and how it ended.
type Run = (String, Ending);

/// Runs each subject on every implementation of the primitive that can run here. Returns the number of
/// comparisons.
///
/// # Errors
/// If an implementation ends otherwise than the portable one, if two subjects of one class answer
/// differently, or if a subject panics.
pub fn agree<'a>(
    primitive: &str,
    subjects: impl IntoIterator<Item = &'a Subject>,
    case: &Case,
) -> Result<u64, String> {
    exclusively(primitive, |primitive| {
        // The last one is portable: the reference.
        let mut implementations = usable(primitive);
        implementations.reverse();
        let mut compared = 0;
        // The first subject of each class. One may work in place and another not: only the answers count.
        let mut classes: Vec<(&str, Run)> = Vec::new();
        let answer = |run: &Run| run.1.as_ref().map(|(answer, _)| *answer);
        for subject in subjects {
            let mut runs = implementations.iter().map(|name| {
                primitive.select(name).expect("it is usable and passes its self-test");
                (format!("{} on {name}", subject.name), case.run(subject))
            });
            let first = runs.next().expect("portable code runs everywhere");
            for other in runs {
                compared += 1;
                if other.1 != first.1 {
                    return Err(difference(&first, &other));
                }
            }
            if first.1.is_none() {
                return Err(shown(&first));
            }
            let Some((_, other)) = classes.iter().find(|(class, _)| *class == subject.class) else {
                classes.push((&subject.class, first));
                continue;
            };
            compared += 1;
            if answer(other) != answer(&first) {
                return Err(difference(other, &first));
            }
        }
        Ok(compared)
    })
}

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
    agree(primitive, due, &case).unwrap_or_else(|difference| panic!("{difference}"));
}

impl Case {
    fn run(&self, subject: &Subject) -> Ending {
        // A block of its own that ends with the data: AddressSanitizer sees a step too far.
        let mut block = vec![0; self.offset + self.data.len()];
        let data = &mut block[self.offset..];
        data.copy_from_slice(&self.data);
        let answer = catch_unwind(AssertUnwindSafe(|| subject.run(&self.key, data, &self.cuts))).ok()?;
        Some((answer, block.split_off(self.offset)))
    }
}

fn shown((name, ending): &Run) -> String {
    match ending {
        None => format!("{name} panicked"),
        Some((answer, _)) => format!("{name} gave {answer:02x?}"),
    }
}

/// Data is long: it is shown where only it differs.
fn difference(first: &Run, second: &Run) -> String {
    let runs = format!("{}\n{}", shown(first), shown(second));
    match (&first.1, &second.1) {
        (Some((answer, before)), Some((same, after))) if answer == same => {
            format!("{runs}\nbut the first left the data {before:02x?}\nand the second {after:02x?}")
        }
        _ => runs,
    }
}
