//! `--check`: the output and the exit status.

use super::workplace::{Workplace, powershell};

/// Creates three files and their list.
fn listed(command: &str) -> Workplace {
    let place = Workplace::with(&[("key", b"a key"), ("a", b"1"), ("b", b"2"), ("c", b"3")]);
    let list = place.keylane(&format!("{command} a b c")).done();
    place.write("list", list.as_bytes());
    place
}

const HASH: &str = "hash sha256";
const MAC: &str = "mac sha512 --key-file key";

const ALL_OK: &str = "a: OK\nb: OK\nc: OK\n";

#[test]
fn unchanged_files_are_ok() {
    for command in [HASH, MAC] {
        let place = listed(command);
        for (arguments, expected) in [
            ("--check", ALL_OK),
            ("--check --quiet", ""),
            ("--check --status", ""),
            ("-c list", &ALL_OK.repeat(2)),
        ] {
            assert_eq!(place.keylane(&format!("{command} {arguments} list")).done(), expected);
        }
        let words: Vec<_> = command.split(' ').chain(["--check"]).collect();
        assert_eq!(place.keylane_with(&words, &place.read("list")).done(), ALL_OK);
    }
}

#[test]
fn a_tag_under_another_key_fails() {
    let place = listed(MAC);
    place.write("key", b"another key");
    let out = place.keylane(&format!("{MAC} --check list")).fails_with(1, "WARNING: 3 computed checksums");
    assert_eq!(out, "a: FAILED\nb: FAILED\nc: FAILED\n");
}

#[test]
fn a_malformed_line_is_reported_with_its_number() {
    let place = listed(HASH);
    let list = String::from_utf8(place.read("list")).unwrap();
    place.write("list", format!("# a comment\n\nnot a checksum  a\n{list}").as_bytes());
    let (line, sum) = ("list:3: improperly formatted line", "WARNING: 1 line is improperly formatted");
    for (options, status, err) in [
        ("", 0, format!("keylane: {sum}\n")),
        ("--strict", 2, format!("keylane: {sum}\n")),
        ("--warn", 0, format!("keylane: {line}\nkeylane: {sum}\n")),
        ("-w --strict", 2, format!("keylane: {line}\nkeylane: {sum}\n")),
    ] {
        let run = place.keylane(&format!("hash sha256 --check {options} list"));
        assert_eq!((run.status, &*run.out, run.err), (status, ALL_OK, err), "{options}");
    }
    // A mismatch takes precedence.
    place.write("c", b"corrupted");
    assert_eq!(place.keylane("hash sha256 --check --strict list").status, 1);
}

#[test]
fn a_list_of_nothing_is_wrong_input() {
    let place = listed(HASH);
    for content in ["", "\n", "# only a comment\n"] {
        place.write("empty", content.as_bytes());
        place.keylane("hash sha256 --check empty").fails_with(2, "empty: no properly formatted line found");
    }
    place.write("half", b"\xff\xfea");
    place.keylane("hash sha256 --check half").fails_with(2, "half: malformed UTF-16 after a byte order mark");
    // Digests of another length.
    let other = place.keylane("hash sha512 --check list");
    assert_eq!((other.status, &*other.out), (2, ""));
    // The good list is checked nevertheless.
    assert_eq!(place.keylane("hash sha256 --check empty list").fails_with(2, "empty: no"), ALL_OK);
}

#[test]
fn a_list_that_cannot_be_read_is_wrong_input() {
    let place = listed(HASH);
    std::fs::create_dir(place.path("folder")).unwrap();
    for (list, reason) in [("missing", "No such file"), ("folder", "Is a directory")] {
        let out = place.keylane(&format!("hash sha256 --check {list} list"));
        assert_eq!(out.fails_with(2, &format!("{list}: {reason}")), ALL_OK);
    }
}

