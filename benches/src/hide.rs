//! Pretending to be a CPU that lacks instructions, and what each name of `--hide` means for each library.

use std::{env, error::Error, os::unix::process::CommandExt, process::Command, sync::OnceLock};

/// Instructions that a run can hide.
pub struct Set {
    pub name: &'static str,
    /// Keylane's implementations that need them.
    pub keylane: &'static [&'static str],
    /// Their bits in EBX and, shifted by 32, in ECX of CPUID's leaf 7. The variable `OPENSSL_ia32cap` takes
    /// them from OpenSSL, BoringSSL and aws-lc, where it is set before these are loaded.
    cpuid: u64,
    /// What keeps intel-ipsec-mb from them, and a part of the names of the algorithms that it uses them for:
    /// it then takes the manager of an older CPU, which would slow other algorithms too.
    ipsec_mb: (u64, &'static str),
    /// Libraries that cannot be kept from them, and likewise what they use them for: there, they are left
    /// out.
    pub others: &'static [(&'static str, &'static str)],
}

/// Flags of the shim: `IMB_FLAG_SHANI_OFF`, `IMB_FLAG_GFNI_OFF`, and its own for the AVX2 manager.
const SHANI_OFF: u64 = 1;
const GFNI_OFF: u64 = 4;
const AVX2: u64 = 1 << 32;

/// libsodium and Go use none of these in the rows that they are in.
pub const SETS: [Set; 4] = [
    Set {
        name: "sha-ni",
        keylane: &["sha-ni"],
        cpuid: 1 << 29,
        ipsec_mb: (SHANI_OFF, "sha"),
        others: &[
            ("ring", "sha256"),
            ("graviola", "sha256"),
            ("rustcrypto", "sha256"),
            ("rustcrypto", "sha1"),
        ],
    },
    // With GFNI and VPCLMULQDQ, which came with it.
    Set {
        name: "vaes",
        keylane: &["vaes-avx512", "vaes-avx2"],
        cpuid: 0b111 << (32 + 8),
        ipsec_mb: (GFNI_OFF, "aes"),
        others: &[("ring", "gcm"), ("graviola", "gcm"), ("rustcrypto", "aes")],
    },
    Set {
        name: "avx512-ifma",
        keylane: &["avx512-ifma"],
        cpuid: 1 << 21,
        ipsec_mb: (GFNI_OFF, "poly"),
        others: &[],
    },
    // All that begins with AVX512.
    Set {
        name: "avx512",
        keylane: &["avx512", "avx512-ifma", "vaes-avx512"],
        cpuid: 0xdc23_0000 | 0x5842 << 32,
        ipsec_mb: (AVX2, ""),
        others: &[("graviola", "gcm"), ("rustcrypto", "aes")],
    },
];

static HIDDEN: OnceLock<Vec<&'static Set>> = OnceLock::new();

/// Returns what is hidden: nothing before [`begin`].
fn hidden() -> impl Iterator<Item = &'static Set> {
    HIDDEN.get().into_iter().flatten().copied()
}

/// Hides these sets for the rest of the process, which begins again with `OPENSSL_ia32cap`: aws-lc reads it
/// before `main`.
pub fn begin(names: &[String]) -> Result<(), Box<dyn Error>> {
    let find = |name: &String| SETS.iter().find(|set| set.name == name).ok_or_else(|| unknown(name));
    let sets = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let cpuid = sets.iter().fold(0, |all, set| all | set.cpuid);
    let variable = ("OPENSSL_ia32cap", format!("~0x0:~{cpuid:#x}"));
    if cpuid != 0 && env::var(variable.0).as_ref() != Ok(&variable.1) {
        let arguments = env::args_os().skip(1);
        return Err(Command::new(env::current_exe()?)
            .args(arguments)
            .env(variable.0, variable.1)
            .exec()
            .into());
    }
    HIDDEN.set(sets).map_err(|_| "hidden twice".into())
}

fn unknown(name: &str) -> String {
    format!("--hide {name}: there are {}", SETS.map(|set| set.name).join(", "))
}

/// Returns what is hidden from this CPU, for its name.
pub fn describe() -> String {
    let names: Vec<_> = hidden().map(|set| set.name).collect();
    if names.is_empty() { String::new() } else { format!(", as if without {}", names.join(", ")) }
}

/// Returns whether one of Keylane's implementations is hidden.
pub fn hides(implementation: &str) -> bool {
    hidden().any(|set| set.keylane.contains(&implementation))
}

/// Returns whether a library would use for this algorithm what is hidden.
pub fn leaves_out(library: &str, algorithm: &str) -> bool {
    let mut uses = hidden().flat_map(|set| set.others);
    uses.any(|(name, part)| *name == library && algorithm.contains(part))
}

/// Returns the flags with which intel-ipsec-mb does without.
pub fn ipsec_mb_flags(algorithm: &str) -> u64 {
    hidden()
        .map(|set| set.ipsec_mb)
        .filter(|(_, part)| algorithm.contains(part))
        .fold(0, |all, (flag, _)| all | flag)
}
