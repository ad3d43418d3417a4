//! `universal-hash`'s traits on GHASH and Poly1305.

use crate::aes_gcm::Ghash;
use crate::poly1305::Poly1305;
use universal_hash::array::Array;
use universal_hash::common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};
use universal_hash::consts::{U16, U32};
use universal_hash::{Block, Key, KeyInit, ParBlocks, Reset, UhfBackend, UhfClosure, UniversalHash};

macro_rules! universal_hash {
    ($Hash:ident, key $Key:ty, $update:expr) => {
        impl KeySizeUser for $Hash {
            type KeySize = $Key;
        }

        impl KeyInit for $Hash {
            fn new(key: &Key<Self>) -> Self {
                Self::new(&key.0)
            }
        }

        impl BlockSizeUser for $Hash {
            type BlockSize = U16;
        }

        impl ParBlocksSizeUser for $Hash {
            /// The number of blocks that is worth a call of a kernel.
            type ParBlocksSize = U32;
        }

        impl UhfBackend for $Hash {
            fn proc_block(&mut self, block: &Block<Self>) {
                UniversalHash::update(self, core::slice::from_ref(block));
            }

            fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
                UniversalHash::update(self, blocks);
            }
        }

        impl UniversalHash for $Hash {
            fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
                f.call(self);
            }

            #[inline]
            fn update(&mut self, blocks: &[Block<Self>]) {
                $update(self, Array::cast_slice_to_core(blocks));
            }

            #[inline]
            fn finalize(self) -> Block<Self> {
                Array(self.finalize())
            }
        }
    };
}

universal_hash!(Ghash, key U16, Ghash::update);
universal_hash!(Poly1305, key U32, |hash: &mut Poly1305, blocks: &[[u8; 16]]| hash
    .update(blocks.as_flattened()));

impl Reset for Ghash {
    fn reset(&mut self) {
        self.reset();
    }
}
