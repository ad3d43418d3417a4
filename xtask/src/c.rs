//! `cargo xtask c`: the C libraries as their users get them. The programs of `crates/keylane-ffi/tests/c` run
//! with what `cargo build --release` makes; the examples are built with what cargo-c installs, outside of the
//! repository.

use crate::command::{cargo, output, program, root, run as run_command, step, target};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) const TESTS: &str = "crates/keylane-ffi/tests/c";
pub(crate) const PROGRAMS: [&str; 7] = ["hash", "hmac", "derivation", "aes", "chacha20", "errors", "drop_in"];
const EXAMPLES: &str = "crates/keylane-ffi/examples";
/// Has a program in C, and a project of CMake for it.
const MANUAL: &str = "docs/c.md";

pub(crate) const C: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"];
/// For the C side: the library is Rust's to check.
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];
/// What the shared libraries may load.
const MAY_NEED: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];
const HEAP: [&str; 6] = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "free"];

/// A library that C links.
pub(crate) struct Library {
    pub(crate) package: &'static str,
    pub(crate) name: &'static str,
    header: &'static str,
    soname: &'static str,
    /// The standards that the header is compiled with.
    standards: &'static [&'static str],
}

const KEYLANE: Library = Library {
    package: "keylane-ffi",
    name: "keylane",
    header: "keylane.h",
    soname: "libkeylane.so.0.1",
    standards: &["c99", "c17", "c++11", "c++17"],
};
const POLY1305: Library = Library {
    package: "keylane-poly1305",
    name: "keylane_poly1305",
    header: "poly1305.h",
    soname: "libkeylane_poly1305.so.0.1",
    standards: &["c89", "c17", "c++98", "c++17"],
};
pub(crate) const LIBRARIES: [&Library; 2] = [&KEYLANE, &POLY1305];

/// Returns the library that a test program is written for.
pub(crate) fn library_of(program: &str) -> &'static Library {
    if program == "drop_in" { &POLY1305 } else { &KEYLANE }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    Shared,
    Static,
    /// As static, with functions for allocation that end the program.
    NoHeap,
}

pub(crate) fn run() -> Result<()> {
    let mut build = cargo(&["build", "--quiet", "--release"]);
    run_command(build.args(LIBRARIES.map(|library| format!("--package={}", library.package))))?;
    step("c: tests", tests)?;
    step("c: installed", installed)
}

fn tests() -> Result<()> {
    let folder = target().join("c");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    for library in LIBRARIES {
        let copy = folder.join(format!("lib{}_no_heap.a", library.name));
        let renames = HEAP.map(|name| format!("--redefine-sym={name}=refused_{name}"));
        let archive = target().join(format!("release/lib{}.a", library.name));
        run_command(program("objcopy").args(renames).arg(archive).arg(&copy))?;
        // Rust's standard library has an allocator in any case: otherwise this would test nothing.
        let symbols = output(program("readelf").args(["--syms", "--wide"]).arg(&copy))?;
        let uses = |name: &str| symbols.lines().any(|line| line.contains(" UND ") && line.ends_with(name));
        ensure!(uses(" refused_malloc") && !uses(" malloc"), "malloc is not replaced in {}", copy.display());
    }
    let mut checks = 0;
    let mut test = |name: &str, link: Link, libraries: &[&Library], options: &[&str]| -> Result<()> {
        let built = folder.join(format!("{name}-{link:?}"));
        let is_cpp = name.ends_with(".cpp");
        let mut compile = program(if is_cpp { "c++" } else { "cc" });
        compile.args(C.iter().filter(|option| !is_cpp || **option != "-std=c99")).args(options);
        compile.arg(format!("{TESTS}/{name}")).arg("-o").arg(&built);
        if link == Link::NoHeap {
            compile.arg(format!("{TESTS}/no_heap.c"));
        }
        for library in LIBRARIES {
            compile.arg(format!("-Icrates/{}/include", library.package));
        }
        for library in libraries {
            compile.arg(match link {
                Link::Shared => target().join(format!("release/lib{}.so", library.name)),
                Link::Static => target().join(format!("release/lib{}.a", library.name)),
                Link::NoHeap => folder.join(format!("lib{}_no_heap.a", library.name)),
            });
        }
        run_command(compile.args(SYSTEM))?;
        // The program of threads loads the library itself.
        let printed = output(program(built).arg(target().join("release/libkeylane.so")))?;
        let count = printed.trim().strip_suffix(" checks").and_then(|count| count.parse::<usize>().ok());
        checks += count.with_context(|| format!("{name} prints {printed:?}"))?;
        Ok(())
    };
    for name in PROGRAMS {
        for link in [Link::Shared, Link::Static, Link::NoHeap] {
            test(&format!("{name}.c"), link, &[library_of(name)], &SANITIZERS)?;
        }
    }
    test("threads.c", Link::Shared, &[], &SANITIZERS)?;
    for link in [Link::Shared, Link::Static] {
        // With functions of its own that have the names of poly1305-opt.
        test("own_poly1305.c", link, &[&KEYLANE], &SANITIZERS)?;
        // Sanitizers take stack.
        test("stack.c", link, &[&KEYLANE], &[])?;
        test("headers.cpp", link, &LIBRARIES, &["-std=c++11"])?;
    }
    println!("c: {checks} checks");
    Ok(())
}

