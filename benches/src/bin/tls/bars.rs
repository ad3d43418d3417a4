//! What Keylane has set itself. Cycles are those of the reference machine, as in the other bars.

use keylane_tls_testkit::scenario::Metric;

/// Keylane's own streams, and its provider inside rustls.
pub(crate) const STREAM: &str = "keylane";
pub(crate) const PROVIDER: &str = "rustls+keylane";

/// What a target is held against.
#[derive(Clone, Copy)]
pub(crate) enum Measure {
    /// At most so many cycles per byte.
    CyclesPerByte,
    /// At least so many times as fast as this one.
    TimesAsFastAs(&'static str),
}

/// A target.
pub(crate) struct Bar {
    /// Part of the names of the cases that it is for.
    pub(crate) case: &'static str,
    pub(crate) contender: &'static str,
    pub(crate) metric: Metric,
    pub(crate) measure: Measure,
    pub(crate) bar: f64,
    pub(crate) goal: f64,
}

const fn bar(
    case: &'static str,
    contender: &'static str,
    metric: Metric,
    measure: Measure,
    bar: f64,
    goal: f64,
) -> Bar {
    Bar { case, contender, metric, measure, bar, goal }
}

const OVER_RING: Measure = Measure::TimesAsFastAs("rustls+ring");
const OVER_GO: Measure = Measure::TimesAsFastAs("go");
const CYCLES: Measure = Measure::CyclesPerByte;

/// All of them.
pub(crate) const ALL: [Bar; 12] = [
    bar("records/tls13-aes128gcm/16384", STREAM, Metric::Send, CYCLES, 0.43, 0.36),
    bar("records/tls13-aes128gcm/16384", STREAM, Metric::Receive, CYCLES, 0.45, 0.37),
    bar("records/tls13-aes128gcm/1024", STREAM, Metric::Send, OVER_RING, 1.6, 2.0),
    bar("records/tls13-aes128gcm/1024", STREAM, Metric::Receive, OVER_RING, 2.0, 2.5),
    bar("records/tls13-aes128gcm/100", STREAM, Metric::Send, OVER_RING, 1.6, 2.0),
    bar("records/tls13-aes128gcm/100", STREAM, Metric::Receive, OVER_RING, 2.0, 2.5),
    // Where the handshake weighs little.
    bar("aes128gcm/max/16MB", STREAM, Metric::Cpu, OVER_GO, 2.1, 2.4),
    bar("aes128gcm/max/16MB", STREAM, Metric::Cpu, OVER_RING, 1.5, 1.8),
    bar("aes128gcm/max/64MB", STREAM, Metric::Cpu, OVER_GO, 2.1, 2.4),
    bar("aes128gcm/max/64MB", STREAM, Metric::Cpu, OVER_RING, 1.5, 1.8),
    bar("records/tls13-aes128gcm/16384", PROVIDER, Metric::Send, OVER_RING, 1.05, 1.15),
    bar("records/tls13-aes128gcm/16384", PROVIDER, Metric::Receive, OVER_RING, 1.05, 1.15),
];

#[cfg(test)]
mod tests {
    use keylane_tls_testkit::case::Scenario;

    #[test]
    fn bars_belong_to_cases() {
        let cases = Scenario::ALL.map(|scenario| scenario.cases(false)).concat();
        for bar in super::ALL {
            assert!(cases.iter().any(|case| case.to_string().contains(bar.case)), "{}", bar.case);
        }
    }
}
