//! Lines that a server prints. A thread of their own writes them: a reader that does not read delays nothing
//! else.

use crate::status::{complain, reason};
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Lines that wait to be written. Further ones are left out, and counted.
const MAX_WAITING: usize = 1024;
/// For the reader to take what waits when the server ends.
const ENDING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Lines {
    queue: mpsc::Sender<Item>,
    left_out: AtomicU64,
    /// Whether to open the output again before the next line.
    reopen: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Item {
    /// Lines that are missing before this one.
    left_out: u64,
    /// With its newline, or empty.
    line: String,
    /// Dropped when the line is written.
    _written: Option<oneshot::Sender<()>>,
}

impl Lines {
    /// Starts the thread. It writes to what `open` returns, which is called `name` in messages.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or the system has no thread.
    pub(crate) fn start<W: Write + Send + 'static>(
        name: String,
        open: impl Fn() -> io::Result<W> + Send + 'static,
    ) -> io::Result<Self> {
        let (queue, items) = mpsc::channel(MAX_WAITING);
        let (to, reopen) = (open()?, Arc::new(AtomicBool::new(false)));
        let wanted = reopen.clone();
        let reopened = move || wanted.swap(false, Ordering::Relaxed).then(&open);
        thread::Builder::new().name("lines".to_owned()).spawn(move || write(&name, to, reopened, items))?;
        Ok(Self { queue, left_out: AtomicU64::new(0), reopen })
    }

    fn item(&self, line: String) -> Item {
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        Item { left_out, line, _written: None }
    }

    /// Leaves the line to the thread, or out.
    pub(crate) fn send(&self, mut line: String) {
        line.push('\n');
        if let Err(TrySendError::Full(item)) = self.queue.try_send(self.item(line)) {
            self.left_out.fetch_add(item.left_out + 1, Ordering::Relaxed);
        }
    }

    /// Opens the output again for the lines that follow: a file that was renamed is left.
    pub(crate) fn reopen(&self) {
        self.reopen.store(true, Ordering::Relaxed);
    }

    /// Waits until all lines are written, but not for long.
    pub(crate) async fn finish(&self) {
        let (written, wait) = oneshot::channel();
        let last = Item { _written: Some(written), ..self.item(String::new()) };
        let _ = timeout(ENDING, async {
            if self.queue.send(last).await.is_ok() {
                let _ = wait.await;
            }
        })
        .await;
    }
}

/// After a failure, such as a full disk, the next line is tried again. That a pipe has no reader is not told:
/// another one may come.
fn write<W: Write>(
    name: &str,
    mut to: W,
    reopened: impl Fn() -> Option<io::Result<W>>,
    mut items: mpsc::Receiver<Item>,
) {
    let mut failed = 0;
    // A line was perhaps written in part.
    let mut partial = false;
    while let Some(Item { left_out, line, _written }) = items.blocking_recv() {
        match reopened() {
            None => {}
            Some(Ok(opened)) => (to, partial) = (opened, false),
            Some(Err(error)) => complain(format_args!("{name}: {}", reason(&error))),
        }
        let missing = left_out + mem::take(&mut failed);
        let begin = if partial { "\n" } else { "" };
        let text =
            if missing > 0 { format!("{begin}{missing} lines are left out here\n{line}") } else { line };
        let written = to.write_all(text.as_bytes()).and_then(|()| to.flush());
        partial = written.is_err();
        if let Err(error) = written {
            if missing == 0 && error.kind() != ErrorKind::BrokenPipe {
                complain(format_args!("{name}: {}", reason(&error)));
            }
            failed = missing + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes only half of its second text.
    struct HalfFull(Vec<u8>, u8);

    impl Write for &mut HalfFull {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            let taken = match self.1 {
                2 => text.len() / 2,
                3 => return Err(ErrorKind::StorageFull.into()),
                _ => text.len(),
            };
            self.0.extend_from_slice(&text[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_follows_half_a_line() {
        let (queue, items) = mpsc::channel(4);
        for line in ["one\n", "two\n", "three\n", "four\n"] {
            queue.try_send(Item { left_out: 0, line: line.to_owned(), _written: None }).unwrap();
        }
        drop(queue);
        let mut to = HalfFull(Vec::new(), 0);
        write("disk", &mut to, || None, items);
        assert_eq!(String::from_utf8(to.0).unwrap(), "one\ntw\n1 lines are left out here\nthree\nfour\n");
    }
}
