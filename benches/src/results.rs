//! The measured results.

use crate::{OURS, is_ours, rivals::COPY};
use std::{collections::BTreeMap, fmt};

/// Ratios between these, 0.99 to 1.01 when rounded, are level: a run does not tell less apart.
pub const LEVEL: (f64, f64) = (0.985, 1.015);

/// The ratio that no row with warm caches may exceed; of messages of 1 MiB and more, whose costs are the
/// memory's too; and that at which the field would be surprised.
pub const BAR: f64 = 1.03;
pub const LONG_BAR: f64 = 1.05;
pub const GOAL: f64 = 0.85;

/// A whole run.
#[derive(Default)]
pub struct Results {
    pub cpu: String,
    /// How it was made.
    pub facts: Vec<(&'static str, String)>,
    /// Names and versions, in the order of the columns.
    pub libraries: Vec<(String, String)>,
    pub lines: Vec<Line>,
    /// The ratios on this CPU, and as if on others.
    pub classes: Vec<(String, Vec<Ratio>)>,
}

/// The cost of one case to each library, by one measure.
#[derive(Default)]
pub struct Line {
    /// The table's heading.
    pub table: String,
    pub case: String,
    /// Bytes that a figure stands for; 0 where it has no sense to divide by them.
    pub bytes: f64,
    /// Whether more is better.
    pub is_speed: bool,
    pub is_charted: bool,
    /// Lower quartiles of the rounds, pass by pass, of each library; of TLS medians.
    pub figures: BTreeMap<String, Vec<f64>>,
}

/// Our costs over the best rival's: below 1 we are ahead.
#[derive(Debug, PartialEq)]
pub struct Ratio {
    pub case: String,
    pub rival: String,
    /// Infinite where we have no figure.
    pub ratio: f64,
}

impl Ratio {
    /// Reads what [`fmt::Display`] writes, for another process.
    pub fn parse(line: &str) -> Option<Self> {
        let [case, rival, ratio] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        Some(Self { case: case.into(), rival: rival.into(), ratio: ratio.parse().ok()? })
    }

    pub fn is_cold(&self) -> bool {
        self.case.ends_with("/cold")
    }

    /// Whether it exceeds its bar. Rows with cold caches have none.
    pub fn is_missed(&self) -> bool {
        !self.is_cold() && self.ratio > if self.case.ends_with('M') { LONG_BAR } else { BAR }
    }

    /// Returns it for a table.
    pub fn cell(&self) -> String {
        match self.ratio {
            f64::INFINITY => "**no figure**".into(),
            ratio if self.is_missed() => format!("**{ratio:.2}**"),
            ratio => format!("{ratio:.2}"),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\t{}", self.case, self.rival, self.ratio)
    }
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

    /// Returns the fastest rival.
    pub fn rival(&self) -> Option<&str> {
        let is_rival = |name: &&str| !is_ours(name) && *name != COPY;
        let libraries = self.figures.keys().map(String::as_str).filter(is_rival);
        libraries.reduce(|best, other| if self.speed(other, best) > Some(1.0) { other } else { best })
    }

    /// Returns our ratio, and that of rustls with our ciphers, if there is a rival.
    pub fn ratios(&self) -> Vec<Ratio> {
        let Some(rival) = self.rival() else { return Vec::new() };
        let mut ratios = Vec::new();
        for (ours, suffix) in [(OURS, ""), ("rustls+keylane", ", through rustls")] {
            let ratio = self.speed(rival, ours);
            if ratio.is_some() || ours == OURS {
                let ratio = ratio.unwrap_or(f64::INFINITY);
                ratios.push(Ratio { case: self.case.clone() + suffix, rival: rival.into(), ratio });
            }
        }
        ratios
    }

    /// Returns the figure of a library, of long messages per byte.
    pub fn cell(&self, library: &str) -> Option<String> {
        let unit = if self.bytes < 1024.0 { 1.0 } else { self.bytes };
        Some(short(self.get(library)? / unit))
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
