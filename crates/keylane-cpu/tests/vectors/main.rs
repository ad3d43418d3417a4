//! Checks that every operation of every trait, on every vector type, agrees with the model. [`operations`]
//! has the operations, and [`VECTORS`] the types. Tests compare both with the source, so that none is
//! missing.

#[allow(dead_code, reason = "each architecture uses its part")]
mod operations;

use keylane_contracts::require;
use keylane_cpu::lanes::*;
use keylane_cpu::{InstructionSet, Portable, Portable8, Portable32};
use operations::{Checker, Io, Kind, Table};
use std::collections::BTreeSet;

/// How many random words an operation is compared on: one whose kind has no inputs that determine it, and any
/// other, to test that it is of its kind.
const ARITHMETIC: usize = 200_000;
const PREMISE: usize = 10_000;

/// Compares a vector with its model on this CPU.
struct OnCpu<I> {
    vector: &'static str,
    isa: I,
}

impl<I: InstructionSet> Checker<I> for OnCpu<I> {
    fn check(
        &mut self,
        table: &Table,
        operation: impl Fn(&'static str, I, &mut Io<'_>),
        model: &dyn Fn(&'static str, &mut Io<'_>),
    ) {
        for &(kind, names) in table.operations {
            let words = if kind == Kind::Arithmetic { ARITHMETIC } else { PREMISE };
            for &name in names {
                operations::compare(
                    &format!("{} of {}", name, self.vector),
                    kind,
                    words,
                    &mut |input, output| {
                        self.isa.run(
                            #[inline(always)]
                            |isa| operation(name, isa, &mut Io { input, output }),
                        );
                    },
                    &|io| model(name, io),
                );
            }
        }
    }
}

/// An operation: its trait and its name.
type Listed = (&'static str, &'static str);

/// Lists operations, and runs none.
struct List<'a>(&'a mut Vec<Listed>);

impl<I> Checker<I> for List<'_> {
    fn check(
        &mut self,
        table: &Table,
        _: impl Fn(&'static str, I, &mut Io<'_>),
        _: &dyn Fn(&'static str, &mut Io<'_>),
    ) {
        let names = table.operations.iter().flat_map(|(_, names)| *names);
        self.0.extend(names.map(|name| (table.name, *name)));
    }
}

/// Returns the token, if this CPU has the instructions.
fn token<I: InstructionSet>() -> Option<I> {
    let token = I::detect().copied();
    if token.is_none() {
        require(I::NAME);
    }
    token
}

/// The traits that a type implements.
macro_rules! implemented {
    ($V:ty) => {
        implemented!(@ $V:
            U32Lanes: U32Lanes<1> U32Lanes<4> U32Lanes<8> U32Lanes<16>;
            U64Lanes: U64Lanes<1> U64Lanes<2> U64Lanes<4> U64Lanes<8>;
            RowLanes: RowLanes<4, 1> RowLanes<8, 2> RowLanes<16, 4>;
            ProductLanes: ProductLanes<1> ProductLanes<2> ProductLanes<4> ProductLanes<8>;
            Product52Lanes: Product52Lanes<2> Product52Lanes<4> Product52Lanes<8>;
            Blocks: Blocks<1> Blocks<2> Blocks<4>;
            AesBlocks: AesBlocks<1> AesBlocks<2> AesBlocks<4>;
            CarrylessBlocks: CarrylessBlocks<1> CarrylessBlocks<2> CarrylessBlocks<4>;
            BlockWords: BlockWords<u32> BlockWords<u64>;
            Lanes: Lanes; Sha256Schedule: Sha256Schedule; AesWords: AesWords;
            Sha1Words: Sha1Words; Sha256Words: Sha256Words; Sha512Words: Sha512Words;
        )
    };
    (@ $V:ty: $($name:ident: $($Trait:path)+;)+) => {
        BTreeSet::from([$(
            (stringify!($name), false $( || {
                struct Probe<T>(core::marker::PhantomData<T>);
                /// Has the constant of a type that does not implement the trait.
                #[allow(dead_code)]
                trait Otherwise {
                    const IMPLEMENTS: bool = false;
                }
                impl<T> Otherwise for Probe<T> {}
                #[allow(dead_code)]
                impl<T: $Trait> Probe<T> {
                    const IMPLEMENTS: bool = true;
                }
                Probe::<$V>::IMPLEMENTS
            } )+)
        ),+])
    };
}

