//! What Keylane has set itself: `bars.txt`, whose head says what the columns mean.

use crate::{
    report::{Line, short},
    rivals::COPY,
};

/// A target.
pub struct Bar {
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

    /// Compares it with a run, if that measured its case. A bar without a figure is missed.
    pub fn judge(&self, lines: &[Line]) -> Option<Verdict> {
        let Self { case, library, measure, bar, goal } = *self;
        let find = |case: &str| lines.iter().find(|line| line.case == case);
        let line = find(case)?;
        let cycles = line.get(library);
        let (figure, unit, note) = match measure {
            Measure::Cycles => (cycles, "", String::new()),
            Measure::CyclesPerByte => (cycles.map(|all| all / line.bytes), " c/B", String::new()),
            Measure::Without(other) => {
                let copy = find(other).and_then(|line| line.get(COPY));
                let rest = cycles.zip(copy).map(|(all, copy)| (all - copy) / line.bytes);
                (rest, " c/B", format!(" without {other}"))
            }
            Measure::Over(other) => (line.speed(library, other), "×", format!(" over {other}")),
        };
        let is_speed = matches!(measure, Measure::Over(_));
        let reaches = |target: f64| {
            figure.is_some_and(|figure| if is_speed { figure >= target } else { figure <= target })
        };
        let verdict = match (figure, goal) {
            (None, _) => "**bar missed**: no figure".into(),
            (_, Some(goal)) if reaches(goal) => "goal reached".into(),
            _ if reaches(bar) => "bar reached".into(),
            (Some(figure), _) => format!("**bar missed** by {:.1} %", (figure / bar - 1.0).abs() * 100.0),
        };
        let told = |value: f64| format!("{value}{unit}");
        let goal = goal.map_or_else(|| "–".into(), told);
        let figure = figure.map_or_else(|| "–".into(), |figure| short(figure) + unit);
        let cells = vec![format!("{case}, {library}{note}"), figure, told(bar), goal, verdict];
        Some(Verdict { is_missed: !reaches(bar), cells })
    }
}