#[test]
fn lists_of_other_programs_are_read() {
    let place = listed(HASH);
    let list = String::from_utf8(place.read("list")).unwrap();
    for other in [
        list.replace("  ", " *"),
        list.to_uppercase().replace("  A", "  a").replace("  B", "  b").replace("  C", "  c"),
        list.replace('\n', "\r\n"),
        list.trim_end().to_owned(),
        list.replace("  ", " "),
        list.replace("  ", "\t"),
        format!("\u{feff}{list}"),
        format!("\u{feff}{}", list.replace("  ", " ")),
    ]
    .map(String::into_bytes)
    .into_iter()
    .chain([powershell(&list)])
    {
        place.write("other", &other);
        assert_eq!(place.keylane("hash sha256 --check other").done(), ALL_OK, "{other:x?}");
    }
}

/// Each list is read as its own first line says.
#[test]
fn lists_with_one_blank_and_with_two_are_checked_together() {
    let place = listed(HASH);
    let list = String::from_utf8(place.read("list")).unwrap();
    place.write("other", list.replace("  ", " ").as_bytes());
    for lists in ["list other", "other list"] {
        assert_eq!(place.keylane(&format!("hash sha256 --check {lists}")).done(), ALL_OK.repeat(2));
    }
}

/// The function's name is part of such a line, and distinguishes digests from tags.
#[test]
fn a_line_of_the_bsd_format_names_its_function() {
    let place = listed(HASH);
    let list = place.keylane("hash sha512-256 --tag a").done();
    assert!(list.starts_with("SHA512/256 (a) = "), "{list}");
    place.write("digests", list.as_bytes());
    let list = place.keylane(&format!("{MAC} --tag a")).done();
    assert!(list.starts_with("HMAC-SHA512 (a) = "), "{list}");
    place.write("tags", list.as_bytes());
    for (command, list) in [("hash sha512-256", "digests"), (MAC, "tags")] {
        assert_eq!(place.keylane(&format!("{command} --check {list}")).done(), "a: OK\n");
    }
    for (command, list) in [(HASH, "digests"), ("hash sha512", "tags"), (MAC, "digests")] {
        let run = place.keylane(&format!("{command} --check {list}"));
        assert_eq!((run.status, &*run.out), (2, ""), "{command} {list}");
        assert!(run.err.contains(&format!("{list}: no properly formatted line found")), "{run:?}");
    }
}

#[test]
fn the_format_of_a_list_is_not_chosen_when_it_is_read() {
    let place = listed(HASH);
    for option in ["--tag", "--zero", "-z"] {
        let run = place.keylane(&format!("hash sha256 --check {option} list"));
        assert!(run.status == 2 && run.err.contains("cannot be used with"), "{run:?}");
    }
}

#[test]
fn missing_files_may_be_ignored_unless_all_are_missing() {
    for command in [HASH, MAC] {
        let place = listed(command);
        let check = format!("{command} --check --ignore-missing list");
        std::fs::remove_file(place.path("b")).unwrap();
        assert_eq!(place.keylane(&check).done(), "a: OK\nc: OK\n");
        // A file that cannot be read is not missing.
        std::fs::create_dir(place.path("b")).unwrap();
        let run = place.keylane(&check);
        assert_eq!((run.status, &*run.out), (1, "a: OK\nb: FAILED open or read\nc: OK\n"));
        std::fs::remove_dir(place.path("b")).unwrap();
        for name in ["a", "c"] {
            std::fs::remove_file(place.path(name)).unwrap();
        }
        assert_eq!(place.keylane(&check).fails_with(1, "list: no file was verified"), "");
        // Nor is one verified where a line is malformed as well.
        place.write("list", &[place.read("list"), b"junk\n".to_vec()].concat());
        let run = place.keylane(&check);
        assert!((run.status, &*run.out) == (1, "") && run.err.contains("no file was verified"), "{run:?}");
    }
    let run = listed(HASH).keylane("hash sha256 --ignore-missing a");
    assert!(run.status == 2 && run.err.contains("--check"), "{run:?}");
}
