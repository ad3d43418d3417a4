//! Lines that a server prints. A thread of their own writes them: a reader that does not read delays nothing
//! else.

use crate::status::{complain, reason};
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Lines that wait to be written. Further ones are left out, and counted.
const MAX_WAITING: usize = 1024;
/// For the reader to take what waits when the server ends.
const ENDING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Lines {
    queue: mpsc::Sender<Item>,
    left_out: AtomicU64,
}

#[derive(Debug)]
struct Item {
    /// Lines that are missing before this one.
    left_out: u64,
    /// With its newline.
    line: String,
    /// Dropped when the line is written.
    _written: Option<oneshot::Sender<()>>,
}

impl Lines {
    /// Starts the thread. What it writes to is called `name` in messages.
    ///
    /// # Errors
    ///
    /// If the system has no thread.
    pub(crate) fn start(name: String, to: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, items) = mpsc::channel(MAX_WAITING);
        thread::Builder::new().name("lines".to_owned()).spawn(move || write(&name, to, items))?;
        Ok(Self { queue, left_out: AtomicU64::new(0) })
    }

    /// Leaves the line to the thread, or out.
    pub(crate) fn send(&self, mut line: String) {
        line.push('\n');
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        if self.queue.try_send(Item { left_out, line, _written: None }).is_err() {
            self.left_out.fetch_add(left_out + 1, Ordering::Relaxed);
        }
    }

    /// Waits until all lines are written, but not for long.
    pub(crate) async fn finish(&self) {
        let (written, wait) = oneshot::channel();
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        let last = Item { left_out, line: String::new(), _written: Some(written) };
        let _ = timeout(ENDING, async {
            if self.queue.send(last).await.is_ok() {
                let _ = wait.await;
            }
        })
        .await;
    }
}

/// Writes until the reader is gone, which ends only the lines. After another failure, such as a full disk, the
/// next line is tried again.
fn write(name: &str, mut to: impl Write, mut items: mpsc::Receiver<Item>) {
    let mut failed = 0;
    while let Some(Item { left_out, line, _written }) = items.blocking_recv() {
        let missing = left_out + mem::take(&mut failed);
        let text = if missing > 0 { format!("{missing} lines are left out here\n{line}") } else { line };
        match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return,
            Err(error) => {
                if missing == 0 {
                    complain(format_args!("{name}: {}", reason(&error)));
                }
                failed = missing + 1;
            }
        }
    }
}
