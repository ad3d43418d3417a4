//! Runs a case on every implementation and compares.

use super::case::Case;
use crate::hex;
use crate::status::Failure;
use keylane::Primitive;
use keylane::operations::{Call, Operation, Work};
use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Operations whose cost is fixed at many units run in one of so many cases at most.
const RAREST: u64 = 64;

/// One primitive and what is compared.
pub(crate) struct Comparison {
    pub(crate) primitive: &'static Primitive,
    /// The usable ones, the reference first.
    pub(crate) implementations: Vec<&'static str>,
}

/// The result of a call: the answer and the data. `None` if it panicked.
type Ending = Option<(Vec<u8>, Vec<u8>)>;

/// Runs that should have ended alike, without a panic.
#[derive(Debug)]
pub(crate) struct Difference(Vec<(String, Ending)>);

/// Why a comparison ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    Different(Difference),
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Comparison {
    pub(crate) fn new(primitive: &'static Primitive) -> Self {
        // The list ends with the portable implementation: the reference.
        let mut implementations: Vec<_> =
            primitive.implementations().filter(|it| it.usable).map(|it| it.name).collect();
        implementations.reverse();
        Self { primitive, implementations }
    }

    /// How many answers were compared. An implementation that fails its self-test cannot be selected, and
    /// stops it.
    pub(crate) fn run(&self, case: &Case, trace: &mut dyn Write) -> Result<u64, Stop> {
        let select = |implementation: &str| {
            self.primitive.select(implementation).map_err(|error| {
                Failure::VerificationFailed(format!("{} on {implementation}: {error}", self.primitive.name()))
            })
        };
        let tell = |operation: &Operation, answer: &[u8]| {
            Ok(writeln!(trace, "  {} {}", operation.name, hex::encode(&answer[..16]))?)
        };
        let compared = compare(self.primitive.operations(), &self.implementations, case, select, tell);
        self.primitive.reset();
        compared
    }
}

/// Compares every implementation with the first one, and the operations of each `answer` with each other.
/// `report` receives the right answer of every operation.
fn compare(
    operations: &[Operation],
    implementations: &[&str],
    case: &Case,
    mut select: impl FnMut(&str) -> Result<(), Failure>,
    mut tell: impl FnMut(&Operation, &[u8]) -> Result<(), Failure>,
) -> Result<u64, Stop> {
    let [reference, others @ ..] = implementations else { return Ok(0) };
    let mut compared = 0;
    let mut groups: Vec<(&Operation, Vec<u8>)> = Vec::new();
    for operation in operations.iter().filter(|operation| is_due(operation, case.number)) {
        let on = |implementation: &str| format!("{} on {implementation}", operation.name);
        select(reference)?;
        let Some(expected) = run(operation, case) else {
            return Err(Stop::Different(Difference(vec![(on(reference), None)])));
        };
        tell(operation, &expected.0)?;
        for implementation in others {
            select(implementation)?;
            let found = run(operation, case);
            compared += 1;
            if found.as_ref() != Some(&expected) {
                let runs = vec![(on(reference), Some(expected)), (on(implementation), found)];
                return Err(Stop::Different(Difference(runs)));
            }
        }
        // Between operations only the answers count: one may work in place and another not.
        let Some((first, answer)) = groups.iter().find(|(first, _)| first.answer == operation.answer) else {
            groups.push((operation, expected.0));
            continue;
        };
        compared += 1;
        if *answer != expected.0 {
            let first = (format!("{} on {reference}", first.name), Some((answer.clone(), vec![])));
            return Err(Stop::Different(Difference(vec![
                first,
                (on(reference), Some((expected.0, vec![]))),
            ])));
        }
    }
    Ok(compared)
}

fn is_due(operation: &Operation, number: u64) -> bool {
    match operation.work {
        Work::Fixed { units, .. } => number.is_multiple_of(u64::from(units).clamp(1, RAREST)),
        Work::Message | Work::Batch => true,
    }
}

