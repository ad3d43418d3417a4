//! The output: files, links, devices, permissions.

use super::{encrypted, place, text};
use crate::workplace::{IS_A_FOLDER, NOT_A_FOLDER};

const ENCRYPT: &str = "encrypt --key-file key";
const DECRYPT: &str = "decrypt --key-file key";

#[test]
fn an_existing_file_is_overwritten_only_with_force() {
    let place = place();
    place.write("text", b"text");
    // A lost key cannot be restored.
    for command in ["keygen", "encrypt --key-file key text", "decrypt --key-file key file"] {
        place.write("file", &encrypted(&place, b"text"));
        place.write("out", b"old");
        place.keylane(&format!("{command} -o out")).fails_with(2, "out exists: give --force to overwrite it");
        assert_eq!(place.read("out"), b"old");
        place.keylane(&format!("{command} -o out --force")).done();
        assert_ne!(place.read("out"), b"old");
    }
    assert_eq!(place.read("out"), b"text");
    assert_eq!(place.names(), ["file", "key", "other-key", "out", "text"]);
}

/// The contents are on the disk before they have the name, and the name is before the command ends: whoever
/// encrypts may then delete the text.
#[cfg(target_os = "linux")]
#[test]
fn contents_are_synced_before_the_name_and_the_folder_after() {
    let place = place();
    place.write("text", b"text");
    for command in [
        "keygen -o new",
        "encrypt --key-file key text -o file",
        "decrypt --key-file key file -o text --force",
    ] {
        let options = "-f -qq -y -o trace -e trace=/^(f.*sync|rename|link)";
        let words = options.split(' ').chain([env!("CARGO_BIN_EXE_keylane")]).chain(command.split(' '));
        let Some(run) = place.tool("strace", &words.collect::<Vec<_>>()) else { return };
        run.done();
        let trace = String::from_utf8(place.read("trace")).unwrap();
        let [contents, name, folder] = trace.lines().collect::<Vec<_>>()[..] else { panic!("{trace}") };
        assert!(contents.contains("sync(") && contents.contains("/.keylane-"), "{command}: {trace}");
        assert!(name.contains("rename") && name.contains("/.keylane-"), "{command}: {trace}");
        assert!(folder.contains("fsync(") && !folder.contains("/.keylane-"), "{command}: {trace}");
        assert!(trace.lines().all(|call| call.ends_with(" = 0")), "{command}: {trace}");
    }
}

#[test]
fn a_failure_leaves_the_old_file() {
    let place = place();
    let mut file = encrypted(&place, &text(1 << 20));
    *file.last_mut().unwrap() ^= 1;
    place.write("bad", &file);
    place.write("out", b"old");
    place.keylane(&format!("{DECRYPT} bad -o out --force")).fails_with(1, "bad: damaged");
    assert_eq!(place.read("out"), b"old");
    assert_eq!(place.names(), ["bad", "key", "other-key", "out"]);
}

#[test]
fn the_program_file_knows_the_format() {
    let place = place();
    place.write("text", b"text");
    place.write("passphrase", b"a passphrase");
    let magic = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keylane.magic");
    for (options, what) in [
        ("--key-file key", "AES-256-GCM, key file"),
        (
            "--passphrase-file passphrase --algorithm chacha20-poly1305",
            "ChaCha20-Poly1305, passphrase by Argon2id, 64 MiB, 3 passes, 4 lanes",
        ),
        (
            "--passphrase-file passphrase --kdf pbkdf2 --iterations 600000",
            "AES-256-GCM, passphrase by PBKDF2, 600000 iterations",
        ),
    ] {
        place.keylane(&format!("encrypt {options} text -o out --force")).done();
        let Some(run) = place.tool("file", &["-b", "-m", magic, "out"]) else { return };
        assert_eq!(run.done(), format!("Keylane encrypted file, version 1, {what}\n"));
    }
    let mime = place.tool("file", &["-b", "--mime-type", "-m", magic, "out"]).unwrap();
    assert_eq!(mime.done(), "application/x-keylane\n");
    // Without the file, after `cargo install`, the help has a line.
    let help = place.keylane("inspect --help").done();
    let line = help.lines().find(|line| line.contains("~/.magic")).unwrap();
    let command = format!("HOME=$PWD; export HOME; file -b out; {line}; file -b out");
    let said = place.shell(&command).done();
    assert!(
        said.lines().next() != said.lines().last() && said.ends_with("\nKeylane encrypted file\n"),
        "{said}"
    );
    // Desktops have it in another form.
    let xml = include_str!("../../../../../docs/keylane.xml");
    let known = roxmltree::Document::parse(xml).unwrap();
    let value = known.descendants().find_map(|node| node.attribute("value")).unwrap();
    assert_eq!(value, place.read("out")[..8].escape_ascii().to_string());
    assert!(known.descendants().any(|node| node.attribute("type") == Some("application/x-keylane")));
    // Of another version, only the number is known.
    place.write("later", b"\x8ckeylane\x02\x01\x01");
    let later = place.tool("file", &["-b", "-m", magic, "later"]).unwrap();
    assert_eq!(later.done(), "Keylane encrypted file, version 2\n");
}

