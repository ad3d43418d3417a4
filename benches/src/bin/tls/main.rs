//! tls [OPTIONS] [FILTER...]   runs the cases of a scenario, or whose name contains a FILTER (all without one)
//!   --list        names of the cases only
//!   --quick       fewer cases, half the rounds
//!   --only A,B    libraries whose name contains one of these
//!   --skip A,B    without libraries whose name contains one of these
//!   --rounds N    interleaved rounds (records and handshakes 21, throughput 7, latency 5)
//!   --report DIR  write the report and its chart there, named after the CPU
//! Scenarios: records, throughput, handshakes, latency.

mod bars;
mod contenders;
mod figures;
mod report;

use contenders::Contenders;
use figures::Figures;
use keylane_benches::{chart, clock::Clock, cpu};
use keylane_tls_testkit::case::{Case, Scenario};
use std::{cell::RefCell, error::Error, fs, io::Write as _, path::PathBuf, rc::Rc, time::Instant};

#[derive(Default)]
struct Options {
    filters: Vec<String>,
    list: bool,
    quick: bool,
    only: Vec<String>,
    skip: Vec<String>,
    rounds: Option<usize>,
    report: Option<PathBuf>,
}

fn options() -> Result<Option<Options>, Box<dyn Error>> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
        let split = |list: String| list.split(',').map(str::to_string).collect();
        match arg.as_str() {
            "--list" => options.list = true,
            "--quick" => options.quick = true,
            "--only" => options.only = split(value()?),
            "--skip" => options.skip = split(value()?),
            "--rounds" => options.rounds = Some(value()?.parse::<usize>()?.max(1)),
            "--report" => options.report = Some(value()?.into()),
            "-h" | "--help" => return Ok(None),
            option if option.starts_with('-') => return Err(format!("no such option: {option}").into()),
            _ => options.filters.push(arg),
        }
    }
    Ok(Some(options))
}

impl Options {
    fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<_> =
            Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(self.quick)).collect();
        let wanted = |case: &Case| {
            let named =
                |filter: &String| case.scenario().to_string() == *filter || case.to_string().contains(filter);
            self.filters.is_empty() || self.filters.iter().any(named)
        };
        cases.retain(wanted);
        cases
    }

    /// Whether a library is among those of `--only` and `--skip`.
    fn wants(&self, library: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|part| library.contains(part.as_str()));
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }

    fn rounds(&self, scenario: Scenario) -> usize {
        let rounds: usize = match scenario {
            Scenario::Records | Scenario::Handshakes => 21,
            Scenario::Throughput => 7,
            Scenario::Latency => 5,
        };
        self.rounds.unwrap_or_else(|| if self.quick { rounds.div_ceil(2) } else { rounds })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(options) = options()? else {
        let help = include_str!("main.rs").lines().map_while(|line| line.strip_prefix("//!"));
        help.for_each(|line| println!("{}", line.strip_prefix(' ').unwrap_or(line)));
        return Ok(());
    };
    let cases = options.cases();
    if options.list {
        cases.iter().for_each(|case| println!("{case}"));
        return Ok(());
    }
    let contenders = Contenders::new(|name| options.wants(name))?;
    let (clock, start) = (Rc::new(RefCell::new(Clock::new())), Instant::now());
    let mut rows = Vec::new();
    eprint!("{} cases, {} libraries ", cases.len(), contenders.versions().len());
    for case in cases {
        rows.extend(contenders.measure(case, options.rounds(case.scenario()), &clock)?);
        eprint!(".");
    }
    eprintln!();
    let figures = Figures(rows);
    if let Some(folder) = &options.report {
        let made = report::Made {
            cpu: cpu::name(),
            clock: clock.borrow().describe(),
            seconds: start.elapsed().as_secs(),
            versions: contenders.versions(),
        };
        fs::create_dir_all(folder)?;
        let slug = format!("{}-tls", cpu::slug(&made.cpu));
        fs::write(folder.join(format!("{slug}.md")), report::markdown(&figures, &made, &slug))?;
        fs::write(folder.join(format!("{slug}.svg")), chart::svg(&report::chart(&figures, &made)))?;
        eprintln!("written: {}", folder.join(slug).with_extension("{md,svg}").display());
    }
    // A reader that has seen enough may close the pipe.
    let _ = std::io::stdout().write_all(report::tables(&figures).as_bytes());
    Ok(())
}
