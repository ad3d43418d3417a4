//! The sources of keys, and invalid keys.

use super::workplace::{IS_A_FOLDER, Workplace, powershell, secret_options};

#[test]
fn invalid_keys_are_refused() {
    let place = Workplace::with(&[
        ("data", b"data"),
        ("empty", b""),
        ("spaces", b" \n"),
        ("odd", b"123"),
        ("huge", &vec![0; (1 << 20) + 1]),
        ("digits", &powershell("4a656665\n")),
    ]);
    for (options, error) in [
        ("--key-file empty", "the key file empty is empty"),
        ("--key-file missing", "the key file missing: No such file or directory"),
        ("--key-file .", &format!("the key file .: {IS_A_FOLDER}")),
        ("--key-file huge", "the key file huge: longer than 1048576 bytes"),
        ("--key-file digits", "the key file digits: text with a byte order mark, as PowerShell writes it"),
        ("--key-file empty --key-format hex", "the key file empty is empty"),
        ("--key-file spaces --key-format hex", "the key file spaces is not pairs of hexadecimal digits"),
        ("--key-file odd --key-format hex", "the key file odd is not pairs of hexadecimal digits"),
        ("--key-fd 0", "the key of file descriptor 0 is empty"),
        ("--key-fd 77", "the key of file descriptor 77"),
        // There is no terminal for a prompt.
        ("", &format!("no key: give {}", secret_options("key"))),
    ] {
        assert_eq!(place.keylane(&format!("mac sha256 {options} data")).fails_with(2, error), "");
    }
}

#[test]
fn standard_input_is_not_both_key_and_data() {
    let place = Workplace::with(&[("data", b"data")]);
    for options in
        ["--key-file -", "--key-file - -", "--key-file - data -", "--key-fd 0", "--key-file /dev/stdin"]
    {
        place
            .keylane(&format!("mac sha256 {options}"))
            .fails_with(2, "standard input cannot be both the key and the data");
    }
}

