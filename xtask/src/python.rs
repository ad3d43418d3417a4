//! `cargo xtask python`: tests the Python package as its users get it, built and installed by pip in a
//! virtual environment under the target directory. `ci/python/requirements.txt` pins everything that this
//! needs, including the build backend.

use crate::command::{built_by_tests, pinned, program, root, run as run_command, target};
use anyhow::{Context, Result, ensure};
use std::path::Path;

const REQUIREMENTS: &str = "ci/python/requirements.txt";
/// What the tests on the engines of clusters need besides.
const ENGINES: &str = "ci/python/engines.txt";
/// Folders and profiles of the wheels, and their tests. `keylane.arrow` is built without optimisation: its
/// crates compile in a quarter of the time. Keylane with it, or `*secret = None` would copy a `None` whose
/// unused bytes are those of the stack, keys among them.
const WHEELS: [[&str; 3]; 2] = [
    ["", "release", "crates/keylane-python/tests"],
    ["crates/keylane-arrow/python", "dev", "crates/keylane-arrow/python/tests"],
];
const BENCHMARKS: &str = "crates/keylane-python/benchmarks";
const INSTALLED: &str = "import keylane, sys; sys.exit(not keylane.__file__.startswith(sys.prefix))";

pub(crate) fn run(engines: bool) -> Result<()> {
    let environment = pinned(REQUIREMENTS, environment)?;
    let python = |arguments: &[&str]| {
        let mut python = program(environment.join("bin/python"));
        // Not in the repository, which Python would import from.
        python.current_dir(&environment).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
        python
    };
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps"];
    let path = std::env::var("PATH").unwrap_or_default();
    let wheels = &WHEELS[..if engines { 2 } else { 1 }];
    for [folder, profile, _] in wheels {
        let mut pip = python(&install);
        // By the build backend of this environment, which is pinned.
        pip.args(["--no-build-isolation", "--check-build-dependencies"]).arg(root().join(folder));
        pip.env("PATH", format!("{}:{path}", environment.join("bin").display()));
        // Twice as large, and built in half of the time.
        pip.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        pip.env("MATURIN_PEP517_ARGS", format!("--locked --profile {profile}"));
        run_command(pip.env("CARGO_TARGET_DIR", target()))?;
    }
    run_command(&mut python(&["-c", INSTALLED])).context("another keylane is imported")?;

    let mypy = ["-m", "mypy", "--strict", "--cache-dir=mypy-cache"];
    run_command(python(&mypy).args(["--package", "keylane"]))?;
    let mut stubtest = python(&["-m", "mypy.stubtest", "keylane"]);
    // Where keylane.arrow is not installed.
    let mut left_out: &[&str] = &[];
    if !engines {
        stubtest.arg("--allowlist").arg(root().join("ci/python/without-arrow.txt"));
        left_out = &["-k", "not columns.md"];
    }
    run_command(&mut stubtest)?;
    for [.., tests] in wheels {
        // Not the engines of clusters, which have no types.
        let mut mypy = python(&mypy);
        mypy.args(["--disable-error-code=import-untyped", "--exclude=test_cluster_"]);
        run_command(mypy.arg(root().join(tests)))?;
    }
    // Rivals, which the benchmarks import, are not installed.
    run_command(python(&mypy).arg("--disable-error-code=import-not-found").arg(root().join(BENCHMARKS)))?;
    let pytest = ["-m", "pytest", "--quiet", "-rs", "-p", "no:cacheprovider"];
    for [.., tests] in wheels {
        let mut pytest = python(&pytest);
        // One process each, since both have a conftest.py.
        let clusters = root().join(tests).join("test_cluster_*");
        pytest.arg(root().join(tests)).arg(format!("--ignore-glob={}", clusters.display())).args(left_out);
        run_command(pytest.env("KEYLANE_COMMAND", built_by_tests("keylane")?))?;
    }
    if engines {
        let mut pip = python(&["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement"]);
        run_command(pip.arg(root().join(ENGINES)))?;
        run_command(python(&pytest).arg(root().join(WHEELS[1][2])).env("KEYLANE_ROWS", "1000000"))?;
    }
    Ok(())
}

/// Makes a virtual environment with what `REQUIREMENTS` pins.
fn environment(folder: &Path) -> Result<()> {
    run_command(program("python3").args(["-m", "venv"]).arg(folder)).context("Debian: python3-venv")?;
    let install = ["install", "--quiet", "--require-hashes", "--only-binary=:all:", "--requirement"];
    let mut pip = program(folder.join("bin/pip"));
    run_command(pip.args(install).arg(REQUIREMENTS)).context("the requirements need Python 3.11 or newer")?;
    ensure!(folder.join("bin/maturin").exists(), "{REQUIREMENTS} has no build backend");
    Ok(())
}
