//! What `keylane.h` says, to be printed otherwise: as a page of Markdown and as one for man.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

/// Everything that the header declares.
pub(crate) struct Reference {
    /// What holds for every function.
    pub(crate) about: Vec<Block>,
    pub(crate) sections: Vec<Section>,
    /// The section of each name.
    home: BTreeMap<String, String>,
}

/// The title of a section, and the names that it declares.
pub(crate) type Names<'a> = (&'a str, Vec<String>);

/// What one source file declares.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
}

/// A constant, a type or a function.
pub(crate) struct Item {
    pub(crate) name: String,
    /// In C, without what only compilers read.
    pub(crate) declaration: String,
    pub(crate) about: Vec<Block>,
}

/// A part of a comment.
#[derive(Debug, PartialEq)]
pub(crate) enum Block {
    Paragraph(String),
    /// Each with what it means.
    Terms(Vec<(String, String)>),
    Returns(String),
}

/// A part of a paragraph.
#[derive(Debug, PartialEq)]
pub(crate) enum Span<'a> {
    Plain(&'a str),
    Code(&'a str),
    /// Something that the header declares.
    Name(&'a str),
}

impl Item {
    /// The value, if this is a constant.
    pub(crate) fn value(&self) -> Option<&str> {
        let (_, value) = self.declaration.strip_prefix("#define ")?.split_once(' ')?;
        Some(value.trim_start_matches('(').trim_end_matches(')'))
    }
}

impl Reference {
    /// From a header and the names of each section. Each name must be in the header, and each of the header's names in
    /// a section.
    pub(crate) fn new(header: &str, sections: &[Names<'_>]) -> Result<Self> {
        let about = header.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        // The first paragraph is for those who open the header.
        let about = blocks(about.context("the header begins with no comment")?.0).split_off(1);
        let mut items = BTreeMap::new();
        for part in header.split("/**\n").skip(1) {
            let (comment, rest) = part.split_once("*/\n").context("a comment without an end")?;
            let item = item(comment, rest.split("\n\n").next().unwrap_or(rest))?;
            items.insert(item.name.clone(), item);
        }
        let mut reference = Self { about, sections: Vec::new(), home: BTreeMap::new() };
        for (title, names) in sections {
            let mut found = Vec::new();
            for name in names {
                found.push(items.remove(name).with_context(|| format!("{name} is not in the header"))?);
                reference.home.insert(name.clone(), (*title).to_owned());
            }
            reference.sections.push(Section { title: (*title).to_owned(), items: found });
        }
        ensure!(items.is_empty(), "of no section: {:?}", items.keys());
        Ok(reference)
    }

    /// The title of the section where a name is declared.
    pub(crate) fn home(&self, name: &str) -> &str {
        self.home.get(name).map_or("", String::as_str)
    }

    pub(crate) fn spans<'a>(&self, text: &'a str) -> Vec<Span<'a>> {
        let mut spans = Vec::new();
        for (i, piece) in text.split('`').enumerate() {
            if i % 2 == 1 {
                spans.push(if self.home.contains_key(piece) { Span::Name(piece) } else { Span::Code(piece) });
            } else {
                self.words(piece, &mut spans);
            }
        }
        spans
    }

    /// Words with an underscore are code, and so are errors by their short names.
    fn words<'a>(&self, text: &'a str, spans: &mut Vec<Span<'a>>) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut plain, mut rest) = (0, 0);
        while let Some(start) = text[rest..].find(is_part).map(|start| rest + start) {
            let mut end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |len| start + len);
            if text[start..end].ends_with('_') && text[end..].starts_with('*') {
                end += 1;
            }
            let word = &text[start..end];
            rest = end;
            let is_name = self.home.contains_key(word);
            if is_name || word.contains('_') || self.home.contains_key(&format!("KEYLANE_ERROR_{word}")) {
                spans.push(Span::Plain(&text[plain..start]));
                spans.push(if is_name { Span::Name(word) } else { Span::Code(word) });
                plain = end;
            }
        }
        spans.push(Span::Plain(&text[plain..]));
    }
}

fn item(comment: &str, declaration: &str) -> Result<Item> {
    let read_by_people = |line: &str| {
        let line = line.strip_prefix("KEYLANE_WARN_UNUSED_RESULT").map_or(line, str::trim_start);
        line.split("KEYLANE_NONNULL(").next().unwrap_or(line).trim_end().to_owned()
    };
    let lines = declaration.lines().map(read_by_people).filter(|line| !line.is_empty());
    let mut declaration = lines.collect::<Vec<_>>().join("\n");
    if !declaration.starts_with('#') && !declaration.ends_with(';') {
        declaration.push(';');
    }
    let name = name(&declaration).with_context(|| format!("no name in {declaration:?}"))?.to_owned();
    Ok(Item { name, declaration, about: blocks(comment) })
}

/// What a declaration declares.
fn name(declaration: &str) -> Option<&str> {
    if let Some(constant) = declaration.strip_prefix("#define ") {
        return constant.split(' ').next();
    }
    if declaration.starts_with("typedef ") {
        return declaration.rsplit_once("} ")?.1.strip_suffix(';');
    }
    declaration.split_once('(')?.0.rsplit([' ', '*']).next()
}

