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
fn bash_completes_with_the_script() {
    let place = Workplace::new();
    place.write("script", place.keylane("completions bash").done().as_bytes());
    let complete = "source ./script && COMP_WORDS=(keylane der) COMP_CWORD=1 && \
        _keylane keylane der keylane && echo \"${COMPREPLY[*]}\"";
    let Some(run) = place.tool("bash", &["--norc", "-c", complete]) else { return };
    assert_eq!(run.done(), "derive\n");
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
        let (_, examples) =
            text.split_once("\n.SH EXAMPLES\n.EX\nkeylane ").unwrap_or_else(|| panic!("{text}"));
        assert!(examples.ends_with("\n.EE\n") && !text.contains("EXTRA"), "{text}");
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
