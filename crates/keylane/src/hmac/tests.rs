//! Tests the cost of HMAC, PBKDF2 and HKDF in compressions, and that chaining values are wiped, with a
//! compression function that counts both.

use super::{Hmac, HmacKey};
use crate::backend::{Backends, backends};
use crate::hash::compression::{Compression, Kernel, Variant, compiled_here};
use crate::hash::{Function, Hash as _, Hasher};
use crate::hkdf::Prk;
use crate::pbkdf2;
use crate::sha2::{Sha256, Sha256Core};
use core::num::NonZeroU32;
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::U32x1;
use keylane_cpu::wipe::Wipe;
use std::cell::Cell;

thread_local! {
    static COMPRESSIONS: Cell<usize> = const { Cell::new(0) };
    static ONLY_COUNTS: Cell<bool> = const { Cell::new(false) };
    static WIPED_STATES: Cell<usize> = const { Cell::new(0) };
}

/// SHA-256's compression function, with states that count when they are wiped.
#[derive(Clone, Copy, Debug)]
struct Counting;

#[derive(Clone, Copy, Debug, PartialEq)]
struct State([u32; 8]);

impl Wipe for State {
    fn set_zero(&mut self) {
        self.0.set_zero();
        WIPED_STATES.set(WIPED_STATES.get() + 1);
    }
}

impl AsRef<[u32]> for State {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}

impl AsMut<[u32]> for State {
    fn as_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

backends! {
    static BACKENDS: Backends<Chosen>;
    "counting", passes, dyn Kernel<Counting>:
    x86_64 []
    aarch64 []
    wasm32 [Portable: cost { alone: 1000, together: 1000, lanes: 16 }]
    // Batches are hashed side by side.
    portable [Portable: cost { alone: 1000, together: 1000, lanes: 16 }]
}

fn passes(_: &Chosen) -> bool {
    true
}

impl Compression for Counting {
    type Word = u32;
    type Vector = U32x1;
    type State = State;
    type Block = [u8; 64];

    const ZERO_STATE: State = State([0; 8]);
    // This kernel has no self-test.
    const ANSWER: State = Self::ZERO_STATE;
    type Chosen = Chosen;

    fn backends() -> &'static Backends<Chosen> {
        &BACKENDS
    }

    compiled_here!();
}

impl Kernel<Counting> for Portable {
    fn compress(&self, state: &mut State, blocks: &[[u8; 64]]) {
        COMPRESSIONS.set(COMPRESSIONS.get() + blocks.len());
        if ONLY_COUNTS.get() {
            return;
        }
        Kernel::<Sha256Core>::compress(self, &mut state.0, blocks);
    }
}

#[derive(Clone, Copy, Debug)]
struct CountingFunction;

impl Function for CountingFunction {
    type Output = [u8; 32];
    const NAME: &'static str = "counting";
    type Core = Counting;
    const VARIANT: &'static Variant<Counting> =
        &Variant { initial: State(Sha256::VARIANT.initial), digest_len: 32 };
    const ID: u8 = 255;
}

type CountingHash = Hasher<CountingFunction>;

/// Returns the number of compressions that `operation` does.
fn compressions<R>(operation: impl FnOnce() -> R) -> usize {
    let before = COMPRESSIONS.get();
    let _ = operation();
    COMPRESSIONS.get() - before
}

/// Returns the number of states that `operation` wipes.
fn wiped<R>(operation: impl FnOnce() -> R) -> usize {
    let before = WIPED_STATES.get();
    let _ = operation();
    WIPED_STATES.get() - before
}

type Key = HmacKey<CountingHash>;

const ITERATIONS: fn(u32) -> NonZeroU32 = |iterations| NonZeroU32::new(iterations).unwrap();

#[test]
fn it_counts_and_is_right() {
    assert_eq!(CountingHash::digest(b"abc"), Sha256::digest(b"abc"));
    assert_eq!(Key::new(b"key").mac(b"message"), HmacKey::<Sha256>::new(b"key").mac(b"message"));
    assert_eq!(compressions(|| CountingHash::digest(&[0; 55])), 1);
    assert_eq!(compressions(|| CountingHash::digest(&[0; 56])), 2);
}

/// A key longer than a block is hashed first.
#[test]
fn a_key_costs_two_compressions() {
    for len in [0, 1, 32, 64] {
        assert_eq!(compressions(|| Key::new(&vec![1; len])), 2, "{len} bytes");
    }
    for (len, hashing) in [(65, 2), (119, 2), (120, 3), (200, 4)] {
        assert_eq!(compressions(|| Key::new(&vec![1; len])), 2 + hashing, "{len} bytes");
    }
}

