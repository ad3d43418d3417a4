//! Many files at once: on all cores, and on each side by side in lanes.

use crate::checksum::Checksum;
use crate::progress::{Bar, Bars};
use crate::stream::STDIN;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// The most files that a thread reads side by side: the lanes of the widest registers.
const LANES: usize = 16;
/// The most open files: a program may have 256 of them on macOS, 1024 on Linux.
const MOST_OPEN: usize = 200;
/// Large enough that a read costs nothing beside the hashing, small enough that those of all lanes stay in a core's
/// own cache.
const BUFFER_LEN: usize = 64 << 10;
/// The most files that are hashed and wait for one before them.
const WINDOW: usize = 1024;

/// Hashes files from `start` on, and calls `each` with every file in order and what `finish` returned for it. The
/// memory depends on the number of threads alone, not on the files.
///
/// Only regular files are read ahead. A pipe is opened when all files before it are done: whoever writes into it
/// may be waiting for that.
pub(crate) fn run<F: AsRef<OsStr> + Sync, C: Checksum, R: Send>(
    files: &[F],
    start: &C,
    threads: usize,
    finish: impl Fn(&F, C) -> R + Sync,
    mut each: impl FnMut(&F, io::Result<R>) -> io::Result<()>,
) -> io::Result<()> {
    let threads = threads.min(files.len()).min(MOST_OPEN);
    let queue = Queue::new(threads);
    let (bars, finish) = (Bars::new(), &finish);
    let worker = || Worker { queue: &queue, start, finish, bars: &bars }.run();
    thread::scope(|scope| {
        let _end = End(&queue);
        let (mut workers, mut rest, mut begun) = (0, files.iter(), VecDeque::new());
        loop {
            for file in rest.by_ref().take(WINDOW - begun.len()) {
                let len = regular_len(file.as_ref());
                if len.is_some() && workers < threads && spawn(scope, worker) {
                    workers += 1;
                }
                let reply = len.filter(|_| workers > 0).map(|len| queue.push(file, len));
                begun.push_back((file, reply));
            }
            let Some((file, reply)) = begun.pop_front() else { return Ok(()) };
            let done = match reply {
                Some(reply) => reply.recv().map_err(io::Error::other)?,
                None => hash_alone(file.as_ref(), start).map(|checksum| finish(file, checksum)),
            };
            bars.suspend(|| each(file, done))?;
        }
    })
}

/// `None` for what is not a regular file.
fn regular_len(name: &OsStr) -> Option<u64> {
    let metadata = if name == STDIN { None } else { fs::metadata(name).ok() };
    metadata.filter(fs::Metadata::is_file).map(|metadata| metadata.len())
}

/// Whether the system lets the program have one more thread.
fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> bool {
    thread::Builder::new().spawn_scoped(scope, work).is_ok()
}

fn hash_alone<C: Checksum>(name: &OsStr, start: &C) -> io::Result<C> {
    let mut source: Box<dyn Read> =
        if name == STDIN { Box::new(io::stdin().lock()) } else { Box::new(File::open(name)?) };
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

/// The files that wait for a thread.
struct Queue<'a, F, R> {
    threads: usize,
    state: Mutex<State<'a, F, R>>,
    changed: Condvar,
}

struct State<'a, F, R> {
    waiting: VecDeque<Job<'a, F, R>>,
    /// Files that the threads have begun and not ended.
    open: usize,
    ended: bool,
}

struct Job<'a, F, R> {
    file: &'a F,
    len: u64,
    reply: SyncSender<io::Result<R>>,
}

impl<'a, F, R> Queue<'a, F, R> {
    fn new(threads: usize) -> Self {
        let state = State { waiting: VecDeque::new(), open: 0, ended: false };
        Self { threads, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, F, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, file: &'a F, len: u64) -> Receiver<io::Result<R>> {
        let (reply, receiver) = sync_channel(1);
        let mut state = self.lock();
        if !state.ended {
            state.waiting.push_back(Job { file, len, reply });
            self.changed.notify_one();
        }
        receiver
    }

    /// Returns the files that a thread begins, which has ended `ended` files since it last asked and holds `held`
    /// others: up to an equal share, so that few files go to all threads before they go to lanes. Waits if the
    /// thread has nothing to do. Returns `None` at the end.
    fn take(&self, held: usize, ended: usize) -> Option<Vec<Job<'a, F, R>>> {
        let lanes = LANES.min(MOST_OPEN / self.threads);
        let mut state = self.lock();
        state.open -= ended;
        loop {
            if state.ended {
                return None;
            }
            let share = (state.waiting.len() + state.open).div_ceil(self.threads).min(lanes);
            let count = share.saturating_sub(held).min(state.waiting.len());
            if held + count > 0 {
                state.open += count;
                return Some(state.waiting.drain(..count).collect());
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends all threads when it is dropped: at the end, at an error and where one of them panics.
struct End<'q, 'a, F, R>(&'q Queue<'a, F, R>);

impl<F, R> Drop for End<'_, '_, F, R> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        // Whoever waits for one of these learns that it will not come.
        state.waiting.clear();
        self.0.changed.notify_all();
    }
}

struct Worker<'w, 'a, F, C, R, T> {
    queue: &'w Queue<'a, F, R>,
    start: &'w C,
    finish: &'w T,
    bars: &'w Bars,
}

/// A file that is read.
struct Lane<'a, F, C, R> {
    job: Job<'a, F, R>,
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
        let (mut lanes, mut buffers, mut ended) = (Vec::new(), Vec::new(), 0);
        while let Some(jobs) = self.queue.take(lanes.len(), ended) {
            ended = 0;
            for job in jobs {
                match File::open(job.file.as_ref()) {
                    Ok(source) => lanes.push(Lane {
                        bar: self.bars.of_file(job.file.as_ref(), job.len),
                        job,
                        source,
                        checksum: self.start.clone(),
                        buffer: buffers.pop().unwrap_or_else(|| vec![0; BUFFER_LEN]),
                        len: 0,
                        end: None,
                    }),
                    Err(error) => {
                        // Whoever waits for it is gone if this fails.
                        let _ = job.reply.send(Err(error));
                        ended += 1;
                    }
                }
            }
            lanes.iter_mut().for_each(Lane::fill);
            let (checksums, data): (Vec<_>, Vec<_>) =
                lanes.iter_mut().map(|lane| (&mut lane.checksum, &lane.buffer[..lane.len])).unzip();
            C::update_many(checksums, &data);
            for lane in lanes.extract_if(.., |lane| lane.end.is_some()) {
                let done = lane.end.unwrap_or(Ok(())).map(|()| (self.finish)(lane.job.file, lane.checksum));
                lane.bar.finish_and_clear();
                let _ = lane.job.reply.send(done);
                buffers.push(lane.buffer);
                ended += 1;
            }
        }
    }
}

impl<F, C, R> Lane<'_, F, C, R> {
    /// Fills the buffer, but at the end of the file.
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