/// The text of a comment, in whose lines a star comes first.
fn blocks(comment: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut goes_on = false;
    for line in comment.lines() {
        let line = line.strip_prefix(" *").unwrap_or(line);
        let line = line.strip_prefix(' ').unwrap_or(line);
        let text = line.trim();
        if text.is_empty() {
            goes_on = false;
        } else if let Some(term) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) {
            let (term, meaning) = term.split_once(' ').unwrap_or((term, ""));
            let entry = (term.to_owned(), meaning.trim().to_owned());
            match blocks.last_mut() {
                Some(Block::Terms(terms)) if goes_on => terms.push(entry),
                _ => blocks.push(Block::Terms(vec![entry])),
            }
            goes_on = true;
        } else if let Some(returned) = text.strip_prefix("@return ") {
            blocks.push(Block::Returns(returned.to_owned()));
            goes_on = true;
        } else {
            match blocks.last_mut() {
                Some(Block::Paragraph(before) | Block::Returns(before)) if goes_on => {
                    *before += " ";
                    *before += text;
                }
                Some(Block::Terms(terms)) if goes_on => {
                    let last = terms.last_mut().expect("a term began the list");
                    last.1 += " ";
                    last.1 += text;
                }
                _ => blocks.push(Block::Paragraph(text.to_owned())),
            }
            goes_on = true;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\
/* For those who open the header.
 *
 * What can fail returns 0 or
 * an error: every function
 *   NULL     for a null
 *            pointer,
 *   OVERLAP  if they overlap.
 *
 * The end.
 */

#ifndef KEYLANE_H

/**
 * A pointer is null.
 */
#define KEYLANE_ERROR_NULL (-100)

/**
 * Some bytes.
 */
typedef struct KEYLANE_ALIGNED(16) keylane_bytes {
    const uint8_t *data;
} keylane_bytes;

/**
 * Takes `bytes`, a keylane_bytes.
 *
 * @return 0; NULL, which no
 * KEYLANE_ERROR_* but that is.
 */
KEYLANE_WARN_UNUSED_RESULT
int keylane_take(const struct keylane_bytes *bytes,
                 size_t n)
KEYLANE_NONNULL(1);

/**
 * A name.
 */
const char *keylane_name(void);

#endif
";

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn reference() -> Reference {
        let sections = [
            ("Errors", names(&["KEYLANE_ERROR_NULL"])),
            ("Bytes", names(&["keylane_bytes", "keylane_take", "keylane_name"])),
        ];
        Reference::new(HEADER, &sections).unwrap()
    }

    #[test]
    fn declarations_without_what_compilers_read() {
        let reference = reference();
        let items = |section: usize| reference.sections[section].items.iter();
        let declarations: Vec<_> = items(1).map(|item| item.declaration.as_str()).collect();
        assert_eq!(items(0).map(Item::value).collect::<Vec<_>>(), [Some("-100")]);
        assert_eq!(
            declarations,
            [
                "typedef struct KEYLANE_ALIGNED(16) keylane_bytes {\n    const uint8_t *data;\n} keylane_bytes;",
                "int keylane_take(const struct keylane_bytes *bytes,\n                 size_t n);",
                "const char *keylane_name(void);",
            ]
        );
    }

    #[test]
    fn comments_become_blocks() {
        let reference = reference();
        let paragraph = |text: &str| Block::Paragraph(text.to_owned());
        let term = |term: &str, meaning: &str| (term.to_owned(), meaning.to_owned());
        assert_eq!(
            reference.about,
            [
                paragraph("What can fail returns 0 or an error: every function"),
                Block::Terms(vec![term("NULL", "for a null pointer,"), term("OVERLAP", "if they overlap.")]),
                paragraph("The end."),
            ]
        );
        let returns = Block::Returns("0; NULL, which no KEYLANE_ERROR_* but that is.".to_owned());
        assert_eq!(
            reference.sections[1].items[1].about,
            [paragraph("Takes `bytes`, a keylane_bytes."), returns]
        );
    }

    #[test]
    fn names_and_code_in_a_text() {
        use Span::{Code, Name, Plain};
        let reference = reference();
        let spans = |text| {
            let mut spans = reference.spans(text);
            spans.retain(|span| *span != Plain(""));
            spans
        };
        assert_eq!(
            spans("`n` keylane_bytes; NULL, no KEYLANE_ERROR_* but `keylane_take`."),
            [
                Code("n"),
                Plain(" "),
                Name("keylane_bytes"),
                Plain("; "),
                Code("NULL"),
                Plain(", no "),
                Code("KEYLANE_ERROR_*"),
                Plain(" but "),
                Name("keylane_take"),
                Plain("."),
            ]
        );
        assert_eq!(spans("Null: 2^38 - 64"), [Plain("Null: 2^38 - 64")]);
    }

    #[test]
    fn nothing_is_left_out() {
        let refused = |sections: &[Names<'_>]| Reference::new(HEADER, sections).is_err();
        let all = ["KEYLANE_ERROR_NULL", "keylane_bytes", "keylane_take", "keylane_name"];
        assert!(!refused(&[("All", names(&all))]));
        assert!(refused(&[("Three", names(&all[1..]))]));
        assert!(refused(&[("All", names(&all)), ("Another", names(&["keylane_other"]))]));
    }
}
