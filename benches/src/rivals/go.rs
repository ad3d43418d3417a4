//! Go's standard library: the program in `go/`, built when Go is installed and kept running beside this one. It measures
//! itself; it inherits the core that this process is pinned to.
use crate::{Op, Rival, case::*};
use std::{
    cell::RefCell,
    error::Error,
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    rc::Rc,
};

/// Go's standard library.
pub struct Go {
    version: String,
    program: Rc<RefCell<Program>>,
}

struct Program {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// Go, if it is installed.
pub fn found() -> Option<Box<dyn Rival>> {
    Command::new("go").arg("version").output().ok()?;
    match start() {
        Ok(go) => Some(Box::new(go)),
        Err(error) => {
            eprintln!("go: {error}, left out");
            None
        }
    }
}

/// Builds and starts the program.
fn start() -> Result<Go, Box<dyn Error>> {
    let folder = super::lib_dir();
    fs::create_dir_all(&folder)?;
    let path = folder.join("go-rival");
    let built = Command::new("go")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/go"))
        .args(["build", "-o"])
        .arg(&path)
        // Nothing but the standard library is used: nothing is fetched.
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local")
        .status()?;
    if !built.success() {
        return Err("its program was not built".into());
    }
    let mut process = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (requests, answers) = (process.stdin.take(), process.stdout.take());
    let mut program =
        Program { process, requests, answers: BufReader::new(answers.ok_or("it has no standard output")?) };
    let version = program.line()?;
    Ok(Go { version, program: Rc::new(RefCell::new(program)) })
}

impl Program {
    fn line(&mut self) -> Result<String, std::io::Error> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim_end().to_string())
    }

    /// Runs `operation` there `n` times; `buffer` is what it leaves. The nanoseconds of CPU time.
    fn sample(&mut self, operation: &str, n: u64, buffer: &mut [u8]) -> Result<f64, Box<dyn Error>> {
        let requests = self.requests.as_mut().ok_or("it has no standard input")?;
        writeln!(requests, "{operation} {n}")?;
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
        let (name, bits, len) = match *case {
            Case::AesCtr { bits, len } => ("ctr", bits, len),
            Case::Seal { a, len } => ("seal", gcm_bits(a)?, len),
            Case::SealTo { a, len } => ("seal-to", gcm_bits(a)?, len),
            Case::Open { a, len } => ("open", gcm_bits(a)?, len),
            Case::AeadKey { a } => ("key", gcm_bits(a)?, 0),
            _ => return None,
        };
        let (operation, program) = (format!("{name} {bits} {len}"), self.program.clone());
        Some(Op::Elsewhere(Box::new(move |n, buffer| {
            program.borrow_mut().sample(&operation, n, buffer).expect("Go's program answers")
        })))
    }
}

fn gcm_bits(a: Aead) -> Option<usize> {
    (a != Aead::ChaChaPoly).then(|| 8 * a.key().len())
}
