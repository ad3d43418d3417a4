//! Every public operation of Keylane through one interface.
//!
//! A [`Subject`] says how to make an operation from bytes, which inputs are secret and where it writes. The
//! command, the tests, the fuzzers, and the programs that look for secrets in memory and in branches iterate
//! over [`subjects`]: with a few new subjects, every check covers a new primitive.
mod aeads;
mod ciphers;
mod hashes;

use crate::{every_aead, every_hash};
use keylane::Primitive;
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// The maximum number of messages that an operation divides its data into.
pub const MAX_MESSAGES: usize = 64;

/// An operation of a primitive.
///
/// ```
/// use keylane_contracts::{Call, Work, subjects};
///
/// let sha256 = subjects().iter().find(|subject| subject.name == "sha256").unwrap();
/// assert_eq!((sha256.primitive, sha256.work), ("sha256", Work::Message));
///
/// let (mut data, mut answer) = (*b"abc", [0; 64]);
/// (sha256.make)(b"no key")(&mut Call { data: &mut data, cuts: &[], answer: &mut answer });
/// assert_eq!(answer[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[derive(Debug)]
pub struct Subject {
    /// Lower case with dashes: `"hmac-sha256"`.
    pub name: String,
    /// The primitive that computes it, whose implementations can be selected.
    pub primitive: &'static str,
    /// On every implementation, a subject has one answer to a call. So have all subjects of one class.
    pub class: String,
    /// What the cost of a call depends on.
    pub work: Work,
    /// What of the key is secret.
    pub key: Key,
    /// Whether the data is replaced by a text that is as secret.
    pub in_place: bool,
    /// The public types that hold the secret between calls; none where a call starts from the key.
    pub holds: &'static [&'static str],
    /// Whether it is the plain call. Other subjects compute the same in another way, and may allocate.
    pub plain: bool,
    /// Prepares for a key.
    pub make: Make,
}

/// Prepares for a key. What is returned runs the operation, any number of times.
pub type Make = fn(key: &[u8]) -> Operation;

/// An operation with a prepared key.
pub type Operation = Box<dyn FnMut(&mut Call<'_>)>;

/// What the cost of a call depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The data's length. The cuts matter only where the subject's name says so.
    Message,
    /// The messages that the data is cut into: at most [`MAX_MESSAGES`].
    Batch,
    /// Nothing: every call does the same number of units.
    Fixed {
        /// Iterations and the like.
        units: u32,
    },
}

/// What of a call's key is secret. The rest is nonces, counters and additional data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// There is no key: the data is the secret.
    None,
    /// All of it.
    Whole,
    /// The first bytes. The others may be secret as well.
    First(usize),
    /// The first 32 bytes. The others steer branches: a counter's carries are public.
    BeforeCounter,
}

/// One call of an operation.
#[derive(Debug)]
pub struct Call<'a> {
    /// The input, and for operations that work in place the output.
    pub data: &'a mut [u8],
    /// Where the data is cut, in ascending order: into pieces of one message, or into messages.
    pub cuts: &'a [usize],
    /// The answer, or as much of it as fits, filled up with zeros.
    pub answer: &'a mut [u8; 64],
}

/// All subjects, in the order of [`keylane::primitives`].
pub fn subjects() -> &'static [Subject] {
    static ALL: LazyLock<Vec<Subject>> = LazyLock::new(|| {
        let mut all = Vec::new();
        every_hash!(hashes::list, &mut all);
        ciphers::list(&mut all);
        every_aead!(aeads::list, &mut all);
        aeads::list_any_nonce::<16>(&mut all);
        aeads::list_any_nonce::<24>(&mut all);
        aeads::list_any_nonce::<32>(&mut all);
        aeads::list_chunked(&mut all);
        let place = |subject: &Subject| {
            keylane::primitives().iter().position(|primitive| primitive.name() == subject.primitive)
        };
        all.sort_by_key(place);
        all
    });
    &ALL
}

/// The subjects of a primitive.
pub fn of(primitive: &Primitive) -> impl Iterator<Item = &'static Subject> + use<> {
    let name = primitive.name();
    subjects().iter().filter(move |subject| subject.primitive == name)
}

