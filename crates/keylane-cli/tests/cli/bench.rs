//! `keylane bench`

use super::workplace::Workplace;
use keylane::{Primitive, primitives};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;

fn primitive(name: &str) -> &'static Primitive {
    primitives().iter().find(|primitive| primitive.name() == name).unwrap()
}

fn usable(primitive: &Primitive) -> Vec<&'static str> {
    primitive.implementations().filter(|it| it.usable).map(|it| it.name).collect()
}

fn rows<'a>(document: &'a Value, operation: &str) -> Vec<&'a Value> {
    document["rows"].as_array().unwrap().iter().filter(|row| row["operation"] == operation).collect()
}

#[test]
fn the_document_has_a_row_for_every_implementation_and_size() {
    let place = Workplace::new();
    for (operation, primitive, messages) in
        [("hmac-sha224", primitive("sha256"), 1), ("sha1-many", primitive("sha1"), 64)]
    {
        let text = place.keylane(&format!("bench --quick {operation} --sizes 16,1k --json -")).done();
        let document: Value = serde_json::from_str(&text).unwrap();
        let rows = rows(&document, operation);
        assert_eq!(rows.len(), 2 * usable(primitive).len());
        for size in [16, 1024] {
            let rows: Vec<_> = rows.iter().filter(|row| row["size"] == size).collect();
            let names: Vec<_> = rows.iter().map(|row| row["implementation"].as_str().unwrap()).collect();
            assert_eq!(names, usable(primitive));
            assert_eq!(rows.iter().filter(|row| row["chosen"] == true).count(), 1);
        }
        for row in rows {
            assert_eq!((&row["primitive"], &row["messages"]), (&primitive.name().into(), &messages.into()));
            assert_eq!(row["units"], row["size"].as_u64().unwrap() * messages);
            let (median, best) = (row["ns_median"].as_f64().unwrap(), row["ns_best"].as_f64().unwrap());
            assert!(0.0 < best && best <= median);
            assert!(row["bytes_per_second"].as_f64().unwrap() > 0.0);
            // Without optimisation, the clock cannot be measured.
            assert_eq!(row["cycles_median"].is_null(), document["machine"]["gigahertz"].is_null());
        }
    }
}

#[test]
fn work_of_fixed_size_is_counted_in_its_units() {
    let place = Workplace::new();
    place.keylane("bench --quick pbkdf2-hmac-sha1-many --json out.json").done();
    let document: Value = serde_json::from_slice(&place.read("out.json")).unwrap();
    let rows = rows(&document, "pbkdf2-hmac-sha1-many");
    assert_eq!(rows.len(), usable(primitive("sha1")).len());
    for row in rows {
        assert_eq!((&row["units"], &row["unit"]), (&8000.into(), &"iteration".into()));
        assert!(row["size"].is_null());
    }
}

#[test]
fn the_table_has_a_column_for_every_implementation() {
    let place = Workplace::new();
    let out = place.keylane("bench --quick hmac-sha224 --sizes 7,77777").done();
    let title = out.lines().position(|line| line == "hmac-sha224").unwrap();
    let table: Vec<_> = out.lines().skip(title + 1).take(4).collect();
    assert_eq!(table[0].split_whitespace().collect::<Vec<_>>(), usable(primitive("sha256")));
    assert!(table[2].trim_start().starts_with("7 ") && table[3].trim_start().starts_with("77 777 "));
    assert!(table[2].matches('*').count() == 1, "{out}");
}

#[test]
fn the_heading_tells_what_this_cpu_lacks() {
    let place = Workplace::new();
    let out = place.keylane("bench --quick xchacha20 --sizes 16").done();
    let all = || primitives().iter().flat_map(Primitive::implementations);
    for (instructions, name) in [("SHA instructions", "sha-ni"), ("AVX-512", "avx512")] {
        let lacks = all().any(|it| it.name == name) && !all().any(|it| it.name == name && it.usable);
        assert_eq!(out.contains(&format!("This CPU lacks {instructions}: ")), lacks, "{out}");
    }
}

