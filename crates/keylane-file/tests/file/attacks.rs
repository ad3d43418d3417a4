//! Every change to a file is an error, and the output before it is a prefix of the text, in whole chunks.

use crate::reference::{committed, cut, file};
use crate::{
    ALGORITHMS, CHUNK_LEN, HEADER_LEN, KEY, KEY_BYTES, SEALED_LEN, opened, parts, sealed, text, with,
};
use keylane_file::Error;
use proptest::prelude::*;
use proptest::sample::Index;

/// More than two batches.
const CHUNKS: usize = 20;
/// With a full last chunk, and with a partial one.
const LENS: [usize; 2] = [CHUNKS * CHUNK_LEN, (CHUNKS - 1) * CHUNK_LEN + 5000];

/// Runs `test` with the text and the file, for both algorithms and both lengths.
fn each_file(mut test: impl FnMut(&[u8], &[u8])) {
    for algorithm in ALGORITHMS {
        for len in LENS {
            let text = text(len);
            test(&text, &sealed(&text, with(algorithm, 2)));
        }
    }
}

/// Checks that the file is refused with `expected` after `chunks` of its chunks were written, with any number
/// of threads.
#[track_caller]
fn refused(text: &[u8], file: &[u8], chunks: usize, expected: &Error) {
    for threads in [1, 2, 3] {
        let (output, result) = opened(file, KEY, threads);
        let error = result.unwrap_err();
        assert_eq!(format!("{error:?}"), format!("{expected:?}"), "{threads} threads");
        assert!(error.is_verification_failure());
        assert_eq!(output.len(), chunks * CHUNK_LEN, "{threads} threads, {error}");
        assert!(output == text[..output.len()], "{threads} threads");
    }
}

const fn damaged(chunk: usize) -> Error {
    Error::Damaged { chunk: chunk as u64, from: (chunk * CHUNK_LEN) as u64 }
}

const fn damaged_end(chunk: usize) -> Error {
    Error::DamagedEnd { chunk: chunk as u64, from: (chunk * CHUNK_LEN) as u64 }
}

fn joined(header: &[u8], chunks: &[&[u8]]) -> Vec<u8> {
    [header, &chunks.concat()].concat()
}

#[test]
fn truncated() {
    each_file(|text, file| {
        for chunks in 0..CHUNKS {
            let end = HEADER_LEN + chunks * SEALED_LEN;
            // At a chunk's end, the remaining last chunk is not marked as the last one.
            refused(text, &file[..end], chunks.saturating_sub(1), &Error::Truncated);
            for left in [1, 15] {
                refused(text, &file[..end + left], chunks, &Error::Truncated);
            }
            for left in [16, 17, 4000] {
                refused(text, &file[..end + left], chunks, &damaged_end(chunks));
            }
            if chunks < CHUNKS - 1 {
                for left in [CHUNK_LEN, SEALED_LEN - 1] {
                    refused(text, &file[..end + left], chunks, &damaged_end(chunks));
                }
            }
        }
        refused(text, &file[..file.len() - 1], CHUNKS - 1, &damaged_end(CHUNKS - 1));
    });
}

/// Chunks that change places, are doubled, and are left out.
#[test]
fn rearranged() {
    each_file(|text, file| {
        let (header, chunks) = parts(file);
        let last = CHUNKS - 1;
        let changed = |good: usize, expected: &Error, change: &dyn Fn(&mut Vec<&[u8]>)| {
            let mut chunks = chunks.clone();
            change(&mut chunks);
            refused(text, &joined(header, &chunks), good, expected);
        };
        for (i, j) in [(0, 1), (1, 2), (0, 18), (7, 8), (6, 17), (17, 18), (3, last)] {
            changed(i, &damaged(i), &|chunks| chunks.swap(i, j));
        }
        changed(0, &damaged(0), &|chunks| chunks.rotate_left(1));
        for i in [0, 1, 7, 8, 18] {
            changed(i + 1, &damaged(i + 1), &|chunks| chunks.insert(i, chunks[i]));
            // A partial chunk is read as the last.
            let expected = if i == last - 1 { damaged_end(i) } else { damaged(i) };
            changed(i, &expected, &|chunks| _ = chunks.remove(i));
        }
        // If the last chunk is full, it opens as the last, and the error says that data follows.
        let full = text.len() % CHUNK_LEN == 0;
        let expected = if full { Error::TrailingData } else { damaged_end(last) };
        changed(last, &expected, &|chunks| chunks.push(chunks[last]));
    });
}

#[test]
fn chunks_of_another_file_with_the_same_key() {
    for algorithm in ALGORITHMS {
        let text = text(LENS[0]);
        let [one, two] = [(); 2].map(|()| sealed(&text, with(algorithm, 1)));
        let ((header, mut chunks), (other_header, others)) = (parts(&one), parts(&two));
        for i in [0, 7, 8, 18] {
            let mut chunks = chunks.clone();
            chunks[i] = others[i];
            refused(&text, &joined(header, &chunks), i, &damaged(i));
        }
        refused(&text, &joined(other_header, &chunks), 0, &damaged(0));
        chunks[CHUNKS - 1] = others[CHUNKS - 1];
        refused(&text, &joined(header, &chunks), CHUNKS - 1, &damaged_end(CHUNKS - 1));
    }
}

