//! `cargo xtask coverage`: cargo-llvm-cov, with the LLVM tools that rustup's toolchain may lack. Arguments go
//! to it; without any, it prints a table of what the tests run.

use crate::command::{cargo, output, program, python_packages, require_all, run as run_command};
use anyhow::Result;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let folder = python_packages("ci/cargo-llvm-cov.txt")?.join("bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = cargo(&["llvm-cov"]);
    command.env("PATH", format!("{}:{path}", folder.display()));
    for (variable, tool) in [("LLVM_COV", "llvm-cov"), ("LLVM_PROFDATA", "llvm-profdata")] {
        command.env(variable, output(program("ci/cpus/fetch.sh").args(["llvm", tool]))?.trim());
    }
    require_all(&mut command)?;
    if arguments.is_empty() {
        let packages = ["keylane", "keylane-proofs", "keylane-tests", "keylane-cpu", "keylane-tls"];
        command.args(packages.map(|name| format!("--package={name}")));
        // Counting takes stack.
        command.args(["--tests", "--", "--skip", "_stack"])
    } else {
        command.args(arguments)
    };
    run_command(&mut command)
}
