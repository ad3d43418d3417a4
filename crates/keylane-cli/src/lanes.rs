//! Hashes many files at once, on all cores and side by side in each core's lanes.

use crate::checksum::Checksum;
use crate::descriptor::{STANDARD, open_input};
use crate::os;
use crate::progress::{Bar, Bars};
use crate::status::quoted;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// The maximum number of files that a thread reads side by side: the widest registers' lanes.
const LANES: usize = 16;
/// The total length of open files from which a thread leaves the next file to others, so that large files
/// spread over all cores.
const MAX_BYTES: u64 = 1 << 20;
/// The length of a lane's buffer: large enough that a read costs little compared with hashing, small enough
/// that all lanes' buffers stay in a core's own cache.
const BUFFER_LEN: usize = 64 << 10;
/// The maximum number of hashed files that wait for an earlier one.
const WINDOW: usize = 1024;

/// Hashes files, each with a clone of `start`, and calls `each` for every file in order with `finish`'s
/// result. Memory depends only on the number of threads.
///
/// Only regular files are read ahead. A pipe is opened when all files before it are done, for which its
/// writer may be waiting.
pub(crate) fn run<F: AsRef<OsStr> + Sync, C: Checksum, R: Send>(
    files: &[F],
    start: &C,
    threads: usize,
    finish: impl Fn(&F, C) -> R + Sync,
    mut each: impl FnMut(&F, io::Result<R>) -> io::Result<()>,
) -> io::Result<()> {
    let most_open = os::most_open();
    let threads = threads.min(files.len()).min(most_open);
    let queue = Queue::new(threads, LANES.min(most_open / threads.max(1)));
    let (bars, finish) = (Bars::new(), &finish);
    let worker = || Worker { queue: &queue, start, finish, bars: &bars }.run();
    thread::scope(|scope| {
        let _end = End(&queue);
        let (mut workers, mut begun) = (0, VecDeque::new());
        for (at, file) in files.iter().enumerate() {
            if begun.len() <= WINDOW / 2 {
                let mut jobs = Vec::new();
                for index in (at + begun.len()..files.len()).take(WINDOW - begun.len()) {
                    let file = &files[index];
                    let len = regular_len(file.as_ref());
                    if len.is_some() && workers < threads && spawn(scope, worker) {
                        workers += 1;
                    }
                    let len = len.filter(|_| workers > 0);
                    jobs.extend(len.map(|len| Job { index, file, len }));
                    begun.push_back(if len.is_some() { Begun::Given } else { Begun::Left });
                }
                queue.push(jobs);
            }
            while let Some(Begun::Given) = begun.front() {
                for (index, done) in queue.wait()? {
                    begun[index - at] = Begun::Done(done);
                }
            }
            let done = match begun.pop_front() {
                Some(Begun::Done(done)) => done,
                _ => hash_alone(file.as_ref(), start).map(|checksum| finish(file, checksum)),
            };
            bars.suspend(|| each(file, done))?;
        }
        Ok(())
    })
}

/// A file's state.
enum Begun<R> {
    /// The file is read when all files before it are done.
    Left,
    /// A thread reads it.
    Given,
    Done(io::Result<R>),
}

/// Returns a regular file's length, `None` for anything else.
fn regular_len(name: &OsStr) -> Option<u64> {
    let metadata = if name == STANDARD { None } else { fs::metadata(name).ok() };
    metadata.filter(fs::Metadata::is_file).map(|metadata| metadata.len())
}

/// Starts a thread and returns whether the system allowed it.
fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> bool {
    thread::Builder::new().spawn_scoped(scope, work).is_ok()
}

fn hash_alone<C: Checksum>(name: &OsStr, start: &C) -> io::Result<C> {
    let mut source = open_input(name)?;
    let mut checksum = start.clone();
    let mut buffer = vec![0; BUFFER_LEN];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(checksum),
            Ok(len) => C::update_many(vec![&mut checksum], &[&buffer[..len]]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The waiting files and the finished ones.
struct Queue<'a, F, R> {
    threads: usize,
    /// The maximum number of files that a thread has open.
    lanes: usize,
    state: Mutex<State<'a, F, R>>,
    pushed: Condvar,
    done: Condvar,
}

struct State<'a, F, R> {
    waiting: VecDeque<Job<'a, F>>,
    /// The number of files that threads have begun and not finished.
    open: usize,
    done: Vec<Done<R>>,
    ended: bool,
}

struct Job<'a, F> {
    index: usize,
    file: &'a F,
    len: u64,
}

