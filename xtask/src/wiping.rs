//! `cargo xtask wiping`: reads the memory of every type that holds a secret, after it was dropped. The program `wiping` in `checks/instrumented`
//! looks; here each public type of the library must be among what it saw, or among those that hold no secret.

mod public;

use crate::evidence::Evidence;
use crate::{demands, steps};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let arguments = [
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--manifest-path",
        "checks/instrumented/Cargo.toml",
        "--bin",
        "wiping",
    ];
    let evidence = Evidence::begin(root, "wiping", record)?;
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let mut command = steps::cargo(root, &arguments);
    // Of the root's target folder, as what `asm` builds: nobody else waits for its lock.
    command.env("CARGO_TARGET_DIR", metadata.target_directory.join("wiping"));
    demands::add(root, &mut command)?;
    let output = command.stderr(Stdio::inherit()).output().context("cargo")?;
    let report = Report::read(&String::from_utf8(output.stdout)?)?;
    for planted in &report.planted {
        println!("planted: {planted}");
    }
    ensure!(
        output.status.success(),
        "a secret stays in memory, or one that was planted was not seen: see above"
    );
    let types: BTreeSet<&str> = report.seen.iter().map(|row| row.name.as_str()).collect();
    public::check(root, &types)?;
    let pairs: BTreeSet<(&str, &str)> =
        report.seen.iter().map(|row| (row.name.as_str(), row.implementation.as_str())).collect();
    let alive: usize = report.seen.iter().map(|row| row.alive).sum();
    println!(
        "wiping: {} types and modules, {} with their implementations; {alive} bytes depended on secrets",
        types.len(),
        pairs.len()
    );
    println!("after the drop none does in what was boxed here, and no run of 8 bytes in libraries' boxes");
    if let Some(mut evidence) = evidence {
        evidence.figure("types, a module's own values being one", types.len());
        evidence.figure("these, each with each of its implementations", pairs.len());
        evidence.figure("uses of them, each with two secrets", report.seen.len());
        evidence.figure("bytes that depended on the secret, all uses together, while it lived", alive);
        evidence.figure(
            "and after the drop, in libraries' boxes in runs of 8 bytes or more",
            report.seen.iter().map(|row| row.left).sum::<usize>(),
        );
        evidence.figure(
            "bytes in shorter runs, between the fields of values in libraries' boxes, that did",
            report.seen.iter().map(|row| row.padding).sum::<usize>(),
        );
        evidence.figure("planted types that leave something, all reported", report.planted.len());
        evidence.record(root)?;
    }
    Ok(())
}

/// What the program prints: see its first lines.
#[derive(Debug, Default, PartialEq)]
struct Report {
    seen: Vec<Row>,
    planted: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    implementation: String,
    alive: usize,
    left: usize,
    padding: usize,
}

impl Report {
    fn read(text: &str) -> Result<Self> {
        let mut report = Self::default();
        for line in text.lines() {
            match *line.split('\t').collect::<Vec<_>>() {
                ["seen", name, _, implementation, alive, left, padding] => report.seen.push(Row {
                    name: name.to_owned(),
                    implementation: implementation.to_owned(),
                    alive: alive.parse()?,
                    left: left.parse()?,
                    padding: padding.parse()?,
                }),
                ["planted", _, how, _, left] => report.planted.push(format!("{how}: {left} bytes left")),
                // What the implementations are that this CPU lacks.
                _ => println!("{line}"),
            }
        }
        ensure!(!report.seen.is_empty() && !report.planted.is_empty(), "the program saw nothing");
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let report =
            Report::read("seen\ta::B\tsha1\tavx2\t40\t3\t2\nplanted\tplanted\tno wiping\t32\t31\n").unwrap();
        let row = Row { name: "a::B".into(), implementation: "avx2".into(), alive: 40, left: 3, padding: 2 };
        assert_eq!(report, Report { seen: vec![row], planted: vec!["no wiping: 31 bytes left".into()] });
        assert!(Report::read("").is_err());
        assert!(Report::read("seen\ta::B\tsha1\tavx2\tmany\t0\t0\n").is_err());
    }
}
