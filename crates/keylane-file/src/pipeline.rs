//! The threads. Each reads a batch of chunks, seals or opens it, waits for its turn and writes it.

use crate::chunks::{Chunks, Direction};
use crate::source::{Batch, Source};
use crate::{CHUNK_LEN, Error, TAG_LEN};
use keylane_cpu::wipe::wipe;
use std::io::Write;
use std::mem;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Scope};

/// The length of a batch's text, in bytes: the batch and its result fit in a core's own cache.
const BATCH_TEXT_LEN: usize = 1 << 18;
const CHUNKS_IN_BATCH: usize = BATCH_TEXT_LEN / CHUNK_LEN;
const BATCH_LEN: usize = CHUNKS_IN_BATCH * (CHUNK_LEN + TAG_LEN);
/// The maximum number of threads. Since one thread writes at a time, more would only wait.
const MAX_THREADS: usize = 256;

/// The choices of every run.
pub(crate) struct Run<'a> {
    /// 0: as many as there are cores.
    pub(crate) threads: usize,
    /// Called with the number of text bytes that are done.
    pub(crate) progress: Box<dyn FnMut(u64) + Send + 'a>,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self { threads: 0, progress: Box::new(|_| ()) }
    }
}

impl Run<'_> {
    /// Seals or opens the chunks of `source` and returns the length of the text in bytes.
    pub(crate) fn convert(
        self,
        direction: Direction,
        chunks: &Chunks,
        source: &dyn Source,
        writer: &mut (dyn Write + Send),
    ) -> Result<u64, Error> {
        let threads = NonZeroUsize::new(self.threads).or_else(|| thread::available_parallelism().ok());
        let threads = threads.map_or(1, NonZeroUsize::get).min(MAX_THREADS);
        let output = Output { writer, progress: self.progress, turn: 0, text_len: 0, error: None };
        let pipeline = Pipeline {
            chunks,
            direction,
            source,
            output: Mutex::new(output),
            turns: (0..threads).map(|_| Condvar::new()).collect(),
            stopped: AtomicBool::new(false),
        };
        thread::scope(|scope| pipeline.work(scope, 1));
        let output = pipeline.output.into_inner().expect("a panic has gone up from the threads' scope");
        let flushed = output.writer.flush().map_err(Error::Write);
        output.error.map_or(flushed, Err).map(|()| output.text_len)
    }
}

struct Pipeline<'a> {
    chunks: &'a Chunks,
    direction: Direction,
    source: &'a dyn Source,
    output: Mutex<Output<'a>>,
    /// The writer of batch `n` waits on `turns[n % threads]`. Each thread holds at most one batch, and all
    /// earlier batches have been written, so no two wait on the same one.
    turns: Vec<Condvar>,
    /// Whether the end was written, an error occurred, or a thread panicked. Set with the output's lock held.
    stopped: AtomicBool,
}

struct Output<'a> {
    writer: &'a mut (dyn Write + Send),
    progress: Box<dyn FnMut(u64) + Send + 'a>,
    /// The batch that is written next.
    turn: u64,
    text_len: u64,
    error: Option<Error>,
}

