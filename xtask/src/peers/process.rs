//! Programs that run beside this one: what they print is collected as it comes, nothing waits for ever, and nothing
//! outlives its test.

use crate::steps::shown;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// For whatever is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Of what a program printed, in a transcript: bytes.
const SHOWN: usize = 2000;

/// The programs of one test, for the transcript of its failure.
#[derive(Default)]
pub(crate) struct Stage(RefCell<Vec<Part>>);

struct Part {
    command: String,
    out: Printed,
    err: Printed,
}

impl Stage {
    /// Starts a program, all of whose output is collected.
    pub(crate) fn start(&self, command: &mut Command) -> Result<Process> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {}", shown(command)))?;
        let mut stdin = child.stdin.take().expect("piped");
        let (input, pieces) = mpsc::channel::<Vec<u8>>();
        // A program may not read before it has written.
        thread::spawn(move || {
            for piece in pieces {
                if stdin.write_all(&piece).is_err() {
                    break;
                }
            }
        });
        let out = Printed::collect(child.stdout.take().expect("piped"));
        let err = Printed::collect(child.stderr.take().expect("piped"));
        let part = Part { command: shown(command), out: out.clone(), err: err.clone() };
        self.0.borrow_mut().push(part);
        Ok(Process { name: shown(command), child, input: Some(input), out, err })
    }

    /// Runs a program to its end.
    pub(crate) fn run(&self, command: &mut Command) -> Result<Process> {
        let mut process = self.start(command)?;
        process.end_input();
        process.finish()?;
        Ok(process)
    }

    /// The error with all that was run and printed.
    pub(crate) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        let mut text = format!("{error:#}");
        for part in self.0.borrow().iter() {
            text += &format!("\n$ {}", part.command);
            for (what, printed) in [("stdout", &part.out), ("stderr", &part.err)] {
                let bytes = printed.bytes();
                let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN)..]).into_owned();
                text += &format!("\n--- {what}, {} bytes\n{}", bytes.len(), tail.trim_end());
            }
        }
        anyhow!(text)
    }
}

pub(crate) struct Process {
    name: String,
    child: Child,
    input: Option<mpsc::Sender<Vec<u8>>>,
    pub(crate) out: Printed,
    pub(crate) err: Printed,
}

impl Process {
    /// Sends this to the program's standard input, in the background.
    pub(crate) fn input(&self, bytes: &[u8]) {
        if let Some(input) = &self.input {
            // Fails if the program no longer reads, which its output and its status will tell.
            let _ = input.send(bytes.to_vec());
        }
    }

    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits for the program's end, which has to be a good one.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let status = self.wait()?;
        ensure!(status.success(), "{}: {status}", self.name);
        for printed in [&self.out, &self.err] {
            printed.wait("the end of output", |_, ended| ended)?;
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        bail!("{} has not ended after {} s", self.name, PATIENCE.as_secs());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a program has printed so far.
#[derive(Clone, Default)]
pub(crate) struct Printed(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    ended: bool,
}

impl Printed {
    fn collect(mut from: impl Read + Send + 'static) -> Self {
        let printed = Self::default();
        let collected = printed.clone();
        thread::spawn(move || {
            let mut piece = vec![0; 64 << 10];
            loop {
                let read = from.read(&mut piece).unwrap_or(0);
                let (state, changed) = &*collected.0;
                let mut state = state.lock().expect("no panic");
                state.bytes.extend_from_slice(&piece[..read]);
                state.ended = read == 0;
                changed.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        printed
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.0.lock().expect("no panic").bytes.clone()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Waits until the condition holds for what was printed and for whether that is all.
    fn wait(&self, what: &str, holds: impl Fn(&[u8], bool) -> bool) -> Result<()> {
        let (state, changed) = &*self.0;
        let state = state.lock().expect("no panic");
        let goes_on = |state: &mut State| !state.ended && !holds(&state.bytes, false);
        let (state, _) = changed.wait_timeout_while(state, PATIENCE, goes_on).expect("no panic");
        if holds(&state.bytes, state.ended) {
            return Ok(());
        }
        let why = if state.ended { "the output ended" } else { "time ran out" };
        bail!("waiting for {what}: {why}")
    }

    /// Waits for this text at any place, so often.
    pub(crate) fn wait_for(&self, text: &str, times: usize) -> Result<()> {
        self.wait(text, |bytes, _| String::from_utf8_lossy(bytes).matches(text).count() >= times)
    }

    /// Waits until so many bytes are there and end in these.
    pub(crate) fn wait_for_end(&self, len: usize, end: &[u8]) -> Result<()> {
        self.wait("the payload", |bytes, _| bytes.len() >= len && bytes.ends_with(end))
    }

    /// Waits for a whole line, counted from 0.
    pub(crate) fn line(&self, number: usize) -> Result<String> {
        let what = format!("line {number}");
        self.wait(&what, |bytes, _| bytes.iter().filter(|byte| **byte == b'\n').count() > number)?;
        Ok(self.text().lines().nth(number).context(what)?.to_owned())
    }
}
