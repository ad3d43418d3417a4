//! Key files and passphrases.

use super::{encrypted, place};
use crate::workplace::{Workplace, powershell, secret_options};

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
    place.write("marked", "\u{feff}a passphrase\r\n".as_bytes());
    place.write("powershell", &powershell("a passphrase\n"));
    place.write("half", &powershell("a passphrase\n")[..9]);
    place.write("digits", &powershell(&"0f".repeat(32)));
    place.write("text", b"text");
    place
}

#[test]
fn a_newline_and_an_encoding_are_not_part_of_the_passphrase() {
    let place = passphrases();
    place.keylane("encrypt --passphrase-file line text -o file").done();
    for name in ["typed", "line", "windows", "marked", "powershell"] {
        assert_eq!(place.keylane(&format!("decrypt -c --passphrase-file {name} file")).done(), "text");
    }
    for name in ["two-lines", "wrong"] {
        let what = "file: wrong passphrase, or the header was changed";
        place.keylane(&format!("decrypt -c --passphrase-file {name} file")).fails_with(1, what);
    }
    let out = place.bytes("decrypt -c --passphrase-fd 0 file", b"a passphrase\n");
    assert_eq!(out, b"text");
    let out = place.bytes("decrypt -c --passphrase-file - file", &place.read("powershell"));
    assert_eq!(out, b"text");
}

/// The function that derives the key, and its cost, are in the header.
#[test]
fn the_function_for_a_passphrase() {
    let place = passphrases();
    for (options, source, parameters) in [
        ("", 3, [0, 64, 3, 4]),
        ("--kdf argon2id", 3, [0, 64, 3, 4]),
        ("--kdf pbkdf2", 2, 1_000_000_u32.to_be_bytes()),
        ("--kdf pbkdf2 --iterations 600001", 2, 600_001_u32.to_be_bytes()),
    ] {
        place.keylane(&format!("encrypt {options} --passphrase-file typed text -o file --force")).done();
        let file = place.read("file");
        assert_eq!((file[10], &file[12..16]), (source, &parameters[..]), "{options}");
    }
    assert_eq!(place.keylane("decrypt -c --passphrase-file typed file").done(), "text");
}

/// Refused before it prompts for the passphrase: there is no terminal here.
#[test]
fn a_header_above_the_limits() {
    let place = place();
    let mut file = encrypted(&place, b"text");
    file[12..16].fill(0xff);
    for (source, what) in [
        (3, "Argon2id with 65535 MiB, 255 passes, 255 lanes: 64 to 1024, 1 to 10, 1 to 16 are allowed"),
        (2, "4294967295 iterations: 600000 to 10000000 with PBKDF2"),
    ] {
        file[10] = source;
        place.write("file", &file);
        place.keylane("decrypt -c --passphrase file").fails_with(1, &format!("file: {what}"));
    }
}

/// With a limit of 64 MiB for the process.
#[cfg(target_os = "linux")]
#[test]
fn a_lack_of_memory_is_reported() {
    let place = passphrases();
    let run = place.shell("ulimit -v 65536; $K encrypt --passphrase-file typed text");
    run.fails_with(2, "not enough memory: Argon2id needs 64 MiB");
}

#[test]
fn the_other_kind_of_secret_is_reported() {
    let place = passphrases();
    place.write("keyed", &encrypted(&place, b"text"));
    place.keylane("encrypt --passphrase-file typed text -o phrased").done();
    let key = &format!("keyed was encrypted with a key file: give {}", secret_options("key"));
    let (options, passphrase) = (secret_options("passphrase"), "phrased was encrypted with a passphrase");
    let passphrase = &format!("{passphrase}: give {options}, or --passphrase to type it");
    for (arguments, what) in [
        ("keyed", key),
        ("keyed --passphrase", key),
        ("keyed --passphrase-file typed", key),
        ("phrased --key-file key", passphrase),
        ("phrased --key-fd 0", passphrase),
        // It would prompt for the passphrase.
        ("phrased", &format!("no passphrase: give {options}, or run at a terminal")),
    ] {
        place.keylane(&format!("decrypt -c {arguments}")).fails_with(2, what);
    }
}

#[test]
fn invalid_secrets_are_refused() {
    let place = passphrases();
    let none = &format!("no passphrase: give {}, or run at a terminal", secret_options("passphrase"));
    for (options, what) in [
        ("--key-file missing", "the key file missing: No such file or directory"),
        ("--key-file empty", "the key file empty is empty"),
        ("--key-file short", "a key file has 32 to 1048576 bytes, not 31"),
        ("--passphrase-file missing", "the passphrase file missing: No such file or directory"),
        ("--passphrase-file empty", "the passphrase file empty is empty"),
        ("--passphrase-file newline", "the passphrase file newline is empty"),
        ("--passphrase-file half", "the passphrase file half: malformed UTF-16 after a byte order mark"),
        ("--key-file digits", "the key file digits: text with a byte order mark"),
        ("--passphrase", none),
        ("", none),
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
    let file = place.bytes("encrypt -c --key-file - text", &[7; 32]);
    let out = place.bytes("decrypt --key-file key", &file);
    assert_eq!(out, b"text");
}

/// A file cannot be both, under another name or by another descriptor either.
#[cfg(target_os = "linux")]
#[test]
fn a_secret_is_not_the_data_under_another_name() {
    let place = passphrases();
    place.write("data", &[7; 40]);
    std::os::unix::fs::symlink("/dev/stdin", place.path("link")).unwrap();
    std::os::unix::fs::symlink("data", place.path("data-link")).unwrap();
    for (options, input) in [
        ("--key-file link", "standard input"),
        ("--key-file link link", "standard input"),
        ("--key-file - link", "standard input"),
        ("--key-fd 3 3<&0", "standard input"),
        ("--passphrase-file link", "standard input"),
        ("--key-file data data-link", "data-link"),
        ("--key-file data-link data", "data"),
    ] {
        for from in ["cat data |", "<data"] {
            let run = place.shell(&format!("{from} $K encrypt {options}"));
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
        "encrypt text --key-file key --kdf argon2id",
        "encrypt text --key-file key --kdf pbkdf2",
        "encrypt text --passphrase-file typed --iterations 600000",
        "encrypt text --passphrase-file typed --kdf argon2id --iterations 600000",
        "encrypt text --passphrase-file typed --kdf pbkdf2 --iterations 599999",
        "encrypt text --passphrase-file typed --kdf pbkdf2 --iterations 10000001",
        "encrypt text --passphrase-file typed --kdf scrypt",
        "encrypt text --passphrase-file typed --algorithm aes-128-gcm",
        "encrypt text more --key-file key -o out",
        "encrypt --key-file key --recursive",
        "encrypt --key-file key --recursive text -o out",
        "encrypt text --key secret",
        "decrypt text --passphrase-file typed --iterations 600000",
    ] {
        let run = place.keylane(arguments);
        assert_eq!(run.status, 2, "{arguments}: {run:?}");
        assert!(run.out.is_empty() && !run.err.is_empty());
    }
}