/// A file's index and its result.
type Done<R> = (usize, io::Result<R>);

impl<'a, F, R> Queue<'a, F, R> {
    fn new(threads: usize, lanes: usize) -> Self {
        let state = State { waiting: VecDeque::new(), open: 0, done: Vec::new(), ended: false };
        Self { threads, lanes, state: Mutex::new(state), pushed: Condvar::new(), done: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, F, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, jobs: Vec<Job<'a, F>>) {
        self.lock().waiting.extend(jobs);
        self.pushed.notify_all();
    }

    /// Waits for finished files and takes them.
    fn wait(&self) -> io::Result<Vec<Done<R>>> {
        let state = self.done.wait_while(self.lock(), |state| state.done.is_empty() && !state.ended);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.ended { Err(io::Error::other("a thread panicked")) } else { Ok(mem::take(&mut state.done)) }
    }

    /// Takes the results that a thread has in `done`, and returns the files that it begins in addition to the
    /// `held` ones: up to an equal share, so that few files spread over all threads before they share lanes.
    /// Waits if the thread has nothing to do. Returns `None` at the end.
    fn take(&self, held: usize, done: &mut Vec<Done<R>>) -> Option<Vec<Job<'a, F>>> {
        let mut state = self.lock();
        if !done.is_empty() {
            state.open -= done.len();
            state.done.append(done);
            self.done.notify_one();
        }
        loop {
            if state.ended {
                return None;
            }
            let share = (state.waiting.len() + state.open).div_ceil(self.threads).min(self.lanes);
            let (mut count, mut bytes) = (0, 0);
            for job in state.waiting.iter().take(share.saturating_sub(held)) {
                count += 1;
                bytes += job.len;
                if bytes >= MAX_BYTES {
                    break;
                }
            }
            if held + count > 0 {
                state.open += count;
                return Some(state.waiting.drain(..count).collect());
            }
            state = self.pushed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends all threads when it is dropped: at the end, after an error, and if a thread panics.
struct End<'q, 'a, F, R>(&'q Queue<'a, F, R>);

impl<F, R> Drop for End<'_, '_, F, R> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.pushed.notify_all();
        self.0.done.notify_one();
    }
}

struct Worker<'w, 'a, F, C, R, T> {
    queue: &'w Queue<'a, F, R>,
    start: &'w C,
    finish: &'w T,
    bars: &'w Bars,
}

/// A file that is being read.
struct Lane<'a, F, C> {
    job: Job<'a, F>,
    source: File,
    bar: Bar,
    checksum: C,
    buffer: Vec<u8>,
    len: usize,
    end: Option<io::Result<()>>,
}

impl<F: AsRef<OsStr>, C: Checksum, R, T: Fn(&F, C) -> R> Worker<'_, '_, F, C, R, T> {
    fn run(&self) {
        let _end = End(self.queue);
        let (mut lanes, mut buffers, mut done) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(jobs) = self.queue.take(lanes.len(), &mut done) {
            for job in jobs {
                match open_input(job.file.as_ref()) {
                    Ok(source) => lanes.push(Lane {
                        bar: self.bars.of_file(quoted(&job.file), job.len),
                        job,
                        source,
                        checksum: self.start.clone(),
                        buffer: buffers.pop().unwrap_or_else(|| vec![0; BUFFER_LEN]),
                        len: 0,
                        end: None,
                    }),
                    Err(error) => done.push((job.index, Err(error))),
                }
            }
            lanes.iter_mut().for_each(Lane::fill);
            let (checksums, data): (Vec<_>, Vec<_>) =
                lanes.iter_mut().map(|lane| (&mut lane.checksum, &lane.buffer[..lane.len])).unzip();
            C::update_many(checksums, &data);
            for lane in lanes.extract_if(.., |lane| lane.end.is_some()) {
                let end = lane.end.unwrap_or(Ok(()));
                done.push((lane.job.index, end.map(|()| (self.finish)(lane.job.file, lane.checksum))));
                lane.bar.finish_and_clear();
                buffers.push(lane.buffer);
            }
        }
    }
}

impl<F, C> Lane<'_, F, C> {
    /// Fills the buffer, or less at the end of the file.
    fn fill(&mut self) {
        self.len = 0;
        while self.len < self.buffer.len() && self.end.is_none() {
            match self.source.read(&mut self.buffer[self.len..]) {
                Ok(0) => self.end = Some(Ok(())),
                Ok(len) => self.len += len,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.end = Some(Err(error)),
            }
        }
        self.bar.inc(self.len as u64);
    }
}
