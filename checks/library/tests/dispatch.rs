//! The choice of implementations.
//!
//! `KEYLANE_EXPECT_CPU` names the CPU model of an emulator. The table in this file has the implementations
//! that must then be chosen.

use keylane::{Implementation, primitives, self_test};
use keylane_contracts::{every_implementation, exclusively, required};
use std::env::consts::ARCH;

/// The implementations for one message and for many.
type Chosen = (&'static str, &'static str);

/// Returns the expected choices on a CPU model, by primitive. `None` if the model is not in the table.
fn expected(cpu: &str, architecture: &str) -> Option<[(&'static str, Chosen); 10]> {
    const PORTABLE: Chosen = ("portable", "portable");
    const SHA_NI: Chosen = ("sha-ni", "sha-ni");
    const SHA_NI_4: Chosen = ("sha-ni", "sha-ni-4");
    const SSSE3: Chosen = ("ssse3", "ssse3");
    const AVX2: Chosen = ("avx2", "avx2");
    const AVX512: Chosen = ("avx512", "avx512");
    const SIMD128: Chosen = ("simd128", "simd128");
    const WASM_VECTORS: bool = cfg!(target_feature = "simd128");
    const NEON_SHA2: Chosen = ("neon-sha2", "neon-sha2");
    let (sha1, sha256, sha512) = match (architecture, cpu) {
        ("x86_64", "qemu64") => (PORTABLE, PORTABLE, PORTABLE),
        // Before AVX2.
        ("x86_64", "core2duo" | "Westmere") => (SSSE3, SSSE3, PORTABLE),
        // AVX2 without SHA instructions.
        ("x86_64", "Haswell") => (AVX2, AVX2, AVX2),
        // SHA instructions without AVX.
        ("x86_64", "Denverton") => (SHA_NI, SHA_NI, PORTABLE),
        // Both. QEMU's `max` has no AVX-512, nor has Alder Lake.
        ("x86_64", "alder_lake") => (("sha-ni", "avx2"), SHA_NI, AVX2),
        // AMD's, which gain from four messages at a time.
        ("x86_64", "EPYC-Milan" | "max" | "ryzen") => (SHA_NI_4, SHA_NI_4, AVX2),
        // SHA-512 instructions as well.
        ("x86_64", "arrow_lake") => (("sha-ni", "avx2"), SHA_NI, ("sha512", "sha512")),
        // AVX-512 without SHA instructions.
        ("x86_64", "cascade_lake") => (("avx2", "avx512"), ("avx2", "avx512"), AVX512),
        // Both.
        ("x86_64", "corei3_cnl" | "corei7_icelake_u") => (("sha-ni", "avx512"), ("sha-ni", "avx512"), AVX512),
        // Vectors without the cryptographic instructions, which are optional on aarch64.
        ("aarch64", "raspberry-pi-4") => (("portable", "neon"), ("portable", "neon"), ("portable", "neon")),
        // SHA-1 and SHA-256 instructions.
        ("aarch64", "cortex-a57" | "cortex-a76" | "neoverse-n1") => {
            (NEON_SHA2, NEON_SHA2, ("portable", "neon"))
        }
        // SHA-512 instructions as well.
        ("aarch64", "neoverse-v1" | "max") => (NEON_SHA2, NEON_SHA2, ("neon-sha512", "neon-sha512")),
        ("wasm32", "node") if WASM_VECTORS => (SIMD128, SIMD128, PORTABLE),
        // Only portable kernels.
        ("s390x" | "x86" | "arm", "max") | ("wasm32", "node") => (PORTABLE, PORTABLE, PORTABLE),
        _ => return None,
    };
    let aes = match (architecture, cpu) {
        // Ice Lake has both instructions on 512 bits, Alder Lake on 256.
        ("x86_64", "corei7_icelake_u") => "vaes-avx512",
        ("x86_64", "alder_lake" | "arrow_lake") => "vaes-avx2",
        // Westmere introduced AES and carry-less products. QEMU never has VPCLMULQDQ.
        (
            "x86_64",
            "Westmere" | "Haswell" | "Denverton" | "EPYC-Milan" | "max" | "ryzen" | "cascade_lake"
            | "corei3_cnl",
        ) => "aes-ni",
        ("aarch64", cpu) if cpu != "raspberry-pi-4" => "neon-aes",
        _ => "portable",
    };
    // EOR3 as well.
    let aes_gcm = match (architecture, cpu) {
        ("aarch64", "neoverse-v1" | "max") => "neon-aes-sha3",
        _ => aes,
    };
    // ChaCha20 does not use products of 52 bits, and Poly1305 does not use shuffles of bytes.
    let (poly1305, chacha20, chacha20poly1305) = match (architecture, cpu) {
        ("x86_64", "qemu64") => ("sse2", "sse2", "sse2"),
        ("x86_64", "core2duo" | "Westmere" | "Denverton") => ("sse2", "ssse3", "ssse3"),
        ("x86_64", "Haswell" | "EPYC-Milan" | "max" | "ryzen" | "alder_lake" | "arrow_lake") => {
            ("avx2", "avx2", "avx2")
        }
        ("x86_64", "cascade_lake") => ("avx512", "avx512", "avx512"),
        ("x86_64", "corei3_cnl" | "corei7_icelake_u") => ("avx512-ifma", "avx512", "avx512-ifma"),
        ("aarch64", _) => ("neon", "neon", "neon"),
        ("wasm32", _) if WASM_VECTORS => ("portable", "simd128", "simd128"),
        // Registers of 32 bits.
        _ => ("portable", "portable", "portable"),
    };
    let always = |name| (name, name);
    Some([
        ("sha1", sha1),
        ("sha256", sha256),
        ("sha512", sha512),
        ("aes", always(aes)),
        ("aes-ctr", always(aes)),
        ("aes-gcm", always(aes_gcm)),
        ("aes-gcm-siv", always(aes)),
        ("poly1305", always(poly1305)),
        ("chacha20", always(chacha20)),
        ("chacha20-poly1305", always(chacha20poly1305)),
    ])
}

/// Returns the implementation for `messages` messages: the first on the list that is preferred for this
/// number, is usable and passes its self-test.
fn chosen_for(implementations: &[Implementation], messages: usize) -> &'static str {
    let good = |i: &&Implementation| i.from_messages <= messages && i.usable && i.passes_self_test;
    let chosen = implementations.iter().find(good).expect("the portable one at least");
    assert!(chosen.chosen, "{} is the one for {messages} messages, and not marked so", chosen.name);
    chosen.name
}

