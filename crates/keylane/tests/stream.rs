//! Is it the construction that others have, and does every chunk have one place?

use aead_stream::aead::array::{ArraySize, typenum::U5};
use aead_stream::aead::{AeadCore, AeadInOut, KeyInit, Payload};
use aead_stream::{DecryptorBE32, EncryptorBE32, NewStream, Nonce, StreamBE32, StreamPrimitive};
use core::ops::Sub;
use keylane::Error;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::stream::{Chunk, ChunkCipher, Opener, PREFIX_LEN, Sealer};
use keylane_testkit::{Aead, Random, every_backend, for_every, painted};

const TAG_LEN: usize = 16;

for_every!([chunks_are_messages, agrees_with_aead_stream, a_chunk_has_one_place, counting, limits,
    #[cfg_attr(target_family = "wasm", ignore = "no threads")] threads, destructors]
    aes128_gcm: keylane::aes_gcm::Aes128Gcm,
    aes192_gcm: keylane::aes_gcm::Aes192Gcm,
    aes256_gcm: keylane::aes_gcm::Aes256Gcm,
    chacha20_poly1305: keylane::chacha20poly1305::ChaCha20Poly1305,
);

/// An AEAD with nonces of 12 bytes, and the same by RustCrypto.
trait Streamed: Aead + keylane::aead::Aead<Nonce = [u8; 12]> {
    type Theirs: AeadInOut + KeyInit;
}

impl Streamed for Aes128Gcm {
    type Theirs = aes_gcm::Aes128Gcm;
}

impl Streamed for Aes192Gcm {
    type Theirs = aes_gcm::AesGcm<aes::Aes192, aead::consts::U12>;
}

impl Streamed for Aes256Gcm {
    type Theirs = aes_gcm::Aes256Gcm;
}

impl Streamed for ChaCha20Poly1305 {
    type Theirs = chacha20poly1305::ChaCha20Poly1305;
}

fn key<A: Aead>() -> Vec<u8> {
    painted(A::KEY_LEN + 7)[7..].to_vec()
}

const PREFIX: [u8; PREFIX_LEN] = [0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x07];

fn new<A: Streamed>() -> ChunkCipher<A> {
    ChunkCipher::new(A::from_slice(&key::<A>()).unwrap(), &PREFIX)
}

const CHUNKS: [Chunk; 8] = [
    Chunk::Inner(0),
    Chunk::Last(0),
    Chunk::Inner(1),
    Chunk::Last(255),
    Chunk::Inner(0x0102_0304),
    Chunk::Last(0xffff_fffe),
    Chunk::Inner(0xffff_fffe),
    Chunk::Last(0xffff_ffff),
];

/// Number and last flag.
const fn fields(chunk: Chunk) -> (u32, bool) {
    match chunk {
        Chunk::Inner(number) => (number, false),
        Chunk::Last(number) => (number, true),
    }
}

/// The nonce, as it is said in the module's documentation.
fn nonce(chunk: Chunk) -> Vec<u8> {
    let (number, last) = fields(chunk);
    [&PREFIX[..], &number.to_be_bytes(), &[u8::from(last)]].concat()
}

fn sealed<A: Streamed>(chunks: &ChunkCipher<A>, chunk: Chunk, aad: &[u8], text: &[u8]) -> Vec<u8> {
    let mut sealed = vec![0; text.len() + TAG_LEN];
    chunks.seal_to(chunk, aad, &[text], &mut sealed).unwrap();
    sealed
}

/// On every implementation, by every call.
fn chunks_are_messages<A: Streamed>() {
    let ran = every_backend(A::PRIMITIVE, |_| {
        let chunks = new::<A>();
        for chunk in CHUNKS {
            for (aad_len, text_len) in [(0, 0), (80, 1), (13, 64), (0, 1000), (80, 4096)] {
                let (aad, text) = (painted(aad_len), painted(text_len));
                let expected = A::expected_sealed(&key::<A>(), &nonce(chunk), &aad, &text);
                assert_eq!(sealed(&chunks, chunk, &aad, &text), expected, "{chunk:?}");
                let mut output = vec![0; expected.len()];
                let (head, tail) = text.split_at(text_len / 3);
                chunks.seal_to(chunk, &aad, &[head, tail], &mut output).unwrap();
                assert_eq!(output, expected, "{chunk:?}, two slices");
                let mut data = text.clone();
                let tag = chunks.seal(chunk, &aad, &mut data).unwrap();
                assert_eq!([&data[..], &tag].concat(), expected, "{chunk:?}, in place");
                chunks.open(chunk, &aad, &mut data, &tag).unwrap();
                assert_eq!(data, text, "{chunk:?}, in place");
                data.fill(0);
                chunks.open_to(chunk, &aad, &expected, &mut data).unwrap();
                assert_eq!(data, text, "{chunk:?}");
            }
        }
    });
    assert!(ran > 0);
}

/// In both directions: single chunks, and whole streams by the types that count.
fn agrees_with_aead_stream<A: Streamed>()
where
    <A::Theirs as AeadCore>::NonceSize: Sub<U5, Output: ArraySize>,
{
    let prefix: &Nonce<A::Theirs, StreamBE32<A::Theirs>> = PREFIX[..].try_into().unwrap();
    let key = key::<A>();
    let theirs = || A::Theirs::new_from_slice(&key).unwrap();
    let (chunks, single) = (new::<A>(), StreamBE32::from_aead(theirs(), prefix));
    for chunk in CHUNKS {
        let (number, last) = fields(chunk);
        let (aad, text) = (painted(80), painted(100));
        let expected = single.encrypt(number, last, Payload { msg: &text, aad: &aad }).unwrap();
        let ours = sealed(&chunks, chunk, &aad, &text);
        assert_eq!(ours, expected, "{chunk:?}");
        assert_eq!(single.decrypt(number, last, Payload { msg: &ours, aad: &aad }).unwrap(), text);
    }

    let mut random = Random::new(5);
    for count in [1, 2, 3, 20] {
        let texts: Vec<_> = (0..count)
            .map(|_| {
                let len = random.below(300);
                random.bytes(len)
            })
            .collect();
        let aad = |i: usize| vec![i as u8; i];
        let mut sealer = Some(Sealer::new(new::<A>()));
        let mut encryptor = Some(EncryptorBE32::from_aead(theirs(), prefix));
        let mut opener = Some(Opener::new(new::<A>()));
        let mut decryptor = Some(DecryptorBE32::from_aead(theirs(), prefix));
        for (i, text) in texts.iter().enumerate() {
            let (aad, last) = (aad(i), i + 1 == count);
            let mut ours = vec![0; text.len() + TAG_LEN];
            let payload = Payload { msg: text, aad: &aad };
            let expected = if last {
                sealer.take().unwrap().seal_last_to(&aad, &[text], &mut ours).unwrap();
                encryptor.take().unwrap().encrypt_last(payload).unwrap()
            } else {
                sealer.as_mut().unwrap().seal_next_to(&aad, &[text], &mut ours).unwrap();
                encryptor.as_mut().unwrap().encrypt_next(payload).unwrap()
            };
            assert_eq!(ours, expected, "chunk {i} of {count}");
            let mut opened = vec![0; text.len()];
            let payload = Payload { msg: &ours[..], aad: &aad };
            let theirs = if last {
                opener.take().unwrap().open_last_to(&aad, &expected, &mut opened).unwrap();
                decryptor.take().unwrap().decrypt_last(payload).unwrap()
            } else {
                opener.as_mut().unwrap().open_next_to(&aad, &expected, &mut opened).unwrap();
                decryptor.as_mut().unwrap().decrypt_next(payload).unwrap()
            };
            assert_eq!(&opened, text, "chunk {i} of {count}");
            assert_eq!(&theirs, text, "chunk {i} of {count}");
        }
    }
}

/// Opened anywhere else it fails, and leaves no text.
fn a_chunk_has_one_place<A: Streamed>() {
    let (chunks, text) = (new::<A>(), painted(100));
    let failed = Err(Error::AuthenticationFailed);
    let refused = |chunks: &ChunkCipher<A>, chunk, aad: &[u8], sealed: &[u8], what: &str| {
        let mut output = vec![0xa5; 100];
        assert_eq!(chunks.open_to(chunk, aad, sealed, &mut output), failed, "{what}");
        assert_eq!(output, [0; 100], "{what}");
        let (cipher, tag) = sealed.split_last_chunk().unwrap();
        let mut data = cipher.to_vec();
        assert_eq!(chunks.open(chunk, aad, &mut data, tag), failed, "{what}");
        assert_eq!(data, [0; 100], "{what}");
    };
    for chunk in CHUNKS {
        let sealed = sealed(&chunks, chunk, b"aad", &text);
        for other in CHUNKS {
            if other != chunk {
                refused(&chunks, other, b"aad", &sealed, &format!("{chunk:?} as {other:?}"));
            }
        }
        refused(&chunks, chunk, b"", &sealed, "other additional data");
        for i in 0..PREFIX_LEN {
            let mut prefix = PREFIX;
            prefix[i] ^= 1;
            let other = ChunkCipher::new(A::from_slice(&key::<A>()).unwrap(), &prefix);
            refused(&other, chunk, b"aad", &sealed, "another prefix");
        }
        for i in [0, 50, 99, 100, 115] {
            let mut sealed = sealed.clone();
            sealed[i] ^= 0x40;
            refused(&chunks, chunk, b"aad", &sealed, "a bit");
        }
    }
}

fn counting<A: Streamed>() {
    let texts = [painted(50), painted(0), painted(70)];
    let (mut sealer, mut all) = (Sealer::new(new::<A>()), Vec::new());
    // A refusal does not count.
    assert!(sealer.seal_next_to(b"", &[&texts[0]], &mut [0; 50]).is_err());
    for (i, text) in texts.iter().enumerate() {
        let mut data = text.clone();
        let tag = sealer.seal_next(b"", &mut data).unwrap();
        assert_eq!([&data[..], &tag].concat(), sealed(&new::<A>(), Chunk::Inner(i as u32), b"", text));
        all.push((data, tag));
    }
    let mut end = painted(5);
    let end_tag = sealer.seal_last(b"", &mut end).unwrap();
    assert_eq!([&end[..], &end_tag].concat(), sealed(&new::<A>(), Chunk::Last(3), b"", &painted(5)));

    let mut opener = Opener::new(new::<A>());
    for ((mut data, tag), text) in all.into_iter().zip(&texts) {
        // Neither does a forgery.
        assert_eq!(opener.open_next(b"x", &mut data.clone(), &tag), Err(Error::AuthenticationFailed));
        opener.open_next(b"", &mut data, &tag).unwrap();
        assert_eq!(&data, text);
    }
    // The end is the end.
    assert_eq!(opener.open_next(b"", &mut end.clone(), &end_tag), Err(Error::AuthenticationFailed));
    opener.open_last(b"", &mut end, &end_tag).unwrap();
    assert_eq!(end, painted(5));
}

fn limits<A: Streamed>() {
    let chunks = new::<A>();
    let (beyond, mut data) = (Chunk::Inner(u32::MAX), [7; 20]);
    let refused = |error| matches!(error, Err(Error::InvalidParameter { .. }));
    assert!(refused(chunks.seal(beyond, b"", &mut data).map(drop)));
    assert!(refused(chunks.open(beyond, b"", &mut data, &[0; TAG_LEN])));
    assert!(refused(chunks.seal_to(beyond, b"", &[&[7; 4]], &mut data)));
    assert!(refused(chunks.open_to(beyond, b"", &[7; 20], &mut data[..4])));
    assert_eq!(data, [7; 20], "nothing was done");
    assert!(matches!(
        chunks.seal_to(Chunk::Last(0), b"", &[&[7; 5]], &mut data),
        Err(Error::WrongLength { min: 21, max: 21, actual: 20, .. })
    ));
}

/// In any order, from many threads.
fn threads<A: Streamed + Sync>() {
    let (chunks, text) = (new::<A>(), painted(500));
    let expected: Vec<_> = (0..40).map(|i| sealed(&chunks, Chunk::Inner(i), b"", &text)).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (chunks, expected, text) = (&chunks, &expected, &text);
            scope.spawn(move || {
                for i in (thread..40).step_by(4).rev() {
                    assert_eq!(sealed(chunks, Chunk::Inner(i), b"", text), expected[i as usize]);
                }
            });
        }
    });
}

fn destructors<A: Streamed>() {
    assert!(core::mem::needs_drop::<ChunkCipher<A>>(), "the key");
    assert!(core::mem::needs_drop::<Sealer<A>>());
    assert!(core::mem::needs_drop::<Opener<A>>());
    let shown = format!("{:?}", new::<A>());
    assert!(shown.contains(".."), "a key is not shown: {shown}");
}
