//! `cargo xtask constant-time`: looks for branches and addresses that depend on secrets.
//!
//! The program `constant-time` in `checks/instrumented` marks secrets, and a tool follows them: valgrind through the library as users get it,
//! on the CPU that valgrind emulates; MemorySanitizer, compiled in, on this CPU or in an emulator. What the library makes
//! public of a secret is listed from the sources: the uses of `reveal`.

mod seen;
mod tools;

use crate::evidence::Evidence;
use crate::{demands, sources, steps};
use anyhow::{Result, anyhow, bail, ensure};
use proc_macro2::{TokenStream, TokenTree};
use seen::Seen;
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use tools::Tool;

pub(crate) fn run(root: &Path, emulator: bool, record: bool) -> Result<()> {
    let evidence = Evidence::begin(root, "constant-time", record)?;
    let public = made_public(root)?;
    let mut built = Vec::new();
    steps::step("constant-time: programs", || {
        // Side by side: at the end of each build one core is idle.
        let programs = thread::scope(|scope| {
            let build = |tool: Tool| scope.spawn(move || tool.build(root));
            [Tool::Valgrind, Tool::MemorySanitizer]
                .map(build)
                .map(|build| build.join().expect("no panic in a build"))
        });
        let [valgrind, sanitizer] = programs;
        let sanitizer = sanitizer?;
        built.extend([(Tool::Valgrind, valgrind?), (Tool::MemorySanitizer, sanitizer.clone())]);
        built.extend(emulator.then_some((Tool::Emulator, sanitizer)));
        Ok(())
    })?;
    let mut runs = Vec::new();
    for (tool, program) in built {
        steps::step(&format!("constant-time: {tool}"), || {
            let seen = seen::run(tool.command(root, &program)?, tool.names_places())?;
            println!("{}", seen.summary());
            for case in &seen.lost {
                println!("  lost sight of secrets: {case}");
            }
            runs.push((tool, seen));
            Ok(())
        })?;
    }
    let unseen = table(&runs)?;
    let backends = demands::backends(root)?;
    for (tool, seen) in &runs {
        let must_see = |implementation: &str| tool.must_see(implementation, &backends);
        let missed = seen.absent.iter().find(|(_, implementation)| must_see(implementation));
        if let Some((primitive, implementation)) = missed {
            bail!("{tool} did not see {primitive} by {implementation}, which its CPU has");
        }
    }
    println!("\nMade public of secrets, by `reveal`:");
    for place in &public {
        println!("  {place}");
    }
    if !unseen.is_empty() {
        println!("\nSeen by no tool on this CPU, which lacks the instructions: {}", unseen.join(", "));
    }
    println!("\nconstant-time: no branch and no address depends on a secret");
    if let Some(mut evidence) = evidence {
        for (tool, seen) in &runs {
            evidence.figure(format!("cases without a report: {tool}"), seen.cases());
            evidence.figure(format!("cases in which it lost sight of secrets: {tool}"), seen.lost.len());
            evidence.figure(
                format!("implementations seen: {tool}"),
                format!("{} of {}", seen.rows.len(), seen.rows.len() + seen.absent.len()),
            );
            evidence.figure(format!("leaks put in on purpose, each reported: {tool}"), seen.planted);
        }
        evidence.figure("implementations seen by no tool", unseen.len());
        evidence.figure("places where something becomes public", public.len());
        evidence.record(root)?;
    }
    Ok(())
}

/// Prints who saw what, and gives what nobody saw.
fn table(runs: &[(Tool, Seen)]) -> Result<Vec<String>> {
    let mut cells: BTreeMap<&(String, String), Vec<String>> = BTreeMap::new();
    for (place, (_, seen)) in runs.iter().enumerate() {
        for (row, cases) in &seen.rows {
            cells.entry(row).or_insert_with(|| vec!["-".to_owned(); runs.len()])[place] = cases.to_string();
        }
        for row in &seen.absent {
            cells.entry(row).or_insert_with(|| vec!["-".to_owned(); runs.len()]);
        }
    }
    let heads: Vec<String> = runs.iter().map(|(tool, _)| tool.to_string()).collect();
    println!("\n{:18} {:14} {}", "primitive", "implementation", heads.join("  "));
    let mut unseen = Vec::new();
    for ((primitive, implementation), counts) in cells {
        let aligned: Vec<String> = counts
            .iter()
            .zip(&heads)
            .map(|(count, head)| format!("{count:>width$}", width = head.len()))
            .collect();
        println!("{primitive:18} {implementation:14} {}", aligned.join("  "));
        if counts.iter().all(|count| count == "-") {
            unseen.push(format!("{primitive} by {implementation}"));
        }
    }
    ensure!(runs.iter().all(|(_, seen)| !seen.rows.is_empty()), "a tool saw nothing");
    Ok(unseen)
}

/// Where the library makes something public of a secret, with the line.
fn made_public(root: &Path) -> Result<Vec<String>> {
    let mut places = Vec::new();
    for name in ["keylane", "keylane-file", "keylane-tls"] {
        for source in sources::read(root, &Path::new("crates").join(name).join("src"))? {
            let lines: Vec<_> = source.text.lines().collect();
            for number in reveals(source.text.parse().map_err(|error| anyhow!("{error}"))?) {
                places.push(format!("{}:{number}: {}", source.path.display(), lines[number - 1].trim()));
            }
        }
    }
    ensure!(!places.is_empty(), "the library makes nothing public: `reveal` has another name now");
    Ok(places)
}

/// The lines with the word `reveal`, called or handed on, but not those that only `use` it.
fn reveals(tokens: TokenStream) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut in_use = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            // `use<…>` is part of a type.
            TokenTree::Ident(word) if word == "use" => {
                in_use = !matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '<');
            }
            TokenTree::Punct(end) if end.as_char() == ';' => in_use = false,
            TokenTree::Ident(word) if word == "reveal" && !in_use => lines.push(word.span().start().line),
            TokenTree::Group(group) if !in_use => lines.extend(reveals(group.stream())),
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::reveals;

    #[test]
    fn every_use_of_reveal_is_found_and_no_mention() {
        let source = "use a::{b, reveal};\n/// reveal(x)\nfn f() {\n    // reveal(x)\n    a::reveal(\n        1);\n\
            g.map(reveal); revealed(1)\n}\nfn h() -> impl I + use<> { reveal\n(2) }";
        assert_eq!(reveals(source.parse().unwrap()), [5, 7, 9]);
    }
}
