//! `keylane derive`

use super::workplace::{Workplace, powershell, secret_options};

fn place() -> Workplace {
    Workplace::with(&[
        ("password", b"password"),
        ("line", b"password\n"),
        ("windows", b"password\r\n"),
        ("powershell", &powershell("password\n")),
        ("newline", b"\n"),
        ("empty", b""),
        ("salt", b"salt"),
        ("ikm", &[0x0b; 22]),
    ])
}

const PBKDF2: &str = "derive pbkdf2 --hash sha256 --iterations 4096 --length 32";
/// The well-known vector of PBKDF2 with SHA-256.
const DERIVED: &str = "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a\n";

#[test]
fn pbkdf2_gives_the_published_key() {
    let place = place();
    for options in [
        "--salt-hex 73616c74 --password-file password",
        "--salt-file salt --password-file password",
        "--salt-file salt --password-file line --password-trim-newline",
        "--salt-file salt --password-file windows --password-trim-newline",
        "--salt-file salt --password-file password --password-trim-newline",
        "--salt-file salt --password-file powershell --password-trim-newline",
    ] {
        assert_eq!(place.keylane(&format!("{PBKDF2} {options}")).done(), DERIVED, "{options}");
    }
    // Without the option, every byte is part of the password.
    assert_ne!(place.keylane(&format!("{PBKDF2} --salt-file salt --password-file line")).done(), DERIVED);
    let mut from_stdin: Vec<_> = PBKDF2.split(' ').collect();
    from_stdin.extend(["--salt-hex", "73616c74", "--password-fd", "0"]);
    assert_eq!(place.keylane_with(&from_stdin, b"password").done(), DERIVED);
}

/// RFC 5869, cases 1 and 3.
#[test]
fn hkdf_gives_the_published_key() {
    let place = place();
    let hkdf = "derive hkdf --hash sha256 --ikm-file ikm --length 42";
    assert_eq!(
        place
            .keylane(&format!("{hkdf} --salt-hex 000102030405060708090a0b0c --info-hex f0f1f2f3f4f5f6f7f8f9"))
            .done(),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865\n"
    );
    assert_eq!(
        place.keylane(hkdf).done(),
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8\n"
    );
    assert_eq!(
        place.keylane(&format!("{hkdf} --info abc")).done(),
        place.keylane(&format!("{hkdf} --info-hex 616263")).done()
    );
}

