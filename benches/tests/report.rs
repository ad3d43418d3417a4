//! What the reports say about figures that are known.

use keylane_benches::{
    bars::{self, Bar, Measure},
    case, chart, hide,
    results::{Line, Results},
    rivals, tls,
};
use keylane_tls_checks::scenario::Metric;
use std::panic::catch_unwind;

fn line(case: &str, bytes: f64, is_speed: bool, figures: &[(&str, f64)]) -> Line {
    let figures = figures.iter().map(|(library, figure)| (library.to_string(), vec![*figure]));
    let is_charted = !case.ends_with("/cold");
    Line { case: case.into(), bytes, is_speed, is_charted, figures: figures.collect(), ..Line::default() }
}

fn results(lines: Vec<Line>) -> Results {
    let mut results = Results::default();
    for line in lines {
        for name in line.figures.keys() {
            if !results.libraries.iter().any(|(known, _)| known == name) {
                results.libraries.push((name.clone(), String::new()));
            }
        }
        results.add(line);
    }
    results
}

#[track_caller]
fn contains(text: &str, expected: &[&str]) {
    expected.iter().for_each(|expected| assert!(text.contains(expected), "{expected}\n{text}"));
}

/// The quieter of two passes counts; another's TLS with our ciphers is no rival of ours.
#[test]
fn costs() {
    let results = results(vec![
        line("hmac-sha256/keyed/32", 32.0, false, &[("fast", 540.0), ("keylane", 350.0), ("slow", 600.0)]),
        line("hmac-sha256/keyed/32", 32.0, false, &[("keylane", 270.0), ("rustls+keylane", 200.0)]),
        line("sha256/digest/16K", 16384.0, false, &[("fast", 2.0 * 16384.0), ("keylane", 2.1 * 16384.0)]),
        line("sha256/digest/64/cold", 64.0, false, &[("fast", 900.0), ("keylane", 500.0)]),
    ]);
    contains(
        &results.tables(),
        &[
            "Of 2 rows, Keylane is ahead of the best rival in 1, level within 1 % in 0, behind in 1.",
            "Of 1 rows with cold caches, Keylane is ahead of the best rival in 1,",
            "| hmac-sha256/keyed/32 | 540 (16.875) | 270 (8.438) | 600 (18.750) | **200 (6.250)** | 0.50 |",
            "| sha256/digest/16K | **32768 (2.000)** | 34406 (2.100) |  |  | 1.05 |",
            "| hmac-sha256/keyed/32, keylane | 270 | 300 | 275 | goal reached |",
            "| sha256/digest/16K, keylane | 2.100 c/B | 2.04 c/B | – | **bar missed** by 2.9 % |",
        ],
    );
    let missed: Vec<bool> = results.verdicts().iter().map(|verdict| verdict.is_missed).collect();
    assert_eq!(missed, [true, false]);
    let chart = chart::svg(&results).unwrap();
    contains(&chart, &["2.00×", "0.95×"]);
    assert!(!chart.contains("cold"));
}

/// A line for each library, in a panel for each algorithm.
#[test]
fn costs_by_length() {
    let case = |name, bytes, ours, theirs| line(name, bytes, false, &[("keylane", ours), ("slow", theirs)]);
    let mut results = results(vec![
        case("sha256/digest/16", 16.0, 160.0, 320.0),
        case("sha256/digest/1G", 1_073_741_824.0, 2e9, 4e9),
    ]);
    results.is_scale = true;
    let chart = chart::scale(&results).unwrap();
    contains(&chart, &["sha256/digest", "keylane", "slow", "32M"]);
    assert!(case::scale().iter().all(|case| !case.cold));
    assert_eq!(case::scale().iter().map(|case| case.len).max(), Some(1 << 30));
}

/// The copy that an `open` includes is taken off for the verdict.
#[test]
fn copies() {
    let open = line("aes128gcm/open/16K", 16384.0, false, &[("keylane", 0.380 * 16384.0)]);
    let copy = line("memcpy/16K", 16384.0, false, &[("memcpy", 0.030 * 16384.0)]);
    let row =
        "| aes128gcm/open/16K, keylane without memcpy/16K | 0.350 c/B | 0.365 c/B | 0.31 c/B | bar reached |";
    contains(&results(vec![open, copy]).tables(), &[row]);
}

/// Less time is faster, and so is more data a second.
#[test]
fn speeds() {
    let figures = [("keylane", 900.0), ("rustls+aws-lc-rs", 450.0), ("rustls+ring", 500.0)];
    contains(
        &results(vec![line("throughput/tls13-aes128gcm/max/16MB/cpu", 0.0, true, &figures)]).tables(),
        &[
            "| **900** | 450 | 500 | 0.56 |",
            "cpu, keylane over rustls+ring | 1.800× | 1.5× | 1.8× | goal reached |",
        ],
    );
}

