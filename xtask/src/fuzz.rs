//! `cargo xtask fuzz`: libFuzzer under AddressSanitizer, without a nightly toolchain.
//!
//! What is fuzzed lies in `checks/fuzz`, the inputs that were found so far in `checks/fuzz/corpus`, a folder for each
//! target. Every run has to find a planted fault first: a fuzzer that finds nothing might be one that cannot.

mod coverage;
mod report;

use crate::evidence::Evidence;
use crate::{side_by_side, steps};
use anyhow::{Context, Result, bail, ensure};
use report::Report;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// What to fuzz, by the names of the folders in checks/fuzz/corpus; all if none is named.
    targets: Vec<String>,
    /// How long each.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Keep of each corpus, with what is found now, the fewest inputs that reach as much.
    #[arg(long)]
    minimise: bool,
    /// Instead of fuzzing, tell what the corpora reach of each crate.
    #[arg(long, conflicts_with_all = ["targets", "minimise", "record"])]
    coverage: bool,
    /// Write what was found to docs/assurance.
    #[arg(long, conflicts_with_all = ["targets", "minimise"])]
    record: bool,
}

const CORPORA: &str = "checks/fuzz/corpus";
/// The fault that the program itself has.
const PLANTED: &str = "planted";
/// How long the planted fault may take: it takes less than a second.
const PLANTED_SECONDS: u32 = 120;
/// What a corpus may hold. It lies in the repository.
const MOST_INPUTS: usize = 64;
const MOST_BYTES: u64 = 50_000;

/// The program, and where it works.
struct Fuzzer<'a> {
    root: &'a Path,
    program: PathBuf,
    /// Copies of the corpora, logs, and inputs that broke something.
    folder: PathBuf,
}

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let known = names(root)?;
    for name in &options.targets {
        ensure!(known.contains(name), "no target is named {name}; there are {}", known.join(", "));
    }
    let evidence = Evidence::begin(root, "fuzzing", options.record)?;
    let targets = if options.targets.is_empty() { known } else { options.targets.clone() };
    let mut fuzzer = None;
    steps::step("fuzz: build", || {
        fuzzer = Some(Fuzzer::build(root)?);
        Ok(())
    })?;
    let fuzzer = fuzzer.expect("it was built");
    if options.coverage {
        return steps::step("fuzz: coverage", || coverage::print(&fuzzer));
    }
    let mut planted = None;
    steps::step("fuzz: planted fault", || {
        planted = Some(fuzzer.find_planted()?);
        Ok(())
    })?;
    let mut reports = Vec::new();
    steps::step("fuzz", || {
        let jobs = targets.iter().map(|name| (name.clone(), name)).collect();
        reports = side_by_side::run(jobs, |name, _| {
            let report = fuzzer.report(name, options.seconds)?;
            Ok((report.to_string(), report))
        })?;
        Ok(())
    })?;
    if options.minimise {
        steps::step("fuzz: minimise", || targets.iter().try_for_each(|name| fuzzer.minimise(name)))?;
    }
    if let Some(mut evidence) = evidence {
        let planted = planted.expect("it was found");
        evidence.figure("executions until the planted fault was found", planted.executions);
        evidence.figure("targets", reports.len());
        evidence.figure("seconds for each", options.seconds);
        evidence.figure("executions", reports.iter().map(|(_, report)| report.executions).sum::<u64>());
        for (name, report) in &reports {
            evidence.figure(name, report);
        }
        for (name, reached) in coverage::of_crates(&fuzzer)? {
            evidence.figure(format!("branches of {name} that the corpora reach"), reached);
        }
        evidence.record(root)?;
    }
    println!("\nfuzz: passed");
    Ok(())
}

/// A test of `checks/fuzz` compares the folders with the targets.
fn names(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join(CORPORA)).context(CORPORA)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

impl<'a> Fuzzer<'a> {
    fn build(root: &'a Path) -> Result<Self> {
        let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
        let target = metadata.target_directory.as_std_path().join("fuzz");
        let mut build = Command::new(root.join("ci/cpus/fuzzer.sh"));
        build.current_dir(root.join("checks/instrumented")).args([
            "build",
            "--quiet",
            "--profile=fuzz",
            "--package=keylane-fuzzer",
            "--locked",
        ]);
        steps::forget_own_package(&mut build);
        steps::run(build.env("CARGO_TARGET_DIR", &target))?;
        let program = target.join("x86_64-unknown-linux-gnu/fuzz/keylane");
        ensure!(program.exists(), "{} was not built", program.display());
        let folder = target.join("work");
        fs::create_dir_all(folder.join("found"))?;
        Ok(Self { root, program, folder })
    }

