//! `keylane.3`, the manual page.

use super::reference::{Block, Reference, Span};
use std::fmt::Write;

const TITLE: &str = r#".\" Made by `cargo xtask header` from include/keylane.h: do not edit.
.TH KEYLANE 3 "" "Keylane VERSION" "Library Functions Manual"
.nh
.ad l
.SH NAME
keylane \- hashes, MACs, key derivation, ciphers
.SH SYNOPSIS
.nf
.B #include <keylane.h>
.PP
cc \fIprogram.c\fP $(pkg\-config \-\-cflags \-\-libs keylane)
.fi
.SH DESCRIPTION
"#;

/// For a version of the library.
pub(super) fn page(reference: &Reference, version: &str) -> String {
    let mut page = TITLE.replace("VERSION", version);
    blocks(reference, &reference.about, &mut page);
    for section in &reference.sections {
        writeln!(page, ".SH {}", section.title.to_ascii_uppercase()).expect("a string takes all");
        for item in &section.items {
            if let Some(value) = item.value() {
                writeln!(page, ".TP\n.BR {} \" = {}\"", item.name, escaped(value))
                    .expect("a string takes all");
                for block in &item.about {
                    paragraph(reference, block, &mut page);
                }
                continue;
            }
            writeln!(page, ".SS {}\n.nf\n{}\n.fi", item.name, escaped(&item.declaration))
                .expect("a string takes all");
            blocks(reference, &item.about, &mut page);
        }
    }
    page
}

fn blocks(reference: &Reference, blocks: &[Block], page: &mut String) {
    for block in blocks {
        if !matches!(block, Block::Terms(_)) {
            *page += ".PP\n";
        }
        paragraph(reference, block, page);
    }
}

fn paragraph(reference: &Reference, block: &Block, page: &mut String) {
    match block {
        Block::Paragraph(text) => *page += &format!("{}\n", inline(reference, text)),
        Block::Returns(text) => *page += &format!("\\fBReturns\\fP {}\n", inline(reference, text)),
        Block::Terms(terms) => {
            for (term, text) in terms {
                *page += &format!(".TP\n.B {term}\n{}\n", inline(reference, text));
            }
        }
    }
}

fn inline(reference: &Reference, text: &str) -> String {
    let shown = |span| match span {
        Span::Plain(text) => escaped(text),
        Span::Code(code) => format!("\\fI{}\\fP", escaped(code)),
        Span::Name(name) => format!("\\fB{name}\\fP"),
    };
    let text: String = reference.spans(text).into_iter().map(shown).collect();
    // A dot or a quote at the beginning of a line would be a request.
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\
/* For those who open the header.
 *
 * Where:
 *   A     term with a \\ in it.
 */

/**
 * A number.
 */
#define KEYLANE_X (-1)

/**
 * .so what: `x` keylane_f
 *
 * @return a-b.
 */
int keylane_f(void);

";

    #[test]
    fn requests_and_text() {
        let names = vec!["KEYLANE_X".to_owned(), "keylane_f".to_owned()];
        let reference = Reference::new(HEADER, &[("All of it", names)]).unwrap();
        let page = page(&reference, "1.2.3");
        assert!(page.contains("\"Keylane 1.2.3\""), "{page}");
        let body = page.split_once(".SH DESCRIPTION\n").unwrap().1;
        assert_eq!(
            body,
            ".PP\nWhere:\n.TP\n.B A\nterm with a \\e in it.\n.SH ALL OF IT\n.TP\n.BR KEYLANE_X \" = \\-1\"\nA number.\n\
             .SS keylane_f\n.nf\nint keylane_f(void);\n.fi\n\
             .PP\n\\&.so what: \\fIx\\fP \\fBkeylane_f\\fP\n.PP\n\\fBReturns\\fP a\\-b.\n"
        );
    }
}
