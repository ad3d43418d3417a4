//! What is measured, and for how long.

use super::operations::{self, BATCH, Operation, Work};
use crate::status::Failure;
use keylane::{Primitive, primitives};
use std::time::Duration;

const SIZES: &[usize] = &[1, 16, 64, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576];
const BATCH_SIZES: &[usize] = &[16, 64, 256, 1024, 4096, 16384];
const QUICK_SIZES: &[usize] = &[64, 1024, 16384];
const QUICK_BATCH_SIZES: &[usize] = &[64, 1024];

/// The length of the data for an operation of fixed cost: that of a salt.
const FIXED_LEN: usize = 16;

/// The time that the quick run measures; starting, validating and printing take the rest of its ten seconds.
const QUICK_TOTAL: Duration = Duration::from_secs(7);

/// The operations of the summary, with the length of each message.
const SUMMARY: [(&str, usize); 15] = [
    ("sha256", 16384),
    ("sha256-many", 64),
    ("sha512", 16384),
    ("hmac-sha256", 64),
    ("hmac-sha256-many", 64),
    ("hkdf-sha256-expand", 0),
    ("pbkdf2-hmac-sha256", 0),
    ("pbkdf2-hmac-sha512-many", 0),
    ("aes-128-gcm-seal", 16384),
    ("aes-256-gcm-seal", 64),
    ("aes-256-gcm-seal", 16384),
    ("aes-256-gcm-siv-seal", 16384),
    ("chacha20-poly1305-seal", 16384),
    ("aes-256-ctr", 16384),
    ("poly1305", 16384),
];

/// The cases that are measured.
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
    pub(crate) operation: &'static Operation,
    /// The length of each message; `None` where the cost does not depend on it.
    pub(crate) size: Option<usize>,
    pub(crate) messages: usize,
    /// Whether only what runs by default is measured, after it was compared with the portable one.
    pub(crate) few: bool,
}

impl Plan {
    pub(crate) fn new(names: &[String], sizes: &[usize], quick: bool) -> Result<Self, Failure> {
        let mut used = vec![false; names.len()];
        let mut cases = Vec::new();
        for primitive in primitives() {
            let mut fixed = Vec::new();
            for operation in operations::all().iter().filter(|it| it.primitive == primitive.name()) {
                let mut wanted = names.is_empty();
                for (name, used) in names.iter().zip(&mut used) {
                    if primitive.name().contains(name) || operation.name.contains(name) {
                        (wanted, *used) = (true, true);
                    }
                }
                if !wanted {
                    continue;
                }
                let (messages, ours) = match (operation.work, quick) {
                    (Work::Message, false) => (1, SIZES),
                    (Work::Message, true) => (1, QUICK_SIZES),
                    (Work::Batch, false) => (BATCH, BATCH_SIZES),
                    (Work::Batch, true) => (BATCH, QUICK_BATCH_SIZES),
                    (Work::Fixed { messages, .. }, _) => {
                        fixed.push(Case { primitive, operation, size: None, messages, few: false });
                        continue;
                    }
                };
                let sizes = if sizes.is_empty() { ours } else { sizes };
                cases.extend(sizes.iter().map(|&size| Case {
                    primitive,
                    operation,
                    size: Some(size),
                    messages,
                    few: false,
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
        Ok(Self::of(cases, quick))
    }

    /// Returns the plan of the summary.
    pub(crate) fn summary() -> Self {
        let case = |(name, size): &(&str, usize)| {
            let operation = operations::all().iter().find(|it| it.name == *name)?;
            let primitive = primitives().iter().find(|it| it.name() == operation.primitive)?;
            let (messages, size) = match operation.work {
                Work::Message => (1, Some(*size)),
                Work::Batch => (BATCH, Some(*size)),
                Work::Fixed { messages, .. } => (messages, None),
            };
            Some(Case { primitive, operation, size, messages, few: true })
        };
        Self::of(SUMMARY.iter().filter_map(case).collect(), true)
    }

    fn of(cases: Vec<Case>, quick: bool) -> Self {
        let measurements: usize = cases.iter().map(|case| case.implementations().len()).sum();
        Self { pace: Pace::new(quick, measurements), cases }
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
        let mut all: Vec<_> = usable
            .map(|it| {
                let chosen = free && it.passes_self_test && it.from_messages <= self.messages;
                free &= !chosen;
                (it.name, chosen)
            })
            .collect();
        if self.few {
            // The list ends with the portable one.
            let last = all.last().copied();
            all.retain(|it| it.1 || Some(*it) == last);
        }
        all
    }

    /// Data of which no two blocks are equal.
    pub(crate) fn data(&self) -> Vec<u8> {
        let len = self.size.map_or(FIXED_LEN, |size| size * self.messages);
        (0..len).map(|i| (i % 251) as u8).collect()
    }

    /// The sizes of an operation share a table, and so do a primitive's operations without a size.
    pub(crate) fn shares_table(&self, other: &Self) -> bool {
        self.primitive.name() == other.primitive.name()
            && match (self.size, other.size) {
                (None, None) => true,
                (Some(_), Some(_)) => self.operation.name == other.operation.name,
                _ => false,
            }
    }
}