#[test]
fn files_that_cannot_be_read_or_written() {
    let place = place();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("text", b"text");
    for (arguments, what) in [
        ("missing -o out", "missing: No such file or directory"),
        ("folder -o out", "folder: Is a directory"),
        ("text -o folder", &format!("folder: {IS_A_FOLDER}")),
        ("text -o no/out", "no/out: No such file or directory"),
        ("text -o text/out", &format!("text/out: {NOT_A_FOLDER}")),
    ] {
        place.keylane(&format!("{ENCRYPT} {arguments}")).fails_with(2, what);
    }
    // Not even a header.
    let run = place.keylane(&format!("{ENCRYPT} folder"));
    assert!(run.status == 2 && run.out.is_empty() && run.err.contains("--recursive"), "{run:?}");
    assert_eq!(place.names(), ["folder", "key", "other-key", "text"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::workplace::Workplace;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn mode(place: &Workplace, name: &str) -> u32 {
        fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn permissions_are_those_of_a_new_file_or_of_the_old_one() {
        let place = place();
        place.write("text", b"text");
        for (umask, expected) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
            let command = format!("umask {umask}; $K {ENCRYPT} text -o out");
            let run = place.shell(&command);
            run.done();
            assert_eq!(mode(&place, "out"), expected);
            fs::remove_file(place.path("out")).unwrap();
        }
        place.write("file", &encrypted(&place, b"text"));
        for old in [0o600, 0o640, 0o666, 0o755] {
            place.write("out", b"old");
            fs::set_permissions(place.path("out"), Permissions::from_mode(old)).unwrap();
            place.keylane(&format!("{DECRYPT} file -o out --force")).done();
            assert_eq!((place.read("out"), mode(&place, "out")), (b"text".to_vec(), old));
        }
    }

    /// Only root can change a file's owner. Others may have only one group.
    #[test]
    fn readers_and_owner_stay_the_old_file_s() {
        let place = place();
        place.write("file", &encrypted(&place, b"text"));
        let group = |name: &str| fs::metadata(place.path(name)).unwrap().gid();
        let root = fs::metadata(place.path("file")).unwrap().uid() == 0;
        let other = if root { 12345 } else { group("file") };
        let new = |mode| {
            place.write("out", b"old");
            chown(place.path("out"), None, Some(other)).unwrap();
            fs::set_permissions(place.path("out"), Permissions::from_mode(mode)).unwrap();
        };
        new(0o640);
        place.keylane(&format!("{DECRYPT} file -o out --force")).done();
        assert_eq!((group("out"), mode(&place, "out")), (other, 0o640));
        if root {
            chown(place.path("out"), Some(12345), None).unwrap();
            place.keylane(&format!("{DECRYPT} file -o out --force")).done();
            let out = fs::metadata(place.path("out")).unwrap();
            assert_eq!((out.uid(), out.gid(), mode(&place, "out")), (12345, other, 0o640));
            // A user who is not in that group.
            new(0o664);
            for name in ["key", "file"] {
                chown(place.path(name), Some(54321), None).unwrap();
            }
            fs::set_permissions(place.path("."), Permissions::from_mode(0o777)).unwrap();
            // Only root may have access to the build's folder.
            fs::copy(env!("CARGO_BIN_EXE_keylane"), place.path("keylane")).unwrap();
            let command = "setpriv --reuid 54321 --regid 54321 --clear-groups ./keylane";
            let run = place.shell(&format!("{command} {DECRYPT} file -o out --force"));
            run.done();
            assert_eq!((group("out"), mode(&place, "out")), (54321, 0o604));
        }
    }

    #[test]
    fn a_link_stays() {
        let place = place();
        place.write("old", b"old");
        symlink("old", place.path("link")).unwrap();
        place.write("file", &encrypted(&place, b"text"));
        place.keylane(&format!("{DECRYPT} file -o link")).fails_with(2, "link exists");
        place.keylane(&format!("{DECRYPT} file -o link --force")).done();
        assert_eq!(fs::read_link(place.path("link")).unwrap().to_str(), Some("old"));
        assert_eq!(place.read("old"), b"text");
        // A link to nothing is no name for a new file, and is not followed to a place that is not known.
        fs::remove_file(place.path("old")).unwrap();
        for force in ["", " --force"] {
            place
                .keylane(&format!("{DECRYPT} file -o link{force}"))
                .fails_with(2, "keylane: link is a link to old, which does not exist");
        }
        assert_eq!(place.names(), ["file", "key", "link", "other-key"]);
    }

    /// A new file cannot be made beside it, or take its name: the message names another way, which works.
    #[test]
    fn a_file_that_cannot_be_replaced_can_be_written_into() {
        let place = place();
        fs::create_dir(place.path("dir")).unwrap();
        place.write("file", &encrypted(&place, b"text"));
        place.write("dir/out", b"");
        // Only root may have access to the build's folder, may write everywhere, and may mount.
        fs::copy(env!("CARGO_BIN_EXE_keylane"), place.path("keylane")).unwrap();
        let root = fs::metadata(place.path("dir")).unwrap().uid() == 0;
        let mut ways = vec![("sh", "chmod 555 dir", "", "Permission denied")];
        if root {
            fs::set_permissions(place.path("."), Permissions::from_mode(0o755)).unwrap();
            for name in ["key", "file", "dir/out"] {
                chown(place.path(name), Some(54321), None).unwrap();
            }
            ways[0].2 = "setpriv --reuid 54321 --regid 54321 --clear-groups";
            if place.tool("unshare", &["--mount", "true"]).is_some_and(|run| run.status == 0) {
                let mount = "mount --bind other-key dir/out";
                ways.push(("unshare --mount sh", mount, "", "Device or resource busy"));
            }
        }
        for (sh, prepare, user, why) in ways {
            let decrypt = format!("{user} ./keylane decrypt -k key file -o");
            let command = format!(
                "{prepare}; {decrypt} dir/out --force; echo $?; {decrypt} - >dir/out; cat dir/out; ls -A dir"
            );
            let run = place.shell(&format!("{sh} -c '{command}' 2>&1"));
            let how = "a new file is made beside it and then renamed; \
                to write into it, give - as the output";
            assert_eq!(run.out, format!("keylane: dir/out: {why}: {how}: - >dir/out\n2\ntextout\n"));
            fs::set_permissions(place.path("dir"), Permissions::from_mode(0o700)).unwrap();
        }
    }

    /// A file that is renamed to their names would replace them.
    #[test]
    fn devices_and_named_pipes_are_not_replaced() {
        let place = place();
        let text = text(1 << 20);
        place.write("text", &text);
        place.keylane(&format!("{ENCRYPT} text -o /dev/null")).done();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());

        let command =
            format!("mkfifo pipe && {{ $K {ENCRYPT} text -o pipe & $K {DECRYPT} pipe -o out && wait; }}");
        let run = place.shell(&command);
        run.done();
        assert!(place.read("out") == text);
        assert!(!fs::metadata(place.path("pipe")).unwrap().is_file());

        let file = place.bytes(&format!("{ENCRYPT} text -o /dev/stdout"), b"");
        let out = place.bytes(&format!("{DECRYPT} /dev/stdin -o /dev/fd/1"), &file);
        assert!(out == text);
    }

    /// Opening it waits for a reader, which is useless if nothing will be written.
    #[test]
    fn a_named_pipe_is_opened_last() {
        let place = place();
        let Some(run) = place.tool("mkfifo", &["pipe"]) else { return };
        run.done();
        place.write("text", b"text");
        for (arguments, status, what) in [
            ("encrypt --key-file key missing -o pipe", 2, "missing: No such file or directory"),
            ("encrypt --key-file missing text -o pipe", 2, "the key file missing: No such file or directory"),
            ("decrypt --key-file key text -o pipe", 1, "text: not a file encrypted by Keylane"),
        ] {
            place.keylane(arguments).fails_with(status, what);
        }
    }

    #[test]
    fn a_disk_is_overwritten_only_with_force() {
        let place = place();
        place.write("text", b"text");
        // The device does not exist. Only root can create the file.
        let Some(made) = place.tool("mknod", &["disk", "b", "0", "0"]) else { return };
        if made.status == 0 {
            let encrypt = format!("{ENCRYPT} text -o disk");
            place.keylane(&encrypt).fails_with(2, "disk exists: give --force to overwrite it");
            place.keylane(&format!("{encrypt} --force")).fails_with(2, "disk: No such device or address");
        }
    }

    /// Under any name: its contents would be lost.
    #[test]
    fn neither_the_secret_nor_the_input_is_the_output() {
        let place = place();
        place.write("text", b"text");
        place.write("file", &encrypted(&place, b"text"));
        place.write("phrase", b"a passphrase");
        symlink("key", place.path("link")).unwrap();
        fs::hard_link(place.path("key"), place.path("hard-link")).unwrap();
        fs::hard_link(place.path("text"), place.path("text-link")).unwrap();
        let before = place.names();
        for (arguments, what) in [
            (format!("{ENCRYPT} text -o key"), "the key file key is also the output"),
            (format!("{ENCRYPT} text -o ./key"), "the key file key is also the output"),
            (format!("{ENCRYPT} text -o link"), "the key file key is also the output"),
            (format!("{ENCRYPT} text -o hard-link"), "the key file key is also the output"),
            ("encrypt --key-file link text -o key".to_owned(), "the key file link is also the output"),
            #[cfg(target_os = "linux")]
            (format!("{ENCRYPT} text -o /dev/fd/3 3<key"), "the key file key is also the output"),
            (format!("{ENCRYPT} text -o /dev/stdout >>key"), "the key file key is also the output"),
            (format!("{ENCRYPT} -c text >>key"), "the key file key is also the output"),
            (format!("{ENCRYPT} -c text >>text"), "text is also the output"),
            (
                "encrypt --key-fd 3 text -o key 3<key".to_owned(),
                "the key of file descriptor 3 is also the output",
            ),
            ("encrypt --key-file - text -o key <key".to_owned(), "the key file - is also the output"),
            (
                "encrypt --passphrase-file phrase text -o phrase".to_owned(),
                "the passphrase file phrase is also the output",
            ),
            (format!("{DECRYPT} file -o key"), "the key file key is also the output"),
            (format!("{ENCRYPT} text -o text"), "text is also the output"),
            (format!("{ENCRYPT} text -o text-link"), "text is also the output"),
            (format!("{ENCRYPT} -o text <text"), "standard input is also the output"),
            (format!("{DECRYPT} file -o file"), "file is also the output"),
        ] {
            let run = place.shell(&format!("$K {} --force", arguments));
            run.fails_with(2, what);
        }
        assert_eq!(
            (place.read("key"), place.read("text"), place.names()),
            (vec![7; 32], b"text".to_vec(), before)
        );
        // The same device is allowed.
        place.shell(&format!("$K {ENCRYPT} </dev/null >/dev/null")).done();
    }
}
