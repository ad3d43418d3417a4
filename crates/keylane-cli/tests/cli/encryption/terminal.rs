//! Prompts and progress bars at a terminal, which `script` or the test provides.

use super::{encrypted, place};
use crate::workplace::{Run, Workplace};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// Runs `keylane` at a terminal where `typed` is typed. `out` is what the terminal shows.
fn at_terminal(place: &Workplace, arguments: &str, typed: &str) -> Option<Run> {
    place.tool("script", &["-V"])?;
    Some(place.shell(&format!("printf '{typed}' | script -qec \"$K {arguments}\" /dev/null")))
}

#[test]
fn a_new_secret_is_asked_for_twice() {
    let place = place();
    place.write("text", b"text");
    place.write("typed", b"typed by hand");
    let derive = "derive pbkdf2 --hash sha256 --iterations 1000 --length 16 --salt-hex 73616c74";
    let derived = place.keylane(&format!("{derive} --password-file typed")).done();
    for (what, command, option, shown) in [
        ("passphrase", "encrypt text -o file --force", "--passphrase", ""),
        ("password", derive, "--password-trim-newline", derived.trim()),
    ] {
        for option in ["", option] {
            let command = format!("{command} {option}");
            let Some(run) = at_terminal(&place, &command, r"typed by hand\ntyped by hand\n") else { return };
            let prompts = [format!("{what}: "), format!("{what} again: ")];
            assert_eq!(run.status, 0, "{run:?}");
            assert!(
                prompts.iter().all(|prompt| run.out.contains(prompt)) && run.out.contains(shown),
                "{run:?}"
            );
            if what == "passphrase" {
                assert_eq!(place.keylane("decrypt -c --passphrase-file typed file").done(), "text");
                let decrypt = format!("decrypt {option} file -o out --force");
                let run = at_terminal(&place, &decrypt, r"typed by hand\n").unwrap();
                assert!(run.status == 0 && run.out.contains("passphrase: "), "{run:?}");
                assert!(!run.out.contains("again") && place.read("out") == b"text", "{run:?}");
            }
        }
        let command = command.replace("-o file --force", "-o new");
        let run = at_terminal(&place, &command, r"typed by hand\ntyped by foot\n").unwrap();
        assert_eq!(run.status, 2);
        assert!(run.out.contains(&format!("keylane: the {what} differed the second time")), "{run:?}");
        assert!(!place.path("new").exists());
    }
}

/// The other side of a terminal.
struct Typist {
    hands: File,
    child: Child,
    seen: Vec<u8>,
}

impl Typist {
    fn new(place: &Workplace, arguments: &str) -> Self {
        Self::at(place, env!("CARGO_BIN_EXE_keylane"), arguments)
    }

    /// Starts a program. Needs util-linux and GNU's env.
    fn at(place: &Workplace, program: &str, arguments: &str) -> Self {
        Self::sees_columns(place, program, arguments, 80, "C")
    }

