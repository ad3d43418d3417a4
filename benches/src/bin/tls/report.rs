//! Tables in Markdown, and the chart.

use crate::{
    bars::{self, Bar, Measure, PROVIDER, STREAM},
    figures::{Figures, is_ours},
};
use keylane_benches::{
    bars::REFERENCE,
    chart::{self, Chart, Group},
    report,
};
use keylane_tls_testkit::{
    case::{Case, Scenario},
    scenario::Metric,
};
use std::{fmt::Write as _, time::SystemTime};

/// Where and by what a run was made.
pub(crate) struct Made {
    pub(crate) cpu: String,
    pub(crate) clock: String,
    pub(crate) seconds: u64,
    /// Names and versions.
    pub(crate) versions: Vec<(String, String)>,
}

/// Whom Keylane is held against in every table.
const AGAINST: [(&str, &str); 3] = [(STREAM, "go"), (STREAM, "rustls+ring"), (PROVIDER, "rustls+ring")];

/// The whole report.
pub(crate) fn markdown(figures: &Figures, made: &Made, slug: &str) -> String {
    let mut s = format!("# TLS beside other libraries: {}\n\n", made.cpu);
    let mut line = |what: &str, text: &str| writeln!(s, "- {what}: {text}").unwrap();
    line("Clock", &made.clock);
    line(
        "Made",
        &format!("{}, in {} s, by {}", report::date(SystemTime::now()), made.seconds, env!("BENCH_RUSTC")),
    );
    line("Command", &format!("`{}`", report::command("--bin tls ", std::env::args().skip(1))));
    line(
        "How",
        "interleaved rounds, the starting library rotating; medians. Every library passed the case's checks before it \
         was timed. X25519 everywhere, and the same certificates.",
    );
    let libraries: Vec<_> =
        made.versions.iter().map(|(name, version)| format!("{name} ({version})")).collect();
    line("Libraries", &libraries.join("; "));
    write!(s, "\n![Speed relative to the best rival]({slug}.svg)\n\n{}", tables(figures)).unwrap();
    s
}

/// The targets, then a table for each metric of each scenario.
pub(crate) fn tables(figures: &Figures) -> String {
    let mut s = targets(figures);
    for scenario in Scenario::ALL {
        let mut cases = figures.cases();
        cases.retain(|case| case.scenario() == scenario);
        for &metric in shown(scenario) {
            table(&mut s, figures, &cases, metric);
        }
    }
    s
}

fn shown(scenario: Scenario) -> &'static [Metric] {
    match scenario {
        Scenario::Records => &[Metric::Send, Metric::Receive, Metric::Borrow],
        Scenario::Throughput => &[Metric::Cpu, Metric::Wall],
        Scenario::Handshakes => &[Metric::Server, Metric::Client],
        Scenario::Latency => &[Metric::FirstByte],
    }
}

fn heading(scenario: Scenario, metric: Metric) -> &'static str {
    match (scenario, metric) {
        (Scenario::Records, Metric::Send) => "Records in memory: writing",
        (Scenario::Records, Metric::Receive) => "Records in memory: reading",
        (Scenario::Records, _) => "Records in memory: reading without a copy (`BufRead`)",
        (Scenario::Throughput, Metric::Cpu) => "Throughput: echo over loopback TCP, by CPU time",
        (Scenario::Throughput, _) => "Throughput: echo over loopback TCP, by wall clock",
        (Scenario::Handshakes, Metric::Server) => "Handshakes: the server's CPU time",
        (Scenario::Handshakes, _) => "Handshakes: the client's CPU time",
        (Scenario::Latency, _) => "Latency: the first byte through a slow socket",
    }
}

fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::Send | Metric::Receive | Metric::Borrow => "cycles per byte (GB/s)",
        other => other.unit(),
    }
}

