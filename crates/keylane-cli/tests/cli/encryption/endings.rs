//! Runs that are interrupted.

use super::{encrypted, names, place, text};
use crate::workplace::Workplace;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

fn start(place: &Workplace, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_keylane"))
        .args(arguments.split(' '))
        .current_dir(place.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Gives it more than the pipe holds: when that is written, it is at work.
fn feed(child: &mut Child, bytes: &[u8]) {
    child.stdin.as_mut().unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_signal_leaves_nothing_behind() {
    use std::os::unix::process::ExitStatusExt;
    let place = place();
    let file = encrypted(&place, &text(4 << 20));
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        for (command, input) in [("encrypt", &text(4 << 20)), ("decrypt", &file)] {
            let mut child = start(&place, &format!("{command} --key-file key -o out"));
            feed(&mut child, input);
            let during = names(&place);
            assert!(during.iter().any(|name| name.starts_with(".keylane-")), "{during:?}");
            let kill = format!("kill -{signal} {}", child.id());
            let Some(run) = place.tool("sh", &["-c", &kill]) else { return };
            run.done();
            // Its input stays open.
            assert_eq!(child.wait().unwrap().signal(), Some(number));
            assert_eq!(names(&place), ["key", "other-key"]);
        }
    }
}

/// What is written before it is known to be all is nobody else's.
#[test]
fn a_draft_is_its_owner_s() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let mut child = start(&place, "encrypt --key-file key -o out");
    feed(&mut child, &text(4 << 20));
    let draft = names(&place).into_iter().find(|name| name.starts_with(".keylane-")).unwrap();
    assert_eq!(fs::metadata(place.path(&draft)).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!place.path("out").exists());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(names(&place), ["key", "other-key", "out"]);
}

/// A name that another program takes meanwhile is not taken from it.
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
        assert_eq!(names(&place), ["key", "other-key", "out"]);
        std::fs::remove_file(place.path("out")).unwrap();
    }
}

/// `keylane decrypt … | head`: no panic, no word, and not 0.
#[test]
fn a_closed_pipe_ends_it_quietly() {
    let place = place();
    place.write("text", &text(8 << 20));
    place.write("file", &encrypted(&place, &text(8 << 20)));
    for arguments in ["encrypt --key-file key text", "decrypt --key-file key file"] {
        let mut child = start(&place, arguments);
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 4]).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        assert_eq!(output.status.code(), Some(2), "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let place = place();
    place.write("text", b"text");
    place
        .keylane("encrypt --key-file key text -o /dev/full")
        .fails_with(2, "/dev/full: No space left on device");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_keylane"))
        .args(["encrypt", "--key-file", "key", "text"])
        .current_dir(place.path("."))
        .stdout(Stdio::from(full))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "keylane: standard output: No space left on device\n");
}
