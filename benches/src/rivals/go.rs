//! Go's standard library and golang.org/x/crypto: the program in `go/`, built when Go is installed and kept
//! running beside this one. It measures itself, on the core that this process is pinned to.

use crate::{case::*, rival::*};
use std::{
    cell::RefCell,
    error::Error,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    rc::Rc,
};

/// A Go program that answers requests, line by line. The first line that it writes is Go's version.
pub struct Program {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// Go, if it is installed.
pub(super) fn found() -> Option<Rival> {
    let (version, program) = start()?;
    let program = Rc::new(RefCell::new(program));
    Some(Rival::new("go", version, move |case| prepare(&program, case)))
}

/// Builds and starts the program, if Go is installed: Go's version, and the program.
pub fn start() -> Option<(String, Program)> {
    Command::new("go").arg("version").output().ok()?;
    let start = || {
        let mut program = Program::start()?;
        Ok::<_, Box<dyn Error>>((program.line()?, program))
    };
    start().map_err(|error| eprintln!("go: {error}, left out")).ok()
}

impl Program {
    fn start() -> Result<Self, Box<dyn Error>> {
        let folder = super::lib_dir();
        fs::create_dir_all(&folder)?;
        let path = folder.join("go-rival");
        let built = Command::new("go")
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/go"))
            .args(["build", "-o"])
            .arg(&path)
            .env("GOTOOLCHAIN", "local")
            .status()?;
        if !built.success() {
            return Err("its program was not built".into());
        }
        let mut process = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (requests, answers) = (process.stdin.take(), process.stdout.take());
        Ok(Self { process, requests, answers: BufReader::new(answers.ok_or("it has no standard output")?) })
    }

    /// The next line of its answer.
    pub fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim_end().to_string())
    }

    /// Writes a line of a request.
    pub fn tell(&mut self, request: &str) -> io::Result<()> {
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(requests, "{request}")
    }

    /// Runs the operation of `request` there `n` times; `buffer` is what it leaves. The nanoseconds of CPU
    /// time.
    fn sample(&mut self, request: &str, n: u64, buffer: &mut [u8]) -> Result<f64, Box<dyn Error>> {
        self.tell(&format!("{request} {n}"))?;
        let time = self.line()?.parse()?;
        self.answers.read_exact(buffer)?;
        Ok(time)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.requests = None;
        let _ = self.process.wait();
    }
}

fn prepare(program: &Rc<RefCell<Program>>, case: &Case) -> Option<Op> {
    let (operation, algorithm) = match case.work {
        Work::AesCtr(bits) => ("stream", format!("aes{bits}ctr")),
        Work::ChaCha20 => ("stream", "chacha20".into()),
        Work::Seal(a) => ("seal", a.to_string()),
        Work::SealTo(a) => ("seal-to", a.to_string()),
        Work::Open(a) => ("open", a.to_string()),
        Work::AeadKey(a) => ("key", a.to_string()),
        Work::Poly1305 => ("mac", "poly1305".into()),
        _ => return None,
    };
    let (request, program) = (format!("{operation} {algorithm} {}", case.len), program.clone());
    Some(Op::Elsewhere(Box::new(move |n, buffer| {
        program.borrow_mut().sample(&request, n, buffer).expect("Go's program answers")
    })))
}
