//! `keylane backends` and `keylane selftest`.

use super::workplace::Workplace;
use keylane::primitives;

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
            let from_messages = Some(it.from_messages).filter(|&it| it < usize::MAX);
            assert_eq!(line["from_messages"], serde_json::json!(from_messages));
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
