//! Several files, and those in folders.

use super::{encrypted, place};
use crate::workplace::Workplace;
use std::fs;

fn folders() -> Workplace {
    let place = place();
    fs::create_dir_all(place.path("dir/sub/deep")).unwrap();
    for (name, content) in
        [("dir/b", "1"), ("dir/a", "2"), ("dir/sub/c", "3"), ("dir/sub/deep/d", "4"), ("dir/z", "5")]
    {
        place.write(name, content.as_bytes());
    }
    #[cfg(unix)]
    for (to, name) in [("../key", "dir/link"), ("..", "dir/loop")] {
        std::os::unix::fs::symlink(to, place.path(name)).unwrap();
    }
    place
}

#[test]
fn each_file_gets_its_own_output() {
    let place = place();
    place.write("a", b"1");
    place.write("b.tar", b"2");
    // A glob may match one, or two.
    assert_eq!(place.keylane("encrypt -k key b.tar").done(), "");
    assert_eq!(place.keylane("decrypt -k key -c b.tar.kl").done(), "2");
    place.keylane("encrypt -k key b.tar").fails_with(2, "b.tar.kl exists: give --force");
    place.keylane("decrypt -k key b.tar.kl").fails_with(2, "b.tar exists: give --force");
    fs::remove_file(place.path("b.tar.kl")).unwrap();
    assert_eq!(place.keylane("encrypt -k key a b.tar").done(), "");
    fs::remove_file(place.path("a")).unwrap();
    fs::remove_file(place.path("b.tar")).unwrap();
    assert_eq!(place.keylane("-d -k key a.kl b.tar.kl").done(), "");
    assert_eq!((place.read("a"), place.read("b.tar")), (b"1".to_vec(), b"2".to_vec()));
    assert_eq!(place.names(), ["a", "a.kl", "b.tar", "b.tar.kl", "key", "other-key"]);
    // The secret is read once: by a pipe it comes only once.
    let words = ["encrypt", "--force", "--key-fd", "0", "a", "b.tar"];
    place.keylane_with(&words, &place.read("key")).done();
    place.keylane("decrypt --force -k key a.kl b.tar.kl").done();
    assert_eq!((place.read("a"), place.read("b.tar")), (b"1".to_vec(), b"2".to_vec()));
}

/// Two in one place would be no encrypted file, or a text with a gap.
#[test]
fn standard_output_takes_one_file() {
    let place = place();
    for name in ["a", "b"] {
        place.write(name, name.as_bytes());
    }
    let piped = place.bytes("encrypt -k key a - b", b"typed");
    assert_eq!(place.keylane_with(&["-d", "-k", "key"], &piped).done(), "typed");
    for (arguments, what) in [
        ("encrypt -c a b", "standard output takes only one file"),
        ("encrypt - a -", "standard output takes only one file"),
        ("decrypt a.kl b.kl -c", "standard output takes only one file"),
        ("decrypt a.kl b.kl -o -", "--output takes only one file"),
    ] {
        place.keylane(&format!("{arguments} -k key")).fails_with(2, what);
    }
    for arguments in ["encrypt -c -o b a", "decrypt -o - -c a.kl", "encrypt -c -r a"] {
        let run = place.keylane(&format!("{arguments} -k key"));
        assert!(run.status == 2 && run.err.contains("cannot be used with"), "{run:?}");
    }
    place.keylane("encrypt -k key .").fails_with(2, "--recursive");
    if cfg!(unix) {
        let what = "it is no regular file: name the output with -o";
        place.keylane("encrypt -k key /dev/null").fails_with(2, what);
    }
    assert_eq!(place.names(), ["a", "a.kl", "b", "b.kl", "key", "other-key"]);
}