/// The vectors of an architecture, each with the checks of all traits that it implements.
macro_rules! vectors {
    (
        #[$cfg:meta]
        mod $arch:ident { $($use:item)+ }
        $($test:ident: $V:ty: $($check:ident$(<$($n:tt),+>)?)+;)+
    ) => {
        mod $arch {
            /// The names of the vectors.
            #[allow(dead_code, reason = "compared with the source on one architecture")]
            pub(super) const VECTORS: &[&str] = &[$(stringify!($V)),+];

            #[$cfg]
            pub(super) mod tests {
                use super::super::*;
                $($use)+

                #[allow(dead_code, reason = "for the tests of the lists")]
                pub(crate) fn listed() -> Vec<Listed> {
                    let mut listed = Vec::new();
                    $($( operations::$check::<$V $(, $($n),+)?>(&mut List(&mut listed)); )+)+
                    listed
                }

                $(
                    #[test]
                    fn $test() {
                        let mut listed = Vec::new();
                        $( operations::$check::<$V $(, $($n),+)?>(&mut List(&mut listed)); )+
                        let listed: BTreeSet<&str> = listed.into_iter().map(|(name, _)| name).collect();
                        let all = implemented!($V).into_iter().filter_map(|(name, yes)| yes.then_some(name));
                        assert_eq!(listed, all.collect(), "the traits that {} has", stringify!($V));
                        $(
                            if let Some(isa) = token() {
                                let vector = stringify!($V);
                                operations::$check::<$V $(, $($n),+)?>(&mut OnCpu { vector, isa });
                            }
                        )+
                    }
                )+
            }
        }
    };
}

vectors! {
    #[cfg(all())]
    mod portable {
        use keylane_cpu::lanes::portable::*;
    }
    u32x1: U32x1: u32_lanes<1>;
    u64x1: U64x1: u64_lanes<1>;
}
vectors! {
    #[cfg(target_arch = "x86_64")]
    mod x86_64 {
        use keylane_cpu::lanes::x86_64::*;
        use keylane_cpu::x86_64::*;
    }
    u32x4_sse2: U32x4<Sse2>: u32_lanes<4> row_lanes<4, 1>;
    u32x4_ssse3: U32x4<Ssse3>:
        u32_lanes<4> row_lanes<4, 1> block_words_u32<4> sha256_schedule<4>;
    u32x8: U32x8: u32_lanes<8> row_lanes<8, 2> block_words_u32<8> sha256_schedule<8>;
    u32x16: U32x16: u32_lanes<16> row_lanes<16, 4>;
    u64x2_sse2: U64x2<Sse2>: u64_lanes<2> product_lanes<2, true>;
    u64x2_ssse3: U64x2<Ssse3>: u64_lanes<2> product_lanes<2, true>;
    u64x4: U64x4: u64_lanes<4> product_lanes<4, true> block_words_u64<4>;
    u64x4_vl: U64x4Vl: block_words_u64<4>;
    u64x8: U64x8: u64_lanes<8> product_lanes<8, true> product_52_lanes<8>;
    sha_words: ShaWords: sha1_words sha256_words;
    word_quad: WordQuad: sha512_words;
    blocks1_aes_ni: Blocks1<AesNi>: blocks<1> aes_words;
    blocks1_vaes_avx2: Blocks1<VaesAvx2>: blocks<1> aes_words;
    blocks1_vaes_avx512: Blocks1<VaesAvx512>: blocks<1> aes_words;
    blocks2: Blocks2: blocks<2>;
    blocks4: Blocks4: blocks<4>;
}
vectors! {
    #[cfg(target_arch = "aarch64")]
    mod aarch64 {
        use keylane_cpu::aarch64::{NeonAes, NeonAesSha3};
        use keylane_cpu::lanes::aarch64::*;
    }
    u32x4: U32x4: u32_lanes<4> row_lanes<4, 1>;
    u64x2: U64x2: u64_lanes<2> product_lanes<2, true>;
    sha2_words: Sha2Words: sha1_words sha256_words;
    word_quad: WordQuad: sha512_words;
    blocks1_aes: Blocks1<NeonAes>: blocks<1> aes_words;
    blocks1_aes_sha3: Blocks1<NeonAesSha3>: blocks<1> aes_words;
}
vectors! {
    #[cfg(target_feature = "simd128")]
    mod wasm32 {
        use keylane_cpu::lanes::wasm32::*;
    }
    u32x4: U32x4: u32_lanes<4> row_lanes<4, 1> block_words_u32<4> sha256_schedule<4>;
}

