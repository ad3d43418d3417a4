//! `cargo xtask c`: the C library as its users meet it. Installs it into a folder of its own, builds the programs of
//! `crates/keylane-ffi/tests/c` by what pkg-config says, and runs them; looks at what the library exports and needs.
//! `cargo xtask cargo-c` does the like with what cargo-c installs.

pub(crate) mod cargo_c;
mod examples;
pub(crate) mod install;
pub(crate) mod installed;

use crate::header;
use crate::steps::{self, run as run_command};
use anyhow::{Context, Result, ensure};
use install::Destination;
use installed::{Installed, defined, dynamic, named, output, symbols};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const PROGRAMS: [&str; 7] = ["hash", "hmac", "derivation", "aes", "chacha20", "errors", "drop_in"];
const TOOLS: [&str; 7] = ["cc", "c++", "pkg-config", "readelf", "objcopy", "cmake", "make"];

/// The C side only: the library is Rust's to check.
const SANITIZERS: [&str; 4] =
    ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];
pub(crate) const C: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"];
const CPP: [&str; 6] = ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"];

/// What programs that were linked to the shared library ask for. Another version with this name would have to work for them.
const SONAME: &str = "libkeylane.so.0.1";

/// What the shared library may load: the C library, in its parts, and the unwinder.
const MAY_NEED: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];

/// What allocates and frees.
const HEAP: [&str; 6] = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "free"];

pub(crate) fn run(root: &Path) -> Result<()> {
    header::run(root, true)?;
    if tools_are_missing()? {
        return Ok(());
    }
    let test = Test::prepare(root)?;
    test.exports()?;
    test.needs()?;
    let (mut programs, mut checks) = (0, 0);
    let mut ran = |output: String| -> Result<()> {
        let count = output.trim().strip_suffix(" checks").and_then(|count| count.parse::<u64>().ok());
        checks += count.with_context(|| format!("a test program says {output:?}"))?;
        programs += 1;
        Ok(())
    };
    for program in PROGRAMS {
        for link in [Link::Shared, Link::Static, Link::NoHeap] {
            ran(test.c(program, link)?)?;
        }
    }
    ran(test.threads()?)?;
    ran(test.cpp()?)?;
    examples::run(root, &test.installed)?;
    println!("c: {} passed, {}", steps::count(programs, "program"), steps::count(checks as usize, "check"));
    Ok(())
}

/// Says which, or fails if `KEYLANE_REQUIRE_TOOLS` asks for all.
fn tools_are_missing() -> Result<bool> {
    let missing: Vec<_> = TOOLS.into_iter().filter(|tool| !is_there(tool)).collect();
    if !missing.is_empty() {
        ensure!(env::var_os("KEYLANE_REQUIRE_TOOLS").is_none(), "not installed: {}", missing.join(", "));
        println!("c: skipped, since these are not installed: {}", missing.join(", "));
    }
    Ok(!missing.is_empty())
}

#[derive(Clone, Copy, Debug)]
enum Link {
    Shared,
    Static,
    /// As static, with allocation functions that end the program.
    NoHeap,
}

/// The library where it was installed for the tests.
struct Test {
    sources: PathBuf,
    installed: Installed,
    /// For the programs.
    out: PathBuf,
}

impl Test {
    fn prepare(root: &Path) -> Result<Self> {
        let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
        let folder = metadata.target_directory.join("c").into_std_path_buf();
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        let (prefix, out) = (folder.join("prefix"), folder.join("programs"));
        fs::create_dir_all(&out)?;
        install::run(root, &Destination { prefix: prefix.clone(), libdir: "lib".into(), destdir: None })?;
        let test = Self { sources: root.join("crates/keylane-ffi"), installed: Installed { prefix }, out };
        test.replace_allocation()?;
        Ok(test)
    }

    /// A copy of the static library that calls `refused_malloc` where the other calls `malloc`.
    fn replace_allocation(&self) -> Result<()> {
        let copy = self.installed.library("libkeylane_no_heap.a");
        let mut objcopy = Command::new("objcopy");
        for name in HEAP {
            objcopy.arg(format!("--redefine-sym={name}=refused_{name}"));
        }
        run_command(objcopy.arg(self.installed.library("libkeylane.a")).arg(&copy))?;
        // Rust's standard library has an allocator in any case: otherwise this would test nothing.
        let needed = symbols(&copy, "--syms", |section| !defined(section))?;
        let replaced = needed.contains("refused_malloc") && !needed.contains("malloc");
        ensure!(replaced, "objcopy has not replaced malloc in {}", copy.display());
        Ok(())
    }

