//! What Keylane has set itself: `bars.txt`, whose head says what the columns mean.

use crate::report::{Line, short};

/// A target.
pub struct Bar {
    pub case: &'static str,
    library: &'static str,
    measure: &'static str,
    bar: f64,
    goal: Option<f64>,
}

/// What a run says about a bar.
pub struct Verdict {
    pub is_missed: bool,
    /// Case, figure, bar, goal, verdict.
    pub cells: Vec<String>,
}

/// Returns all of them.
pub fn all() -> impl Iterator<Item = Bar> {
    let lines = include_str!("../bars.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [case, library, measure, bar, goal] = fields[..] else { panic!("not five columns: {line}") };
        let bar = bar.parse().expect("a number");
        Bar { case, library, measure, bar, goal: goal.parse().ok() }
    })
}

impl Bar {
    /// Compares it with a run, if that measured it.
    pub fn judge(&self, lines: &[Line]) -> Option<Verdict> {
        let Self { case, library, measure, bar, goal } = *self;
        let find = |case: &str| lines.iter().find(|line| line.case == case);
        let line = find(case)?;
        let (kind, other) = measure.split_once([':', '-']).unwrap_or((measure, ""));
        let (figure, unit, note) = match kind {
            "over" => (line.speed(library, other)?, "×", format!(" over {other}")),
            "c/B" if other.is_empty() => (line.get(library)? / line.bytes, " c/B", String::new()),
            "c/B" => {
                let rest = line.get(library)? - find(other)?.get("memcpy")?;
                (rest / line.bytes, " c/B", format!(" without {other}"))
            }
            _ => (line.get(library)?, "", String::new()),
        };
        let reached = |target: f64| if kind == "over" { figure >= target } else { figure <= target };
        let verdict = match goal {
            Some(goal) if reached(goal) => "goal reached".into(),
            _ if reached(bar) => "bar reached".into(),
            _ => format!("**bar missed** by {:.1} %", (figure / bar - 1.0).abs() * 100.0),
        };
        let told = |value: f64| format!("{value}{unit}");
        let goal = goal.map_or_else(|| "–".into(), told);
        let figure = short(figure) + unit;
        let cells = vec![format!("{case}, {library}{note}"), figure, told(bar), goal, verdict];
        Some(Verdict { is_missed: !reached(bar), cells })
    }
}
