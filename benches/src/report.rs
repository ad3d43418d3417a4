//! What a run leaves behind: its tables in Markdown.

use crate::{
    bars::{self, Verdict},
    chart,
    results::{LEVEL, Line, Results, has},
};
use std::{error::Error, fmt::Write as _, fs, path::Path, process::Command};

impl Results {
    /// Writes the report, and its chart beside it.
    pub fn write(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        let picture = file.with_extension("svg");
        let (what, drawing) = match self.is_scale {
            true => ("Cycles per byte by length", chart::scale(self)?),
            false => ("Speed relative to the best rival", chart::svg(self)?),
        };
        fs::write(&picture, drawing)?;
        let mut s = format!("# Keylane beside other libraries: {}\n\n- Date: {}\n", self.cpu, self.date);
        for (what, text) in &self.facts {
            writeln!(s, "- {what}: {text}")?;
        }
        let libraries = self.libraries.iter().filter(|(name, _)| has(&self.lines, name));
        let libraries: Vec<_> = libraries.map(|(name, version)| format!("{name} {version}")).collect();
        let picture = picture.file_name().unwrap_or_default().display();
        let chart = format!("![{what}]({picture})");
        write!(s, "- Libraries: {}\n\n{chart}\n\n{}", libraries.join("; "), self.tables())?;
        Ok(fs::write(file, s)?)
    }

    /// Returns what the run says about the bars.
    pub fn verdicts(&self) -> Vec<Verdict> {
        bars::all().filter_map(|bar| bar.judge(&self.lines)).collect()
    }

    /// Returns all tables.
    pub fn tables(&self) -> String {
        let mut s = self.summary();
        let verdicts: Vec<_> = self.verdicts().into_iter().map(|verdict| verdict.cells).collect();
        if !verdicts.is_empty() {
            s += "## Targets\n\nIn cycles of another CPU (AMD Zen 3), or times as fast as a rival.\n\n";
            s += &table(&["case", "figure", "bar", "goal", "verdict"], &verdicts);
            s += "\n";
        }
        for lines in self.lines.chunk_by(|a, b| a.table == b.table) {
            let names = self.libraries.iter().map(|(name, _)| name.as_str());
            let columns: Vec<_> = names.filter(|name| has(lines, name)).collect();
            let row = |line: &Line| {
                let best = line.best(|_| true);
                let cell = |column: &&str| match line.cell(column) {
                    Some(cell) if best == Some(column) => format!("**{cell}**"),
                    cell => cell.unwrap_or_default(),
                };
                let ratio = line.rival().map_or(String::new(), |(_, ratio)| format!("{ratio:.2}"));
                let name = format!("{}{}", line.case, line.per);
                [name].into_iter().chain(columns.iter().map(cell)).chain([ratio]).collect()
            };
            let rows: Vec<Vec<_>> = lines.iter().map(row).collect();
            let head = [&[""], &columns[..], &["ratio"]].concat();
            s += &format!("## {}\n\n{}\n", lines[0].table, table(&head, &rows));
        }
        s
    }

    /// Says where Keylane stands, in a sentence for warm rows and one for cold ones.
    fn summary(&self) -> String {
        let mut s = "Ratio: Keylane's costs over the best rival's; below 1, Keylane is ahead.\n".to_string();
        for (cold, of) in [(false, "rows"), (true, "rows with cold caches")] {
            let lines = self.lines.iter().filter(|line| line.is_cold() == cold);
            let ratios: Vec<f64> = lines.filter_map(|line| Some(line.rival()?.1)).collect();
            if ratios.is_empty() {
                continue;
            }
            let ahead = ratios.iter().filter(|&&ratio| ratio < LEVEL.0).count();
            let behind = ratios.iter().filter(|&&ratio| ratio >= LEVEL.1).count();
            let (all, level) = (ratios.len(), ratios.len() - ahead - behind);
            let parts = format!("{ahead}, level within 1 % in {level}, behind in {behind}");
            s += &format!("Of {all} {of}, Keylane is ahead of the best rival in {parts}.\n");
        }
        s + "\n"
    }
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut s = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    rows.iter().for_each(|row| s += &format!("| {} |\n", row.join(" | ")));
    s
}

/// Returns the commit of the working tree, and `-dirty` if files of the project differ from it. Those in
/// `docs` do not count: reports are among them.
pub fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output()
    };
    let commit =
        git(&["rev-parse", "--short=12", "HEAD"]).ok().filter(|output| output.status.success())?.stdout;
    let is_clean = git(&["diff", "--quiet", "HEAD", "--", ":/", ":!/docs"]).ok()?.status.success();
    Some(String::from_utf8(commit).ok()?.trim().to_owned() + if is_clean { "" } else { "-dirty" })
}

/// Returns the name that the CPU gives itself, its family, and what is hidden from it.
pub fn cpu(hidden: &[String]) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut fields = info.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(field, _)| field.trim() == name).map_or("?", |(_, value)| value.trim())
    };
    let name = format!("{} (family {}, model {})", field("model name"), field("cpu family"), field("model"));
    if hidden.is_empty() { name } else { format!("{name}, as if without {}", hidden.join(", ")) }
}
