//! `keylane backends`

use crate::Document;
use crate::status::{Outcome, Status};
use clap::Args;
use keylane::{Implementation, Primitive, primitives};
use serde::Serialize;
use std::env::consts::ARCH;
use std::io::Write;

/// Show every primitive's implementations, and which of them run on this CPU
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keylane backends")]
pub(crate) struct Backends {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Lists {
    version: &'static str,
    architecture: &'static str,
    primitives: Vec<List>,
}

#[derive(Serialize)]
struct List {
    name: &'static str,
    implementations: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    name: &'static str,
    usable: bool,
    passes_self_test: bool,
    chosen: bool,
    /// None: it is never the fastest here.
    from_messages: Option<usize>,
}

impl From<Implementation> for Line {
    fn from(implementation: Implementation) -> Self {
        Self {
            name: implementation.name,
            usable: implementation.usable,
            passes_self_test: implementation.passes_self_test,
            chosen: implementation.chosen,
            from_messages: Some(implementation.from_messages).filter(|&it| it < usize::MAX),
        }
    }
}

impl Line {
    fn remark(&self) -> String {
        let state = match (self.usable, self.passes_self_test, self.chosen) {
            (false, ..) => return "cannot run here".to_owned(),
            (_, false, _) => return "FAILS ITS SELF-TEST, never used".to_owned(),
            (.., true) => "chosen",
            (.., false) => "usable",
        };
        match self.from_messages {
            Some(messages @ 2..) => format!("{state} from {messages} messages at once"),
            _ => state.to_owned(),
        }
    }
}

impl Backends {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let list = |primitive: &Primitive| List {
            name: primitive.name(),
            implementations: primitive.implementations().map(Line::from).collect(),
        };
        let primitives = primitives().iter().map(list).collect();
        let document = Lists { version: env!("CARGO_PKG_VERSION"), architecture: ARCH, primitives };
        document.write(self.json, out)?;
        Ok(Status::Done)
    }
}

impl Document for Lists {
    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let names = self.primitives.iter().flat_map(|list| &list.implementations).map(|line| line.name.len());
        let width = names.max().unwrap_or(0);
        for (place, list) in self.primitives.iter().enumerate() {
            if place > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", list.name)?;
            for line in &list.implementations {
                let mark = if line.chosen { '*' } else { ' ' };
                writeln!(out, "  {mark} {:width$}  {}", line.name, line.remark())?;
            }
        }
        writeln!(out, "\nChosen: the cheapest for that many messages, if it passes its self-test.")
    }
}