/// Under another name or by another descriptor as well.
#[cfg(target_os = "linux")]
#[test]
fn a_link_to_standard_input_is_standard_input() {
    let place = Workplace::with(&[("data", &[7; 40])]);
    std::os::unix::fs::symlink("/dev/stdin", place.path("link")).unwrap();
    for options in
        ["--key-file link", "--key-file link link", "--key-file - link", "--key-fd 0 link", "--key-fd 3 3<&0"]
    {
        // A pipe, and a file, which would be read twice.
        for input in ["cat data |", "<data"] {
            let run = place.shell(&format!("{input} $K mac sha256 {options}"));
            run.fails_with(2, "standard input cannot be both the key and the data");
        }
    }
    // An entry of a list cannot be standard input either: after the key it is empty, and matches the empty
    // tag.
    let tag = place.keylane("mac sha256 --key-file data /dev/null").done();
    for name in ["-", "link"] {
        place.write("list", tag.replace("/dev/null", name).as_bytes());
        let run = place.keylane_with(&["mac", "sha256", "--key-file", "-", "--check", "list"], &[7; 40]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.err.contains(&format!("{name}: standard input was the key")), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_gets_a_warning() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let place = Workplace::with(&[("data", b"data"), ("key", &[7; 32])]);
    let modes = [(0o600, false), (0o640, true), (0o400, false), (0o711, false), (0o604, true), (0o444, true)];
    let commands = [
        ("mac sha256 --key-file key data", "key file key"),
        ("mac sha256 --key-fd 3 data 3<key", "key of file descriptor 3"),
        ("mac sha256 --key-file - data <key", "key file -"),
        ("encrypt -c --key-file key data", "key file key"),
        ("encrypt -c --passphrase-file key data --kdf pbkdf2 --iterations 600000", "passphrase file key"),
        ("encrypt -c --key-file key data | $K decrypt --key-fd 3 3<key", "key of file descriptor 3"),
        (
            "derive pbkdf2 --hash sha256 --iterations 1 --length 1 --salt-hex 00 --password-file key",
            "password file key",
        ),
        ("derive hkdf --hash sha256 --length 1 --ikm-file key", "ikm file key"),
    ];
    for (i, (arguments, what)) in commands.into_iter().enumerate() {
        // All modes for the first, and one of each kind for the others.
        for &(mode, is_open) in &modes[..if i == 0 { 6 } else { 2 }] {
            set_permissions(place.path("key"), Permissions::from_mode(mode)).unwrap();
            // A descriptor has no name.
            let name = if what.ends_with(" file key") { " key" } else { "" };
            let warning =
                format!("keylane: WARNING: {what} (mode {mode:o}) is readable by others: chmod 600{name}\n");
            let run = place.shell(&format!("$K {arguments}"));
            assert_eq!(run.status, 0, "{run:?}");
            // In a pipe, both warn.
            assert_eq!(run.err.contains(&warning), is_open, "{arguments}, {mode:o}: {run:?}");
            assert!(is_open || run.err.is_empty(), "{run:?}");
        }
    }
    // Others cannot read a pipe.
    place.shell("cat key | $K mac sha256 --key-file - data").done();
}

/// While the command works, with the secret in memory.
#[cfg(target_os = "linux")]
#[test]
fn a_core_file_does_not_hold_the_secret() {
    use std::io::Write;
    let place = Workplace::with(&[("key", &[7; 32])]);
    let text = vec![0; 4 << 20];
    for command in ["mac sha256 --key-file key", "encrypt --key-file key -o out"] {
        let arguments: Vec<_> = command.split(' ').collect();
        let mut child = place.start(env!("CARGO_BIN_EXE_keylane"), &arguments).unwrap();
        // More than the pipe holds, so the command has begun to read.
        child.stdin.as_mut().unwrap().write_all(&text).unwrap();
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
        let core = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).unwrap();
        assert_eq!(core.split_whitespace().collect::<Vec<_>>(), ["0", "0", "bytes"], "{command}");
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(unix)]
mod descriptors {
    use super::*;
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    /// Checks the tag of a command whose descriptor 3 reads the key file and is moved by `prepare`.
    fn reads_the_key(key: &[u8], prepare: &str, keylane: &str) {
        let place = Workplace::with(&[("data", b"data"), ("key", key), ("expected", b"the key")]);
        set_permissions(place.path("."), Permissions::from_mode(0o755)).unwrap();
        let expected = place.keylane("mac sha256 --key-file expected data").done();
        // A copy for another user: only root may have access to the build's folder.
        let prepare = format!("cp $K keylane && chmod 644 data && exec 3<key && {prepare}");
        let run = place.shell(&format!("{prepare} && exec {keylane} mac sha256 --key-fd 3 data"));
        assert_eq!(run.done(), expected, "{prepare}");
    }

    #[test]
    fn a_descriptor_is_read_from_where_it_is() {
        reads_the_key(b"the key", "true", "./keylane");
        reads_the_key(b"a line\nthe key", "read -r line <&3", "./keylane");
    }

    /// As for a service that drops root's rights after it has opened its key.
    #[test]
    fn a_descriptor_outlives_the_file_s_name_and_rights() {
        let is_root = metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
        let user = if is_root { "setpriv --reuid 54321 --regid 54321 --clear-groups" } else { "" };
        for prepare in ["chmod 0 key", "chmod 0 key && rm key"] {
            reads_the_key(b"the key", prepare, &format!("{user} ./keylane"));
        }
    }

    /// Otherwise, the first file that the command opens could get this number.
    #[test]
    fn a_descriptor_that_is_not_open_is_an_error() {
        let place = Workplace::with(&[("text", &[7; 32]), ("salt", &[8; 32])]);
        for command in
            ["encrypt --key-fd 3 text -o out", "decrypt --key-fd 3 text -o out", "mac sha256 --key-fd 3 text"]
        {
            let run = place.shell(&format!("exec 3<&-; exec $K {command}"));
            run.fails_with(2, "the key of file descriptor 3: Bad file descriptor");
        }
    }
}
