//! `cargo xtask c`: the C libraries as their users meet them. Installs them into a folder, builds the programs of
//! `crates/keylane-ffi/tests/c` by what pkg-config says, and runs them; reads what the libraries export and need.
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

/// A library that C links.
pub(crate) struct Library {
    pub(crate) package: &'static str,
    /// Its files are libNAME.so and libNAME.a, and NAME.pc for pkg-config.
    pub(crate) name: &'static str,
    pub(crate) header: &'static str,
    /// What the names of its functions begin with: it exports no others.
    prefix: &'static str,
    /// What programs that were linked to the shared library ask for. Another version with this name would have to
    /// work for them.
    soname: &'static str,
    /// The standards of C and C++ that the header is compiled with: the least, and later ones.
    standards: &'static [&'static str],
    functions: usize,
}

pub(crate) const KEYLANE: Library = Library {
    package: "keylane-ffi",
    name: "keylane",
    header: "keylane.h",
    prefix: "keylane_",
    soname: "libkeylane.so.0.1",
    standards: &["c99", "c11", "c17", "c++11", "c++17"],
    functions: 90,
};
pub(crate) const POLY1305: Library = Library {
    package: "keylane-poly1305",
    name: "keylane_poly1305",
    header: "poly1305.h",
    prefix: "poly1305_",
    soname: "libkeylane_poly1305.so.0.1",
    standards: &["c89", "c99", "c17", "c++98", "c++17"],
    functions: 6,
};
pub(crate) const LIBRARIES: [&Library; 2] = [&KEYLANE, &POLY1305];

