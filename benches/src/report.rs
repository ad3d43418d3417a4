//! What a run leaves behind: its tables in Markdown.

use crate::{
    chart,
    results::{BAR, GOAL, LEVEL, LONG_BAR, Line, Ratio, Results, has},
};
use std::{error::Error, fmt::Write as _, fs, path::Path, process::Command};

impl Results {
    /// Writes the report, and its chart beside it.
    pub fn write(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        let picture = file.with_extension("svg");
        fs::write(&picture, chart::svg(self)?)?;
        let mut s = format!("# Keylane beside other libraries: {}\n\n- Date: {}\n", self.cpu, self.date);
        for (what, text) in &self.facts {
            writeln!(s, "- {what}: {text}")?;
        }
        let libraries = self.libraries.iter().filter(|(name, _)| has(&self.lines, name));
        let libraries: Vec<_> = libraries.map(|(name, version)| format!("{name} {version}")).collect();
        let picture = picture.file_name().unwrap_or_default().display();
        let chart = format!("![Speed relative to the best rival]({picture})");
        write!(s, "- Libraries: {}\n\n{chart}\n\n{}", libraries.join("; "), self.tables())?;
        Ok(fs::write(file, s)?)
    }

    /// Returns all tables.
    pub fn tables(&self) -> String {
        let mut s = self.ratios();
        for lines in self.lines.chunk_by(|a, b| a.table == b.table) {
            let names = self.libraries.iter().map(|(name, _)| name.as_str());
            let columns: Vec<_> = names.filter(|name| has(lines, name)).collect();
            let row = |line: &Line| {
                let best = line.best(|_| true);
                let cell = |column: &&str| match line.cell(column) {
                    Some(cell) if best == Some(column) => format!("**{cell}**"),
                    cell => cell.unwrap_or_default(),
                };
                let ratio = line.ratios().first().map_or(String::new(), |it| format!("{:.2}", it.ratio));
                let name = format!("{}{}", line.case, line.per);
                [name].into_iter().chain(columns.iter().map(cell)).chain([ratio]).collect()
            };
            let rows: Vec<Vec<_>> = lines.iter().map(row).collect();
            let head = [&[""], &columns[..], &["ratio"]].concat();
            s += &format!("## {}\n\n{}\n", lines[0].table, table(&head, &rows));
        }
        s
    }

    /// Says where Keylane stands in each class of CPU: in how many rows, and in each row; of one class, where
    /// the tables have the ratios, in those that miss the bar.
    fn ratios(&self) -> String {
        let mut s = format!(
            "Ratio: Keylane's costs over the best rival's; within 1 % of 1 it is level. With warm caches \
             no row should cost more than {BAR} of the best rival's, and of 1 MiB {LONG_BAR}; the goal is {GOAL}.\n\n"
        );
        let mut rows = Vec::new();
        for (name, ratios) in &self.classes {
            for (cold, what) in [(false, "warm"), (true, "cold")] {
                let ratios: Vec<_> = ratios.iter().filter(|ratio| ratio.is_cold() == cold).collect();
                let count =
                    |is: fn(&Ratio) -> bool| ratios.iter().filter(|ratio| is(ratio)).count().to_string();
                if !ratios.is_empty() {
                    let ahead = count(|it| it.ratio < LEVEL.0);
                    let level = count(|it| (LEVEL.0..LEVEL.1).contains(&it.ratio));
                    let cells = [count(|_| true), count(|it| it.ratio <= GOAL), ahead, level];
                    let behind = [count(|it| it.ratio >= LEVEL.1), count(Ratio::is_missed)];
                    rows.push([&[format!("{name}, {what}")], &cells[..], &behind].concat());
                }
            }
        }
        s += &table(&["", "rows", "at the goal", "ahead", "level", "behind", "bar missed"], &rows);
        let Some(((name, first), others)) = self.classes.split_first() else { return s };
        let is_shown = |ratio: &&Ratio| !others.is_empty() || ratio.is_missed();
        let row = |ratio: &Ratio| {
            let find =
                |(_, all): &(_, Vec<Ratio>)| all.iter().find(|it| it.case == ratio.case).map(Ratio::cell);
            let others = others.iter().map(|class| find(class).unwrap_or_default());
            [ratio.case.clone(), ratio.cell()].into_iter().chain(others).collect()
        };
        let rows: Vec<Vec<_>> = first.iter().filter(is_shown).map(row).collect();
        if !rows.is_empty() {
            let names = others.iter().map(|(name, _)| name.as_str());
            s += "\n## Ratios\n\nWith the best rival where it is ahead; bold where the bar is missed.\n\n";
            s += &table(&["", name.as_str()].into_iter().chain(names).collect::<Vec<_>>(), &rows);
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
