//! `cargo xtask site`: builds the guides as a book, with mdBook, and rustdoc's pages, in `target/site`. Links
//! to files of the repository become links to the site's pages or to the repository on the web. The page
//! `docs/try.md` runs the npm package, which is copied if it has been built.

use crate::command::{cargo, output, program, python_packages, root, run as run_command, target};
use anyhow::{Context, Result, ensure};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

const SUMMARY: &str = "docs/SUMMARY.md";
/// Links of a page to rustdoc's pages, which only the site has.
const API: &str = "api/";
const FEATURES: &str = "keylane/getrandom,keylane/rustcrypto,keylane/select,keylane-tls/tokio";

pub(crate) fn run() -> Result<()> {
    let (pages, site) = (target().join("pages"), target().join("site"));
    let repository = env::var("KEYLANE_REPOSITORY").ok();
    no_addresses()?;
    copy_pages(&pages, repository.as_deref())?;
    let tools = python_packages("ci/book.txt")?.join("bin");
    let mut build = program(tools.join("mdbook"));
    if let Some(repository) = &repository {
        build.env("MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL", repository);
    }
    run_command(build.args(["build", "docs", "--dest-dir"]).arg(&site).env("MDBOOK_BOOK__SRC", &pages))?;
    fs::copy(root().join("ci/site/try.mjs"), site.join("docs/try.mjs"))?;
    let package = target().join("npm/keylane/keylane.js");
    if package.exists() {
        fs::copy(package, site.join("docs/keylane.js"))?;
    } else {
        println!("docs/try.html cannot compute: crates/keylane-wasm/README.md says how its package is built");
    }

    // What cargo has documented before would be in the index.
    let doc = target().join("doc");
    let _ = fs::remove_dir_all(&doc);
    let mut workspace = cargo(&["doc", "--quiet", "--no-deps", "--features", FEATURES]);
    let mut arrow = cargo(&["doc", "--quiet", "--no-deps", "--package=keylane-arrow", "--features=parallel"]);
    let packages = ["keylane", "keylane-cpu", "keylane-file", "keylane-tls"];
    workspace.args(packages.map(|name| format!("--package={name}")));
    arrow.current_dir(root().join("crates/keylane-arrow")).arg("--target-dir").arg(target());
    for command in [&mut workspace, &mut arrow] {
        command.env("RUSTDOC", root().join("ci/site/rustdoc.sh"));
        run_command(command.env("RUSTDOCFLAGS", "-Dwarnings --cfg docsrs"))?;
    }
    fs::rename(doc, site.join("api"))?;
    let redirection = "<meta http-equiv=refresh content='0; url=../docs/reference.html'>";
    fs::write(site.join("api/index.html"), redirection)?;
    check_links(&tools.join("lychee"), &site)
}

/// Fails if a file has an address of Keylane's. Nobody holds these names yet: whoever registers one would
/// speak for us.
fn no_addresses() -> Result<()> {
    let pattern = r"(https?:/|github\.(com|io))/[^ ]*keylane|keylane\.(github|readthedocs)";
    let mut grep = program("git");
    grep.args(["grep", "--line-number", "-iE", pattern]).current_dir(root());
    let found = String::from_utf8(grep.output()?.stdout)?;
    ensure!(found.is_empty(), "absolute links to ourselves; KEYLANE_REPOSITORY is the one place:\n{found}");
    Ok(())
}

/// Copies the pages that `SUMMARY` names, and what else is in `docs`. Their links to other files of the
/// repository lead to `repository`, or nowhere.
fn copy_pages(folder: &Path, repository: Option<&str>) -> Result<()> {
    let files = repository.unwrap_or("https://repository.invalid").to_owned() + "/blob/main/";
    let text = fs::read_to_string(root().join(SUMMARY))?;
    let mut pages: BTreeSet<_> = links(&text).iter().map(|(_, link)| resolve(SUMMARY, link)).collect();
    let _ = fs::remove_dir_all(folder);
    for file in output(program("git").args(["ls-files", "docs"]))?.lines() {
        let is_listed = !file.ends_with(".md") || file == SUMMARY || pages.contains(file);
        ensure!(is_listed, "{file} is not in {SUMMARY}");
        pages.insert(file.to_owned());
    }
    for page in &pages {
        let copy = folder.join(if page == SUMMARY { "SUMMARY.md" } else { page });
        fs::create_dir_all(copy.parent().context("in a folder")?)?;
        if !page.ends_with(".md") {
            fs::copy(root().join(page), copy)?;
            continue;
        }
        let mut text = fs::read_to_string(root().join(page)).context(page.clone())?;
        for (at, link) in links(&text).into_iter().rev() {
            let path = resolve(page, &link);
            let (file, _) = path.split_once('#').unwrap_or((&path, ""));
            let on_the_web = if page == SUMMARY {
                path
            } else if link.contains("://") || link.starts_with('#') || path.starts_with(API) {
                continue;
            } else if pages.contains(file) && file != SUMMARY {
                // mdBook makes index.html of README.md, but not of links to it.
                link.replace("README.md", "index.md")
            } else {
                ensure!(root().join(file).exists(), "{page}: {link} is not there");
                files.clone() + &path
            };
            text.replace_range(at..at + link.len(), &on_the_web);
        }
        fs::write(copy, text)?;
    }
    Ok(())
}

/// Returns the links of a page, and where in the text they are.
fn links(text: &str) -> Vec<(usize, String)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let links = events.filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) if !dest_url.is_empty() => {
            Some((range.start + text[range].rfind(&*dest_url)?, dest_url.into_string()))
        }
        _ => None,
    });
    let mut links: Vec<_> = links.collect();
    links.sort();
    links
}

/// Returns the path that a link of the page `from` means.
fn resolve(from: &str, link: &str) -> String {
    let mut path: Vec<_> = from.split('/').collect();
    path.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(path.pop()),
            _ => path.push(part),
        }
    }
    path.join("/")
}

/// Follows every link of every page, rustdoc's included, but those to other sites.
fn check_links(lychee: &Path, site: &Path) -> Result<()> {
    let mut command = program(lychee);
    command.args(["--offline", "--include-fragments", "--no-progress"]);
    command.args(["--index-files=index.html", "--root-dir"]).arg(site);
    // Scripts find lines of a source file, and what has moved.
    command.args(["--exclude=/api/src/.*#", "--exclude=/api/keylane/error/.*#"]);
    // rustdoc also links to an item that it hides.
    command.arg("--exclude=#associatedtype.Core$");
    // Its links are relative to the site's address.
    run_command(command.arg("--exclude-path=/404.html$").arg(site))
}
