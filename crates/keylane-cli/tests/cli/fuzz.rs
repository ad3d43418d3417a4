//! `keylane fuzz`, and other commands that go through all implementations.

use super::workplace::Workplace;
use keylane::primitives;

#[test]
fn a_seed_repeats_its_cases() {
    let place = Workplace::new();
    let trace = |options: &str| place.keylane(&format!("fuzz --seed 7 --trace {options}")).done();
    let twenty = trace("--cases 20");
    assert_eq!(twenty, trace("--cases 20"));
    assert_ne!(twenty, place.keylane("fuzz --seed 8 --trace --cases 20").done());
    // Case 19 is the same without the cases before it.
    let last = trace("--cases 1 --from-case 19");
    let answers = |text: &str| {
        let from = text.find("case 19:").unwrap();
        text[from..text.rfind('\n').unwrap()]
            .lines()
            .filter(|line| !line.contains("compared"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(answers(&twenty), answers(&last));
    // It ran every operation except rare ones.
    assert!(answers(&last).len() > primitives().len());
}

#[test]
fn the_seed_and_the_count_are_printed() {
    let place = Workplace::new();
    let out = place.keylane("fuzz --seconds 1").done();
    let seed = out.lines().find_map(|line| line.strip_prefix("seed ")).unwrap();
    assert!(seed.parse::<u64>().is_ok());
    assert!(out.lines().last().unwrap().ends_with("no difference"), "{out}");
    for primitive in primitives() {
        let usable: Vec<_> = primitive.implementations().filter(|it| it.usable).map(|it| it.name).collect();
        let line = out.lines().find(|line| line.starts_with(&format!("{}: ", primitive.name()))).unwrap();
        assert!(usable.iter().all(|name| line.contains(name)), "{line}");
    }
}

#[test]
fn primitives_are_chosen_by_name() {
    let place = Workplace::new();
    let name = primitives()[0].name();
    let out = place.keylane(&format!("fuzz {name} --cases 2 --seed 1")).done();
    assert!(out.starts_with(&format!("{name}: ")) && out.lines().count() == 3, "{out}");
    place.keylane("fuzz enigma").fails_with(2, "enigma: no such primitive; there are ");
}

#[test]
fn every_implementation_is_listed() {
    let place = Workplace::new();
    let (table, tested) = (place.keylane("backends").done(), place.keylane("selftest").done());
    let json: serde_json::Value = serde_json::from_str(&place.keylane("backends --json").done()).unwrap();
    let results: serde_json::Value = serde_json::from_str(&place.keylane("selftest --json").done()).unwrap();
    let mut results = results["results"].as_array().unwrap().iter();
    for (primitive, list) in primitives().iter().zip(json["primitives"].as_array().unwrap()) {
        assert_eq!(list["name"], primitive.name());
        let lines = list["implementations"].as_array().unwrap();
        assert_eq!(lines.len(), primitive.implementations().len());
        for (it, line) in primitive.implementations().zip(lines) {
            assert_eq!(line["name"], it.name);
            assert_eq!(line["usable"], it.usable);
            assert_eq!(line["passes_self_test"], it.passes_self_test);
            assert_eq!(line["chosen"], it.chosen);
            assert_eq!(line["from_messages"], it.from_messages);
            assert!(table.contains(it.name));
            let verdict = if it.usable { "passed" } else { "cannot run here" };
            let words = [primitive.name(), it.name];
            let found = tested
                .lines()
                .any(|line| line.split_whitespace().take(2).eq(words) && line.ends_with(verdict));
            assert!(found, "{words:?} {verdict}: {tested}");
            let result = results.next().unwrap();
            assert_eq!(
                (&result["primitive"], &result["implementation"]),
                (&words[0].into(), &words[1].into())
            );
            assert_eq!((&result["usable"], &result["passes"]), (&line["usable"], &line["passes_self_test"]));
        }
    }
    assert_eq!(results.next(), None);
}