#[test]
fn the_chart_is_well_formed_and_has_every_line() {
    let place = Workplace::new();
    place.keylane("bench --quick hmac-sha256-many --sizes 16,64,256 --plot chart.svg").done();
    let text = String::from_utf8(place.read("chart.svg")).unwrap();
    let chart = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(chart.root_element().tag_name().name(), "svg");
    // Lines of the grid have two points. The name may match several operations, each with a panel.
    let points =
        |node: roxmltree::Node<'_, '_>| node.attribute("points").map(|it| it.split_whitespace().count());
    let lines =
        chart.descendants().filter(|&node| node.has_tag_name("polyline") && points(node) == Some(3)).count();
    let usable = usable(primitive("sha256"));
    assert!(lines > 0 && lines.is_multiple_of(usable.len()), "{lines}");
    let texts: Vec<_> = chart.descendants().filter_map(|node| node.text()).collect();
    assert!(usable.iter().all(|name| texts.iter().any(|text| text.trim().starts_with(name))));
}

#[test]
fn all_are_measured_on_request() {
    let place = Workplace::new();
    let text = place.keylane("bench --all --quick --sizes 64 --json -").done();
    let document: Value = serde_json::from_str(&text).unwrap();
    let all = |key| document["rows"].as_array().unwrap().iter().map(move |row| row[key].as_str().unwrap());
    let names: BTreeSet<_> = primitives().iter().map(Primitive::name).collect();
    assert_eq!(all("primitive").collect::<BTreeSet<_>>(), names);
    assert_eq!(all("operation").collect::<BTreeSet<_>>().len(), 106);
}

/// On a terminal of 80 columns and 24 lines.
#[test]
fn the_summary_fits_on_a_screen() {
    let place = Workplace::new();
    let out = place.keylane("bench").done();
    let lines: Vec<_> = out.lines().collect();
    assert!(lines.len() <= 22 && lines.iter().all(|line| line.len() <= 80), "{out}");
    let title = lines.iter().position(|line| line.starts_with("operation ")).unwrap();
    let names: Vec<_> = primitives().iter().flat_map(Primitive::implementations).map(|it| it.name).collect();
    let mut operations = 0;
    let (lines, more) = lines[title + 1..].split_at(lines.len() - title - 3);
    assert!(more[0].contains("--help") && more[1].ends_with("/docs/benchmarks"), "{more:?}");
    for line in lines {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, _, .., runs, speed, unit, cost, per] = words[..] else { panic!("{line}") };
        assert!(names.contains(&runs), "{line}");
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
        operations += 1;
    }
    assert_eq!(operations, 15);
}

/// A file is created only when its contents are complete.
#[test]
fn a_run_that_ends_early_leaves_no_file() {
    let place = Workplace::with(&[("old.json", b"older measurements")]);
    for (json, files) in [("new.json", &["old.json"][..]), ("old.json", &["old.json"])] {
        let arguments = ["bench", "--json", json, "--plot", "chart.svg"];
        let mut child = place.start(env!("CARGO_BIN_EXE_keylane"), &arguments).unwrap();
        // The heading is printed when measuring begins.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        let found: Vec<_> =
            std::fs::read_dir(place.path(".")).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(found, files);
        assert_eq!(place.read("old.json"), b"older measurements");
    }
}

#[test]
fn a_chart_alone_is_on_standard_output() {
    let place = Workplace::new();
    let chart = place.keylane("bench --quick xchacha20 --sizes 16 --plot -").done();
    roxmltree::Document::parse(&chart).unwrap();
}

#[test]
fn wrong_usage_is_reported_before_measuring() {
    let place = Workplace::new();
    place.keylane("bench enigma").fails_with(2, "enigma: no such primitive or operation; there are ");
    place.keylane("bench --json no/file").fails_with(2, "no/file: No such file or directory");
    place.keylane("bench --plot no/file").fails_with(2, "no/file: No such file or directory");
    place.keylane("bench hkdf --plot f.svg").fails_with(2, "nothing to plot");
    for sizes in "0 1,,2 x 17M K -1 1G 1.5K é 99999999999999999999 99999999999999999999K".split(' ') {
        let run = place.keylane(&format!("bench --sizes={sizes}"));
        assert!(run.status == 2 && run.err.contains(": a size is 1 to 16M\n"), "{run:?}");
    }
    place.keylane("bench sha512 --json - --plot -").fails_with(2, "--json and --plot need a file each");
}
