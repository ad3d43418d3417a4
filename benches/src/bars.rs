//! What Keylane has set itself: `bars.txt`, whose head says what the columns mean.

use crate::{
    results::{Line, short},
    rivals::COPY,
};

/// A target.
pub struct Bar {
    /// A case, or what it begins with, an asterisk, and what it ends with.
    pub case: &'static str,
    pub library: &'static str,
    pub measure: Measure,
    bar: f64,
    goal: Option<f64>,
}

#[derive(Clone, Copy)]
pub enum Measure {
    Cycles,
    CyclesPerByte,
    /// Without what the copy of this case costs.
    Without(&'static str),
    /// Times as fast as this library.
    Over(&'static str),
}

/// What a run says about a bar.
pub struct Verdict {
    pub is_missed: bool,
    /// Case, figure, bar, goal, verdict.
    pub cells: Vec<String>,
}

/// Returns all of them.
pub fn all() -> impl Iterator<Item = Bar> {
    include_str!("../bars.txt").lines().filter(|line| !line.starts_with('#')).map(Bar::parse)
}

impl Bar {
    /// # Panics
    /// Where the line does not say a bar.
    pub fn parse(line: &'static str) -> Self {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [case, library, measure, bar, goal] = fields[..] else { panic!("not five columns: {line}") };
        let measure = match measure.split_once([':', '-']) {
            None if measure == "cycles" => Measure::Cycles,
            None if measure == "c/B" => Measure::CyclesPerByte,
            Some(("c/B", case)) => Measure::Without(case),
            Some(("over", library)) => Measure::Over(library),
            _ => panic!("no such measure: {line}"),
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no number: {line}"));
        let goal = (goal != "-").then(|| number(goal));
        Self { case, library, measure, bar: number(bar), goal }
    }

    /// Whether a case has to reach it.
    pub fn is_of(&self, case: &str) -> bool {
        match self.case.split_once('*') {
            Some((begin, end)) => case.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end)),
            None => case == self.case,
        }
    }

    /// Compares it with those of its cases that a run measured, and returns the worst. A bar without a figure
    /// is missed.
    pub fn judge(&self, lines: &[Line]) -> Option<Verdict> {
        let Self { case, library, measure, bar, goal } = *self;
        let is_speed = matches!(measure, Measure::Over(_));
        let reached = |figure: f64, target: f64| if is_speed { figure / target } else { target / figure };
        let figures =
            lines.iter().filter(|line| self.is_of(&line.case)).map(|line| (line, self.figure(line, lines)));
        let worth = |figure: Option<f64>| figure.map_or(0.0, |figure| reached(figure, bar));
        let (worst, figure) = figures.min_by(|(_, a), (_, b)| worth(*a).total_cmp(&worth(*b)))?;
        let (unit, note) = match measure {
            Measure::Cycles => ("", String::new()),
            Measure::CyclesPerByte => (" c/B", String::new()),
            Measure::Without(other) => (" c/B", format!(" without {other}")),
            Measure::Over(other) => ("×", format!(" over {other}")),
        };
        let reaches = |target: f64| figure.is_some_and(|figure| reached(figure, target) >= 1.0);
        let verdict = match (figure, goal) {
            (None, _) => "**bar missed**: no figure".into(),
            (_, Some(goal)) if reaches(goal) => "goal reached".into(),
            _ if reaches(bar) => "bar reached".into(),
            (Some(figure), _) => format!("**bar missed** by {:.1} %", (figure / bar - 1.0).abs() * 100.0),
        };
        let told = |value: f64| format!("{value}{unit}");
        let goal = goal.map_or_else(|| "–".into(), told);
        let figure = figure.map_or_else(|| "–".into(), |figure| short(figure) + unit);
        let at = if case.contains('*') { format!(", worst: {}", worst.case) } else { String::new() };
        let cells = vec![format!("{case}, {library}{note}{at}"), figure, told(bar), goal, verdict];
        Some(Verdict { is_missed: !reaches(bar), cells })
    }

    fn figure(&self, line: &Line, lines: &[Line]) -> Option<f64> {
        let cycles = line.get(self.library);
        match self.measure {
            Measure::Cycles => cycles,
            Measure::CyclesPerByte => cycles.map(|all| all / line.bytes),
            Measure::Without(other) => {
                let copy = lines.iter().find(|line| line.case == other).and_then(|line| line.get(COPY));
                cycles.zip(copy).map(|(all, copy)| (all - copy) / line.bytes)
            }
            Measure::Over(other) => line.speed(self.library, other),
        }
    }
}
