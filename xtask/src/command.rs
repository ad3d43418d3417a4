//! Runs commands: cargo's, other programs', several at a time.

use anyhow::{Context, Result, ensure};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace")
}

/// Cargo's target directory.
pub(crate) fn target() -> &'static Path {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    TARGET.get_or_init(|| {
        let metadata = cargo_metadata::MetadataCommand::new().current_dir(root()).no_deps().exec();
        metadata.expect("cargo metadata").target_directory.into()
    })
}

/// Runs `work` under a heading and prints how long it took.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("\n== {name}");
    let start = Instant::now();
    let done = work().with_context(|| format!("{name} failed"))?;
    println!("== {name}: ok, {:.1} s", start.elapsed().as_secs_f64());
    Ok(done)
}

/// A program, or a script of the repository, that runs in the repository's root.
pub(crate) fn program(name: impl AsRef<Path>) -> Command {
    let script = root().join(&name);
    let mut command = Command::new(if script.is_file() { &script } else { name.as_ref() });
    command.current_dir(root());
    // What cargo tells this program about its own package would make build scripts run again.
    for (name, _) in env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("CARGO_PKG_") || shown.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// A script of `ci/cpus`. Its flags need a target directory of their own.
pub(crate) fn script(name: &str, folder: &str) -> Command {
    let mut command = program(format!("ci/cpus/{name}"));
    command.env("CARGO_TARGET_DIR", target().join("cpus").join(folder));
    for setting in ["DEBUG", "DEBUG_ASSERTIONS", "OVERFLOW_CHECKS"] {
        // Each costs much of the compiler's time, and this machine's own tests have them.
        command.env(format!("CARGO_PROFILE_DEV_{setting}"), "false");
    }
    command
}

/// The cargo that started this program.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from));
    command.args(arguments);
    command
}

/// Runs the command and fails if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    ensure!(status.success(), "{}: {status}", shown(command));
    Ok(())
}

/// Returns what the command prints to standard output. Fails if the command fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let result = command.stderr(Stdio::inherit()).output();
    let result = result.with_context(|| format!("cannot run {}", shown(command)))?;
    let printed = String::from_utf8_lossy(&result.stdout).into_owned();
    ensure!(result.status.success(), "{}: {}\n{printed}", shown(command), result.status);
    Ok(printed)
}

/// Returns whether the command succeeds, and what it prints to standard error.
pub(crate) fn verdict(command: &mut Command) -> Result<(bool, String)> {
    let result = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
    Ok((result.status.success(), String::from_utf8_lossy(&result.stderr).into_owned()))
}

fn shown(command: &Command) -> String {
    let program = command.get_program();
    let words = std::iter::once(Path::new(program).file_name().unwrap_or(program)).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Has the tests that the command runs fail where an implementation or a tool is missing, instead of skipping
/// it.
pub(crate) fn require_all(command: &mut Command) -> Result<()> {
    command.env("KEYLANE_REQUIRE_BACKENDS", backends()?).env("KEYLANE_REQUIRE_TOOLS", "1");
    Ok(())
}

/// Returns the implementations that this CPU can run, separated by commas.
pub(crate) fn backends() -> Result<String> {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return Ok(env::var("KEYLANE_REQUIRE_BACKENDS").unwrap_or_default());
    }
    env::var("KEYLANE_REQUIRE_BACKENDS")
        .or_else(|_| Ok(output(&mut program("ci/cpus/backends.sh"))?.trim().to_owned()))
}

/// Returns the folder that `make` makes of pinned requirements, on first use and when these change.
pub(crate) fn pinned(requirements: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _lock = ONE_AT_A_TIME.lock().expect("no panic");
    let pinned = fs::read_to_string(root().join(requirements)).context(requirements.to_owned())?;
    let folder = target().join(Path::new(requirements).file_stem().context("a file has a name")?);
    let stamp = folder.join("pinned");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == pinned) {
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    make(&folder)?;
    fs::write(stamp, pinned)?;
    Ok(folder)
}

/// Returns the folder with the Python packages that `requirements` pins.
pub(crate) fn python_packages(requirements: &str) -> Result<PathBuf> {
    pinned(requirements, |folder| {
        let mut pip = program("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--root-user-action=ignore", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
        run(pip.args(["--requirement", requirements, "--target"]).arg(folder))
    })
}

/// Does each job, by its name, as many at a time as there are cores, and prints the line that `work` returns.
/// Fails after the last if one failed.
pub(crate) fn parallel<T: Send>(
    jobs: Vec<(String, T)>,
    work: impl Fn(T) -> Result<String> + Sync,
) -> Result<()> {
    let total = jobs.len();
    let failed = jobs.into_par_iter().filter_map(|(name, job)| {
        let start = Instant::now();
        match work(job) {
            Ok(line) => println!("{name}: {line}, {:.1} s", start.elapsed().as_secs_f64()),
            Err(error) => {
                println!("{name}: FAILED: {error:#}");
                return Some(name);
            }
        }
        None
    });
    let failed: Vec<_> = failed.collect();
    ensure!(failed.is_empty(), "{} of {total} failed: {}", failed.len(), failed.join(", "));
    Ok(())
}

/// Returns a program that `cargo test --workspace` builds. Built alone it would get
/// other features, and all that it needs be built again.
pub(crate) fn built_by_tests(name: &str) -> Result<PathBuf> {
    run(&mut cargo(&["test", "--quiet", "--no-run", "--workspace"]))?;
    Ok(target().join("debug").join(name))
}
