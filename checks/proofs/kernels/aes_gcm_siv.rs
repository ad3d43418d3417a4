//! AES-GCM-SIV: the proofs of the list.
//!
//! The key of POLYVAL is derived from the key and the nonce by AES. In the normal form it is an unknown,
//! which stands for those bytes.
//!
//! A counter that is computed in memory must be known, or have names. So a long text whose counter is that of
//! a tag just computed is not sealed: opening is proved, whose hash and key stream are the same.

use super::aes::{FAULTS, Inputs, expands, input_keys};
use super::bitsliced::{Bitsliced, Wide, prove_in};
use super::field::Field;
use super::gcm::named_counter;
use super::memory::{input_array, output_bytes, processed};
use super::prove::Fault;
use super::record::{input_bytes, load};
use super::symbols::Symbol;
use super::vectors::{AesNi, Blocks1, Blocks2, Blocks4};
use crate::aead::Direction;
use crate::aes::KeyBytes;
use crate::aes::RoundKeys;
use crate::aes::portable::Word;
use crate::aes_gcm_siv::kernel::{self, Kernel, Message, MessageKeys};
use crate::aes_gcm_siv::run_with;
use crate::aes_gcm_siv::shape::InTurns;
use crate::backend::Shape;
use crate::ghash::GrowingPowers;
use crate::ghash::four_powers::FourPowers;
use keylane_contracts::Random;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;

/// A message.
#[derive(Clone, Copy)]
struct Case {
    rounds: usize,
    aad: usize,
    text: usize,
    /// Whether the output is in other memory than the input.
    apart: bool,
    /// Whether the keys of the message were derived before, for another one.
    derived: bool,
    /// When opening, the first 32 bits of the tag, if they are known.
    opening: Option<Option<u32>>,
}

/// Proves that a message is sealed or opened: the text, its tag, and that nothing else is written.
fn crypts<K: Shape + Kernel>(case: Case, faults: &[Fault]) {
    let Case { rounds, aad, text, apart, derived, opening } = case;
    prove_in(
        &mut Field::default(),
        faults,
        || {
            let (keys, nonce, mut tag) = (input_keys(rounds), input_array(), input_array::<16>());
            if let Some(Some(first)) = opening {
                tag[..4].copy_from_slice(&first.to_le_bytes());
            }
            let (aad, input) = (input_bytes(aad), input_bytes(text));
            let (mut hash, mut round_keys) = ([0; 16], RoundKeys::EMPTY);
            let mut message_keys = MessageKeys { hash: &mut hash, rounds: &mut round_keys };
            let mut key = Some(&keys);
            if derived {
                K::KERNEL.begin(key.take(), &nonce, &mut message_keys, None);
            }
            let direction = opening.map_or(Direction::Seal, |_| Direction::Open(&tag));
            let mut computed = [0; 16];
            output_bytes(&processed(&input, apart, |text| {
                computed = run_with(K::KERNEL, key, &mut message_keys, &nonce, &aad, text, direction);
            }));
            output_bytes(&computed);
        },
        |field| {
            let mut inputs = Inputs::default();
            let keys = inputs.keys(&mut field.bytes, rounds);
            let [nonce, mut tag, aad, text] =
                [12, 16, aad, text].map(|len| inputs.bytes(&mut field.bytes, len));
            let keys = field.message_keys(&keys, &nonce);
            if let Some(Some(first)) = opening {
                tag.splice(..4, field.constants(&first.to_le_bytes()));
            }
            let expected = if opening.is_some() {
                let plaintext = field.siv_ctr(&keys, &tag, &text);
                let tag = field.siv_tag(&keys, &nonce, &aad, &plaintext);
                [plaintext, tag].concat()
            } else {
                let tag = field.siv_tag(&keys, &nonce, &aad, &text);
                [field.siv_ctr(&keys, &tag, &text), tag].concat()
            };
            field.outputs(&expected)
        },
    );
}

