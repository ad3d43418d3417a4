//! Writes a run's page, its chart and every library's figures.

use crate::{
    OURS, chart,
    results::{BAR, GOAL, LEVEL, LONG_BAR, Line, Ratio, Results, has},
    rivals::COPY,
};
use std::{collections::BTreeMap, error::Error, fs, path::Path, process::Command};

const TLS: &str = "\n## TLS\n\n";

impl Results {
    /// Writes the page, the chart and the figures. TLS measured alone replaces that part of a page that is
    /// there.
    pub fn write(&self, page: &Path) -> Result<(), Box<dyn Error>> {
        let is_part = self.lines.iter().all(|line| line.table.starts_with("TLS"));
        let stem = page.file_stem().unwrap_or_default().display();
        let beside = |end| format!("{stem}{}.{end}", if is_part { "-tls" } else { "" });
        let (picture, figures) = (beside("svg"), beside("json"));
        fs::write(page.with_file_name(&picture), chart::svg(self)?)?;
        fs::write(page.with_file_name(&figures), self.figures())?;
        let mut s = format!("# Keylane beside other libraries: {}\n\n", self.cpu);
        if is_part {
            s = fs::read_to_string(page)?;
            s.truncate(s.find(TLS).unwrap_or(s.len()));
            s += TLS;
        }
        s.extend(self.facts.iter().map(|(what, text)| format!("- {what}: {text}\n")));
        let libraries = self.libraries.iter().filter(|(name, _)| has(&self.lines, name));
        let libraries: Vec<_> = libraries.map(|(name, version)| format!("{name} {version}")).collect();
        let chart = format!("![Speed over the best rival's]({picture})");
        s += &format!("- Libraries: {}; [figures of all]({figures})\n\n{chart}\n\n", libraries.join("; "));
        Ok(fs::write(page, s + &self.tables())?)
    }

    /// Returns the figures of every library in JSON, and the ratios to the best rival as if on other CPUs.
    pub fn figures(&self) -> String {
        let round = |x: f64| (x * 1000.0).round() / 1000.0;
        let row = |line: &Line| {
            let figures = line.figures.keys().filter_map(|name| Some((name, round(line.get(name)?))));
            format!("{:?}: {:?}", line.case, figures.collect::<BTreeMap<_, _>>())
        };
        let mut rows: Vec<_> = self.lines.iter().map(row).collect();
        for (cpu, ratios) in self.classes.iter().skip(1) {
            let ratios = ratios.iter().filter(|it| it.ratio.is_finite());
            let row = |it: &Ratio| format!("\"{}, {cpu}\": {{{:?}: {}}}", it.case, it.rival, round(it.ratio));
            rows.extend(ratios.map(row));
        }
        format!("{{\n{}\n}}\n", rows.join(",\n"))
    }

    /// Returns all tables: of each row Keylane's figure, the best rival's, and their ratio, on this CPU and
    /// as if on others. Columns without a cell are left out.
    pub fn tables(&self) -> String {
        let mut s = self.summary();
        let Some(((_, here), others)) = self.classes.split_first() else { return s };
        let mut columns = vec![("ratio", "", here), ("cold", "/cold", here)];
        columns.push(("through rustls", ", through rustls", here));
        columns.extend(others.iter().map(|(name, ratios)| (name.as_str(), "", ratios)));
        let cell = |line: &Line, (_, end, ratios): &(_, &str, &Vec<Ratio>)| {
            let is_same = |it: &&Ratio| it.case.strip_suffix(end) == Some(&line.case);
            ratios.iter().find(is_same).map(Ratio::cell)
        };
        let has_row = |case: &str| self.lines.iter().any(|line| line.case == case);
        // Those with cold caches are a column, unless they were measured alone.
        let is_row = |line: &&Line| line.case.strip_suffix("/cold").is_none_or(|warm| !has_row(warm));
        let lines: Vec<_> = self.lines.iter().filter(is_row).collect();
        for lines in lines.chunk_by(|a, b| a.table == b.table) {
            let is_filled = |column: &&_| lines.iter().any(|line| cell(line, column).is_some());
            let columns: Vec<_> = columns.iter().filter(is_filled).collect();
            let row = |line: &&Line| {
                let rival = line.rival().unwrap_or(COPY);
                let rival = line.cell(rival).map(|cell| format!("{rival} {cell}"));
                let mut cells = vec![Some(line.case.clone()), line.cell(OURS), rival];
                cells.extend(columns.iter().map(|column| cell(line, column)));
                cells.into_iter().map(Option::unwrap_or_default).collect()
            };
            let mut head = vec!["", "Keylane", "best rival"];
            head.extend(columns.iter().map(|(name, ..)| *name));
            let rows: Vec<_> = lines.iter().map(row).collect();
            s += &format!("\n## {}\n\n{}", lines[0].table, table(&head, &rows));
        }
        s
    }

    /// Says in how many rows of each class of CPU Keylane is faster.
    fn summary(&self) -> String {
        let s = format!(
            "A ratio is Keylane's cost over the best rival's: below 1, Keylane is faster; within 1 % of 1, both are \
             level. Figures are cycles per message, iteration or operation, and per byte from 1 KiB on, unless the \
             table names a unit. Bold: slower than the bar, {BAR} with warm caches and {LONG_BAR} for 1 MiB; the goal is \
             {GOAL}.\n\n"
        );
        let counted: [fn(&&&Ratio) -> bool; 6] = [
            |_| true,
            |it| it.ratio <= GOAL,
            |it| it.ratio < LEVEL.0,
            |it| (LEVEL.0..LEVEL.1).contains(&it.ratio),
            |it| it.ratio >= LEVEL.1,
            |it| it.is_missed(),
        ];
        let mut rows = Vec::new();
        for (name, ratios) in &self.classes {
            for (cold, what) in [(false, "warm"), (true, "cold")] {
                let ratios: Vec<_> = ratios.iter().filter(|ratio| ratio.is_cold() == cold).collect();
                if !ratios.is_empty() {
                    let counts = counted.map(|is| ratios.iter().filter(is).count().to_string());
                    rows.push([&[format!("{name}, {what}")], &counts[..]].concat());
                }
            }
        }
        s + &table(&["", "ratios", "at the goal", "faster", "level", "slower", "bar missed"], &rows)
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