#[test]
fn appended() {
    each_file(|text, file| {
        let full = text.len() % CHUNK_LEN == 0;
        for more in [1, 15, 16, 17, 1000, SEALED_LEN - 5016, SEALED_LEN - 5015, SEALED_LEN, 10 * SEALED_LEN] {
            let longer = [file, &vec![7; more]].concat();
            let expected = match (full, more + 5016 <= SEALED_LEN) {
                (true, _) => Error::TrailingData,
                (false, true) => damaged_end(CHUNKS - 1),
                (false, false) => damaged(CHUNKS - 1),
            };
            refused(text, &longer, CHUNKS - 1, &expected);
        }
        let expected = if full { Error::TrailingData } else { damaged(CHUNKS - 1) };
        refused(text, &[file, file].concat(), CHUNKS - 1, &expected);
    });
}

#[test]
fn any_bit_of_any_chunk() {
    each_file(|text, file| {
        for i in 0..CHUNKS {
            let (start, last) = (HEADER_LEN + i * SEALED_LEN, i == CHUNKS - 1);
            let end = file.len().min(start + SEALED_LEN);
            for at in [start, start + 4000, end - 17, end - 16, end - 1] {
                let mut file = file.to_vec();
                file[at] ^= 1 << (i % 8);
                refused(text, &file, i, &if last { damaged_end(i) } else { damaged(i) });
            }
        }
    });
}

/// The first error in the file's order is reported.
#[test]
fn several_errors() {
    each_file(|text, file| {
        let mut file = file.to_vec();
        for i in (3..CHUNKS).rev() {
            file[HEADER_LEN + i * SEALED_LEN] ^= 1;
            refused(text, &file, i, &if i == CHUNKS - 1 { damaged_end(i) } else { damaged(i) });
        }
    });
}

/// Files that only the holder of the key can write, and that are not allowed.
#[test]
fn wrong_structures_with_the_right_key() {
    for algorithm in ALGORITHMS {
        let (text, committed) = (text(3 * CHUNK_LEN), committed(algorithm, 1, [0; 4], &[9; 32]));
        let written = |chunks: &[(&[u8], bool)]| file(&committed, &KEY_BYTES, chunks);
        let right = cut(&text);
        assert!(opened(&written(&right), KEY, 2).0 == text, "the forger can write right files");

        let mut chunks = right.clone();
        chunks[2].1 = false;
        refused(&text, &written(&chunks), 2, &Error::Truncated);
        let mut chunks = right.clone();
        chunks[1].1 = true;
        refused(&text, &written(&chunks), 1, &Error::TrailingData);
        let mut chunks = right.clone();
        chunks[2].1 = false;
        chunks.push((&[], true));
        refused(&text, &written(&chunks), 3, &damaged_end(3));
        let mut chunks = right.clone();
        chunks[1].0 = &chunks[1].0[..CHUNK_LEN - 1];
        refused(&text, &written(&chunks), 1, &damaged(1));
        refused(&[], &written(&[(&[], false)]), 0, &damaged_end(0));
        refused(&[], &written(&[]), 0, &Error::Truncated);
    }
}

/// Replaces so many bytes at a place by bytes of the file from another place, the first of them changed.
type Edit = (Index, usize, Index, usize, u8);

fn edits() -> impl Strategy<Value = Edit> {
    let len = || prop_oneof![2 => Just(0), 2 => 1..100_usize, 2 => Just(SEALED_LEN), 1 => 1..20 * SEALED_LEN];
    let change = prop_oneof![Just(0), (0..8_u8).prop_map(|bit| 1 << bit)];
    (any::<Index>(), len(), any::<Index>(), len(), change)
}

fn edited(mut file: Vec<u8>, (at, len, from, copied, change): &Edit) -> Vec<u8> {
    if file.is_empty() {
        return file;
    }
    let range = |start: usize, len: &usize| start..(start + len).min(file.len());
    let (replaced, copied) = (range(at.index(file.len()), len), range(from.index(file.len()), copied));
    let mut bytes = file[copied].to_vec();
    bytes.iter_mut().take(1).for_each(|byte| *byte ^= change);
    file.splice(replaced, bytes);
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_edit(
        len in 0..12 * CHUNK_LEN,
        edits in prop::collection::vec(edits(), 1..4),
        threads in 1..4_usize,
    ) {
        let text = text(len);
        let file = sealed(&text, with(ALGORITHMS[len % 2], 1));
        let forged = edits.iter().fold(file.clone(), edited);
        let (output, result) = opened(&forged, KEY, threads);
        prop_assert!(text.starts_with(&output));
        if forged == file {
            prop_assert_eq!(result.unwrap(), len as u64);
        } else {
            prop_assert!(result.is_err());
            prop_assert_eq!(output.len() % CHUNK_LEN, 0);
        }
    }

    /// Chunks of any length, with the last flag anywhere.
    #[test]
    fn any_structure_with_the_right_key(
        chunks in prop::collection::vec(
            (prop_oneof![3 => Just(CHUNK_LEN), 1 => 0..3_usize, 1 => 0..CHUNK_LEN], prop::bool::weighted(0.3)),
            0..5,
        ),
        threads in 1..4_usize,
    ) {
        let text = text(chunks.iter().map(|(len, _)| len).sum());
        let mut rest = &text[..];
        let chunks: Vec<_> = chunks
            .iter()
            .map(|&(len, last)| (rest.split_off(..len).expect("as long as all"), last))
            .collect();
        let algorithm = ALGORITHMS[text.len() % 2];
        let written = file(&committed(algorithm, 1, [0; 4], &[9; 32]), &KEY_BYTES, &chunks);
        let (output, result) = opened(&written, KEY, threads);
        prop_assert!(text.starts_with(&output));
        prop_assert_eq!(result.is_ok(), chunks == cut(&text));
        let complete = output.len() == text.len();
        prop_assert!(complete || result.is_err() && output.len() % CHUNK_LEN == 0);
    }
}
