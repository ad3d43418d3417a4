//! Limits of lengths, on a cipher whose limits a test reaches.

use super::*;

/// Takes 5 bytes of text and 3 of additional data.
#[derive(Clone)]
struct Short;

impl Cipher for Short {
    type Nonce = [u8; 12];
    const NAME: &'static str = "short";
    const MAX_TEXT_LEN: u64 = 5;
    const MAX_AAD_LEN: u64 = 3;
}

impl Crypt<[u8; 12]> for Short {
    fn crypt(&self, _: Direction<&Tag>, _: &[u8; 12], _: &[u8], mut text: InOut<'_>) -> Tag {
        text.reborrow().xor(&[1; 8]);
        [1; TAG_LEN]
    }

    fn seal_slices(&self, _: &[u8; 12], _: &[u8], _: &[&[u8]], text: &mut [u8]) -> Tag {
        text.fill(1);
        [1; TAG_LEN]
    }
}

impl RandomNonces for Short {}

/// Neither one message nor a batch may be longer, and a batch is refused before its first message is written.
#[test]
fn what_is_too_long_is_refused() {
    let (aead, nonce) = (Aead(Short), [0; 12]);
    for (aad_len, text_len) in (0..8).flat_map(|aad_len| (0..8).map(move |text_len| (aad_len, text_len))) {
        let expected = match (aad_len, text_len) {
            (_, 6..) => Err(Error::InputTooLong { max: 5 }),
            (4.., _) => Err(Error::InputTooLong { max: 3 }),
            _ => Ok(()),
        };
        let (aad, sealed, text) =
            (&[0; 8][..aad_len], &[1; 24][..text_len + TAG_LEN], &mut [0; 8][..text_len]);
        let (mut tag, mut room, mut grown) = ([1; TAG_LEN], [0; 24], Vec::new());
        assert_eq!(aead.seal(&nonce, aad, text).map(drop), expected);
        assert_eq!(aead.open(&nonce, aad, text, &tag), expected);
        assert_eq!(aead.seal_to(&nonce, aad, &[text], &mut room[..sealed.len()]), expected);
        assert_eq!(aead.open_to(&nonce, aad, sealed, &mut room[..text_len]), expected);
        assert_eq!(aead.seal_append(&nonce, aad, text, &mut grown), expected);
        assert_eq!(aead.open_append(&nonce, aad, sealed, &mut grown), expected);
        assert_eq!(grown.is_empty(), expected.is_err());
        #[cfg(feature = "getrandom")]
        {
            let output = &mut [0; 36][..12 + sealed.len()];
            assert_eq!(aead.seal_random(aad, text, output), expected);
            assert_eq!(output.iter().all(|&byte| byte == 0), expected.is_err());
        }

        let (mut first, mut other_tag) = ([0; 2], [1; TAG_LEN]);
        let mut batch = [
            Message { nonce: &nonce, aad: b"", text: &mut first, tag: &mut other_tag },
            Message { nonce: &nonce, aad, text, tag: &mut tag },
        ];
        assert_eq!(aead.open_many(&mut batch, &mut [false; 2]), expected);
        assert_eq!(batch[0].text, [u8::from(expected.is_ok()); 2]);
        assert_eq!(aead.seal_many(&mut batch), expected);
        assert_eq!(first, [0; 2]);
    }
}

#[test]
fn a_batch_with_a_nonce_of_another_length_is_refused() {
    for (first, second) in [0, 11, 13].into_iter().flat_map(|actual| [(actual, 12), (12, actual)]) {
        let actual = if first == 12 { second } else { first };
        let (mut texts, mut tags) = ([[0; 2]; 2], [[1; TAG_LEN]; 2]);
        let messages = [first, second].into_iter().zip(&mut texts).zip(&mut tags);
        let messages =
            messages.map(|((len, text), tag)| Message { nonce: &[0; 13][..len], aad: b"", text, tag });
        let mut batch = Vec::from_iter(messages);
        let what = "length of the nonce in bytes";
        let refused = Err(Error::WrongLength { what, min: 12, max: 12, actual });
        assert_eq!(Aead(Short).seal_many(&mut batch), refused);
        let mut opened = [true; 2];
        assert_eq!(Aead(Short).open_many(&mut batch, &mut opened), refused);
        assert_eq!((texts, opened), ([[0; 2]; 2], [true; 2]));
    }
}
