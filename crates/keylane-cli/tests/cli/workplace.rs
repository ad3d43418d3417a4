//! A folder of files, and programs that run in it.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use tempfile::TempDir;

pub(crate) struct Workplace(TempDir);

/// The system's message for a folder that is opened as a file.
pub(crate) const IS_A_FOLDER: &str = if cfg!(windows) { "Permission denied" } else { "Is a directory" };
/// The system's message for a file that is taken for a folder.
pub(crate) const NOT_A_FOLDER: &str =
    if cfg!(windows) { "No such file or directory" } else { "Not a directory" };

/// The options that give a secret, as messages name them: Windows has no descriptors.
pub(crate) fn secret_options(what: &str) -> String {
    if cfg!(windows) { format!("--{what}-file") } else { format!("--{what}-file or --{what}-fd") }
}

/// A text as Windows PowerShell's `>` writes it.
pub(crate) fn powershell(text: &str) -> Vec<u8> {
    format!("\u{feff}{}", text.replace('\n', "\r\n")).encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The result of running a program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Workplace {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// Creates a folder with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let place = Self::new();
        for (name, content) in files {
            place.write(name, content);
        }
        place
    }

    /// Writes a file that only its owner can read, since it may be a key.
    pub(crate) fn write(&self, name: impl AsRef<OsStr>, content: &[u8]) {
        let path = self.0.path().join(name.as_ref());
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.write(true).create(true).truncate(true).open(path).unwrap().write_all(content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path(".")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    /// Runs `keylane` with the words of `arguments`, and nothing on standard input.
    pub(crate) fn keylane(&self, arguments: &str) -> Run {
        self.keylane_with(&arguments.split_whitespace().collect::<Vec<_>>(), b"")
    }

    pub(crate) fn keylane_with<A: AsRef<OsStr>>(&self, arguments: &[A], stdin: &[u8]) -> Run {
        self.run(env!("CARGO_BIN_EXE_keylane"), arguments, stdin).unwrap()
    }

    /// Runs another program. Returns `None` if this machine does not have it, or fails if
    /// `KEYLANE_REQUIRE_TOOLS` is set.
    pub(crate) fn tool(&self, name: &str, arguments: &[&str]) -> Option<Run> {
        let run = self.run(name, arguments, b"");
        if run.is_none() {
            assert!(std::env::var_os("KEYLANE_REQUIRE_TOOLS").is_none(), "{name} is required and not here");
            eprintln!("not run: this machine has no {name}");
        }
        run
    }

    /// Runs a shell's command, in which `$K` is the program. Every Unix has a shell.
    pub(crate) fn shell(&self, command: &str) -> Run {
        let command = format!("K={}; {command}", env!("CARGO_BIN_EXE_keylane"));
        self.tool("sh", &["-c", &command]).expect("a shell")
    }

    /// Runs `keylane` with any bytes. Returns its standard output, and the rest.
    pub(crate) fn keylane_bytes(&self, arguments: &str, stdin: &[u8]) -> (Vec<u8>, Run) {
        let arguments: Vec<_> = arguments.split_whitespace().collect();
        let mut output = self.output(env!("CARGO_BIN_EXE_keylane"), &arguments, stdin).unwrap();
        (std::mem::take(&mut output.stdout), output.into())
    }

    /// Runs `keylane` with any bytes, which must succeed. Returns its standard output.
    pub(crate) fn bytes(&self, arguments: &str, stdin: &[u8]) -> Vec<u8> {
        let (out, run) = self.keylane_bytes(arguments, stdin);
        run.done();
        out
    }

    /// Starts a program with pipes for standard input, output and error.
    pub(crate) fn start<A: AsRef<OsStr>>(&self, program: &str, arguments: &[A]) -> io::Result<Child> {
        Command::new(program)
            .args(arguments)
            .current_dir(self.0.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Runs `keylane … | head -c 4`: it ends without a panic or a message, by SIGPIPE as other commands do.
    #[track_caller]
    pub(crate) fn ends_with_its_reader(&self, arguments: &str) {
        let words: Vec<_> = arguments.split_whitespace().collect();
        let mut child = self.start(env!("CARGO_BIN_EXE_keylane"), &words).unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 4]).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        #[cfg(unix)]
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(13), "{arguments}");
    }

    fn run<A: AsRef<OsStr>>(&self, program: &str, arguments: &[A], stdin: &[u8]) -> Option<Run> {
        self.output(program, arguments, stdin).map(Run::from)
    }

    fn output<A: AsRef<OsStr>>(&self, program: &str, arguments: &[A], stdin: &[u8]) -> Option<Output> {
        let mut child = self.start(program, arguments).ok()?;
        let mut input = child.stdin.take().unwrap();
        thread::scope(|scope| {
            // The program may write before it has read all, or close its input without reading.
            scope.spawn(move || input.write_all(stdin));
            Some(child.wait_with_output().unwrap())
        })
    }
}

/// Returns the peak memory of a running program so far.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory_kib(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    /// Checks that the program succeeded. Returns the output.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        assert_eq!(self.err, "", "{self:?}");
        self.out
    }

    /// Checks the exit status, and that standard error is one line that contains `what`.
    #[track_caller]
    pub(crate) fn fails_with(self, status: i32, what: &str) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        assert!(self.err.starts_with("keylane: ") && self.err.contains(what), "{self:?}");
        self.out
    }
}
