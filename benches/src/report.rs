//! Tables in Markdown.

use crate::{
    OURS, bars,
    bars::Per,
    case::Case,
    results::{Results, Row, per},
};
use std::{
    fmt::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

/// Ratios between these, 0.99 to 1.01 when rounded, are level: a run does not tell less apart.
pub const LEVEL: (f64, f64) = (0.985, 1.015);

/// The whole report.
pub fn markdown(results: &Results, slug: &str) -> String {
    let mut s = format!("# Keylane beside other libraries: {}\n\n", results.cpu);
    let mut line = |what: &str, text: &str| writeln!(s, "- {what}: {text}").unwrap();
    line("Instruction sets", &results.features.join(", "));
    line("Clock", &results.clock);
    line("Made", &format!("{}, in {} s, by {}", results.date, results.seconds, results.rustc));
    line("Command", &format!("`{}`", results.command));
    line(
        "How",
        &format!(
            "one thread; {} interleaved rounds a case, the starting library rotating; the median of the rounds; of \
             {} over the table the quietest. All libraries gave the same results before they were timed. Calls do not depend on each other, so short \
             ones overlap.",
            results.rounds,
            if results.passes == 1 { "1 pass".into() } else { format!("{} passes", results.passes) }
        ),
    );
    if let Some((half, most)) = noise(results) {
        line(
            "Noise",
            &format!(
                "passes differ by less than {half:.1} % in half of all cells, {most:.1} % in nine of ten"
            ),
        );
    }
    line("Keylane runs here", &results.chosen.join("; "));
    if !results.absent.is_empty() {
        line("Not on this machine", &results.absent.join(", "));
    }
    let libraries: Vec<_> = (results.libraries.iter().filter(|library| !library.version.is_empty()))
        .map(|library| format!("{} ({})", library.name, library.version))
        .collect();
    line("Libraries", &libraries.join("; "));
    write!(s, "\n![Speed relative to the best rival]({slug}.svg)\n\n").unwrap();
    write!(s, "## Keylane and the best rival\n\n{}\n\n{}\n", summary(results), ours(results)).unwrap();
    write!(s, "## All libraries\n{}", full(results, false)).unwrap();
    s
}

/// The table of `ours`, in two sentences.
pub fn summary(results: &Results) -> String {
    let cases = results.cases();
    let ratios: Vec<_> = cases.iter().filter_map(|case| results.ratio(case)).collect();
    let ahead = ratios.iter().filter(|&&ratio| ratio < LEVEL.0).count();
    let behind = ratios.iter().filter(|&&ratio| ratio >= LEVEL.1).count();
    let (mut rows, mut bars, mut goals) = (0, 0, 0);
    for case in &cases {
        let judged = bars::bar(&case.id()).and_then(|bar| Some((results.judged(case, &bar)?, bar)));
        if let Some((figure, bar)) = judged {
            rows += 1;
            bars += usize::from(figure <= bar.bar);
            goals += usize::from(bar.goal.is_some_and(|goal| figure <= goal));
        }
    }
    format!(
        "Of {} rows, Keylane is ahead of the best rival in {ahead}, level within 1 % in {}, behind in {behind}. Of {rows} \
         rows with a bar, {bars} reach it, {goals} of them the goal.",
        ratios.len(),
        ratios.len() - ahead - behind
    )
}

/// By how much passes differ, in percent: half of all figures by less than the first, nine in ten than the second.
fn noise(results: &Results) -> Option<(f64, f64)> {
    let mut spreads = Vec::new();
    for case in results.cases() {
        for library in &results.libraries {
            let rows = results.rows.iter().filter(|row| row.case == case.id() && row.rival == library.name);
            let cycles: Vec<_> = rows.map(|row| row.cycles).collect();
            let (low, high) =
                cycles.iter().fold((f64::MAX, 0f64), |(low, high), &c| (low.min(c), high.max(c)));
            if cycles.len() > 1 {
                spreads.push((high / low - 1.0) * 100.0);
            }
        }
    }
    spreads.sort_by(f64::total_cmp);
    let at = |part: f64| spreads.get((spreads.len() as f64 * part) as usize).copied();
    Some((at(0.5)?, at(0.9)?))
}

/// Rows = cases: Keylane, the best rival, the ratio, the bar and the verdict.
pub fn ours(results: &Results) -> String {
    let mut s = format!(
        "Cycles per message, iteration or operation, or per byte (c/B). Ratio: Keylane's cycles over the best rival's; \
         below 1, Keylane is ahead.\nBar and goal were set in cycles of another CPU ({}), so the verdict on them is a \
         comparison across CPUs: here, the ratio says more.\n\n\
         | case | Keylane | best rival | ratio | bar | goal | verdict |\n|---|---|---|---|---|---|---|\n",
        bars::REFERENCE
    );
    for case in results.cases() {
        let Some(ours) = results.quietest(&case, OURS) else { continue };
        let (per, id) = (per(&case), case.id());
        let cell = |row: &Row| cell(row.figure(&case, per), per);
        let rival =
            results.best_rival(&case).map_or_else(String::new, |r| format!("{} {}", r.rival, cell(r)));
        let ratio = match results.ratio(&case) {
            Some(ratio) if ratio >= LEVEL.1 => format!("**{ratio:.2}**"),
            Some(ratio) => format!("{ratio:.2}"),
            None => String::new(),
        };
        write!(s, "| {id} | {} | {rival} | {ratio} |", cell(ours)).unwrap();
        match bars::bar(&id) {
            Some(bar) => {
                let goal = bar.goal.map_or_else(|| "–".into(), |goal| target(goal, per));
                let mut verdict =
                    results.judged(&case, &bar).map_or_else(String::new, |figure| verdict(figure, &bar));
                if let (Case::Open { .. }, Some(figure)) = (case, results.judged(&case, &bar)) {
                    write!(verdict, ", {} without the copy", self::cell(figure, per)).unwrap();
                }
                writeln!(s, " {} | {goal} | {verdict} |", target(bar.bar, per)).unwrap();
            }
            None => s.push_str(" | | |\n"),
        }
    }
    s
}

fn verdict(figure: f64, bar: &bars::Bar) -> String {
    match bar.goal {
        Some(goal) if figure <= goal => "goal reached".into(),
        _ if figure <= bar.bar => "bar reached".into(),
        _ => format!("**bar missed** by {:.1} %", (figure / bar.bar - 1.0) * 100.0),
    }
}

fn cell(figure: f64, per: Per) -> String {
    match per {
        Per::Byte => format!("{figure:.3} c/B"),
        Per::Unit => short(figure),
    }
}

fn target(figure: f64, per: Per) -> String {
    match per {
        Per::Byte => format!("{figure} c/B"),
        Per::Unit => format!("{figure}"),
    }
}

/// One table a group: rows = cases, columns = libraries; the best of each row in bold. Cells: cycles per message,
/// iteration or operation, and in parentheses per byte.
pub fn full(results: &Results, ns: bool) -> String {
    let (mut s, cases) = (String::new(), results.cases());
    for group in cases.chunk_by(|a, b| a.id().split('/').next() == b.id().split('/').next()) {
        let columns: Vec<&str> = (results.libraries.iter().map(|library| library.name.as_str()))
            .filter(|name| group.iter().any(|case| results.quietest(case, name).is_some()))
            .collect();
        let name = group[0].id();
        let (name, unit) = (name.split('/').next().unwrap(), if ns { "ns" } else { "cycles" });
        write!(s, "\n### {name}\n\n| {unit} | {} |\n|---|", columns.join(" | ")).unwrap();
        writeln!(s, "{}", "---|".repeat(columns.len())).unwrap();
        for case in group {
            let best = results.all(case).iter().map(|row| row.cycles).fold(f64::MAX, f64::min);
            let (id, unit) = (case.id(), case.units().1);
            let label = id.split_once('/').unwrap().1;
            let per = if unit == "operation" { String::new() } else { format!(", per {unit}") };
            write!(s, "| {label}{per} |").unwrap();
            for column in &columns {
                let Some(row) = results.quietest(case, column) else {
                    s.push_str(" |");
                    continue;
                };
                let value = if ns { row.ns } else { row.cycles };
                let mut cell = short(value / case.units().0);
                if case.bytes() > 0 {
                    write!(cell, " ({:.3})", value / case.bytes() as f64).unwrap();
                }
                let mark = if row.cycles == best { "**" } else { "" };
                write!(s, " {mark}{cell}{mark} |").unwrap();
            }
            s.push('\n');
        }
    }
    s
}

fn short(x: f64) -> String {
    if x < 100.0 { format!("{x:.1}") } else { format!("{x:.0}") }
}

/// Human words for a case.
pub fn label(case: &Case) -> String {
    let size = |len: usize| match len {
        len if len.is_multiple_of(1 << 20) => format!("{} MiB", len >> 20),
        len if len.is_multiple_of(1 << 10) => format!("{} KiB", len >> 10),
        len => format!("{len} B"),
    };
    let name = |h: crate::case::Hash| h.name().to_uppercase().replacen("SHA", "SHA-", 1);
    match *case {
        Case::HmacNew { h, len } => format!("{}, {}, new key", name(h), size(len)),
        Case::HmacKeyed { h, len } => format!("{}, {}, key reused", name(h), size(len)),
        Case::HmacBatch { h, n, len } => format!("{}, batch of {n} × {}", name(h), size(len)),
        Case::HmacKey { h } => format!("{}, key set-up", name(h)),
        Case::Digest { h, len } => format!("{}, {}", name(h), size(len)),
        Case::DigestBatch { h, n, len } => format!("{}, batch of {n} × {}", name(h), size(len)),
        Case::Pbkdf2 { h, blocks: 1, batch: 1, .. } => format!("{}, one password", name(h)),
        Case::Pbkdf2 { h, blocks, batch: 1, .. } => format!("{}, key of {blocks} digests", name(h)),
        Case::Pbkdf2 { h, batch, .. } => format!("{}, {batch} passwords", name(h)),
        Case::HkdfExpand { len } => format!("SHA-256, expand to {}", size(len)),
        Case::AesCtr { bits, len } => format!("AES-{bits}, {}", size(len)),
        Case::Seal { a, len } => format!("{} seal, {}", a.name(), size(len)),
        Case::SealTo { a, len } => format!("{} seal to, {}", a.name(), size(len)),
        Case::Open { a, len } => format!("{} open, {}", a.name(), size(len)),
        Case::AeadKey { a } => format!("{}, key set-up", a.name()),
        Case::ChaCha20 { len } | Case::Poly1305 { len } | Case::Memcpy { len } => size(len),
    }
}

/// UTC, from the system's clock.
pub fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut day, minute) = (seconds / 86400, seconds % 86400 / 60);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02} {:02}:{:02} UTC", month + 1, day + 1, minute / 60, minute % 60)
}

