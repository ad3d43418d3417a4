//! A line that is typed unseen.

use std::io;
use zeroize::Zeroizing;

/// Returns the bytes as they were typed, without the end of the line. The terminal shows what is typed again,
/// whatever ends the program.
#[cfg(unix)]
pub(crate) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    unix::ask(prompt)
}

#[cfg(not(unix))]
pub(crate) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let line = Zeroizing::new(rpassword::prompt_password(prompt)?);
    // What is no text was replaced: different passphrases would be one.
    if line.contains(char::REPLACEMENT_CHARACTER) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "some of it is not text"));
    }
    Ok(Zeroizing::new(line.as_bytes().to_vec()))
}

#[cfg(unix)]
mod unix {
    use crate::signals::Watch;
    use rustix::termios::{
        LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr,
    };
    use std::fs::{File, OpenOptions};
    use std::io::{self, ErrorKind, Read, Write};
    use std::os::fd::AsFd;
    use zeroize::Zeroizing;

    /// The longest line that Linux keeps, its end included. It drops the rest silently.
    const LINE_LEN: usize = 4096;

    pub(super) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
        let (input, mut output) = open()?;
        let unseen = Unseen::new(&input)?;
        output.write_all(prompt.as_bytes())?;
        // Reserved at once: a buffer that grew would leave copies behind.
        let mut line = Zeroizing::new(vec![0; LINE_LEN]);
        let len = read_line(&input, &mut line)?;
        if len >= LINE_LEN - 1 {
            // A shell must not run the rest of it as a command.
            tcflush(&input, QueueSelector::IFlush)?;
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "a terminal takes at most 4094 bytes: put it into a file",
            ));
        }
        line.truncate(len);
        drop(unseen);
        Ok(line)
    }

    /// The terminal that the program was started at, wherever its input and output go.
    fn open() -> io::Result<(File, File)> {
        match OpenOptions::new().read(true).write(true).open("/dev/tty") {
            Ok(terminal) => Ok((terminal.try_clone()?, terminal)),
            Err(_) => {
                let file = |descriptor: &dyn AsFd| descriptor.as_fd().try_clone_to_owned().map(File::from);
                Ok((file(&io::stdin())?, file(&io::stderr())?))
            }
        }
    }

    /// The length without the end of the line; all of `line` if that is not in it.
    fn read_line(mut input: &File, line: &mut [u8]) -> io::Result<usize> {
        let mut len = 0;
        while len < line.len() {
            let read = match input.read(&mut line[len..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            let end = line[len..len + read].iter().position(|&byte| byte == b'\n');
            len += end.unwrap_or(read);
            // Ctrl-D reads nothing.
            if end.is_some() || read == 0 {
                break;
            }
        }
        Ok(len)
    }

    /// A terminal that does not show what is typed.
    struct Unseen<'a> {
        terminal: &'a File,
        before: Termios,
        _watch: Watch,
    }

    impl<'a> Unseen<'a> {
        fn new(terminal: &'a File) -> io::Result<Self> {
            let before = tcgetattr(terminal)?;
            let mut unseen = before.clone();
            unseen.local_modes.remove(LocalModes::ECHO);
            // The end of the line is still shown.
            unseen.local_modes.insert(LocalModes::ECHONL);
            let ((), watch) = Watch::over(|| {
                let (terminal_then, before) = (terminal.try_clone()?, before.clone());
                tcsetattr(terminal, OptionalActions::Now, &unseen)?;
                Ok(((), Box::new(move || restore(&terminal_then, &before))))
            })?;
            Ok(Self { terminal, before, _watch: watch })
        }
    }

    impl Drop for Unseen<'_> {
        fn drop(&mut self) {
            restore(self.terminal, &self.before);
        }
    }

    /// An error means that the terminal is gone.
    fn restore(terminal: &File, before: &Termios) {
        let _ = tcsetattr(terminal, OptionalActions::Now, before);
    }
}