/// Installs the libraries by cargo-c and looks at what came of it.
fn installed() -> Result<()> {
    let outside = env::temp_dir().join(format!("keylane-c-{}", std::process::id()));
    let prefix = outside.join("prefix");
    fs::create_dir_all(&outside)?;
    let done = cinstall(&prefix).and_then(|()| LIBRARIES.iter().try_for_each(|it| facts(it, &prefix)));
    let done = done.and_then(|()| examples(&prefix, &outside));
    fs::remove_dir_all(&outside)?;
    done
}

fn cinstall(prefix: &Path) -> Result<()> {
    let mut path = env::var("PATH").unwrap_or_default();
    if !env::split_paths(&path).any(|folder| folder.join("cargo-cinstall").is_file()) {
        // To compile it takes half an hour.
        let fetched = output(program("ci/cpus/fetch.sh").args(["trixie", "cargo-c", "cargo-cinstall"]))?;
        let folder = Path::new(fetched.trim()).parent().context("a program in a folder")?;
        path = format!("{}:{path}", folder.display());
    }
    // An older cargo is in it, which has no business to fetch crates. What is looked at does not depend on
    // the optimiser.
    let mut command = cargo(&["cinstall", "--locked", "--offline", "--config=profile.release.opt-level=0"]);
    command.args(LIBRARIES.map(|library| format!("--package={}", library.package)));
    command.arg("--target-dir").arg(target().join("cargo-c")).arg("--prefix").arg(prefix);
    run_command(command.args(["--libdir", "lib"]).env("PATH", path))
}

/// A library exports what its header declares and nothing else, and needs the C library alone.
fn facts(library: &Library, prefix: &Path) -> Result<()> {
    let Library { name, header, soname, standards, .. } = library;
    let shared = prefix.join(format!("lib/lib{name}.so"));
    let header = prefix.join("include").join(header);
    let prototypes = target().join("c/prototypes");
    let mut parse = program("cc");
    parse.args(["-fsyntax-only", "-x", "c", "/dev/null", "-include"]).arg(&header).arg("-aux-info");
    run_command(parse.arg(&prototypes))?;
    let text = fs::read_to_string(&prototypes)?;
    let of_header = text.lines().filter(|line| line.contains(&*header.to_string_lossy()));
    let declared = of_header.filter_map(|line| line.rsplit_once(" (")?.0.rsplit([' ', '*']).next());
    let declared: BTreeSet<_> = declared.collect();
    let symbols = output(program("nm").args(["--dynamic", "--defined-only"]).arg(&shared))?;
    let exported: BTreeSet<_> = symbols.lines().filter_map(|line| line.split(' ').next_back()).collect();
    let difference: Vec<_> = exported.symmetric_difference(&declared).collect();
    ensure!(
        difference.is_empty() && !declared.is_empty(),
        "{name}: exported or declared, not both: {difference:?}"
    );

    let dynamic = output(program("readelf").args(["--dynamic", "--wide"]).arg(&shared))?;
    ensure!(named(&dynamic, "SONAME") == [*soname], "{name} is not {soname}");
    let needed = named(&dynamic, "NEEDED");
    let others: Vec<_> = needed.iter().filter(|name| !MAY_NEED.contains(name)).collect();
    ensure!(
        others.is_empty() && !dynamic.contains("TEXTREL"),
        "{name} needs {others:?}, or has relocations in code"
    );
    for standard in *standards {
        let (compiler, language) = if standard.contains("++") { ("c++", "c++") } else { ("cc", "c") };
        let mut compile = program(compiler);
        compile.arg(format!("-std={standard}")).args(["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]);
        run_command(compile.args(["-fsyntax-only", "-x", language, "/dev/null", "-include"]).arg(&header))?;
    }
    println!("{name}: {} functions", declared.len());
    Ok(())
}

/// Returns what a tag has in a dynamic section.
fn named<'a>(dynamic: &'a str, tag: &str) -> Vec<&'a str> {
    let lines = dynamic.lines().filter(|line| line.contains(&format!("({tag})")));
    lines.filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0)).collect()
}

