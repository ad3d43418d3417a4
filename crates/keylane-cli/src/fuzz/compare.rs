//! Runs a case on every implementation and compares.

use super::case::Case;
use crate::hex;
use crate::status::Failure;
use keylane::Primitive;
use keylane_subjects::{Subject, Work};
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
        let tell = |subject: &Subject, answer: &[u8]| {
            Ok(writeln!(trace, "  {} {}", subject.name, hex::encode(&answer[..16]))?)
        };
        let subjects = keylane_subjects::of(self.primitive);
        let compared = compare(subjects, &self.implementations, case, select, tell);
        self.primitive.reset();
        compared
    }
}

/// Compares every implementation with the first one, and the subjects of each class with each other.
/// Every subject's right answer is passed to `tell`.
fn compare<'a>(
    subjects: impl Iterator<Item = &'a Subject>,
    implementations: &[&str],
    case: &Case,
    mut select: impl FnMut(&str) -> Result<(), Failure>,
    mut tell: impl FnMut(&Subject, &[u8]) -> Result<(), Failure>,
) -> Result<u64, Stop> {
    let [reference, others @ ..] = implementations else { return Ok(0) };
    let mut compared = 0;
    let mut groups: Vec<(&Subject, Vec<u8>)> = Vec::new();
    for subject in subjects.filter(|subject| is_due(subject, case.number)) {
        let on = |implementation: &str| format!("{} on {implementation}", subject.name);
        select(reference)?;
        let Some(expected) = run(subject, case) else {
            return Err(Stop::Different(Difference(vec![(on(reference), None)])));
        };
        tell(subject, &expected.0)?;
        for implementation in others {
            select(implementation)?;
            let found = run(subject, case);
            compared += 1;
            if found.as_ref() != Some(&expected) {
                let runs = vec![(on(reference), Some(expected)), (on(implementation), found)];
                return Err(Stop::Different(Difference(runs)));
            }
        }
        // Between subjects only the answers count: one may work in place and another not.
        let Some((first, answer)) = groups.iter().find(|(first, _)| first.class == subject.class) else {
            groups.push((subject, expected.0));
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

fn is_due(subject: &Subject, number: u64) -> bool {
    match subject.work {
        Work::Fixed { units, .. } => number.is_multiple_of(u64::from(units).clamp(1, RAREST)),
        Work::Message | Work::Batch => true,
    }
}

fn run(subject: &Subject, case: &Case) -> Ending {
    let mut buffer = vec![0; case.offset + case.data.len()];
    let data = &mut buffer[case.offset..];
    data.copy_from_slice(&case.data);
    let answer = catch_unwind(AssertUnwindSafe(|| subject.run(&case.key, data, &case.cuts))).ok()?;
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
    use keylane_subjects::Call;
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

    fn right() -> Subject {
        Subject::new("", "right", |_| Box::new(sum)).class("sum")
    }

    /// Answers differently on the other implementation.
    fn wrong_answer() -> Subject {
        let subject = Subject::new("", "wrong-answer", |_| {
            Box::new(|call| {
                sum(call);
                call.answer[63] ^= u8::from(SELECTED.get());
            })
        });
        subject.class("sum")
    }

    /// Leaves other data behind on the other implementation.
    fn wrong_data() -> Subject {
        Subject::new("", "wrong-data", |_| {
            Box::new(|call| {
                sum(call);
                if let Some(last) = call.data.last_mut() {
                    *last ^= u8::from(SELECTED.get());
                }
            })
        })
    }

    /// Agrees with itself everywhere, and with no other subject on data that is cut.
    fn wrong_class() -> Subject {
        let subject = Subject::new("", "wrong-class", |_| {
            Box::new(|call| {
                sum(call);
                call.answer[0] ^= call.cuts.len() as u8;
            })
        });
        subject.class("sum")
    }

    fn panics() -> Subject {
        Subject::new("", "panics", |_| Box::new(|_| assert!(!SELECTED.get(), "as it should in this test")))
    }

    fn found(subjects: &[Subject]) -> Result<u64, String> {
        let case = Case { number: 5, key: vec![1], data: vec![1, 2, 3], cuts: vec![1, 2], offset: 3 };
        let select = |implementation: &str| {
            SELECTED.set(implementation == "other");
            Ok(())
        };
        compare(subjects.iter(), &["portable", "other"], &case, select, |_, _| Ok(())).map_err(|stop| {
            match stop {
                Stop::Different(difference) => difference.to_string(),
                Stop::Failed(failure) => panic!("{failure:?}"),
            }
        })
    }

    #[test]
    fn agreement_is_found() {
        assert_eq!(found(&[right(), right()]), Ok(3));
    }

    #[test]
    fn a_wrong_answer_is_found() {
        let difference = found(&[right(), wrong_answer()]).unwrap_err();
        assert!(difference.starts_with("wrong-answer on portable gave 0600"), "{difference}");
        assert!(difference.contains("\nwrong-answer on other gave 0600"), "{difference}");
        assert!(difference.ends_with("01"), "{difference}");
    }

    #[test]
    fn wrong_data_is_found() {
        assert!(found(&[wrong_data()]).unwrap_err().ends_with("left the data 010306\nand the second 010307"));
    }

    #[test]
    fn subjects_that_disagree_are_found() {
        let difference = found(&[right(), wrong_class()]).unwrap_err();
        assert!(difference.starts_with("right on portable gave 06"), "{difference}");
        assert!(difference.contains("\nwrong-class on portable gave 04"), "{difference}");
        assert_eq!(found(&[wrong_class()]), Ok(1));
    }

    #[test]
    fn a_panic_is_found() {
        assert!(found(&[panics()]).unwrap_err().ends_with("\npanics on other panicked"));
    }
}