/// Calls `test` with each primitive and its list, while nothing is selected.
fn every_list(test: impl Fn(&'static keylane::Primitive, &[Implementation])) {
    assert!(!primitives().is_empty());
    for primitive in primitives() {
        exclusively(primitive.name(), |primitive| {
            test(primitive, &primitive.implementations().collect::<Vec<_>>());
        });
    }
}

#[test]
fn every_list_ends_with_portable() {
    let is_portable = |i: &Implementation| i.name.starts_with("portable");
    every_list(|primitive, list| {
        if ARCH == "wasm32" {
            // It has vectors or not.
            return assert_eq!(list.len(), 1, "{}", primitive.name());
        }
        assert!(list.iter().any(|i| i.name == "portable"), "{}", primitive.name());
        let portable = list.iter().position(is_portable).unwrap();
        for i in &list[portable..] {
            assert!(is_portable(i), "{}: {} after a portable one", primitive.name(), i.name);
            assert!(i.usable && i.passes_self_test && i.from_messages == 1);
        }
        for (i, implementation) in list.iter().enumerate() {
            let name = implementation.name;
            assert!(list[..i].iter().all(|other| other.name != name), "{}: {name} twice", primitive.name());
            assert!(implementation.usable || !implementation.passes_self_test);
            assert!(implementation.passes_self_test || !implementation.chosen);
        }
    });
}

#[test]
fn the_first_usable_implementation_is_chosen() {
    every_list(|primitive, list| {
        // Exactly those that run for some number of messages are marked.
        let numbers = [1].into_iter().chain(list.iter().map(|i| i.from_messages).filter(|n| *n < usize::MAX));
        let mut running: Vec<_> = numbers.map(|messages| chosen_for(list, messages)).collect();
        running.sort_unstable();
        running.dedup();
        let mut marked: Vec<_> = list.iter().filter(|i| i.chosen).map(|i| i.name).collect();
        marked.sort_unstable();
        assert_eq!(marked, running, "{}", primitive.name());
        // One of them runs for a single message.
        let one: Vec<_> = list.iter().filter(|i| i.chosen && i.from_messages == 1).collect();
        assert_eq!(one.len(), 1, "{}", primitive.name());
        assert_eq!(one[0].name, chosen_for(list, 1));
    });
}

#[test]
fn the_expected_implementations_are_chosen() {
    let Ok(cpu) = std::env::var("KEYLANE_EXPECT_CPU") else {
        println!("not checked: KEYLANE_EXPECT_CPU is not set");
        return;
    };
    let expected = expected(&cpu, ARCH).unwrap_or_else(|| panic!("no expectation for {cpu} on {ARCH}"));
    every_list(|primitive, list| {
        let (_, (one, many)) = expected
            .iter()
            .find(|(name, _)| *name == primitive.name())
            .expect("an expectation for each primitive");
        assert_eq!(chosen_for(list, 1), *one, "{} of one message on {cpu}", primitive.name());
        assert_eq!(chosen_for(list, 16), *many, "{} of 16 messages on {cpu}", primitive.name());
    });
}

/// Otherwise the table could keep the old name of a renamed implementation.
#[test]
fn every_expected_name_exists() {
    let x86 = ["qemu64", "core2duo", "Haswell", "Denverton", "EPYC-Milan"];
    let masked = ["cascade_lake", "corei3_cnl", "corei7_icelake_u", "alder_lake", "arrow_lake"];
    let aarch64 = ["raspberry-pi-4", "cortex-a57", "neoverse-v1"];
    for cpu in x86.into_iter().chain(masked).chain(aarch64).chain(["max"]) {
        let Some(expected) = expected(cpu, ARCH) else { continue };
        for (name, (one, many)) in expected {
            let primitive = primitives().iter().find(|primitive| primitive.name() == name).unwrap();
            for chosen in [one, many] {
                assert!(primitive.implementations().any(|i| i.name == chosen), "{cpu}: {name}: {chosen}");
            }
        }
    }
    assert!(expected("8086", ARCH).is_none());
}

/// A misspelled name in `KEYLANE_REQUIRE_BACKENDS` fails as well.
#[test]
fn required_implementations_are_usable() {
    for name in required() {
        let mut implementations = primitives().iter().flat_map(|primitive| primitive.implementations());
        let usable = implementations.any(|i| i.name == name && i.usable && i.passes_self_test);
        assert!(usable, "{name} is required, but no primitive has a usable implementation of that name");
    }
}

/// Prints the usable implementations, for `--show-output`.
#[test]
fn every_usable_implementation_passes() {
    assert_eq!(self_test(), Ok(()));
    every_list(|primitive, list| {
        let usable: Vec<_> = list.iter().filter(|i| i.usable).collect();
        for implementation in &usable {
            assert!(implementation.passes_self_test, "{}: {}", primitive.name(), implementation.name);
        }
        let names: Vec<_> = usable.iter().map(|i| i.name).collect();
        println!("usable: {}: {}", primitive.name(), names.join(" "));
    });
}

#[test]
fn selecting_changes_what_runs() {
    for primitive in primitives() {
        let chosen = || primitive.implementations().filter(|i| i.chosen).collect::<Vec<_>>();
        let (free, mut ran) = (exclusively(primitive.name(), |_| chosen()), Vec::new());
        every_implementation(primitive.name(), |name| {
            assert_eq!(chosen().iter().map(|i| i.name).collect::<Vec<_>>(), [name]);
            ran.push(name.to_owned());
        });
        let usable = primitive.implementations().filter(|i| i.usable);
        assert!(usable.map(|i| i.name).eq(ran));
        assert_eq!(exclusively(primitive.name(), |_| chosen()), free);
    }
}

#[test]
fn selecting_an_absent_implementation_fails() {
    every_list(|primitive, list| {
        let refused = |name| primitive.select(name).is_err();
        assert!(["", "Portable", "portable ", "avx", "no-such-thing"].into_iter().all(refused));
        for implementation in list {
            assert_eq!(refused(implementation.name), !implementation.usable, "{}", implementation.name);
            primitive.reset();
        }
        // An error does not change the choice, whether one is selected or not.
        assert!(refused("no-such-thing"));
        assert_eq!(primitive.implementations().collect::<Vec<_>>(), list);
        let last = list.last().expect("one").name;
        primitive.select(last).unwrap();
        assert!(refused("no-such-thing"));
        for implementation in list.iter().filter(|i| !i.usable) {
            assert!(refused(implementation.name));
        }
        assert!(primitive.implementations().all(|i| i.chosen == (i.name == last)));
    });
}
