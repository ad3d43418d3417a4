//! Poly1305: in pieces, with hints and padding.

use crate::{Choices, expected_poly1305};
use keylane::Error;
use keylane::poly1305::Poly1305;

/// What Poly1305 promises.
///
/// # Panics
/// If a promise is broken.
pub fn poly1305(choices: &mut Choices<'_>) {
    let (mut key, text): ([u8; 32], _) = (choices.any(), choices.message());
    match choices.up_to(7) {
        0 => key[..16].iter_mut().for_each(|byte| *byte |= 0xf8),
        1 => key[..16].iter_mut().for_each(|byte| *byte &= 0x0c),
        _ => {}
    }
    let place = choices.placed(&text);
    let key_place = choices.placed(&key);
    let key_place = key_place.first_chunk().expect("32 bytes");
    assert_eq!(Poly1305::mac(key_place, &place), expected_poly1305(&key, &text), "{} bytes", text.len());
    let mut running = match choices.up_to(3) {
        0 => Poly1305::new(key_place),
        1 => Poly1305::with_hint(key_place, choices.up_to(2 * text.len())),
        // Too small for lanes, whatever comes.
        2 => Poly1305::with_hint(key_place, choices.up_to(129)),
        _ => Poly1305::with_hint(key_place, usize::MAX),
    };
    let (mut message, pieces) = (Vec::new(), choices.pieces(&place));
    for piece in &pieces {
        choices.step();
        running.update(piece);
        message.extend_from_slice(piece);
        if choices.one_in(8) {
            running.pad_to_block();
            message.resize(message.len().next_multiple_of(16), 0);
        }
        if choices.one_in(4) {
            let copy = running.clone();
            running.update(b"elsewhere");
            running = copy;
        }
    }
    choices.shown(&running, &key);
    choices.step();
    let (mut tag, what) = (expected_poly1305(&key, &message), format!("{} bytes", message.len()));
    assert_eq!(running.clone().finalize(), tag, "{what} in {} pieces", pieces.len());
    assert_eq!(running.clone().verify(&tag), Ok(()), "{what}");
    choices.flip(&mut tag);
    assert_eq!(running.verify(&tag), Err(Error::AuthenticationFailed), "{what}");
}
