//! Looking things up in what was measured.

use keylane_tls_testkit::{case::Case, rounds::Row, scenario::Metric};

/// All rows of a run.
pub(crate) struct Figures(pub(crate) Vec<Row>);

/// Whether Keylane has a part in it.
pub(crate) fn is_ours(contender: &str) -> bool {
    contender.contains(keylane_benches::OURS)
}

impl Figures {
    /// The cases, in the order in which they ran.
    pub(crate) fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<Case> = self.0.iter().map(|row| row.case).collect();
        cases.dedup();
        cases
    }

    /// The contenders, in the order of the columns.
    pub(crate) fn contenders(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.0 {
            if !names.contains(&row.contender.as_str()) {
                names.push(&row.contender);
            }
        }
        names
    }

    /// The median.
    pub(crate) fn get(&self, case: &Case, contender: &str, metric: Metric) -> Option<f64> {
        let mut rows = self.0.iter();
        let row = rows.find(|row| (row.case, row.metric) == (*case, metric) && row.contender == contender)?;
        Some(row.median)
    }

    /// Nanoseconds per byte as cycles per byte, where the core clock was measured.
    pub(crate) fn cycles(&self, case: &Case, contender: &str, metric: Metric) -> Option<f64> {
        Some(self.get(case, contender, metric)? * self.get(case, contender, Metric::CoreClock)?)
    }

    /// How many times as fast `ours` is as `theirs`.
    pub(crate) fn speed(&self, case: &Case, metric: Metric, ours: &str, theirs: &str) -> Option<f64> {
        let (ours, theirs) = (self.get(case, ours, metric)?, self.get(case, theirs, metric)?);
        Some(if metric.is_speed() { ours / theirs } else { theirs / ours })
    }

    /// Whom none but us outruns.
    pub(crate) fn best_rival(&self, case: &Case, metric: Metric) -> Option<&str> {
        let rows = self.0.iter().filter(|row| (row.case, row.metric) == (*case, metric));
        let rivals = rows.filter(|row| !is_ours(&row.contender));
        let slowness = |row: &&Row| if metric.is_speed() { -row.median } else { row.median };
        Some(&rivals.min_by(|a, b| slowness(a).total_cmp(&slowness(b)))?.contender)
    }
}
