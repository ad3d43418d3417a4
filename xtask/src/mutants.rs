//! `cargo xtask mutants`: cargo-mutants puts a small fault into a function, and the tests of its package must fail.

mod outcomes;
mod tree;

use crate::evidence::Evidence;
use crate::reasons::{self, Explained, Reason};
use crate::steps;
use anyhow::{Context, Result, ensure};
use outcomes::{Outcomes, finding};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

const REASONS: &str = "ci/mutants.toml";
const PAGE: &str = "docs/mutants.md";

/// A package whose code is changed.
#[derive(Clone, Copy)]
struct Package {
    name: &'static str,
    /// What ci/cpus/mutants.sh builds for.
    build: &'static str,
}

const PACKAGES: [Package; 2] =
    [Package { name: "keylane", build: "i686" }, Package { name: "keylane-tls", build: "native" }];

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    left_out: Vec<LeftOut>,
    #[serde(default)]
    survivor: Vec<Reason>,
}

/// Faults that are not tried: all in any of the files, and all that any of the regular expressions matches, wherever they
/// are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    mutants: Vec<String>,
    why: String,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Of the faults, every Nth from the Kth on: `K/N`.
    #[arg(long, conflicts_with = "last")]
    shard: Option<String>,
    /// Try nothing: what the last run found, with reasons that were written since.
    #[arg(long)]
    last: bool,
    /// Write what was found to docs/assurance.
    #[arg(long)]
    record: bool,
}

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let evidence = Evidence::begin(root, "mutants", options.record)?;
    let table: Table = reasons::read(root, REASONS)?;
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let folder = metadata.target_directory.join("mutants").into_std_path_buf();
    every_pattern_leaves_something_out(root, &table.left_out)?;
    let campaigns = PACKAGES.map(|package| Campaign {
        root,
        folder: folder.join(package.name),
        package,
        left_out: &table.left_out,
    });
    // Beside each other: most of the time is that of one compiler or one test program.
    let done = thread::scope(|scope| {
        let started = campaigns.each_ref().map(|campaign| scope.spawn(|| campaign.run(options)));
        started.map(|campaign| campaign.join().expect("a campaign does not panic"))
    });
    let (mut counts, mut survivors, mut complete) = (Vec::new(), Vec::new(), true);
    for (package, done) in PACKAGES.iter().zip(done) {
        let (all, Outcomes { noticed, survived, unviable }) = done?;
        let compiled = noticed.len() + survived.len();
        let tried = compiled + unviable.len();
        println!(
            "{}: of {all} faults {tried} were tried: {} noticed, {} survived, {} do not compile",
            package.name,
            noticed.len(),
            survived.len(),
            unviable.len()
        );
        ensure!(tried > 0, "{}: no fault was tried", package.name);
        complete &= tried == all;
        counts.push((format!("{}: faults tried", package.name), format!("{tried} of {all}")));
        counts.push((format!("{}: that compile", package.name), compiled.to_string()));
        counts.push((format!("{}: noticed by the tests", package.name), noticed.len().to_string()));
        survivors.extend(survived);
    }
    survivors.sort();
    let findings = survivors.iter().map(|name| finding(name)).collect::<Result<_>>()?;
    let explained = reasons::explain(&table.survivor, findings, complete)?;
    if let Some(mut evidence) = evidence {
        for (what, count) in counts {
            evidence.figure(what, count);
        }
        evidence.figure("survivors, each with its reason", survivors.len());
        fs::write(root.join(PAGE), page(&table.left_out, &explained)).context(PAGE)?;
        evidence.record(root)?;
    }
    Ok(())
}

/// One that leaves nothing out is a mistake, or of code that is no more.
fn every_pattern_leaves_something_out(root: &Path, left_out: &[LeftOut]) -> Result<()> {
    for LeftOut { files, mutants, .. } in left_out {
        let options = files
            .iter()
            .map(|it| format!("--file={it}"))
            .chain(mutants.iter().map(|it| format!("--re={it}")));
        for option in options {
            let mut list = Command::new(root.join("ci/cpus/mutants.sh"));
            list.current_dir(root).args(["native", "--list", "--colors=never", &option]);
            list.args(PACKAGES.map(|package| format!("--package={}", package.name)));
            steps::forget_own_package(&mut list);
            ensure!(!steps::answer(&mut list)?.is_empty(), "{REASONS}: no fault is left out by {option}");
        }
    }
    Ok(())
}

fn page(left_out: &[LeftOut], explained: &Explained<'_>) -> String {
    let mut page = String::from(
        "\
# Faults that the tests do not notice

Written by `cargo xtask mutants --record`, which puts small faults into the code, one at a time, and fails if the tests pass
with one that `ci/mutants.toml` has no reason for. [assurance.md](assurance.md#mutants) has the figures, and says how many of
the faults were tried.

No fault is put into these files, nor, in any file, into what these expressions match:

",
    );
    for LeftOut { files, mutants, why } in left_out {
        let names: Vec<_> = files.iter().chain(mutants).map(|name| format!("`{name}`")).collect();
        page += &format!("- {}: {why}\n", names.join(", "));
    }
    page + &reasons::sections(explained)
}

/// The tests of one package against its faults.
struct Campaign<'a> {
    root: &'a Path,
    folder: PathBuf,
    package: Package,
    left_out: &'a [LeftOut],
}

impl Campaign<'_> {
    /// How many faults there are, and what became of those that were tried.
    fn run(&self, options: &Options) -> Result<(usize, Outcomes)> {
        if options.last {
            tree::is_copied(self.root, &self.tree())?;
        } else {
            // Where they are put: not into what a developer works on.
            tree::copy(self.root, &self.tree())?;
            let mut command = self.command();
            command.args(options.shard.iter().map(|shard| format!("--shard={shard}")));
            command.args(["--cargo-arg=--lib", "--cargo-arg=--tests"]).arg("--output").arg(&self.folder);
            let status = command.status().context("cannot run ci/cpus/mutants.sh")?;
            // 2: faults survived; 3: tests took too long.
            ensure!(matches!(status.code(), Some(0 | 2 | 3)), "{}: {status}", steps::shown(&command));
        }
        Ok((self.list()?, Outcomes::read(&self.folder.join("mutants.out"))?))
    }

    fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    fn command(&self) -> Command {
        let Package { name, build } = self.package;
        let mut command = Command::new(self.root.join("ci/cpus/mutants.sh"));
        command
            .current_dir(self.tree())
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_INCREMENTAL", "1");
        command.arg(build).args(["--in-place", "--no-shuffle", "--colors=never", "--package", name]);
        // Not by the clock: ci/cpus/first-failure.sh limits the time on the CPU, which tells an endless loop from a busy
        // machine.
        command.args(["--timeout=7200", "--cargo-arg=--config=profile.dev.debug=0"]);
        for LeftOut { files, mutants, .. } in self.left_out {
            command.args(files.iter().map(|file| format!("--exclude={file}")));
            command.args(mutants.iter().map(|mutant| format!("--exclude-re={mutant}")));
        }
        steps::forget_own_package(&mut command);
        command
    }

    /// How many faults there are.
    fn list(&self) -> Result<usize> {
        Ok(steps::answer(self.command().arg("--list").stderr(Stdio::inherit()))?.lines().count())
    }
}
