//! The results of a run, and its tables in Markdown.

use crate::{
    OURS,
    bars::{self, Bar, Measure},
    chart, cpu, is_ours,
    options::Options,
};
use serde::{Deserialize, Serialize};
use std::{error::Error, fmt::Write as _, fs, io::Write as _};
use time::{OffsetDateTime, macros::format_description};

/// Ratios between these, 0.99 to 1.01 when rounded, are level: a run does not tell less apart.
pub const LEVEL: (f64, f64) = (0.985, 1.015);

/// A whole run.
#[derive(Serialize, Deserialize)]
pub struct Results {
    pub title: String,
    pub cpu: String,
    /// Appended to the names of the report's files.
    pub suffix: String,
    /// UTC.
    pub date: String,
    /// How it was made.
    pub facts: Vec<(String, String)>,
    /// Names and versions, in the order of the columns.
    pub libraries: Vec<(String, String)>,
    pub lines: Vec<Line>,
}

/// What one case cost the libraries, by one measure.
#[derive(Serialize, Deserialize)]
pub struct Line {
    /// The table's heading.
    pub table: String,
    pub case: String,
    /// What the figures are told for, such as ", per message".
    pub per: String,
    /// The bytes of a figure; 0 if a figure per byte is meaningless.
    pub bytes: f64,
    /// Whether more is better.
    pub is_speed: bool,
    pub is_charted: bool,
    pub figures: Vec<Figure>,
}

/// What one library needs for it.
#[derive(Serialize, Deserialize)]
pub struct Figure {
    pub library: String,
    /// Medians of the rounds, pass by pass.
    pub passes: Vec<f64>,
}

impl Line {
    /// The quietest pass of a library.
    pub fn get(&self, library: &str) -> Option<f64> {
        let passes = &self.figures.iter().find(|figure| figure.library == library)?.passes;
        passes.iter().copied().reduce(if self.is_speed { f64::max } else { f64::min })
    }

    /// How many times as fast one library is as another.
    pub fn speed(&self, of: &str, over: &str) -> Option<f64> {
        let (of, over) = (self.get(of)?, self.get(over)?);
        Some(if self.is_speed { of / over } else { over / of })
    }

    /// The fastest library of those that are asked for.
    pub fn best(&self, asked: impl Fn(&str) -> bool) -> Option<&str> {
        let libraries = self.figures.iter().map(|figure| figure.library.as_str()).filter(|name| asked(name));
        libraries.reduce(|best, other| if self.speed(other, best) > Some(1.0) { other } else { best })
    }

    /// The fastest library that is not ours, and our costs over its: below 1 we are ahead.
    pub fn rival(&self) -> Option<(&str, f64)> {
        let rival = self.best(|name| !is_ours(name))?;
        Some((rival, self.speed(rival, OURS)?))
    }

    fn is_cold(&self) -> bool {
        self.case.ends_with("/cold")
    }

    fn cell(&self, library: &str) -> Option<String> {
        let value = self.get(library)?;
        let each = if self.bytes > 0.0 { format!(" ({:.3})", value / self.bytes) } else { String::new() };
        Some(short(value) + &each)
    }
}

impl Results {
    pub fn new(
        title: &str,
        suffix: &str,
        facts: &[(&str, String)],
        libraries: Vec<(String, String)>,
    ) -> Self {
        let now = OffsetDateTime::now_utc();
        let format = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");
        Self {
            title: title.into(),
            cpu: cpu::name(),
            suffix: suffix.into(),
            date: now.format(format).expect("a date in the calendar"),
            facts: facts.iter().map(|(what, text)| (what.to_string(), text.clone())).collect(),
            libraries,
            lines: vec![],
        }
    }

    /// Adds what a library needs in a case: in a pass after the first, to the line that is there.
    pub fn add(&mut self, line: Line) {
        match self.lines.iter_mut().find(|old| old.case == line.case && old.table == line.table) {
            None => self.lines.push(line),
            Some(old) => {
                for new in line.figures {
                    match old.figures.iter_mut().find(|old| old.library == new.library) {
                        Some(old) => old.passes.extend(new.passes),
                        None => old.figures.push(new),
                    }
                }
            }
        }
    }

