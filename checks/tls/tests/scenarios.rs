//! Checks and measures every quick case once: a benchmark would measure wrongly what a scenario refuses.
#![cfg(unix)]

use keylane_tls_checks::case::{Case, Scenario};
use keylane_tls_checks::certificates::Credentials;
use keylane_tls_checks::contender::{self, Contender};
use keylane_tls_checks::scenario::Figure;
use std::io;

/// Checks and measures a contender once.
fn measure(case: Case, contender: &Contender, credentials: &Credentials) -> io::Result<Vec<Figure>> {
    case.prepare(contender, credentials)?()
}

#[test]
fn all_contenders_pass_all_quick_cases() {
    let credentials = Credentials::generate().unwrap();
    for case in Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(true)) {
        for contender in contender::all() {
            let figures = measure(case, &contender, &credentials);
            let figures = figures.unwrap_or_else(|error| panic!("{case}: {}: {error}", contender.name));
            assert_eq!(figures.len(), if case.scenario == Scenario::Records { 3 } else { 2 }, "{case}");
            assert!(figures.iter().all(|(_, figure)| *figure > 0.0), "{case}: {figures:?}");
        }
    }
}

/// A library that sends nothing but what it is given is found out.
#[test]
fn what_is_not_tls_is_refused() {
    let credentials = Credentials::generate().unwrap();
    let mut plain = contender::all()[0];
    plain.connect = |_, _, io| Ok(Box::new(Plain(io::BufReader::new(io))));
    plain.accept = |_, _, io| Ok(Box::new(Plain(io::BufReader::new(io))));
    for case in Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(true)) {
        measure(case, &plain, &credentials).expect_err("no TLS");
    }
}

struct Plain(io::BufReader<contender::Io>);

impl io::Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl io::BufRead for Plain {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }
    fn consume(&mut self, n: usize) {
        self.0.consume(n);
    }
}

impl io::Write for Plain {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(data)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.get_mut().flush()
    }
}

impl contender::Stream for Plain {
    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
