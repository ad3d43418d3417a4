//! `cargo xtask c`: tests the C library as its users get it. CTest runs the programs of
//! `crates/keylane-ffi/tests/c` with the library that `crates/keylane-ffi/CMakeLists.txt` builds. The
//! examples are built outside the repository with the library that it installs.

use crate::command::{output, program, root, run as run_command, step, target};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

const PACKAGE: &str = "crates/keylane-ffi";
const TESTS: &str = "crates/keylane-ffi/tests/c";
const EXAMPLES: &str = "crates/keylane-ffi/examples";
const TRY_EXAMPLES: &str = "crates/keylane-ffi/tests/examples.sh";
/// Scripts that use what is installed, each in a folder of its own.
const SCRIPTS: [&str; 3] = ["embed/run.sh", "go/run.sh", "install/run.sh"];
/// Has a program in C, and a project of CMake for it.
const MANUAL: &str = "docs/c.md";
/// While the major version is 0, it changes with the interface.
const SONAME: &str =
    concat!("libkeylane.so.", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
/// The libraries that the shared library may load.
const MAY_NEED: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];

/// A header, and the standards that it is compiled with.
type Header = (&'static str, [&'static str; 4]);

/// The files that each option installs.
const OPTIONS: [(&str, &[Header]); 2] =
    [("-Dpoly1305-opt=ON", &[POLY1305_H, KEYLANE_H]), ("-Dpoly1305-opt=OFF", &[KEYLANE_H])];
const KEYLANE_H: Header = ("keylane.h", ["c99", "c17", "c++11", "c++17"]);
const POLY1305_H: Header = ("poly1305.h", ["c89", "c17", "c++98", "c++17"]);

/// The sanitizers of one compiler, and valgrind for what the other compiles.
const COMPILERS: [(&str, &[&str]); 2] = [
    ("gcc", &["-Dpoly1305-opt=OFF"]),
    (
        "clang",
        &["-Dpoly1305-opt=ON", "-DVALGRIND=ON", "-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++"],
    ),
];

pub(crate) fn run() -> Result<()> {
    for (compiler, options) in COMPILERS {
        step(&format!("c: tests, {compiler}"), || {
            let folder = target().join("c").join(compiler);
            let cargos = format!("-DCARGO_TARGET_DIR={}", target().display());
            cmake(&root().join(TESTS), &folder, Path::new(""), &[options, &[&cargos]].concat())?;
            let mut ctest = program("ctest");
            ctest.args(["--output-on-failure", "--no-tests=error", "--parallel", "2", "--test-dir"]);
            run_command(ctest.arg(folder))
        })?;
    }
    step("c: installed", || {
        let outside = env::temp_dir().join(format!("keylane-c-{}", std::process::id()));
        let prefix = outside.join("prefix");
        fs::create_dir_all(&outside)?;
        let done = installed(&prefix).and_then(|()| examples(&prefix, &outside));
        fs::remove_dir_all(&outside)?;
        done
    })
}

fn cmake(sources: &Path, build: &Path, prefix: &Path, options: &[&str]) -> Result<()> {
    let mut configure = program("cmake");
    configure
        .args(["--no-warn-unused-cli", "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror"])
        .args(options);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    output(configure.arg("-S").arg(sources).arg("-B").arg(build))?;
    output(program("cmake").arg("--build").arg(build).args(["--parallel", "2"])).map(|_| ())
}

/// Installs the library with each option, the last of which is the default.
fn installed(prefix: &Path) -> Result<()> {
    let (build, cargos) = (target().join("c/install"), format!("-DCARGO_TARGET_DIR={}", target().display()));
    for (option, headers) in OPTIONS {
        let mut configure = program("cmake");
        output(configure.arg("-S").arg(root().join(PACKAGE)).arg("-B").arg(&build).args([option, &cargos]))?;
        output(program("cmake").arg("--build").arg(&build))?;
        output(program("cmake").arg("--install").arg(&build).arg("--prefix").arg(prefix))?;
        facts(prefix, headers).context(option)?;
    }
    fs::remove_file(prefix.join("include/poly1305.h")).context("what the first option installed")
}

