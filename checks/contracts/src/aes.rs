//! AES on blocks.

use crate::{Choices, expected_blocks};
use keylane::Error;
use keylane::aes::Aes;

/// What AES promises.
///
/// # Panics
/// If a promise is broken.
pub fn aes(choices: &mut Choices<'_>) {
    let len = [16, 24, 32, choices.up_to(70)][choices.up_to(3)];
    let (key, text) = (choices.array(len), choices.message());
    let aes = match Aes::from_slice(&choices.placed(&key)) {
        Ok(aes) => aes,
        Err(error) => {
            assert!(matches!(error, Error::WrongLength { actual, .. } if actual == len), "{error}");
            return assert!(![16, 24, 32].contains(&len), "a key of {len} bytes is refused");
        }
    };
    choices.shown(&aes, &key);
    let (blocks, _) = text.as_chunks();
    let mut place = choices.placed(blocks.as_flattened());
    for (encrypt, run) in [(true, Aes::encrypt_blocks as fn(&_, &mut _)), (false, Aes::decrypt_blocks)] {
        choices.step();
        run(&aes.clone(), place.as_chunks_mut().0);
        let what = format!("{} blocks, a key of {len}, encrypt: {encrypt}", blocks.len());
        assert!(place.as_chunks().0 == expected_blocks(&key, blocks, encrypt), "{what}");
        place.copy_from_slice(blocks.as_flattened());
    }
}
