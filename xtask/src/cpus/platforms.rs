//! The platforms: each a CPU, and what runs programs as if it were that CPU.

use super::Target;

pub(super) struct Platform {
    pub(super) target: Target,
    /// Whose programs: those of `programs.rs`.
    pub(super) build: Build,
    pub(super) runner: Runner,
    /// What `KEYLANE_EXPECT_CPU` says, for `dispatch` to know what must be chosen.
    pub(super) expect: &'static str,
    /// What `KEYLANE_REQUIRE_BACKENDS` must find.
    pub(super) backends: &'static str,
    /// What `KEYLANE_MASK` hides.
    pub(super) mask: &'static str,
    /// Whether every program runs, or those alone that run every kernel and see what is chosen.
    pub(super) every_program: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Build {
    X86,
    Aarch64,
    Armv7,
    I686,
    S390x,
    Wasm,
    /// With vectors of 128 bits.
    WasmSimd128,
}

impl Build {
    pub(super) const fn triple(self) -> &'static str {
        match self {
            Self::X86 => "x86_64-unknown-linux-gnu",
            Self::Aarch64 => "aarch64-unknown-linux-gnu",
            Self::Armv7 => "armv7-unknown-linux-gnueabihf",
            Self::I686 => "i686-unknown-linux-gnu",
            Self::S390x => "s390x-unknown-linux-gnu",
            Self::Wasm | Self::WasmSimd128 => "wasm32-wasip1",
        }
    }
}

/// With the model, by the emulator's name.
#[derive(Clone, Copy)]
pub(super) enum Runner {
    /// This machine.
    Native,
    /// `qemu-ARCHITECTURE`.
    Qemu {
        architecture: &'static str,
        model: &'static str,
    },
    Bochs {
        model: &'static str,
    },
    Node,
}

impl Platform {
    /// For the progress, and to tell platforms apart.
    pub(super) fn name(&self) -> String {
        format!("{} on {}", self.build.triple(), self.cpu())
    }

    /// What stands in the table.
    pub(super) fn cpu(&self) -> String {
        let cpu = match self.runner {
            Runner::Native => "the machine itself".to_owned(),
            Runner::Qemu { model, .. } => format!("qemu's {model}"),
            Runner::Bochs { model } => format!("Bochs' {model}"),
            Runner::Node => "node".to_owned(),
        };
        match (self.mask, self.build) {
            ("", Build::WasmSimd128) => format!("{cpu}, with simd128"),
            ("", _) => cpu,
            (mask, _) => format!("{cpu} without {}, as {}", mask.replace(',', " and "), self.expect),
        }
    }
}

/// The first and the last of qemu's x86-64 CPUs run every test: all that qemu has of our implementations is on the last.
/// Those between show that each implementation needs no more than it asks for, and what is chosen. So do Bochs' CPUs
/// beside Ice Lake, which has all that we have.
pub(super) const PLATFORMS: &[Platform] = &[
    Platform { backends: "", expect: "", ..whole(Target::Native, Build::X86, Runner::Native, "") },
    x86("qemu64", "sse2", true),
    // SSSE3.
    x86("core2duo", "ssse3,sse2", false),
    // SSE4, no AES.
    x86("Nehalem", "ssse3,sse2", false),
    // AES and CLMUL, no AVX.
    x86("Westmere", "aes-ni,ssse3,sse2", false),
    // AVX.
    x86("SandyBridge", "aes-ni,ssse3,sse2", false),
    x86("Haswell", "aes-ni,avx2,ssse3,sse2", false),
    // SHA-NI, no VAES.
    x86("EPYC-Milan", "aes-ni,avx2,sha-ni,ssse3,sse2", false),
    // AES and SHA-NI without AVX.
    x86("Denverton", "aes-ni,sha-ni,ssse3,sse2", false),
    x86("max", "aes-ni,avx2,sha-ni,ssse3,sse2", true),
    bochs(Target::Bochs, "ryzen", "aes-ni,avx2,sha-ni,ssse3,sse2"),
    // AVX-512 without VAES, IFMA and SHA-NI.
    bochs(Target::Bochs, "corei7_skylake_x", "aes-ni,avx512,avx2,ssse3,sse2"),
    // IFMA and SHA-NI without VAES.
    bochs(Target::Bochs, "corei3_cnl", "aes-ni,avx512-ifma,avx512,avx2,sha-ni,ssse3,sse2"),
    // VAES without AVX-512.
    bochs(Target::Bochs, "arrow_lake", "vaes-avx2,aes-ni,avx2,sha-ni,ssse3,sse2"),
    Platform {
        every_program: true,
        ..bochs(
            Target::Avx512,
            "corei7_icelake_u",
            "vaes-avx512,vaes-avx2,aes-ni,avx512-ifma,avx512,avx2,sha-ni,ssse3,sse2",
        )
    },
    qemu(Target::Aarch64, Build::Aarch64, "aarch64", "max", "neon,neon-aes,neon-sha2,neon-sha512"),
    // SHA-1 and SHA-256 instructions, none for SHA-512.
    Platform {
        every_program: false,
        ..qemu(Target::Aarch64, Build::Aarch64, "aarch64", "neoverse-n1", "neon,neon-aes,neon-sha2")
    },
    // Every CPU of qemu's has what the Raspberry Pi 4's maker left out of its Cortex-A72.
    Platform {
        expect: "raspberry-pi-4",
        mask: "neon-aes,neon-sha2",
        ..qemu(Target::Aarch64, Build::Aarch64, "aarch64", "cortex-a72", "neon")
    },
    qemu(Target::Armv7, Build::Armv7, "arm", "max", ""),
    qemu(Target::I686, Build::I686, "i386", "max", ""),
    // Big-endian.
    qemu(Target::S390x, Build::S390x, "s390x", "max", ""),
    whole(Target::Wasm, Build::Wasm, Runner::Node, "node"),
    whole(Target::Wasm, Build::WasmSimd128, Runner::Node, "node"),
];

const fn whole(target: Target, build: Build, runner: Runner, expect: &'static str) -> Platform {
    Platform { target, build, runner, expect, backends: "", mask: "", every_program: true }
}

const fn qemu(
    target: Target,
    build: Build,
    architecture: &'static str,
    model: &'static str,
    backends: &'static str,
) -> Platform {
    Platform { backends, ..whole(target, build, Runner::Qemu { architecture, model }, model) }
}

const fn x86(model: &'static str, backends: &'static str, every_program: bool) -> Platform {
    Platform { every_program, ..qemu(Target::X86, Build::X86, "x86_64", model, backends) }
}

const fn bochs(target: Target, model: &'static str, backends: &'static str) -> Platform {
    let all = whole(target, Build::X86, Runner::Bochs { model }, model);
    Platform { backends, every_program: false, ..all }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of the table is found again by its name.
    #[test]
    fn names_differ() {
        for (i, platform) in PLATFORMS.iter().enumerate() {
            assert!(
                PLATFORMS[..i].iter().all(|other| other.name() != platform.name()),
                "{}",
                platform.name()
            );
        }
    }
}
