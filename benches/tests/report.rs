//! Checks reports of known figures.

use keylane_benches::{
    case, chart, hide,
    results::{Line, Ratio, Results},
    rivals,
};

fn line(case: &str, bytes: f64, is_speed: bool, figures: &[(&str, f64)]) -> Line {
    let figures = figures.iter().map(|(library, figure)| (library.to_string(), vec![*figure]));
    let is_charted = !case.ends_with("/cold");
    Line { case: case.into(), bytes, is_speed, is_charted, figures: figures.collect(), ..Line::default() }
}

fn results(lines: Vec<Line>) -> Results {
    let mut results = Results::default();
    let ratios = lines.iter().flat_map(Line::ratios).collect();
    results.classes.push(("this CPU".into(), ratios));
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
    let mut quiet =
        line("hmac-sha256/keyed/32", 32.0, false, &[("fast", 540.0), ("keylane", 270.0), ("slow", 600.0)]);
    quiet.figures.get_mut("keylane").unwrap().insert(0, 350.0);
    quiet.figures.insert("rustls+keylane".into(), vec![200.0]);
    let results = results(vec![
        quiet,
        line("sha256/digest/16K", 16384.0, false, &[("fast", 2.0 * 16384.0), ("keylane", 2.1 * 16384.0)]),
        line("sha256/digest/64/cold", 64.0, false, &[("fast", 900.0), ("keylane", 500.0)]),
    ]);
    contains(
        &results.tables(),
        &[
            "| this CPU, warm | 3 | 2 | 2 | 0 | 1 | 1 |",
            "| this CPU, cold | 1 | 1 | 1 | 0 | 0 | 0 |",
            "|  | Keylane | best rival | ratio | through rustls |\n",
            "| hmac-sha256/keyed/32 | 270 | fast 540 | 0.50 | 0.37 |",
            "| sha256/digest/16K | 2.100 | fast 2.000 | **1.05** |  |",
            "| sha256/digest/64/cold | 500 | fast 900 | 0.56 |",
        ],
    );
    contains(&results.figures(), &["\"sha256/digest/16K\": {\"fast\": 32768.0, \"keylane\": 34406.4},\n"]);
    let chart = chart::svg(&results).unwrap();
    contains(&chart, &["2.00×", "0.95×"]);
    assert!(!chart.contains("cold"));
}

/// A second pass adds its figures to the line that is there.
#[test]
fn passes() {
    let mut results = results(vec![line("a", 0.0, false, &[("keylane", 3.0)])]);
    results.add(line("a", 0.0, false, &[("keylane", 2.0), ("ring", 5.0)]));
    assert_eq!((results.lines.len(), results.lines[0].get("keylane")), (1, Some(2.0)));
}

/// Less time is faster, and so is more data a second.
#[test]
fn speeds() {
    let figures = [("keylane", 900.0), ("rustls+aws-lc-rs", 450.0), ("rustls+ring", 500.0)];
    let line = line("throughput/tls13-aes128gcm/max/16MB/cpu", 0.0, true, &figures);
    contains(&results(vec![line]).tables(), &["| 900 | rustls+ring 500 | 0.56 |"]);
}

#[track_caller]
fn is_missed(case: &str, figures: &[(&str, f64)], expected: &[(&str, &str, f64, bool)]) {
    let line = line(case, 0.0, false, figures);
    let ratios = line.ratios();
    let found: Vec<_> = ratios.iter().map(|it| (&*it.case, &*it.rival, it.ratio, it.is_missed())).collect();
    assert_eq!(found, expected);
    ratios.iter().for_each(|it| assert_eq!(Ratio::parse(&it.to_string()).as_ref(), Some(it)));
}

/// The same bars on every CPU, more room where memory decides or there is little to do, and none with cold
/// caches.
#[test]
fn bars() {
    let ours = |cycles| [("keylane", cycles), ("slow", 200.0), ("fast", 100.0)];
    for (case, cycles, expected) in [
        ("aes128gcm/batch64/16", 103.0, false),
        ("aes128gcm/batch64/16", 104.0, true),
        ("sha256/digest/1M", 105.0, false),
        ("sha256/digest/1M", 106.0, true),
        ("sha256/digest/64/cold", 310.0, false),
    ] {
        is_missed(case, &ours(cycles), &[(case, "fast", cycles / 100.0, expected)]);
    }
}

