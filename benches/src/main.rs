//! Keylane beside other libraries, case by case.

use clap::Parser;
use keylane_benches::{
    case::{self, Case, Work},
    clock::Clock,
    cpu,
    measure::{self, Plan},
    options::{Options, command},
    report::{Figure, Line, Results},
    rival::Rival,
    rivals,
};
use std::{error::Error, fs, path::PathBuf, time::Instant};

/// Measures Keylane beside other libraries
///
/// Groups: hmac, hash, pbkdf2, hkdf, aes-ctr, chacha20, aes-gcm, chacha20-poly1305, poly1305, memcpy. In
/// cases whose name ends in /cold, code and keys come from the level-3 cache.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Print the names of the libraries only
    #[arg(long)]
    rivals: bool,
    /// Next to what Keylane chooses, each of its implementations, named keylane:IMPLEMENTATION
    #[arg(long)]
    implementations: bool,
    /// Interleaved rounds
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Length of one sample in microseconds
    #[arg(long, default_value_t = 1000.0)]
    us: f64,
    /// Runs of the whole table, one after another. The tables show the quietest pass of each cell: on a
    /// rented machine a neighbour on the other hardware thread slows code that keeps the ALUs busy by up to
    /// 1.6 for minutes
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    passes: u16,
    /// Measure nothing: show the results of an earlier run
    #[arg(long, value_name = "JSON")]
    table: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let options = &arguments.options;
    let mut cases = case::all();
    let asked = |case: &Case| options.has_case(&case.group().to_lowercase(), &case.to_string());
    // The verdict on an `open` case takes its copy off, so that is measured with it.
    let opens: Vec<_> =
        cases.iter().filter(|case| asked(case) && matches!(case.work, Work::Open(_))).copied().collect();
    let is_copy = |case: &Case| case.work == Work::Memcpy && opens.iter().any(|open| open.len == case.len);
    cases.retain(|case| asked(case) || is_copy(case));
    if arguments.rivals {
        libraries(&arguments).0.iter().for_each(|library| println!("{} {}", library.name, library.version));
        return Ok(());
    }
    if options.list {
        cases.iter().for_each(|case| println!("{:<20}{case}", case.group().to_lowercase()));
        return Ok(());
    }
    let results = match &arguments.table {
        Some(file) => {
            let mut results: Results = serde_json::from_str(&fs::read_to_string(file)?)?;
            results.lines.retain(|line| cases.iter().any(|case| case.to_string() == line.case));
            results.libraries.retain(|(library, _)| options.has_library(library));
            results
        }
        None => measure_all(&cases, &arguments),
    };
    results.tell(options)
}

/// The libraries that are asked for, and the names of those that this machine does not have.
fn libraries(arguments: &Arguments) -> (Vec<Rival>, Vec<&'static str>) {
    let mut libraries = rivals::all();
    let is_there = |name: &str| libraries.iter().any(|library| library.name.starts_with(name));
    let absent = rivals::OPTIONAL.into_iter().filter(|name| !is_there(name)).collect();
    if arguments.implementations {
        libraries.splice(1..1, rivals::keylane::implementations());
    }
    // What the copy in the `open` cases costs is no library.
    libraries.retain(|library| library.name == "memcpy" || arguments.options.has_library(&library.name));
    (libraries, absent)
}

fn measure_all(cases: &[Case], arguments: &Arguments) -> Results {
    let (libraries, absent) = libraries(arguments);
    let (mut clock, start) = (Clock::new(), Instant::now());
    let plan = Plan { rounds: arguments.rounds.into(), sample: arguments.us };
    let columns = libraries.iter().map(|library| (library.name.clone(), library.version.clone())).collect();
    let mut results = Results::new("Keylane beside other libraries", "", &[], columns);
    eprintln!("clock: {}", clock.describe());
    for pass in 1..=arguments.passes {
        eprint!("pass {pass} of {}, {} cases, {} libraries ", arguments.passes, cases.len(), libraries.len());
        for case in cases {
            let (units, per) = case.units();
            let figure = |(library, cycles)| Figure { library, passes: vec![cycles / units] };
            results.add(Line {
                table: case.group().into(),
                case: case.to_string(),
                per: per.into(),
                bytes: case.bytes() as f64 / units,
                is_speed: false,
                is_charted: case.is_charted(),
                figures: measure::run(case, &libraries, &mut clock, &plan).into_iter().map(figure).collect(),
            });
            eprint!(".");
        }
        eprintln!();
    }
    let facts = [
        ("Instruction sets", cpu::features().join(", ")),
        ("Clock", clock.describe()),
        (
            "Made",
            format!(
                "in {} s by {}{}",
                start.elapsed().as_secs(),
                env!("BENCH_RUSTC"),
                env!("BENCH_RUSTFLAGS")
            ),
        ),
        ("Command", format!("`{}`", command(""))),
        (
            "How",
            format!(
                "one thread; {} interleaved rounds a case, the starting library rotating; the median of the \
                 rounds; of {} over the table the quietest. Cycles per message, iteration or operation, and in \
                 parentheses per byte. All libraries gave the same results before they were timed. Calls do not \
                 depend on each other, so short ones overlap; those with cold caches are timed one by one.",
                plan.rounds,
                if arguments.passes == 1 { "1 pass".into() } else { format!("{} passes", arguments.passes) }
            ),
        ),
        ("Keylane runs here", rivals::keylane::choices().join("; ")),
        ("Not on this machine", if absent.is_empty() { "none".into() } else { absent.join(", ") }),
    ];
    results.facts = facts.map(|(what, text)| (what.into(), text)).into();
    results
}
