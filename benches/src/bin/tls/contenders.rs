//! Who takes part: what the test kit knows, rustls with aws-lc-rs, and Go in a process of its own.

use keylane_benches::{
    clock::Clock,
    lock,
    rivals::go::{self, Program},
};
use keylane_tls_checks::{
    case::{Case, Scenario},
    certificates::Credentials,
    contender::{self, Contender},
    rounds::{Row, interleave},
    scenario::{Figure, Metric, Run},
    terms::{Cipher, Key, Version},
};
use serde_json::json;
use std::{cell::RefCell, collections::HashMap, error::Error, io, rc::Rc};

/// All who take part.
pub(crate) struct Contenders {
    credentials: Credentials,
    here: Vec<Contender>,
    go: Option<Go>,
}

/// Go's program, and its version.
struct Go {
    version: String,
    program: Rc<RefCell<Program>>,
}

impl Contenders {
    /// Those whose name is wanted.
    pub(crate) fn new(wants: impl Fn(&str) -> bool) -> Result<Self, Box<dyn Error>> {
        let credentials = Credentials::generate()?;
        let mut here = contender::all();
        here.push(contender::rustls("rustls+aws-lc-rs", rustls::crypto::aws_lc_rs::default_provider));
        here.retain(|contender| wants(contender.name));
        let go = if wants("go") { Go::start(&credentials)? } else { None };
        Ok(Self { credentials, here, go })
    }

    /// Names and versions.
    pub(crate) fn versions(&self) -> Vec<(String, String)> {
        let rustls = lock::version("rustls", "0.23");
        let version = |name: &str| match name.strip_prefix("rustls+") {
            None | Some("keylane") => format!("rustls {rustls}, keylane {}", env!("CARGO_PKG_VERSION")),
            Some(provider) => format!("rustls {rustls}, {provider} {}", lock::version(provider, "")),
        };
        let here = self.here.iter().map(|contender| (contender.name.into(), version(contender.name)));
        here.chain(self.go.iter().map(|go| ("go".into(), go.version.clone()))).collect()
    }

    /// All of them in one case. Who fails is left out, loudly.
    pub(crate) fn measure(
        &self,
        case: Case,
        rounds: usize,
        clock: &Rc<RefCell<Clock>>,
    ) -> io::Result<Vec<Row>> {
        let here =
            self.here.iter().map(|contender| (contender.name, case.prepare(contender, &self.credentials)));
        let go = self.go.iter().filter_map(|go| Some(("go", go.prepare(case)?)));
        let mut runs = Vec::new();
        for (name, prepared) in here.chain(go) {
            match prepared {
                Ok(run) => runs.push((name.to_string(), run)),
                Err(error) => eprintln!("{case}: {name}: {error}, left out"),
            }
        }
        if case.scenario == Scenario::Records {
            runs = runs.into_iter().map(|(name, run)| (name, clocked(run, clock.clone()))).collect();
        }
        interleave(case, runs, rounds)
    }
}

/// Adds the core clock to what is measured.
fn clocked(mut run: Run, clock: Rc<RefCell<Clock>>) -> Run {
    Box::new(move || {
        let mut result = Ok(Vec::new());
        let stamp = clock.borrow_mut().estimate(|| {
            result = run();
            // Only the ratio of time and cycles is of interest: any time will do.
            result.iter().flatten().map(|(_, time)| time).sum()
        });
        let mut figures = result?;
        figures.push((Metric::CORE_CLOCK, stamp.cycles / stamp.ns));
        Ok(figures)
    })
}

impl Go {
    fn start(credentials: &Credentials) -> io::Result<Option<Self>> {
        let Some((version, mut program)) = go::start() else { return Ok(None) };
        let pem = |key| {
            let identity = credentials.identity(key);
            let (certificate, key_pem) = (identity.cert.pem(), identity.signing_key.serialize_pem());
            (key.to_string(), json!({ "Certificate": certificate, "Key": key_pem }))
        };
        let identities: HashMap<_, _> = Key::ALL.into_iter().map(pem).collect();
        let given = json!({ "Authority": credentials.authority.pem(), "Identities": identities });
        program.tell(&given.to_string())?;
        Ok(Some(Self { version, program: Rc::new(RefCell::new(program)) }))
    }

    /// The program receives the case's name, checks the case the first time, and answers with the figures.
    /// `None` where it has no such case.
    fn prepare(&self, case: Case) -> Option<io::Result<Run>> {
        // Go chooses the suite of TLS 1.3 itself.
        if case.terms.version == Version::Tls13 && case.terms.cipher != Cipher::Aes128Gcm {
            return None;
        }
        let program = self.program.clone();
        let run = move || {
            let mut program = program.borrow_mut();
            program.tell(&case.to_string())?;
            let answer: HashMap<String, f64> = serde_json::from_str(&program.line()?)?;
            let figure = |metric: Metric| Some((metric, *answer.get(metric.name)?));
            let figures: Vec<Figure> = Metric::ALL.into_iter().filter_map(figure).collect();
            match figures.len() == answer.len() {
                true => Ok(figures),
                false => Err(io::Error::other(format!("its answer is not understood: {answer:?}"))),
            }
        };
        Some(run().map(|_| Box::new(run) as Run))
    }
}
