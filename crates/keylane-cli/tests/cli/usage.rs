//! Help, wrong usage, and pipes that close.

use super::workplace::Workplace;
use std::process::{Command, Stdio};

#[test]
fn every_command_has_help() {
    let place = Workplace::new();
    let all = place.keylane("--help").done();
    assert!(all.contains("Exit status: 0 done, 1 verification failed, 2 wrong usage or input"));
    for command in super::manual::commands(&place) {
        let help = place.keylane(&format!("{command} --help")).done();
        assert!(help.contains("Usage: keylane") && !help.starts_with("Usage"), "{help}");
        assert!(help.contains("Example: keylane "), "{help}");
        assert!(all.contains(command.split(' ').next().unwrap()));
        assert!(!help.to_lowercase().contains("[possible values: ]"));
    }
    assert!(place.keylane("--version").done().starts_with("keylane 0."));
}

/// Required arguments are in the usage, outside the brackets.
#[test]
fn help_says_what_is_required() {
    let place = Workplace::new();
    for (command, required) in [
        ("hash", "[OPTIONS] <ALG> [FILE]..."),
        ("mac", "[OPTIONS] <ALG> [FILE]..."),
        (
            "derive pbkdf2",
            "[OPTIONS] --hash <ALG> --iterations <N> --length <BYTES> <--salt-hex <HEX>|--salt-file <FILE>>",
        ),
        ("derive hkdf", "[OPTIONS] --hash <ALG> --length <BYTES>"),
    ] {
        let help = place.keylane(&format!("{command} --help")).done();
        assert!(help.contains(&format!("Usage: keylane {command} {required}\n")), "{help}");
    }
    // `encrypt` has --force as well, where it also allows writing ciphertext to a terminal.
    let help = |command| place.keylane(&format!("{command} --help")).done();
    assert!(help("encrypt").contains("write ciphertext"));
    assert!(!help("decrypt").contains("write ciphertext"));
}

#[test]
fn wrong_usage_is_2() {
    let place = Workplace::new();
    for arguments in
        ["", "enigma", "hash", "hash md5 x", "hash sha256 --quiet x", "mac", "derive", "derive scrypt"]
    {
        let run = place.keylane(arguments);
        assert_eq!(run.status, 2, "{arguments}: {run:?}");
        assert!(!run.err.is_empty() && run.out.is_empty());
    }
    for arguments in ["hash md5 x", "mac md5 x", "derive hkdf --hash md5"] {
        let known = "[possible values: sha1, sha224, sha256, sha384, sha512, sha512-256]";
        assert!(place.keylane(arguments).err.contains(known), "{arguments}");
    }
}

/// A name from an archive or a list may clear the terminal, or imitate the command's messages.
#[cfg(unix)]
#[test]
fn names_are_quoted_in_messages() {
    const NAME: &str = "\x1b[2J\nkeylane: done";
    const QUOTED: &str = r"$'\x1B[2J\nkeylane: done'";
    let place = Workplace::with(&[("key", &[7; 32]), (NAME, b"no list, no key")]);
    let entry = format!("\\{}  gone\x1b[2J\\nkeylane: done\n", "0".repeat(64));
    place.write("list", entry.as_bytes());
    let gone = "gone\x1b[2J\nkeylane: done";
    for (arguments, what) in [
        (&["hash", "sha256", gone][..], "No such file or directory"),
        (&["hash", "sha256", "--check", "--status", "list"], "No such file or directory"),
        (&["hash", "sha256", "--check", "--status", gone], "No such file or directory"),
        (&["hash", "sha256", "--check", "--warn", NAME], "improperly formatted line"),
        (&["mac", "sha256", "--key-file", gone, "list"], "No such file or directory"),
        (&["mac", "sha256", "--key-file", NAME, "--key-format", "hex", "list"], "is not hexadecimal digits"),
        (&["encrypt", "--key-file", "key", gone], "No such file or directory"),
        (&["encrypt", "--key-file", "key", "list", "-o", NAME], "exists: give --force to overwrite it"),
        (&["decrypt", "--key-file", "key", NAME], "not a file that Keylane has encrypted"),
        (&["decrypt", "--key-file", "key", "list", gone], "the output's name does not follow from it"),
        (&["keygen", gone], "unexpected argument"),
        (&["derive", "hkdf", "--hash", "sha256", "--length", "1", "--ikm-file", gone], "No such file"),
        (&["derive", "hkdf", "--hash", "sha256", "--length", gone], "invalid value"),
        (&["bench", "--json", "gone\x1b[2J\nkeylane: done/file"], "No such file or directory"),
        (&["man", "--out", &format!("{NAME}/man1")], "Not a directory"),
        #[cfg(feature = "tls")]
        (&["tls", "serve", "--echo", "--key", "key", "--cert", NAME], "no certificate in PEM"),
        #[cfg(feature = "tls")]
        (&["tls", "connect", "localhost:1", "--ca", gone], "No such file or directory"),
        (&[gone], "unrecognized subcommand"),
    ] {
        let run = place.keylane_with(arguments, b"");
        assert!(run.status != 0 && run.err.contains(what), "{run:?}");
        assert!(!run.err.replace('\n', "").contains(char::is_control), "{run:?}");
        assert!(!run.err.lines().any(|line| line.starts_with("keylane: done")), "{run:?}");
        assert!(arguments.iter().all(|argument| *argument != NAME) || run.err.contains(QUOTED), "{run:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let place = Workplace::with(&[("a", b"1")]);
    let line = place.keylane("hash sha256 a").done();
    place.write("list", line.repeat(5000).as_bytes());
    for arguments in ["hash sha256 --check list", "fuzz --trace", "bench --quick"] {
        place.ends_with_its_reader(arguments);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_keylane"))
        .arg("backends")
        .stdout(Stdio::from(full))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "keylane: standard output: No space left on device\n");
}