#[test]
fn a_key_is_written_to_a_file_of_one_s_own() {
    let place = place();
    let derive = format!("{PBKDF2} --salt-file salt --password-file password --out key");
    for force in ["", " --force"] {
        assert_eq!(place.keylane(&format!("{derive}{force}")).done(), "");
        assert_eq!(place.read("key").len(), 32);
        assert_eq!(place.read("key")[..4], [0xc5, 0xe4, 0x78, 0xd5]);
        #[cfg(unix)]
        {
            use std::fs::{Permissions, metadata, set_permissions};
            use std::os::unix::fs::PermissionsExt;
            let path = place.path("key");
            assert_eq!(metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            // The second time, the file exists and all can read it.
            set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        }
    }
    place
        .keylane(&derive.replace("--out key", "--out no/key"))
        .fails_with(2, "no/key: No such file or directory");
    let key = place.bytes(&derive.replace("--out key", "--out -"), b"");
    assert_eq!(key, place.read("key"));
    assert_eq!(
        place.keylane(&format!("{PBKDF2} --salt-file salt --password-file password --force")).status,
        2
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_secret_is_not_the_salt() {
    let place = place();
    std::os::unix::fs::symlink("ikm", place.path("link")).unwrap();
    for (options, what) in [
        ("--ikm-file - --salt-file /dev/stdin", "the ikm file - is also the salt"),
        ("--ikm-fd 0 --salt-file /dev/stdin", "the ikm of file descriptor 0 is also the salt"),
        ("--ikm-file link --salt-file ikm", "the ikm file link is also the salt"),
    ] {
        let run = place.keylane(&format!("derive hkdf --hash sha256 --length 32 {options}"));
        assert_eq!(run.fails_with(2, what), "");
    }
}

#[cfg(unix)]
#[test]
fn the_output_is_not_the_secret_or_the_salt() {
    let place = place();
    std::fs::hard_link(place.path("ikm"), place.path("hard-link")).unwrap();
    std::os::unix::fs::symlink("salt", place.path("link")).unwrap();
    let hkdf = "derive hkdf --hash sha256 --ikm-file ikm --salt-file salt --length 32 --force";
    for (arguments, what) in [
        (format!("{hkdf} --out ikm"), "the ikm file ikm is also the output"),
        (format!("{hkdf} --out ./hard-link"), "the ikm file ikm is also the output"),
        (format!("{hkdf} --out salt"), "the salt file salt is also the output"),
        (format!("{hkdf} --out link"), "the salt file salt is also the output"),
        (
            format!("{PBKDF2} --salt-hex 00 --password-file password --force --out password"),
            "the password file password is also the output",
        ),
    ] {
        place.keylane(&arguments).fails_with(2, what);
    }
    assert_eq!((place.read("ikm"), place.read("salt")), (vec![0x0b; 22], b"salt".to_vec()));
}

#[test]
fn limits_are_errors() {
    let place = place();
    place.write("huge", &[0; (1 << 20) + 1]);
    let pbkdf2 = "derive pbkdf2 --hash sha256 --salt-hex 00";
    let password = "--password-file password";
    for (arguments, error) in [
        (format!("{pbkdf2} {password} --length 32 --iterations 0"), "0 is not in 1..=4294967295"),
        (format!("{pbkdf2} {password} --length 0 --iterations 1"), "0 is not in 1..=1073741824"),
        (format!("{pbkdf2} {password} --length 99999999999999 --iterations 1"), "is not in 1..="),
        (format!("{pbkdf2} {password} --length x --iterations 1"), "invalid"),
        (format!("{pbkdf2} {password} --length 1"), "--iterations"),
        (
            format!("derive pbkdf2 --hash sha256 {password} --iterations 1 --length 1"),
            "<--salt-hex <HEX>|--salt-file <FILE>>",
        ),
        ("derive pbkdf2 --hash sha256 --salt-hex 0 --length 1 --iterations 1".into(), "digits in pairs"),
        ("derive hkdf --hash md5 --ikm-file ikm --length 1".into(), "sha512-256"),
        (
            "derive hkdf --hash sha256 --ikm-file ikm --length 1 --info a --info-hex 00".into(),
            "cannot be used with",
        ),
    ] {
        let run = place.keylane(&arguments);
        assert!(run.status == 2 && run.err.contains(error), "{arguments}: {run:?}");
    }
    for hex in ["0g", "+1", "0x", "é"] {
        let run = place.keylane(&format!("{PBKDF2} {password} --salt-hex {hex}"));
        assert!(run.status == 2 && run.err.contains("digits in pairs"), "{run:?}");
    }
    for (arguments, error) in [
        (format!("{PBKDF2} --salt-file missing {password}"), "missing: No such file"),
        (format!("{PBKDF2} --salt-file huge {password}"), "huge: longer than 1048576 bytes"),
        (
            format!("{PBKDF2} --salt-file salt --password-file missing"),
            "the password file missing: No such file",
        ),
        (format!("{PBKDF2} --salt-file salt --password-file empty"), "the password file empty is empty"),
        (
            format!("{PBKDF2} --salt-file salt --password-file newline --password-trim-newline"),
            "the password file newline is empty",
        ),
        (
            format!("{PBKDF2} --salt-file salt --password-file powershell"),
            "the password file powershell: text with a byte order mark",
        ),
        (format!("{PBKDF2} --salt-file salt"), &format!("no password: give {}", secret_options("password"))),
        ("derive hkdf --hash sha256 --ikm-file empty --length 1".into(), "the ikm file empty is empty"),
        (
            "derive hkdf --hash sha256 --ikm-file ikm --length 8161".into(),
            "--length 8161 is too long: HKDF with sha256 gives at most 8160 bytes",
        ),
    ] {
        place.keylane(&arguments).fails_with(2, error);
    }
    let longest = place.keylane("derive hkdf --hash sha256 --ikm-file ikm --length 8160").done();
    assert_eq!(longest.len(), 2 * 8160 + 1);
}