    /// Starts a program at a terminal of this width.
    fn sees_columns(place: &Workplace, program: &str, arguments: &str, columns: u16, locale: &str) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let hands = openpt(flags).unwrap();
        grantpt(&hands).unwrap();
        unlockpt(&hands).unwrap();
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&hands, size).unwrap();
        let screen = || ioctl_tiocgptpeer(&hands, flags).unwrap();
        // Before the command, which may stop the echo at once.
        assert!(tcgetattr(&hands).unwrap().local_modes.contains(LocalModes::ECHO));
        let child = Command::new("setsid")
            .args(["--ctty", "env", "--default-signal", program])
            .args(arguments.split(' '))
            .current_dir(place.path("."))
            .envs([("LC_ALL", locale), ("HOME", "."), ("PS1", "next: ")])
            .stdin(screen())
            .stdout(screen())
            .stderr(screen())
            .spawn()
            .unwrap();
        Self { hands: hands.into(), child, seen: Vec::new() }
    }

    /// Waits for `prompt`.
    #[track_caller]
    fn sees(&mut self, prompt: &str) {
        while !self.seen.ends_with(prompt.as_bytes()) {
            let mut byte = [0];
            // Reading fails when the program has ended.
            let read = self.hands.read(&mut byte).unwrap_or(0);
            assert_eq!(read, 1, "{:?}", String::from_utf8_lossy(&self.seen));
            self.seen.push(byte[0]);
        }
    }

    /// Returns the number of bytes that the program has read.
    fn has_read(&self) -> u64 {
        let read = fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap();
        read.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
    }

    /// Types a text and Ctrl-D, and waits until the program has read it.
    fn hands_over(&mut self, text: &str) {
        let before = self.has_read();
        self.types(format!("{text}\x04").as_bytes());
        while self.has_read() < before + text.len() as u64 {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn types(&mut self, bytes: &[u8]) {
        self.hands.write_all(bytes).unwrap();
    }

    fn sees_what_is_typed(&self) -> bool {
        tcgetattr(&self.hands).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    /// Returns what the terminal shows to the end, and the program's status or signal.
    fn leaves(mut self) -> (String, i32) {
        let mut byte = [0];
        while matches!(self.hands.read(&mut byte), Ok(1)) {
            self.seen.push(byte[0]);
            assert!(!self.seen.ends_with(b"again: "), "it waits for more");
        }
        let status = self.child.wait().unwrap();
        assert!(self.sees_what_is_typed());
        let ended = status.code().or_else(|| status.signal().map(|signal| -signal)).unwrap();
        (String::from_utf8_lossy(&self.seen).into_owned(), ended)
    }
}

/// Even in Latin-1, with a tab or an escape.
#[test]
fn a_passphrase_is_the_bytes_that_are_typed() {
    let place = place();
    place.write("text", b"text");
    let longest = [b'x'; 4094];
    for passphrase in [&b"m\xfctter\t\x1b[A \xe9"[..], &longest] {
        place.write("passphrase", passphrase);
        let line = [passphrase, b"\n"].concat();
        let mut typist = Typist::new(&place, "encrypt text -o file --force");
        for prompt in ["passphrase: ", "passphrase again: "] {
            typist.sees(prompt);
            assert!(!typist.sees_what_is_typed());
            typist.types(&line);
        }
        assert_eq!(typist.leaves(), ("passphrase: \r\npassphrase again: \r\n".to_owned(), 0));
        assert_eq!(place.keylane("decrypt -c --passphrase-file passphrase file").done(), "text");
    }
}

#[test]
fn a_line_that_a_terminal_truncates_is_no_passphrase() {
    let place = place();
    place.write("text", b"text");
    for len in [4095, 4096, 5000] {
        let mut typist = Typist::new(&place, "encrypt text -o out");
        typist.sees("passphrase: ");
        typist.types(&vec![b'x'; len]);
        typist.types(b"\n");
        let (seen, status) = typist.leaves();
        assert!(seen.contains("the passphrase: a terminal takes at most 4094 bytes"), "{seen:?}");
        assert_eq!(status, 2);
    }
    // Only Ctrl-D.
    let mut typist = Typist::new(&place, "encrypt text -o out");
    typist.sees("passphrase: ");
    typist.types(b"\x04");
    assert_eq!(typist.leaves(), ("passphrase: keylane: the passphrase is empty\r\n".to_owned(), 2));
}

#[test]
fn echo_is_restored_after_a_signal() {
    let place = place();
    place.write("text", b"text");
    // Ctrl-C, Ctrl-\, and a signal from another process.
    for (typed, signal) in [(&b"secr\x03"[..], 2), (b"secr\x1c", 3), (b"", 15)] {
        let mut typist = Typist::new(&place, "encrypt text -o out");
        typist.sees("passphrase: ");
        typist.types(typed);
        if signal == 15 {
            // The terminal shows what it has yet to take when the echo is on again.
            typist.hands_over("secret");
            place.tool("kill", &[&typist.child.id().to_string()]).unwrap().done();
        }
        let (seen, ended) = typist.leaves();
        assert_eq!(ended, -signal);
        assert!(!seen.contains("secr"), "{seen:?}");
    }
}

/// A shell switches the echo on while the program is stopped, and its own modes are not the program's.
#[test]
fn a_passphrase_is_unseen_after_a_stop() {
    let place = place();
    place.write("text", b"text");
    place.write("passphrase", b"hunter2");
    place.keylane("encrypt --passphrase-file passphrase text -o file").done();
    let decrypt = format!("{} decrypt -p file -o out --force", env!("CARGO_BIN_EXE_keylane"));
    let mut typist = Typist::at(&place, "env", "TERM=dumb bash --norc -b -i");
    // Ctrl-Z, a signal from another process, and a start in the background.
    for (start, typed) in [("", &b"hunt\x1a"[..]), ("", b""), ("&", b"")] {
        typist.sees("next: ");
        typist.types(format!("{decrypt} {start}\n").as_bytes());
        if start.is_empty() {
            typist.sees("passphrase: ");
            typist.types(typed);
        }
        if start.is_empty() && typed.is_empty() {
            place.tool("pkill", &["-STOP", "-P", &typist.child.id().to_string()]).unwrap().done();
        }
        typist.sees("Stopped");
        typist.types(b"fg\n");
        typist.sees("passphrase: ");
        assert!(!typist.sees_what_is_typed(), "{start} {typed:?}");
        typist.types(b"hunter2\r");
        typist.sees("next: ");
        typist.types(b"cat out; rm out\n");
        typist.sees("\r\ntext");
    }
    typist.sees("next: ");
    typist.types(b"exit\n");
    let (seen, status) = typist.leaves();
    assert!(status == 0 && !seen.contains("hunt"), "{status}: {seen:?}");
    // What it had read, since Ctrl-D, does not count.
    let mut typist = Typist::new(&place, "decrypt -p file -o out");
    typist.sees("passphrase: ");
    let child = typist.child.id().to_string();
    typist.hands_over("hunt");
    for signal in ["-STOP", "-CONT"] {
        place.tool("kill", &[signal, &child]).unwrap().done();
    }
    typist.sees(": passphrase: ");
    typist.types(b"hunter2\r");
    assert_eq!(typist.leaves(), ("passphrase: passphrase: \r\n".to_owned(), 0));
}

#[test]
fn ciphertext_and_keys_are_not_written_to_a_terminal() {
    let place = place();
    place.write("text", b"text");
    for arguments in ["<text", "- <text", "text -c", "text -o -", "text -o /dev/tty"] {
        let encrypt = format!("encrypt --key-file key {arguments}");
        let Some(run) = at_terminal(&place, &encrypt, "") else { return };
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.out.starts_with("keylane: ciphertext is not written to a terminal"), "{run:?}");
        let run = at_terminal(&place, &format!("{encrypt} --force"), "").unwrap();
        assert!(run.status == 0 && run.out.contains("keylane"), "{run:?}");
    }
    for command in ["keygen", "derive hkdf --hash sha256 --length 9 --ikm-file key --out -"] {
        let run = at_terminal(&place, command, "").unwrap();
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.out.starts_with("keylane: a key is not written to a terminal"), "{run:?}");
        assert_eq!(at_terminal(&place, &format!("{command} --force"), "").unwrap().status, 0);
    }
    // The text is written to it.
    place.write("file", &encrypted(&place, b"text"));
    place.write("file.kl", &encrypted(&place, b"text"));
    for arguments in ["file -c", "file.kl -o -", "<file.kl", "/dev/fd/3 3<file.kl"] {
        let run = at_terminal(&place, &format!("decrypt --key-file key {arguments}"), "").unwrap();
        assert_eq!((run.status, run.out.as_str()), (0, "text"), "{arguments}");
    }
}

