//! Compares Keylane with other libraries, case by case.

use clap::Parser;
use keylane_benches::{
    batches,
    case::{self, Case},
    clock::Clock,
    hide, measure, report,
    results::{Line, Ratio, Results},
    rivals, tls,
};
use std::{
    error::Error,
    io::Write,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

/// Measures Keylane beside other libraries
///
/// Groups: hmac, hash, pbkdf2, hkdf, aes-ctr, chacha20, aes-gcm, chacha20-poly1305, poly1305, memcpy;
/// and tls, which only runs if it is named, as records or throughput.
/// In cases whose name ends in /cold, code and keys come from the level-3 cache. `batches`, before other
/// filters, compares Keylane's batches with the same messages one by one.
#[derive(Parser)]
struct Arguments {
    /// Run the cases of these groups, or whose name contains one of these; TLS' begin with it
    filters: Vec<String>,
    /// Libraries whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Without libraries whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    skip: Vec<String>,
    /// Pretend that this CPU lacks instructions: sha-ni, vaes, avx512-ifma, avx512. Libraries that cannot be
    /// kept from them are left out of the rows where they use them. Not for TLS
    #[arg(long, value_delimiter = ',')]
    hide: Vec<String>,
    /// Measure as if on other CPUs too: the report has the ratios on each class of them
    #[arg(long, conflicts_with = "hide")]
    classes: bool,
    /// Print the ratios alone, for the run that measures all classes
    #[arg(long, hide = true)]
    ratios: bool,
    /// Interleaved rounds [default: 21; 7 for TLS' throughput]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Length of one sample in microseconds
    #[arg(long, default_value_t = 1000.0)]
    us: f64,
    /// Runs of the whole table, one after another. The tables show the quietest pass of each cell: on a
    /// rented machine a neighbour on the other hardware thread slows code that keeps the ALUs busy by up to
    /// 1.6 for minutes
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    passes: u16,
    /// Write the report there, and its chart and every library's figures beside it. TLS alone becomes a part
    /// of the report that is there
    #[arg(long, value_name = "FILE.md")]
    report: Option<PathBuf>,
    /// Fail if a row with warm caches costs more than its bar allows, beside the best rival of the run
    #[arg(long)]
    check: bool,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    hide::begin(&arguments.hide)?;
    if let Some((first, filters)) = arguments.filters.split_first()
        && first == "batches"
    {
        batches::run(filters);
        return Ok(ExitCode::SUCCESS);
    }
    let (cases, tls_cases) = (arguments.cases(), arguments.tls_cases());
    let tls = tls::Tls::new(|name| arguments.has_library(name))?;
    let mut libraries = rivals::ALL.to_vec();
    libraries.retain(|(name, _)| *name == rivals::COPY || arguments.has_library(name));
    let mut classes = Vec::new();
    for [name, hidden] in hide::CLASSES.iter().filter(|_| arguments.classes) {
        let mut again = Command::new(std::env::current_exe()?);
        again.args(std::env::args_os().skip(1).filter(|it| it != "--classes"));
        let output = again.args(["--ratios", "--hide", hidden]).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("--hide {hidden}: {}", output.status).into());
        }
        let lines = String::from_utf8(output.stdout)?;
        classes.push((name.to_string(), lines.lines().filter_map(Ratio::parse).collect()));
    }

    let libraries: Vec<_> = libraries.into_iter().filter_map(|(name, load)| load(name)).collect();
    let columns = libraries.iter().map(|library| (library.name.into(), library.version.clone())).collect();
    let commit = report::commit().unwrap_or_else(|| "not known".into());
    let (clock, start) = (Clock::calibrate(), Instant::now());
    let mut results = Results { cpu: report::cpu(&arguments.hide), libraries: columns, ..Results::default() };
    for pass in 1..=arguments.passes {
        eprint!("pass {pass} of {}, {} cases ", arguments.passes, cases.len() + tls_cases.len());
        for case in &cases {
            let rounds = arguments.rounds.unwrap_or(21);
            results.add(measure::run(case, &libraries, &clock, rounds, arguments.us));
            eprint!(".");
        }
        for &case in &tls_cases {
            tls.measure(case, arguments.rounds, &clock)?.into_iter().for_each(|line| results.add(line));
            eprint!(".");
        }
        eprintln!();
    }
    let env = std::env::var("GLIBC_TUNABLES");
    let mut env = env.map_or_else(|_| String::new(), |text| format!("GLIBC_TUNABLES={text} "));
    if cfg!(keylane_mask) {
        env += "RUSTFLAGS='--cfg keylane_mask' ";
    }
    let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    results.facts = vec![
        ("Date", time::OffsetDateTime::now_utc().date().to_string()),
        ("Commit", commit),
        ("Clock", clock.describe()),
        ("Made", format!("in {} s by {}", start.elapsed().as_secs(), env!("BENCH_RUSTC"))),
        ("Command", format!("`{env}cargo run --release --manifest-path benches/Cargo.toml -- {command}`")),
        ("Keylane runs here", rivals::keylane::choices().join("; ")),
    ];

    let ratios: Vec<_> = results.lines.iter().flat_map(Line::ratios).collect();
    if arguments.ratios {
        ratios.iter().for_each(|ratio| println!("{ratio}"));
        return Ok(ExitCode::SUCCESS);
    }
    classes.insert(0, ("this CPU".into(), ratios));
    results.classes = classes;
    if let Some(file) = &arguments.report {
        results.write(file)?;
    }
    // A reader that has seen enough may close the pipe.
    let _ = std::io::stdout().write_all(results.tables().as_bytes());
    let is_missed = results.classes.iter().flat_map(|(_, ratios)| ratios).any(Ratio::is_missed);
    Ok(if arguments.check && is_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Arguments {
    fn cases(&self) -> Vec<Case> {
        let mut cases = case::all();
        let asked = |case: &Case| {
            let asked = |filter: &String| *filter == case.table.to_lowercase() || case.name.contains(filter);
            self.filters.is_empty() || self.filters.iter().any(asked)
        };
        cases.retain(asked);
        cases
    }

    fn tls_cases(&self) -> Vec<keylane_tls_checks::case::Case> {
        let mut cases = tls::cases();
        cases.retain(|case| {
            let asked = |filter: &String| filter == "tls" || case.to_string().starts_with(filter);
            self.hide.is_empty() && self.filters.iter().any(asked)
        });
        cases
    }

    fn has_library(&self, name: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|part| name.contains(part.as_str()));
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}
