//! Go's standard library and golang.org/x/crypto: the program in `go/`, built when Go is installed and kept running
//! beside this one. It measures itself; it inherits the core that this process is pinned to. The program in `go/tls` is
//! started in the same way.
use crate::{Op, Rival, case::*};
use std::{
    cell::RefCell,
    error::Error,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    rc::Rc,
};

/// Go's standard library and golang.org/x/crypto.
pub struct Go {
    version: String,
    program: Rc<RefCell<Program>>,
}

/// A Go program that answers requests, line by line. The first line that it writes is Go's version.
pub struct Program {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// Go, if it is installed.
pub fn found() -> Option<Box<dyn Rival>> {
    let (version, program) = start(".", "go-rival")?;
    Some(Box::new(Go { version, program: Rc::new(RefCell::new(program)) }))
}

/// Builds and starts the program in a folder of `go/`, if Go is installed: its version, and the program.
pub fn start(package: &str, name: &str) -> Option<(String, Program)> {
    Command::new("go").arg("version").output().ok()?;
    let start = || {
        let mut program = Program::start(package, name)?;
        Ok::<_, Box<dyn Error>>((program.line()?, program))
    };
    start().map_err(|error| eprintln!("go: {error}, left out")).ok()
}

impl Program {
    fn start(package: &str, name: &str) -> Result<Self, Box<dyn Error>> {
        let folder = super::lib_dir();
        fs::create_dir_all(&folder)?;
        let path = folder.join(name);
        let built = Command::new("go")
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/go"))
            .args(["build", "-o"])
            .args([&path, Path::new(package)])
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

    /// Runs the operation of `request` there `n` times; `buffer` is what it leaves. The nanoseconds of CPU time.
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

impl Rival for Go {
    fn name(&self) -> String {
        "go".into()
    }
    fn version(&self) -> String {
        self.version.clone()
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        let (operation, algorithm, len) = match *case {
            Case::AesCtr { bits: 128, len } => ("stream", "aes128ctr", len),
            Case::AesCtr { len, .. } => ("stream", "aes256ctr", len),
            Case::ChaCha20 { len } => ("stream", "chacha20", len),
            Case::Seal { a, len } => ("seal", a.name(), len),
            Case::SealTo { a, len } => ("seal-to", a.name(), len),
            Case::Open { a, len } => ("open", a.name(), len),
            Case::AeadKey { a } => ("key", a.name(), 0),
            Case::Poly1305 { len } => ("mac", "poly1305", len),
            _ => return None,
        };
        let (request, program) = (format!("{operation} {algorithm} {len}"), self.program.clone());
        Some(Op::Elsewhere(Box::new(move |n, buffer| {
            program.borrow_mut().sample(&request, n, buffer).expect("Go's program answers")
        })))
    }
}