fn run(operation: &Operation, case: &Case) -> Ending {
    let mut buffer = vec![0; case.offset + case.data.len()];
    let data = &mut buffer[case.offset..];
    data.copy_from_slice(&case.data);
    let mut answer = [0; 64];
    catch_unwind(AssertUnwindSafe(|| {
        (operation.prepare)(&case.key, &mut |run| {
            run(&mut Call { data, cuts: &case.cuts, answer: &mut answer });
        });
    }))
    .ok()?;
    Some((answer.to_vec(), buffer.split_off(case.offset)))
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (run, ending)) in self.0.iter().enumerate() {
            let separator = if place > 0 { "\n" } else { "" };
            match ending {
                None => write!(f, "{separator}{run} panicked")?,
                Some((answer, _)) => write!(f, "{separator}{run} gave {}", hex::encode(answer))?,
            }
        }
        // Data that was worked on in place is long: it is shown where it is what differs.
        if let [(_, Some((expected, before))), (_, Some((found, after)))] = &self.0[..]
            && expected == found
        {
            let (before, after) = (hex::encode(before), hex::encode(after));
            write!(f, "\nbut the first left the data {before}\nand the second {after}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static SELECTED: Cell<bool> = const { Cell::new(false) };
    }

    /// The sum of the data, in place: each byte becomes the sum up to it.
    fn sum(call: &mut Call<'_>) {
        let mut sum = 0u8;
        for byte in &mut *call.data {
            sum = sum.wrapping_add(*byte);
            *byte = sum;
        }
        call.answer.fill(0);
        call.answer[0] = sum;
    }

    type Prepare = fn(&[u8], &mut dyn FnMut(&mut dyn FnMut(&mut Call<'_>)));

    const fn operation(name: &'static str, prepare: Prepare) -> Operation {
        Operation { name, answer: "sum", work: Work::Message, prepare }
    }

    static RIGHT: Operation = operation("right", |_, run| run(&mut sum));
    /// Gives another answer on the other implementation.
    static WRONG_ANSWER: Operation = operation("wrong-answer", |_, run| {
        run(&mut |call| {
            sum(call);
            call.answer[63] ^= u8::from(SELECTED.get());
        });
    });
    /// Leaves other data behind on the other implementation.
    static WRONG_DATA: Operation = operation("wrong-data", |_, run| {
        run(&mut |call| {
            sum(call);
            if let Some(last) = call.data.last_mut() {
                *last ^= u8::from(SELECTED.get());
            }
        });
    });
    /// Agrees with itself on every implementation, but with no other operation on data that is cut.
    static WRONG_GROUP: Operation = operation("wrong-group", |_, run| {
        run(&mut |call| {
            sum(call);
            call.answer[0] ^= call.cuts.len() as u8;
        });
    });
    static PANICS: Operation = operation("panics", |_, run| {
        run(&mut |_| assert!(!SELECTED.get(), "as it should in this test"));
    });

    fn found(operations: &[&'static Operation]) -> Result<u64, String> {
        let operations: Vec<_> =
            operations.iter().map(|it| Operation { name: it.name, answer: it.answer, ..**it }).collect();
        let case = Case { number: 5, key: vec![1], data: vec![1, 2, 3], cuts: vec![1, 2], offset: 3 };
        let select = |implementation: &str| {
            SELECTED.set(implementation == "other");
            Ok(())
        };
        compare(&operations, &["portable", "other"], &case, select, |_, _| Ok(())).map_err(
            |stop| match stop {
                Stop::Different(difference) => difference.to_string(),
                Stop::Failed(failure) => panic!("{failure:?}"),
            },
        )
    }

    #[test]
    fn agreement_is_found() {
        assert_eq!(found(&[&RIGHT, &RIGHT]), Ok(3));
    }

    #[test]
    fn a_wrong_answer_is_found() {
        let difference = found(&[&RIGHT, &WRONG_ANSWER]).unwrap_err();
        assert!(difference.starts_with("wrong-answer on portable gave 0600"), "{difference}");
        assert!(difference.contains("\nwrong-answer on other gave 0600"), "{difference}");
        assert!(difference.ends_with("01"), "{difference}");
    }

    #[test]
    fn wrong_data_is_found() {
        assert!(found(&[&WRONG_DATA]).unwrap_err().ends_with("left the data 010306\nand the second 010307"));
    }

    #[test]
    fn operations_that_disagree_are_found() {
        let difference = found(&[&RIGHT, &WRONG_GROUP]).unwrap_err();
        assert!(difference.starts_with("right on portable gave 06"), "{difference}");
        assert!(difference.contains("\nwrong-group on portable gave 04"), "{difference}");
        assert_eq!(found(&[&WRONG_GROUP]), Ok(1));
    }

    #[test]
    fn a_panic_is_found() {
        assert!(found(&[&PANICS]).unwrap_err().ends_with("\npanics on other panicked"));
    }
}
