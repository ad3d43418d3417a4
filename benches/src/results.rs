//! What was measured.

use crate::{OURS, is_ours};
use std::collections::BTreeMap;

/// Ratios between these, 0.99 to 1.01 when rounded, are level: a run does not tell less apart.
pub const LEVEL: (f64, f64) = (0.985, 1.015);

/// A whole run.
#[derive(Default)]
pub struct Results {
    pub cpu: String,
    /// UTC.
    pub date: String,
    /// How it was made.
    pub facts: Vec<(&'static str, String)>,
    /// Names and versions, in the order of the columns.
    pub libraries: Vec<(String, String)>,
    pub lines: Vec<Line>,
    /// Whether the chart is of costs by length.
    pub is_scale: bool,
}

/// The cost of one case to each library, by one measure.
#[derive(Default)]
pub struct Line {
    /// The table's heading.
    pub table: String,
    pub case: String,
    /// The words after the unit, such as ", per message".
    pub per: &'static str,
    /// Bytes that a figure stands for; 0 where it has no sense to divide by them.
    pub bytes: f64,
    /// Whether more is better.
    pub is_speed: bool,
    pub is_charted: bool,
    /// Medians of the rounds, pass by pass, of each library.
    pub figures: BTreeMap<String, Vec<f64>>,
}

impl Line {
    /// Returns the quietest pass of a library.
    pub fn get(&self, library: &str) -> Option<f64> {
        let passes = self.figures.get(library)?.iter().copied();
        passes.reduce(if self.is_speed { f64::max } else { f64::min })
    }

    /// Returns how many times as fast one library is as another.
    pub fn speed(&self, of: &str, over: &str) -> Option<f64> {
        let (of, over) = (self.get(of)?, self.get(over)?);
        Some(if self.is_speed { of / over } else { over / of })
    }

    /// Returns the fastest library of those that are asked for.
    pub fn best(&self, asked: impl Fn(&str) -> bool) -> Option<&str> {
        let libraries = self.figures.keys().map(String::as_str).filter(|name| asked(name));
        libraries.reduce(|best, other| if self.speed(other, best) > Some(1.0) { other } else { best })
    }

    /// Returns the fastest library that is not ours, and our costs over its: below 1 we are ahead. Of TLS,
    /// our streams count, with whichever asymmetric half is faster.
    pub fn rival(&self) -> Option<(&str, f64)> {
        let rival = self.best(|name| !is_ours(name))?;
        Some((rival, self.speed(rival, self.best(|name| name.starts_with(OURS))?)?))
    }

    pub fn is_cold(&self) -> bool {
        self.case.ends_with("/cold")
    }

    /// Returns the figure of a library, and in parentheses that per byte.
    pub fn cell(&self, library: &str) -> Option<String> {
        let value = self.get(library)?;
        let each = if self.bytes > 0.0 { format!(" ({:.3})", value / self.bytes) } else { String::new() };
        Some(short(value) + &each)
    }
}

impl Results {
    /// Adds a line to its table: in a pass after the first, to the line that is there.
    pub fn add(&mut self, line: Line) {
        let is_same = |old: &&mut Line| old.case == line.case && old.table == line.table;
        if let Some(old) = self.lines.iter_mut().find(is_same) {
            for (library, passes) in line.figures {
                old.figures.entry(library).or_default().extend(passes);
            }
            return;
        }
        let last = self.lines.iter().rposition(|old| old.table == line.table);
        self.lines.insert(last.map_or(self.lines.len(), |last| last + 1), line);
    }
}

pub fn has(lines: &[Line], library: &str) -> bool {
    lines.iter().any(|line| line.figures.contains_key(library))
}

/// Returns a figure with the digits that mean something.
pub fn short(x: f64) -> String {
    let decimals = if x < 10.0 { 3 } else { usize::from(x < 100.0) };
    format!("{x:.decimals$}")
}
