//! One call of every subject on every implementation: all must end alike.

use crate::Choices;
use crate::implementations::{exclusively, usable};
use crate::subjects::{Subject, Work, subjects};
use std::fmt::{self, Write};
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

/// The names of runs that should have ended alike, and how each ended.
#[derive(Debug)]
pub struct Difference(Vec<(String, Ending)>);

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
) -> Result<u64, Difference> {
    exclusively(primitive, |primitive| {
        // The last one is portable: the reference.
        let mut implementations = usable(primitive);
        implementations.reverse();
        let mut compared = 0;
        // The first subject of each class. One may work in place and another not: only the answers count.
        let mut classes: Vec<(&str, String, [u8; 64])> = Vec::new();
        for subject in subjects {
            let mut runs = implementations.iter().map(|name| {
                primitive.select(name).expect("it is usable and passes its self-test");
                (format!("{} on {name}", subject.name), case.run(subject))
            });
            let first = runs.next().expect("portable code runs everywhere");
            for other in runs {
                compared += 1;
                if other.1 != first.1 {
                    return Err(Difference(vec![first, other]));
                }
            }
            let (name, Some((answer, _))) = first else { return Err(Difference(vec![first])) };
            let Some((_, other, same)) = classes.iter().find(|(class, ..)| *class == subject.class) else {
                classes.push((&subject.class, name, answer));
                continue;
            };
            compared += 1;
            if *same != answer {
                let ended = |name: &String, answer| (name.clone(), Some((answer, Vec::new())));
                return Err(Difference(vec![ended(other, *same), ended(&name, answer)]));
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

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = |number| if number == 0 { "" } else { "\n" };
        for (number, (run, ending)) in self.0.iter().enumerate() {
            match ending {
                None => write!(f, "{}{run} panicked", separator(number))?,
                Some((answer, _)) => write!(f, "{}{run} gave {}", separator(number), hex(answer))?,
            }
        }
        // Data is long: it is shown where only it differs.
        if let [(_, Some((answer, before))), (_, Some((same, after)))] = &self.0[..]
            && answer == same
        {
            write!(f, "\nbut the first left the data {}\nand the second {}", hex(before), hex(after))?;
        }
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("a string grows");
        digits
    })
}
