//! Every quick case, checked and measured once: what a scenario refuses, a benchmark would have measured
//! wrong.
#![cfg(unix)]

use keylane_tls_checks::case::{Case, Scenario};
use keylane_tls_checks::certificates::Credentials;
use keylane_tls_checks::contender::{self, Contender};
use keylane_tls_checks::rounds::{Row, interleave};
use std::io;

/// Checks and measures the contenders once. The error has the name of the first that fails.
fn measure(case: Case, contenders: &[Contender], credentials: &Credentials) -> io::Result<Vec<Row>> {
    let prepare = |contender: &Contender| match case.prepare(contender, credentials) {
        Ok(run) => Ok((contender.name.to_owned(), run)),
        Err(error) => Err(io::Error::other(format!("{}: {error}", contender.name))),
    };
    interleave(contenders.iter().map(prepare).collect::<io::Result<_>>()?, 1)
}

#[test]
fn all_contenders_pass_all_quick_cases() {
    let credentials = Credentials::generate().unwrap();
    let contenders = contender::all();
    for scenario in Scenario::ALL {
        for case in scenario.cases(true) {
            let rows =
                measure(case, &contenders, &credentials).unwrap_or_else(|error| panic!("{case}: {error}"));
            let metrics = if scenario == Scenario::Records { 3 } else { 2 };
            assert_eq!(rows.len(), metrics * contenders.len(), "{case}");
            assert!(rows.iter().all(|row| row.median > 0.0), "{case}: {rows:?}");
        }
    }
}

/// A library that sends nothing but what it is given is found out.
#[test]
fn what_is_not_tls_is_refused() {
    let credentials = Credentials::generate().unwrap();
    let mut plain = contender::all()[0];
    plain.name = "plain";
    plain.connect = |_, _, io| Ok(Box::new(Plain(io::BufReader::new(io))));
    plain.accept = |_, _, io| Ok(Box::new(Plain(io::BufReader::new(io))));
    for case in Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(true)) {
        let error = measure(case, &[plain], &credentials).expect_err("no TLS");
        assert!(error.to_string().starts_with("plain: "), "{case}: {error}");
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

/// Results and bars have these names.
#[test]
fn names_of_cases() {
    let names: Vec<_> = Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(false)).collect();
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), 30 + 28);
    for name in [
        "records/tls12-chachapoly/16384",
        "records/tls13-aes128gcm/100",
        "records/tls13-aes256gcm/1024",
        "throughput/tls12-aes128gcm/max/16MB",
        "throughput/tls13-aes128gcm/dynamic/64MB",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
}
