//! Runs that are interrupted.

use super::{encrypted, place, text};
use crate::workplace::Workplace;
use std::io::Write;
use std::process::Child;

const KEYLANE: &str = env!("CARGO_BIN_EXE_keylane");

fn start(place: &Workplace, arguments: &str) -> Child {
    place.start(KEYLANE, &arguments.split(' ').collect::<Vec<_>>()).unwrap()
}

/// Starts the command with signals at their defaults, even if the tests run in the background with signals
/// ignored.
#[cfg(target_os = "linux")]
fn start_endable(place: &Workplace, arguments: &str) -> Child {
    let words = ["--default-signal", KEYLANE];
    place.start("env", &words.into_iter().chain(arguments.split(' ')).collect::<Vec<_>>()).unwrap()
}

#[cfg(not(target_os = "linux"))]
use start as start_endable;

#[cfg(target_os = "linux")]
const SIGNALS: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("USR1", 10),
    ("USR2", 12),
    ("ALRM", 14),
    ("TERM", 15),
    // Of `ulimit -t`.
    ("XCPU", 24),
];
/// Only these, on systems where a program cannot see which signals it was started to ignore.
#[cfg(not(target_os = "linux"))]
const SIGNALS: &[(&str, i32)] = &[("INT", 2), ("TERM", 15)];

/// Writes more than the pipe holds: when that is done, the command is working.
fn feed(child: &mut Child, bytes: &[u8]) {
    child.stdin.as_mut().unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_signal_leaves_nothing_behind() {
    use std::os::unix::process::ExitStatusExt;
    let place = place();
    let file = encrypted(&place, &text(4 << 20));
    for &(signal, number) in SIGNALS {
        for (command, input) in [("encrypt", &text(4 << 20)), ("decrypt", &file)] {
            let mut child = start_endable(&place, &format!("{command} --key-file key -o out"));
            feed(&mut child, input);
            let during = place.names();
            assert!(during.iter().any(|name| name.starts_with(".keylane-")), "{during:?}");
            place.shell(&format!("kill -{signal} {}", child.id())).done();
            // Its input stays open: waiting would close it, and the command might then end first.
            let input = child.stdin.take();
            assert_eq!(child.wait().unwrap().signal(), Some(number));
            drop(input);
            assert_eq!(place.names(), ["key", "other-key"]);
        }
    }
}

/// As with `nohup` and a shell's `trap '' INT`.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_has_no_effect() {
    let place = place();
    let text = text(4 << 20);
    let command = format!("trap '' HUP INT; exec {KEYLANE} encrypt --key-file key -o out");
    let mut child = place.start("sh", &["-c", &command]).unwrap();
    feed(&mut child, &text);
    for signal in ["HUP", "INT"] {
        place.shell(&format!("kill -{signal} {}", child.id())).done();
    }
    feed(&mut child, b"more");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(place.bytes("decrypt -c --key-file key out", b""), [&text, &b"more"[..]].concat());
    assert_eq!(place.names(), ["key", "other-key", "out"]);
}

/// The signal for it, SIGXFSZ, would end the command before it removes its draft.
#[test]
fn a_limit_on_file_sizes_and_a_full_disk_are_errors() {
    let place = place();
    place.write("text", &text(4 << 20));
    for (command, what) in [
        ("ulimit -f 100; $K encrypt --key-file key text", "text.kl: File too large"),
        ("ulimit -f 0; $K keygen -o new", "new: File too large"),
        (
            "ulimit -f 0; $K derive hkdf --hash sha256 --length 9 --ikm-file key --out new",
            "new: File too large",
        ),
        ("ulimit -f 0; $K hash sha256 text >list", "standard output: File too large"),
        #[cfg(target_os = "linux")]
        ("$K encrypt --key-file key text -o /dev/full", "/dev/full: No space left on device"),
        #[cfg(target_os = "linux")]
        ("$K backends >/dev/full", "standard output: No space left on device"),
        #[cfg(target_os = "linux")]
        ("$K encrypt --key-file key -c text >/dev/full", "standard output: No space left on device"),
    ] {
        place.shell(command).fails_with(2, &format!("keylane: {what}\n"));
    }
    assert_eq!(place.names(), ["key", "list", "other-key", "text"]);
}

/// Until the file is complete, only its owner can read it.
#[test]
fn a_draft_can_be_read_only_by_its_owner() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let mut child = start(&place, "encrypt --key-file key -o out");
    feed(&mut child, &text(4 << 20));
    let draft = place.names().into_iter().find(|name| name.starts_with(".keylane-")).unwrap();
    assert_eq!(fs::metadata(place.path(&draft)).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!place.path("out").exists());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(place.names(), ["key", "other-key", "out"]);
}

/// A file that another program creates meanwhile is not overwritten.
#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let place = place();
    for (force, status) in [("", 2), (" --force", 0)] {
        let mut child = start(&place, &format!("encrypt --key-file key -o out{force}"));
        feed(&mut child, &text(4 << 20));
        place.write("out", b"theirs");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        let said = String::from_utf8_lossy(&output.stderr);
        let kept = place.read("out") == b"theirs";
        assert_eq!(
            (kept, said.contains("out exists: give --force to overwrite it")),
            (status == 2, status == 2)
        );
        assert_eq!(place.names(), ["key", "other-key", "out"]);
        std::fs::remove_file(place.path("out")).unwrap();
    }
}

/// A call that the system interrupts is made again. After one that fails in the middle, there is no file.
#[cfg(target_os = "linux")]
#[test]
fn calls_that_fail_or_are_interrupted() {
    let place = place();
    let text = text(1_000_000);
    place.write("text", &text);
    let read = place.path("text").canonicalize().unwrap();
    let digest = place.keylane("hash sha256 text").done();
    for (call, error, is_read, command, reason) in [
        ("pread64", "EINTR:when=2+2", true, "encrypt --key-file key text -o new", ""),
        ("pread64", "EIO:when=3", true, "encrypt --key-file key text -o new", "text: Input/output error"),
        ("write", "EINTR:when=2+2", false, "encrypt --key-file key text -o new", ""),
        (
            "write",
            "ENOSPC:when=3",
            false,
            "encrypt --key-file key text -o new",
            "new: No space left on device",
        ),
        ("fsync", "EIO:when=1", false, "encrypt --key-file key text -o new", "new: Input/output error"),
        ("read", "EINTR:when=2+2", true, "hash sha256 text", ""),
        ("read", "EIO:when=3", true, "hash sha256 text", "text: Input/output error"),
    ] {
        let (inject, path) = (format!("-einject={call}:error={error}"), format!("-P{}", read.display()));
        // One thread: calls are counted for each.
        let (threads, path) =
            (command.starts_with("encrypt").then_some("--threads=1"), is_read.then_some(&*path));
        let options = ["-f", "-qq", "-otrace", &*inject].into_iter().chain(path).chain([KEYLANE]);
        let words = options.chain(command.split(' ')).chain(threads);
        let Some(run) = place.tool("strace", &words.collect::<Vec<_>>()) else { return };
        assert!(String::from_utf8_lossy(&place.read("trace")).contains("(INJECTED)"), "{call}, {error}");
        if !reason.is_empty() {
            run.fails_with(2, reason);
            assert_eq!(place.names(), ["key", "other-key", "text", "trace"], "{call}, {error}");
        } else if threads.is_none() {
            assert_eq!(run.done(), digest);
        } else {
            run.done();
            let opened = place.bytes("decrypt -c --key-file key new", b"");
            assert!(opened == text, "{call}, {error}");
            std::fs::remove_file(place.path("new")).unwrap();
        }
    }
}
