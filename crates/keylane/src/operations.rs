//! What benchmarks and fuzzers run: each operation of a primitive through one interface.

mod aes;
mod chacha20;

pub(crate) use aes::{AES, AES_CTR, AES_GCM};
pub(crate) use chacha20::{CHACHA20, CHACHA20_POLY1305, POLY1305};

use crate::error::Error;
use crate::function::Hash;
use crate::hkdf::Prk;
use crate::hmac::HmacKey;
use crate::pbkdf2::{self, Job};
use crate::sha1::Sha1;
use crate::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use core::fmt;
use core::num::NonZeroU32;

/// The maximum number of messages that an operation divides its data into.
pub const MOST_MESSAGES: usize = 64;

/// Something that a primitive computes.
///
/// ```
/// use keylane::operations::{Call, Work};
///
/// let sha256 = keylane::primitives().iter().find(|primitive| primitive.name() == "sha256").unwrap();
/// let operation = sha256.operations().iter().find(|operation| operation.name == "sha256").unwrap();
/// assert_eq!(operation.work, Work::Message);
///
/// let (mut data, mut answer) = (*b"abc", [0; 64]);
/// (operation.prepare)(b"no key", &mut |digest| {
///     digest(&mut Call { data: &mut data, cuts: &[], answer: &mut answer });
/// });
/// assert_eq!(answer[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
pub struct Operation {
    /// Lower case with dashes: `"hmac-sha256"`.
    pub name: &'static str,
    /// Operations of one primitive with the same `answer` give the same answer to the same call. On every
    /// implementation, an operation gives the same answer.
    pub answer: &'static str,
    /// What the cost of a call depends on.
    pub work: Work,
    /// Prepares for `key`, then passes on the operation itself, to be called any number of times.
    pub prepare: Prepare,
}

/// Prepares for a key, then passes the operation to `run`, which calls it as often as it likes.
pub type Prepare = fn(key: &[u8], run: Run<'_>);

/// Takes an operation that is ready to be called.
pub type Run<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&mut Call<'_>));

/// What the cost of a call depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The data's length. The cuts matter only where the operation's name says so.
    Message,
    /// The messages that the data is cut into: at most [`MOST_MESSAGES`].
    Batch,
    /// Nothing: every call does the same number of units.
    Fixed {
        /// How many.
        units: u32,
        /// Of what, in the singular.
        unit: &'static str,
        /// How many messages are computed side by side.
        messages: usize,
    },
}

/// One call of an operation.
#[derive(Debug)]
pub struct Call<'a> {
    /// The input, and for operations that work in place the output.
    pub data: &'a mut [u8],
    /// Where the data is cut, in ascending order: into pieces of one message, or into messages.
    pub cuts: &'a [usize],
    /// The answer, or as much of it as fits.
    pub answer: &'a mut [u8; 64],
}

impl Call<'_> {
    /// The pieces between the cuts, in order.
    fn pieces(&self) -> ([&[u8]; MOST_MESSAGES], usize) {
        let mut pieces: [&[u8]; MOST_MESSAGES] = [&[]; MOST_MESSAGES];
        let (mut from, mut count) = (0, 0);
        for &cut in self.cuts.iter().take(MOST_MESSAGES - 1) {
            let cut = cut.clamp(from, self.data.len());
            pieces[count] = &self.data[from..cut];
            (from, count) = (cut, count + 1);
        }
        pieces[count] = &self.data[from..];
        (pieces, count + 1)
    }

    /// Hands over the pieces between the cuts, in order, to be changed.
    fn each_piece(&mut self, mut take: impl FnMut(&mut [u8])) {
        let mut from = 0;
        for cut in self.cuts.iter().copied().chain([self.data.len()]) {
            let cut = cut.clamp(from, self.data.len());
            take(&mut self.data[from..cut]);
            from = cut;
        }
    }

    fn answer(&mut self, bytes: &[u8]) {
        self.answer.fill(0);
        self.answer[..bytes.len()].copy_from_slice(bytes);
    }

    /// The last bytes of the data: for a stream they depend on every block before them having been counted.
    fn answer_end_of_data(&mut self) {
        let len = self.data.len().min(64);
        self.answer.fill(0);
        self.answer[..len].copy_from_slice(&self.data[self.data.len() - len..]);
    }

    /// Takes one of several results into the answer, in which their order counts.
    fn mix<T: AsRef<[u8]>>(&mut self, results: &[T]) {
        self.answer.fill(0);
        for result in results {
            for (answer, byte) in self.answer.iter_mut().zip(result.as_ref()) {
                *answer = answer.wrapping_mul(31) ^ byte;
            }
        }
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("name", &self.name)
            .field("work", &self.work)
            .finish_non_exhaustive()
    }
}

