//! Where keys come from, and what is no key.

use super::workplace::Workplace;

#[test]
fn what_is_no_key_is_refused() {
    let place = Workplace::with(&[
        ("data", b"data"),
        ("empty", b""),
        ("spaces", b" \n"),
        ("odd", b"123"),
        ("huge", &vec![0; (1 << 20) + 1]),
    ]);
    for (options, error) in [
        ("--key-file empty", "the key file empty is empty"),
        ("--key-file missing", "the key file missing: No such file or directory"),
        ("--key-file huge", "the key file huge is longer than 1048576 bytes"),
        ("--key-file empty --key-format hex", "the key file empty is empty"),
        ("--key-file spaces --key-format hex", "the key file spaces is not hexadecimal digits in pairs"),
        ("--key-file odd --key-format hex", "the key file odd is not hexadecimal digits in pairs"),
        ("--key-fd 0", "the key of file descriptor 0 is empty"),
        ("--key-fd 77", "the key of file descriptor 77"),
        // Nobody is at a terminal to be asked.
        ("", "no key: give --key-file or --key-fd"),
    ] {
        assert_eq!(place.keylane(&format!("mac sha256 {options} data")).fails_with(2, error), "");
    }
}

#[cfg(unix)]
#[test]
fn a_key_comes_from_a_descriptor() {
    let place = Workplace::with(&[("data", b"data"), ("key", b"the key")]);
    let command = format!("{} mac sha256 --key-fd 3 data 3<key", env!("CARGO_BIN_EXE_keylane"));
    let Some(run) = place.tool("sh", &["-c", &command]) else { return };
    assert_eq!(run.done(), place.keylane("mac sha256 --key-file key data").done());
}

#[test]
fn a_key_is_never_an_argument() {
    let place = Workplace::with(&[("data", b"data")]);
    for option in ["--key", "--password"] {
        assert_eq!(place.keylane(&format!("mac sha256 {option} secret data")).status, 2);
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
