//! Standard input and output that are closed, `/dev/null`, and output to other descriptors.

#![cfg(unix)]

use super::workplace::Workplace;
use std::fs::read_dir;
use std::os::unix::fs::symlink;

fn place() -> Workplace {
    let place = Workplace::with(&[("key", &[7; 32]), ("text", b"text"), ("salt", b"salt")]);
    place.keylane("encrypt --key-file key text -o file").done();
    place.write("list", place.keylane("hash sha256 text").done().as_bytes());
    for (link, to) in [("in", "/dev/stdin"), ("out-link", "out-link-2"), ("out-link-2", "/dev/stdout")] {
        symlink(to, place.path(link)).unwrap();
    }
    place
}

#[test]
fn a_closed_standard_input_is_not_an_empty_one() {
    let place = place();
    let before = read_dir(place.path(".")).unwrap().count();
    for (arguments, what) in [
        ("encrypt --key-file key", "standard input"),
        ("encrypt --key-file key -o out", "standard input"),
        ("encrypt --key-file key /dev/stdin", "standard input"),
        ("encrypt --key-file - text", "the key file -"),
        ("encrypt --key-fd 0 text", "the key of file descriptor 0"),
        ("encrypt --passphrase-file /dev/fd/0 text", "the passphrase file /dev/fd/0"),
        ("decrypt --key-file key -", "standard input"),
        ("hash sha256", "-"),
        ("hash sha256 /dev/stdin", "/dev/stdin"),
        ("hash sha256 /proc/self/fd/0", "/proc/self/fd/0"),
        ("hash sha256 //dev/./stdin", "//dev/./stdin"),
        ("hash sha256 /proc/thread-self/fd/0", "/proc/thread-self/fd/0"),
        ("hash sha256 in", "in"),
        ("encrypt --key-file key in", "standard input"),
        ("hash sha256 --check", "-"),
        ("mac sha256 --key-file key -", "-"),
        ("mac sha256 --key-file key --check /dev/fd/0", "/dev/fd/0"),
        ("mac sha256 --key-fd 0 text", "the key of file descriptor 0"),
        ("inspect -", "standard input"),
        ("derive hkdf --hash sha256 --length 1 --ikm-file -", "the ikm file -"),
        ("derive hkdf --hash sha256 --length 1 --ikm-file key --salt-file /dev/stdin", "/dev/stdin"),
    ] {
        let run = place.shell(&format!("exec $K {arguments} <&-"));
        let out = run.fails_with(2, &format!("keylane: {what}: Bad file descriptor"));
        assert_eq!(out, "", "{arguments}");
    }
    assert_eq!(read_dir(place.path(".")).unwrap().count(), before);
    place.shell("exec $K hash sha256 0>out").fails_with(2, "keylane: -: Bad file descriptor");
    // It is not read here.
    assert!(place.shell("exec $K hash sha256 text <&-").done().ends_with("  text\n"));
}

#[test]
fn a_closed_standard_output_loses_nothing_without_an_error() {
    let place = place();
    for arguments in [
        "encrypt -c --key-file key text",
        "encrypt --key-file key text -o /dev/stdout",
        "encrypt --key-file key text -o out-link",
        "keygen -o //dev/stdout",
        "decrypt -c --key-file key file",
        "decrypt --key-file key file -o /dev/fd/1",
        "hash sha256 text",
        "hash sha256 --check list",
        "mac sha256 --key-file key text",
        "inspect file",
        "inspect file --json",
        "keygen",
        "derive hkdf --hash sha256 --length 1 --ikm-file key",
        "derive hkdf --hash sha256 --length 1 --ikm-file key --out -",
        "backends",
        "backends --json",
        "selftest",
        "bench",
        "bench --json -",
        "completions bash",
        "man",
        "--help",
        "encrypt --help",
        "--version",
    ] {
        let run = place.shell(&format!("exec $K {arguments} >&-"));
        run.fails_with(2, "keylane: standard output: Bad file descriptor");
    }
    // Open, but not for that.
    for arguments in ["hash sha256 text", "keygen", "decrypt -c --key-file key file", "backends"] {
        place
            .shell(&format!("exec $K {arguments} 1</dev/null"))
            .fails_with(2, "keylane: standard output: Bad file descriptor");
    }
    // Nothing is written to it here.
    for arguments in ["hash sha256 --check --status list", "encrypt --key-file key text -o out"] {
        place.shell(&format!("exec $K {arguments} >&-")).done();
    }
    // The status tells what no message can.
    assert_eq!(place.shell("exec $K hash sha256 text >&- 2>&-").status, 2);
    assert_eq!(place.shell("exec $K hash sha256 <&- 2>&-").status, 2);
}