/// The bytes of `key` from `at` on, with `filling` after them.
fn cut<const N: usize>(key: &[u8], at: usize, filling: u8) -> [u8; N] {
    let mut bytes = [filling; N];
    for (byte, given) in bytes.iter_mut().zip(key.iter().skip(at)) {
        *byte = *given;
    }
    bytes
}

/// Thirteen bytes, as in a TLS record, or more if the key is long.
fn aad_of(key: &[u8]) -> &[u8] {
    if key.len() > 32 { key } else { &key[..key.len().min(13)] }
}

/// The tag, or zeros if there is none: the lengths are far below the limit.
fn answer_tag(call: &mut Call<'_>, seal: impl FnOnce(&mut [u8]) -> Result<[u8; 16], Error>) {
    let tag = seal(call.data).unwrap_or_default();
    call.answer(&tag);
}

fn digest<H: Hash>(_: &[u8], run: Run<'_>) {
    run(&mut |call| call.answer(H::digest(call.data).as_ref()));
}

fn digest_in_pieces<H: Hash>(_: &[u8], run: Run<'_>) {
    run(&mut |call| {
        let (pieces, count) = call.pieces();
        let mut hash = H::new();
        for piece in &pieces[..count] {
            hash.update(piece);
        }
        call.answer(hash.finalize().as_ref());
    });
}

fn digest_many<H: Hash>(_: &[u8], run: Run<'_>) {
    run(&mut |call| {
        let (messages, count) = call.pieces();
        let mut digests = [H::digest(&[]); MOST_MESSAGES];
        // The lengths are equal.
        let _ = H::digest_many(&messages[..count], &mut digests[..count]);
        call.mix(&digests[..count]);
    });
}

fn digest_each<H: Hash>(_: &[u8], run: Run<'_>) {
    run(&mut |call| {
        let (messages, count) = call.pieces();
        call.mix(&messages.map(H::digest)[..count]);
    });
}

fn mac_new_key<H: Hash>(key: &[u8], run: Run<'_>) {
    run(&mut |call| call.answer(HmacKey::<H>::new(key).mac(call.data).as_ref()));
}

fn mac<H: Hash>(key: &[u8], run: Run<'_>) {
    let key = HmacKey::<H>::new(key);
    run(&mut |call| call.answer(key.mac(call.data).as_ref()));
}

fn mac_in_pieces<H: Hash>(key: &[u8], run: Run<'_>) {
    let key = HmacKey::<H>::new(key);
    run(&mut |call| {
        let (pieces, count) = call.pieces();
        call.answer(key.mac_parts(&pieces[..count]).as_ref());
    });
}

fn mac_many<H: Hash>(key: &[u8], run: Run<'_>) {
    let key = HmacKey::<H>::new(key);
    let mut tags = [key.mac(&[]); MOST_MESSAGES];
    run(&mut |call| {
        let (messages, count) = call.pieces();
        // The lengths are equal.
        let _ = key.mac_many(&messages[..count], &mut tags[..count]);
        call.mix(&tags[..count]);
    });
}

fn mac_each<H: Hash>(key: &[u8], run: Run<'_>) {
    let key = HmacKey::<H>::new(key);
    run(&mut |call| {
        let (messages, count) = call.pieces();
        call.mix(&messages.map(|message| key.mac(message))[..count]);
    });
}

const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

fn derive<H: Hash>(key: &[u8], run: Run<'_>) {
    run(&mut |call| {
        let mut out = [0; 64];
        // One block, of which the last bytes may be missing. The length is far below the limit.
        let out_len = H::OUTPUT_LEN - call.data.len() % 8;
        let _ = pbkdf2::derive::<H>(key, call.data, ITERATIONS, &mut out[..out_len]);
        call.answer(&out);
    });
}

fn derive_eight<H: Hash>(key: &[u8], run: Run<'_>) {
    run(&mut |call| {
        let mut outs = [[0; 64]; 8];
        let (mut jobs, salt) = (0, &*call.data);
        let jobs = outs.each_mut().map(|out| {
            jobs += 1;
            Job { password: &key[..key.len().min(jobs)], salt, out: &mut out[..H::OUTPUT_LEN] }
        });
        let mut jobs = jobs;
        // The lengths are far below the limit.
        let _ = pbkdf2::derive_many::<H>(&mut jobs, ITERATIONS);
        call.mix(&outs);
    });
}

