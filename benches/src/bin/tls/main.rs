//! Keylane's TLS beside other libraries'.

mod contenders;

use clap::Parser;
use contenders::Contenders;
use keylane_benches::{
    clock::Clock,
    options::{Options, command},
    report::{Figure, Line, Results},
};
use keylane_tls_checks::{case::Scenario, rounds::Row, scenario::Metric};
use std::{cell::RefCell, error::Error, rc::Rc, time::Instant};

/// Measures Keylane's TLS beside other libraries'
///
/// Groups: records, throughput, handshakes, latency.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Fewer cases, half the rounds
    #[arg(long)]
    quick: bool,
    /// Interleaved rounds [default: records and handshakes 21, throughput 7, latency 5]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { options, quick, rounds } = Arguments::parse();
    let mut cases: Vec<_> = Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(quick)).collect();
    cases.retain(|case| options.has_case(&case.scenario.to_string(), &case.to_string()));
    if options.list {
        cases.iter().for_each(|case| println!("{case}"));
        return Ok(());
    }
    let contenders = Contenders::new(|name| options.has_library(name))?;
    let (clock, start) = (Rc::new(RefCell::new(Clock::new())), Instant::now());
    let mut results = Results::new("TLS beside other libraries", "-tls", &[], contenders.versions());
    eprint!("{} cases, {} libraries ", cases.len(), results.libraries.len());
    for case in cases {
        let usual: u16 = match case.scenario {
            Scenario::Records | Scenario::Handshakes => 21,
            Scenario::Throughput => 7,
            Scenario::Latency => 5,
        };
        let rounds = rounds.unwrap_or(if quick { usual.div_ceil(2) } else { usual });
        let rows = contenders.measure(case, rounds.into(), &clock)?;
        rows.iter().filter_map(|row| line(row, &rows)).for_each(|line| results.add(line));
        eprint!(".");
    }
    eprintln!();
    // The measures of a case came one after the other; a table has one of them.
    results.lines.sort_by_key(|line| TABLES.iter().position(|(_, _, table)| *table == line.table));
    let facts = [
        ("Clock", clock.borrow().describe()),
        ("Made", format!("in {} s by {}", start.elapsed().as_secs(), env!("BENCH_RUSTC"))),
        ("Command", format!("`{}`", command("--bin tls "))),
        (
            "How",
            "interleaved rounds, the starting library rotating; medians. Every library passed the case's checks \
             before it was timed. X25519 everywhere, and the same certificates."
                .into(),
        ),
    ];
    results.facts = facts.map(|(what, text)| (what.into(), text)).into();
    results.tell(&options)
}

const TABLES: [(Scenario, Metric, &str); 8] = [
    (Scenario::Records, Metric::SEND, "Records in memory: writing, cycles per byte"),
    (Scenario::Records, Metric::RECEIVE, "Records in memory: reading, cycles per byte"),
    (
        Scenario::Records,
        Metric::BORROW,
        "Records in memory: reading without a copy (`BufRead`), cycles per byte",
    ),
    (Scenario::Throughput, Metric::CPU, "Throughput: echo over loopback TCP, MB per CPU-second"),
    (Scenario::Throughput, Metric::WALL, "Throughput: echo over loopback TCP, MB/s"),
    (Scenario::Handshakes, Metric::SERVER, "Handshakes: the server's CPU time, µs"),
    (Scenario::Handshakes, Metric::CLIENT, "Handshakes: the client's CPU time, µs"),
    (Scenario::Latency, Metric::FIRST_BYTE, "Latency: the first byte through a slow socket, ms"),
];

/// What one contender needs by one measure: a table's, in cycles where the core clock was measured with it.
fn line(row: &Row, rows: &[Row]) -> Option<Line> {
    let of = (row.case.scenario, row.metric);
    let (.., table) = TABLES.into_iter().find(|(scenario, metric, _)| (*scenario, *metric) == of)?;
    let is_clock = |other: &&Row| other.metric == Metric::CORE_CLOCK && other.contender == row.contender;
    let gigahertz = rows.iter().find(is_clock).map_or(1.0, |clock| clock.median);
    Some(Line {
        table: table.into(),
        case: format!("{}, {}", row.case, row.metric.name),
        per: String::new(),
        bytes: 0.0,
        is_speed: row.metric.is_speed,
        is_charted: ![Metric::WALL, Metric::CLIENT, Metric::BORROW].contains(&row.metric),
        figures: vec![Figure { library: row.contender.clone(), passes: vec![row.median * gigahertz] }],
    })
}