#[test]
fn the_portable_tokens_exist_and_run() {
    assert_eq!(Portable::detect().map(|isa| isa.run(|_| 64)), Some(64));
    assert_eq!(Portable32::detect().map(|isa| isa.run(|_| 32)), Some(32));
    assert_eq!(Portable8::detect().map(|isa| isa.run(|_| 8)), Some(8));
}

/// Compares the lists with the source. Every architecture's, on one.
#[cfg(target_arch = "x86_64")]
mod source {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs::read_to_string;

    /// The vectors that are the model.
    const MODELS: [&str; 3] = ["U32s", "U64s", "PlainBlocks"];

    fn read(path: &str) -> String {
        read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("a file of the repository")
    }

    /// The text up to the first character that no name has.
    fn name(text: &str) -> &str {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').next().expect("a part")
    }

    #[test]
    fn every_vector_has_its_checks() {
        for (arch, listed) in [
            ("portable", portable::VECTORS),
            ("x86_64", x86_64::VECTORS),
            ("aarch64", aarch64::VECTORS),
            ("wasm32", wasm32::VECTORS),
        ] {
            let module = read(&format!("src/lanes/{arch}.rs"));
            let mut vectors = BTreeSet::new();
            // What the module exports from the files in its folder, and what it defines.
            let exports = module.split("pub use ").skip(1).map(|line| line.split_once("::").expect("a path"));
            for (file, names) in exports {
                let file = read(&format!("src/lanes/{arch}/{file}.rs"));
                for exported in names.split(';').next().expect("names").split([',', '{', '}', ' ']) {
                    add(&file, exported, &mut vectors);
                }
            }
            definitions(&module).for_each(|defined| add(&module, name(defined), &mut vectors));
            let listed: BTreeSet<String> = listed.iter().map(|&vector| vector.to_owned()).collect();
            assert_eq!(listed, vectors, "{arch}");
        }
    }

    /// Returns what follows `pub struct` or `vector!`, from the name on.
    fn definitions(source: &str) -> impl Iterator<Item = &str> {
        let of_macro = source.split("\nvector! {").skip(1).map(|text| {
            let named = text.lines().find(|line| !line.is_empty() && !line.trim().starts_with("//"));
            named.expect("a name").trim()
        });
        source.split("\npub struct ").skip(1).chain(of_macro)
    }

    /// Adds the vector if the file defines it, for each instruction set that it can have.
    fn add(file: &str, vector: &str, vectors: &mut BTreeSet<String>) {
        let Some(definition) = definitions(file).find(|text| name(text) == vector) else {
            // A trait of instruction sets.
            return assert!(vector.is_empty() || file.contains(&format!("trait {vector}: InstructionSet")));
        };
        if MODELS.contains(&vector) || vector == "Sha1State" {
            return;
        }
        if !definition[vector.len()..].starts_with("<I") {
            vectors.insert(vector.to_owned());
            return;
        }
        for set in file.split("\nunsafe impl ").skip(1) {
            let (_, set) = set.split_once(" for ").expect("a type");
            vectors.insert(format!("{vector}<{}>", name(set)));
        }
    }

    /// The operations of each trait, from the source: methods and operators.
    fn operations_of_traits() -> BTreeMap<String, BTreeSet<String>> {
        let source = read("src/lanes.rs") + &read("src/lanes/blocks.rs");
        let mut traits = BTreeMap::new();
        for text in source.split("\npub trait ").skip(1) {
            let text = &text[..text.find("\n}").expect("the end")];
            let (head, body) = text.split_once("{\n").expect("a body");
            let methods = body.split("    fn ").skip(1).map(|method| name(method).to_owned());
            let operators = head.split("<Output = Self>").map(|text| {
                text.rsplit(|c: char| !c.is_alphanumeric()).next().expect("a part").to_lowercase()
            });
            let operators = operators.take(head.matches("<Output = Self>").count());
            assert!(traits.insert(name(head).to_owned(), methods.chain(operators).collect()).is_none());
        }
        traits
    }

    #[test]
    fn every_operation_has_a_check() {
        let mut checked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, operation) in x86_64::tests::listed() {
            checked.entry(name.to_owned()).or_default().insert(operation.to_owned());
        }
        assert_eq!(checked, operations_of_traits());
    }
}
