//! `digest`'s traits on the hashes.

use crate::hash::compression::Compression;
use crate::hash::{Function, Hasher};
use core::fmt::{self, Write};
use digest::array::{Array, AssocArraySize};
use digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, Eager, EagerHash, FixedOutputCore,
    UpdateCore,
};
use digest::block_buffer::BlockSizes;
use digest::const_oid::{AssociatedOid, ObjectIdentifier};
use digest::{FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};

/// The length of an array, as a type.
type Size<Array> = <Array as AssocArraySize>::Size;
/// The array that a hash absorbs at once.
type BlockOf<F> = <<F as Function>::Core as Compression>::Block;

impl<F: Function> HashMarker for Hasher<F> {}

impl<F: Function<Output: AssocArraySize>> OutputSizeUser for Hasher<F> {
    type OutputSize = Size<F::Output>;
}

impl<F: Function> BlockSizeUser for Hasher<F>
where
    BlockOf<F>: AssocArraySize,
{
    type BlockSize = Size<BlockOf<F>>;
}

impl<F: Function> AlgorithmName for Hasher<F> {
    /// Writes the name in RustCrypto's spelling: `Sha512_256`.
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sha")?;
        F::NAME["sha".len()..].chars().try_for_each(|c| f.write_char(if c == '-' { '_' } else { c }))
    }
}

impl<F: Function> AssociatedOid for Hasher<F> {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap(match F::NAME.as_bytes() {
        b"sha1" => "1.3.14.3.2.26",
        b"sha224" => "2.16.840.1.101.3.4.2.4",
        b"sha256" => "2.16.840.1.101.3.4.2.1",
        b"sha384" => "2.16.840.1.101.3.4.2.2",
        b"sha512" => "2.16.840.1.101.3.4.2.3",
        b"sha512-256" => "2.16.840.1.101.3.4.2.6",
        _ => panic!("no hash of this name"),
    });
}

impl<F: Function> Update for Hasher<F> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }
}

impl<F: Function> Reset for Hasher<F> {
    fn reset(&mut self) {
        *self = Self::new();
    }
}

impl<F: Function<Output: AssocArraySize>> FixedOutput for Hasher<F> {
    #[inline]
    fn finalize_into(self, out: &mut Output<Self>) {
        out.copy_from_slice(self.finalize().as_ref());
    }
}

impl<F: Function<Output: AssocArraySize>> FixedOutputReset for Hasher<F> {
    #[inline]
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        core::mem::take(self).finalize_into(out);
    }
}

// Constructions with their own buffer pass whole blocks to the hash. The hash is its own core, and its buffer
// stays empty until the end.
impl<F: Function> UpdateCore for Hasher<F>
where
    BlockOf<F>: AssocArraySize,
{
    #[inline]
    fn update_blocks(&mut self, blocks: &[Block<Self>]) {
        self.update(Array::slice_as_flattened(blocks));
    }
}

impl<F: Function> BufferKindUser for Hasher<F>
where
    BlockOf<F>: AssocArraySize<Size: BlockSizes>,
{
    type BufferKind = Eager;
}

impl<F: Function<Output: AssocArraySize>> FixedOutputCore for Hasher<F>
where
    BlockOf<F>: AssocArraySize<Size: BlockSizes>,
{
    #[inline]
    fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
        self.update(buffer.get_data());
        self.finalize_into_reset(out);
    }
}

impl<F: Function<Output: AssocArraySize>> EagerHash for Hasher<F>
where
    BlockOf<F>: AssocArraySize<Size: BlockSizes>,
{
    type Core = Self;
}