/// The command that makes a run again, of the binary that `bin` asks for. Where its JSON went is nobody's business.
pub fn command(bin: &str, mut args: impl Iterator<Item = String>) -> String {
    let mut command = format!("taskset -c 1 cargo run --release --manifest-path benches/Cargo.toml {bin}--");
    while let Some(arg) = args.next() {
        if arg == "--json" {
            args.next();
        } else {
            command = command + " " + &arg;
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Library;
    use std::time::Duration;

    #[test]
    fn dates() {
        let date = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_798_761_599), "2026-12-31 23:59 UTC");
    }

    #[test]
    fn commands() {
        let args = ["--json", "out.json", "hmac"].map(String::from);
        assert!(command("", args.into_iter()).ends_with("benches/Cargo.toml -- hmac"));
    }

    fn row(case: &str, rival: &str, pass: usize, cycles: f64) -> Row {
        Row { case: case.into(), rival: rival.into(), pass, ns: cycles / 4.0, cycles }
    }

    fn results(libraries: &[&str], rows: Vec<Row>) -> Results {
        let library = |name: &&str| Library { name: name.to_string(), version: String::new() };
        Results {
            cpu: "CPU".into(),
            features: vec![],
            clock: String::new(),
            absent: vec![],
            date: date(UNIX_EPOCH),
            rustc: String::new(),
            command: String::new(),
            seconds: 0,
            passes: 2,
            rounds: 1,
            libraries: libraries.iter().map(library).collect(),
            chosen: vec![],
            rows,
        }
    }

    /// The copy that an `open` includes is taken off for the verdict, and only there.
    #[test]
    fn copies() {
        let (open, each) = ("aes128gcm/open/16K", 16384.0);
        let mut rows = vec![row(open, OURS, 0, 0.380 * each), row(open, "ring", 0, 0.400 * each)];
        let without = ours(&results(&[OURS, "ring"], rows.clone()));
        assert!(without.contains("| 0.380 c/B | ring 0.400 c/B | 0.95 | 0.365 c/B | 0.31 c/B |  |"));
        rows.push(row("memcpy/16K", "memcpy", 0, 0.030 * each));
        let with = ours(&results(&[OURS, "ring", "memcpy"], rows));
        assert!(with.contains(
            "| 0.380 c/B | ring 0.400 c/B | 0.95 | 0.365 c/B | 0.31 c/B | bar reached, 0.350 c/B w"
        ));
    }

    /// Our own implementations are no rivals of ours.
    #[test]
    fn implementations() {
        let case = "aes128gcm/seal/16";
        let rows = vec![
            row(case, OURS, 0, 90.0),
            row(case, "keylane:portable", 0, 80.0),
            row(case, "ring", 0, 300.0),
        ];
        assert!(
            ours(&results(&[OURS, "keylane:portable", "ring"], rows)).contains("| 90.0 | ring 300 | 0.30 |")
        );
    }

    /// Two passes: the quieter one of each library counts.
    #[test]
    fn verdicts() {
        let ahead = "hmac-sha256/keyed/32";
        let behind = "sha256/digest/16K";
        let rows = vec![
            row(ahead, OURS, 0, 350.0),
            row(ahead, OURS, 1, 270.0),
            row(ahead, "slow", 0, 600.0),
            row(ahead, "fast", 0, 540.0),
            row(behind, OURS, 0, 2.1 * 16384.0),
            row(behind, "fast", 0, 2.0 * 16384.0),
        ];
        let results = results(&[OURS, "slow", "fast"], rows);
        let table = ours(&results);
        assert!(
            table.contains("| hmac-sha256/keyed/32 | 270 | fast 540 | 0.50 | 300 | 275 | goal reached |")
        );
        assert!(
            table.contains("| sha256/digest/16K | 2.100 c/B | fast 2.000 c/B | **1.05** | 2.04 c/B | – |")
        );
        assert!(table.contains("**bar missed** by 2.9 %"));
        assert!(summary(&results).starts_with("Of 2 rows, Keylane is ahead of the best rival in 1, level"));
        let chart = crate::chart::svg(&crate::chart::chart(&results));
        assert!(chart.contains("2.00×") && chart.contains("0.95×"));
    }
}
