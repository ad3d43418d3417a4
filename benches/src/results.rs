//! What a run leaves behind.

use crate::{OURS, bars::Bar, bars::Per, case::Case, is_ours};
use serde::{Deserialize, Serialize};

/// A whole run: where it was made, and its figures.
#[derive(Serialize, Deserialize)]
pub struct Results {
    pub cpu: String,
    /// Instruction sets that matter here.
    pub features: Vec<String>,
    pub clock: String,
    /// Libraries that this machine does not have.
    #[serde(default)]
    pub absent: Vec<String>,
    /// UTC.
    pub date: String,
    pub rustc: String,
    /// What makes such a run again, but for pinning.
    pub command: String,
    pub seconds: u64,
    pub passes: usize,
    pub rounds: usize,
    pub libraries: Vec<Library>,
    /// What Keylane chose to run here, primitive by primitive.
    pub chosen: Vec<String>,
    pub rows: Vec<Row>,
}

/// A library and its version.
#[derive(Serialize, Deserialize)]
pub struct Library {
    pub name: String,
    pub version: String,
}

/// One case, one library, one pass: medians of the rounds, per operation.
#[derive(Clone, Serialize, Deserialize)]
pub struct Row {
    pub case: String,
    pub rival: String,
    pub pass: usize,
    pub ns: f64,
    pub cycles: f64,
}

impl Results {
    /// The cases that were run, in the order of the table.
    pub fn cases(&self) -> Vec<Case> {
        let ran = |case: &Case| self.rows.iter().any(|row| row.case == case.id());
        crate::case::all().into_iter().filter(ran).collect()
    }

    /// The quietest pass of a library: the lowest of its medians.
    pub fn quietest(&self, case: &Case, rival: &str) -> Option<&Row> {
        let rows = self.rows.iter().filter(|row| row.case == case.id() && row.rival == rival);
        rows.min_by(|a, b| a.cycles.total_cmp(&b.cycles))
    }

    /// Every library with this case, in the order of the columns.
    pub fn all(&self, case: &Case) -> Vec<&Row> {
        self.libraries.iter().filter_map(|library| self.quietest(case, &library.name)).collect()
    }

    /// The best library that is not ours.
    pub fn best_rival(&self, case: &Case) -> Option<&Row> {
        let rivals = self.all(case).into_iter().filter(|row| !is_ours(&row.rival));
        rivals.min_by(|a, b| a.cycles.total_cmp(&b.cycles))
    }

    /// Our figure as it is held against the bar: an `Open` without its copy, if that was measured.
    pub fn judged(&self, case: &Case, bar: &Bar) -> Option<f64> {
        let mut row = self.quietest(case, OURS)?.clone();
        if let Case::Open { len, .. } = *case {
            row.cycles -= self.quietest(&Case::Memcpy { len }, "memcpy")?.cycles;
        }
        Some(row.figure(case, bar.per))
    }

    /// Our cycles over the best rival's: below 1 we are ahead.
    pub fn ratio(&self, case: &Case) -> Option<f64> {
        Some(self.quietest(case, OURS)?.cycles / self.best_rival(case)?.cycles)
    }
}

impl Row {
    /// Cycles per byte, message, iteration or operation.
    pub fn figure(&self, case: &Case, per: Per) -> f64 {
        match per {
            Per::Byte => self.cycles / case.bytes() as f64,
            Per::Unit => self.cycles / case.units().0,
        }
    }
}

/// What the figures of a case are counted in.
pub fn per(case: &Case) -> Per {
    match crate::bars::bar(&case.id()) {
        Some(bar) => bar.per,
        None if case.units().0 == 1.0 && case.bytes() >= 1024 => Per::Byte,
        None => Per::Unit,
    }
}