/// FILE goes to FILE.kl at a terminal as it does elsewhere.
#[test]
fn at_a_terminal_the_output_s_name_follows_from_the_input_s() {
    let place = place();
    place.write("text", b"text");
    let Some(run) = at_terminal(&place, "encrypt -k key text", "") else { return };
    assert_eq!(run.done(), "");
    fs::remove_file(place.path("text")).unwrap();
    assert_eq!(at_terminal(&place, "-d -k key text.kl", "").unwrap().done(), "");
    assert_eq!(place.read("text"), b"text");
    assert_eq!(place.names(), ["key", "other-key", "text", "text.kl"]);
}

#[test]
fn a_large_file_has_a_progress_bar() {
    let place = place();
    // A sparse file.
    for name in ["large", "\x1b[2J\nLARGE"] {
        File::create(place.path(name)).unwrap().set_len(300 << 20).unwrap();
    }
    File::create(place.path("small")).unwrap().set_len(1 << 20).unwrap();
    let encrypt = "encrypt --key-file key -o /dev/null";
    let Some(run) = at_terminal(&place, &format!("{encrypt} large"), "") else { return };
    assert!(run.status == 0 && run.out.contains("% "), "{run:?}");
    // The shell expands the name; the bar shows its end.
    let run = at_terminal(&place, &format!("{encrypt} *LARGE"), "").unwrap();
    assert!(run.status == 0 && run.out.contains(r"[2J\nLARGE' "), "{run:?}");
    assert!(!run.out.contains("\x1b[2J"), "{run:?}");
    assert_eq!(at_terminal(&place, &format!("{encrypt} small"), "").unwrap().done(), "");
    // Without a terminal there is no bar.
    assert_eq!(place.keylane(&format!("{encrypt} large")).done(), "");
}

