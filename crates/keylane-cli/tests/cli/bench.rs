//! `keylane bench`

use super::workplace::Workplace;
use keylane::{Primitive, primitives};
use serde_json::Value;
use std::io::Read;

/// On a terminal of 80 columns and 24 lines. The document has the same, and the chart what has a throughput.
#[test]
fn fifteen_operations_on_a_screen_in_a_document_and_in_a_chart() {
    let place = Workplace::new();
    let out = place.keylane("bench --json rows.json --plot chart.svg").done();
    let lines: Vec<_> = out.lines().collect();
    assert!(lines.len() <= 22 && lines.iter().all(|line| line.len() <= 80), "{out}");
    let title = lines.iter().position(|line| line.starts_with("operation ")).unwrap();
    let (lines, more) = lines[title + 1..].split_at(lines.len() - title - 3);
    assert!(more[0].contains("--help") && more[1].ends_with(" docs/benchmarks"), "{more:?}");

    let document: Value = serde_json::from_slice(&place.read("rows.json")).unwrap();
    let rows = document["rows"].as_array().unwrap();
    assert_eq!((lines.len(), rows.len()), (15, 15));
    let mut drawn = Vec::new();
    for (line, row) in lines.iter().zip(rows) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [operation, _, .., runs, speed, unit, cost, per] = words[..] else { panic!("{line}") };
        let product = speed.parse::<f64>().unwrap() * cost.parse::<f64>().unwrap();
        // Without optimisation, cycles cannot be counted: both are of the same time, to two digits.
        let expected = match (unit, per) {
            ("GB/s", "ns/B") => 1.0..=1.0,
            ("M/s", "ns") => 1e3..=1e3,
            ("GB/s", "c/B") => 0.1..=10.0,
            ("M/s", "c") => 1e2..=1e4,
            _ => panic!("{line}"),
        };
        assert!(*expected.start() * 0.9 < product && product < *expected.end() * 1.1, "{line}");

        assert_eq!((&row["operation"], &row["implementation"]), (&operation.into(), &runs.into()));
        let of = primitives().iter().find(|it| it.name() == row["primitive"]).unwrap();
        let messages = row["messages"].as_u64().unwrap() as usize;
        assert_eq!(runs, chosen(of, messages), "{line}");
        let (median, best) = (row["ns_median"].as_f64().unwrap(), row["ns_best"].as_f64().unwrap());
        assert!(0.0 < best && best <= median);
        // Without optimisation, the clock cannot be measured.
        assert_eq!(row["cycles_median"].is_null(), document["machine"]["gigahertz"].is_null());
        match row["size"].as_u64() {
            Some(size) => {
                assert_eq!(
                    (&row["unit"], row["units"].as_u64()),
                    (&"byte".into(), Some(size * messages as u64))
                );
                let rate = row["units"].as_f64().unwrap() * 1e9 / median;
                assert!((row["bytes_per_second"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9);
                drawn.push(format!("{operation}, "));
            }
            None => assert!(row["bytes_per_second"].is_null() && row["unit"] != "byte"),
        }
    }
    let many = rows.iter().find(|row| row["operation"] == "pbkdf2-hmac-sha512-many").unwrap();
    assert_eq!((&many["units"], &many["unit"]), (&8000.into(), &"iteration".into()));

    let text = String::from_utf8(place.read("chart.svg")).unwrap();
    let chart = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(chart.root_element().tag_name().name(), "svg");
    // One is the background.
    assert_eq!(chart.descendants().filter(|node| node.has_tag_name("rect")).count(), 1 + drawn.len());
    let texts = chart.descendants().filter(|node| node.has_tag_name("text"));
    let texts: Vec<_> = texts.filter_map(|node| node.text()).collect();
    let names = texts.iter().filter(|text| drawn.iter().any(|name| text.starts_with(name)));
    assert_eq!(names.count(), drawn.len(), "{texts:?}");
}

/// Returns the implementation that runs for so many messages.
fn chosen(primitive: &Primitive, messages: usize) -> &'static str {
    primitive.implementations().find(|it| it.usable && it.from_messages <= messages).unwrap().name
}

/// A file is created only when its contents are complete.
#[test]
fn a_run_that_ends_early_leaves_no_file() {
    let place = Workplace::with(&[("old.json", b"older measurements")]);
    for json in ["new.json", "old.json"] {
        let arguments = ["bench", "--json", json, "--plot", "chart.svg"];
        let mut child = place.start(env!("CARGO_BIN_EXE_keylane"), &arguments).unwrap();
        // The heading is printed when measuring begins.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(place.names(), ["old.json"]);
        assert_eq!(place.read("old.json"), b"older measurements");
    }
}

#[test]
fn a_document_or_a_chart_alone_is_on_standard_output() {
    let place = Workplace::new();
    roxmltree::Document::parse(&place.keylane("bench --plot -").done()).unwrap();
    serde_json::from_str::<Value>(&place.keylane("bench --json -").done()).unwrap();
}

#[test]
fn wrong_usage_is_reported_before_measuring() {
    let place = Workplace::new();
    place.keylane("bench --json no/file").fails_with(2, "no/file: No such file or directory");
    place.keylane("bench --plot no/file").fails_with(2, "no/file: No such file or directory");
    place.keylane("bench --json - --plot -").fails_with(2, "--json and --plot need a file each");
    assert_eq!(place.keylane("bench sha256").status, 2);
}