/// Rows = cases, columns = libraries, then how many times as fast Keylane is. The best of each row in bold.
fn table(s: &mut String, figures: &Figures, cases: &[Case], metric: Metric) {
    let mut columns = figures.contenders();
    columns.retain(|name| cases.iter().any(|case| figures.get(case, name, metric).is_some()));
    let Some(first) = cases.first().filter(|_| !columns.is_empty()) else { return };
    let mut ratios = AGAINST.to_vec();
    ratios.retain(|(ours, theirs)| columns.contains(ours) && columns.contains(theirs));

    write!(s, "\n## {}\n\n| {} |", heading(first.scenario(), metric), unit(metric)).unwrap();
    columns.iter().for_each(|name| write!(s, " {name} |").unwrap());
    ratios.iter().for_each(|(ours, theirs)| write!(s, " {ours} over {theirs} |").unwrap());
    writeln!(s, "\n|---|{}", "---|".repeat(columns.len() + ratios.len())).unwrap();
    for case in cases {
        let name = case.to_string();
        write!(s, "| {} |", name.split_once('/').map_or("", |(_, rest)| rest)).unwrap();
        let best = |name: &str| {
            columns.iter().all(|other| figures.speed(case, metric, name, other).is_none_or(|by| by >= 1.0))
        };
        for name in &columns {
            let mark = if best(name) { "**" } else { "" };
            match cell(figures, case, name, metric) {
                Some(cell) => write!(s, " {mark}{cell}{mark} |").unwrap(),
                None => s.push_str(" |"),
            }
        }
        for (ours, theirs) in &ratios {
            match figures.speed(case, metric, ours, theirs) {
                Some(by) => write!(s, " {by:.2}× |").unwrap(),
                None => s.push_str(" |"),
            }
        }
        s.push('\n');
    }
}

fn cell(figures: &Figures, case: &Case, contender: &str, metric: Metric) -> Option<String> {
    let value = figures.get(case, contender, metric)?;
    Some(match figures.cycles(case, contender, metric) {
        Some(cycles) => format!("{cycles:.3} ({:.2})", 1.0 / value),
        None if value < 100.0 => format!("{value:.1}"),
        None => format!("{value:.0}"),
    })
}

/// The bars that this run says something about.
fn targets(figures: &Figures) -> String {
    let mut s = String::new();
    for bar in bars::ALL {
        for case in figures.cases().iter().filter(|case| case.to_string().contains(bar.case)) {
            s.extend(target(figures, case, &bar));
        }
    }
    match s.is_empty() {
        true => s,
        false => format!(
            "## Targets\n\nThe cycles were set on another CPU ({REFERENCE}); ratios say more.\n\n\
             | case | library | figure | bar | goal | verdict |\n|---|---|---|---|---|---|\n{s}"
        ),
    }
}

fn target(figures: &Figures, case: &Case, bar: &Bar) -> Option<String> {
    let (figure, unit, over) = match bar.measure {
        Measure::CyclesPerByte => (figures.cycles(case, bar.contender, bar.metric)?, " c/B", String::new()),
        Measure::TimesAsFastAs(other) => {
            (figures.speed(case, bar.metric, bar.contender, other)?, "×", format!(" over {other}"))
        }
    };
    let reached = |target: f64| match bar.measure {
        Measure::CyclesPerByte => figure <= target,
        Measure::TimesAsFastAs(_) => figure >= target,
    };
    let verdict = match (reached(bar.goal), reached(bar.bar)) {
        (true, _) => "goal reached",
        (_, true) => "bar reached",
        _ => "**bar missed**",
    };
    let digits = if unit == "×" { 2 } else { 3 };
    let (metric, contender) = (bar.metric.name(), bar.contender);
    let (bar, goal) = (bar.bar, bar.goal);
    Some(format!(
        "| {case}, {metric} | {contender}{over} | {figure:.digits$}{unit} | {bar}{unit} | {goal}{unit} | {verdict} |\n"
    ))
}

