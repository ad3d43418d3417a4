//! What llvm-cov says, by file.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How often things ran, by the file's path from the root.
#[derive(Default)]
pub(super) struct Figures {
    files: BTreeMap<String, File>,
}

#[derive(Default)]
pub(super) struct File {
    /// By the line's number.
    lines: BTreeMap<u32, u64>,
    /// By where they begin and end: line and column, twice. Functions that are made from one piece of source, for one CPU
    /// or one type each, count as one, and so do their regions.
    regions: BTreeMap<[u32; 4], u64>,
    functions: BTreeMap<[u32; 4], u64>,
}

/// The parts of llvm-cov's JSON that are read.
#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    count: u64,
    filenames: Vec<String>,
    /// From line and column, to line and column, how often, number of the file, of an expansion's file, kind.
    regions: Vec<[u64; 8]>,
}

/// The kind of region that is code; the others are gaps, expansions and branches.
const CODE: u64 = 0;

impl Figures {
    /// Adds what one program ran: from llvm-cov's output in lcov's format, which has the lines, and in JSON, which has the
    /// rest. Of several programs at once it would show the first that has the function: one that never calls it, perhaps.
    pub(super) fn add(&mut self, root: &Path, lcov: &str, json: &str) -> Result<()> {
        let files = &mut self.files;
        // Of a dependency's source, nothing.
        let from_root = |path: &str| Some(Path::new(path).strip_prefix(root).ok()?.to_str()?.to_owned());
        let mut file: Option<&mut File> = None;
        for line in lcov.lines() {
            if let Some(path) = line.strip_prefix("SF:") {
                file = from_root(path).map(|path| files.entry(path).or_default());
            } else if let Some(count) = line.strip_prefix("DA:")
                && let Some(file) = &mut file
            {
                let (line, count) = count.split_once(',').context("a line without a count")?;
                *file.lines.entry(line.parse()?).or_default() += count.parse::<u64>()?;
            }
        }
        let export: Export = serde_json::from_str(json).context("llvm-cov's JSON")?;
        for function in export.data.into_iter().flat_map(|data| data.functions) {
            let path = function.filenames.first().context("a function of no file")?;
            let Some(file) = from_root(path).and_then(|path| files.get_mut(&path)) else { continue };
            // Those of macros that it calls are of other files.
            let of_file = function.regions.iter().filter(|region| region[5] == 0);
            let places = of_file.map(|region| ([0, 1, 2, 3].map(|i| region[i] as u32), region[4], region[7]));
            let mut extent: Option<[u32; 4]> = None;
            for (place @ [_, _, to_line, to_column], count, kind) in places {
                let [.., last_line, last_column] = extent.get_or_insert(place);
                [*last_line, *last_column] = [*last_line, *last_column].max([to_line, to_column]);
                if kind == CODE {
                    *file.regions.entry(place).or_default() += count;
                }
            }
            if let Some(extent) = extent {
                *file.functions.entry(extent).or_default() += function.count;
            }
        }
        ensure!(!files.is_empty(), "no counters of the library's sources");
        Ok(())
    }

    /// The lines that did not run, by file; of a function that never ran, the first.
    pub(super) fn left_out(&self) -> impl Iterator<Item = (&str, Vec<u32>)> {
        self.files().map(|(path, file)| {
            let idle: Vec<_> =
                file.functions.iter().filter(|(_, count)| **count == 0).map(|(extent, _)| extent).collect();
            let inside = |line: u32| idle.iter().any(|[first, _, last, _]| *first < line && line <= *last);
            let lines = file.lines.iter().filter(|(line, count)| **count == 0 && !inside(**line));
            (path, lines.map(|(line, _)| *line).collect())
        })
    }

    fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().map(|(path, file)| (&**path, file))
    }

    /// How many of the lines, regions and functions below `folder` ran, and how many there are.
    pub(super) fn of(&self, folder: &str) -> [(&'static str, (usize, usize)); 3] {
        let (mut lines, mut regions, mut functions) = ((0, 0), (0, 0), (0, 0));
        for (_, file) in self.files().filter(|(path, _)| path.starts_with(folder)) {
            add(&mut lines, file.lines.values());
            add(&mut regions, file.regions.values());
            add(&mut functions, file.functions.values());
        }
        [("lines", lines), ("regions", regions), ("functions", functions)]
    }
}

fn add<'a>(sum: &mut (usize, usize), counts: impl Iterator<Item = &'a u64>) {
    for count in counts {
        sum.0 += usize::from(*count > 0);
        sum.1 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generic function that was made twice, a function of three lines that never ran, and a line that did not.
    #[test]
    fn what_one_instance_runs_counts() {
        let lcov = "SF:/w/crates/a/src/lib.rs\nDA:1,3\nDA:2,0\nDA:3,0\nDA:4,0\nDA:6,0\nend_of_record\nSF:/elsewhere/b.rs\nDA:1,0\nend_of_record\n";
        let json = r#"{"data": [{"functions": [
            {"count": 3, "filenames": ["/w/crates/a/src/lib.rs"], "regions": [[1,1,1,9,3,0,0,0], [1,9,1,12,0,0,0,0]]},
            {"count": 0, "filenames": ["/w/crates/a/src/lib.rs"], "regions": [[1,1,1,9,0,0,0,0], [1,9,1,12,0,0,0,0]]},
            {"count": 0, "filenames": ["/w/crates/a/src/lib.rs"], "regions": [[2,1,2,9,0,0,0,0], [2,3,4,4,0,0,0,3]]},
            {"count": 0, "filenames": ["/elsewhere/b.rs"], "regions": [[1,1,1,9,0,0,0,0]]}
        ]}]}"#;
        let mut figures = Figures::default();
        figures.add(Path::new("/w"), lcov, json).unwrap();
        assert_eq!(figures.of("crates/a/"), [("lines", (1, 5)), ("regions", (1, 3)), ("functions", (1, 2))]);
        assert_eq!(figures.left_out().collect::<Vec<_>>(), [("crates/a/src/lib.rs", vec![2, 6])]);
        assert_eq!(figures.of("crates/b/"), [("lines", (0, 0)), ("regions", (0, 0)), ("functions", (0, 0))]);
    }
}
