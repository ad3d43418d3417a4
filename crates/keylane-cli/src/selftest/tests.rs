use super::*;

fn print(results: &[(bool, bool)], json: bool) -> (Status, String) {
    let results: Vec<_> = results
        .iter()
        .map(|&(usable, passes)| Result { primitive: "p", implementation: "i", usable, passes })
        .collect();
    let mut out = Vec::new();
    (report(results, json, &mut out).unwrap(), String::from_utf8(out).unwrap())
}

#[test]
fn one_failure_is_a_failure() {
    let (status, text) = print(&[(true, true), (true, false), (false, false)], false);
    assert_eq!(status, Status::VerificationFailed);
    assert_eq!(
        text,
        "p  i  passed\np  i  FAILED\np  i  cannot run here\n1 passed, 1 failed, 1 cannot run here\n"
    );
}

#[test]
fn what_cannot_run_has_not_failed() {
    assert_eq!(print(&[(true, true), (false, false)], false).0, Status::Done);
}

#[test]
fn json_says_the_same() {
    let (status, text) = print(&[(true, true), (true, true), (true, false), (false, false)], true);
    assert_eq!(status, Status::VerificationFailed);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["passed"], &json["failed"], &json["unusable"]), (&2.into(), &1.into(), &1.into()));
    let expected = serde_json::json!({
        "primitive": "p", "implementation": "i", "usable": true, "passes": false,
    });
    assert_eq!(json["results"][2], expected);
}