/// Keylane's streams and the best rival of each row.
pub(crate) fn chart(figures: &Figures, made: &Made) -> Chart {
    let mut groups = Vec::new();
    for scenario in Scenario::ALL {
        let metric = |metric: &Metric| !matches!(metric, Metric::Wall | Metric::Client | Metric::Borrow);
        for &metric in shown(scenario).iter().filter(|shown| metric(shown)) {
            let cases = figures.cases();
            let cases = cases.iter().filter(|case| case.scenario() == scenario);
            let bars: Vec<_> = cases.filter_map(|case| bar(figures, case, metric)).collect();
            if !bars.is_empty() {
                groups.push(Group { title: heading(scenario, metric).into(), bars });
            }
        }
    }
    Chart {
        title: "TLS: Keylane's streams against the best rival of each row".into(),
        subtitle: format!("{} · speed · longer is faster", made.cpu),
        groups,
        date: report::date(SystemTime::now())[..10].into(),
    }
}

fn bar(figures: &Figures, case: &Case, metric: Metric) -> Option<chart::Bar> {
    let best = figures.best_rival(case, metric)?;
    let rivals = figures.contenders().into_iter().filter(|name| !is_ours(name));
    let mut name = case.to_string();
    if case.scenario() != Scenario::Records {
        // Only records are measured with other suites, and the names are long.
        name = name.replace("-aes128gcm", "");
    }
    Some(chart::Bar {
        label: name.split_once('/')?.1.into(),
        speed: figures.speed(case, metric, STREAM, best)?,
        best: best.into(),
        rivals: rivals
            .filter_map(|name| Some((name.into(), figures.speed(case, metric, name, best)?)))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane_tls_testkit::rounds::Row;

    /// Less time is faster, and so is more data a second; nanoseconds become cycles where the clock is known.
    #[test]
    fn ratios_and_verdicts() {
        let case = |name: &str| {
            let cases = Scenario::ALL.map(|scenario| scenario.cases(false)).concat();
            cases.into_iter().find(|case| case.to_string() == name).unwrap()
        };
        let (records, echo) =
            (case("records/tls13-aes128gcm/16384"), case("throughput/tls13-aes128gcm/max/16MB"));
        let row = |case, contender: &str, metric, median| Row {
            case,
            contender: contender.into(),
            metric,
            median,
            best: median,
        };
        let figures = Figures(vec![
            row(records, STREAM, Metric::Send, 0.1),
            row(records, STREAM, Metric::CoreClock, 4.0),
            row(records, "rustls+ring", Metric::Send, 0.15),
            row(records, "rustls+ring", Metric::CoreClock, 4.0),
            row(echo, STREAM, Metric::Cpu, 900.0),
            row(echo, "go", Metric::Cpu, 450.0),
            row(echo, "rustls+ring", Metric::Cpu, 500.0),
        ]);
        let tables = tables(&figures);
        for expected in [
            "| records/tls13-aes128gcm/16384, send | keylane | 0.400 c/B | 0.43 c/B | 0.36 c/B | bar reached |",
            "| tls13-aes128gcm/16384 | **0.400 (10.00)** | 0.600 (6.67) | 1.50× |",
            "| throughput/tls13-aes128gcm/max/16MB, cpu | keylane over go | 2.00× | 2.1× | 2.4× | **bar missed** |",
            "cpu | keylane over rustls+ring | 1.80× | 1.5× | 1.8× | goal reached |",
            "| tls13-aes128gcm/max/16MB | **900** | 500 | 450 | 2.00× | 1.80× |",
        ] {
            assert!(tables.contains(expected), "{expected}\n{tables}");
        }
        let made = Made {
            cpu: "CPU".into(),
            clock: String::new(),
            seconds: 0,
            versions: vec![("go".into(), "1".into())],
        };
        let chart = chart(&figures, &made);
        assert_eq!((chart.groups.len(), chart.groups[0].bars[0].best.as_str()), (2, "rustls+ring"));
    }
}
