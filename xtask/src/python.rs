//! `cargo xtask python`: the Python package as its users meet it. Builds the wheel as `pip install .` does, installs it into
//! an environment of its own, and checks and tests it there, never in the source folder.
//!
//! `ci/python/requirements.txt` pins what that needs by version and hash, the build backend included.

use crate::steps::{self, run as run_command};
use crate::vectors;
use anyhow::{Context, Result, ensure};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const REQUIREMENTS: &str = "ci/python/requirements.txt";
/// Prints the version, and fails if they need a newer one. The package itself does not.
const PYTHON_VERSION: &str =
    "import platform, sys; print(platform.python_version()); sys.exit(sys.version_info < (3, 11))";
const TESTS: &str = "crates/keylane-python/tests";
const BENCHMARKS: &str = "crates/keylane-python/benchmarks";

/// Has examples, each with what Python answers.
const MANUAL: &str = "docs/python.md";
/// Has one program.
const README: &str = "README.md";

/// Fails unless the package that is imported is the installed one.
const WHERE: &str = "import keylane, sys; sys.exit(not keylane.__file__.startswith(sys.prefix))";

pub(crate) fn run(root: &Path) -> Result<()> {
    if !python_can_make_environments() {
        ensure!(env::var_os("KEYLANE_REQUIRE_TOOLS").is_none(), "python3 has no venv (Debian: python3-venv)");
        println!("python: skipped, since python3 has no venv (Debian: python3-venv)");
        return Ok(());
    }
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let target = metadata.target_directory.as_std_path();
    let environment = Environment::prepare(root, target, &python_version()?)?;
    environment.install(&environment.wheel(root, target)?)?;

    run_command(environment.python().args(["-c", WHERE])).context("another keylane is imported")?;
    let mypy = ["-m", "mypy", "--strict", "--cache-dir"];
    let cache = environment.folder.join("mypy-cache");
    run_command(environment.python().args(mypy).arg(&cache).args(["--package", "keylane"]))?;
    run_command(environment.python().args(["-m", "mypy.stubtest", "keylane"]))?;
    run_command(environment.python().args(mypy).arg(&cache).arg(root.join(TESTS)))?;
    // They import rivals, which are not installed here.
    let rivals = "--disable-error-code=import-not-found";
    run_command(environment.python().args(mypy).arg(&cache).arg(rivals).arg(root.join(BENCHMARKS)))?;
    run_command(environment.python().args(["-m", "doctest"]).arg(root.join(MANUAL)))?;
    run_command(environment.python().args(["-c", &program(root)?])).context(README)?;
    // With the reason of every test that was skipped.
    let pytest = ["-m", "pytest", "--quiet", "-rs", "-p", "no:cacheprovider"];
    let mut test = environment.python();
    // Whose files another implementation reads, and the other way round.
    test.env("KEYLANE_COMMAND", steps::keylane(root, target)?);
    run_command(test.args(pytest).arg(root.join(TESTS)))
}

/// Fails where the requirements cannot be installed, before pip does in words of its own.
fn python_version() -> Result<String> {
    let asked = Command::new("python3").args(["-c", PYTHON_VERSION]).output()?;
    let version = String::from_utf8(asked.stdout)?.trim().to_owned();
    ensure!(asked.status.success(), "{REQUIREMENTS} needs Python 3.11 or newer, and python3 is {version:?}");
    Ok(version)
}

/// The README's program in Python.
fn program(root: &Path) -> Result<String> {
    let readme = fs::read_to_string(root.join(README)).context(README)?;
    let blocks: Vec<_> = readme.split("```python\n").skip(1).collect();
    ensure!(blocks.len() == 1, "{} programs in {README}", blocks.len());
    let (program, _) = blocks[0].split_once("```").context("a block without an end")?;
    Ok(program.to_owned())
}

/// Debian has the module `venv` in any case, and what it needs in a package of its own.
fn python_can_make_environments() -> bool {
    let mut ensurepip = Command::new("python3");
    ensurepip.args(["-m", "ensurepip", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    ensurepip.status().is_ok_and(|status| status.success())
}

/// A virtual environment that has what the tests need.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Makes it, unless it is there and was made of the same.
    fn prepare(root: &Path, target: &Path, version: &str) -> Result<Self> {
        let environment = Self { folder: target.join("python") };
        let requirements = fs::read_to_string(root.join(REQUIREMENTS)).context(REQUIREMENTS)?;
        // Unpacked already, for Rust.
        let vectors = vectors::unpacked(root, target)?;
        let made_of = format!("Python {version}\n{}\n{requirements}", vectors.display());
        // Written when all is installed: what an interrupted run leaves is not taken.
        let stamp = environment.folder.join("made-of");
        if fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == made_of) {
            return Ok(environment);
        }
        run_command(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment.folder))?;
        let install = ["install", "--quiet", "--require-hashes", "--only-binary=:all:", "--requirement"];
        run_command(environment.pip().args(install).arg(root.join(REQUIREMENTS)))?;
        // A line in this file is one more place that packages are in.
        let find_folder = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
        let packages = environment.python().args(find_folder).output()?.stdout;
        let packages = String::from_utf8(packages).context("a folder's name is not UTF-8")?;
        fs::write(Path::new(packages.trim()).join("vectors.pth"), format!("{}\n", vectors.display()))?;
        fs::write(&stamp, made_of)?;
        Ok(environment)
    }

    /// The path of the wheel. Cargo builds it in the target folder that everything else is built in.
    fn wheel(&self, root: &Path, target: &Path) -> Result<PathBuf> {
        let wheels = self.folder.join("wheels");
        if wheels.exists() {
            fs::remove_dir_all(&wheels)?;
        }
        // In this environment, where the backend has the pinned version, instead of one that is made for the build.
        let build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--check-build-dependencies"];
        let mut pip = self.pip();
        pip.env("CARGO_TARGET_DIR", target).env("MATURIN_PEP517_ARGS", "--locked");
        run_command(pip.args(build).arg("--wheel-dir").arg(&wheels).arg(root))?;
        let built: Vec<_> = fs::read_dir(&wheels)?.collect::<Result<_, _>>()?;
        ensure!(built.len() == 1, "{} wheels were built", built.len());
        println!("python: {}", built[0].file_name().to_string_lossy());
        Ok(built[0].path())
    }

    fn install(&self, wheel: &Path) -> Result<()> {
        let install = ["install", "--quiet", "--force-reinstall", "--no-deps", "--no-index"];
        run_command(self.pip().args(install).arg(wheel))
    }

    fn python(&self) -> Command {
        let programs = self.folder.join("bin");
        let mut python = Command::new(programs.join("python"));
        // Not the repository, which Python would import from.
        python.current_dir(&self.folder).env("PYTHONDONTWRITEBYTECODE", "1");
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(programs).chain(env::split_paths(&path)));
        // It can be joined: it was split, and the target folder has no colon, or cargo would not work.
        python.env("PATH", path.unwrap_or_default());
        steps::forget_own_package(&mut python);
        python
    }

    fn pip(&self) -> Command {
        let mut pip = self.python();
        pip.args(["-m", "pip", "--disable-pip-version-check"]);
        pip
    }
}