/// Proves a kernel over vectors of N blocks.
fn aes_gcm_siv<K: Shape + Kernel>(n: usize) {
    [16, 32].into_iter().for_each(|key_len| expands(key_len, |key| K::KERNEL.expand(key)));
    let group = 128 * n;
    let case = Case { rounds: 10, aad: 0, text: 1, apart: false, derived: false, opening: None };
    crypts::<K>(case, &[Fault::Product]);
    // Most operations encrypt the text. After a fault in POLYVAL's key, the form of the hash would be huge.
    crypts::<K>(Case { text: 250, ..case }, &[&FAULTS[..], &[Fault::Carry]].concat());
    let both = |case: Case| {
        // The counter is computed in memory, where it must be known, after a group of a long message.
        let is_long = case.aad + case.text > 384 && case.text > group;
        if !is_long {
            crypts::<K>(Case { opening: None, ..case }, &[]);
        }
        crypts::<K>(Case { opening: Some(is_long.then_some(0x8000_0000)), ..case }, &[]);
    };
    // Short messages.
    let mut random = Random::of_this_run();
    let of_this_run = random.below(150);
    let texts = [0, 15, 16, 48, 64, 128, of_this_run].into_iter().chain((1..8).map(|i| 19 * i));
    for (i, text) in texts.enumerate() {
        let aad = [0, 16, 17, 33, 5, 48, 8][i % 7];
        both(Case {
            rounds: [10, 14][i % 2],
            aad,
            text,
            apart: i % 3 == 0,
            derived: i % 4 > 1,
            opening: None,
        });
    }
    // The longest of those, and the shortest of the others.
    for (aad, text) in [(0, 384), (100, 284), (384, 0), (0, 385), (385, 0), (300, 85)] {
        both(Case { rounds: 10, aad, text, ..case });
    }
    // One group at most, and more.
    let mut lens: Vec<usize> =
        [1, 2, 4, 7, 8].iter().flat_map(|end| [16 * n * end - 1, 16 * n * end]).collect();
    // From three groups on, opening hashes each while it decrypts the next.
    lens.extend([group + 1, 2 * group + 17, 3 * group - 1, 3 * group, 4 * group + 33]);
    for (i, text) in lens.into_iter().enumerate() {
        let derived = i % 4 > 1;
        both(Case { rounds: [14, 10][i % 2], aad: 385 + i, text, apart: i % 3 == 0, derived, opening: None });
    }
    // The counter wraps: at the beginning, between blocks, in a group.
    for before in [1, 2, 9] {
        for aad in [17, 385] {
            let opening = Some(Some(u32::MAX - before + 1));
            crypts::<K>(Case { aad, text: 200, opening, ..case }, &[]);
        }
    }
    for (aad, before) in [(0, 1), (17, 8 * n + 3), (0, 32 * n)] {
        let opening = Some(Some(0_u32.wrapping_sub(before as u32)));
        crypts::<K>(Case { aad, text: 4 * group + 33, opening, ..case }, &[]);
    }
}

impl<W: Word + 'static> Kernel for Bitsliced<W> {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        crate::aes::Kernel::expand(self, key)
    }

    /// Counters are computed in memory. Those of one group have names, those of several must be known.
    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>) {
        let mut counter = counter;
        if text.len() <= 64 {
            let first = load((counter as u32).into(), 4);
            counter = counter >> 32 << 32 | u128::from(named_counter(first, &[0, 1, 2, 3]));
        }
        kernel::xor_keystream(self, keys, counter, text);
    }

    fn begin(
        &self,
        key: Option<&RoundKeys>,
        nonce: &[u8; 12],
        keys: &mut MessageKeys<'_>,
        message: Option<&mut Message<'_, '_>>,
    ) {
        kernel::begin::<W>(self, key, nonce, keys, message);
    }

    fn hash(
        &self,
        keys: &MessageKeys<'_>,
        _: &mut GrowingPowers,
        state: &mut [u8; 16],
        parts: &[&[u8]],
        nonce: Option<&[u8; 12]>,
    ) {
        match W::BLOCKS {
            8 => kernel::hash::<W, Blocks1, FourPowers<Blocks1>>(Portable, keys, state, parts, nonce),
            _ => kernel::hash::<W, Blocks1, Blocks1>(Portable, keys, state, parts, nonce),
        }
    }
}

/// The kernel of `Portable`: bitsliced AES, and POLYVAL block by block. `turn` is a fault in what moves rows.
fn proved<K: Shape + Kernel>(turn: Fault) {
    [16, 32].into_iter().for_each(|key_len| expands(key_len, |key| K::KERNEL.expand(key)));
    let case = Case { rounds: 10, aad: 0, text: 1, apart: false, derived: false, opening: None };
    crypts::<K>(case, &[Fault::Product]);
    crypts::<K>(Case { text: 40, ..case }, &[Fault::Xored, Fault::Inverse, turn, Fault::Carry]);
    for (i, text) in [0, 15, 16, 17, 63, 64].into_iter().enumerate() {
        let case = Case { rounds: [10, 14][i % 2], aad: [0, 17, 5][i % 3], text, apart: i % 2 == 0, ..case };
        crypts::<K>(case, &[]);
        crypts::<K>(Case { derived: i % 4 > 1, opening: Some(None), ..case }, &[]);
    }
    // Several groups; the counter wraps.
    for (aad, text, first) in
        [(48, 65, 7), (0, 130, 0xff), (33, 200, 0u32.wrapping_sub(4)), (0, 200, 0u32.wrapping_sub(2))]
    {
        crypts::<K>(Case { aad, text, opening: Some(Some(first)), ..case }, &[]);
    }
}

#[test]
fn portable() {
    proved::<Bitsliced<Symbol<u64>>>(Fault::Rotation);
}

/// Words of other targets. `aes` always proves their rounds.
#[test]
#[ignore = "takes a minute"]
fn portable_in_words_of_128_and_32() {
    proved::<Bitsliced<Wide>>(Fault::Move);
    proved::<Bitsliced<Symbol<u32>>>(Fault::Rotation);
}

macro_rules! proofs {
    ($($name:ident: $Kernel:ty; $n:literal $(, $ignore:ident)?)+) => {
        pub(crate) const PROVED: (&str, &[&str]) = ("aes-gcm-siv", &[$(stringify!($Kernel),)+ "Portable"]);
        $(
        #[test]
        $( #[$ignore = "takes seconds"] )?
        fn $name() {
            aes_gcm_siv::<$Kernel>($n);
        }
        )+
    };
}
proofs! {
    blocks_4: InTurns<Blocks4, 4>; 4, ignore
    blocks_2: InTurns<Blocks2, 2>; 2
    blocks_1: InTurns<Blocks1<AesNi>, 1>; 1, ignore
    blocks_1_of_arm: InTurns<Blocks1, 1>; 1
}
