//! Reads a typed line without showing it.

use std::io;
use zeroize::Zeroizing;

/// Returns the typed bytes without the end of the line. The terminal's echo is restored, whatever ends the
/// program. After a stop, the prompt is repeated and earlier input is dropped.
#[cfg(unix)]
pub(crate) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    unix::ask(prompt)
}

#[cfg(not(unix))]
pub(crate) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let line = Zeroizing::new(rpassword::prompt_password(prompt)?);
    // Invalid text was replaced, so that different passphrases would become equal.
    if line.contains(char::REPLACEMENT_CHARACTER) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not valid text"));
    }
    Ok(Zeroizing::new(line.as_bytes().to_vec()))
}

#[cfg(unix)]
mod unix {
    use crate::signals::Watch;
    use rustix::termios::{
        LocalModes, OptionalActions, QueueSelector, Termios, tcdrain, tcflush, tcgetattr, tcsetattr,
    };
    use std::fs::{File, OpenOptions};
    use std::io::{self, ErrorKind, Read, Write};
    use std::os::fd::AsFd;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use zeroize::Zeroizing;

    /// The length of the longest line that Linux keeps, its end included. Linux drops the rest silently.
    const LINE_LEN: usize = 4096;

    pub(super) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
        let (input, output) = open()?;
        // In the background, the terminal has the shell's modes: this call stops the program until it has the
        // terminal.
        tcdrain(&input)?;
        let before = tcgetattr(&input)?;
        let is_repeated = AtomicBool::new(false);
        let prompt = Arc::new(Prompt { text: prompt.to_owned(), input, output, before, is_repeated });
        let ((), watch) = Watch::over(|| {
            prompt.hide(OptionalActions::Now)?;
            let (undone, redone) = (prompt.clone(), prompt.clone());
            Ok(((), Box::new(move || undone.restore()), Box::new(move || redone.repeat())))
        })?;
        let line = prompt.show().and_then(|()| prompt.read_line());
        watch.end(|| prompt.restore());
        line
    }

    /// Opens the program's terminal, even if input and output are redirected.
    fn open() -> io::Result<(File, File)> {
        match OpenOptions::new().read(true).write(true).open("/dev/tty") {
            Ok(terminal) => Ok((terminal.try_clone()?, terminal)),
            Err(_) => {
                let file = |descriptor: &dyn AsFd| descriptor.as_fd().try_clone_to_owned().map(File::from);
                Ok((file(&io::stdin())?, file(&io::stderr())?))
            }
        }
    }

    /// A prompt at a terminal whose echo is off.
    struct Prompt {
        text: String,
        input: File,
        output: File,
        before: Termios,
        /// Whether [`read_line`](Self::read_line) has to begin again.
        is_repeated: AtomicBool,
    }

    impl Prompt {
        fn hide(&self, when: OptionalActions) -> io::Result<()> {
            let mut unseen = self.before.clone();
            unseen.local_modes.remove(LocalModes::ECHO);
            // The end of the line is still shown.
            unseen.local_modes.insert(LocalModes::ECHONL);
            Ok(tcsetattr(&self.input, when, &unseen)?)
        }

        fn show(&self) -> io::Result<()> {
            (&self.output).write_all(self.text.as_bytes())
        }

        /// Repeats the prompt after a stop, during which a shell may have switched the echo on. Earlier input
        /// is dropped, since it may have been shown.
        fn repeat(&self) {
            self.is_repeated.store(true, Ordering::SeqCst);
            let _ = self.hide(OptionalActions::Flush).and_then(|()| self.show());
        }

        /// Restores the echo. An error means that the terminal is gone.
        fn restore(&self) {
            let _ = tcsetattr(&self.input, OptionalActions::Now, &self.before);
        }

        fn read_line(&self) -> io::Result<Zeroizing<Vec<u8>>> {
            // Allocated at once: a growing buffer would leave copies behind.
            let mut line = Zeroizing::new(vec![0; LINE_LEN]);
            let mut len = 0;
            while len < line.len() {
                let read = match (&self.input).read(&mut line[len..]) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read?,
                };
                if self.is_repeated.swap(false, Ordering::SeqCst) {
                    line.copy_within(len..len + read, 0);
                    len = 0;
                }
                let end = line[len..len + read].iter().position(|&byte| byte == b'\n');
                len += end.unwrap_or(read);
                // Ctrl-D reads nothing.
                if end.is_some() || read == 0 {
                    break;
                }
            }
            if len >= LINE_LEN - 1 {
                // A shell must not run the rest of it as a command.
                tcflush(&self.input, QueueSelector::IFlush)?;
                return Err(io::Error::new(
                    ErrorKind::InvalidInput,
                    "a terminal takes at most 4094 bytes: use a file",
                ));
            }
            line.truncate(len);
            Ok(line)
        }
    }
}
