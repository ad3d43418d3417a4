//! `keylane tls bench`

use crate::workplace::Workplace;

#[test]
fn a_figure_for_every_library() {
    let place = Workplace::new();
    let table = place.keylane("tls bench records/tls13-aes128gcm/16384 --quick --rounds 1").done();
    let mut lines = table.lines();
    let libraries: Vec<_> = lines.next().unwrap().split_whitespace().skip(3).collect();
    assert_eq!(libraries, ["keylane", "rustls+keylane", "rustls+ring"]);
    for (metric, line) in ["send", "receive", "borrow"].into_iter().zip(lines.by_ref()) {
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words[..3], ["records/tls13-aes128gcm/16384", metric, "ns/B"], "{table}");
        assert_eq!(words.len(), 6, "{table}");
        for figure in &words[3..] {
            assert!(figure.parse::<f64>().unwrap() > 0.0, "{table}");
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn a_case_that_does_not_exist() {
    Workplace::new().keylane("tls bench enigma").fails_with(2, "no scenario and no case has such a name");
}