/// The documented tags, by every method that authenticates a message.
#[test]
fn a_short_message_costs_two_compressions() {
    let key = Key::new(b"key");
    let data = [7; 300];
    for len in 0..=300 {
        let message = &data[..len];
        let expected = 2 + (len + 8) / 64;
        if len <= 55 {
            assert_eq!(expected, 2);
        }
        assert_eq!(compressions(|| key.mac(message)), expected, "mac of {len} bytes");
        assert_eq!(compressions(|| key.mac_parts(&[message])), expected, "mac_parts of {len} bytes");
        assert_eq!(compressions(|| key.verify(message, &[0; 32])), expected, "verify of {len} bytes");
        let mut mac = key.start();
        let running = compressions(|| {
            message.chunks(10).for_each(|piece| mac.update(piece));
            mac.finalize_reset()
        });
        assert_eq!(running, expected, "start, update and finalize_reset of {len} bytes");
        let mut tags = [[0; 32]; 5];
        let many = compressions(|| key.mac_many(&[message; 5], &mut tags));
        assert_eq!(many, 5 * expected, "mac_many of five times {len} bytes");
    }
    assert_eq!(compressions(|| key.start()), 0, "a start is free");
    assert_eq!(compressions(|| key.clone()), 0, "a clone is free");
}

/// The password's key costs two more, and nothing else does if the salt and its block number fit a block.
#[test]
fn an_iteration_of_pbkdf2_costs_two_compressions() {
    let mut out = [0; 32];
    for iterations in [1, 2, 3, 10, 1000] {
        let cost = compressions(|| {
            pbkdf2::derive::<CountingHash>(b"password", b"salt", ITERATIONS(iterations), &mut out)
        });
        assert_eq!(cost, 2 + 2 * iterations as usize, "{iterations} iterations");
    }
    let mut expected = [0; 32];
    pbkdf2::derive::<Sha256>(b"password", b"salt", ITERATIONS(1000), &mut expected).unwrap();
    assert_eq!(out, expected);
    // The key is prepared once for all blocks of an output.
    let mut long = [0; 20 * 32];
    let cost =
        compressions(|| pbkdf2::derive::<CountingHash>(b"password", b"salt", ITERATIONS(10), &mut long));
    assert_eq!(cost, 2 + 20 * 2 * 10);
}

/// 42 bytes, as in RFC 5869's test cases, are two blocks of output: two short messages.
#[test]
fn an_expansion_costs_two_compressions_a_block() {
    let prk = Prk::<CountingHash>::extract(b"salt", b"secret");
    let mut out = [0; 42];
    assert_eq!(compressions(|| prk.expand(&[b"info"], &mut out)), 4);
    assert_eq!(compressions(|| prk.expand(&[b"info"], &mut out[..32])), 2);
    let extracted = compressions(|| Prk::<CountingHash>::extract(b"salt", b"secret"));
    assert_eq!(extracted, 2 + 2 + 2, "the salt's key, the secret's tag, the key made of it");
}

/// Temporary copies, where the states of many lanes are kept.
#[test]
fn temporary_states_are_wiped() {
    use crate::hash::compression::MAX_LANES;

    let key = Key::new(b"key");
    // Without vectors there are none.
    if MAX_LANES == 1 {
        return;
    }
    for messages in [3, 5, MAX_LANES].into_iter().filter(|messages| *messages <= MAX_LANES) {
        let mut tags = [[0; 32]; MAX_LANES];
        let many = wiped(|| key.mac_many(&["a"; MAX_LANES][..messages], &mut tags[..messages]));
        assert!(many >= messages, "the states of {messages} messages");
    }
    let mut macs = [key.start(), key.start()];
    let updated = wiped(|| Hmac::update_many(&mut macs, &[[7; 64]; 2]));
    assert!(updated >= MAX_LANES, "the lanes' states");
    let mut out = [0; 64];
    let derived = wiped(|| pbkdf2::derive::<CountingHash>(b"password", b"salt", ITERATIONS(2), &mut out));
    assert!(derived >= 4 * MAX_LANES, "the chains");
}

/// Parts may be the same memory many times, so their sum may exceed 32 bits. For 64 bits, the C tests do the
/// same without that much memory (`too_long_together`).
#[test]
fn parts_of_more_than_four_gibibytes() {
    let part = vec![0; 1 << 24];
    let parts = vec![&part[..]; 257];
    let key = Key::new(b"key");
    ONLY_COUNTS.set(true);
    assert_eq!(
        compressions(|| key.mac_parts(&parts)),
        257 * (part.len() / 64) + 2,
        "the message, its end, the digest"
    );
}
