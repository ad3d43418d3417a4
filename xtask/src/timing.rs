//! `cargo xtask timing`: compares running times with a fixed secret and with random ones. A second opinion, never a gate:
//! what else runs on the machine shows in the figures. It fails if what was planted is not seen.

use crate::evidence::Evidence;
use crate::{demands, steps};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Stdio;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let arguments = ["run", "--quiet", "--release", "--package", "keylane-testkit", "--example", "timing"];
    let evidence = Evidence::begin(root, "timing", record)?;
    let mut command = steps::cargo(root, &arguments);
    demands::add(root, &mut command)?;
    let output = command.stderr(Stdio::inherit()).output().context("cargo")?;
    ensure!(output.status.success(), "the program failed: {}", output.status);
    let (bound, rows) = read(&String::from_utf8(output.stdout)?)?;
    let (planted, cases): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.implementation == "planted");
    for row in &planted {
        println!("planted: {row}");
        ensure!(row.t > bound, "what was planted is not seen: {row}");
    }
    ensure!(!planted.is_empty() && !cases.is_empty(), "nothing was measured");
    let suspects: Vec<_> = cases.iter().filter(|row| row.t > bound).collect();
    for row in &suspects {
        println!("look at: {row}");
    }
    let largest = cases.iter().map(|row| row.t).fold(0.0, f64::max);
    println!("timing: {}, largest |t| {largest:.1}", steps::count(cases.len(), "case"));
    if let Some(mut evidence) = evidence {
        evidence.figure("cases, each on one implementation", cases.len());
        evidence.figure("samples", cases.iter().map(|row| row.samples).sum::<usize>());
        evidence.figure("largest |t|", format!("{largest:.1}"));
        evidence.figure(
            format!("cases with |t| above {bound}, measured three times, the last with most samples"),
            suspects.len(),
        );
        for row in &suspects {
            evidence.figure(format!("{} on {}", row.case, row.implementation), format!("|t| = {:.1}", row.t));
        }
        for row in &planted {
            evidence.figure(format!("planted: {}", row.case), format!("|t| = {:.1}", row.t));
        }
        evidence.record(root)?;
    }
    Ok(())
}

/// A line that the program prints of a case: see its first lines.
#[derive(Debug, PartialEq)]
struct Row {
    case: String,
    implementation: String,
    samples: usize,
    t: f64,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { case, implementation, samples, t } = self;
        write!(f, "{case}, {implementation}: |t| = {t:.1}, {samples} samples")
    }
}

/// The bound above which times differ beyond doubt, and the cases.
fn read(text: &str) -> Result<(f64, Vec<Row>)> {
    let (mut bound, mut rows) = (None, Vec::new());
    for line in text.lines() {
        let columns: Vec<_> = line.split('\t').collect();
        if let ["bound", number] = columns[..] {
            bound = Some(number.parse()?);
        } else if let [case, implementation, samples, t] = columns[..] {
            let (case, implementation) = (case.to_owned(), implementation.to_owned());
            rows.push(Row { case, implementation, samples: samples.parse()?, t: t.parse()? });
        } else {
            // What the implementations are that this CPU lacks.
            println!("{line}");
        }
    }
    Ok((bound.context("the program says no bound")?, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let (bound, rows) = read("bound\t10\nsha1: message\tavx2\t20000\t3.5\nnot run here: sve\n").unwrap();
        assert_eq!(bound, 10.0);
        let [row] = &rows[..] else { panic!("one row") };
        assert_eq!(row.to_string(), "sha1: message, avx2: |t| = 3.5, 20000 samples");
        assert!(read("bound\t10\na\tb\tmany\t1").is_err());
        assert!(read("a\tb\t1\t1").is_err());
    }
}
