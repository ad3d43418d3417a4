//! `keylane fuzz`

mod case;

use crate::status::{Failure, Outcome, Status};
use crate::{hex, progress};
use clap::Args;
use keylane::{Primitive, primitives};
use keylane_subjects::{Case, Work};
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
    after_help = "\
Examples:
  keylane fuzz sha256 --seconds 60"
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

/// Operations whose cost is fixed at many units run in one of so many cases at most.
const RAREST: u64 = 64;

impl Fuzz {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let primitives = self.primitives()?;
        // The standard library's hash tables are keyed by the system's randomness.
        let seed = self.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        for primitive in &primitives {
            if let Some(broken) = primitive.implementations().find(|it| it.usable && !it.passes_self_test) {
                let (name, broken) = (primitive.name(), broken.name);
                return Err(Failure::VerificationFailed(format!("{name} on {broken}: the self-test fails")));
            }
            writeln!(out, "{}: {}", primitive.name(), keylane_subjects::usable(primitive).join(", "))?;
        }
        writeln!(out, "seed {seed}")?;
        let bar = if self.trace { progress::hidden() } else { progress::of_work() };
        let start = Instant::now();
        let mut answers = 0;
        let mut number = self.from_case;
        while self.goes_on(number, start) {
            let case = case::draw(seed, number);
            if self.trace {
                let Case { key, data, cuts, .. } = &case;
                let (key, data, cuts) = (key.len(), data.len(), cuts.len());
                writeln!(out, "case {number}: key {key}, data {data}, cuts {cuts}")?;
            }
            for primitive in &primitives {
                let mut trace = String::new();
                let due = keylane_subjects::of(primitive).filter(|subject| match subject.work {
                    Work::Fixed { units, .. } => number.is_multiple_of(u64::from(units).clamp(1, RAREST)),
                    Work::Message | Work::Batch => true,
                });
                let compared =
                    keylane_subjects::agreement(primitive.name(), due, &case, |subject, answer| {
                        trace += &format!("  {} {}\n", subject.name, hex::encode(&answer[..16]));
                    });
                if self.trace {
                    write!(out, "{trace}")?;
                }
                match compared {
                    Ok(compared) => answers += compared,
                    Err(difference) => {
                        bar.finish_and_clear();
                        let name = primitive.name();
                        writeln!(out, "\nDIFFERENCE in {name}, seed {seed}, case {number}\n{difference}")?;
                        describe(&case, out)?;
                        let again = format!("--seed {seed} --from-case {number} --cases 1");
                        writeln!(out, "repeat: keylane fuzz {name} {again}")?;
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

    fn primitives(&self) -> Result<Vec<&'static Primitive>, Failure> {
        let is_known = |name: &&String| primitives().iter().any(|primitive| primitive.name() == *name);
        if let Some(unknown) = self.primitives.iter().find(|name| !is_known(name)) {
            let known: Vec<_> = primitives().iter().map(Primitive::name).collect();
            let known = known.join(", ");
            return Err(Failure::input(format_args!("{unknown}: no such primitive; there are {known}")));
        }
        let is_named = |primitive: &&Primitive| {
            self.primitives.is_empty() || self.primitives.iter().any(|name| name == primitive.name())
        };
        Ok(primitives().iter().filter(is_named).collect())
    }
}

fn describe(Case { key, data, cuts, offset }: &Case, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "key ({} bytes): {}", key.len(), hex::encode(key))?;
    writeln!(out, "data ({} bytes, at offset {offset}): {}", data.len(), hex::encode(data))?;
    writeln!(out, "cuts ({}): {cuts:?}", cuts.len())
}
