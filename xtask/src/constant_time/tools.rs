//! The tools: how the program is built for each, and run under it.

use crate::steps;
use anyhow::{Context, Result, bail};
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// Follows machine code, that of the library as its users get it. The CPU it emulates has AES-NI, PCLMULQDQ and AVX2,
    /// and no SHA-NI, VAES, VPCLMULQDQ or AVX-512.
    Valgrind,
    /// Follows what LLVM is about to make machine code of, on this CPU: with every instruction set that it has.
    MemorySanitizer,
    /// The same program on an emulated CPU, which has AVX-512 and VAES.
    Emulator,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Valgrind => "valgrind",
            Self::MemorySanitizer => "MemorySanitizer",
            Self::Emulator => "MemorySanitizer on an emulated Ice Lake",
        })
    }
}

impl Tool {
    /// Builds the program, and says where it is.
    pub(super) fn build(self, root: &Path) -> Result<PathBuf> {
        let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
        let target = metadata.target_directory.join("constant-time").join(if self == Self::Valgrind {
            "valgrind"
        } else {
            "memory-sanitizer"
        });
        let (mut command, folder) = match self {
            Self::Valgrind => {
                if find("valgrind").is_none() {
                    bail!("no valgrind (Debian: valgrind)");
                }
                let mut command = steps::cargo(root, &["build"]);
                command.env("RUSTFLAGS", "--cfg keylane_constant_time").env_remove("CARGO_ENCODED_RUSTFLAGS");
                (command, "release")
            }
            Self::MemorySanitizer | Self::Emulator => {
                let mut command = Command::new(root.join("ci/cpus/sanitize.sh"));
                command.current_dir(root).args(["memory", "build", "--features=memory-sanitizer"]);
                let flags = [
                    // All reports of a run, not the first alone.
                    "-Zsanitizer-recover=memory",
                    // To hand a secret to a function is no leak.
                    "-Cllvm-args=-msan-eager-checks=0",
                    "--cfg=keylane_no_asm",
                    "--cfg=keylane_constant_time",
                ];
                command.env("XFLAGS", flags.join(" "));
                // What the sanitizer adds to the kernels takes LLVM minutes at level 3.
                for package in ["keylane", "keylane-cpu", "keylane-file", "keylane-tls", "keylane-secrets"] {
                    command.arg(format!("--config=profile.release.package.{package}.opt-level=1"));
                }
                (command, "x86_64-unknown-linux-gnu/release")
            }
        };
        steps::forget_own_package(&mut command);
        command
            .args(["--quiet", "--release", "--locked", "--manifest-path"])
            .arg(root.join("checks/instrumented/Cargo.toml"))
            .args(["--package=keylane-secrets", "--bin=constant-time"])
            .env("CARGO_TARGET_DIR", &target);
        steps::run(&mut command)?;
        Ok(target.join(folder).join("constant-time").into())
    }

    pub(super) fn command(self, root: &Path, program: &Path) -> Result<Command> {
        let mut command = match self {
            Self::Valgrind => {
                let mut command = Command::new("valgrind");
                command.args(["-q", "--leak-check=no", "--error-limit=no"]).arg(program);
                command
            }
            Self::MemorySanitizer => {
                let mut command = Command::new(program);
                let addr2line = find("addr2line").context("no addr2line (Debian: binutils)")?;
                command.env("MSAN_OPTIONS", format!("external_symbolizer_path={}", addr2line.display()));
                command
            }
            Self::Emulator => {
                let mut command = Command::new(root.join("ci/cpus/vm-avx512.sh"));
                command.arg(program).env("CPU", "corei7_icelake_u").env("MEM", "1024").env("TIMEOUT", "3600");
                command
            }
        };
        command.current_dir(root);
        Ok(command)
    }

    /// Whether an implementation must be there, if this CPU has those of the list: where detection finds less, nothing would
    /// be seen of the rest, and nothing would go wrong.
    pub(super) fn must_see(self, implementation: &str, here: &str) -> bool {
        match self {
            // It hides instruction sets.
            Self::Valgrind => false,
            Self::MemorySanitizer => here.split(',').any(|name| name == implementation),
            // Its CPU has all.
            Self::Emulator => true,
        }
    }

    /// The emulated machine has nothing but the program.
    pub(super) fn names_places(self) -> bool {
        self != Self::Emulator
    }
}

/// Where PATH has a program.
fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::Tool;

    #[test]
    fn what_the_cpu_has_must_be_seen() {
        let seen_by = |tool: Tool| ["avx2", "avx512"].map(|name| tool.must_see(name, "sse2,avx2"));
        assert_eq!(seen_by(Tool::Valgrind), [false, false]);
        assert_eq!(seen_by(Tool::MemorySanitizer), [true, false]);
        assert_eq!(seen_by(Tool::Emulator), [true, true]);
    }
}