#[test]
fn the_others_are_done_after_one_that_fails() {
    let place = place();
    for name in ["one.kl", "two.kl"] {
        place.write(name, &encrypted(&place, name.as_bytes()));
    }
    place.write("bad.kl", &[encrypted(&place, b""), vec![0]].concat());
    place.write("old", b"old");
    place.write("plain", b"no .kl");
    place.write("old.kl", &encrypted(&place, b"new"));
    // The exit status tells of a damaged file, whatever fails before and after it.
    let run = place.keylane("decrypt -k key missing.kl old.kl - one.kl plain bad.kl two.kl gone.kl");
    assert_eq!((run.status, &*run.out), (1, ""));
    assert_eq!(
        run.err,
        "keylane: missing.kl: No such file or directory\nkeylane: old exists: give --force to overwrite it\n\
         keylane: standard input: the file was cut off: its end is missing\n\
         keylane: plain: it does not end in .kl: name the output with -o\n\
         keylane: bad.kl: damaged: the end, chunk 0, text from byte 0, was changed or cut off\n\
         keylane: gone.kl: No such file or directory\n"
    );
    assert_eq!(
        (place.read("one"), place.read("two"), place.read("old")),
        (b"one.kl".to_vec(), b"two.kl".to_vec(), b"old".to_vec())
    );
    assert!(!place.path("bad").exists());
    // Without the secret nothing is done, and that is said once.
    for encrypted in ["one.kl", "two.kl"] {
        fs::remove_file(place.path(encrypted)).unwrap();
    }
    place.keylane("encrypt one two").fails_with(2, "no passphrase");
    place.keylane("encrypt -k missing one two").fails_with(2, "the key file missing: No such file");
    assert!(!place.path("one.kl").exists());
}

#[test]
fn folders_are_encrypted_and_decrypted() {
    let place = folders();
    assert_eq!(place.keylane("encrypt -k key --recursive dir").done(), "");
    // What is encrypted is not encrypted again.
    place.keylane("encrypt -k key -r --force dir").done();
    place.keylane("encrypt -k key -r dir/a.kl").fails_with(2, "dir/a.kl: it ends in .kl already");
    let files = ["dir/a", "dir/b", "dir/sub/c", "dir/sub/deep/d", "dir/z"];
    let before = files.map(|name| place.read(name));
    for name in files {
        fs::remove_file(place.path(name)).unwrap();
        assert!(place.path(&format!("{name}.kl")).exists() && !place.path(&format!("{name}.kl.kl")).exists());
    }
    place.write("dir/notes", b"not encrypted");
    assert_eq!(place.keylane("decrypt -k key -r dir").done(), "");
    assert_eq!(files.map(|name| place.read(name)), before);
    assert!(!place.path("dir/link.kl").exists() && !place.path("key.kl").exists());
}

#[test]
fn folders_are_hashed_in_order() {
    let place = folders();
    let names = ["key", "dir/a", "dir/b", "dir/sub/c", "dir/sub/deep/d", "dir/z"];
    for command in ["hash sha256", "mac sha256 -k other-key"] {
        let expected = place.keylane(&format!("{command} {}", names.join(" "))).done();
        for option in ["-r", "--recursive --threads 3"] {
            assert_eq!(place.keylane(&format!("{command} {option} key dir")).done(), expected);
        }
        let run = place.keylane(&format!("{command} -r missing dir"));
        assert_eq!((run.status, run.out), (2, expected.split_inclusive('\n').skip(1).collect()));
        assert_eq!(run.err, "keylane: missing: No such file or directory\n");
        for wrong in ["-r", "-r --check dir"] {
            assert_eq!(place.keylane(&format!("{command} {wrong}")).status, 2);
        }
    }
    // The list is not in itself.
    if cfg!(unix) {
        let list = "cd dir; $K hash sha256 -r . >list; $K hash sha256 -c --quiet list; wc -l <list";
        assert_eq!(place.shell(list).done().trim(), "5");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_listed_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let place = folders();
    fs::set_permissions(place.path("dir/sub"), fs::Permissions::from_mode(0o0)).unwrap();
    let run = place.keylane("hash sha256 -r dir");
    fs::set_permissions(place.path("dir/sub"), fs::Permissions::from_mode(0o700)).unwrap();
    // Root can.
    let lines = run.out.lines().count();
    assert!(
        (run.status, lines) == (0, 5)
            || (run.status, lines, &*run.err) == (2, 3, "keylane: dir/sub: Permission denied\n"),
        "{run:?}"
    );
}