/// The library that a test program is written for.
pub(crate) fn library_of(program: &str) -> &'static Library {
    if program == "drop_in" { &POLY1305 } else { &KEYLANE }
}

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
    for library in LIBRARIES {
        test.exports(library)?;
        test.needs(library)?;
        test.standards(library)?;
    }
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
    for link in [Link::Shared, Link::Static] {
        ran(test.own_poly1305(link)?)?;
        ran(test.stack(link)?)?;
        ran(test.cpp(link)?)?;
    }
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
        for library in LIBRARIES {
            test.replace_allocation(library)?;
        }
        Ok(test)
    }

    /// A copy of the static library that calls `refused_malloc` where the other calls `malloc`.
    fn replace_allocation(&self, library: &Library) -> Result<()> {
        let Library { name, .. } = library;
        let copy = self.installed.library(&format!("lib{name}_no_heap.a"));
        let mut objcopy = Command::new("objcopy");
        for name in HEAP {
            objcopy.arg(format!("--redefine-sym={name}=refused_{name}"));
        }
        run_command(objcopy.arg(self.installed.library(&format!("lib{name}.a"))).arg(&copy))?;
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
        self.run(&mut compile, &[library_of(name)], link, &program)
    }

    /// A program with functions of its own that have the names of poly1305-opt.
    fn own_poly1305(&self, link: Link) -> Result<String> {
        let mut compile = Command::new("cc");
        compile.args(C).args(SANITIZERS).arg(self.sources.join("tests/c/own_poly1305.c"));
        self.run(&mut compile, &[&KEYLANE], link, &self.out.join("own_poly1305"))
    }

    /// How much stack the functions take. Without sanitizers, which take more.
    fn stack(&self, link: Link) -> Result<String> {
        let mut compile = Command::new("cc");
        compile.args(C).arg(self.sources.join("tests/c/stack.c")).arg("-lpthread");
        self.run(&mut compile, &[&KEYLANE], link, &self.out.join("stack"))
    }

    /// Finishes the command with what pkg-config says of the libraries, and runs the program.
    fn run(
        &self,
        compile: &mut Command,
        libraries: &[&Library],
        link: Link,
        program: &Path,
    ) -> Result<String> {
        let names: Vec<_> = libraries.iter().map(|library| library.name).collect();
        compile.args(self.installed.pkg_config(&["--cflags"], &names)?);
        compile.args(match link {
            Link::Shared => self.installed.pkg_config(&["--libs"], &names)?,
            Link::Static => self.installed.static_libraries(&names, "")?,
            Link::NoHeap => self.installed.static_libraries(&names, "_no_heap")?,
        });
        run_command(compile.arg("-o").arg(program))?;
        output(Command::new(program).env("LD_LIBRARY_PATH", self.installed.prefix.join("lib")))
    }

    /// A program that is linked with no library of Keylane and loads it from many threads.
    fn threads(&self) -> Result<String> {
        let program = self.out.join("threads");
        let mut compile = Command::new("cc");
        compile
            .args(C)
            .arg(self.sources.join("tests/c/threads.c"))
            .args(self.installed.pkg_config(&["--cflags"], &[KEYLANE.name])?);
        run_command(compile.args(["-lpthread", "-ldl", "-o"]).arg(&program))?;
        output(Command::new(&program).arg(self.installed.library("libkeylane.so")))
    }

    /// Both libraries in one program.
    fn cpp(&self, link: Link) -> Result<String> {
        let mut compile = Command::new("c++");
        compile.args(CPP).arg(self.sources.join("tests/c/headers.cpp"));
        self.run(&mut compile, &LIBRARIES, link, &self.out.join("headers"))
    }

    /// The shared library exports what its header declares, and nothing else; the static one has all of it.
    fn exports(&self, library: &Library) -> Result<()> {
        let Library { name, header, prefix, .. } = library;
        let declared =
            functions(&fs::read_to_string(self.installed.prefix.join("include").join(header))?, prefix);
        ensure!(declared.len() >= library.functions, "{} functions in {header}", declared.len());
        let exported = self.installed.exported(library)?;
        let difference: Vec<_> = exported.symmetric_difference(&declared).collect();
        ensure!(difference.is_empty(), "lib{name}.so: exported or declared, not both: {difference:?}");
        // It holds Rust's own symbols as well.
        let archived = symbols(&self.installed.library(&format!("lib{name}.a")), "--syms", defined)?;
        let absent: Vec<_> = declared.difference(&archived).collect();
        ensure!(absent.is_empty(), "declared, and not in lib{name}.a: {absent:?}");
        println!("c: lib{name}: {} exported, as declared", steps::count(declared.len(), "function"));
        Ok(())
    }

    /// The header alone is accepted by the standards that it says, to the letter.
    fn standards(&self, library: &Library) -> Result<()> {
        for standard in library.standards {
            let (compiler, language) = if standard.contains("++") { ("c++", "c++") } else { ("cc", "c") };
            let mut compile = Command::new(compiler);
            compile.arg(format!("-std={standard}")).args(["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]);
            compile.args(["-fsyntax-only", "-x", language, "-include", library.header, "/dev/null"]);
            run_command(compile.args(self.installed.pkg_config(&["--cflags"], &[library.name])?))?;
        }
        println!("c: {}: {}", library.header, library.standards.join(", "));
        Ok(())
    }

    /// The shared library has its name, is position-independent and needs the C library alone.
    fn needs(&self, library: &Library) -> Result<()> {
        let file = format!("lib{}.so", library.name);
        let dynamic = dynamic(&self.installed.library(&file))?;
        let soname = named(&dynamic, "SONAME");
        ensure!(soname == [library.soname], "SONAME {soname:?}");
        ensure!(!dynamic.contains("TEXTREL"), "{file} has relocations in its code");
        let needed = named(&dynamic, "NEEDED");
        ensure!(needed.iter().any(|name| name == "libc.so.6"), "readelf shows no need of libc: {needed:?}");
        let others: Vec<_> = needed.iter().filter(|name| !MAY_NEED.contains(&name.as_str())).collect();
        ensure!(others.is_empty(), "{file} needs {others:?}");
        Ok(())
    }
}

/// The functions with this prefix that a header declares: names before a parenthesis, outside comments and directives.
fn functions(header: &str, prefix: &str) -> BTreeSet<String> {
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
        if name.starts_with(prefix) {
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
        assert_eq!(functions(header, "keylane_").into_iter().collect::<Vec<_>>(), ["keylane_x"]);
    }
}
