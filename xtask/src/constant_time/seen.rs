//! What the program prints, and what of it must be there.

use crate::steps;
use anyhow::{Context, Result, bail, ensure};
use std::process::Command;

/// The kinds of leaks that are put in, besides one behind each implementation: a tool that misses one shows nothing.
const PLANTED: usize = 4;

/// What a run has shown.
pub(super) struct Seen {
    /// Leaks put in on purpose; each was reported.
    pub(super) planted: usize,
    /// Primitive and implementation, and the cases in which secrets were followed to the end; none leaks.
    pub(super) rows: Vec<((String, String), usize)>,
    /// Cases without a report in which the tool lost sight of secrets: it may have missed one.
    pub(super) lost: Vec<String>,
    /// Primitive and implementation that the CPU, or the tool's, cannot run.
    pub(super) absent: Vec<(String, String)>,
}

impl Seen {
    pub(super) fn cases(&self) -> usize {
        self.rows.iter().map(|(_, cases)| cases).sum()
    }

    pub(super) fn summary(&self) -> String {
        format!(
            "{} without a report, {} of {} seen, {} reported",
            steps::count(self.cases(), "case"),
            self.rows.len(),
            steps::count(self.rows.len() + self.absent.len(), "implementation"),
            steps::count(self.planted, "planted leak"),
        )
    }
}

/// Runs the program, and fails with the tool's reports where a secret leaks. If the tool `names_places`, its reports of
/// the planted leaks must say where they are: it could not help otherwise.
pub(super) fn run(mut command: Command, names_places: bool) -> Result<Seen> {
    let output = command.output().with_context(|| format!("cannot run {}", steps::shown(&command)))?;
    let (text, reports) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let seen = read(&text).and_then(|seen| {
        ensure!(output.status.success(), "{}: {}", steps::shown(&command), output.status);
        let planted = PLANTED + seen.rows.len();
        ensure!(seen.planted == planted, "{} of {planted} planted leaks are there", seen.planted);
        let reports: Vec<_> = reports.split("-- planted: ").skip(1).collect();
        ensure!(
            !names_places || reports.len() == PLANTED,
            "{} of {PLANTED} planted leaks have a report",
            reports.len()
        );
        for report in reports {
            let (name, report) = report.split_once('\n').context("a report without an end")?;
            let (report, _) = report.split_once("-- end").context("a report without an end")?;
            ensure!(
                !names_places || report.contains("planted.rs:"),
                "no place is named for {name}: {report}"
            );
        }
        Ok(seen)
    });
    if seen.is_err() {
        println!("{text}");
        println!("{}", reports.rsplit("-- end").next().unwrap_or_default());
    }
    seen
}

fn read(text: &str) -> Result<Seen> {
    let mut seen = Seen { planted: 0, rows: Vec::new(), lost: Vec::new(), absent: Vec::new() };
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        match words[..] {
            ["planted", name, reported] => {
                ensure!(reported == "true", "the tool does not report {name}");
                seen.planted += 1;
            }
            ["absent", primitive, implementation] => {
                seen.absent.push((primitive.to_owned(), implementation.to_owned()));
            }
            ["lost", _, _, case] => seen.lost.push(case.to_owned()),
            ["seen", primitive, implementation, cases, faults] => {
                ensure!(faults == "0", "{primitive} by {implementation}: {faults} cases went wrong");
                let cases = cases.parse()?;
                ensure!(cases > 0, "{primitive} by {implementation}: no case");
                seen.rows.push(((primitive.to_owned(), implementation.to_owned()), cases));
            }
            // The sanitizer's reports come with it in the emulator.
            _ if !line.contains('\t') => {}
            _ => bail!("unexpected: {line}"),
        }
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_went_wrong_is_not_counted() {
        let good = "planted\ta\ttrue\nseen\tsha1\tavx2\t7\t0\nlost\tsha1\tavx2\tb\nabsent\tsha1\tsha-ni\n";
        let seen = read(good).unwrap();
        let counts = (seen.planted, seen.cases(), seen.rows.len(), seen.lost.len(), seen.absent.len());
        assert_eq!(counts, (1, 7, 1, 1, 1));
        for bad in
            ["planted\ta\tfalse", "seen\tsha1\tavx2\t7\t1", "seen\tsha1\tavx2\t0\t0", "seen\tsha1\tavx2"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
