//! What `keylane::operations` lists. Keys, nonces, additional data and texts are secret: all but AES-CTR's counters.

use crate::tool;
use crate::watch::{Secret, Watch, still_secret};
use keylane::Primitive;
use keylane::operations::{Call, Operation, Work};

/// Nothing, parts of a block, whole blocks of every size, one block more than a kernel takes at once, several such groups
/// and a rest.
const LENGTHS: [usize; 44] = [
    0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 55, 56, 63, 64, 65, 95, 111, 112, 119, 120, 127, 128, 129,
    191, 192, 240, 255, 256, 257, 300, 511, 512, 513, 767, 1024, 1025, 1100, 1536, 2049, 2303, 4129, 9001,
];

/// Whole blocks, for keys and texts that are secret alone: MemorySanitizer follows a part of a block only into a part of
/// what comes of it, where instructions mix a block and it does not know how.
const WHOLE: [usize; 9] = [16, 64, 112, 128, 256, 512, 1024, 1536, 4224];

/// The size of the largest of these blocks.
const BLOCK_LEN: usize = 128;

/// How many messages, and how long the longest is: fewer than lanes, as many, more, and several groups.
const BATCHES: [(usize, usize); 7] = [(1, 90), (2, 64), (3, 200), (8, 150), (9, 260), (17, 150), (64, 130)];

pub fn walk(watch: &mut Watch, primitive: &Primitive, implementation: &str) {
    for operation in primitive.operations() {
        for secret in Secret::EACH {
            if secret == Secret::All || takes_key(operation) {
                each_length(operation, secret, |key_len, len, cuts| {
                    let name = format_args!(
                        "{} by {implementation}, {len} bytes, secret: {secret:?}",
                        operation.name
                    );
                    let longest = if takes_key(operation) { key_len.max(len) } else { len };
                    watch.case_of(longest, name, || run(operation, secret, key_len, len, cuts));
                });
            }
        }
    }
}

/// All but digests do.
pub fn takes_key(operation: &Operation) -> bool {
    !operation.answer.starts_with("digest")
}

/// Hashes and what is built on them, and Poly1305 only read the data.
fn works_in_place(operation: &Operation) -> bool {
    !operation.name.contains("sha") && !operation.name.starts_with("poly1305")
}

/// Hands over lengths of keys and data, and where the data is cut.
fn each_length(operation: &Operation, secret: Secret, mut take: impl FnMut(usize, usize, &[usize])) {
    match operation.work {
        Work::Message => {
            let lengths = if secret == Secret::All { &LENGTHS[..] } else { &WHOLE };
            let fits = |len: usize| secret != Secret::Text || len.is_multiple_of(BLOCK_LEN);
            for (i, &len) in lengths.iter().enumerate().filter(|(_, len)| fits(**len)) {
                // Longer than any key, nonce and additional data; and longer than any block of a hash.
                let key_len = [61, 200][i % 2];
                take(key_len, len, &[len / 9, len / 3, len / 3 + 1, len / 2 + 5]);
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
fn run(operation: &Operation, secret: Secret, key_len: usize, len: usize, cuts: &[usize]) -> bool {
    let (mut key, mut data, mut answer) = (secret.key(key_len, 1), secret.text(len, 2), [0; 64]);
    if operation.name.contains("-ctr") {
        // The first counter block steers carries: it is public, as the standard has it.
        tool::unmark(&mut key[32..]);
    }
    if secret == Secret::Key && !operation.name.contains("sha") {
        // Nonces and additional data would hide that the key's marks were lost; so would what Poly1305 adds at the end.
        let key_len = if operation.name.starts_with("poly1305") { 16 } else { 32 };
        tool::unmark(&mut key[key_len..]);
    }
    if secret == Secret::Text && operation.work == Work::Batch {
        // One of the messages that run side by side: the others would hide that its marks were lost.
        tool::unmark(&mut data[..cuts.last().copied().unwrap_or(0)]);
    }
    (operation.prepare)(&key, &mut |call| call(&mut Call { data: &mut data, cuts, answer: &mut answer }));
    let nothing_secret = len == 0 && !takes_key(operation);
    (!works_in_place(operation) || still_secret(&mut data)) & (nothing_secret || still_secret(&mut answer))
}
