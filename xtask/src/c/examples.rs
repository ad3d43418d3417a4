//! The examples in C as their readers build them: copied to a folder outside the repository, with what pkg-config says
//! there, by the compiler alone and by CMake.

use super::KEYLANE;
use super::installed::{Installed, dynamic, named, output};
use crate::steps::{self, run as run_command};
use anyhow::{Context, Result, ensure};
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

const EXAMPLES: &str = "crates/keylane-ffi/examples";
const PROGRAMS: [&str; 2] = ["webhook", "seal"];

/// Has a program in C, and a project of CMake for it.
const MANUAL: &str = "docs/c.md";

/// GitHub's example of a secret, a body and its signature.
const SECRET: &str = "It's a Secret to Everybody";
const BODY: &[u8] = b"Hello, World!";
const SIGNATURE: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Shared,
    Static,
}

/// Builds and runs all of them with the library of `installed`.
pub(super) fn run(root: &Path, installed: &Installed) -> Result<()> {
    let outside = TemporaryFolder::new("examples")?;
    let sources = outside.0.join("sources");
    fs::create_dir(&sources)?;
    for file in fs::read_dir(root.join(EXAMPLES)).context(EXAMPLES)? {
        let file = file?;
        fs::copy(file.path(), sources.join(file.file_name()))?;
    }
    for link in [Link::Shared, Link::Static] {
        let by_cc = outside.0.join(format!("cc-{link:?}"));
        fs::create_dir(&by_cc)?;
        for program in PROGRAMS {
            let mut compile = Command::new("cc");
            compile.args(super::C).arg(sources.join(program).with_extension("c"));
            compile.args(installed.pkg_config(&["--cflags"], &[KEYLANE.name])?);
            compile.args(match link {
                Link::Shared => installed.pkg_config(&["--libs"], &[KEYLANE.name])?,
                Link::Static => installed.static_libraries(&[KEYLANE.name], "")?,
            });
            run_command(compile.arg("-o").arg(by_cc.join(program)))?;
        }
        let by_cmake = outside.0.join(format!("cmake-{link:?}"));
        cmake(installed, &sources, &by_cmake, link)?;
        // CMake leaves the path of the shared library in its programs.
        let library_path = installed.prefix.join("lib");
        check(&by_cc, link, (link == Link::Shared).then_some(&library_path))?;
        check(&by_cmake, link, None)?;
    }
    manual(root, installed, &outside.0)?;
    println!("examples: {}, by cc and by CMake, shared and static", steps::count(PROGRAMS.len(), "program"));
    Ok(())
}

fn cmake(installed: &Installed, sources: &Path, build: &Path, link: Link) -> Result<()> {
    let option = if link == Link::Static { "-DKEYLANE_STATIC=ON" } else { "-DKEYLANE_STATIC=OFF" };
    let mut configure = installed.command("cmake");
    configure.arg("-S").arg(sources).arg("-B").arg(build);
    // Otherwise the manual's project, which has no such option, is told of it.
    output(configure.args([
        option,
        "--no-warn-unused-cli",
        "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror",
    ]))?;
    output(Command::new("cmake").arg("--build").arg(build))?;
    Ok(())
}

/// The program and the project in the manual do what it says.
fn manual(root: &Path, installed: &Installed, outside: &Path) -> Result<()> {
    let manual = fs::read_to_string(root.join(MANUAL)).context(MANUAL)?;
    let sources = outside.join("manual");
    fs::create_dir(&sources)?;
    for (language, name) in [("c", "program.c"), ("cmake", "CMakeLists.txt")] {
        let block =
            manual.split_once(&format!("```{language}\n")).and_then(|(_, rest)| rest.split_once("```"));
        let text = block.with_context(|| format!("no block of {language} in {MANUAL}"))?.0;
        fs::write(sources.join(name), text)?;
    }
    cmake(installed, &sources, &sources.join("build"), Link::Shared)?;
    let printed = output(&mut Command::new(sources.join("build/program")))?;
    ensure!(printed == "no error: attack at dawn\n", "the program in {MANUAL} prints {printed:?}");
    Ok(())
}

/// The programs in this folder hold the library, or need it, and do what they are for.
fn check(folder: &Path, link: Link, library_path: Option<&PathBuf>) -> Result<()> {
    let program = |name: &str| {
        let mut command = Command::new(folder.join(name));
        command.env_remove("LD_LIBRARY_PATH");
        if let Some(path) = library_path {
            command.env("LD_LIBRARY_PATH", path);
        }
        command
    };
    for name in PROGRAMS {
        let needed = named(&dynamic(&folder.join(name))?, "NEEDED");
        let shared = needed.iter().any(|library| library == KEYLANE.soname);
        ensure!(shared == (link == Link::Shared), "{name} in {} needs {needed:?}", folder.display());
    }
    let webhook = |signature: &str, body: &[u8]| {
        talk(program("webhook").env("WEBHOOK_SECRET", SECRET).arg(signature), body)
    };
    expect("a right signature", webhook(SIGNATURE, BODY)?, 0, b"accepted\n")?;
    expect("another body", webhook(SIGNATURE, b"Hello, World?")?, 1, b"authentication failed\n")?;
    expect("half a signature", webhook(&SIGNATURE[..39], BODY)?, 1, b"")?;

    let key = folder.join("key");
    fs::write(&key, [7; 32])?;
    let seal = |what: &str, text: &[u8]| talk(program("seal").arg(what).arg(&key), text);
    let text = b"attack at dawn";
    let mut sealed = seal("seal", text)?.1;
    ensure!(sealed.len() == 12 + text.len() + 16, "{} bytes sealed", sealed.len());
    ensure!(sealed != seal("seal", text)?.1, "two messages have one nonce");
    expect("what was sealed", seal("open", &sealed)?, 0, text)?;
    sealed[20] ^= 1;
    expect("what was changed", seal("open", &sealed)?, 1, b"")?;
    expect("what is too short", seal("open", &sealed[..27])?, 1, b"")
}

fn expect(case: &str, (status, printed): (i32, Vec<u8>), code: i32, text: &[u8]) -> Result<()> {
    let shown = String::from_utf8_lossy(&printed);
    ensure!(status == code && printed == text, "{case}: ends with {status} and prints {shown:?}");
    Ok(())
}

/// Gives the program `input`; how it ends, and what it prints.
fn talk(command: &mut Command, input: &[u8]) -> Result<(i32, Vec<u8>)> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    // A program that ends without reading breaks the pipe.
    let _ = child.stdin.take().context("no pipe")?.write_all(input);
    let result = child.wait_with_output()?;
    Ok((result.status.code().with_context(|| format!("{}: killed", steps::shown(command)))?, result.stdout))
}

/// A folder outside the repository, gone when nobody needs it.
pub(super) struct TemporaryFolder(pub(super) PathBuf);

impl TemporaryFolder {
    pub(super) fn new(name: &str) -> Result<Self> {
        let path = env::temp_dir().join(format!("keylane-{name}-{}", process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What is left of it lies in a folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}