/// The examples, and the program and the project in the manual, do what they say, outside of the repository.
fn examples(prefix: &Path, outside: &Path) -> Result<()> {
    let sources = outside.join("sources");
    run_command(program("cp").args(["-r", EXAMPLES]).arg(&sources))?;
    let cmake = |sources: &Path, build: &Path, option: &str| -> Result<()> {
        let mut configure = program("cmake");
        configure
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .arg("-S")
            .arg(sources)
            .arg("-B")
            .arg(build);
        output(configure.args([
            "--no-warn-unused-cli",
            "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror",
            option,
        ]))?;
        output(program("cmake").arg("--build").arg(build)).map(|_| ())
    };
    for link in [Link::Shared, Link::Static] {
        let (by_cc, by_cmake) =
            (outside.join(format!("cc-{link:?}")), outside.join(format!("cmake-{link:?}")));
        fs::create_dir_all(&by_cc)?;
        let query = if link == Link::Static { &["--static"][..] } else { &[] };
        let mut flags = program("pkg-config");
        flags
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .args(query)
            .args(["--cflags", "--libs", "keylane"]);
        let mut flags = output(&mut flags)?;
        if link == Link::Static {
            flags = flags.replace("-lkeylane", "-l:libkeylane.a");
        }
        for name in ["webhook", "seal"] {
            let mut compile = program("cc");
            compile.args(C).arg(sources.join(name).with_extension("c")).arg("-o").arg(by_cc.join(name));
            run_command(compile.args(flags.split_whitespace()))?;
        }
        let option = if link == Link::Static { "-DKEYLANE_STATIC=ON" } else { "-DKEYLANE_STATIC=OFF" };
        cmake(&sources, &by_cmake, option)?;
        try_examples(&by_cc, link, prefix)?;
        try_examples(&by_cmake, link, prefix)?;
    }
    let text = fs::read_to_string(root().join(MANUAL)).context(MANUAL)?;
    let manual = outside.join("manual");
    fs::create_dir(&manual)?;
    for (language, name) in [("c", "program.c"), ("cmake", "CMakeLists.txt")] {
        let (_, block) = text.split_once(&format!("```{language}\n")).context(language)?;
        fs::write(manual.join(name), block.split("```").next().unwrap_or_default())?;
    }
    cmake(&manual, &manual.join("build"), "-DKEYLANE_STATIC=OFF")?;
    let printed = output(&mut program(manual.join("build/program")))?;
    ensure!(printed == "no error: attack at dawn\n", "the program in {MANUAL} prints {printed:?}");
    Ok(())
}

fn try_examples(folder: &Path, link: Link, prefix: &Path) -> Result<()> {
    let run = |name: &str, arguments: &[&str], input: &[u8]| -> Result<(Option<i32>, Vec<u8>)> {
        let file: PathBuf = folder.join(name);
        let dynamic = output(program("readelf").arg("--dynamic").arg(&file))?;
        let shared = named(&dynamic, "NEEDED").contains(&KEYLANE.soname);
        ensure!(shared == (link == Link::Shared), "{} is linked otherwise", file.display());
        let mut command = Command::new(file);
        command.args(arguments).env("WEBHOOK_SECRET", "It's a Secret to Everybody");
        command.env("LD_LIBRARY_PATH", prefix.join("lib")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        // A program that ends without reading breaks the pipe.
        let _ = child.stdin.take().context("a pipe")?.write_all(input);
        let done = child.wait_with_output()?;
        Ok((done.status.code(), done.stdout))
    };
    // GitHub's example of a signature.
    let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let webhook = |signature: &str, body: &[u8]| run("webhook", &[signature], body);
    ensure!(webhook(signature, b"Hello, World!")? == (Some(0), b"accepted\n".to_vec()), "webhook refuses");
    ensure!(webhook(signature, b"Hello, World?")?.0 == Some(1), "webhook accepts another body");
    ensure!(webhook(&signature[..39], b"Hello, World!")?.0 == Some(1), "webhook accepts half a signature");
    let key = folder.join("key");
    fs::write(&key, [7; 32])?;
    let key = key.to_string_lossy().into_owned();
    let text = b"attack at dawn";
    let mut sealed = run("seal", &["seal", &key], text)?.1;
    ensure!(sealed.len() == 12 + text.len() + 16, "{} bytes sealed", sealed.len());
    ensure!(sealed != run("seal", &["seal", &key], text)?.1, "two messages have one nonce");
    ensure!(
        run("seal", &["open", &key], &sealed)? == (Some(0), text.to_vec()),
        "what was sealed does not open"
    );
    sealed[20] ^= 1;
    ensure!(run("seal", &["open", &key], &sealed)? == (Some(1), Vec::new()), "what was changed opens");
    Ok(())
}
