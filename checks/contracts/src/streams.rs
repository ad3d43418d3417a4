//! Key streams: in pieces, in place and apart, from any position, up to the end.

use crate::{Choices, expected_keystream};
use keylane::Error;
use keylane_subjects::Stream;

/// What every stream cipher promises.
///
/// # Panics
/// If a promise is broken.
pub fn stream<S: Stream>(choices: &mut Choices<'_>) {
    let (key, nonce, text) = (choices.array(S::KEY_LEN), choices.array(S::NONCE_LEN), choices.message());
    let keystream = expected_keystream::<S>(&key, &nonce, text.len());
    let expected: Vec<_> = keystream.iter().zip(&text).map(|(a, b)| a ^ b).collect();
    let mut stream = S::new(&choices.placed(&key), &choices.placed(&nonce));
    assert_eq!(stream.position(), 0);
    let mut start = 0;
    for _ in 0..=choices.up_to(3) {
        let (input, mut found) = (choices.placed(&text[start..]), choices.placed(&text[start..]));
        let mut at = 0;
        for piece in choices.pieces(&input) {
            let (out, position) = (&mut found[at..at + piece.len()], stream.position());
            if choices.one_in(8) {
                refused(choices, &mut stream);
            }
            choices.step();
            if choices.any() { stream.xor_keystream_to(piece, out) } else { stream.xor_keystream(out) }
                .expect("far from the end");
            at += piece.len();
            assert_eq!(stream.position(), position + piece.len() as u128);
            if choices.one_in(4) {
                // The copy goes on, and the original elsewhere.
                let copy = stream.clone();
                stream.xor_keystream(&mut [0; 33]).expect("far from the end");
                stream = copy;
            }
        }
        assert!(*found == expected[start..], "{}: {} bytes from {start}", S::NAME, found.len());
        assert!(*input == text[start..], "{}: the input was changed", S::NAME);
        start = choices.up_to(text.len());
        stream.seek(start as u64).expect("far from the end");
        assert_eq!(stream.position(), start as u128);
    }
    choices.shown(&stream, &key);
    choices.shown(&stream, &keystream[..keystream.len().min(64)]);
    near_the_end(choices, stream);
}

/// An output of another length is refused, and nothing moves.
fn refused<S: Stream>(choices: &mut Choices<'_>, stream: &mut S) {
    let (input, mut output) = (vec![7; choices.up_to(99)], vec![0xaa; choices.up_to(99)]);
    let (len, actual, position) = (input.len(), output.len(), stream.position());
    if len != actual {
        let refused = stream.xor_keystream_to(&input, &mut output);
        assert!(
            matches!(refused, Err(Error::WrongLength { min, max, actual: a, .. })
                if (min, max, a) == (len, len, actual)),
            "{}: {len} to {actual}: {refused:?}",
            S::NAME
        );
        assert!(output.iter().all(|&byte| byte == 0xaa) && stream.position() == position);
    }
}

/// After its end a key stream returns nothing, and keeps what it has.
fn near_the_end<S: Stream>(choices: &mut Choices<'_>, mut stream: S) {
    let Some(end) = S::MAX_LEN else { return };
    let back = [choices.up_to(700) as u64, choices.any::<u16>().into(), 64 * choices.up_to(40) as u64];
    let start = end - back[choices.up_to(2)] + if choices.one_in(8) { choices.up_to(3000) as u64 } else { 0 };
    let before = stream.position();
    if start > end {
        assert_eq!(stream.seek(start), Err(Error::InputTooLong { max: end }), "{}: {start}", S::NAME);
        return assert_eq!(stream.position(), before, "{}: refused, and moved", S::NAME);
    }
    stream.seek(start).expect("before the end");
    let left = end - start;
    let mut alike = stream.clone();
    let mut data = vec![0; choices.up_to(3000)];
    if data.len() as u64 > left {
        let refused = Err(Error::InputTooLong { max: left });
        assert_eq!(stream.xor_keystream(&mut data), refused, "{}: {left} bytes left", S::NAME);
        let mut apart = data.clone();
        assert_eq!(stream.xor_keystream_to(&data, &mut apart), refused, "{}", S::NAME);
        assert!(data.iter().chain(&apart).all(|&byte| byte == 0), "{}: refused, and changed", S::NAME);
        assert_eq!(stream.position(), u128::from(start), "{}: refused, and moved", S::NAME);
        data.truncate(left as usize);
    }
    choices.step();
    stream.xor_keystream(&mut data).expect("as much as there is");
    assert_eq!(stream.position(), u128::from(start) + data.len() as u128);
    // In pieces of less than a block, which no group of blocks can take beyond the end.
    let mut same = vec![0; data.len()];
    same.chunks_mut(50).for_each(|piece| alike.xor_keystream(piece).expect("as much as there is"));
    assert!(same == data, "{}: {left} bytes before the end", S::NAME);
}
