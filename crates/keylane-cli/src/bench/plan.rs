//! What is measured, and for how long.

use crate::status::Failure;
use keylane::{Primitive, primitives};
use keylane_subjects::{MAX_MESSAGES, Subject, Work};
use std::time::Duration;

const SIZES: &[usize] = &[1, 16, 64, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576];
const BATCH_SIZES: &[usize] = &[16, 64, 256, 1024, 4096, 16384];
const QUICK_SIZES: &[usize] = &[64, 1024, 16384];
const QUICK_BATCH_SIZES: &[usize] = &[64, 1024];

/// The length of the data for an operation of fixed cost: that of a salt.
const FIXED_LEN: usize = 16;

/// The time that the quick run measures; starting, validating and printing take the rest of its ten seconds.
const QUICK_TOTAL: Duration = Duration::from_secs(7);

/// The operation that is measured.
pub(crate) struct Plan {
    pub(crate) cases: Vec<Case>,
    pub(crate) pace: Pace,
}

/// How long one implementation is measured in one case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) rounds: usize,
    pub(crate) sample: Duration,
}

/// One call, to be measured on every implementation.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) primitive: &'static Primitive,
    pub(crate) subject: &'static Subject,
    /// The length of each message; `None` where the cost does not depend on it.
    pub(crate) size: Option<usize>,
    pub(crate) messages: usize,
}

impl Plan {
    pub(crate) fn new(names: &[String], sizes: &[usize], quick: bool) -> Result<Self, Failure> {
        let mut used = vec![false; names.len()];
        let mut cases = Vec::new();
        for primitive in primitives() {
            let mut fixed = Vec::new();
            for subject in keylane_subjects::of(primitive) {
                let mut wanted = names.is_empty() && subject.measured;
                for (name, used) in names.iter().zip(&mut used) {
                    if matches(name, primitive, subject) {
                        (wanted, *used) = (true, true);
                    }
                }
                if !wanted {
                    continue;
                }
                let (messages, ours) = match (subject.work, quick) {
                    (Work::Message, false) => (1, SIZES),
                    (Work::Message, true) => (1, QUICK_SIZES),
                    (Work::Batch, false) => (MAX_MESSAGES, BATCH_SIZES),
                    (Work::Batch, true) => (MAX_MESSAGES, QUICK_BATCH_SIZES),
                    (Work::Fixed { messages, .. }, _) => {
                        fixed.push(Case { primitive, subject, size: None, messages });
                        continue;
                    }
                };
                let sizes = if sizes.is_empty() { ours } else { sizes };
                cases.extend(sizes.iter().map(|&size| Case {
                    primitive,
                    subject,
                    size: Some(size),
                    messages,
                }));
            }
            cases.append(&mut fixed);
        }
        if let Some((name, _)) = names.iter().zip(used).find(|(_, used)| !used) {
            let known: Vec<_> = primitives().iter().map(Primitive::name).collect();
            return Err(Failure::input(format_args!(
                "{name}: no such primitive or operation; there are {} and what is computed with them",
                known.join(", ")
            )));
        }
        let measurements: usize = cases.iter().map(|case| case.implementations().len()).sum();
        Ok(Self { pace: Pace::new(quick, measurements), cases })
    }
}

/// Shorter than a time slice: on a busy machine most samples run undisturbed, and the median is one of them.
const SAMPLE: Duration = Duration::from_micros(400);

/// A sample with its warming up and the clock's measurements.
const ROUND: Duration = Duration::from_micros(500);

impl Pace {
    fn new(quick: bool, measurements: usize) -> Self {
        let most = 61;
        if !quick {
            return Self { rounds: most, sample: SAMPLE };
        }
        let affordable = QUICK_TOTAL.as_micros() / (ROUND.as_micros() * measurements.max(1) as u128);
        Self { rounds: (affordable as usize).clamp(9, most), sample: SAMPLE }
    }
}

impl Case {
    /// The names of the implementations that run here, in the list's order, and whether each runs by default
    /// in this case.
    pub(crate) fn implementations(&self) -> Vec<(&'static str, bool)> {
        let mut free = true;
        let usable = self.primitive.implementations().filter(|it| it.usable);
        usable
            .map(|it| {
                let chosen = free && it.passes_self_test && it.from_messages <= self.messages;
                free &= !chosen;
                (it.name, chosen)
            })
            .collect()
    }

    /// Data of which no two blocks are equal.
    pub(crate) fn data(&self) -> Vec<u8> {
        let len = self.size.map_or(FIXED_LEN, |size| size * self.messages);
        (0..len).map(|i| (i % 251) as u8).collect()
    }

    /// Between the messages of a batch. A single message is cut into three pieces, for operations that take
    /// pieces.
    pub(crate) fn cuts(&self) -> Vec<usize> {
        match (self.size, self.messages) {
            (None, _) => vec![],
            (Some(size), 1) => vec![size / 3, size * 2 / 3],
            (Some(size), messages) => (1..messages).map(|i| i * size).collect(),
        }
    }

    /// The sizes of an operation share a table, and so do a primitive's operations without a size.
    pub(crate) fn shares_table(&self, other: &Self) -> bool {
        self.primitive.name() == other.primitive.name()
            && match (self.size, other.size) {
                (None, None) => true,
                (Some(_), Some(_)) => self.subject.name == other.subject.name,
                _ => false,
            }
    }
}

fn matches(name: &str, primitive: &Primitive, subject: &Subject) -> bool {
    subject.name == name
        || subject.measured && (primitive.name().contains(name) || subject.name.contains(name))
}
