//! Key files and passphrases.

use super::{encrypted, place};
use crate::workplace::Workplace;

/// The least that is allowed, for haste.
const ENCRYPT: &str = "encrypt --iterations 600000";

fn passphrases() -> Workplace {
    let place = place();
    for (name, content) in [
        ("typed", "a passphrase"),
        ("line", "a passphrase\n"),
        ("windows", "a passphrase\r\n"),
        ("two-lines", "a passphrase\n\n"),
        ("wrong", "another"),
        ("newline", "\n"),
        ("empty", ""),
        ("short", "31 bytes are not yet a good key"),
    ] {
        place.write(name, content.as_bytes());
    }
    place.write("text", b"text");
    place
}

#[test]
fn a_newline_is_not_the_passphrase_s() {
    let place = passphrases();
    place.keylane(&format!("{ENCRYPT} --passphrase-file line text -o file")).done();
    for name in ["typed", "line", "windows"] {
        assert_eq!(place.keylane(&format!("decrypt --passphrase-file {name} file")).done(), "text");
    }
    for name in ["two-lines", "wrong"] {
        place.keylane(&format!("decrypt --passphrase-file {name} file")).fails_with(1, "file: wrong");
    }
    // The number of iterations is in the file.
    assert_eq!(place.read("file")[12..16], 600_000_u32.to_be_bytes());
    let (out, run) = place.keylane_bytes("decrypt --passphrase-fd 0 file", b"a passphrase\n");
    run.done();
    assert_eq!(out, b"text");
}

#[test]
fn the_other_kind_of_secret_is_told() {
    let place = passphrases();
    place.write("keyed", &encrypted(&place, b"text"));
    place.keylane(&format!("{ENCRYPT} --passphrase-file typed text -o phrased")).done();
    let key = "keyed was encrypted with a key file: give --key-file or --key-fd";
    let passphrase = "phrased was encrypted with a passphrase: give --passphrase, --passphrase-file or";
    for (arguments, what) in [
        ("keyed", key),
        ("keyed --passphrase", key),
        ("keyed --passphrase-file typed", key),
        ("phrased --key-file key", passphrase),
        ("phrased --key-fd 0", passphrase),
        // The passphrase would be asked.
        ("phrased", "no passphrase: give --passphrase-file or --passphrase-fd, or run at a terminal"),
    ] {
        place.keylane(&format!("decrypt {arguments}")).fails_with(2, what);
    }
}

#[test]
fn what_is_no_secret_is_refused() {
    let place = passphrases();
    for (options, what) in [
        ("--key-file missing", "the key file missing: No such file or directory"),
        ("--key-file empty", "the key file empty is empty"),
        ("--key-file short", "a key file has 32 to 1048576 bytes, not 31"),
        ("--passphrase-file missing", "the passphrase file missing: No such file or directory"),
        ("--passphrase-file empty", "the passphrase file empty is empty"),
        ("--passphrase-file newline", "the passphrase file newline holds nothing but a newline"),
        ("--passphrase", "no passphrase: give --passphrase-file or --passphrase-fd, or run at a terminal"),
        ("", "no passphrase: give --passphrase-file or --passphrase-fd, or run at a terminal"),
    ] {
        place.keylane(&format!("encrypt {options} text -o out")).fails_with(2, what);
        assert!(!place.path("out").exists());
    }
}

#[test]
fn standard_input_is_not_both_secret_and_data() {
    let place = passphrases();
    for command in ["encrypt", "decrypt"] {
        for options in [
            "--key-file -",
            "--key-fd 0 -",
            "--key-file /dev/stdin",
            "--passphrase-file -",
            "--passphrase-fd 0",
        ] {
            place
                .keylane(&format!("{command} {options}"))
                .fails_with(2, "standard input cannot be both the secret and the data");
        }
    }
    let (file, run) = place.keylane_bytes("encrypt --key-file - text", &[7; 32]);
    run.done();
    let (out, run) = place.keylane_bytes("decrypt --key-file key", &file);
    run.done();
    assert_eq!(out, b"text");
}

/// Also not under another name, nor by another descriptor; nor is any file both.
#[cfg(target_os = "linux")]
#[test]
fn a_secret_is_not_the_data_under_another_name() {
    let place = passphrases();
    place.write("data", &[7; 40]);
    std::os::unix::fs::symlink("/dev/stdin", place.path("link")).unwrap();
    std::os::unix::fs::symlink("data", place.path("data-link")).unwrap();
    for (options, input) in [
        ("--key-file link", "standard input"),
        ("--key-file link link", "link"),
        ("--key-file - link", "link"),
        ("--key-fd 3 3<&0", "standard input"),
        ("--passphrase-file link", "standard input"),
        ("--key-file data data-link", "data-link"),
        ("--key-file data-link data", "data"),
    ] {
        for from in ["cat data |", "<data"] {
            let command = format!("{from} {} encrypt {options}", env!("CARGO_BIN_EXE_keylane"));
            let Some(run) = place.tool("sh", &["-c", &command]) else { return };
            run.fails_with(2, &format!("keylane: {input} cannot be both the secret and the data"));
        }
    }
}

#[test]
fn wrong_usage() {
    let place = passphrases();
    for arguments in [
        "encrypt text --key-file key --key-fd 3",
        "encrypt text --key-file key --passphrase-file typed",
        "encrypt text --key-file key --passphrase",
        "encrypt text --key-file key --iterations 600000",
        "encrypt text --passphrase-file typed --iterations 599999",
        "encrypt text --passphrase-file typed --iterations 10000001",
        "encrypt text --passphrase-file typed --algorithm aes-128-gcm",
        "encrypt text more --key-file key",
        "encrypt text --key secret",
        "decrypt text --passphrase-file typed --iterations 600000",
    ] {
        let run = place.keylane(arguments);
        assert_eq!(run.status, 2, "{arguments}: {run:?}");
        assert!(run.out.is_empty() && !run.err.is_empty());
    }
}
