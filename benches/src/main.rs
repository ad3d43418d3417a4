//! bench [OPTIONS] [FILTER...]   runs the cases of a group, or whose name contains a FILTER (all without one)
//!   --list         names of the cases only
//!   --rivals       names of the libraries only
//!   --only A,B     libraries whose name contains one of these
//!   --skip A,B     without libraries whose name contains one of these
//!   --implementations  next to what Keylane chooses, each of its implementations, named keylane:IMPLEMENTATION
//!   --rounds N     interleaved rounds (21)
//!   --us N         length of one sample in microseconds (1000)
//!   --passes N     runs of the whole table, one after another (1). The tables show the quietest pass of each cell,
//!                  i.e. the lowest of its medians: on a rented machine a neighbour on the other hardware thread
//!                  slows code that keeps the ALUs busy by up to 1.6 for minutes
//!   --json FILE    write the results there, too
//!   --table FILE   measure nothing: show the results of an earlier run
//!   --report DIR   write the report and its chart there, named after the CPU
//!   --ns           nanoseconds instead of cycles in the full tables
//! Groups: hmac, hash, pbkdf2, hkdf, aes-ctr, chacha20, aes-gcm, chacha20-poly1305, poly1305, memcpy.

use keylane_benches::{Rival, case, case::Case, chart, clock::Clock, cpu, measure, report, results, rivals};
use results::{Library, Results};
use std::{
    error::Error,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::{Instant, SystemTime},
};

struct Options {
    filters: Vec<String>,
    only: Vec<String>,
    skip: Vec<String>,
    plan: measure::Plan,
    passes: usize,
    json: Option<PathBuf>,
    table: Option<PathBuf>,
    report: Option<PathBuf>,
    ns: bool,
    list: bool,
    rivals: bool,
    implementations: bool,
}