impl Subject {
    /// A plain operation on one message that takes no key and answers a class of its own.
    pub fn new(primitive: &'static str, name: impl Into<String>, make: Make) -> Self {
        let (name, work, key) = (name.into(), Work::Message, Key::None);
        let class = name.clone();
        Self { name, primitive, class, work, key, in_place: false, holds: &[], plain: true, make }
    }

    /// Sets the [class](Self::class).
    pub fn class(self, class: impl Into<String>) -> Self {
        Self { class: class.into(), ..self }
    }

    /// Sets what of the [key](Self::key) is secret.
    pub fn key(self, key: Key) -> Self {
        Self { key, ..self }
    }

    /// Sets what the cost of a call depends on.
    pub fn work(self, work: Work) -> Self {
        Self { work, ..self }
    }

    /// The data is [replaced](Self::in_place).
    pub fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }

    /// Sets the types that [hold](Self::holds) the secret.
    pub fn holds(self, holds: &'static [&'static str]) -> Self {
        Self { holds, ..self }
    }

    /// Sets whether it is the [plain](Self::plain) call.
    pub fn plain(self, plain: bool) -> Self {
        Self { plain, ..self }
    }

    /// Runs it once, and returns the answer.
    pub fn run(&self, key: &[u8], data: &mut [u8], cuts: &[usize]) -> [u8; 64] {
        let mut answer = [0; 64];
        (self.make)(key)(&mut Call { data, cuts, answer: &mut answer });
        answer
    }
}

impl Call<'_> {
    /// The pieces between the cuts, in order, and their number.
    fn pieces(&self) -> ([&[u8]; MAX_MESSAGES], usize) {
        let mut pieces: [&[u8]; MAX_MESSAGES] = [&[]; MAX_MESSAGES];
        let (mut from, mut count) = (0, 0);
        for &cut in self.cuts.iter().take(MAX_MESSAGES - 1) {
            let cut = cut.clamp(from, self.data.len());
            pieces[count] = &self.data[from..cut];
            (from, count) = (cut, count + 1);
        }
        pieces[count] = &self.data[from..];
        (pieces, count + 1)
    }

    /// Passes on the pieces between the cuts, in order, to be changed.
    fn each_piece(&mut self, mut take: impl FnMut(&mut [u8])) {
        let mut from = 0;
        for cut in self.cuts.iter().copied().chain([self.data.len()]) {
            let cut = cut.clamp(from, self.data.len());
            take(&mut self.data[from..cut]);
            from = cut;
        }
    }

    /// Sets the answer.
    pub fn answer(&mut self, bytes: &[u8]) {
        let len = bytes.len().min(self.answer.len());
        self.answer.fill(0);
        self.answer[..len].copy_from_slice(&bytes[..len]);
    }

    /// Answers the last bytes of the data: those of a key stream depend on every block before them having
    /// been counted.
    fn answer_end_of_data(&mut self) {
        let len = self.data.len().min(64);
        self.answer.fill(0);
        self.answer[..len].copy_from_slice(&self.data[self.data.len() - len..]);
    }

    /// Answers a mixture of several results, in which their order counts.
    fn mix<T: AsRef<[u8]>>(&mut self, results: &[T]) {
        self.answer.fill(0);
        for result in results {
            for (answer, byte) in self.answer.iter_mut().zip(result.as_ref()) {
                *answer = answer.wrapping_mul(31) ^ byte;
            }
        }
    }
}

/// The bytes of `key` from `at` on, filled up with `filling`.
pub fn cut<const N: usize>(key: &[u8], at: usize, filling: u8) -> [u8; N] {
    let mut bytes = [filling; N];
    for (byte, given) in bytes.iter_mut().zip(key.iter().skip(at)) {
        *byte = *given;
    }
    bytes
}

/// `len` zeros that are wiped on drop, for what comes of secrets.
fn scratch(len: usize) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(vec![0; len])
}

/// A copy that is wiped on drop.
fn copy(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(bytes.to_vec())
}

/// A value on the heap, made on a stack of zeros: what lies between its fields is copied from there, and
/// would be what other functions left there.
pub fn boxed<T>(make: impl FnOnce() -> T) -> Box<T> {
    clean_stack();
    new_box(make)
}

#[inline(never)]
fn new_box<T>(make: impl FnOnce() -> T) -> Box<T> {
    Box::new(make())
}

/// Overwrites what other functions have left on the stack.
#[inline(never)]
pub fn clean_stack() {
    std::hint::black_box([0_u8; 1 << 16]);
}
