//! Help, wrong usage, and pipes that close.

use super::workplace::Workplace;

#[test]
fn every_command_has_help() {
    let place = Workplace::new();
    let all = place.keylane("--help").done();
    assert!(all.contains("Exit status: 0 done, 1 verification failed, 2 wrong usage or input"));
    for command in super::manual::commands(&place) {
        let help = place.keylane(&format!("{command} --help")).done();
        assert!(help.contains("Usage: keylane") && !help.starts_with("Usage"), "{help}");
        assert!(help.contains("\nExamples:\n  "), "{help}");
        assert!(all.contains(command.split(' ').next().unwrap()));
        assert!(!help.to_lowercase().contains("[possible values: ]"));
    }
    assert!(place.keylane("--version").done().starts_with("keylane 0."));
}

/// How examples begin that are not run, and why.
#[cfg(unix)]
const NOT_RUN: [(&str, &str); 1] = [("keylane bench", "bench.rs runs it")];

/// The shell runs each line as it is in the help, which a terminal of 80 columns does not break.
#[cfg(unix)]
#[test]
fn examples_are_lines_to_paste() {
    let help_of = |command: &str| Workplace::new().keylane(&format!("{command} --help")).done();
    let commands = super::manual::commands(&Workplace::new());
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_keylane")).parent().unwrap().display();
    let mut run = 0;
    for command in commands.iter().map(String::as_str).chain([""]) {
        let help = help_of(command);
        let (_, examples) = help.split_once("\nExamples:\n").unwrap();
        assert!(examples.lines().all(|line| line.len() <= 80 && line.starts_with("  ")), "{examples}");
        let place = Workplace::with(&[
            ("home.tar", b"not quite an archive"),
            ("disk.iso", b"a disk"),
            ("secret", &[7; 32]),
            ("salt", b"a salt of 16 bytes"),
            ("password", b"password\n"),
        ]);
        let sh = |line: &str| {
            let script = format!("PATH={folder}:$PATH HOME=$PWD; {line}");
            place.tool("bash", &["-e", "-o", "pipefail", "-c", &script])
        };
        let prepared = "mkdir -p photos/2026; echo 1 >photos/2026/1; keylane keygen -o backup.key; \
            keylane encrypt -k backup.key home.tar; \
            tar c photos | keylane encrypt -k backup.key >photos.tar.kl";
        let Some(done) = sh(prepared) else { return };
        done.done();
        match command {
            "" | "keygen" => std::fs::remove_file(place.path("backup.key")).unwrap(),
            "decrypt" => {
                drop(sh("keylane encrypt -k backup.key -r photos; rm photos/2026/1").unwrap().done())
            }
            _ => {}
        }
        if matches!(command, "" | "encrypt") {
            sh("rm *.kl").unwrap().done();
        }
        for line in examples.replace("\\\n", "").lines() {
            if !NOT_RUN.iter().any(|(start, _)| line.trim_start().starts_with(start)) {
                sh(line).unwrap().done();
                run += 1;
            }
        }
    }
    assert!(run >= 20, "{run} examples");
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
    for (command, line) in [("hash", "`SHA256 (name) = HEX`"), ("mac", "`HMAC-SHA256 (name) = HEX`")] {
        assert!(help(command).contains(&format!("Write a list in the BSD format: {line}")));
    }
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
    for (arguments, like) in [
        ("mac sha256 --key x", "--key-file"),
        ("decrypt --key x", "--key-file"),
        ("derive pbkdf2 --password x", "--password-file"),
    ] {
        let said = place.keylane(arguments).err;
        assert!(
            said.contains(&format!("a similar argument exists: '{like}'")) && !said.contains("-fd"),
            "{said}"
        );
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
        (
            &["mac", "sha256", "--key-file", NAME, "--key-format", "hex", "list"],
            "is not pairs of hexadecimal digits",
        ),
        (&["encrypt", "--key-file", "key", gone], "No such file or directory"),
        (&["encrypt", "--key-file", "key", "list", "-o", NAME], "exists: give --force to overwrite it"),
        (&["decrypt", "-c", "--key-file", "key", NAME], "not a file encrypted by Keylane"),
        (&["decrypt", "--key-file", "key", NAME], "it does not end in .kl: name the output with -o"),
        (&["keygen", gone], "unexpected argument"),
        (&["derive", "hkdf", "--hash", "sha256", "--length", "1", "--ikm-file", gone], "No such file"),
        (&["derive", "hkdf", "--hash", "sha256", "--length", gone], "invalid value"),
        (&["bench", "--json", "gone\x1b[2J\nkeylane: done/file"], "No such file or directory"),
        (&["man", "--out", &format!("{NAME}/man1")], "Not a directory"),
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
    for arguments in ["hash sha256 --check list", "bench"] {
        place.ends_with_its_reader(arguments);
    }
}