/// Libraries that fail are left out of a line, but not of the check.
#[test]
fn no_figure_misses_the_bar() {
    let results = results(vec![
        line("aes128gcm/keysetup", 0.0, false, &[("ring", 1.0)]),
        line("aes128gcm/open/16K", 16384.0, false, &[("keylane", 1.0)]),
        line("records/tls13-aes128gcm/100/send", 0.0, false, &[("keylane", 1.0)]),
    ]);
    let verdicts = results.verdicts();
    assert_eq!(verdicts.len(), 4);
    for verdict in verdicts {
        assert!(verdict.is_missed && verdict.cells[4] == "**bar missed**: no figure", "{:?}", verdict.cells);
    }
}

/// Of all cases of a bar, the worst counts.
#[test]
fn the_worst_case_counts() {
    let case = |name, ours| line(name, 0.0, false, &[("rustls+keylane", ours), ("rustls+aws-lc-rs", 100.0)]);
    let results = results(vec![
        case("records/tls12-chachapoly/100/send", 125.0),
        case("records/tls13-aes128gcm/4096/send", 50.0),
        case("records/tls13-aes128gcm/4096/receive", 80.0),
    ]);
    contains(
        &results.tables(),
        &[
            "over rustls+aws-lc-rs, worst: records/tls12-chachapoly/100/send | 0.800× | 1× | 1.2× | **bar missed** by 20.0 % |",
            "records/*/receive, rustls+keylane over rustls+aws-lc-rs, worst: records/tls13-aes128gcm/4096/receive | 1.250× |",
        ],
    );
}

#[test]
fn bars_belong_to_cases_and_libraries() {
    let metrics = |case: &_| Metric::ALL.map(|metric| format!("{case}/{}", metric.name));
    let tls = tls::cases().iter().flat_map(metrics).collect::<Vec<_>>();
    let cases: Vec<_> = case::all().into_iter().map(|case| case.name).chain(tls).collect();
    let libraries = rivals::ALL.map(|(name, _)| name);
    assert_eq!(bars::all().count(), 86);
    for bar in bars::all() {
        assert!(cases.iter().any(|case| bar.is_of(case)), "{}", bar.case);
        assert!(libraries.contains(&bar.library), "{}", bar.library);
        match bar.measure {
            Measure::Over(library) => assert!(libraries.contains(&library), "{library}"),
            Measure::Without(case) => assert!(cases.iter().any(|known| known == case), "{case}"),
            Measure::Cycles | Measure::CyclesPerByte => {}
        }
    }
}

#[test]
fn bad_lines_panic() {
    let bars = [
        "a ring cycles 1 x",
        "a ring cycles - 1",
        "a ring nanoseconds 1 -",
        "a ring over 1 -",
        "a ring cycles 1",
    ];
    for line in bars {
        assert!(catch_unwind(|| Bar::parse(line)).is_err(), "{line}");
    }
    for line in [
        "Hash sha1",
        "Hash sha1 digest 1T",
        "Hash sha1 digest 1KK",
        "Hash sha1 digest *",
        "Hash sha1 batch 64",
    ] {
        assert!(catch_unwind(|| case::parse(line)).is_err(), "{line}");
    }
}

/// Each order is one that its library can follow: a name on Keylane's lists, a number, or to stay out of
/// rows.
#[test]
fn hidden_instructions_belong_to_libraries_and_algorithms() {
    assert_eq!(hide::rows().count(), 26);
    let lists = || keylane::primitives().iter().flat_map(|primitive| primitive.implementations());
    for row @ [_, library, how, part] in hide::rows() {
        let is_known = rivals::ALL.iter().any(|(name, _)| *name == library) || library == "OPENSSL_ia32cap";
        let is_order = match library {
            "keylane" => !cfg!(target_arch = "x86_64") || lists().any(|it| it.name == how),
            "OPENSSL_ia32cap" | "ipsec-mb" => {
                how.starts_with("0x") && u64::from_str_radix(&how[2..], 16).is_ok()
            }
            _ => how == "out",
        };
        let is_part = part == "all" || case::all().iter().any(|case| case.algorithm.contains(part));
        assert!(is_known && is_order && is_part, "{row:?}");
    }
    let error = hide::begin(&["sha".into()]).unwrap_err().to_string();
    assert_eq!(error, "--hide sha: hide.txt has no such line");
}

/// Every case is there once, the short ones with cold caches too.
#[test]
fn cases_are_all_there() {
    let names: Vec<_> = case::all().into_iter().map(|case| case.name).collect();
    assert_eq!(names.len(), 289);
    assert_eq!(names.iter().filter(|name| name.ends_with("/cold")).count(), 81);
    assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])), "{names:?}");
}
