//! What Keylane has set itself. Cycles are core cycles of the reference machine: an AMD Zen 3 with SHA-NI,
//! AVX2 and 256-bit VAES, without AVX-512. Other CPUs have other limits: there, the ratio to the best rival
//! says more.

use crate::OURS;

/// The CPU that the bars were set on.
pub const REFERENCE: &str = "AMD Zen 3";

/// What a figure is.
#[derive(Clone, Copy)]
pub enum Measure {
    /// Cycles per message, iteration or operation, at most.
    Cycles,
    /// Cycles per byte, at most.
    PerByte,
    /// Cycles per byte without those of another case, at most.
    PerByteBut(&'static str),
    /// At least so many times as fast as this library.
    TimesAsFastAs(&'static str),
}

/// A target.
pub struct Bar {
    pub case: &'static str,
    pub library: &'static str,
    pub measure: Measure,
    /// At or ahead of the best rival of any language.
    pub bar: f64,
    /// Where the field would be surprised.
    pub goal: Option<f64>,
}

use Measure::*;

const fn ours(case: &'static str, measure: Measure, bar: f64, goal: f64) -> Bar {
    Bar { case, library: OURS, measure, bar, goal: Some(goal) }
}

const fn provider(case: &'static str, bar: f64, goal: f64) -> Bar {
    Bar { library: "rustls+keylane", ..ours(case, OVER_RING, bar, goal) }
}

const OVER_RING: Measure = TimesAsFastAs("rustls+ring");
const OVER_GO: Measure = TimesAsFastAs("go");

/// All of them.
#[rustfmt::skip]
pub const ALL: &[Bar] = &[
    Bar { goal: None, ..ours("sha1/digest/16K", PerByte, 1.91, 0.0) },
    Bar { goal: None, ..ours("sha256/digest/16K", PerByte, 2.04, 0.0) },
    ours("sha256/digest/64", Cycles, 268.0, 262.0),
    ours("sha512/digest/16K", PerByte, 4.40, 3.9),
    ours("sha256/batch64/64", Cycles, 145.0, 115.0),
    ours("hmac-sha256/keyed/32", Cycles, 300.0, 275.0),
    ours("hmac-sha256/keyed/64", Cycles, 430.0, 400.0),
    ours("hmac-sha256/newkey/32", Cycles, 560.0, 450.0),
    ours("hmac-sha256/newkey/64", Cycles, 680.0, 580.0),
    ours("hmac-sha512/keyed/64", Cycles, 1380.0, 1150.0),
    ours("hmac-sha256/batch64/64", Cycles, 225.0, 185.0),
    ours("hmac-sha1/batch64/64", Cycles, 195.0, 165.0),
    ours("hmac-sha512/batch64/64", Cycles, 720.0, 660.0),
    ours("hmac-sha256/batch64/1K", Cycles, 1190.0, 1020.0),
    ours("hmac-sha1/batch64/1K", Cycles, 1010.0, 900.0),
    ours("hmac-sha512/batch64/1K", Cycles, 3330.0, 3200.0),
    ours("pbkdf2-sha256/blocks1/batch1", Cycles, 272.0, 262.0),
    ours("pbkdf2-sha1/blocks1/batch1", Cycles, 256.0, 246.0),
    ours("pbkdf2-sha512/blocks1/batch1", Cycles, 1190.0, 1050.0),
    ours("pbkdf2-sha256/blocks4/batch1", Cycles, 127.0, 112.0),
    ours("pbkdf2-sha256/blocks1/batch8", Cycles, 127.0, 112.0),
    ours("pbkdf2-sha1/blocks4/batch1", Cycles, 120.0, 104.0),
    ours("pbkdf2-sha1/blocks1/batch8", Cycles, 120.0, 104.0),
    ours("pbkdf2-sha512/blocks4/batch1", Cycles, 670.0, 620.0),
    ours("pbkdf2-sha512/blocks1/batch8", Cycles, 670.0, 620.0),
    ours("hkdf-sha256/expand/42", Cycles, 640.0, 550.0),
    ours("aes128ctr/64", Cycles, 52.0, 40.0),
    ours("aes128ctr/1K", PerByte, 0.20, 0.18),
    ours("aes128ctr/8K", PerByte, 0.196, 0.17),
    ours("aes256ctr/8K", PerByte, 0.256, 0.23),
    ours("aes128gcm/seal/16", Cycles, 110.0, 85.0),
    ours("aes128gcm/seal/64", Cycles, 125.0, 95.0),
    ours("aes128gcm/seal/1350", Cycles, 620.0, 540.0),
    ours("aes128gcm/seal/16K", PerByte, 0.365, 0.31),
    ours("aes128gcm/open/16K", PerByteBut("memcpy/16K"), 0.365, 0.31),
    ours("aes256gcm/seal/16K", PerByte, 0.42, 0.37),
    ours("aes256gcm/open/16K", PerByteBut("memcpy/16K"), 0.42, 0.37),
    ours("aes128gcm/keysetup", Cycles, 220.0, 180.0),
    ours("aes256gcm/keysetup", Cycles, 250.0, 200.0),
    ours("poly1305/1", Cycles, 45.0, 34.0),
    ours("poly1305/64", Cycles, 88.0, 75.0),
    ours("poly1305/576", Cycles, 415.0, 370.0),
    ours("poly1305/8K", PerByte, 0.42, 0.35),
    ours("chachapoly/seal/16", Cycles, 470.0, 350.0),
    ours("chachapoly/seal/1350", Cycles, 2150.0, 1900.0),
    ours("chachapoly/seal/16K", PerByte, 1.15, 1.00),
    ours("records/tls13-aes128gcm/16384, send", Cycles, 0.43, 0.36),
    ours("records/tls13-aes128gcm/16384, receive", Cycles, 0.45, 0.37),
    ours("records/tls13-aes128gcm/1024, send", OVER_RING, 1.6, 2.0),
    ours("records/tls13-aes128gcm/1024, receive", OVER_RING, 2.0, 2.5),
    ours("records/tls13-aes128gcm/100, send", OVER_RING, 1.6, 2.0),
    ours("records/tls13-aes128gcm/100, receive", OVER_RING, 2.0, 2.5),
    // Where the handshake weighs little.
    ours("throughput/tls12-aes128gcm/max/16MB, cpu", OVER_GO, 2.1, 2.4),
    ours("throughput/tls12-aes128gcm/max/16MB, cpu", OVER_RING, 1.5, 1.8),
    ours("throughput/tls12-aes128gcm/max/64MB, cpu", OVER_GO, 2.1, 2.4),
    ours("throughput/tls12-aes128gcm/max/64MB, cpu", OVER_RING, 1.5, 1.8),
    ours("throughput/tls13-aes128gcm/max/16MB, cpu", OVER_GO, 2.1, 2.4),
    ours("throughput/tls13-aes128gcm/max/16MB, cpu", OVER_RING, 1.5, 1.8),
    ours("throughput/tls13-aes128gcm/max/64MB, cpu", OVER_GO, 2.1, 2.4),
    ours("throughput/tls13-aes128gcm/max/64MB, cpu", OVER_RING, 1.5, 1.8),
    provider("records/tls13-aes128gcm/16384, send", 1.05, 1.15),
    provider("records/tls13-aes128gcm/16384, receive", 1.05, 1.15),
];

#[cfg(test)]
mod tests {
    use crate::case;
    use keylane_tls_checks::{case::Scenario, scenario::Metric};

    #[test]
    fn bars_belong_to_cases() {
        let tls = Scenario::ALL.map(|scenario| scenario.cases(false)).concat();
        let tls = tls.iter().flat_map(|case| Metric::ALL.map(|metric| format!("{case}, {}", metric.name)));
        let cases: Vec<_> = case::all().iter().map(ToString::to_string).chain(tls).collect();
        for bar in super::ALL {
            assert!(cases.iter().any(|case| case == bar.case), "{}", bar.case);
        }
    }
}
