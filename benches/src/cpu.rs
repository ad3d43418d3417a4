//! Which CPU this is.

use std::fs;

/// The name that the CPU gives itself and, where that says little, its family.
pub fn name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line =
            info.lines().find(|line| line.split(':').next().is_some_and(|field| field.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let number = |name: &str| field(name).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let Some(name) = field("model name") else { return std::env::consts::ARCH.into() };
    let (family, model) = (number("cpu family"), number("model"));
    match generation(&field("vendor_id").unwrap_or_default(), family, model) {
        Some(generation) => format!("{name} ({generation})"),
        None => format!("{name} (family {family}, model {model})"),
    }
}

/// AMD's numbers; Intel's names tell the generation by themselves.
fn generation(vendor: &str, family: u32, model: u32) -> Option<&'static str> {
    match (vendor, family, model) {
        ("AuthenticAMD", 23, 0..0x30) => Some("Zen"),
        ("AuthenticAMD", 23, _) => Some("Zen 2"),
        ("AuthenticAMD", 25, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some("Zen 4"),
        ("AuthenticAMD", 25, _) => Some("Zen 3"),
        ("AuthenticAMD", 26, _) => Some("Zen 5"),
        _ => None,
    }
}

/// A file name made from the CPU's.
pub fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The instruction sets that symmetric cryptography has an eye on.
pub fn features() -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    macro_rules! look {
        ($detected:ident: $($feature:tt)*) => {
            $(if std::arch::$detected!($feature) {
                found.push($feature);
            })*
        };
    }
    #[cfg(target_arch = "x86_64")]
    look!(is_x86_feature_detected: "sha" "sha512" "aes" "vaes" "pclmulqdq" "vpclmulqdq" "gfni" "bmi2" "adx" "avx2"
        "avx512f" "avx512bw" "avx512vl" "avx512ifma");
    #[cfg(target_arch = "aarch64")]
    look!(is_aarch64_feature_detected: "neon" "aes" "sha2" "sha3" "sve" "sve2");
    found.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn slugs() {
        assert_eq!(super::slug("AMD EPYC (Zen 5)"), "amd-epyc-zen-5");
        assert_eq!(super::slug("Intel(R) Xeon(R) 6980P"), "intel-r-xeon-r-6980p");
    }
}
