//! `digest`'s traits on SHA-1 and SHA-2.

use crate::hash::function::Hash;
use crate::sha1::Sha1;
use crate::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use core::fmt;
use digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, Eager, EagerHash, FixedOutputCore,
    UpdateCore,
};
use digest::consts::{U20, U28, U32, U48, U64, U128};
use digest::{
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update, array::Array,
};

macro_rules! hash {
    ($Hash:ident, $name:literal, output $Output:ty, block $Block:ty) => {
        impl HashMarker for $Hash {}

        impl OutputSizeUser for $Hash {
            type OutputSize = $Output;
        }

        impl BlockSizeUser for $Hash {
            type BlockSize = $Block;
        }

        impl AlgorithmName for $Hash {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }

        impl Update for $Hash {
            #[inline]
            fn update(&mut self, data: &[u8]) {
                Hash::update(self, data);
            }
        }

        impl Reset for $Hash {
            fn reset(&mut self) {
                *self = Hash::new();
            }
        }

        impl FixedOutput for $Hash {
            #[inline]
            fn finalize_into(self, out: &mut Output<Self>) {
                out.0 = Hash::finalize(self);
            }
        }

        impl FixedOutputReset for $Hash {
            #[inline]
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                out.0 = Hash::finalize(core::mem::take(self));
            }
        }

        // Constructions with their own buffer pass whole blocks to the hash. The hash is its own core, and
        // its buffer stays empty until the end.
        impl UpdateCore for $Hash {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                Hash::update(self, Array::slice_as_flattened(blocks));
            }
        }

        impl BufferKindUser for $Hash {
            type BufferKind = Eager;
        }

        impl FixedOutputCore for $Hash {
            #[inline]
            fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                Hash::update(self, buffer.get_data());
                self.finalize_into_reset(out);
            }
        }

        impl EagerHash for $Hash {
            type Core = Self;
        }
    };
}

hash!(Sha1, "Sha1", output U20, block U64);
hash!(Sha224, "Sha224", output U28, block U64);
hash!(Sha256, "Sha256", output U32, block U64);
hash!(Sha384, "Sha384", output U48, block U128);
hash!(Sha512, "Sha512", output U64, block U128);
hash!(Sha512_256, "Sha512_256", output U32, block U128);
