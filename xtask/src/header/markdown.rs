//! `docs/c-reference.md`.

use super::reference::{Block, Item, Reference, Section, Span};
use std::fmt::Write;

const TITLE: &str = "\
# keylane.h

<!-- Made by `cargo xtask header` from crates/keylane-ffi/include/keylane.h: do not edit. -->

Everything that the header declares. How to install, find and link the library, and the rules in short:
[Keylane in C](c.md). The same as a manual page: `man keylane`. `poly1305.h`, for programs that were written for
poly1305-opt, belongs to another library, `libkeylane_poly1305`; its comments are its reference.
";

pub(super) fn page(reference: &Reference) -> String {
    let mut page = TITLE.to_owned();
    let sections = reference.sections.iter();
    let line = |section: &Section| {
        let link = |item: &Item| format!("[`{}`]({})", item.name, anchor(&item.name));
        let linked = section.items.iter().filter(|item| item.value().is_none());
        let links: Vec<_> = linked.map(link).collect();
        let colon = if links.is_empty() { "" } else { ": " };
        format!("- [{}]({}){colon}{}\n", section.title, anchor(&section.title), links.join(", "))
    };
    page += "\n## Contents\n\n- [For every function](#for-every-function)\n";
    page.extend(sections.clone().map(line));
    page += "\n## For every function\n";
    blocks(reference, &reference.about, &mut page);
    for section in sections {
        writeln!(page, "\n## {}", section.title).expect("a string takes all");
        let (constants, others): (Vec<_>, Vec<_>) =
            section.items.iter().partition(|item| item.value().is_some());
        table(reference, &constants, &mut page);
        for item in others {
            write!(page, "\n### {}\n\n```c\n{}\n```\n", item.name, item.declaration)
                .expect("a string takes all");
            blocks(reference, &item.about, &mut page);
        }
    }
    page
}

fn table(reference: &Reference, constants: &[&Item], page: &mut String) {
    if !constants.is_empty() {
        *page += "\n| constant | value | |\n|---|---|---|\n";
    }
    for constant in constants {
        let text = |block: &Block| match block {
            Block::Paragraph(text) => inline(reference, text),
            other => panic!("a constant's comment is text: {other:?}"),
        };
        let about: Vec<_> = constant.about.iter().map(text).collect();
        let value = constant.value().expect("a constant has a value");
        writeln!(page, "| `{}` | {value} | {} |", constant.name, about.join(" "))
            .expect("a string takes all");
    }
}

fn blocks(reference: &Reference, blocks: &[Block], page: &mut String) {
    for block in blocks {
        page.push('\n');
        match block {
            Block::Paragraph(text) => *page += &inline(reference, text),
            Block::Returns(text) => *page += &format!("**Returns** {}", inline(reference, text)),
            Block::Terms(terms) => {
                let line =
                    |(term, text): &(String, String)| format!("- `{term}` {}", inline(reference, text));
                *page += &terms.iter().map(line).collect::<Vec<_>>().join("\n");
            }
        }
        page.push('\n');
    }
}

fn inline(reference: &Reference, text: &str) -> String {
    let shown = |span| match span {
        Span::Plain(text) => text.to_owned(),
        Span::Code(code) => format!("`{code}`"),
        // Constants have no heading of their own.
        Span::Name(name) if name.starts_with("KEYLANE") => {
            format!("[`{name}`]({})", anchor(reference.home(name)))
        }
        Span::Name(name) => format!("[`{name}`]({})", anchor(name)),
    };
    reference.spans(text).into_iter().map(shown).collect()
}

/// The link to a heading, as GitHub and rustdoc make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_ascii_alphanumeric() || "_- ".contains(c));
    format!("#{}", kept.collect::<String>().to_ascii_lowercase().replace(' ', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn anchors() {
        assert_eq!(anchor("AES, the block cipher"), "#aes-the-block-cipher");
        assert_eq!(anchor("keylane_hmac_key"), "#keylane_hmac_key");
    }

    /// The pages in the repository: their headings are where their links lead to, their files are there.
    #[test]
    fn links_lead_somewhere() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs");
        let mut links = 0;
        for name in ["c-reference.md", "c.md"] {
            let page = std::fs::read_to_string(docs.join(name)).unwrap();
            let headings = page.lines().filter(|line| line.starts_with('#'));
            let anchors: Vec<_> = headings.map(|line| anchor(line.trim_start_matches(['#', ' ']))).collect();
            let different: BTreeSet<_> = anchors.iter().collect();
            assert_eq!(different.len(), anchors.len(), "{name}: two headings are the same");
            for link in page.split("](").skip(1).map(|rest| rest.split_once(')').unwrap().0) {
                let elsewhere = link.starts_with("https://") || docs.join(link).is_file();
                assert!(elsewhere || anchors.iter().any(|anchor| anchor == link), "{name}: {link}");
                links += 1;
            }
        }
        assert!(links > 100, "{links} links");
    }
}