    /// Prints the tables, and writes what the options ask for.
    pub fn tell(&self, options: &Options) -> Result<(), Box<dyn Error>> {
        if let Some(file) = &options.json {
            fs::write(file, serde_json::to_string_pretty(self)?)?;
        }
        if let Some(folder) = &options.report {
            fs::create_dir_all(folder)?;
            let slug = cpu::slug(&self.cpu) + &self.suffix;
            fs::write(folder.join(format!("{slug}.md")), self.markdown(&slug))?;
            fs::write(folder.join(format!("{slug}.svg")), chart::svg(self)?)?;
            eprintln!("written: {}", folder.join(slug).with_extension("{md,svg}").display());
        }
        // A reader that has seen enough may close the pipe.
        let _ = std::io::stdout().write_all(self.tables().as_bytes());
        Ok(())
    }

    fn markdown(&self, slug: &str) -> String {
        let mut s = format!("# {}: {}\n\n- Date: {}\n", self.title, self.cpu, self.date);
        self.facts.iter().for_each(|(what, text)| writeln!(s, "- {what}: {text}").unwrap());
        if let Some((half, most)) = self.noise() {
            let text = "in half of all cells passes differ by less than";
            writeln!(s, "- Noise: {text} {half:.1} %, in nine of ten by less than {most:.1} %").unwrap();
        }
        let libraries = self.libraries.iter().filter(|(_, version)| !version.is_empty());
        let libraries: Vec<_> = libraries.map(|(name, version)| format!("{name} ({version})")).collect();
        let chart = format!("![Speed relative to the best rival]({slug}.svg)");
        write!(s, "- Libraries: {}\n\n{chart}\n\n{}", libraries.join("; "), self.tables()).unwrap();
        s
    }

    /// By how much passes differ, in percent: half of all figures by less than the first, nine in ten than
    /// the second.
    fn noise(&self) -> Option<(f64, f64)> {
        let figures =
            self.lines.iter().flat_map(|line| &line.figures).filter(|figure| figure.passes.len() > 1);
        let spread = |figure: &Figure| {
            let most = |pick: fn(f64, f64) -> f64| figure.passes.iter().copied().reduce(pick);
            Some((most(f64::max)? / most(f64::min)? - 1.0) * 100.0)
        };
        let mut spreads: Vec<f64> = figures.filter_map(spread).collect();
        spreads.sort_by(f64::total_cmp);
        let at = |part: f64| spreads.get((spreads.len() as f64 * part) as usize).copied();
        Some((at(0.5)?, at(0.9)?))
    }

    /// All tables.
    pub fn tables(&self) -> String {
        let mut s = String::new();
        if self.lines.iter().any(|line| line.rival().is_some()) {
            write!(s, "## Keylane and the best rival\n\n{}{}\n", self.summary(), self.ours()).unwrap();
        }
        let targets: Vec<_> = bars::ALL.iter().filter_map(|bar| self.target(bar)).collect();
        if !targets.is_empty() {
            let head = "| case | figure | bar | goal | verdict |\n|---|---|---|---|---|";
            let told =
                format!("In cycles of another CPU ({}), or times as fast as a rival.", bars::REFERENCE);
            write!(s, "## Targets\n\n{told}\n\n{head}\n{}\n", targets.concat()).unwrap();
        }
        s.push_str("## All libraries\n");
        for lines in self.lines.chunk_by(|a, b| a.table == b.table) {
            let has = |name: &&str| lines.iter().any(|line| line.get(name).is_some());
            let columns: Vec<&str> =
                self.libraries.iter().map(|(name, _)| name.as_str()).filter(has).collect();
            let rule = "---|".repeat(columns.len() + 1);
            write!(s, "\n### {}\n\n| | {} |\n|{rule}\n", lines[0].table, columns.join(" | ")).unwrap();
            for line in lines {
                let (Line { case, per, .. }, best) = (line, line.best(|_| true));
                let cell = |column: &&str| match line.cell(column) {
                    Some(cell) if best == Some(column) => format!("**{cell}**"),
                    cell => cell.unwrap_or_default(),
                };
                let cells: Vec<_> = columns.iter().map(cell).collect();
                writeln!(s, "| {case}{per} | {} |", cells.join(" | ")).unwrap();
            }
        }
        s
    }

