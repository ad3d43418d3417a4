//! `cargo xtask fuzz`: libFuzzer under AddressSanitizer, without a nightly toolchain. Every run first has to
//! find a planted fault.

use crate::command::{Job, parallel, program, run as run_command, step, target, verdict};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of inputs for each target. A test of `keylane-fuzz` compares these with the targets.
const CORPORA: &str = "checks/fuzz/corpus";
const MANIFEST: &str = "checks/instrumented/Cargo.toml";
const PROGRAM: &str = "x86_64-unknown-linux-gnu/fuzz/keylane";
const PLANTED: &str = "planted";
/// The planted fault takes less than a second.
const PLANTED_SECONDS: u32 = 120;
/// What a corpus may hold, as the repository has it.
const MAX_INPUTS: usize = 64;
const MAX_BYTES: u64 = 50_000;

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
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(corpus("")).context(CORPORA)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    if let Some(unknown) = options.targets.iter().find(|name| !names.contains(name)) {
        bail!("no target is named {unknown}; there are {}", names.join(", "));
    }
    if !options.targets.is_empty() {
        names.clone_from(&options.targets);
    }
    step("fuzz: build", || {
        let mut build = program("ci/cpus/cargo.sh");
        build.args(["fuzzer", "build", "--quiet", "--profile=fuzz", "--locked", "--manifest-path", MANIFEST]);
        build.arg("--package=keylane-fuzzer");
        run_command(build.env("CARGO_TARGET_DIR", folder()))
    })?;
    fs::create_dir_all(work().join("found"))?;
    step("fuzz: planted fault", || {
        let (ended, log) = fuzz(PLANTED, PLANTED_SECONDS)?;
        ensure!(!ended && log.contains("AddressSanitizer: heap-buffer-overflow"), "it was not found:\n{log}");
        Ok(())
    })?;
    let job = |name: &String| -> Job<'_> {
        let (name, again) =
            (name.clone(), format!("KEYLANE_FUZZ={name} {}", folder().join(PROGRAM).display()));
        let target = name.clone();
        let work = move || {
            let (ended, log) = fuzz(&target, options.seconds)?;
            let input =
                log.lines().find_map(|line| line.split_once("Test unit written to ")).map_or("", |it| it.1);
            ensure!(ended, "{log}\nagain: cd {} && {again} {input}", work().display());
            // `#512 DONE cov: 14 ft: 21 corp: 4/9b …`
            Ok(log.lines().rfind(|line| line.contains(" ft: ")).context("libFuzzer said nothing")?.to_owned())
        };
        (name, Box::new(work))
    };
    step("fuzz", || parallel(names.iter().map(job).collect()))?;
    if options.minimise {
        step("fuzz: minimise", || names.iter().try_for_each(|name| minimise(name)))?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    target().join("fuzz")
}

/// Copies of the corpora, and inputs that broke something.
fn work() -> PathBuf {
    folder().join("work")
}

fn corpus(name: &str) -> PathBuf {
    crate::command::root().join(CORPORA).join(name)
}

fn fuzzer(name: &str) -> Command {
    let mut command = program(folder().join(PROGRAM));
    command.current_dir(work()).env("KEYLANE_FUZZ", name);
    command
}

/// Runs a target on a copy of its corpus. Returns whether it ended well, and its log.
fn fuzz(name: &str, seconds: u32) -> Result<(bool, String)> {
    let copy = work().join(name);
    copy_files(&corpus(name), &copy, usize::MAX, u64::MAX)?;
    let mut command = fuzzer(name);
    // No input is longer than 4 KB: what allocates 64 MB believes a length that was forged.
    command.args(["-print_final_stats=1", "-timeout=60", "-rss_limit_mb=2048", "-malloc_limit_mb=64"]);
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix=found/{name}-"));
    verdict(command.arg(copy))
}

/// Replaces the corpus by the fewest inputs that reach as many branches as what is found now.
fn minimise(name: &str) -> Result<()> {
    let fewest = work().join(format!("{name}.fewest"));
    let _ = fs::remove_dir_all(&fewest);
    fs::create_dir_all(&fewest)?;
    let mut merge = fuzzer(name);
    // Without counters: how often a branch was taken makes no other input.
    merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(&fewest).arg(work().join(name));
    let (ended, log) = verdict(&mut merge)?;
    ensure!(ended && fs::read_dir(&fewest)?.next().is_some(), "{name}: {log}");
    copy_files(&fewest, &corpus(name), MAX_INPUTS, MAX_BYTES)
}

/// Replaces `to` by a copy of `from`, of its shortest files if there are too many.
fn copy_files(from: &Path, to: &Path, max_files: usize, max_bytes: u64) -> Result<()> {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(from).into_iter().flatten() {
        let entry = entry?;
        files.push((entry.metadata()?.len(), entry.path()));
    }
    files.sort();
    let mut bytes = 0;
    for (len, path) in files.iter().take(max_files) {
        bytes += len;
        if bytes <= max_bytes {
            fs::copy(path, to.join(path.file_name().context("a file has a name")?))?;
        }
    }
    Ok(())
}