impl Pipeline<'_> {
    /// Runs one thread's loop. Its first batch that is not the end of the input starts the next thread.
    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, thread: usize) {
        let _guard = StopOnPanic(self);
        let mut buffers = Buffers::new();
        let mut may_start = thread < self.turns.len();
        while let Some(batch) = self.read(&mut buffers) {
            if may_start && !batch.ends {
                may_start = false;
                // If the system has no more threads to give, those that run do the work.
                let _ = thread::Builder::new().spawn_scoped(scope, move || self.work(scope, thread + 1));
            }
            let (number, ends) = (batch.number, batch.ends);
            let converted = self.convert(batch, &mut buffers);
            if !self.write(number, ends, converted, &buffers.output) {
                break;
            }
        }
    }

    /// Reads the next batch, if there is one and nothing has failed.
    fn read(&self, buffers: &mut Buffers) -> Option<Batch> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let len = CHUNKS_IN_BATCH * (CHUNK_LEN + self.direction.input_tag_len());
        // If the reader panics, all of the buffers are wiped.
        let before = mem::replace(&mut buffers.used, BATCH_LEN);
        let batch = self.source.next(&mut buffers.input[..=len]);
        let read = batch.as_ref().map_or(Ok(&0), |batch| batch.len.as_ref());
        // The result may be longer than the input by the tags.
        let used = read.map_or(BATCH_LEN, |len| len + BATCH_LEN - BATCH_TEXT_LEN);
        buffers.used = before.max(used.min(BATCH_LEN));
        batch
    }

    fn convert(&self, batch: Batch, buffers: &mut Buffers) -> Converted {
        let (input_tag_len, output_tag_len) =
            (self.direction.input_tag_len(), self.direction.output_tag_len());
        let mut converted = Converted { len: 0, text_len: 0, error: None };
        let input = match batch.len {
            Ok(len) => &buffers.input[..len],
            Err(error) => return Converted { error: Some(Error::Read(error)), ..converted },
        };
        let chunk_len = CHUNK_LEN + input_tag_len;
        // An empty text has one chunk.
        let count = input.len().div_ceil(chunk_len).max(1);
        for i in 0..count {
            let rest = &input[i * chunk_len..];
            let chunk = &rest[..rest.len().min(chunk_len)];
            let Some(text_len) = chunk.len().checked_sub(input_tag_len) else {
                return Converted { error: Some(Error::Truncated), ..converted };
            };
            let output = &mut buffers.output[converted.len..][..text_len + output_tag_len];
            let (number, last) =
                (batch.number * CHUNKS_IN_BATCH as u64 + i as u64, batch.ends && i + 1 == count);
            if let Err(error) = self.chunks.convert(self.direction, number, last, chunk, output) {
                return Converted { error: Some(error), ..converted };
            }
            converted.len += output.len();
            converted.text_len += text_len as u64;
        }
        converted
    }

    /// Waits until all earlier batches have been written and writes this one. Returns whether to continue.
    fn write(&self, number: u64, ends: bool, converted: Converted, bytes: &[u8]) -> bool {
        // The lock is poisoned: a thread panicked and has ended all threads.
        let Ok(mut output) = self.output.lock() else { return false };
        while output.turn != number {
            if self.stopped.load(Ordering::Relaxed) {
                return false;
            }
            output = match self.turn(number).wait(output) {
                Ok(output) => output,
                Err(_) => return false,
            };
        }
        output.error = match output.write(&bytes[..converted.len], converted.text_len) {
            Ok(()) => converted.error,
            Err(error) => Some(error),
        };
        if ends || output.error.is_some() {
            self.stop();
            return false;
        }
        output.turn += 1;
        drop(output);
        self.turn(number + 1).notify_one();
        true
    }

    fn turn(&self, number: u64) -> &Condvar {
        &self.turns[(number % self.turns.len() as u64) as usize]
    }

    /// Ends all threads. The caller holds the output's lock, so a thread about to wait sees this or is woken.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.turns.iter().for_each(Condvar::notify_all);
    }
}

/// The outcome of a batch: the bytes are in the thread's buffer.
struct Converted {
    len: usize,
    text_len: u64,
    /// The error that ended the batch after these bytes.
    error: Option<Error>,
}

impl Output<'_> {
    fn write(&mut self, bytes: &[u8], text_len: u64) -> Result<(), Error> {
        self.writer.write_all(bytes).map_err(Error::Write)?;
        self.text_len += text_len;
        (self.progress)(self.text_len);
        Ok(())
    }
}

/// A batch with the byte after it, and the result. One of the two is plaintext.
struct Buffers {
    input: Box<[u8]>,
    output: Box<[u8]>,
    /// The number of bytes that may have been written in each.
    used: usize,
}

impl Buffers {
    fn new() -> Self {
        // Pages of zeros from the allocator cost nothing until they are touched.
        let buffer = |len| vec![0; len].into_boxed_slice();
        Self { input: buffer(BATCH_LEN + 1), output: buffer(BATCH_LEN), used: 0 }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // `=` includes the byte after the batch.
        wipe(&mut self.input[..=self.used]);
        wipe(&mut self.output[..self.used]);
    }
}

/// Stops all threads if one panics: the others would wait for its batch.
struct StopOnPanic<'p, 'a>(&'p Pipeline<'a>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _output = self.0.output.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::FileKey;
    use crate::source::Stream;
    use crate::{Algorithm, Header, Key, KeySource};

    /// A single late batch, since no test can read 256 TiB.
    #[test]
    fn numbers_of_chunks() {
        let header = Header::new(Algorithm::Aes256Gcm, KeySource::KeyFile, &[5; 32]).unwrap();
        let chunks = &Chunks::new(&header, &FileKey::derive(Key::File(&[7; 32]), &header).unwrap());
        for number in [0, 1, 1 << 28, (1 << 28) + 1, (1 << 30) - 1] {
            let mut expected = [0; 21];
            chunks.convert(Direction::Seal, 4 * number, true, b"chunk", &mut expected).unwrap();
            let writer = &mut Vec::new();
            let output = Output { writer, progress: Box::new(|_| ()), turn: 0, text_len: 0, error: None };
            let pipeline = Pipeline {
                chunks,
                direction: Direction::Seal,
                source: &Stream::new(&[][..]),
                output: Mutex::new(output),
                turns: Vec::new(),
                stopped: AtomicBool::new(false),
            };
            let mut buffers = Buffers::new();
            buffers.input[..5].copy_from_slice(b"chunk");
            let converted = pipeline.convert(Batch { number, len: Ok(5), ends: true }, &mut buffers);
            assert!(converted.error.is_none() && buffers.output[..converted.len] == expected, "{number}");
        }
    }
}