    /// The table of `ours`, in a sentence for warm rows and one for cold ones.
    pub fn summary(&self) -> String {
        let mut s = String::new();
        for (cold, of) in [(false, "rows"), (true, "rows with cold caches")] {
            let lines = self.lines.iter().filter(|line| line.is_cold() == cold);
            let ratios: Vec<f64> = lines.filter_map(|line| Some(line.rival()?.1)).collect();
            let ahead = ratios.iter().filter(|&&ratio| ratio < LEVEL.0).count();
            let behind = ratios.iter().filter(|&&ratio| ratio >= LEVEL.1).count();
            let (all, level) = (ratios.len(), ratios.len() - ahead - behind);
            if all > 0 {
                let parts = format!("{ahead}, level within 1 % in {level}, behind in {behind}");
                writeln!(s, "Of {all} {of}, Keylane is ahead of the best rival in {parts}.").unwrap();
            }
        }
        s
    }

    /// Rows = cases: Keylane, the best rival, the ratio of their costs.
    fn ours(&self) -> String {
        let mut s = "\nRatio: Keylane's costs over the best rival's; below 1, Keylane is ahead.\n\n\
                     | case | Keylane | best rival | ratio |\n|---|---|---|---|\n"
            .to_string();
        for line in &self.lines {
            let (Some((rival, ratio)), Some(ours)) = (line.rival(), line.cell(OURS)) else { continue };
            let theirs = line.cell(rival).unwrap_or_default();
            let mark = if ratio >= LEVEL.1 { "**" } else { "" };
            let Line { case, per, .. } = line;
            writeln!(s, "| {case}{per} | {ours} | {rival} {theirs} | {mark}{ratio:.2}{mark} |").unwrap();
        }
        s
    }

    /// A row of the targets, if this run says something about it.
    fn target(&self, bar: &Bar) -> Option<String> {
        let find = |case: &str| self.lines.iter().find(|line| line.case == case);
        let line = find(bar.case)?;
        let cycles = line.get(bar.library)?;
        let (figure, unit, over) = match bar.measure {
            Measure::Cycles => (cycles, "", String::new()),
            Measure::PerByte => (cycles / line.bytes, " c/B", String::new()),
            Measure::PerByteBut(case) => {
                ((cycles - find(case)?.get("memcpy")?) / line.bytes, " c/B", " without the copy".into())
            }
            Measure::TimesAsFastAs(other) => (line.speed(bar.library, other)?, "×", format!(" over {other}")),
        };
        let reached = |target: f64| if unit == "×" { figure >= target } else { figure <= target };
        let verdict = match bar.goal {
            Some(goal) if reached(goal) => "goal reached".to_string(),
            _ if reached(bar.bar) => "bar reached".to_string(),
            _ => format!("**bar missed** by {:.1} %", (figure / bar.bar - 1.0).abs() * 100.0),
        };
        let Bar { case, library, bar, goal, .. } = bar;
        let (figure, goal) = (short(figure), goal.map_or("–".into(), |goal| format!("{goal}{unit}")));
        Some(format!("| {case}, {library}{over} | {figure}{unit} | {bar}{unit} | {goal} | {verdict} |\n"))
    }
}

