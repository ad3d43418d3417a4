//! AES against published answers: FIPS 197, appendices B and C; NIST SP 800-38A, appendix F.1 (ECB).

use keylane::Error;
use keylane::aes::Aes;
use keylane_contracts::{Guarded, every_implementation, exclusively, hex, painted};

/// Key, plaintext and ciphertext in hexadecimal.
struct Case {
    key: &'static str,
    plain: &'static str,
    cipher: &'static str,
}

fn blocks(digits: &str) -> Vec<[u8; 16]> {
    let bytes = hex(digits);
    let (blocks, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    blocks.to_vec()
}

/// Encrypts and decrypts on every implementation. The blocks are repeated, so that each is tested at every
/// place of a kernel's group and of the remainder.
fn check(cases: &[Case]) {
    every_implementation("aes", |_| {
        for case in cases {
            let (aes, plain, cipher) =
                (Aes::from_slice(&hex(case.key)).unwrap(), blocks(case.plain), blocks(case.cipher));
            assert_eq!(plain.len(), cipher.len());
            for count in (0..=70).chain([127, 128, 129, 300]) {
                let times =
                    |blocks: &[[u8; 16]]| blocks.iter().copied().cycle().take(count).collect::<Vec<_>>();
                // Inaccessible memory is next to the blocks.
                for place in [Guarded::at_start, Guarded::at_end] {
                    let mut blocks = place(times(&plain).as_flattened());
                    aes.encrypt_blocks(blocks.as_chunks_mut().0);
                    assert_eq!(blocks.as_chunks().0, times(&cipher), "key {}: {count} encrypted", case.key);
                    aes.decrypt_blocks(blocks.as_chunks_mut().0);
                    assert_eq!(blocks.as_chunks().0, times(&plain), "key {}: {count} decrypted", case.key);
                }
            }
        }
    });
}

#[test]
fn fips197() {
    check(&[
        // Appendix B.
        Case {
            key: "2b7e151628aed2a6abf7158809cf4f3c",
            plain: "3243f6a8885a308d313198a2e0370734",
            cipher: "3925841d02dc09fbdc118597196a0b32",
        },
        // Appendices C.1 to C.3.
        Case {
            key: "000102030405060708090a0b0c0d0e0f",
            plain: "00112233445566778899aabbccddeeff",
            cipher: "69c4e0d86a7b0430d8cdb78070b4c55a",
        },
        Case {
            key: "000102030405060708090a0b0c0d0e0f1011121314151617",
            plain: "00112233445566778899aabbccddeeff",
            cipher: "dda97ca4864cdfe06eaf70a0ec0d7191",
        },
        Case {
            key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            plain: "00112233445566778899aabbccddeeff",
            cipher: "8ea2b7ca516745bfeafc49904b496089",
        },
    ]);
}

#[test]
fn sp800_38a_ecb() {
    let plain = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
        30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    check(&[
        // F.1.1 and F.1.2.
        Case {
            key: "2b7e151628aed2a6abf7158809cf4f3c",
            plain,
            cipher: "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
                43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
        },
        // F.1.3 and F.1.4.
        Case {
            key: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            plain,
            cipher: "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef\
                ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
        },
        // F.1.5 and F.1.6.
        Case {
            key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            plain,
            cipher: "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
                b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
        },
    ]);
}

/// Round keys are the same for all.
#[test]
fn an_implementation_takes_the_keys_of_another() {
    exclusively("aes", |primitive| {
        let names: Vec<_> = primitive.implementations().filter(|it| it.usable).map(|it| it.name).collect();
        for (len, first) in [16, 24, 32].into_iter().flat_map(|len| names.iter().map(move |name| (len, name)))
        {
            primitive.select(first).unwrap();
            let (aes, blocks) = (Aes::from_slice(&painted(len)).unwrap(), [[7; 16]; 5]);
            let mut encrypted = blocks;
            aes.encrypt_blocks(&mut encrypted);
            for second in &names {
                primitive.select(second).unwrap();
                let mut decrypted = encrypted;
                aes.clone().decrypt_blocks(&mut decrypted);
                assert_eq!(decrypted, blocks, "a key of {len} bytes by {first}, decrypted by {second}");
            }
        }
    });
}

#[test]
fn lengths_of_keys() {
    for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
        let refused = Aes::from_slice(&painted(len)).err();
        assert!(matches!(refused, Some(Error::WrongLength { actual, .. }) if actual == len), "{refused:?}");
    }
}
