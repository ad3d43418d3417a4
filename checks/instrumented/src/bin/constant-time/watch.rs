//! Runs one case after the other with marked secrets. There may be no report, and the outputs must still be
//! marked.

use crate::tool;
use keylane_contracts::{Call, Key, Random, Subject, Work};

/// After so many cases that went wrong, no more of an implementation are run.
const MAX_FAULTS: usize = 20;

/// Nothing, parts of a block, whole blocks of every size, one block more than a kernel takes at once, several
/// such groups and a rest.
const LENGTHS: [usize; 42] = [
    0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 55, 56, 63, 64, 65, 95, 111, 112, 119, 120, 127, 128, 129,
    191, 192, 255, 256, 257, 300, 511, 512, 513, 767, 1024, 1025, 1100, 1536, 2303, 4129, 9001,
];

/// Whole blocks, for keys and texts that are secret alone: MemorySanitizer follows a part of a block only
/// into a part of what comes of it, where instructions mix a block and it does not know how.
const WHOLE: [usize; 5] = [128, 256, 512, 1024, 4224];

/// How many messages, and how long the longest is: fewer than lanes, as many, more, and several groups.
const BATCHES: [(usize, usize); 7] = [(1, 90), (2, 64), (3, 200), (8, 150), (9, 260), (17, 150), (64, 130)];

/// What has been seen so far of an implementation.
#[derive(Default)]
pub(crate) struct Watch {
    /// In which the tool followed the secrets to the end.
    pub(crate) cases: usize,
    pub(crate) faults: usize,
}

impl Watch {
    /// Runs a subject with all that may be secret, with the key alone and with the text alone.
    ///
    /// A report is a leak. Where what comes out is not marked, the tool has lost sight of a secret on the
    /// way, and would have seen no leak after that place.
    pub(crate) fn subject(&mut self, subject: &Subject, implementation: &str) {
        // MemorySanitizer takes each word that SHA256RNDS2 returns to depend on the words in the same place
        // alone, and so follows a secret of one byte into some words of the state only.
        let follows_one_byte = !cfg!(feature = "memory-sanitizer")
            || subject.key != Key::None
            || subject.primitive != "sha256"
            || !implementation.starts_with("sha-ni");
        for secret in Secret::EACH {
            if secret != Secret::All && subject.key == Key::None {
                continue;
            }
            each_length(subject, secret, |key_len, len, cuts| {
                if self.faults == MAX_FAULTS || len == 1 && !follows_one_byte {
                    return;
                }
                let before = tool::reports();
                let followed = run(subject, secret, key_len, len, cuts);
                let fault = if tool::reports() > before {
                    "LEAK: see the reports above"
                } else if !followed {
                    "LOST: what came out is not marked"
                } else {
                    return self.cases += 1;
                };
                let name = &subject.name;
                eprintln!("{fault}: {name} by {implementation}, {len} bytes, secret: {secret:?}");
                self.faults += 1;
            });
        }
    }
}

/// What of a case is secret. Marks of a text would hide that a key's were lost on the way, and the reverse:
/// each goes in alone as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secret {
    All,
    Key,
    Text,
}

impl Secret {
    const EACH: [Self; 3] = [Self::All, Self::Key, Self::Text];

    /// A call's key, with nonces and additional data after it.
    pub(crate) fn key(self, of: Key, len: usize) -> Vec<u8> {
        let mut key = Random::new(1).bytes(len);
        let secret = match (self, of) {
            (Self::Text, _) => 0,
            // A counter's carries are public.
            (_, Key::BeforeCounter) => len.min(32),
            // What comes after the key would hide that the key's marks were lost.
            (Self::Key, Key::First(first)) => len.min(first),
            _ => len,
        };
        tool::mark(&mut key[..secret]);
        key
    }

    /// A call's data.
    pub(crate) fn text(self, len: usize) -> Vec<u8> {
        let mut text = Random::new(2).bytes(len);
        if self != Self::Key {
            tool::mark(&mut text);
        }
        text
    }
}

/// Passes on lengths of keys and data, and where the data is cut.
fn each_length(subject: &Subject, secret: Secret, mut take: impl FnMut(usize, usize, &[usize])) {
    match subject.work {
        Work::Message => {
            // One length in three of those that only compute the same in another way.
            let step = if subject.plain || secret != Secret::All { 1 } else { 3 };
            let lengths = if secret == Secret::All { &LENGTHS[..] } else { &WHOLE };
            for (i, &len) in lengths.iter().enumerate().step_by(step) {
                // Longer than any key, nonce and additional data; and longer than any block of a hash.
                let cuts = [len / 9, len / 3, len / 3 + 1, len / 2 + 5].map(|cut| cut.min(len));
                take([61, 200][i % 2], len, &cuts);
            }
        }
        Work::Batch => {
            for (count, longest) in BATCHES {
                let lengths = (0..count).map(|i| longest - i * 37 % (longest / 2));
                let ends = lengths.scan(0, |end, len| {
                    *end += len;
                    Some(*end)
                });
                let mut cuts: Vec<usize> = ends.collect();
                let len = cuts.pop().expect("a message");
                take(61, len, &cuts);
            }
        }
        Work::Fixed { .. } => take(61, 20, &[]),
    }
}

/// Whether what came out is still secret.
fn run(subject: &Subject, secret: Secret, key_len: usize, len: usize, cuts: &[usize]) -> bool {
    let (key, mut data, mut answer) = (secret.key(subject.key, key_len), secret.text(len), [0; 64]);
    let mut public = 0;
    if secret == Secret::Text && subject.work == Work::Batch {
        // One of the messages that run side by side: the others would hide that its marks were lost.
        public = cuts.last().copied().unwrap_or(0);
        tool::unmark(&mut data[..public]);
    }
    (subject.make)(&key)(&mut Call { data: &mut data, cuts, answer: &mut answer });
    let nothing_secret = len == 0 && subject.key == Key::None;
    (!subject.in_place || still_secret(&mut data[public..])) & (nothing_secret || still_secret(&mut answer))
}

/// Whether all bits that came out are marked, and takes the marks off. A zero need not be: it may come from
/// wiping, or be what an answer is filled up with.
fn still_secret(bytes: &mut [u8]) -> bool {
    let marks = tool::marks(bytes);
    tool::unmark(bytes);
    bytes.iter().zip(marks).all(|(&byte, mark)| byte == 0 || mark == 0xff)
}