/// The library exports what the headers declare and nothing else, needs the C library alone, and has no
/// printer of backtraces, which build.rs replaces.
fn facts(prefix: &Path, headers: &[Header]) -> Result<()> {
    let mut declared = BTreeSet::new();
    for (name, standards) in headers {
        let header = prefix.join("include").join(name);
        let prototypes = target().join("c/prototypes");
        let mut parse = program("cc");
        parse.args(["-fsyntax-only", "-x", "c", "/dev/null", "-include"]).arg(&header).arg("-aux-info");
        run_command(parse.arg(&prototypes))?;
        let text = fs::read_to_string(&prototypes)?;
        let of_header = text.lines().filter(|line| line.contains(&*header.to_string_lossy()));
        let names = of_header.filter_map(|line| line.rsplit_once(" (")?.0.rsplit([' ', '*']).next());
        declared.extend(names.map(str::to_owned));
        for (standard, compiler) in
            standards.iter().flat_map(|standard| [(standard, "gcc"), (standard, "clang")])
        {
            let language = if standard.contains("++") { "c++" } else { "c" };
            let mut compile = program(compiler);
            compile.arg(format!("-std={standard}")).args(["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]);
            compile.args(["-fsyntax-only", "-x", language, "/dev/null", "-include"]);
            run_command(compile.arg(&header))?;
        }
    }
    let shared = prefix.join("lib/libkeylane.so");
    let name = shared.display();
    let symbols = output(program("nm").args(["--dynamic", "--defined-only"]).arg(&shared))?;
    let exported: BTreeSet<_> =
        symbols.lines().filter_map(|line| Some(line.rsplit_once(' ')?.1.to_owned())).collect();
    let difference: Vec<_> = exported.symmetric_difference(&declared).collect();
    ensure!(difference.is_empty() && !declared.is_empty(), "exported or declared, not both: {difference:?}");

    let dynamic = output(program("readelf").args(["--dynamic", "--wide"]).arg(&shared))?;
    let named = |tag: &'static str| {
        let lines = dynamic.lines().filter(move |line| line.contains(tag));
        lines.filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0))
    };
    ensure!(named("(SONAME)").eq([SONAME]), "{name} is not {SONAME}");
    let others: Vec<_> = named("(NEEDED)").filter(|name| !MAY_NEED.contains(name)).collect();
    ensure!(others.is_empty(), "{name} needs {others:?}");
    ensure!(!dynamic.contains("TEXTREL"), "{name} has relocations in code");
    let bytes = fs::read(&shared)?;
    let printer = bytes.windows(15).any(|text| text == b"stack backtrace");
    ensure!(!printer, "{name} prints backtraces, as where std's functions have other names");
    println!("{} functions", declared.len());
    Ok(())
}

/// The examples, the program and the project in the manual, what embeds Keylane, and the packages in Go do
/// what they say, outside of the repository.
fn examples(prefix: &Path, outside: &Path) -> Result<()> {
    let sources = outside.join("sources");
    run_command(program("cp").args(["-r", EXAMPLES]).arg(&sources))?;
    for (option, shared) in [("-DKEYLANE_STATIC=OFF", "1"), ("-DKEYLANE_STATIC=ON", "0")] {
        let built = outside.join(option);
        cmake(&sources, &built, prefix, &[option])?;
        run_command(program(TRY_EXAMPLES).arg(built).arg(shared).env("LD_LIBRARY_PATH", prefix.join("lib")))?;
    }
    let text = fs::read_to_string(root().join(MANUAL)).context(MANUAL)?;
    let manual = outside.join("manual");
    fs::create_dir(&manual)?;
    for (language, name) in [("c", "program.c"), ("cmake", "CMakeLists.txt")] {
        let (_, block) = text.split_once(&format!("```{language}\n")).context(language)?;
        fs::write(manual.join(name), block.split("```").next().unwrap_or_default())?;
    }
    cmake(&manual, &manual.join("build"), prefix, &[])?;
    let pkg_config = prefix.join("lib/pkgconfig");
    let compile = "cc program.c $(pkg-config --cflags --libs keylane) -o build/by-pkg-config";
    let mut shell = program("sh");
    run_command(shell.args(["-c", compile]).current_dir(&manual).env("PKG_CONFIG_PATH", &pkg_config))?;
    for built in ["program", "by-pkg-config"] {
        let mut run = program(manual.join("build").join(built));
        let printed = output(run.env("LD_LIBRARY_PATH", prefix.join("lib")))?;
        ensure!(printed == "no error: attack at dawn\n", "the program in {MANUAL} prints {printed:?}");
    }
    for script in SCRIPTS {
        let folder = outside.join(script.replace('/', "-"));
        fs::create_dir(&folder)?;
        let mut run = program(root().join(PACKAGE).join("tests").join(script));
        run.arg(folder).env("PKG_CONFIG_PATH", &pkg_config).env("LD_LIBRARY_PATH", prefix.join("lib"));
        run_command(run.env("CARGO_TARGET_DIR", target()))?;
    }
    Ok(())
}