    /// Builds and runs a C program.
    fn c(&self, name: &str, link: Link) -> Result<String> {
        let program = self.out.join(format!("{name}-{link:?}").to_lowercase());
        let mut compile = Command::new("cc");
        compile.args(C).args(SANITIZERS).arg(self.sources.join("tests/c").join(name).with_extension("c"));
        if matches!(link, Link::NoHeap) {
            compile.arg(self.sources.join("tests/c/no_heap.c"));
        }
        compile.args(self.installed.pkg_config(&["--cflags"])?);
        match link {
            Link::Shared => compile.args(self.installed.pkg_config(&["--libs"])?),
            Link::Static => compile.args(self.installed.static_libraries("-l:libkeylane.a")?),
            Link::NoHeap => compile.args(self.installed.static_libraries("-l:libkeylane_no_heap.a")?),
        };
        run_command(compile.arg("-o").arg(&program))?;
        output(Command::new(&program).env("LD_LIBRARY_PATH", self.installed.prefix.join("lib")))
    }

    /// A program that is linked with no library of Keylane and loads it from many threads.
    fn threads(&self) -> Result<String> {
        let program = self.out.join("threads");
        let mut compile = Command::new("cc");
        compile
            .args(C)
            .arg(self.sources.join("tests/c/threads.c"))
            .args(self.installed.pkg_config(&["--cflags"])?);
        run_command(compile.args(["-lpthread", "-ldl", "-o"]).arg(&program))?;
        output(Command::new(&program).arg(self.installed.library("libkeylane.so")))
    }

    fn cpp(&self) -> Result<String> {
        let program = self.out.join("headers");
        let mut compile = Command::new("c++");
        compile.args(CPP).arg(self.sources.join("tests/c/headers.cpp"));
        run_command(
            compile.args(self.installed.pkg_config(&["--cflags", "--libs"])?).arg("-o").arg(&program),
        )?;
        output(Command::new(&program).env("LD_LIBRARY_PATH", self.installed.prefix.join("lib")))
    }

    /// The shared library exports what the headers declare, and nothing else; the static one has all of it.
    fn exports(&self) -> Result<()> {
        let mut declared = BTreeSet::new();
        for header in ["keylane.h", "poly1305.h"] {
            let path = self.installed.prefix.join("include").join(header);
            declared.extend(functions(&fs::read_to_string(&path)?));
        }
        ensure!(declared.len() > 60, "{} functions in the headers", declared.len());
        let exported = self.installed.exported()?;
        let difference: Vec<_> = exported.symmetric_difference(&declared).collect();
        ensure!(difference.is_empty(), "exported or declared, not both: {difference:?}");
        // Rust's own symbols are in it, too.
        let archived = symbols(&self.installed.library("libkeylane.a"), "--syms", defined)?;
        let absent: Vec<_> = declared.difference(&archived).collect();
        ensure!(absent.is_empty(), "declared, and not in libkeylane.a: {absent:?}");
        println!("c: {} exported, as declared", steps::count(declared.len(), "function"));
        Ok(())
    }

    /// The shared library has its name, is position-independent and needs the C library alone.
    fn needs(&self) -> Result<()> {
        let dynamic = dynamic(&self.installed.library("libkeylane.so"))?;
        let soname = named(&dynamic, "SONAME");
        ensure!(soname == [SONAME], "SONAME {soname:?}");
        ensure!(!dynamic.contains("TEXTREL"), "libkeylane.so has relocations in its code");
        let needed = named(&dynamic, "NEEDED");
        ensure!(needed.iter().any(|name| name == "libc.so.6"), "readelf shows no need of libc: {needed:?}");
        let others: Vec<_> = needed.iter().filter(|name| !MAY_NEED.contains(&name.as_str())).collect();
        ensure!(others.is_empty(), "libkeylane.so needs {others:?}");
        Ok(())
    }
}

/// The functions that a header declares: names before a parenthesis, outside comments and directives.
fn functions(header: &str) -> BTreeSet<String> {
    let mut code = String::new();
    let mut rest = header;
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    code += rest;
    let code: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let mut found = BTreeSet::new();
    for before in code.join("\n").split('(') {
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        if name.starts_with("keylane_") || name.starts_with("poly1305_") {
            found.insert(name.to_owned());
        }
    }
    found
}

fn is_there(tool: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn functions_of_a_header() {
        let header = "#define KEYLANE_NONNULL(...)\n/* keylane_comment(1) */\ntypedef struct keylane_bytes { int a; } \
            keylane_bytes;\nint keylane_x(const struct keylane_bytes *b)\nKEYLANE_NONNULL(1);\nvoid \
            poly1305_init(void);\n";
        assert_eq!(functions(header).into_iter().collect::<Vec<_>>(), ["keylane_x", "poly1305_init"]);
    }
}
