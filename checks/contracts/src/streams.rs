//! Key streams: in pieces, in place and apart, from any position.

use crate::{Choices, Stream, is_wrong_length};

/// What every stream cipher promises.
///
/// # Panics
/// If a promise is broken.
pub fn stream<S: Stream>(choices: &mut Choices<'_>) {
    let (key, nonce, text) = (choices.array(S::KEY_LEN), choices.array(S::NONCE_LEN), choices.message());
    let keystream = S::EXPECTED(&key, &nonce, text.len());
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
}

/// An output of another length is refused, and nothing moves.
fn refused<S: Stream>(choices: &mut Choices<'_>, stream: &mut S) {
    let (input, mut output) = (vec![7; choices.up_to(99)], vec![0xaa; choices.up_to(99)]);
    let (len, actual, position) = (input.len(), output.len(), stream.position());
    if len != actual {
        let refused = stream.xor_keystream_to(&input, &mut output);
        assert!(is_wrong_length(&refused, len, actual), "{}: {len} to {actual}: {refused:?}", S::NAME);
        assert!(output.iter().all(|&byte| byte == 0xaa) && stream.position() == position);
    }
}
