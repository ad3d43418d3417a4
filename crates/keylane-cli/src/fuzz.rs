//! `keylane fuzz`

mod case;
mod compare;

use crate::progress;
use crate::status::{Failure, Outcome, Status};
use case::Case;
use clap::Args;
use compare::{Comparison, Difference, Stop};
use keylane::{Primitive, primitives};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Compare all implementations on random keys, data and cuts
#[derive(Args, Debug)]
#[command(
    long_about = "Compare all implementations on random keys, data and cuts.\n\n\
        Every operation must have the same result on every implementation as on the portable one, and \
        operations that compute the same thing in different ways must agree. A case depends only on the seed \
        and its number, on every machine. Operations with a high fixed cost run in fewer cases.",
    after_help = "Example: keylane fuzz sha256 --seconds 60"
)]
pub(crate) struct Fuzz {
    /// The primitives to fuzz; all by default
    #[arg(value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// How long
    #[arg(long, value_name = "N", default_value_t = 10)]
    seconds: u64,
    /// Repeat the cases of this seed; random by default
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Stop after so many cases, whatever the time
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    cases: Option<u64>,
    /// The number of the first case
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..1 << 62))]
    from_case: u64,
    /// Print every case and its answers
    #[arg(long)]
    trace: bool,
}

impl Fuzz {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let comparisons = self.comparisons()?;
        // The standard library's hash tables are keyed by the system's randomness.
        let seed = self.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        for comparison in &comparisons {
            let implementations = comparison.implementations.join(", ");
            writeln!(out, "{}: {implementations}", comparison.primitive.name())?;
        }
        writeln!(out, "seed {seed}")?;
        let bar = if self.trace { progress::hidden() } else { progress::of_work() };
        let start = Instant::now();
        let mut answers = 0;
        let mut number = self.from_case;
        while self.goes_on(number, start) {
            let case = Case::new(seed, number);
            if self.trace {
                writeln!(out, "{case}")?;
            }
            for comparison in &comparisons {
                let trace: &mut dyn Write = if self.trace { &mut *out } else { &mut io::sink() };
                match comparison.run(&case, trace) {
                    Ok(compared) => answers += compared,
                    Err(Stop::Failed(failure)) => return Err(failure),
                    Err(Stop::Different(difference)) => {
                        bar.finish_and_clear();
                        report(comparison.primitive, &difference, seed, &case, out)?;
                        return Ok(Status::VerificationFailed);
                    }
                }
            }
            number += 1;
            bar.set_message(format!("{} cases", number - self.from_case));
        }
        bar.finish_and_clear();
        let cases = number - self.from_case;
        writeln!(out, "{cases} cases, {answers} answers compared, no difference")?;
        Ok(Status::Done)
    }

    fn goes_on(&self, number: u64, start: Instant) -> bool {
        match self.cases {
            Some(cases) => number - self.from_case < cases,
            // At least one case is always done.
            None => number == self.from_case || start.elapsed() < Duration::from_secs(self.seconds),
        }
    }

    fn comparisons(&self) -> Result<Vec<Comparison>, Failure> {
        if let Some(unknown) =
            self.primitives.iter().find(|&name| primitives().iter().all(|primitive| primitive.name() != name))
        {
            let known: Vec<_> = primitives().iter().map(Primitive::name).collect();
            return Err(Failure::input(format_args!(
                "{unknown}: no such primitive; there are {}",
                known.join(", ")
            )));
        }
        let named = |primitive: &&Primitive| {
            self.primitives.is_empty() || self.primitives.iter().any(|name| name == primitive.name())
        };
        Ok(primitives().iter().filter(named).map(Comparison::new).collect())
    }
}

/// Prints a difference with everything that it takes to see it again.
fn report(
    primitive: &Primitive,
    difference: &Difference,
    seed: u64,
    case: &Case,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (name, number) = (primitive.name(), case.number);
    writeln!(out, "\nDIFFERENCE in {name}, seed {seed}, case {number}")?;
    writeln!(out, "{difference}")?;
    case.describe(out)?;
    writeln!(out, "repeat: keylane fuzz {name} --seed {seed} --from-case {number} --cases 1")
}
