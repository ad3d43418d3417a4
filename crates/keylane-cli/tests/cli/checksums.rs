//! `keylane hash` and `keylane mac` without `--check`.

use super::workplace::{Workplace, powershell};

const ABC: &[(&str, &str)] = &[
    ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("sha224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "sha384",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
         8086072ba1e7cc2358baeca134c825a7",
    ),
    (
        "sha512",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    ("sha512-256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
];

/// FIPS 180's example, from a file and from standard input.
#[test]
fn every_algorithm_gives_the_published_digest() {
    let place = Workplace::with(&[("abc", b"abc")]);
    for (algorithm, digest) in ABC {
        assert_eq!(place.keylane(&format!("hash {algorithm} abc")).done(), format!("{digest}  abc\n"));
        for stdin in [&["hash", algorithm][..], &["hash", algorithm, "-"]] {
            assert_eq!(place.keylane_with(stdin, b"abc").done(), format!("{digest}  -\n"));
        }
    }
}

/// RFC 4231, case 2.
#[test]
fn a_tag_is_the_published_one() {
    let place = Workplace::with(&[
        ("key", b"Jefe"),
        ("key.hex", b" 4a656665\n"),
        ("powershell", &powershell("4a656665\n")),
        ("data", b"what do ya want for nothing?"),
    ]);
    let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843  data\n";
    assert_eq!(place.keylane("mac sha256 --key-file key data").done(), expected);
    for hex in ["key.hex", "powershell"] {
        let mac = format!("mac sha256 --key-file {hex} --key-format hex data");
        assert_eq!(place.keylane(&mac).done(), expected);
    }
    let from_stdin = ["mac", "sha256", "--key-file", "-", "data"];
    assert_eq!(place.keylane_with(&from_stdin, b"Jefe").done(), expected);
    let from_descriptor = ["mac", "sha256", "--key-fd", "0", "data"];
    assert_eq!(place.keylane_with(&from_descriptor, b"Jefe").done(), expected);
}

/// Windows writes the lists of other systems, and reads its own as well.
#[cfg(windows)]
#[test]
fn folders_are_written_with_slashes() {
    let place = Workplace::new();
    std::fs::create_dir_all(place.path("dir/sub")).unwrap();
    place.write("dir/sub/abc", b"abc");
    let digest = ABC[2].1;
    for name in ["dir/sub/abc", r"dir\sub\abc", r"dir\sub/abc"] {
        let slashes = name.replace('\\', "/");
        for (option, written) in [
            ("--threads=1", format!("{digest}  {slashes}\n")),
            ("--tag", format!("SHA256 ({slashes}) = {digest}\n")),
            ("--zero", format!("{digest}  {slashes}\0")),
        ] {
            assert_eq!(place.keylane(&format!("hash sha256 {option} {name}")).done(), written);
        }
        assert_eq!(place.keylane("hash sha256 -r dir").done(), format!("{digest}  dir/sub/abc\n"));
        place.write("list", format!("{digest}  {name}\r\n").as_bytes());
        assert_eq!(place.keylane("hash sha256 --check list").done(), format!("{name}: OK\n"));
    }
    place.write("list", format!(r"\{digest}  dir\\sub\\abc").as_bytes());
    assert_eq!(place.keylane("hash sha256 --check list").done(), "dir\\sub\\abc: OK\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_is_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Workplace::new();
    let name = OsStr::from_bytes(b"not \xff UTF-8");
    place.write(name, b"abc");
    let list = [OsStr::new("hash"), OsStr::new("sha1"), name];
    assert!(place.keylane_with(&list, b"").done().starts_with(ABC[0].1));
    place.write("list", &[ABC[0].1.as_bytes(), b"  not \xff UTF-8\n"].concat());
    assert!(place.keylane("hash sha1 --check list").done().ends_with("UTF-8: OK\n"));
}
