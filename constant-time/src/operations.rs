//! What `keylane::operations` lists. Keys, nonces, additional data and texts are secret: all but AES-CTR's counters.

use crate::tool;
use crate::watch::{Watch, secret, still_secret};
use keylane::Primitive;
use keylane::operations::{Call, Operation, Work};

/// Nothing, parts of a block, whole blocks of every size, one block more than a kernel takes at once, several such groups
/// and a rest.
const LENGTHS: [usize; 44] = [
    0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 55, 56, 63, 64, 65, 95, 111, 112, 119, 120, 127, 128, 129,
    191, 192, 240, 255, 256, 257, 300, 511, 512, 513, 767, 1024, 1025, 1100, 1536, 2049, 2303, 4129, 9001,
];

/// How many messages, and how long the longest is: fewer than lanes, as many, more, and several groups.
const BATCHES: [(usize, usize); 7] = [(1, 90), (2, 64), (3, 200), (8, 150), (9, 260), (17, 150), (64, 130)];

pub fn walk(watch: &mut Watch, primitive: &Primitive, implementation: &str) {
    for operation in primitive.operations() {
        match operation.work {
            Work::Message => {
                for (i, &len) in LENGTHS.iter().enumerate() {
                    // Longer than any key, nonce and additional data; and longer than any block of a hash.
                    let key_len = [61, 200][i % 2];
                    run(
                        watch,
                        implementation,
                        operation,
                        key_len,
                        len,
                        &[len / 9, len / 3, len / 3 + 1, len / 2 + 5],
                    );
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
                    run(watch, implementation, operation, 61, len, &cuts);
                }
            }
            Work::Fixed { .. } => run(watch, implementation, operation, 61, 20, &[]),
        }
    }
}

fn run(
    watch: &mut Watch,
    implementation: &str,
    operation: &Operation,
    key_len: usize,
    len: usize,
    cuts: &[usize],
) {
    let name = format_args!("{} by {implementation}, {len} bytes", operation.name);
    watch.case(name, || {
        let (mut key, mut data, mut answer) = (secret(key_len, 1), secret(len, 2), [0; 64]);
        if operation.name.contains("-ctr") {
            // The first counter block steers carries: it is public, as the standard has it.
            tool::unmark(&mut key[32..]);
        }
        (operation.prepare)(&key, &mut |call| call(&mut Call { data: &mut data, cuts, answer: &mut answer }));
        // Nothing secret is in the digest of nothing, and little in that of a byte: MemorySanitizer takes SHA256RNDS2 to
        // work lane by lane, and follows the byte into some words only.
        let hardly_secret = len <= 1 && operation.answer.starts_with("digest");
        still_secret(&mut data) & (hardly_secret || still_secret(&mut answer))
    });
}