    fn corpus(&self, name: &str) -> PathBuf {
        self.root.join(CORPORA).join(name)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).env("KEYLANE_FUZZ", name);
        command
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension("log")
    }

    /// Runs a target on a copy of its corpus. What the program wrote is in the log.
    fn fuzz(&self, name: &str, seconds: u32) -> Result<ExitStatus> {
        let copy = self.folder.join(name);
        if copy.exists() {
            fs::remove_dir_all(&copy)?;
        }
        fs::create_dir_all(&copy)?;
        if self.corpus(name).exists() {
            for entry in fs::read_dir(self.corpus(name))? {
                let path = entry?.path();
                fs::copy(&path, copy.join(path.file_name().context("an input without a name")?))?;
            }
        }
        let log = File::create(self.log(name))?;
        let mut command = self.command(name);
        // No input is longer than 4 KB, and none asks for 64 MB: who allocates that believes a length that was forged.
        command.args(["-print_final_stats=1", "-timeout=60", "-rss_limit_mb=2048", "-malloc_limit_mb=64"]);
        command.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix=found/{name}-"));
        command.arg(&copy).stdout(log.try_clone()?).stderr(log);
        command.status().with_context(|| steps::shown(&command))
    }

    /// Fails unless AddressSanitizer ends the process for the planted fault.
    fn find_planted(&self) -> Result<Report> {
        let status = self.fuzz(PLANTED, PLANTED_SECONDS)?;
        let log = fs::read_to_string(self.log(PLANTED))?;
        ensure!(
            !status.success() && log.contains("AddressSanitizer: heap-buffer-overflow"),
            "the planted fault was not found: see {}",
            self.log(PLANTED).display()
        );
        let report = Report::read(&log)?;
        println!("found after {}", steps::count(report.executions as usize, "execution"));
        Ok(report)
    }

    fn report(&self, name: &str, seconds: u32) -> Result<Report> {
        let status = self.fuzz(name, seconds)?;
        let log = fs::read_to_string(self.log(name))?;
        if !status.success() {
            let input =
                log.lines().find_map(|line| line.split_once("Test unit written to ").map(|(_, path)| path));
            let input = input.map_or_else(String::new, |path| self.folder.join(path).display().to_string());
            let program = self.program.display();
            bail!(
                "{}\nagain: KEYLANE_FUZZ={name} {program} {input}\n{}",
                report::reason(&log),
                self.log(name).display()
            );
        }
        Report::read(&log)
    }

    /// Replaces the corpus by the fewest inputs that reach as many branches as what is found now.
    fn minimise(&self, name: &str) -> Result<()> {
        let fewest = self.folder.join(format!("{name}.fewest"));
        if fewest.exists() {
            fs::remove_dir_all(&fewest)?;
        }
        fs::create_dir_all(&fewest)?;
        let mut merge = self.command(name);
        // Without counters: how often a branch was taken makes no other input.
        merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(&fewest).arg(self.folder.join(name));
        let output = merge.output().with_context(|| steps::shown(&merge))?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut inputs = Vec::new();
        for entry in fs::read_dir(&fewest)? {
            let entry = entry?;
            inputs.push((entry.metadata()?.len(), entry.path()));
        }
        // The short ones, if there are too many: most branches are reached by several.
        inputs.sort();
        let mut bytes = 0;
        let kept = inputs.iter().take(MOST_INPUTS).take_while(|(len, _)| {
            bytes += len;
            bytes <= MOST_BYTES
        });
        let kept: Vec<_> = kept.collect();
        ensure!(!kept.is_empty(), "{name}: no input is left");
        fs::remove_dir_all(self.corpus(name))?;
        fs::create_dir_all(self.corpus(name))?;
        for (_, path) in &kept {
            fs::copy(path, self.corpus(name).join(path.file_name().context("an input without a name")?))?;
        }
        println!("{name}: {} of {}", steps::count(kept.len(), "input"), inputs.len());
        Ok(())
    }
}