/// Files that the command opens itself get their numbers.
#[test]
fn a_descriptor_that_the_command_was_not_given_is_not_read() {
    let place = place();
    for name in ["/dev/fd/3", "/dev/fd/4", "/dev/fd/9"] {
        let command = format!("exec $K hash sha256 text {name} text 3<&- 4<&- 9<&-");
        let run = place.shell(&command);
        let out = run.fails_with(2, &format!("keylane: {name}: Bad file descriptor"));
        assert_eq!(out.lines().count(), 2, "{out}");
    }
    let run = place.shell("exec $K hash sha256 text /dev/fd/4 3<&- 4<text");
    assert_eq!(run.done().lines().count(), 2);
}

/// The runtime opens the same in the place of a closed descriptor, for reading and writing.
#[test]
fn dev_null_is_an_empty_input_and_an_output() {
    let place = place();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for from in ["</dev/null", "<>/dev/null"] {
        let run = place.shell(&format!("exec $K hash sha256 {from}"));
        assert_eq!(run.done(), format!("{empty}  -\n"), "{from}");
    }
    for to in [">/dev/null", "1<>/dev/null"] {
        for arguments in ["keygen", "hash sha256 text", "decrypt -c --key-file key file"] {
            place.shell(&format!("exec $K {arguments} {to}")).done();
        }
    }
}

#[test]
fn a_descriptor_s_name_is_the_descriptor() {
    let place = place();
    for name in ["/dev/fd/5", "/proc/self/fd/5"] {
        // At its position, whatever is there; a name that is gone is not made again.
        let command = format!(
            "echo 12345678 >held; exec 5<>held; rm held; printf 0 >&5; \
            $K decrypt --key-file key file -o {name} && $K decrypt --key-file key file -o {name} && \
            cat </proc/self/fd/5"
        );
        let run = place.shell(&command);
        if cfg!(target_os = "linux") {
            assert_eq!(run.done(), "0texttext");
        }
        assert!(!place.path("held").exists());
    }
    for (name, to) in
        [("/dev/stderr", "2>&1 >/dev/null"), ("/dev/fd/2", "2>&1 >/dev/null"), ("/dev/fd/7", "7>&1")]
    {
        let command = format!("exec $K decrypt --key-file key file -o {name} {to}");
        assert_eq!(place.shell(&command).done(), "text", "{name}");
    }
    let keygen =
        place.shell("$K keygen -o /dev/fd/3 3>new; wc -c <new; $K keygen -o /dev/fd/3 3>>new; wc -c <new");
    assert_eq!(keygen.done().split_whitespace().collect::<Vec<_>>(), ["32", "64"]);
    for (name, to, what) in [
        ("/dev/fd/9", "9>&-", "/dev/fd/9: Bad file descriptor"),
        ("/dev/stderr", "2>&-", ""),
        ("/dev/fd/6", "6<text", "/dev/fd/6: Bad file descriptor"),
        ("/dev/fd/6", "6<>file", "file is also the output"),
        ("/dev/fd/6", "6<>key", "the key file key is also the output"),
    ] {
        let command = format!("exec $K decrypt --key-file key file -o {name} {to}");
        let run = place.shell(&command);
        assert!(run.status == 2 && run.out.is_empty() && run.err.contains(what), "{command}: {run:?}");
    }
}

/// The signal ends the command, as it ends others; where it is ignored, the write is an error.
#[test]
fn a_reader_that_goes_away_ends_it_by_sigpipe() {
    let place = place();
    place.write("text", &[0; 1 << 20]);
    place.keylane("encrypt --key-file key text -o long").done();
    let decrypt = "$K decrypt --key-file key <long";
    let sh = |command: &str| {
        place.tool("bash", &["-c", &format!("K={}; {command}", env!("CARGO_BIN_EXE_keylane"))])
    };
    for command in [
        format!("{decrypt} | head -c 4"),
        format!("{decrypt} -o /dev/fd/3 3>&1 | head -c 4"),
        format!("mkfifo pipe; head -c 4 pipe & {decrypt} -o pipe"),
    ] {
        let Some(run) = sh(&format!("{command}; printf ' %s' ${{PIPESTATUS[0]}}; wait")) else { return };
        assert_eq!((run.out.trim_start_matches('\0'), &*run.err), (" 141", ""), "{command}");
    }
    for (to, what) in [("", "standard output"), ("-o /dev/fd/3 3>&1", "/dev/fd/3")] {
        let command = format!("trap '' PIPE; {decrypt} {to} | head -c 4; printf ' %s' ${{PIPESTATUS[0]}}");
        let run = sh(&command).unwrap();
        assert_eq!(run.out.trim_start_matches('\0'), " 2");
        assert_eq!(run.err, format!("keylane: {what}: Broken pipe\n"));
    }
}
