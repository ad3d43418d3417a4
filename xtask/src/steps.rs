//! Steps with a heading and a time each, and the commands they run.

use anyhow::{Context, Result, bail, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Runs `step` under a heading; says how long it took, or which step failed.
pub(crate) fn step(name: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n== {name}");
    let start = Instant::now();
    let done = step();
    let seconds = start.elapsed().as_secs_f64();
    match done {
        Ok(()) => println!("== {name}: ok, {seconds:.1} s"),
        Err(error) => return Err(error.context(format!("{name} failed after {seconds:.1} s"))),
    }
    Ok(())
}

/// A cargo command in the workspace's root. The cargo that started this program is taken, whatever PATH says.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    forget_own_package(&mut command);
    command
}

/// Builds the command `keylane`, as the tests do: by itself it would be built of other features, and all below it again.
pub(crate) fn keylane(root: &Path, target: &Path) -> Result<PathBuf> {
    run(&mut cargo(root, &["test", "--quiet", "--no-run", "--workspace"]))?;
    Ok(target.join("debug/keylane"))
}

/// Keeps from a command what cargo told this program about its own package. To ring's build script it is a change: ring
/// would be built again, and all above it.
pub(crate) fn forget_own_package(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let of_package = ["CARGO_PKG_", "CARGO_MANIFEST_"];
        if of_package.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}

/// Runs the command, its output passed through, and fails if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    if !status.success() {
        bail!("{}: {status}", shown(command));
    }
    Ok(())
}

/// What a command prints, without the line's end.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
    ensure!(output.status.success(), "{}: {}", shown(command), output.status);
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = command.get_program();
    let name = Path::new(program).file_name().unwrap_or(program);
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
