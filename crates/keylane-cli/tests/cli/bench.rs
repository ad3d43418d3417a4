//! `keylane bench`

use super::workplace::Workplace;
use keylane::{Primitive, primitives};
use keylane_subjects::{Subject, Work, subjects};
use serde_json::Value;
use std::io::Read;

/// Returns the first subject of the kind.
fn first(kind: fn(&Work) -> bool) -> (&'static Primitive, &'static Subject) {
    let subject = subjects().iter().find(|subject| kind(&subject.work) && subject.measured).unwrap();
    (primitives().iter().find(|primitive| primitive.name() == subject.primitive).unwrap(), subject)
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
    for (kind, messages) in
        [((|work| *work == Work::Message) as fn(&Work) -> bool, 1), (|work| *work == Work::Batch, 64)]
    {
        let (primitive, operation) = first(kind);
        let text = place.keylane(&format!("bench --quick {} --sizes 16,1k --json -", operation.name)).done();
        let document: Value = serde_json::from_str(&text).unwrap();
        let rows = rows(&document, &operation.name);
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
    let (primitive, operation) = first(|work| matches!(work, Work::Fixed { .. }));
    place.keylane(&format!("bench --quick {} --json out.json", operation.name)).done();
    let document: Value = serde_json::from_slice(&place.read("out.json")).unwrap();
    let rows = rows(&document, &operation.name);
    assert_eq!(rows.len(), usable(primitive).len());
    let Work::Fixed { units, unit, .. } = operation.work else { unreachable!() };
    assert!(rows.iter().all(|row| row["units"] == units && row["unit"] == unit && row["size"].is_null()));
}

#[test]
fn the_table_has_a_column_for_every_implementation() {
    let place = Workplace::new();
    let (primitive, operation) = first(|work| *work == Work::Message);
    let out = place.keylane(&format!("bench --quick {} --sizes 7,77777", operation.name)).done();
    let title = out.lines().position(|line| line == operation.name).unwrap();
    let table: Vec<_> = out.lines().skip(title + 1).take(4).collect();
    assert_eq!(table[0].split_whitespace().collect::<Vec<_>>(), usable(primitive));
    assert!(table[2].trim_start().starts_with("7 ") && table[3].trim_start().starts_with("77 777 "));
    assert!(table[2].matches('*').count() == 1, "{out}");
}

#[test]
fn the_heading_tells_what_this_cpu_lacks() {
    let place = Workplace::new();
    let (_, operation) = first(|work| *work == Work::Message);
    let out = place.keylane(&format!("bench --quick {} --sizes 16", operation.name)).done();
    let all = || primitives().iter().flat_map(Primitive::implementations);
    for (instructions, name) in [("SHA instructions", "sha-ni"), ("AVX-512", "avx512")] {
        let lacks = all().any(|it| it.name == name) && !all().any(|it| it.name == name && it.usable);
        assert_eq!(out.contains(&format!("This CPU lacks {instructions}: ")), lacks, "{out}");
    }
}

#[test]
fn the_chart_is_well_formed_and_has_every_line() {
    let place = Workplace::new();
    let (primitive, operation) = first(|work| *work == Work::Batch);
    place.keylane(&format!("bench --quick {} --sizes 16,64,256 --plot chart.svg", operation.name)).done();
    let text = String::from_utf8(place.read("chart.svg")).unwrap();
    let chart = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(chart.root_element().tag_name().name(), "svg");
    // Lines of the grid have two points. The name may match several operations, each with a panel.
    let points =
        |node: roxmltree::Node<'_, '_>| node.attribute("points").map(|it| it.split_whitespace().count());
    let lines =
        chart.descendants().filter(|&node| node.has_tag_name("polyline") && points(node) == Some(3)).count();
    let usable = usable(primitive);
    assert!(lines > 0 && lines.is_multiple_of(usable.len()), "{lines}");
    let texts: Vec<_> = chart.descendants().filter_map(|node| node.text()).collect();
    assert!(usable.iter().all(|name| texts.iter().any(|text| text.trim().starts_with(name))));
}

#[test]
fn operations_for_fuzzing_are_measured_if_named() {
    let place = Workplace::new();
    let named = subjects().iter().find(|it| it.name.ends_with("-pieces"));
    let Some(operation) = named else { return };
    let out = place.keylane(&format!("bench --quick {} --sizes 16", operation.name)).done();
    assert!(out.contains(&operation.name));
    let rest = operation.name.strip_suffix("-pieces").unwrap();
    let out = place.keylane(&format!("bench --quick {rest} --sizes 16")).done();
    assert!(!out.contains("-pieces"), "{out}");
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
    let (_, operation) = first(|work| *work == Work::Message);
    let chart = place.keylane(&format!("bench --quick {} --sizes 16 --plot -", operation.name)).done();
    roxmltree::Document::parse(&chart).unwrap();
}

#[test]
fn wrong_usage_is_reported_before_measuring() {
    let place = Workplace::new();
    let (_, fixed) = first(|work| matches!(work, Work::Fixed { .. }));
    place.keylane("bench enigma").fails_with(2, "enigma: no such primitive or operation; there are ");
    place.keylane("bench --json no/file").fails_with(2, "no/file: No such file or directory");
    place.keylane("bench --plot no/file").fails_with(2, "no/file: No such file or directory");
    place.keylane(&format!("bench {} --plot f.svg", fixed.name)).fails_with(2, "nothing to plot");
    for sizes in "0 1,,2 x 17M K -1 1G 1.5K é 99999999999999999999 99999999999999999999K".split(' ') {
        let run = place.keylane(&format!("bench --sizes={sizes}"));
        assert!(run.status == 2 && run.err.contains(": a size is 1 to 16M\n"), "{run:?}");
    }
}
