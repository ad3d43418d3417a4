//! Completions and manual pages.

use super::workplace::Workplace;
use std::fs;

/// Returns the commands that the help lists, with subcommands: "derive", "derive pbkdf2" …
pub(crate) fn commands(place: &Workplace) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(command) = open.pop() {
        let help = place.keylane(&format!("{command} --help")).done();
        let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in below.take_while(|line| line.starts_with("  ")) {
            // A command's description may continue on the next line, further to the right.
            let name = line[2..].split([' ', ',']).next().unwrap();
            if !name.is_empty() && name != "help" {
                open.push(format!("{command} {name}").trim().to_owned());
            }
        }
        found.extend((!command.is_empty()).then_some(command));
    }
    assert!(found.len() > 10 && found.contains(&"derive pbkdf2".to_owned()), "{found:?}");
    found
}

#[test]
fn completions_know_every_command() {
    let place = Workplace::new();
    let commands = commands(&place);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.keylane(&format!("completions {shell}")).done();
        for command in &commands {
            let name = command.split(' ').next_back().unwrap();
            assert!(script.contains(name), "{shell}: {command}");
        }
        place.write(shell, script.as_bytes());
    }
    assert_eq!(place.keylane("completions tcsh").status, 2);
}

/// The shell runs the script.
#[cfg(unix)]
#[test]
fn shells_complete_with_the_script() {
    let place = Workplace::new();
    let bash = "words() { COMP_WORDS=(keylane \"$@\") COMP_CWORD=$#; _keylane keylane \"${!#}\" keylane; \
        echo \"${COMPREPLY[*]}\"; }; source ./bash; words der; words -e --passphrase-; words -d --recur";
    // It completes only at a terminal: this shows what it would complete.
    let zsh = "compdef() { :; }; _arguments() { print -r -- $words }; source ./zsh; CURRENT=3 \
        words=(keylane -e --key); _keylane; words=(keylane -d --key); _keylane";
    let fish = "source fish; for line in 'keylane der' 'keylane -e --passphrase-' 'keylane -d --recur'; \
        complete -C $line; end";
    for (shell, complete, completed) in [
        ("bash", bash, "derive\n--passphrase-file --passphrase-fd\n--recursive\n"),
        ("zsh", zsh, "keylane encrypt --key\nkeylane decrypt --key\n"),
        ("fish", fish, "derive\n--passphrase-fd\n--passphrase-file\n--recursive\n"),
    ] {
        place.write(shell, place.keylane(&format!("completions {shell}")).done().as_bytes());
        let Some(run) = place.tool(shell, &["-c", complete]) else { continue };
        let words = run.out.lines().map(|line| format!("{}\n", line.split('\t').next().unwrap()));
        assert_eq!(words.collect::<String>(), completed, "{shell}: {}", run.err);
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Workplace::new();
    assert_eq!(place.keylane("man --out deep/man1").done(), "");
    let mut pages: Vec<_> = fs::read_dir(place.path("deep/man1"))
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut expected: Vec<_> = commands(&place)
        .iter()
        .map(|command| format!("keylane-{}.1", command.replace(' ', "-")))
        .chain(["keylane.1".to_owned()])
        .collect();
    pages.sort_unstable();
    expected.sort_unstable();
    assert_eq!(pages, expected);
    assert!(place.keylane("man").done().into_bytes() == place.read("deep/man1/keylane.1"));
    for page in pages {
        let text = String::from_utf8(place.read(&format!("deep/man1/{page}"))).unwrap();
        let (_, examples) = text.split_once("\n.SH EXAMPLES\n.EX\n").unwrap_or_else(|| panic!("{text}"));
        assert!(
            examples.contains("keylane ") && examples.ends_with("\n.EE\n") && !text.contains("EXTRA"),
            "{text}"
        );
        assert!(text.contains("\n.SH \"EXIT STATUS\"\n0 done, "), "{text}");
        assert!(text.contains(concat!("\"keylane ", env!("CARGO_PKG_VERSION"), "\" Keylane\n")), "{text}");
        // The formatter's warnings are on standard error, which must be empty.
        let Some(run) =
            place.tool("groff", &["-man", "-Kutf8", "-Tutf8", "-ww", "-z", &format!("deep/man1/{page}")])
        else {
            return;
        };
        assert_eq!(run.done(), "", "{page}");
    }
    place.write("file", b"");
    place.keylane("man --out file/man1").fails_with(2, "file/man1: Not a directory");
}