/// A line that is longer than the terminal would be drawn below the last one, again and again.
#[test]
fn a_progress_bar_fits_in_40_columns_and_does_not_move() {
    let place = place();
    File::create(place.path("a-backup-of-my-home.tar")).unwrap().set_len(300 << 20).unwrap();
    for (command, name, mark) in [
        ("encrypt --key-file key -o /dev/null a-backup-of-my-home.tar", "y-home.tar ", "% "),
        ("hash sha256 a-backup-of-my-home.tar", "y-home.tar ", "% "),
        ("bench", "-seal ", "/15 "),
    ] {
        for (locale, is_ascii) in [("C", true), ("C.utf8", false)] {
            let (seen, status) =
                Typist::sees_columns(&place, env!("CARGO_BIN_EXE_keylane"), command, 40, locale).leaves();
            assert_eq!(status, 0, "{seen}");
            // Without the terminal's control sequences.
            let mut parts = seen.split("\x1b[");
            let mut plain = parts.next().unwrap().to_owned();
            parts.for_each(|part| plain.push_str(part.split_once(char::is_alphabetic).unwrap().1));
            let frames: Vec<_> = plain.split(['\r', '\n']).filter(|line| line.contains(mark)).collect();
            let columns = |text: &str| text.chars().count();
            let places: Vec<_> =
                frames.iter().map(|frame| columns(frame.split(mark).next().unwrap())).collect();
            assert!(places.len() > 1 && places.iter().all(|place| *place == places[0]), "{frames:?}");
            assert!(
                frames.iter().all(|frame| columns(frame) <= 40 && frame.is_ascii() == is_ascii),
                "{frames:?}"
            );
            assert!(frames.iter().any(|frame| frame.contains(name)), "{frames:?}");
        }
    }
}

#[test]
fn bars_of_files_side_by_side_leave_the_lines_whole() {
    let place = place();
    let names = ["one", "two", "three"];
    for name in names {
        File::create(place.path(name)).unwrap().set_len(300 << 20).unwrap();
    }
    let hash = "hash sha256 --threads 2 one two three";
    let expected = place.keylane(hash).done();
    let Some(run) = at_terminal(&place, hash, "") else { return };
    assert!(run.status == 0 && run.out.contains("% "), "{run:?}");
    for line in expected.lines() {
        assert!(run.out.contains(&format!("{line}\r\n")), "{run:?}");
    }
}
