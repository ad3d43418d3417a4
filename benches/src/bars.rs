//! What Keylane has set itself, in core cycles of the reference machine: an AMD Zen 3 with SHA-NI, AVX2 and 256-bit
//! VAES, without AVX-512. Other CPUs have other limits: there, the ratio to the best rival says more.

/// The CPU that the bars were set on.
pub const REFERENCE: &str = "AMD Zen 3";

/// What a row's figure is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// Cycles per message, iteration or operation.
    Unit,
    /// Cycles per byte.
    Byte,
}

/// A row's target.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// At or ahead of the best rival of any language.
    pub bar: f64,
    /// Where the field would be surprised.
    pub goal: Option<f64>,
    pub per: Per,
}

const fn cycles(bar: f64, goal: f64) -> Bar {
    Bar { bar, goal: Some(goal), per: Per::Unit }
}

const fn per_byte(bar: f64, goal: f64) -> Bar {
    Bar { bar, goal: Some(goal), per: Per::Byte }
}

/// The target of a case, if it has one. That of an `Open` is without the copy that the case includes.
pub fn bar(case: &str) -> Option<Bar> {
    Some(match case {
        "sha1/digest/16K" => Bar { bar: 1.91, goal: None, per: Per::Byte },
        "sha256/digest/16K" => Bar { bar: 2.04, goal: None, per: Per::Byte },
        "sha256/digest/64" => cycles(268.0, 262.0),
        "sha512/digest/16K" => per_byte(4.40, 3.9),
        "sha256/batch64/64" => cycles(145.0, 115.0),
        "hmac-sha256/keyed/32" => cycles(300.0, 275.0),
        "hmac-sha256/keyed/64" => cycles(430.0, 400.0),
        "hmac-sha256/newkey/32" => cycles(560.0, 450.0),
        "hmac-sha256/newkey/64" => cycles(680.0, 580.0),
        "hmac-sha512/keyed/64" => cycles(1380.0, 1150.0),
        "hmac-sha256/batch64/64" => cycles(225.0, 185.0),
        "hmac-sha1/batch64/64" => cycles(195.0, 165.0),
        "hmac-sha512/batch64/64" => cycles(720.0, 660.0),
        "hmac-sha256/batch64/1K" => cycles(1190.0, 1020.0),
        "hmac-sha1/batch64/1K" => cycles(1010.0, 900.0),
        "hmac-sha512/batch64/1K" => cycles(3330.0, 3200.0),
        "pbkdf2-sha256/blocks1/batch1" => cycles(272.0, 262.0),
        "pbkdf2-sha1/blocks1/batch1" => cycles(256.0, 246.0),
        "pbkdf2-sha512/blocks1/batch1" => cycles(1190.0, 1050.0),
        "pbkdf2-sha256/blocks4/batch1" | "pbkdf2-sha256/blocks1/batch8" => cycles(127.0, 112.0),
        "pbkdf2-sha1/blocks4/batch1" | "pbkdf2-sha1/blocks1/batch8" => cycles(120.0, 104.0),
        "pbkdf2-sha512/blocks4/batch1" | "pbkdf2-sha512/blocks1/batch8" => cycles(670.0, 620.0),
        "hkdf-sha256/expand/42" => cycles(640.0, 550.0),
        "aes128ctr/64" => cycles(52.0, 40.0),
        "aes128ctr/1K" => per_byte(0.20, 0.18),
        "aes128ctr/8K" => per_byte(0.196, 0.17),
        "aes256ctr/8K" => per_byte(0.256, 0.23),
        "aes128gcm/seal/16" => cycles(110.0, 85.0),
        "aes128gcm/seal/64" => cycles(125.0, 95.0),
        "aes128gcm/seal/1350" => cycles(620.0, 540.0),
        "aes128gcm/seal/16K" | "aes128gcm/open/16K" => per_byte(0.365, 0.31),
        "aes256gcm/seal/16K" | "aes256gcm/open/16K" => per_byte(0.42, 0.37),
        "aes128gcm/keysetup" => cycles(220.0, 180.0),
        "aes256gcm/keysetup" => cycles(250.0, 200.0),
        "poly1305/1" => cycles(45.0, 34.0),
        "poly1305/64" => cycles(88.0, 75.0),
        "poly1305/576" => cycles(415.0, 370.0),
        "poly1305/8K" => per_byte(0.42, 0.35),
        "chachapoly/seal/16" => cycles(470.0, 350.0),
        "chachapoly/seal/1350" => cycles(2150.0, 1900.0),
        "chachapoly/seal/16K" => per_byte(1.15, 1.00),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn bars_belong_to_cases() {
        let with_bar = crate::case::all().iter().filter(|case| super::bar(&case.id()).is_some()).count();
        let arms = include_str!("bars.rs").split("#[cfg(test)]").next().unwrap();
        let names = arms.lines().filter(|line| line.contains(" => ") && !line.contains("_ =>"));
        assert_eq!(with_bar, names.map(|line| line.matches('"').count() / 2).sum::<usize>());
    }
}