fn short(x: f64) -> String {
    let decimals = if x < 10.0 { 3 } else { usize::from(x < 100.0) };
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(case: &str, bytes: f64, is_speed: bool, figures: &[(&str, &[f64])]) -> Line {
        let figure = |(library, passes): &(&str, &[f64])| Figure {
            library: library.to_string(),
            passes: passes.to_vec(),
        };
        Line {
            table: "Table".into(),
            case: case.into(),
            per: String::new(),
            bytes,
            is_speed,
            is_charted: !case.ends_with("/cold"),
            figures: figures.iter().map(figure).collect(),
        }
    }

    fn results(lines: Vec<Line>) -> Results {
        let mut results = Results::new("Title", "", &[], vec![]);
        for line in lines {
            for figure in &line.figures {
                if !results.libraries.iter().any(|(name, _)| *name == figure.library) {
                    results.libraries.push((figure.library.clone(), String::new()));
                }
            }
            results.add(line);
        }
        results
    }

    fn contains(text: &str, expected: &[&str]) {
        expected.iter().for_each(|expected| assert!(text.contains(expected), "{expected}\n{text}"));
    }

    /// Of two passes, the quieter one counts; our own implementations are no rivals of ours.
    #[test]
    fn costs() {
        let results = results(vec![
            line(
                "hmac-sha256/keyed/32",
                32.0,
                false,
                &[(OURS, &[350.0]), ("slow", &[600.0]), ("fast", &[540.0])],
            ),
            line("hmac-sha256/keyed/32", 32.0, false, &[(OURS, &[270.0]), ("keylane:portable", &[200.0])]),
            line(
                "sha256/digest/16K",
                16384.0,
                false,
                &[(OURS, &[2.1 * 16384.0]), ("fast", &[2.0 * 16384.0])],
            ),
            line("sha256/digest/64/cold", 64.0, false, &[(OURS, &[500.0]), ("fast", &[900.0])]),
        ]);
        contains(
            &results.tables(),
            &[
                "Of 2 rows, Keylane is ahead of the best rival in 1, level within 1 % in 0, behind in 1.",
                "Of 1 rows with cold caches, Keylane is ahead of the best rival in 1,",
                "| hmac-sha256/keyed/32 | 270 (8.438) | fast 540 (16.875) | 0.50 |",
                "| sha256/digest/16K | 34406 (2.100) | fast 32768 (2.000) | **1.05** |",
                "| hmac-sha256/keyed/32, keylane | 270 | 300 | 275 | goal reached |",
                "| sha256/digest/16K, keylane | 2.100 c/B | 2.04 c/B | – | **bar missed** by 2.9 % |",
                "| hmac-sha256/keyed/32 | 270 (8.438) | 600 (18.750) | 540 (16.875) | **200 (6.250)** |",
            ],
        );
        let chart = chart::svg(&results).unwrap();
        contains(&chart, &["2.00×", "0.95×"]);
        assert!(!chart.contains("cold"));
    }

    /// The copy that an `open` includes is taken off for the verdict.
    #[test]
    fn copies() {
        let open = line("aes128gcm/open/16K", 16384.0, false, &[(OURS, &[0.380 * 16384.0])]);
        let copy = line("memcpy/16K", 16384.0, false, &[("memcpy", &[0.030 * 16384.0])]);
        contains(
            &results(vec![open, copy]).tables(),
            &[
                "| aes128gcm/open/16K, keylane without the copy | 0.350 c/B | 0.365 c/B | 0.31 c/B | bar reached |",
            ],
        );
    }

    /// Less time is faster, more data per second is faster.
    #[test]
    fn speeds() {
        let figures: [(&str, &[f64]); 3] = [(OURS, &[900.0]), ("rustls+ring", &[500.0]), ("go", &[450.0])];
        let results = results(vec![line("throughput/tls13-aes128gcm/max/16MB, cpu", 0.0, true, &figures)]);
        contains(
            &results.tables(),
            &[
                "| 900 | rustls+ring 500 | 0.56 |",
                "16MB, cpu, keylane over go | 2.000× | 2.1× | 2.4× | **bar missed** by 4.8 % |",
                "cpu, keylane over rustls+ring | 1.800× | 1.5× | 1.8× | goal reached |",
                "| **900** | 500 | 450 |",
            ],
        );
    }
}