/// rustls with our ciphers is beside the same rival. What has no rival has no bar, as the copy.
#[test]
fn bars_through_rustls() {
    let case = "records/tls13-aes128gcm/100/send";
    let figures = [("keylane", 50.0), ("rustls+keylane", 110.0), ("rustls+ring", 100.0)];
    let through = format!("{case}, through rustls");
    let expected = [(case, "rustls+ring", 0.5, false), (&through, "rustls+ring", 1.1, true)];
    is_missed(case, &figures, &expected);
    is_missed("memcpy/1M", &[(rivals::COPY, 1.0)], &[]);
}

/// A library that fails is left out of a line, but not of the check.
#[test]
fn no_figure_misses_the_bar() {
    let case = "aes128gcm/keysetup";
    is_missed(case, &[("ring", 1.0)], &[(case, "ring", f64::INFINITY, true)]);
    contains(&results(vec![line(case, 0.0, false, &[("ring", 1.0)])]).tables(), &["| **no figure** |"]);
}

/// A row has the ratio with cold caches, and as if on each class of CPU; a library that is left out there
/// leaves a gap.
#[test]
fn columns() {
    let row = |name, ours| line(name, 0.0, false, &[("ring", 100.0), ("keylane", ours)]);
    let mut results = results(vec![row("a", 90.0), row("a/cold", 80.0), row("b", 101.0)]);
    let other = Ratio { case: "a".into(), rival: "go".into(), ratio: 1.02 };
    results.classes.push(("Haswell".into(), vec![other]));
    contains(
        &results.tables(),
        &[
            "| this CPU, warm | 2 | 0 | 1 | 1 |",
            "|  | Keylane | best rival | ratio | cold | Haswell |",
            "| a | 90.0 | ring 100 | 0.90 | 0.80 | 1.02 |\n| b | 101 | ring 100 | 1.01 |  |  |\n",
        ],
    );
}

/// TLS becomes a part of its CPU's page, and a second run replaces it.
#[test]
fn tls_is_a_part() {
    let page = std::env::temp_dir().join(format!("keylane-report-{}.md", std::process::id()));
    for (table, ours) in [("Hash", 1.0), ("TLS records: send", 10.0), ("TLS records: send", 20.0)] {
        let line = line("row", 0.0, false, &[("keylane", ours), ("ring", 40.0)]);
        results(vec![Line { table: table.into(), ..line }]).write(&page).unwrap();
    }
    let text = std::fs::read_to_string(&page).unwrap();
    contains(&text, &["| row | 1.000 | ring 40.0 |", "\n## TLS\n", "| row | 20.0 | ring 40.0 |"]);
    assert!(!text.contains("| 10.0 |"), "{text}");
    let name = page.with_extension("").display().to_string();
    let files = [".md", ".svg", ".json", "-tls.svg", "-tls.json"];
    files.iter().for_each(|end| std::fs::remove_file(format!("{name}{end}")).unwrap());
}

/// Each order is one that its library can follow: a name on Keylane's lists, a number, or to stay out of
/// rows.
#[test]
fn hidden_instructions_belong_to_libraries_and_algorithms() {
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
    let classes = hide::CLASSES.iter().flat_map(|[_, hidden]| hidden.split(','));
    classes.for_each(|name| assert!(hide::rows().any(|[known, ..]| known == name), "{name}"));
    // The lists would choose what this CPU has.
    if cfg!(not(keylane_mask)) {
        let error = hide::begin(&["avx512".into()]).unwrap_err().to_string();
        assert_eq!(error, "--hide: build with RUSTFLAGS='--cfg keylane_mask'");
    }
}

/// Every case is there once, the short ones with cold caches too.
#[test]
fn cases_are_all_there() {
    let names: Vec<_> = case::all().into_iter().map(|case| case.name).collect();
    assert_eq!(names.len(), 286);
    assert_eq!(names.iter().filter(|name| name.ends_with("/cold")).count(), 81);
    assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])), "{names:?}");
}