impl Options {
    /// Whether a library is among those of `--only` and `--skip`.
    fn wants(&self, library: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|part| library.contains(part.as_str()));
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

fn options() -> Result<Option<Options>, Box<dyn Error>> {
    let mut options = Options {
        filters: vec![],
        only: vec![],
        skip: vec![],
        plan: measure::Plan { rounds: 21, sample: 1000.0 },
        passes: 1,
        json: None,
        table: None,
        report: None,
        ns: false,
        list: false,
        rivals: false,
        implementations: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
        let split = |list: String| list.split(',').map(str::to_string).collect();
        match arg.as_str() {
            "--list" => options.list = true,
            "--rivals" => options.rivals = true,
            "--implementations" => options.implementations = true,
            "--only" => options.only = split(value()?),
            "--skip" => options.skip = split(value()?),
            "--rounds" => options.plan.rounds = value()?.parse()?,
            "--us" => options.plan.sample = value()?.parse()?,
            "--passes" => options.passes = value()?.parse()?,
            "--json" => options.json = Some(value()?.into()),
            "--table" => options.table = Some(value()?.into()),
            "--report" => options.report = Some(value()?.into()),
            "--ns" => options.ns = true,
            "-h" | "--help" => return Ok(None),
            option if option.starts_with('-') => return Err(format!("no such option: {option}").into()),
            _ => options.filters.push(arg),
        }
    }
    if options.passes == 0 || options.plan.rounds == 0 {
        return Err("at least one pass of one round".into());
    }
    Ok(Some(options))
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(options) = options()? else {
        let help = include_str!("main.rs").lines().map_while(|line| line.strip_prefix("//!"));
        help.for_each(|line| println!("{}", line.strip_prefix(' ').unwrap_or(line)));
        return Ok(());
    };
    let mut cases = case::all();
    let wanted = |case: &Case| {
        let named = |filter: &String| case.group() == filter || case.id().contains(filter.as_str());
        options.filters.is_empty() || options.filters.iter().any(named)
    };
    // The verdict on an `open` case takes its copy off, so that is measured, too.
    let copies: Vec<usize> = (cases.iter().filter(|case| wanted(case)))
        .filter_map(|case| match *case {
            Case::Open { len, .. } => Some(len),
            _ => None,
        })
        .collect();
    cases.retain(|case| wanted(case) || matches!(*case, Case::Memcpy { len } if copies.contains(&len)));
    if options.rivals {
        libraries(&options).0.iter().for_each(|library| println!("{} {}", library.name(), library.version()));
        return Ok(());
    }
    if options.list {
        cases.iter().for_each(|case| println!("{:<20}{}", case.group(), case.id()));
        return Ok(());
    }
    let results = match &options.table {
        Some(file) => {
            let mut results: Results = serde_json::from_str(&fs::read_to_string(file)?)?;
            results.rows.retain(|row| cases.iter().any(|case| case.id() == row.case));
            results.libraries.retain(|library| options.wants(&library.name));
            results
        }
        None => measure_all(&cases, &options),
    };
    if let Some(file) = &options.json {
        fs::write(file, serde_json::to_string_pretty(&results)?)?;
    }
    if let Some(folder) = &options.report {
        write_report(&results, folder)?;
    }
    let mut text = String::new();
    if results.cases().iter().any(|case| results.ratio(case).is_some()) {
        text = format!("{}\n\n{}\n", report::summary(&results), report::ours(&results));
    }
    // A reader that has seen enough may close the pipe.
    let _ = std::io::stdout().write_all((text + &report::full(&results, options.ns)).as_bytes());
    Ok(())
}

fn write_report(results: &Results, folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let slug = cpu::slug(&results.cpu);
    fs::write(folder.join(format!("{slug}.md")), report::markdown(results, &slug))?;
    fs::write(folder.join(format!("{slug}.svg")), chart::svg(&chart::chart(results)))?;
    eprintln!("written: {}", folder.join(slug).with_extension("{md,svg}").display());
    Ok(())
}

/// The libraries that are asked for, and the names of those that this machine does not have.
fn libraries(options: &Options) -> (Vec<Box<dyn Rival>>, Vec<String>) {
    let mut libraries = rivals::all();
    let is_there = |name: &str| libraries.iter().any(|library| library.name().starts_with(name));
    let absent = rivals::OPTIONAL.iter().filter(|name| !is_there(name)).map(ToString::to_string).collect();
    if options.implementations {
        let ours = rivals::keylane::Keylane::implementations();
        libraries.splice(1..1, ours.into_iter().map(|ours| Box::new(ours) as Box<dyn Rival>));
    }
    // What the copy in the `open` cases costs is no library.
    libraries.retain(|library| library.name() == "memcpy" || options.wants(&library.name()));
    (libraries, absent)
}

fn measure_all(cases: &[Case], options: &Options) -> Results {
    let (libraries, absent) = libraries(options);
    let (mut clock, start, mut rows) = (Clock::new(), Instant::now(), Vec::new());
    eprintln!("clock: {}", clock.describe());
    for pass in 0..options.passes {
        eprint!(
            "pass {} of {}, {} cases, {} libraries ",
            pass + 1,
            options.passes,
            cases.len(),
            libraries.len()
        );
        for case in cases {
            rows.extend(measure::run(case, &libraries, &mut clock, &options.plan, pass));
            eprint!(".");
        }
        eprintln!();
    }
    let present = |name: &str| rows.iter().any(|row: &results::Row| row.rival == name);
    let flags = match env!("BENCH_RUSTFLAGS") {
        "" => String::new(),
        flags => format!(" with RUSTFLAGS {flags}"),
    };
    let chosen = |primitive: &keylane::Primitive| {
        let chosen: Vec<_> = (primitive.implementations().filter(|implementation| implementation.chosen))
            .map(|implementation| match implementation.from_messages {
                1 => implementation.name.to_string(),
                n => format!("{} from {n} messages", implementation.name),
            })
            .collect();
        format!("{}: {}", primitive.name(), chosen.join(", "))
    };
    Results {
        cpu: cpu::name(),
        features: cpu::features(),
        clock: clock.describe(),
        absent,
        date: report::date(SystemTime::now()),
        rustc: format!("{}{flags}", env!("BENCH_RUSTC")),
        command: report::command("", std::env::args().skip(1)),
        seconds: start.elapsed().as_secs(),
        passes: options.passes,
        rounds: options.plan.rounds,
        libraries: (libraries.iter().filter(|library| present(&library.name())))
            .map(|library| Library { name: library.name(), version: library.version() })
            .collect(),
        chosen: keylane::primitives().iter().map(chosen).collect(),
        rows,
    }
}
