//! What is asked and shown at a terminal, which `script` plays.

use super::{encrypted, place};
use crate::workplace::{Run, Workplace};
use std::fs::File;

/// Runs `keylane` at a terminal where somebody types `typed`; `out` is what the terminal shows.
fn at_terminal(place: &Workplace, arguments: &str, typed: &str) -> Option<Run> {
    let keylane = env!("CARGO_BIN_EXE_keylane");
    let command = format!("printf '{typed}' | script -qec '{keylane} {arguments}' /dev/null");
    place.tool("sh", &["-c", &command])
}

#[test]
fn a_passphrase_is_asked_twice_for_a_new_file() {
    let place = place();
    place.write("text", b"text");
    place.write("passphrase", b"typed by hand");
    for option in ["", "--passphrase"] {
        let encrypt = format!("encrypt {option} --iterations 600000 text -o file --force");
        let Some(run) = at_terminal(&place, &encrypt, r"typed by hand\ntyped by hand\n") else { return };
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.out.contains("passphrase: ") && run.out.contains("passphrase again: "), "{run:?}");
        assert_eq!(place.keylane("decrypt --passphrase-file passphrase file").done(), "text");
        let decrypt = format!("decrypt {option} file -o out --force");
        let run = at_terminal(&place, &decrypt, r"typed by hand\n").unwrap();
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.out.contains("passphrase: ") && !run.out.contains("again"), "{run:?}");
        assert_eq!(place.read("out"), b"text");
    }
    let run = at_terminal(&place, "encrypt text -o new", r"typed by hand\ntyped by foot\n").unwrap();
    assert_eq!(run.status, 2);
    assert!(run.out.contains("keylane: the passphrase was not the same twice"), "{run:?}");
    assert!(!place.path("new").exists());
}

#[test]
fn ciphertext_is_not_written_to_a_terminal() {
    let place = place();
    place.write("text", b"text");
    for arguments in ["text", "text -o -", "text -o /dev/tty"] {
        let encrypt = format!("encrypt --key-file key {arguments}");
        let Some(run) = at_terminal(&place, &encrypt, "") else { return };
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.out.starts_with("keylane: ciphertext is not written to a terminal"), "{run:?}");
        let run = at_terminal(&place, &format!("{encrypt} --force"), "").unwrap();
        assert!(run.status == 0 && run.out.contains("keylane"), "{run:?}");
    }
    // The text is.
    place.write("file", &encrypted(&place, b"text"));
    let run = at_terminal(&place, "decrypt --key-file key file", "").unwrap();
    assert_eq!((run.status, run.out.as_str()), (0, "text"));
}

#[test]
fn a_large_file_has_a_progress_bar() {
    let place = place();
    // A hole: zeros that are nowhere.
    File::create(place.path("large")).unwrap().set_len(300 << 20).unwrap();
    File::create(place.path("small")).unwrap().set_len(1 << 20).unwrap();
    let encrypt = "encrypt --key-file key -o /dev/null";
    let Some(run) = at_terminal(&place, &format!("{encrypt} large"), "") else { return };
    assert!(run.status == 0 && run.out.contains("/300.00 MiB"), "{run:?}");
    assert_eq!(at_terminal(&place, &format!("{encrypt} small"), "").unwrap().done(), "");
    // No terminal, no bar.
    assert_eq!(place.keylane(&format!("{encrypt} large")).done(), "");
}