fn expand<H: Hash>(key: &[u8], run: Run<'_>) {
    let prk = Prk::<H>::extract(b"", key);
    run(&mut |call| {
        let mut out = [0; 42];
        // The length is far below the limit.
        let _ = prk.expand(&[&call.data[..call.data.len().min(10)]], &mut out);
        call.answer(&out);
    });
}

/// A hash's operations, and those of the hashes that are the same from another initial value, cut short.
macro_rules! operations {
    ($Hash:ty, $name:literal $(; $Cut:ty, $cut_name:literal)*) => {
        &[
            Operation { name: $name, answer: "digest", work: Work::Message, prepare: digest::<$Hash> },
            Operation {
                name: concat!($name, "-pieces"),
                answer: "digest",
                work: Work::Message,
                prepare: digest_in_pieces::<$Hash>,
            },
            Operation {
                name: concat!($name, "-many"),
                answer: "digests",
                work: Work::Batch,
                prepare: digest_many::<$Hash>,
            },
            Operation {
                name: concat!($name, "-each"),
                answer: "digests",
                work: Work::Batch,
                prepare: digest_each::<$Hash>,
            },
            Operation {
                name: concat!("hmac-", $name, "-newkey"),
                answer: "hmac",
                work: Work::Message,
                prepare: mac_new_key::<$Hash>,
            },
            Operation {
                name: concat!("hmac-", $name),
                answer: "hmac",
                work: Work::Message,
                prepare: mac::<$Hash>,
            },
            Operation {
                name: concat!("hmac-", $name, "-pieces"),
                answer: "hmac",
                work: Work::Message,
                prepare: mac_in_pieces::<$Hash>,
            },
            Operation {
                name: concat!("hmac-", $name, "-many"),
                answer: "hmacs",
                work: Work::Batch,
                prepare: mac_many::<$Hash>,
            },
            Operation {
                name: concat!("hmac-", $name, "-each"),
                answer: "hmacs",
                work: Work::Batch,
                prepare: mac_each::<$Hash>,
            },
            Operation {
                name: concat!("pbkdf2-hmac-", $name),
                answer: "pbkdf2",
                work: Work::Fixed { units: ITERATIONS.get(), unit: "iteration", messages: 1 },
                prepare: derive::<$Hash>,
            },
            Operation {
                name: concat!("pbkdf2-hmac-", $name, "-many"),
                answer: "pbkdf2-many",
                work: Work::Fixed { units: 8 * ITERATIONS.get(), unit: "iteration", messages: 8 },
                prepare: derive_eight::<$Hash>,
            },
            Operation {
                name: concat!("hkdf-", $name, "-expand"),
                answer: "hkdf",
                work: Work::Fixed { units: 1, unit: "key of 42 bytes", messages: 1 },
                prepare: expand::<$Hash>,
            },
            $(
                Operation {
                    name: $cut_name,
                    answer: concat!("digest ", $cut_name),
                    work: Work::Message,
                    prepare: digest::<$Cut>,
                },
                Operation {
                    name: concat!("hmac-", $cut_name),
                    answer: concat!("hmac ", $cut_name),
                    work: Work::Message,
                    prepare: mac::<$Cut>,
                },
                Operation {
                    name: concat!("hmac-", $cut_name, "-many"),
                    answer: concat!("hmacs ", $cut_name),
                    work: Work::Batch,
                    prepare: mac_many::<$Cut>,
                },
                Operation {
                    name: concat!("hmac-", $cut_name, "-each"),
                    answer: concat!("hmacs ", $cut_name),
                    work: Work::Batch,
                    prepare: mac_each::<$Cut>,
                },
                Operation {
                    name: concat!("pbkdf2-hmac-", $cut_name),
                    answer: concat!("pbkdf2 ", $cut_name),
                    work: Work::Fixed { units: ITERATIONS.get(), unit: "iteration", messages: 1 },
                    prepare: derive::<$Cut>,
                },
                Operation {
                    name: concat!("pbkdf2-hmac-", $cut_name, "-many"),
                    answer: concat!("pbkdf2-many ", $cut_name),
                    work: Work::Fixed { units: 8 * ITERATIONS.get(), unit: "iteration", messages: 8 },
                    prepare: derive_eight::<$Cut>,
                },
            )*
        ]
    };
}

pub(crate) const SHA1: &[Operation] = operations!(Sha1, "sha1");
pub(crate) const SHA256: &[Operation] = operations!(Sha256, "sha256"; Sha224, "sha224");
pub(crate) const SHA512: &[Operation] =
    operations!(Sha512, "sha512"; Sha384, "sha384"; Sha512_256, "sha512-256");
